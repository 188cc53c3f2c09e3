"""``nvidia-smi --query-gpu=… --format=csv`` and its kin: any columns in any order, told by their header.

A header carries units (``memory.total [MiB]``) unless ``nounits`` was asked for, and some names differ from the ones that were
queried (``fabric.cliqueId`` prints ``fabric.clique_id``). Without a header nobody can tell what a value is: such lines are
unread, with a note. ``--query-compute-apps`` lists processes, which no fact table holds: its lines are known and give none.
"""

from __future__ import annotations

import re
from typing import Any, Callable

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers.gpu_words import FAILED, Gathered, count, flag, number, serial, told, uuid
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.told_rows import pci_address

TOOL = "nvidia-smi-csv"
_CELL = re.compile(r"^([a-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)(?: \[[A-Za-z/%]{1,8}\])?$")
_HELP = re.compile(r"^List of valid properties to query")
_HEADING = r"[a-z][A-Za-z0-9_.]*(?: \[[A-Za-z/%]+\])?"
#: A line of values: not one with a host before it, and no command that queries them.
_ROW = r"(?![A-Za-z0-9][\w.-]*: )(?!.*(?:--query|nvidia-smi))[^,]{0,200}(?:, ?[^,]{0,200}){1,120}"
_OWN = re.compile(rf"^{_HEADING}(?:, ?{_HEADING})*$|^{_ROW}$|{FAILED.pattern}", re.I)
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:[a-z_.A-Z0-9]+(?: \[[\w/%]+\])?, ?)*(?:gpu_uuid|uuid|pci\.bus_id|gpu_bus_id|vbios_version"
    rb"|driver_version|memory\.(?:total|used|free)|fabric\.\w+|pcie\.link\.\w+\.\w+|ecc\.\w+\.[\w.]+|remapped_rows\.\w+|temperature\.gpu)"
    rb"(?: \[[\w/%]+\])?(?:, ?[a-z_.A-Z0-9]+(?: \[[\w/%]+\])?)*\r?$",
    re.M,
)


def _cluster(text: str | None) -> str | None:
    word = told(text)
    return None if word is None else word.lower() if word.strip("0-") else "0"


#: Column of ``gpu_facts`` -> (reader, header names, lower case).
_FIELDS: dict[str, tuple[Callable[[str | None], Any], tuple[str, ...]]] = {
    "index": (count, ("index",)),
    "address": (pci_address, ("pci.bus_id", "gpu_bus_id")),
    "uuid": (uuid, ("uuid", "gpu_uuid")),
    "serial": (serial, ("serial", "gpu_serial")),
    "name": (told, ("name", "gpu_name")),
    "vbios": (told, ("vbios_version",)),
    "memory_mib": (number, ("memory.total",)),
    "memory_used_mib": (number, ("memory.used",)),
    "gen_now": (count, ("pcie.link.gen.current", "pcie.link.gen.gpucurrent")),
    "gen_max": (count, ("pcie.link.gen.max",)),
    "width_now": (count, ("pcie.link.width.current",)),
    "width_max": (count, ("pcie.link.width.max",)),
    "replays": (number, ("pcie.replay_counter",)),
    "performance_state": (told, ("pstate",)),
    "utilisation_percent": (number, ("utilization.gpu",)),
    "persistence": (flag, ("persistence_mode",)),
    "mig": (flag, ("mig.mode.current",)),
    "ecc": (flag, ("ecc.mode.current",)),
    "uncorrected_volatile": (number, ("ecc.errors.uncorrected.volatile.total",)),
    "uncorrected_aggregate": (number, ("ecc.errors.uncorrected.aggregate.total",)),
    "sram_uncorrected_aggregate": (number, ("ecc.errors.uncorrected.aggregate.sram",)),
    "corrected_volatile": (number, ("ecc.errors.corrected.volatile.total",)),
    "corrected_aggregate": (number, ("ecc.errors.corrected.aggregate.total",)),
    "remapped_corrected": (number, ("remapped_rows.correctable",)),
    "remapped_uncorrected": (number, ("remapped_rows.uncorrectable",)),
    "remap_pending": (flag, ("remapped_rows.pending",)),
    "remap_failed": (flag, ("remapped_rows.failure",)),
    "temperature_c": (number, ("temperature.gpu",)),
    "memory_temperature_c": (number, ("temperature.memory",)),
    "margin_c": (number, ("temperature.gpu.tlimit",)),
    "power_w": (number, ("power.draw", "power.draw.instant", "power.draw.average")),
    "power_limit_w": (number, ("enforced.power.limit", "power.limit")),
    "sm_mhz": (number, ("clocks.current.sm", "clocks.sm")),
    "sm_max_mhz": (number, ("clocks.max.sm",)),
    "fabric_state": (told, ("fabric.state",)),
    "fabric_status": (told, ("fabric.status",)),
    "cluster_uuid": (_cluster, ("fabric.cluster_uuid", "fabric.clusteruuid")),
    "clique_id": (count, ("fabric.clique_id", "fabric.cliqueid")),
    "module_id": (count, ("platform.module_id", "gpu_module_id", "module_id")),
}
_RETIRED = ("retired_pages.single_bit_ecc.count", "retired_pages.double_bit.count", "retired_pages.sbe", "retired_pages.dbe")
_REASONS = {
    "hw_thermal": "hw_thermal_slowdown",
    "hw_power_brake": "hw_power_brake_slowdown",
    "hw": "hw_slowdown",
    "sw_thermal": "sw_thermal_slowdown",
    "sw_power": "sw_power_cap",
    "sync": "sync_boost",
    "app_clocks": "applications_clocks_setting",
    "idle": "gpu_idle",
}
_KNOWN = {name for _, names in _FIELDS.values() for name in names} | {
    "driver_version",
    "cuda_version",
    "count",
    "timestamp",
    "pid",
}
_KNOWN |= {f"{k}.{v}" for k in ("clocks_event_reasons", "clocks_throttle_reasons") for v in (*_REASONS.values(), "active")}


