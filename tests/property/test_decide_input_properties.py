"""Whatever a project writes into `decide.yaml` or its history: an answer as stated, or problems with their places."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from asbuilt.base.origin import Origin
from asbuilt.base.problem import ProblemError
from asbuilt.model.crew_question import Question
from asbuilt.model.deployment import FAULT_KINDS
from asbuilt.workflow.assumptions import defaults, limits
from asbuilt.workflow.crew_file import read_question
from asbuilt.workflow.fault_history import COLUMNS, parse_history

GOOD = (Path(__file__).resolve().parents[1] / "golden" / "decide" / "good.yaml").read_text(encoding="utf-8")
IDS = sorted(item.id for item in defaults())


def read(data: bytes) -> Question:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decide.yaml"
        path.write_bytes(data)
        (Path(folder) / "history.csv").write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
        return read_question(path, "site", 8, True, defaults())


def answered(data: bytes) -> Question | None:
    """The question, or None with well-formed problems."""
    try:
        return read(data)
    except ProblemError as error:
        assert error.problems.items
        assert all(problem.what and problem.code.startswith("CLI-10") for problem in error.problems.items)
        return None


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_told(data: bytes) -> None:
    answered(data)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.text("-:{}[]#&*!|>'\"%@`,. \n0a\x00é", max_size=4), st.integers(0, 6))
def test_a_good_file_with_a_slip_is_read_or_told(at: int, slip: str, gone: int) -> None:
    answered((GOOD[:at] + slip + GOOD[at + gone :]).encode())


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(IDS), st.floats(allow_nan=True, allow_infinity=True))
@example("work.trunk_pull.minutes", 0.0)
@example("fault.fitting_leak.rate", 0.0)
@example("money.audit_share", 1.0)
def test_a_number_stands_as_stated_or_is_refused(key: str, value: float) -> None:
    text = format(value, ".12f") if math.isfinite(value) else str(value)
    stated = float(text)
    question = answered(f"schema: decide/v1\nassumptions:\n  {key}: {text}\n".encode())
    fits = math.isfinite(stated) and not limits()[key].broken(stated) and len(text) <= 40
    if question is None:
        assert not fits or key.split(".")[-1] in ("shift_hours", "shifts"), "a day of more than 24 hours is refused apart"
        return
    item = question.assumptions[key]
    assert fits
    assert (item.low, item.likely, item.high, item.origin) == (stated, stated, stated, Origin.DECLARED)
    assert [i for i in question.assumptions if i.id != key] == [i for i in defaults() if i.id != key]


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.floats(0, 200).map(lambda v: round(v, 6))] * 3))
def test_three_points_are_taken_only_in_rising_order(points: tuple[float, float, float]) -> None:
    low, likely, high = (format(p, ".6f") for p in points)
    text = f"schema: decide/v1\nassumptions:\n  work.trunk_pull.minutes: {{low: {low}, likely: {likely}, high: {high}}}\n"
    question = answered(text.encode())
    rising = 0 < points[0] <= points[1] <= points[2]
    assert (question is not None) == rising
    if question is not None:
        item = question.assumptions["work.trunk_pull.minutes"]
        assert (item.low, item.likely, item.high) == points


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([k.id for k in FAULT_KINDS]), st.integers(1, 10**9), st.integers(0, 10**9)), max_size=5
    )
)  # fmt: skip
def test_counts_of_a_history_come_back_or_are_refused(rows: list[tuple[str, int, int]]) -> None:
    lines = [",".join(COLUMNS), *(f"{kind},{n},{k},own,2026,log" for kind, n, k in rows)]
    data = "\n".join(lines).encode()
    if all(k <= n for _, n, k in rows):
        assert [(t.fault, t.operations, t.faults) for t in parse_history(data, "h.csv")] == rows
    else:
        with pytest.raises(ProblemError):
            parse_history(data, "h.csv")


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=120))
def test_any_bytes_behind_the_header_are_read_or_told(data: bytes) -> None:
    try:
        found = parse_history((",".join(COLUMNS) + "\n").encode() + data, "h.csv")
    except ProblemError as error:
        assert error.problems.items
    else:
        assert all(0 <= t.faults <= t.operations and t.source for t in found)
