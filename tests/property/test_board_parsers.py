"""Parsers of boards, logs, services and BMCs on any bytes: they never raise, lines balance, a cut text says less."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS
from board_transcripts import TEXTS

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}
CASES = [(tool, text.encode()) for tool, texts in TEXTS.items() for text in texts]
#: Texts that name their host by a prompt, or are no lines of a terminal: a prefix before each line makes another text of them.
UNPREFIXED = {"redfish", "readings"}


def read(tool: str, data: bytes) -> Facts:
    facts = TOOLS[tool].parse(Capture("c", data, tool))
    assert facts.accounts["c"].balanced
    for name, frame in facts.tables.items():
        assert SCHEMAS[name].faults(frame) == [], name
    return facts


def rows(facts: Facts) -> set[tuple[object, ...]]:
    return {(name, *row.items()) for name, frame in facts.tables.items() for row in frame.to_dicts()}


WHOLE = [rows(read(tool, data)) for tool, data in CASES]


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_a_prefix_says_nothing_that_the_whole_does_not(data: st.DataObject) -> None:
    case = data.draw(st.integers(0, len(CASES) - 1))
    tool, text = CASES[case]
    cut = data.draw(st.integers(0, len(text)))
    assert rows(read(tool, text[:cut])) <= WHOLE[case]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_spoiled_texts_never_raise(data: st.DataObject) -> None:
    tool, text = data.draw(st.sampled_from(CASES))
    at, size = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 40))
    read(tool, text[:at] + data.draw(st.binary(max_size=12)) + text[at + size :])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.binary(max_size=300))
def test_noise_never_raises(tool: str, noise: bytes) -> None:
    read(tool, noise)
    TOOLS[tool].sniff(noise)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([n for n, (tool, text) in enumerate(CASES) if tool not in UNPREFIXED and b"]# " not in text]))
def test_a_text_told_through_pdsh_says_the_same_of_its_host(case: int) -> None:
    tool, text = CASES[case]
    told = b"".join(b"node0007: " + line + b"\n" for line in text.splitlines())
    heard = {tuple(v for v in row if v != ("host", "node0007")) for row in rows(read(tool, told))}
    assert heard == {tuple(v for v in row if v not in (("host", None), ("host", "node7"))) for row in WHOLE[case]}


@settings(max_examples=len(CASES), deadline=None)
@given(st.sampled_from(CASES))
def test_a_text_is_known_by_its_own_tool_alone(case: tuple[str, bytes]) -> None:
    tool, text = case
    assert [name for name in TOOLS if TOOLS[name].sniff(text)] in ([tool], [])
