"""Sections of db_csv read as numbers say what the reading of text says, on any text."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.kernel import Engine
from asbuilt.model.facts import Facts
from asbuilt.parsers import ibdiagnet_csv
from asbuilt.parsers.ibdiagnet_numbers import ABSENT, GUID, NOT_WANTED, NUMBER
from asbuilt.parsers.ibdiagnet_numbers import rows as numbers_of

TABLES = (
    "START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID\n"
    '"leaf, one",64,2,0x0002c90300000001,0x0002c90300000001,0x0002c90300000001\nEND_NODES\n\n'
    "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,MSMLID,LinkWidthActv,LinkSpeedActv,Odd,LMC,PortPhyState,PortState,NMTU,One,Two,Three\n"
    "0x0002c90300000001,0x0002C90300000001,1,17,1,2,2048,a word,0,5,4,5,,x,12\n"
    "0x0002c90300000001,0x0002C90300000001,2,0,N/A,2,0x801,,0,2,1,5,1,2,\n"
    "0x0,0x0002c90300000001,255,70000,0,9,3,7,NA,5,4,99,,,\nEND_PORTS\n"
    "START_LINKS\nNodeGUID1,PortNum1,NodeGUID2,PortNum2,Note\n0x1,1,0x2,2,a\n0x0,1,0x2,3,b\n0x1,N/A,0x2,4,\nEND_LINKS\n"
    "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitData,PortXmitDataExtended,LinkDownedCounter,VendorExtended\n"
    "0x0002c90300000001,0x1,1,4294967295,123456789012345678,0,1\n"
    "0x0002c90300000001,0x1,2,7,N/A,0xff,NA\n0x0002c90300000001,0x1,3,N/A,NA,3,2\nEND_PM_INFO\n"
    "START_PM_DELTA\nNodeGUID,PortGUID,PortNumber,PortRcvErrors\n0x0002c90300000001,0x1,1,12\nEND_PM_DELTA\n"
)
SIGNS = [
    "",
    "\n",
    ",",
    '"',
    "-",
    "0x",
    "9" * 15,
    "f",
    " ",
    "N/A",
    "\r",
    "\0",
    ".",
    "é",
    "e3",
    "+",
    "ffffffffffffffff",
    "START_",
]
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.sampled_from(SIGNS)), max_size=4)


def read(data: bytes, engine: str) -> Facts:
    Engine.mode, before = engine, Engine.mode
    try:
        facts = ibdiagnet_csv.parse(data, "c")
        return Facts({name: facts.tables[name] for name in facts.tables}, facts.accounts, facts.notes)
    finally:
        Engine.mode = before


def same(data: bytes) -> Facts:
    one, two = read(data, "numba"), read(data, "numpy")
    assert one.accounts == two.accounts and one.notes == two.notes and one.tables.keys() == two.tables.keys()
    for name, frame in one.tables.items():
        assert frame.equals(two.tables[name]), (frame, two.tables[name])
    return one


def test_whole_tables() -> None:
    facts = same(TABLES.encode())
    assert {name: frame.height for name, frame in facts.tables.items()} == {
        "name_facts": 1, "port_facts": 3, "counter_facts": 8,
    }  # fmt: skip
    assert facts.accounts["c"].unread == 3


def test_plain_tables_are_read_as_numbers() -> None:
    starts = [i + 1 for i, sign in enumerate(TABLES) if sign == "\n"]
    text = TABLES.encode()
    first, last = text.index(b"0x0002c90300000001,0x0002C9"), text.index(b"\nEND_PORTS")
    rows = [a for a in starts if first <= a < last]
    stops = [text.index(b"\n", a) for a in rows]
    kinds = [GUID, GUID, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NOT_WANTED, *[NUMBER] * 4, *[NOT_WANTED] * 3]
    Engine.mode, before = "numba", Engine.mode
    try:
        told = numbers_of(text, np.array(rows), np.array(stops), kinds)
    finally:
        Engine.mode = before
    assert told is not None and told[:, 2].tolist() == [1, 2, 255] and told[1, 4] == ABSENT and told[1, 6] == 0x801
    assert told[:, 10].tolist() == [5, 5, 99]


def test_rows_are_counted_before_they_are_made() -> None:
    for engine in ("numpy", "numba"):
        Engine.mode, before = engine, Engine.mode
        try:
            tables = ibdiagnet_csv.parse(TABLES.encode(), "c")
        finally:
            Engine.mode = before
        for name in tables.tables:
            assert tables.tables.height(name) == tables.tables[name].height  # type: ignore[attr-defined]


@given(EDITS)
@settings(max_examples=400, deadline=None)
def test_damaged_tables(edits: list[tuple[float, int, str]]) -> None:
    text = TABLES
    for where, gone, sign in edits:
        at = int(where * len(text))
        text = text[:at] + sign + text[at + gone :]
    same(text.encode())


@given(st.integers(0, len(TABLES)))
@settings(deadline=None)
def test_cut_tables(end: int) -> None:
    same(TABLES[:end].encode())
