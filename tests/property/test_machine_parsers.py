"""Parsers of what machines tell, on any bytes: they never raise, every line is accounted for, a cut text says nothing new.

Rows of a device that several lines tell grow with the text: each row of a part must stand in the whole, what the part does not
know yet left out.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS
from machine_transcripts import TEXTS

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
CASES = [(tool, text.encode()) for tool, texts in TEXTS.items() for text in texts]
#: A version may come before the board id that stands beside it, a port before the card that it belongs to.
Row = tuple[str, frozenset[tuple[str, object]]]


def read(tool: str, data: bytes) -> Facts:
    facts = TOOLS[tool].parse(Capture("c", data, tool))
    assert facts.accounts["c"].balanced
    for name, frame in facts.tables.items():
        assert SCHEMAS[name].faults(frame) == [], name
    return facts


def rows(facts: Facts, without: tuple[str, ...] = ()) -> list[Row]:
    return [
        (name, frozenset((k, v) for k, v in row.items() if v is not None and k not in without))
        for name, frame in facts.tables.items()
        for row in frame.to_dicts()
    ]


WHOLE = [rows(read(tool, data)) for tool, data in CASES]
#: Where a row rests on moves, when a card turns out to have ports.
LOOSE = [rows(read(tool, data), ("line",)) for tool, data in CASES]


def test_every_text_is_read_to_its_last_line() -> None:
    for tool, data in CASES:
        account = read(tool, data).accounts["c"]
        assert (account.unread, account.unread_lines) == (0, ()), tool
        assert [t for t in TOOLS if TOOLS[t].sniff(data)] == [tool]


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_a_prefix_says_nothing_that_the_whole_does_not(data: st.DataObject) -> None:
    case = data.draw(st.integers(0, len(CASES) - 1))
    tool, text = CASES[case]
    cut = data.draw(st.integers(0, len(text)))
    for name, cells in rows(read(tool, text[:cut]), ("line",)):
        assert any(n == name and cells <= whole for n, whole in LOOSE[case]), (tool, cut, cells)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_spoiled_texts_never_raise(data: st.DataObject) -> None:
    tool, text = data.draw(st.sampled_from(CASES))
    at, size = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 40))
    read(tool, text[:at] + data.draw(st.binary(max_size=12)) + text[at + size :])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.binary(max_size=300))
def test_noise_never_raises(tool: str, noise: bytes) -> None:
    read(tool, noise)
    TOOLS[tool].sniff(noise)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_text_told_through_pdsh_says_the_same_of_its_host(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from([n for n, (_, text) in enumerate(CASES) if text[:1] != b"{"]))
    tool, text = CASES[case]
    told = b"".join(b"node0007: " + line + b"\n" for line in text.splitlines())
    heard = [(name, cells - {("host", "node0007")}) for name, cells in rows(read(tool, told))]
    assert sorted(map(str, map(sorted_row, heard))) == sorted(map(str, map(sorted_row, WHOLE[case])))


def sorted_row(row: Row) -> tuple[str, list[str]]:
    return row[0], sorted(map(str, row[1]))