def sniff(data: bytes) -> bool:
    """True for a text with a header of the tool's own names."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``gpu_facts`` of every line under a header, identities and versions with it. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    out = Gathered(listener.account)
    reader = _Reader(out)
    for said in listener:
        reader.hear(said)
    return out.facts(capture_id, TOOL)


class _Reader:
    """The header in force, by speaker."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self._headers: dict[tuple[str | None, ...], tuple[int, list[str]]] = {}
        self._help = -1

    def hear(self, said: Said) -> None:
        if self.out.gave_up(said):
            return
        if _HELP.match(said.text):
            self._help = said.speaker.turn
            self.out.note("a list of the properties that can be queried: nothing measured")
        if self._help == said.speaker.turn:
            self.out.account.ignore(said.number)
            return
        cells = [cell.strip() for cell in said.text.split(",")]
        names = [found[1].lower() if (found := _CELL.match(cell)) else "" for cell in cells]
        if all(names) and any(name in _KNOWN for name in names):
            if said.closed:
                self._headers[said.speaker.hosts] = (said.speaker.turn, names)
                self.out.account.ignore(said.number)
            return
        turn, header = self._headers.get(said.speaker.hosts, (-1, []))
        if header and turn == said.speaker.turn:
            self._row(said, header, cells)
        elif len(cells) > 1 and FAILED.match(said.text) is None:
            self.out.note("values without a header: nobody can tell what they are")

    def _row(self, said: Said, header: list[str], cells: list[str]) -> None:
        if not said.closed or len(cells) != len(header):
            return
        values = dict(zip(header, cells, strict=True))
        if "pid" in values:
            self.out.account.ignore(said.number)
            return
        hosts, row = said.speaker.hosts, _columns(values)
        for component in ("driver", "cuda"):
            version = told(values.get(f"{component}_version"))
            if version and re.match(r"^\d[\w.-]*$", version):
                self.out.version(hosts, said.number, component, version)
        self.out.gpu(hosts, said.number, row)
        self.out.account.fact(said.number)
        lost = next((c for c in cells if re.match(r"^\[?(?:GPU is lost|GPU requires reset|Unknown Error)\]?$", c, re.I)), None)
        if lost:
            self.out.put(EVENT_FACTS, hosts, said.number, {
                "source": "nvidia-smi", "code": lost.strip("[]").lower().replace(" ", "_"), "severity": "fatal",
                "device": row.get("address"), "message": said.text.strip()[:500],
            })  # fmt: skip


def _columns(values: dict[str, str]) -> dict[str, Any]:
    """A row of ``gpu_facts`` from one line's values by header name."""
    row: dict[str, Any] = {}
    for column, (read, names) in _FIELDS.items():
        for name in names:
            if name in values and (value := read(values[name])) is not None:
                row[column] = value
                break
    retired = [v for name in _RETIRED if name in values and (v := number(values[name])) is not None]
    if retired:
        row["retired_pages"] = sum(retired)
    heard = {
        word: flag(values[name])
        for word, end in _REASONS.items()
        for name in (f"clocks_event_reasons.{end}", f"clocks_throttle_reasons.{end}")
        if name in values
    }
    # Columns that were not asked for may hide a reason: "none" needs all that mean harm.
    asked = {w for w, state in heard.items() if state is not None}
    active = [word for word in _REASONS if heard.get(word)]
    if active or asked >= {"hw_thermal", "hw_power_brake", "hw", "sw_thermal", "sw_power"}:
        row["slowdown"] = "+".join(active) or "none"
    return row
