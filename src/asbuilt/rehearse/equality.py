"""The equality report: what the plan fixes, row by row, against what the rehearsed subnet answered.

It reads the texts with the twin's own plain readers and shares nothing with parsers and checks, so that the two witness each
other. Rows that nobody could read are left out with a reason, and never count as equal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping

from asbuilt.model.plan import Plan
from asbuilt.rehearse import readers
from asbuilt.rehearse.readback import Readback, partition_pairs

SHOWN = 5
NOT_ASKED = "the port was not asked"
NOT_WIRED = "nothing is plugged in there yet"
NOT_ANSWERED = "no answer"
NOT_FIXED = "the plan does not fix it"


@dataclass(frozen=True, slots=True)
class Equality:
    """One table of the plan: rows compared, rows equal, rows left out by reason, and the first differences in words."""

    table: str
    compared: int
    equal: int
    left_out: dict[str, int] = field(default_factory=dict)
    differences: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True when something was compared and all of it is equal."""
        return self.compared > 0 and self.equal == self.compared

    def as_json(self) -> dict[str, Any]:
        """The documented object of one table."""
        return {
            "table": self.table,
            "compared": self.compared,
            "equal": self.equal,
            "left_out": self.left_out,
            "differences": list(self.differences),
        }


class Tally:
    """Rows counted one after another into an `Equality`."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.compared = self.equal = 0
        self.left_out: Counter[str] = Counter()
        self.differences: list[str] = []

    def row(self, subject: str, expected: object, found: object) -> None:
        """One row that was read."""
        self.compared += 1
        if expected == found:
            self.equal += 1
        elif len(self.differences) < SHOWN:
            self.differences.append(f"{subject}: planned {expected}, found {found}")

    def rows(self, subject: str, expected: Mapping[Any, object], found: Mapping[Any, object]) -> None:
        """All rows of one subject's table; one that only one side has is a difference."""
        for key in sorted(expected.keys() | found.keys(), key=str):
            self.row(f"{subject} {_words(key)}", expected.get(key, "none"), found.get(key, "none"))

    def leave_out(self, reason: str, rows: int = 1) -> None:
        """Rows that could not be compared."""
        if rows:
            self.left_out[reason] += rows

    def done(self) -> Equality:
        """The answer."""
        return Equality(self.table, self.compared, self.equal, dict(self.left_out), tuple(self.differences))


def _words(key: Hashable) -> str:
    return " ".join(str(k) for k in key) if isinstance(key, tuple) else str(key)


@dataclass(frozen=True, slots=True)
class _Port:
    """One end port of the plan as the questions name it."""

    key: str
    lid: int
    number: int
    lmc: int
    guid: str
    seen: bool


def equality(plan: Plan, readback: Readback, forwarding: Mapping[int, dict[int, int]] | None = None) -> tuple[Equality, ...]:
    """Every table of the plan against what was read of one subnet.

    ``forwarding`` is what the plan fixes of the forwarding tables (switch LID -> destination LID -> port); without it that
    table is left out as a whole.
    """
    found = readers.end_ports(readback.texts["ibnetdiscover"])
    ports = _ports(plan, readback.subnet, found)
    queries = readback.texts.get("smpquery", b"")
    return (
        lids(ports, found),
        answering(ports, readers.dotted(queries, "nodeinfo")),
        partitions(plan, ports, readers.partition_tables(queries)),
        lanes(plan, readback.subnet, ports, readers.lane_tables(queries)),
        arbitration(plan, readback.subnet, ports, readers.arbitration_tables(queries)),
        settings(plan, readback.subnet, ports, readers.dotted(queries, "portinfo")),
        routes(forwarding, readers.forwarding_tables(readback.texts.get("ibroute", b""))),
        managers(plan, readback.subnet, readers.managers(readback.texts["sminfo"])),
        isolation(plan, readback.subnet, readers.path_records(readback.texts.get("saquery", b""))),
    )


