"""The records in a transcript of ``smpquery``: what a port (portinfo) and a node (nodeinfo, nodedesc) say of themselves.

``Key:.....value``, one key a line. A record begins at a prompt, at its opening comment, or where a key comes again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.grammar import PROMPT, Reading, Rule, guid_column, number_column, rule
from asbuilt.parsers.smp_tables import who

Array = np.ndarray[Any, Any]
PORTINFO = frozenset({"portinfo", "pi", "portinfoextended", "pie"})
NODEINFO = frozenset({"nodeinfo", "ni"})
NODEDESC = frozenset({"nodedesc", "nd"})
#: Gb/s of a lane as libibmad prints them (``mad_dump_linkspeed``, ``mad_dump_linkspeedext``): whole part, digits behind the
#: point (14.0625 has 625) -> speed word.
SPEEDS = {
    (2, 5): "SDR",
    (5, 0): "DDR",
    (10, 0): "QDR",
    (14, 625): "FDR",
    (25, 78125): "EDR",
    (53, 125): "HDR",
    (106, 25): "NDR",
    (212, 5): "XDR",
}
#: Logical and physical states (IBTA PortInfo.PortState, PortPhysicalState) as the tools write them, in lower case.
STATES = {"down": "down", "initialize": "init", "armed": "armed", "active": "active"}
PHYSICAL = {
    "sleep": "sleep",
    "polling": "polling",
    "disabled": "disabled",
    "portconfigurationtraining": "training",
    "linkup": "linkup",
    "linkerrorrecovery": "recovery",
    "phytest": "phytest",
}
_SPEED = r"<n:whole>\.<n:part> Gbps"
_PORT_KEYS = {
    "lid": r"Lid:\.+<n:value>",
    "sm_lid": r"SMLid:\.+<n:value>",
    "lmc": r"LMC:\.+<n:value>",
    "state": r"LinkState:\.+(?P<word>[A-Za-z]+)",
    "phys_state": r"PhysLinkState:\.+(?P<word>[A-Za-z]+)",
    "width": r"LinkWidthActive:\.+<n:value>X",
    "speed": rf"LinkSpeedActive:\.+{_SPEED}",
    "extended": rf"LinkSpeedExtActive:\.+{_SPEED}",
    "mtu_bytes": r"NeighborMTU:\.+<n:value>",
    "high_limit": r"VLHighLimit:\.+<n:value>",
    "vls": r"OperVLs:\.+VL<n>(?:-<n:value>)?",
}
_NODE_KEYS = {
    "kind": r"NodeType:\.+(?P<word>Switch|Channel Adapter|Router)",
    "ports": r"NumPorts:\.+<n:value>",
    "system_guid": r"SystemGuid:\.+<h:value>",
    "node_guid": r"Guid:\.+<h:value>",
    "port_guid": r"PortGuid:\.+<h:value>",
}
KINDS = {"Switch": "switch", "Channel Adapter": "ca", "Router": "router"}
RULES: tuple[Rule, ...] = (
    *(rule(key, pattern, fact=True) for key, pattern in _PORT_KEYS.items()),
    *(rule(key, pattern, fact=True) for key, pattern in _NODE_KEYS.items()),
    rule("description", r"Node Description:.*", fact=True),
    rule("key", r"[A-Za-z][^:. ]*:\.+.*"),
    rule("capability", r"Is[A-Z][^ :.]*"),
)


def _records(reading: Reading, keys: dict[str, str], operations: frozenset[str]) -> tuple[Array, Array, Array]:
    """(lines with one of ``keys``, which key each has, which record each belongs to: 0, 1, 2 …)."""
    names = list(keys)
    key_of = np.array([names.index(r.name) if r.name in keys else -1 for r in reading.rules] + [-1, -1])[reading.which]
    lines = np.flatnonzero(key_of >= 0)
    heads = np.union1d(reading.lines("of lid"), reading.lines("of other"))
    foreign = reading.lines("foreign")
    opened = np.union1d(heads, foreign)
    fits = reading.under(lines, "smpquery", operations) & ~np.isin(reading.last(opened)[lines], foreign)
    reading.ignore(lines[~fits])
    lines = lines[fits]
    opens = np.zeros(reading.count + 1, np.int64)
    opens[opened] = opens[np.flatnonzero(reading.which == PROMPT)] = 1
    record = np.cumsum(opens)[lines]
    key = key_of[lines]
    seat = record * len(names) + key
    if len(np.unique(seat)) < len(seat):
        record = record + _repeats(record, key)
    return lines, key, np.unique(record, return_inverse=True)[1].reshape(-1)


def _repeats(record: Array, key: Array) -> Array:
    """How many records more there are above each line because a key came again."""
    seen: set[int] = set()
    last, more = -1, 0
    added = np.zeros(len(record), np.int64)
    for i, (r, k) in enumerate(zip(record.tolist(), key.tolist(), strict=True)):
        if r != last:
            seen, last = set(), r
        elif k in seen:
            seen, more = set(), more + 1
        seen.add(k)
        added[i] = more
    return added


class _Columns:
    """Columns of one table of records, filled key by key."""

    def __init__(self, reading: Reading, keys: dict[str, str], operations: frozenset[str]) -> None:
        self.reading, self.names = reading, list(keys)
        self.lines, self.key, self.record = _records(reading, keys, operations)
        self.count = int(self.record[-1]) + 1 if len(self.record) else 0
        first = np.concatenate(([True], self.record[1:] != self.record[:-1])) if self.count else np.zeros(0, bool)
        self.first = self.lines[first]

    def _of(self, name: str) -> tuple[Array, Array]:
        which = self.key == self.names.index(name)
        return self.lines[which], self.record[which]

    def number(self, name: str, absent: int = -1) -> Array:
        """int64 a record, -1 where it does not say ``name``; ``absent`` where it says it without a number."""
        lines, record = self._of(name)
        column = np.full(self.count, -1, np.int64)
        column[record] = self.reading.number(lines, "value", absent)
        return column

    def guid(self, name: str) -> Array:
        lines, record = self._of(name)
        column = np.zeros(self.count, np.uint64)
        column[record] = self.reading.unsigned(lines, "value")
        return column

    def word(self, name: str, known: dict[str, str], lower: bool = True) -> Any:
        """Text a record by the table of words, null where it says none or another."""
        import polars as pl

        lines, record = self._of(name)
        said = self.reading.words(lines, "word")
        said = (said.str.to_lowercase() if lower else said).replace_strict(known, default=None, return_dtype=pl.String)
        return self.scatter(record, said)

    def speed(self, name: str) -> Any:
        import polars as pl

        lines, record = self._of(name)
        return self.scatter(record, speed_words(self.reading.number(lines, "whole"), self.reading.number(lines, "part"))).cast(
            pl.String
        )

    def scatter(self, record: Array, said: Any) -> Any:
        import polars as pl

        index = np.full(self.count, len(record), np.int64)
        index[record] = np.arange(len(record))
        return said.append(pl.Series([None], dtype=pl.String)).gather(pl.Series(index))


def speed_words(whole: Array, part: Array) -> Any:
    """Speed words of rates a lane, null for a rate that no speed has."""
    import polars as pl

    table = list(SPEEDS)
    code = np.full(len(whole), len(table), np.int64)
    for i, (a, b) in enumerate(table):
        code[(whole == a) & (part == b)] = i
    return pl.Series([*SPEEDS.values(), None], dtype=pl.String).gather(pl.Series(code))


def ports(reading: Reading) -> dict[str, Any] | None:
    """Columns of ``port_facts``, one row a record."""
    import polars as pl

    columns = _Columns(reading, _PORT_KEYS, PORTINFO)
    if not columns.count:
        return None
    guid, lid, port = who(reading, columns.first)
    own = columns.number("lid")
    vls = columns.number("vls", 0)
    plain, extended = columns.speed("speed"), columns.speed("extended")
    rows = pl.select(pl.coalesce(pl.Series(extended), pl.Series(plain))).to_series()
    return {
        "guid": guid_column(guid),
        "lid": number_column(np.where(lid >= 0, lid, np.where(own > 0, own, -1))),
        "port": number_column(port),
        "state": columns.word("state", STATES),
        "phys_state": columns.word("phys_state", PHYSICAL),
        "width": number_column(columns.number("width")),
        "speed": rows,
        "mtu_bytes": number_column(columns.number("mtu_bytes")),
        "lmc": number_column(columns.number("lmc")),
        "sm_lid": number_column(columns.number("sm_lid")),
        "vls": number_column(np.where(vls >= 0, vls + 1, -1)),
        "high_limit": number_column(columns.number("high_limit")),
        "line": columns.first + 1,
    }


def names(reading: Reading) -> dict[str, Any] | None:
    """Columns of ``name_facts``: one row a record of nodeinfo, one a node description."""
    import polars as pl

    columns = _Columns(reading, _NODE_KEYS, NODEINFO)
    described = reading.lines("description")
    fits = reading.under(described, "smpquery", NODEDESC)
    reading.ignore(described[~fits])
    described = described[fits]
    if not columns.count and not len(described):
        return None
    lines = np.concatenate([columns.first, described])
    guid, lid, _ = who(reading, lines)
    said = columns.guid("node_guid")
    guid[: columns.count] = np.where(said > 0, said, guid[: columns.count])
    texts = reading.texts(described).str.extract(r"^\s*Node Description:\.*(.*?)\r?$")
    blank, none = pl.Series([None] * columns.count, dtype=pl.String), np.full(len(described), -1, np.int64)
    no_guid = none.astype(np.uint64) * np.uint64(0)
    frame = pl.DataFrame(
        {
            "guid": guid_column(guid),
            "lid": number_column(lid),
            "kind": columns.word("kind", KINDS, lower=False).append(pl.Series([None] * len(described), dtype=pl.String)),
            "description": blank.append(texts),
            "ports": number_column(np.concatenate([columns.number("ports"), none])),
            "port_guid": guid_column(np.concatenate([columns.guid("port_guid"), no_guid])),
            "system_guid": guid_column(np.concatenate([columns.guid("system_guid"), no_guid])),
            "line": lines + 1,
        }
    ).sort("line")
    return {name: frame[name] for name in frame.columns}
