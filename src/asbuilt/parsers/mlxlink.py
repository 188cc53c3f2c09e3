"""``mlxlink``: a port's link, its bit error ratios, FEC histogram and module, as text with sections or as ``--json``.

The device is the ``-d`` of the command before the output, or the part of the subject behind a slash (``node0003/mlx5_0``).
Labels that are known become quantities with a unit (`QUANTITIES`); any other label becomes a quantity with its own words in
lower case (``status_opcode``) and its value as text. A value with a window (``49 [-10..80]``) also gives ``…_min`` and
``…_max``: the module's own alarm limits. A value per lane gives a row per lane, counted from 1. ``N/A`` has no number.
Formats seen: MFT 4.1x to 4.2x text, with and without ``-m``, ``-c``, ``--rx_fec_histogram``; JSON of MFT 4.1x.
"""

from __future__ import annotations

import json
import re
from typing import Any, Iterator

from asbuilt.model.facts import Facts, LineAccount
from asbuilt.model.facts_subnet import MODULE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, Said, as_utf8, host_of_subject
from asbuilt.parsers.told_interface import valued

TOOL = "mlxlink"
#: Label -> (quantity, unit).
QUANTITIES: dict[str, tuple[str, str]] = {
    "Raw Physical BER": ("raw_ber", "1"),
    "Raw Physical BER Per Lane": ("raw_ber", "1"),
    "Effective Physical BER": ("effective_ber", "1"),
    "Symbol BER": ("symbol_ber", "1"),
    "Effective Physical Errors": ("effective_errors", "1"),
    "Symbol Errors": ("symbol_errors", "1"),
    "Raw Physical Errors Per Lane": ("raw_errors", "1"),
    "Link Down Counter": ("link_downs", "1"),
    "Link Error Recovery Counter": ("link_recoveries", "1"),
    "Time Since Last Clear [Min]": ("since_clear_min", "min"),
    "Temperature [C]": ("temperature_c", "°C"),
    "Voltage [mV]": ("voltage_mv", "mV"),
    "Bias Current [mA]": ("bias_ma", "mA"),
    "Rx Power Current [dBm]": ("rx_power_dbm", "dBm"),
    "Tx Power Current [dBm]": ("tx_power_dbm", "dBm"),
    "Physical state": ("phys_state", ""),
    "Vendor Name": ("vendor", ""),
    "Vendor Part Number": ("part_number", ""),
    "Vendor Serial Number": ("serial_number", ""),
    "FW Version": ("firmware", ""),
    "Firmware Version": ("nic_firmware", ""),
}
_LABEL = r"[A-Z][^:\n]{0,60}?"
_FIELD = re.compile(rf"^({_LABEL})\s+:(?: (.*))?$")
_BIN = re.compile(r"^Bin (\d{1,3})$")
_OCCURRED = re.compile(r"^(\[\s*\d+\s*[:.]+\s*\d+\s*\])\s+(\d{1,20})$")
_TITLE = re.compile(r"^[A-Z][\w ()/&.-]{1,60}(?:Info|Information|Errors)(?: \([\w ,.-]*\))?$|^-{4,}$")
_OWN = re.compile(rf"{_FIELD.pattern}|{_TITLE.pattern}")
_WINDOW = re.compile(r"^(.*?)\s*\[(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)\]$")
_LISTED = re.compile(r"^[^,\s]+(?:,\s*[^,\s]+)+$")
_SNIFFED = 1 << 16
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:\x1b\[[0-9;]*m)*(?:Operational Info|Module Info|Physical Counters and BER Info"
    rb'|Histogram of FEC Errors)(?:\x1b\[[0-9;]*m)*\s*$|"(?:Operational Info|Physical Counters and BER Info|Module Info)"\s*:',
    re.M,
)