def port_settings(plan: Plan, readback: Readback) -> Equality:
    """State, LMC and subnet manager of every NIC port that was asked: table "port state, LMC, subnet manager" alone."""
    ports = _ports(plan, readback.subnet, readers.end_ports(readback.texts["ibnetdiscover"]))
    return settings(plan, readback.subnet, ports, readers.dotted(readback.texts["smpquery"], "portinfo"))


def _ports(plan: Plan, subnet: str, found: Mapping[tuple[str, int], tuple[int, int]]) -> list[_Port]:
    import polars as pl

    rows = plan.table("lids").filter(pl.col("subnet") == subnet).sort("lid")
    columns = rows.select("port", "lid", "number", "lmc", "port_guid").rows()
    return [
        _Port(key, lid, number, lmc, guid, (_node(guid, number), number) in found) for key, lid, number, lmc, guid in columns
    ]


def _node(port_guid: str, number: int) -> str:
    """The node GUID by which ibsim knows the port: what its port GUID counts from."""
    return f"{int(port_guid, 16) - number:016x}"


def lids(ports: list[_Port], found: Mapping[tuple[str, int], tuple[int, int]]) -> Equality:
    """Base LID and LMC of every end port, as discovery prints them."""
    tally = Tally("lids")
    for port in ports:
        seen = found.get((_node(port.guid, port.number), port.number))
        if seen is None:
            tally.leave_out(NOT_WIRED)
        else:
            tally.row(port.key, (port.lid, port.lmc), seen)
    return tally.done()


def answering(ports: list[_Port], found: Mapping[readers.Port, Mapping[str, str]]) -> Equality:
    """Who answers at each planned LID: the port GUID by a packet that the switches forwarded to that LID."""
    tally = Tally("who answers at a LID")
    tally.leave_out(NOT_WIRED, sum(not p.seen for p in ports))
    for port in (p for p in ports if p.seen):
        values = found.get((port.lid, port.number))
        if values is None or "PortGuid" not in values:
            tally.leave_out(NOT_ASKED)
        else:
            tally.row(port.key, port.guid, f"{int(values['PortGuid'], 16):016x}")
    return tally.done()


def _end_ports(ports: list[_Port], tally: Tally, rows: int = 1) -> list[_Port]:
    """The ports of NICs that are there; those that are not are left out of ``tally``."""
    ends = [p for p in ports if p.number]
    tally.leave_out(NOT_WIRED, rows * sum(not p.seen for p in ends))
    return [p for p in ends if p.seen]


def partitions(plan: Plan, ports: list[_Port], found: Mapping[readers.Port, dict[int, int]]) -> Equality:
    """Every entry of every end port's partition table, at its index."""
    planned: dict[str, dict[int, int]] = {}
    for key, index, entry in plan.table("partition_members").select("port", "index", "entry").rows():
        planned.setdefault(key, {})[index] = entry
    tally = Tally("partition_members")
    for port in ports:
        wanted = planned.get(port.key)
        if wanted is None or not port.seen:
            tally.leave_out(NOT_WIRED, len(wanted or ()))
            continue
        table = found.get((port.lid, port.number))
        if table is None:
            tally.leave_out(NOT_ASKED, len(wanted))
        else:
            tally.rows(port.key, *({k: f"0x{v:04x}" for k, v in t.items()} for t in (wanted, table)))
    return tally.done()


def lanes(plan: Plan, subnet: str, ports: list[_Port], found: Mapping[readers.Port, dict[int, readers.Lanes]]) -> Equality:
    """Every row of every SL-to-VL table, of NIC ports and of cabled switch ports (one row per input port)."""
    import polars as pl

    levels = plan.table("service_levels").filter(pl.col("subnet") == subnet).sort("sl")
    wanted = tuple(levels["vl"].to_list())
    tally = Tally("service_levels")
    names = {port.lid: port.key for port in ports}
    for (lid, number), rows in found.items():
        for entry, row in rows.items():
            tally.row(f"{names.get(lid, lid)} in {entry} out {number}", wanted, row)
    for port in _end_ports(ports, tally):
        tally.leave_out(NOT_ASKED, (port.lid, port.number) not in found)
    return tally.done()


