"""Parsers of host tools under any bytes: no exception, balanced accounts, whole schemas; a prefix says no more."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS
from host_transcripts import FLEET, IP_JSON, TEXTS
from text_edits import edited

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
BASES = {**TEXTS, "ibstat/fleet": FLEET, "interface-status/json": IP_JSON}
SIGNS = [
    "",
    "\n",
    "\r\n",
    ":",
    '"',
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\t",
    " ",
    "0",
    "9" * 25,
    "0x",
    "ff",
    "\x1b[31m",
    "\0",
    "é",
    "node7: ",
    "# ",
]
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(SIGNS)), max_size=10)


def read(name: str, data: bytes, subject: str = "") -> Facts:
    tool = TOOLS[name.partition("/")[0]]
    facts = tool.parse(Capture("c", data, tool.name, subject))
    assert tool.sniff(data) in (True, False)
    assert facts.accounts["c"].balanced
    for table, frame in facts.tables.items():
        assert SCHEMAS[table].faults(frame) == [], table
    return facts


@pytest.mark.parametrize("name", BASES)
def test_damaged_texts_are_accounted_for(name: str) -> None:
    @given(EDITS, st.sampled_from(["", "node9", "node9/x0@2026-01-31T12:00:00Z", "0x0002c90300000001"]))
    @settings(max_examples=60, deadline=None)
    def holds(edits: list[tuple[float, int, str]], subject: str) -> None:
        read(name, edited(BASES[name], edits), subject)

    holds()


@pytest.mark.parametrize("name", TEXTS)
def test_any_bytes_are_accounted_for(name: str) -> None:
    @given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
    @settings(max_examples=60, deadline=None)
    def holds(data: bytes) -> None:
        read(name, data)

    holds()


@pytest.mark.parametrize("name", BASES)
def test_a_prefix_says_no_more(name: str) -> None:
    data = BASES[name].encode()
    whole = read(name, data)

    @given(st.integers(0, len(data)))
    @settings(max_examples=80, deadline=None)
    def holds(cut: int) -> None:
        part = read(name, data[:cut])
        for table, frame in part.tables.items():
            assert table in whole.tables
            extra = frame.join(whole.tables[table], on=frame.columns, how="anti", nulls_equal=True)
            assert extra.height == 0, extra.to_dicts()[:2]
        assert part.accounts["c"].facts <= whole.accounts["c"].facts

    holds()


@pytest.mark.parametrize("name", [n for n in TEXTS if n not in ("sonic-config", "nvue-qos")])
def test_a_line_past_all_measure_is_unread_and_the_others_are_read(name: str) -> None:
    text = TEXTS[name]
    before = read(name, text.encode())
    after = read(name, text.encode() + b"\n" + b"x" * ((1 << 20) + 1) + b"\n")
    assert after.accounts["c"].unread == before.accounts["c"].unread + 1
    assert after.accounts["c"].facts == before.accounts["c"].facts
    assert after.tables.keys() == before.tables.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_a_windows_shell_changes_nothing(name: str) -> None:
    """UTF-16 with its mark, or carriage returns, as terminals of Windows write them."""
    text = TEXTS[name]
    whole = read(name, text.encode())
    for data in (text.encode("utf-16"), text.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + text.encode()):
        again = read(name, data)
        assert again.accounts["c"].facts == whole.accounts["c"].facts
        for table, frame in whole.tables.items():
            assert frame.equals(again.tables[table]), (name, table)


@pytest.mark.parametrize("name", TEXTS)
def test_only_its_own_parser_knows_a_text(name: str) -> None:
    data = TEXTS[name].encode()
    assert [tool for tool in TOOLS if TOOLS[tool].sniff(data)] == [name]
    assert any(isinstance(frame, pl.DataFrame) and frame.height for frame in read(name, data).tables.values())
