"""The dump parser under any bytes: balanced account, no exception, prefixes say less, both kernels say the same."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import fabric_dump as maker
from asbuilt.base.kernel import Engine
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts
from asbuilt.parsers.ibnetdiscover import parse

BASE = maker.dump(maker.fabric(2))[:9000] + maker.dump(maker.fabric(2))[-3000:]
SIGNS = b'\n\r"[]()# \t0aSHRx-?=\x00\xff'
EDITS = st.lists(st.tuples(st.integers(0, len(BASE) - 1), st.sampled_from(SIGNS), st.integers(0, 2)), max_size=12)
SCHEMAS = {"device_facts": DEVICE_FACTS, "link_facts": LINK_FACTS}


def edited(edits: list[tuple[int, int, int]], start: int, end: int) -> bytes:
    data = bytearray(BASE)
    for at, sign, kind in edits:
        data[at : at + (kind != 1)] = bytes([sign]) if kind < 2 else b""
    return bytes(data[start:end])


def read(data: bytes, mode: str) -> Facts:
    before, Engine.mode = Engine.mode, mode
    try:
        return parse(data, "c")
    finally:
        Engine.mode = before


@given(EDITS, st.integers(0, 3000), st.integers(3000, len(BASE)))
@settings(max_examples=150, deadline=None)
def test_both_kernels_say_the_same_of_damaged_dumps(edits: list[tuple[int, int, int]], start: int, end: int) -> None:
    data = edited(edits, start, end)
    one, two = read(data, "numpy"), read(data, "numba")
    assert one.accounts == two.accounts and one.accounts["c"].balanced and one.notes == two.notes
    assert one.tables.keys() == two.tables.keys()
    for name, table in one.tables.items():
        assert table.equals(two.tables[name]), name
        assert SCHEMAS[name].faults(table) == []


@given(st.binary(max_size=600) | st.text(alphabet='[]"SHRwitch0123456789abcdef#()\n \t-', max_size=400).map(str.encode))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_accounted_for(data: bytes) -> None:
    for mode in ("numpy", "numba"):
        account = read(data, mode).accounts["c"]
        assert account.balanced


@given(EDITS, st.integers(1, len(BASE)))
@settings(max_examples=150, deadline=None)
def test_a_prefix_says_less(edits: list[tuple[int, int, int]], cut: int) -> None:
    whole = edited([e for e in edits if e[1] not in (0xFF,)], 0, len(BASE))
    all_, some = parse(whole, "c"), parse(whole[:cut], "c")
    for name, table in some.tables.items():
        assert table.join(all_.tables[name], on=table.columns, how="anti", nulls_equal=True).height == 0
    assert some.accounts["c"].facts <= all_.accounts["c"].facts


@given(st.lists(st.text(max_size=20), min_size=8, max_size=8))
@settings(max_examples=60, deadline=None)
def test_names_come_back_as_they_were(names: list[str]) -> None:
    clean = ["".join(c for c in n if c.isprintable()).replace('"', "'") for n in names]
    cabling = maker.fabric(1)
    said = [*cabling.names[: len(cabling.names) - 8], *clean]
    facts = parse(maker.dump(cabling, descriptions=said), "c")
    hosts = facts.tables["device_facts"].filter(pl.col("kind").is_in(["ca", "aggregation"])).sort("line")
    assert hosts["description"].to_list() == clean