def arbitration(
    plan: Plan, subnet: str, ports: list[_Port], found: Mapping[readers.Port, dict[tuple[str, int], tuple[int, int]]]
) -> Equality:
    """Every row with a weight of both VL arbitration tables, of NIC ports and of cabled switch ports."""
    import polars as pl

    rows = plan.table("vl_arbitration").filter(pl.col("subnet") == subnet)
    wanted = {(p, i): (vl, w) for p, i, vl, w in rows.select("priority", "index", "vl", "weight").rows() if w}
    tally = Tally("vl_arbitration")
    names = {port.lid: port.key for port in ports}
    for (lid, number), table in found.items():
        tally.rows(f"{names.get(lid, lid)} port {number}", wanted, table)
    for port in _end_ports(ports, tally, len(wanted)):
        tally.leave_out(NOT_ASKED, len(wanted) * ((port.lid, port.number) not in found))
    return tally.done()


def settings(plan: Plan, subnet: str, ports: list[_Port], found: Mapping[readers.Port, Mapping[str, str]]) -> Equality:
    """Of every NIC port: active, its LMC, and the LID of the planned master as its subnet manager."""
    import polars as pl

    managers = plan.table("subnet_managers").filter((pl.col("subnet") == subnet) & (pl.col("number") == 0))
    master = {p.key: p.lid for p in ports}.get(managers["port"][0]) if managers.height else None
    tally = Tally("port state, LMC, subnet manager")
    for port in _end_ports(ports, tally):
        values = found.get((port.lid, port.number))
        if values is None:
            tally.leave_out(NOT_ASKED)
            continue
        wanted = ("Active", str(port.lmc), str(master))
        tally.row(port.key, wanted, (values.get("LinkState"), values.get("LMC"), values.get("SMLid")))
    return tally.done()


def routes(wanted: Mapping[int, dict[int, int]] | None, found: Mapping[int, dict[int, int]]) -> Equality:
    """Every entry of the forwarding tables that the plan fixes, as the simulated switches hold it."""
    tally = Tally("forwarding tables")
    if wanted is None:
        tally.leave_out(NOT_FIXED, sum(len(rows) for rows in found.values()))
        return tally.done()
    for lid, rows in wanted.items():
        table = found.get(lid)
        if table is None:
            tally.leave_out(NOT_ASKED, len(rows))
            continue
        for target, port in rows.items():
            tally.row(f"switch {lid} to {target}", port, table.get(target, 255))
        tally.leave_out(NOT_FIXED, len(table.keys() - rows.keys()))
    tally.leave_out(NOT_FIXED, sum(len(rows) for lid, rows in found.items() if lid not in wanted))
    return tally.done()


def managers(plan: Plan, subnet: str, found: list[tuple[int, str, int, str]]) -> Equality:
    """LID, GUID, priority and state of every planned subnet manager, as it answers itself."""
    import polars as pl

    rows = plan.table("subnet_managers").filter(pl.col("subnet") == subnet).sort("number")
    rows = rows.join(plan.table("lids").select("port", "lid"), on="port", how="left", maintain_order="left")
    seen = {lid: (guid, priority, state) for lid, guid, priority, state in found}
    tally = Tally("subnet_managers")
    for name, lid, guid, priority, role in rows.select("name", "lid", "port_guid", "priority", "role").rows():
        if lid in seen:
            tally.row(name, (guid, priority, role), seen[lid])
        else:
            tally.leave_out(NOT_ANSWERED)
    return tally.done()


def isolation(plan: Plan, subnet: str, found: list[tuple[list[str], int]]) -> Equality:
    """Path records: inside every partition there is one, from a member to a port outside it there is none."""
    tally = Tally("partition isolation")
    answers = {(int(w[3]), int(w[5]), int(w[7], 16)): count for w, count in found if len(w) == 8}
    for source, target, key, wanted in partition_pairs(plan, subnet):
        count = answers.get((source, target, key))
        if count is None:
            tally.leave_out(NOT_ANSWERED)
        else:
            tally.row(f"{source} to {target} pkey 0x{key:04x}", "path" if wanted else "no path", "path" if count else "no path")
    return tally.done()