def sniff(data: bytes) -> bool:
    """True for a text with the title of one of its sections."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``module_facts`` of every device in the capture. Never raises. ``subject``: ``HOST``, or ``HOST/DEVICE``."""
    data = as_utf8(data)
    host, slash, device = (host_of_subject(subject)[0] or "").partition("/")
    if data.lstrip()[:1] == b"{":
        return _parse_json(data, capture_id, host or None, device or None)
    listener = Listener(data, subject.replace(slash + device, "", 1) if slash else subject, _OWN)
    rows: list[dict[str, Any]] = []
    for said in listener:
        if _TITLE.match(said.text):
            listener.account.ignore(said.number)
        elif (field := _FIELD.match(said.text)) and said.closed:
            who = {"device": _device(said) or device or None, "line": said.number}
            made = [{**who, **row, "host": host} for row in _rows(field[1], field[2] or "") for host in said.speaker.hosts]
            rows += made
            (listener.account.fact if made else listener.account.ignore)(said.number)
    tables = fact_rows.table(MODULE_FACTS, rows, capture_id)
    return Facts(tables, {capture_id: listener.account.result()}, (), TOOL)


def _device(said: Said) -> str | None:
    """The ``-d`` of an mlxlink command line."""
    words = said.speaker.command
    if not any(w.rpartition("/")[2] == "mlxlink" for w in words[:3]):
        return None
    return valued(words, ("-d", "--device"))


def _rows(label: str, value: str) -> Iterator[dict[str, Any]]:
    """The rows of one label; none for the head of the histogram and for a label without a value."""
    label, value = label.strip(), value.strip()
    if not value or (label == "Header" and "Occurrences" in value):
        return
    number = _BIN.match(label)
    occurred = _OCCURRED.match(value)
    if number and occurred:
        yield {"quantity": "fec_bin", "lane": int(number[1]), "value": float(occurred[2]), "text": occurred[1], "unit": "1"}
        return
    quantity, unit = QUANTITIES.get(label, (_slug(label), ""))
    window = _WINDOW.match(value)
    if window:
        value = window[1]
        for end, limit in (("min", window[2]), ("max", window[3])):
            yield {"quantity": f"{quantity}_{end}", "value": fact_rows.real(limit), "text": limit, "unit": unit}
    lanes = [x.strip() for x in value.split(",")]
    if (
        len(lanes) > 1
        and _LISTED.match(value)
        and ("lane" in label.lower() or all(fact_rows.real(x) is not None for x in lanes))
    ):
        yield from (
            {"quantity": quantity, "lane": i, "value": fact_rows.real(x), "text": x, "unit": unit}
            for i, x in enumerate(lanes[:64], start=1)
        )
        return
    yield {"quantity": quantity, "value": fact_rows.real(value), "text": value[:500], "unit": unit}


def _slug(label: str) -> str:
    """``Status Opcode`` as ``status_opcode``."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_") or "unnamed"


def _parse_json(data: bytes, capture_id: str, host: str | None, device: str | None) -> Facts:
    """``--json``: a record per label of every section. Text that is no JSON, as a cut one, is one unread record."""
    try:
        document = json.loads(data)
        output = document["result"]["output"]
        sections = list(output.values())
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        why = f"not whole JSON of mlxlink: {str(error)[:120]!a}"
        return Facts({}, {capture_id: LineAccount(1, 0, 0, 1, ((1, why),))}, (why,), TOOL)
    rows: list[dict[str, Any]] = []
    unread: list[tuple[int, str]] = []
    total = ignorable = 0
    for section in sections:
        for label, value in section.items() if isinstance(section, dict) else [("", section)]:
            total += 1
            text = _json_text(value)
            made = list(_rows(label, text)) if text is not None and label.isprintable() else []
            if text is None or not label.isprintable():
                unread.append((total, f"{str(label)[:60]!a}: no value that we can read"))
            elif not made:
                ignorable += 1
            rows += [{"host": host, "device": device, "line": total, **row} for row in made]
    account = LineAccount(total, total - ignorable - len(unread), ignorable, len(unread), tuple(unread[:1000]))
    return Facts(fact_rows.table(MODULE_FACTS, rows, capture_id), {capture_id: account}, (), TOOL)


def _json_text(value: Any) -> str | None:
    """A value as the text form prints it; None for what has none."""
    if isinstance(value, dict):
        listed = value.get("values")
        value = listed if isinstance(listed, list) else value.get("value")
    if isinstance(value, list):
        parts = [_json_text(v) for v in value[:64]]
        return None if any(p is None for p in parts) else ",".join(p or "" for p in parts)
    if isinstance(value, bool) or value is None or not isinstance(value, str | int | float):
        return None
    text = str(value) if not isinstance(value, int) or abs(value) < 1 << 64 else ""
    return text if text.isprintable() else None
