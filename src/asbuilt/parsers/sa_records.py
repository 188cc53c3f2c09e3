"""The keyed records in a transcript of ``saquery``: nodes, links, paths, ports, managers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from asbuilt.parsers.grammar import Reading, guid_column, number_column
from asbuilt.parsers.records import Records
from asbuilt.parsers.records import records as grouped
from asbuilt.parsers.smp_records import PORT_KEYS, port_columns

Array = np.ndarray[Any, Any]
KINDS = (
    "NodeRecord",
    "LinkRecord",
    "PathRecord",
    "PKeyTableRecord",
    "SL<n>VLTableRecord",
    "VLArbTableRecord",
    "PortInfoRecord",
    "SMInfoRecord",
)
NODE, LINK, PATH, PKEYS, LANES, ARBITRATION, PORT, MANAGER = range(len(KINDS))
_NUMBER, _GUID = r"\.{2,}<n:value>", r"\.{2,}<h:value>"
#: Keys that are read, by their name here; which record may have them: `_READ`.
KEYS = {
    "lid": rf"(?:lid|LID){_NUMBER}",
    "node_type": r"node_type\.+(?P<word>Switch|Channel Adapter|Router)",
    "num_ports": rf"num_ports{_NUMBER}",
    "sys_guid": rf"sys_guid{_GUID}",
    "node_guid": rf"node_guid{_GUID}",
    "port_guid": rf"port_guid{_GUID}",
    "port_num": rf"port_num{_NUMBER}",
    "name": r"NodeDescription\.{2,}.*",
    "from_lid": rf"FromLID{_NUMBER}",
    "from_port": rf"FromPort{_NUMBER}",
    "to_lid": rf"ToLID{_NUMBER}",
    "to_port": rf"ToPort{_NUMBER}",
    "dlid": rf"dlid{_NUMBER}",
    "slid": rf"slid{_NUMBER}",
    "pkey": rf"pkey{_GUID}",
    "sl": rf"sl{_GUID}",
    "mtu": rf"mtu{_GUID}",
    "rate": rf"rate{_GUID}",
    "Port": rf"Port{_NUMBER}",
    "Block": rf"Block{_NUMBER}",
    "in": rf"InPort{_NUMBER}",
    "out": rf"OutPort{_NUMBER}",
    "end_lid": rf"EndPortLid{_NUMBER}",
    "end_port": rf"PortNum{_NUMBER}",
    "base_lid": rf"base_lid{_NUMBER}",
    "master_lid": rf"master_sm_base_lid{_NUMBER}",
    "guid": rf"GUID{_GUID}",
    "activity": rf"ActCount{_NUMBER}",
    "priority": rf"Priority{_NUMBER}",
    "state": rf"SMState{_NUMBER}",
}
_READ = {
    NODE: ("lid", "node_type", "num_ports", "sys_guid", "node_guid", "port_guid", "port_num", "name"),
    LINK: ("from_lid", "from_port", "to_lid", "to_port"),
    PATH: ("dlid", "slid", "pkey", "sl", "mtu", "rate"),
    PKEYS: ("lid", "Port", "Block"),
    LANES: ("lid", "in", "out"),
    ARBITRATION: ("lid", "Port", "Block"),
    PORT: ("end_lid", "end_port", "base_lid", "master_lid"),
    MANAGER: ("lid", "guid", "activity", "priority", "state"),
}
#: IBTA 1.4: PathRecord Mtu and Rate are codes in the low six bits (the high two say "exactly").
_CODE = 0x3F
MTU_BYTES = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
RATE_GBPS = {
    2: 2.5, 3: 10.0, 4: 30.0, 5: 5.0, 6: 20.0, 7: 40.0, 8: 60.0, 9: 80.0, 10: 120.0, 11: 14.0, 12: 56.0, 13: 112.0, 14: 168.0,
    15: 25.0, 16: 100.0, 17: 200.0, 18: 300.0, 19: 28.0, 20: 50.0, 21: 400.0, 22: 600.0, 23: 800.0, 24: 1200.0,
}  # fmt: skip
_NODE_KINDS = {"Switch": "switch", "Channel Adapter": "ca", "Router": "router"}
#: SMInfo.SMState, IBTA.
_STATES = ("notactive", "discovering", "standby", "master")


@dataclass(frozen=True, slots=True)
class Kinds:
    """For each line, the heading of its record (-1: none) and the kind of record (-1: none that is read)."""

    head: Array
    kind: Array


def kind_of(reading: Reading) -> Kinds:
    """Which record each line belongs to."""
    heads = {i: reading.lines(f"head {kind}") for i, kind in enumerate(KINDS)}
    marks = reading.lines(*(f"head {kind}" for kind in KINDS), "head other", "running", "disabled")
    head = reading.last(marks, np.arange(reading.count))
    at = np.full(reading.count + 1, -1, np.int64)
    for i, lines in heads.items():
        at[lines] = i
    return Kinds(head, at[head])


def records(reading: Reading, kind: int) -> Records:
    """The records of one kind, by the keys that it may have."""
    return _of_kind(reading, kind, [f"key {name}" for name in _READ[kind]], "key ")


def _of_kind(reading: Reading, kind: int, keys: list[str], prefix: str = "") -> Records:
    headings = {f"head {one}": number == kind for number, one in enumerate(KINDS)}
    found, _ = grouped(reading, keys, {**headings, "head other": False, "running": False, "disabled": False})
    found.names = [key.removeprefix(prefix) for key in keys]
    return found


def others(reading: Reading, kinds: Kinds) -> None:
    """Facts of keys that stand in no record that has them are none: the lines are ignorable."""
    for name in KEYS:
        lines = reading.lines(f"key {name}")
        fits = np.isin(kinds.kind[lines], [kind for kind, names in _READ.items() if name in names])
        reading.ignore(lines[~fits])
    for name in PORT_KEYS:
        lines = reading.lines(name)
        reading.ignore(lines[kinds.kind[lines] != PORT])


def names(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``name_facts``: node records, and the list of names by LID."""
    import polars as pl

    found = records(reading, NODE)
    listed = reading.lines("listed")
    if not found.count and not len(listed):
        return None
    short = pl.Series([None] * len(listed), dtype=pl.String)
    none, no_guid = np.full(len(listed), -1, np.int64), np.zeros(len(listed), np.uint64)
    frame = pl.DataFrame(
        {
            "guid": guid_column(np.concatenate([found.guid("node_guid"), no_guid])),
            "lid": number_column(np.concatenate([found.number("lid"), reading.number(listed, "lid")])),
            "port": number_column(np.concatenate([found.number("port_num"), none])),
            "kind": found.word("node_type", _NODE_KINDS).append(short),
            "description": found.text("name", r"NodeDescription\.{2,}(.*?)\r?$").append(
                reading.texts(listed).str.extract(r'"(.*)"')
            ),
            "ports": number_column(np.concatenate([found.number("num_ports"), none])),
            "port_guid": guid_column(np.concatenate([found.guid("port_guid"), no_guid])),
            "system_guid": guid_column(np.concatenate([found.guid("sys_guid"), no_guid])),
            "line": np.concatenate([found.first, listed]) + 1,
        }
    ).sort("line")
    return {name: frame[name] for name in frame.columns}


