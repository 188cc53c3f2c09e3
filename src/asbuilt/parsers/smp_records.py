"""The records in a transcript of ``smpquery``: what a port (portinfo) and a node (nodeinfo, nodedesc) say of themselves.

``Key:.....value``, one key a line. A record begins at a prompt, at its opening comment, or where a key comes again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.parsers.grammar import Columns, Reading, Rule, guid_column, number_column, rule
from asbuilt.parsers.records import Records, records
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
STATES = {"down": "down", "init": "init", "initialize": "init", "armed": "armed", "active": "active"}
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
PORT_KEYS = {
    "lid": r"Lid:\.+<n:value>",
    "sm_lid": r"SMLid:\.+<n:value>",
    "lmc": r"LMC:\.+<n:value>",
    "state": r"LinkState:\.+(?P<word>[A-Za-z]+)",
    "phys_state": r"PhysLinkState:\.+(?P<word>[A-Za-z]+)",
    "width": r"LinkWidthActive:\.+<n:value>X",
    "speed": rf"LinkSpeedActive:\.+{_SPEED}",
    "extended": rf"LinkSpeedExtActive:\.+(?:{_SPEED}|.*)",
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
    *(rule(key, pattern, fact=True) for key, pattern in PORT_KEYS.items()),
    *(rule(key, pattern, fact=True) for key, pattern in _NODE_KEYS.items()),
    rule("description", r"Node Description:.*", fact=True),
    rule("key", r"[A-Za-z][^:. ]*:\.+.*"),
    rule("capability", r"Is[A-Z][^ :.]*"),
)


def _records(reading: Reading, keys: dict[str, str], operations: frozenset[str]) -> Records:
    """The records of one operation; lines with such keys that answer another are ignorable."""
    headings = {"of lid": True, "of other": True, "foreign": False}
    found, others = records(reading, list(keys), headings, reading.asked("smpquery", operations))
    reading.ignore(others)
    return found


def _speed(records: Records, name: str) -> Any:
    """The speed word a record that ``name`` gives in Gb/s of a lane."""
    record, whole, part = records.pair(name, "whole", "part")
    return records.scatter(record, speed_words(whole, part))


def _speed_in_use(records: Records) -> Any:
    """The speed word of each port. A port that runs an extended speed says "10.0 Gbps" in LinkSpeedActive as well: that counts
    as QDR only in a record which also says what LinkSpeedExtActive is (an excerpt or a cut record may not)."""
    import polars as pl

    told = pl.DataFrame(
        {"extended": _speed(records, "extended"), "plain": _speed(records, "speed"), "both": records.has("extended")}
    )
    slow = pl.col("plain").is_in(["SDR", "DDR"])
    return told.select(pl.coalesce("extended", pl.when(pl.col("both") | slow).then(pl.col("plain")))).to_series()


def speed_words(whole: Array, part: Array) -> Any:
    """Speed words of rates a lane, null for a rate that no speed has."""
    import polars as pl

    table = np.array([a << 20 | b for a, b in SPEEDS])  # ascending
    said = np.where((part >= 0) & (part < 1 << 20) & (whole < 1 << 20), whole << 20 | part, -1)
    code = np.minimum(np.searchsorted(table, said), len(table) - 1)
    code = np.where(table[code] == said, code, len(table))
    return pl.Series([*SPEEDS.values(), None], dtype=pl.String).gather(pl.Series(code))


def ports(reading: Reading) -> Columns:
    """Columns of ``port_facts``, one row a record."""
    found = _records(reading, PORT_KEYS, PORTINFO)

    def columns() -> dict[str, Any]:
        guid, lid, port = who(reading, found.first)
        return port_columns(found, guid, lid, port)

    return Columns(found.count, columns)


def port_columns(records: Records, guid: Array, lid: Array, port: Array) -> dict[str, Any]:
    """The same from records of PortInfo and from who they are of: GUID (0: unknown), LID and port (-1: unknown)."""
    own, vls = records.number("lid"), records.number("vls", 0)
    return {
        "guid": guid_column(guid),
        "lid": number_column(np.where(lid >= 0, lid, np.where(own > 0, own, -1))),
        "port": number_column(port),
        "state": records.word("state", STATES),
        "phys_state": records.word("phys_state", PHYSICAL),
        "width": number_column(records.number("width")),
        "speed": _speed_in_use(records),
        "mtu_bytes": number_column(records.number("mtu_bytes")),
        "lmc": number_column(records.number("lmc")),
        "sm_lid": number_column(records.number("sm_lid")),
        "vls": number_column(np.where(vls >= 0, vls + 1, -1)),
        "high_limit": number_column(records.number("high_limit")),
        "line": records.first + 1,
    }


def names(reading: Reading) -> Columns:
    """Columns of ``name_facts``: one row a record of nodeinfo, one a node description."""
    found = _records(reading, _NODE_KEYS, NODEINFO)
    described = reading.lines("description")
    fits = reading.under(described, "smpquery", NODEDESC)
    reading.ignore(described[~fits])
    described = described[fits]
    return Columns(found.count + len(described), lambda: _name_columns(reading, found, described))


def _name_columns(reading: Reading, columns: Records, described: Array) -> dict[str, Any]:
    import polars as pl

    lines = np.concatenate([columns.first, described])
    parts = who(reading, columns.first), who(reading, described)
    guid, lid = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    said = columns.guid("node_guid")
    guid[: columns.count] = np.where(said > 0, said, guid[: columns.count])
    texts = reading.texts(described).str.extract(r"^\s*Node Description:\.*(.*?)\r?$")
    blank, none = pl.Series([None] * columns.count, dtype=pl.String), np.full(len(described), -1, np.int64)
    no_guid = none.astype(np.uint64) * np.uint64(0)
    frame = pl.DataFrame(
        {
            "guid": guid_column(guid),
            "lid": number_column(lid),
            "kind": columns.word("kind", KINDS).append(pl.Series([None] * len(described), dtype=pl.String)),
            "description": blank.append(texts),
            "ports": number_column(np.concatenate([columns.number("ports"), none])),
            "port_guid": guid_column(np.concatenate([columns.guid("port_guid"), no_guid])),
            "system_guid": guid_column(np.concatenate([columns.guid("system_guid"), no_guid])),
            "line": lines + 1,
        }
    ).sort("line")
    return {name: frame[name] for name in frame.columns}
