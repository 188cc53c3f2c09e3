"""``mlxconfig query``: whether the ports of a card are told to be InfiniBand or Ethernet (``LINK_TYPE_P1``).

A row of `MODULE_FACTS` per port and column of the output: ``link_type_current``, ``link_type_next_boot``,
``link_type_default`` (``link_type`` where a filter left no head), text ``infiniband``, ``ethernet`` or ``vpi``. What is set
for the next boot is not what the port is now: `ibstat` says that. The device is that of the output (``Device:``, ``PCI
device:``), or the ``-d`` of the command before it. Copies from the web lose the columns' alignment.

Every setting, link types too, is a row of `SETTING_FACTS`: what holds now, where the output has that column, and what holds
from the next boot on. Where a filter took the head away one column is the next boot, and three are default, current and next
boot, as the query prints them.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SETTING_FACTS
from asbuilt.model.facts_subnet import MODULE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, Said, as_utf8, host_of_subject
from asbuilt.parsers.told_interface import valued

TOOL = "mlxconfig"
_HEAD = re.compile(r"^\s*Configurations:(?:\s+(.*))?$")
_DEVICE = re.compile(r"^\s*(?:PCI )?[Dd]evice:\s+(\S+)$")
_ABOUT = re.compile(r"^\s*(?:Device #\d+:|Device type:.*|Name:.*|Description:.*|Querying .*|-{4,}|={4,}|\*\s*-.*|The '\*'.*)$")
_TYPE = re.compile(r"^[\s*]*LINK_TYPE_P(\d{1,2})((?:\s+\w+\(\d\))+)$")
_SETTING = re.compile(r"^[\s*]*(?:RO\s+)?[A-Z][A-Z0-9_]{2,80}(?:\[[\d.]+\])?\s+\S.*$")
_MARK = re.compile(r"^\s*[#+]*\s*(?:sudo\s+)?(?:\S*/)?mlxconfig\s(?=.*-)(.*)$")
_OWN = re.compile("|".join(p.pattern for p in (_HEAD, _DEVICE, _ABOUT, _TYPE, _SETTING, _MARK)))
_VALUES = re.compile(r"^[\s*]*(?:RO\s+)?([A-Z][A-Z0-9_]{2,80}(?:\[[\d.]+\])?)\s+(\S.*)$")
#: Columns of an output without a head, by their number.
_HEADLESS = {1: ["next_boot"], 3: ["default", "current", "next_boot"]}
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?[\s*]*(?:Configurations:(?:\s|\r?$)|LINK_TYPE_P\d+\s+\w+\(\d\))", re.M)
_WORDS = {"IB": "infiniband", "ETH": "ethernet", "VPI": "vpi"}


def sniff(data: bytes) -> bool:
    """True for a text with the head of the list, or a link type."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``module_facts``. Never raises. ``subject``: ``HOST`` or ``HOST/DEVICE``."""
    _, slash, device = (host_of_subject(subject)[0] or "").partition("/")
    listener = Listener(as_utf8(data), subject.replace(slash + device, "", 1) if slash else subject, _OWN)
    rows: list[dict[str, Any]] = []
    settings: list[dict[str, Any]] = []
    devices: dict[tuple[tuple[str | None, ...], int], str | None] = {}
    heads: dict[tuple[tuple[str | None, ...], int], list[str]] = {}
    for said in listener:
        key = said.speaker.hosts, said.speaker.turn
        if not said.closed:
            continue
        if mark := _MARK.match(said.text):
            devices[key] = valued(mark[1].split(), ("-d", "--dev")) or device or None
            heads.pop(key, None)
        elif found := _DEVICE.match(said.text):
            devices[key] = found[1]
        elif head := _HEAD.match(said.text):
            heads[key] = [c.lower().replace(" ", "_") for c in re.findall(r"Default|Current|Next Boot", head[1] or "")]
        elif _SETTING.match(said.text):
            who = devices.get(key) or _asked(said) or device or None
            link = _TYPE.match(said.text)
            made = _rows(link, heads.get(key, [])) if link else []
            rows += [{**row, "host": name, "device": who, "line": said.number} for row in made for name in said.speaker.hosts]
            held = _setting(said.text, heads.get(key, []))
            settings += [
                {**row, "host": name, "device": who, "line": said.number} for row in held for name in said.speaker.hosts
            ]
            if made or held:
                listener.account.fact(said.number)
            elif not link:
                listener.account.ignore(said.number)
            continue
        elif not _ABOUT.match(said.text):
            continue
        listener.account.ignore(said.number)
    tables = {**fact_rows.table(MODULE_FACTS, rows, capture_id), **fact_rows.table(SETTING_FACTS, settings, capture_id)}
    return Facts(tables, {capture_id: listener.account.result()}, (), TOOL)


def _asked(said: Said) -> str | None:
    """The ``-d`` of an mlxconfig command line."""
    words = said.speaker.command
    return valued(words, ("-d", "--dev")) if any(w.rpartition("/")[2] == "mlxconfig" for w in words[:3]) else None


def _setting(text: str, head: list[str]) -> list[dict[str, Any]]:
    """The setting of a line; none where the line has another number of values than the head has columns."""
    found = _VALUES.match(text)
    if found is None:
        return []
    values = found[2].split()
    names = head or _HEADLESS.get(len(values), [])
    if len(names) != len(values):
        return []
    by_name = dict(zip(names, values, strict=True))
    if not by_name.keys() & {"current", "next_boot"}:
        return []
    return [{"domain": "nic", "name": found[1], "value": by_name.get("current"), "next_boot": by_name.get("next_boot")}]


def _rows(kind: re.Match[str], head: list[str]) -> list[dict[str, Any]]:
    """A row per column; none where the head has another number of columns than the line."""
    values = kind[2].split()
    names = head or ([""] if len(values) == 1 else [])
    if len(names) != len(values):
        return []
    rows = []
    for name, value in zip(names, values, strict=True):
        word = value.partition("(")[0].upper()
        quantity = f"link_type_{name}" if name else "link_type"
        rows.append({"port": int(kind[1]), "quantity": quantity, "text": _WORDS.get(word, word.lower()), "unit": ""})
    return rows