def ports(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``port_facts``: the two ends of each link record, and what port records say of a port."""
    import polars as pl

    frames = []
    links = records(reading, LINK)
    if links.count:
        said = {"lid": "from_lid", "port": "from_port", "peer_lid": "to_lid", "peer_port": "to_port"}
        columns = {column: number_column(links.number(key)) for column, key in said.items()}
        frames.append(pl.DataFrame({**columns, "line": links.first + 1}))
    infos = _of_kind(reading, PORT, list(PORT_KEYS))
    if infos.count:
        whose = records(reading, PORT)
        head = kinds.head[infos.first]
        lid, port = np.full(reading.count + 1, -1, np.int64), np.full(reading.count + 1, -1, np.int64)
        lid[kinds.head[whose.first]], port[kinds.head[whose.first]] = whose.number("end_lid"), whose.number("end_port")
        frames.append(pl.DataFrame(port_columns(infos, np.zeros(infos.count, np.uint64), lid[head], port[head])))
    if not frames:
        return None
    frame = pl.concat(frames, how="diagonal").sort("line")
    return {name: frame[name] for name in frame.columns}


def paths(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``path_facts``: one row a path record."""
    import polars as pl

    found = records(reading, PATH)
    if not found.count:
        return None
    mtu = pl.Series(found.number("mtu") & _CODE).replace_strict(MTU_BYTES, default=None, return_dtype=pl.Int64)
    rate = pl.Series(found.number("rate") & _CODE).replace_strict(RATE_GBPS, default=None, return_dtype=pl.Float64)
    return {
        "from_lid": number_column(found.number("slid")),
        "to_lid": number_column(found.number("dlid")),
        "pkey": number_column(found.number("pkey")),
        "sl": number_column(found.number("sl")),
        "mtu_bytes": mtu,
        "rate_gbps": rate,
        "line": found.first + 1,
    }


def managers(reading: Reading, kinds: Kinds) -> dict[str, Any] | None:
    """Columns of ``sm_facts``: SMInfo records, and the ports that ``-s`` lists."""
    import polars as pl

    found = records(reading, MANAGER)
    state = found.number("state")
    known = (state >= 0) & (state < len(_STATES))
    listed = records(reading, PORT)
    sections = reading.lines("running", "disabled")
    section = reading.last(sections, listed.first) if listed.count else np.zeros(0, np.int64)
    own, master = listed.number("base_lid"), listed.number("master_lid")
    in_list = (section >= 0) & (own >= 0) & (master >= 0)
    off = reading.named("disabled")[section]
    codes = np.concatenate([state[known], np.where(off, 0, np.where(own == master, 3, 2))[in_list]])
    if not len(codes):
        return None
    count = int(in_list.sum())
    frame = pl.DataFrame(
        {
            "lid": number_column(np.concatenate([found.number("lid")[known], listed.number("end_lid")[in_list]])),
            "guid": guid_column(np.concatenate([found.guid("guid")[known], np.zeros(count, np.uint64)])),
            "priority": number_column(np.concatenate([found.number("priority")[known], np.full(count, -1)])),
            "activity": number_column(np.concatenate([found.number("activity")[known], np.full(count, -1)])),
            "state": pl.Series(_STATES, dtype=pl.String).gather(pl.Series(codes)),
            "listed": np.concatenate([np.zeros(int(known.sum()), bool), np.ones(count, bool)]),
            "line": np.concatenate([found.first[known], listed.first[in_list]]) + 1,
        }
    ).sort("line")
    return {name: frame[name] for name in frame.columns}
