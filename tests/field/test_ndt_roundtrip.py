"""The published NDT plan, written again by our exporter and read back, gives the published verdict on its dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.artefacts.ndt import ndt
from asbuilt.parsers.plans import ndt as reader
from asbuilt.workflow.captures import facts_of, read_captures
from asbuilt.workflow.compare import compare

pytestmark = pytest.mark.field
SET = "design/01_ufm_hdr_280node"
PLANS = ("plan_switch_to_host.ndt", "plan_switch_to_switch.ndt")


def test_an_exported_plan_gives_the_published_verdict(field: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = facts_of(read_captures([field / SET / "measured_ibnetdiscover.txt"]))
    rows = 0
    for name in PLANS:
        plan = reader.read((field / SET / name).read_bytes(), name)
        written = ndt(plan)
        own = written["ndt/switch_to_host.ndt" if "host" in name else "ndt/switch_to_switch.ndt"]
        again = reader.read(own, name)
        assert again.links.height == plan.links.height
        one, two = compare(plan, facts).summary, compare(again, facts).summary
        assert one == two, name
        rows += plan.links.height
        if "host" in name:
            assert (two.planned, two.ok, two.wrong, two.missing, two.unplanned) == (2223, 2219, 2, 2, 107)
    with capsys.disabled():
        print(f"\nfield: {len(PLANS)} of {len(PLANS)} NDT files written again, {rows:,} rows, equal verdicts")
