"""Parsers of network cards and benchmarks under any bytes: no exception, balanced accounts; a prefix says no more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench_transcripts
import gemm_transcripts
import nic_transcripts
from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS
from text_edits import edited

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
TEXTS = {**nic_transcripts.TEXTS, **bench_transcripts.TEXTS, **gemm_transcripts.TEXTS}
SIGNS = [
    "",
    "\n",
    "\r\n",
    ":",
    '"',
    "[",
    "]",
    "{",
    "<",
    ">",
    "/",
    "\t",
    " ",
    "0",
    "9" * 25,
    "0x",
    "1e400",
    "\\ud800",
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


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_texts_are_accounted_for(name: str) -> None:
    @given(EDITS, st.sampled_from(["", "node9", "node9/x0@2026-01-31T12:00:00Z"]))
    @settings(max_examples=40, deadline=None)
    def holds(edits: list[tuple[float, int, str]], subject: str) -> None:
        read(name, edited(TEXTS[name], edits), subject)

    holds()


@pytest.mark.parametrize("name", TEXTS)
def test_any_bytes_are_accounted_for(name: str) -> None:
    @given(st.binary(max_size=300) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace")))
    @settings(max_examples=20, deadline=None)
    def holds(data: bytes) -> None:
        read(name, data)

    holds()


@pytest.mark.parametrize("name", TEXTS)
def test_a_prefix_says_no_more(name: str) -> None:
    """Of a cut run its row says less than that of the whole: it is one of the same runs, and whole only when the other is."""
    data = TEXTS[name].encode()
    whole = read(name, data)

    @given(st.integers(0, len(data)))
    @settings(max_examples=40, deadline=None)
    def holds(cut: int) -> None:
        part = read(name, data[:cut])
        for table, frame in part.tables.items():
            assert table in whole.tables
            columns = ["host", "run", "line"] if table == "run_facts" else frame.columns
            extra = frame.join(whole.tables[table], on=columns, how="anti", nulls_equal=True)
            assert extra.height == 0, extra.to_dicts()[:2]
        if part.has("run_facts") and cut < len(data) // 2:
            assert not part.tables["run_facts"]["complete"].any()
        assert part.accounts["c"].facts <= whole.accounts["c"].facts

    holds()


@pytest.mark.parametrize("name", [n for n in TEXTS if not n.endswith("json")])
def test_a_windows_shell_changes_nothing(name: str) -> None:
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
    assert [tool for tool in TOOLS if TOOLS[tool].sniff(data)] == [name.partition("/")[0]]
    facts = read(name, data)
    assert facts.tables and facts.accounts["c"].unread == 0, facts.accounts["c"].unread_lines


@pytest.mark.parametrize("name", TEXTS)
def test_the_subject_is_the_host_and_no_subject_is_none(name: str) -> None:
    """A fleet's equal answers are read once, without a subject, and are then each machine's."""
    data = TEXTS[name].encode()
    if b"root@" in data:
        return  # its prompts name the host
    for subject, host in (("", None), ("node9", "node9")):
        for frame in read(name, data, subject).tables.values():
            assert set(frame["host"]) == {host}
