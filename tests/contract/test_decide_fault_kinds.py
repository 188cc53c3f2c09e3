"""Every mode of the list of failures belongs to a kind of fault or to the measuring, and the page of kinds is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from asbuilt.model.deployment import (
    CATCHES,
    FAULT_KINDS,
    FIELD_FIVE,
    MEASURING_MODES,
    OPERATIONS,
    FaultKind,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "decide-risk.md").read_text(encoding="utf-8")
MODES_PAGE = (ROOT / "docs" / "failure-modes.md").read_text(encoding="utf-8")
#: Faults of building that no check of fabrics or machines finds: a leak, a loose fastener.
OF_BUILDING = {38, 39}


def numbered() -> set[int]:
    """Numbers that the page of failure modes gives: rows of its table, and those that it says are in the table above."""
    rows = {int(number) for number in re.findall(r"^\| (\d+) \|", MODES_PAGE, re.M)}
    found = re.search(r"; ([\d, to\sand]+) are in the table\s+above", MODES_PAGE)
    assert found is not None
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", found.group(1)):
        rows |= set(range(int(first), int(last or first) + 1))
    return rows


def test_every_mode_belongs_to_a_kind_or_to_the_measuring() -> None:
    modes = numbered() | OF_BUILDING
    assert modes == set(range(1, 41))
    of_kinds = {mode for kind in FAULT_KINDS for mode in kind.modes}
    assert not modes - of_kinds - set(MEASURING_MODES)
    assert of_kinds | set(MEASURING_MODES) <= modes, "a number that is no mode"
    assert not of_kinds & set(MEASURING_MODES)


@pytest.mark.parametrize("kind", FAULT_KINDS, ids=lambda kind: kind.id)
def test_a_kind_comes_with_work_and_ends_in_production(kind: FaultKind) -> None:
    assert kind.operation in {operation.id for operation in OPERATIONS}
    assert kind.catches[-1] == "production" and len(kind.catches) > 1
    order = [CATCHES.index(catch) for catch in kind.catches]
    assert order == sorted(set(order))


def test_the_five_of_the_field_are_kinds() -> None:
    assert set(FIELD_FIVE) <= {kind.id for kind in FAULT_KINDS}


def test_the_page_has_the_kinds_as_they_are() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]
    assert rows == [
        [
            f"`{kind.id}`",
            kind.meaning,
            f"`{kind.operation}`",
            ", ".join(kind.catches),
            ", ".join(map(str, kind.modes)) or "none",
        ]
        for kind in FAULT_KINDS
    ]


def test_the_page_names_the_modes_of_the_measuring() -> None:
    *first, last = map(str, MEASURING_MODES)
    assert f"Modes {', '.join(first)} and {last} are faults of the measuring" in PAGE
