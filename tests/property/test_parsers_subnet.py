"""The parsers of the fabric's tools under any bytes: no exception, balanced accounts, prefixes say less, both kernels alike."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import subnet_texts as texts
from asbuilt.base.kernel import Engine
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.shapes import MOST, Shapes, shape_text, shapes
from asbuilt.parsers.tools import TOOLS

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
TOOL = sorted(texts.TEXTS)
SIGNS = b'\n\r"[]()#$ \t0x1aF|:.-?=\x00\x01\xff'
EDITS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(SIGNS), st.integers(0, 2)), max_size=10)
SCRAPS = st.lists(
    st.sampled_from([line + "\n" for text in texts.TEXTS.values() for line in text.split("\n")]), max_size=14
).map("".join)


def edited(text: str, edits: list[tuple[float, int, int]]) -> bytes:
    data = bytearray(text.encode())
    for share, sign, kind in edits:
        at = int(share * max(len(data) - 1, 0))
        data[at : at + (kind != 1)] = bytes([sign]) if kind < 2 else b""
    return bytes(data)


def read(tool: str, data: bytes, mode: str = "numpy") -> Facts:
    before, Engine.mode = Engine.mode, mode
    try:
        facts = TOOLS[tool].parser().parse(data, "c", "lid:5/1")
    finally:
        Engine.mode = before
    assert facts.accounts["c"].balanced
    for name, table in facts.tables.items():
        assert table.height > 0 and SCHEMAS[name].faults(table) == [], (tool, name)
    return facts


@pytest.mark.parametrize("tool", TOOL)
@given(edits=EDITS)
@settings(max_examples=40, deadline=None)
def test_damaged_texts_read_alike_in_both_kernels(tool: str, edits: list[tuple[float, int, int]]) -> None:
    data = edited(texts.TEXTS[tool], edits)
    one, two = read(tool, data), read(tool, data, "numba")
    assert one.accounts == two.accounts and one.tables.keys() == two.tables.keys()
    assert all(table.equals(two.tables[name]) for name, table in one.tables.items())


@pytest.mark.parametrize("tool", TOOL)
@given(data=st.binary(max_size=300) | SCRAPS.map(str.encode))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_accounted_for(tool: str, data: bytes) -> None:
    read(tool, data)


@pytest.mark.parametrize("tool", TOOL)
@given(edits=EDITS, share=st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_a_prefix_says_less(tool: str, edits: list[tuple[float, int, int]], share: float) -> None:
    """Every row of a prefix is a row of the whole, with the same values where it has any: a record that goes on says more.

    A last line that is closed by its sign but goes on in the whole, with what no tool writes there, is left out.
    """
    whole = edited(texts.TEXTS[tool], [e for e in edits if e[1] != 0xFF])
    all_, some = read(tool, whole), read(tool, whole[: int(share * len(whole))])
    gone = {line for line, _ in all_.accounts["c"].unread_lines} & {some.accounts["c"].total}
    for name, full in some.tables.items():
        table = full.filter(~pl.col("line").is_in(list(gone)))
        if not table.height:
            continue
        keys = [k for k in SCHEMAS[name].key if k != "capture_id"]
        both = table.join(all_.tables[name], on=keys, how="left", suffix="_whole", nulls_equal=True, maintain_order="left")
        for column in (c for c in table.columns if c not in keys):
            said = both.filter(pl.col(column).is_not_null())
            assert said[column].equals(said[f"{column}_whole"], check_names=False), (tool, name, column)
    assert some.accounts["c"].facts <= all_.accounts["c"].facts + len(gone)


LINES = st.text(alphabet="0x12aAfgZ \t\r\n._:\x01\x02\x05é", max_size=60).map(str.encode) | st.binary(max_size=60)


@given(LINES, st.sampled_from([(MOST, False), (2, False), (2, True), (1, True)]))
@settings(max_examples=400, deadline=None)
def test_both_scans_find_the_shapes_that_single_lines_have(data: bytes, how: tuple[int, bool]) -> None:
    found: list[Shapes] = []
    for mode in ("numpy", "numba"):
        before, Engine.mode = Engine.mode, mode
        found.append(shapes(data, how[0], short=how[1]))
        Engine.mode = before
    for field in ("start", "end", "shape", "first", "at", "values", "stops"):
        assert np.array_equal(getattr(found[0], field), getattr(found[1], field)), field
    said: dict[str, int] = {}
    for line in range(len(found[0].start)):
        raw = found[0].line(line)
        text, spans = shape_text(raw, how[0], short=how[1])
        kept = spans[: how[0]]
        first, behind = found[0].at[line], found[0].at[line + 1]
        assert (found[0].stops[first:behind] - found[0].start[line]).tolist() == [stop for _, stop in kept]
        if raw.isascii() and not set(raw) & {1, 2, 3, 4}:
            assert said.setdefault(text, int(found[0].shape[line])) == found[0].shape[line]
    assert len(set(said.values())) == len(said)


SCRAP = ("A", "a ", "Aa", '"', "0x1 ", "duplicate GUID ", "1 1[ ] ==( ", "a..", "[1] -> ", ": ", "| 0")


@pytest.mark.parametrize("tool", TOOL)
def test_no_line_takes_forever(tool: str) -> None:
    """Lines that a rule could try in many ways, as long as rules are tried on: a pattern with too many choices never ends."""
    for scrap in SCRAP:
        lines = f"{scrap * (8000 // len(scrap))}x\n"
        starts = "".join(f"{texts.TEXTS[tool][: 60 * i]}{scrap * 60}\n" for i in range(4))
        begun = time.process_time()
        read(tool, (lines + starts).encode())
        assert time.process_time() - begun < 5, scrap
