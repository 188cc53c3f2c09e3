"""The capture predicted for a real fabric of directors: nothing but what no move mends is left, and it agrees with itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.capture import Capture
from asbuilt.workflow.after_repair import as_plan, predict
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.foreign_plan import read_plans

pytestmark = pytest.mark.field


def test_a_real_fabric_after_its_repairs(field: Path) -> None:
    folder = field / "design" / "01_ufm_hdr_280node"
    plan = read_plans([str(folder / f"plan_switch_to_{end}.ndt") for end in ("host", "switch")])
    dump = Capture("dump", (folder / "measured_ibnetdiscover.txt").read_bytes(), "ibnetdiscover")
    before = compare(plan, facts_of([dump]))
    after = predict(plan, [dump])
    seen = compare(plan, facts_of(after.captures))
    assert (before.summary.wrong, before.summary.missing) == (2, 2) and after.moves == len(before.repairs) == 3
    assert (seen.summary.wrong, seen.summary.missing) == (0, 2)
    assert [f.id for f in seen.findings] == ["FAB-002"], "a switch that is off is mended by no move"
    later, guids = as_plan(after.captures)
    undone = compare(later, facts_of([dump]), guids=guids)
    assert (undone.summary.wrong + undone.summary.missing, undone.summary.not_measured) == (2, 0)
    same, guids = as_plan([dump])
    agreed = compare(same, facts_of([dump]), guids=guids, strict=True)
    assert agreed.findings == () and agreed.summary.ok == agreed.summary.planned > 5_000
