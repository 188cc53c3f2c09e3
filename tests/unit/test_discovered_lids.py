"""LIDs in a discovery alone: a note where they are not the planned ones, and no verdict."""

from __future__ import annotations

import re

import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.twin import captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from template_plans import made


@pytest.fixture(scope="module")
def plan() -> Plan:
    return made("l40s-384")


def test_planned_lids_say_nothing_and_others_are_a_note(plan: Plan) -> None:
    (dump, *_) = captures(plan, as_planned(plan))

    def notes(data: bytes) -> tuple[int, list[str]]:
        seen = compare(plan, facts_of([Capture(dump.id, data, dump.tool, dump.subject)]))
        assert not [f for f in seen.findings if f.id == "FAB-010"]
        return seen.summary.wrong + seen.summary.missing, [n for n in seen.notes if "another LID" in n]

    before, none = notes(dump.data)
    assert none == []
    moved = re.sub(rb"(?m)^(Switch.* lid )(\d+)( lmc 0)$", lambda m: m[1] + str(int(m[2]) + 1000).encode() + m[3], dump.data)
    assert moved != dump.data
    after, (told,) = notes(moved)
    assert after == before, "cables are judged as before"
    assert told.startswith("10 of 10 switches have another LID than planned (sw:compute/leaf-b000-r0: 1016, planned is 16): ")
