"""Design checks from small requirements: what the catalogue says of real systems decides, not the test's own tables."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verification
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan


@functools.cache
def _plan(document: str) -> Plan:
    return make_plan(decode(document.encode(), "cluster.yaml"))


def plan_of(system: str, gpus: int, **groups: Any) -> Plan:
    document = {"schema": "requirement/v1", "name": "small", "system": system, "gpus": gpus} | groups
    return _plan(json.dumps(document, sort_keys=True))


def seen(system: str, gpus: int, **groups: Any) -> Verification:
    return check(plan_of(system, gpus, **groups))


def findings(check_id: str, verification: Verification) -> list[Finding]:
    return [f for f in verification.findings if f.id == check_id]


def answers(check_id: str, verification: Verification) -> tuple[int, int]:
    """Passed and failed subjects of a check."""
    row = next(c for c in verification.coverage if c.id == check_id)
    return row.passed, row.failed


CORDS_3_3 = ["A", "A", "A", "B", "B", "B"]
CORDS_2_2_2 = ["A", "A", "B", "B", "C", "C"]


@pytest.mark.parametrize(
    ("system", "site", "expected", "found"),
    [
        ("dgx-h100", {"feeds": 2, "cords": CORDS_3_3}, "at least 10.2 kW", "9.9 kW from 3 of 6 supplies"),
        ("dgx-h200", {"feeds": 2, "cords": CORDS_3_3}, "at least 10.2 kW", "9.9 kW from 3 of 6 supplies"),
        ("dgx-b200", {"feeds": 2, "cords": CORDS_3_3}, "at least 14.3 kW", "9.9 kW from 3 of 6 supplies"),
        ("dgx-b200", {"feeds": 3, "cords": CORDS_2_2_2}, "at least 14.3 kW", "13.2 kW from 4 of 6 supplies"),
    ],
)
def test_a_lost_feed_is_reckoned_by_cords_and_not_by_the_label(
    system: str, site: dict[str, Any], expected: str, found: str
) -> None:
    (finding,) = findings("DES-060", seen(system, 32, site=site))
    assert (finding.expected, finding.found) == (expected, found)
    assert len(finding.subjects) == site["feeds"]


def test_h100_on_three_feeds_survives_the_loss_of_one() -> None:
    assert answers("DES-060", seen("dgx-h100", 32, site={"feeds": 3, "cords": CORDS_2_2_2})) == (3, 0)


def test_b300_is_a_true_two_feed_design() -> None:
    assert answers("DES-060", seen("dgx-b300", 32, site={"feeds": 2})) == (2, 0)


def test_all_cords_on_one_feed_leave_nothing() -> None:
    (finding,) = findings("DES-060", seen("dgx-h100", 32, site={"feeds": 2, "cords": ["A"] * 6}))
    assert finding.found == "0 kW from 0 of 6 supplies"


def test_half_of_the_power_shelves_do_not_carry_a_gb300_rack_unless_capped() -> None:
    (finding,) = findings("DES-060", seen("gb300-nvl72", 72, site={"feeds": 2}))
    assert (finding.expected, finding.found) == ("at least 142 kW", "132 kW from 4 of 8 shelves")
    capped = seen("gb300-nvl72", 72, site={"feeds": 2}, node={"power_cap_w": 132_000})
    assert findings("DES-060", capped) == [] and answers("DES-060", capped) == (2, 0)


def test_rack_limits_come_from_the_site() -> None:
    tight = {"rack_power_kw": 12, "rack_weight_kg": 300, "nodes_per_rack": 4, "rack_height_u": 20}
    verification = seen("dgx-h100", 64, site=tight)
    assert {f.id for f in verification.findings} >= {"DES-050", "DES-051", "DES-052"}
    (power,) = findings("DES-051", verification)
    assert power.expected == "at most 12 kW" and power.found.startswith("40.8 kW")


def test_a_hall_without_a_loop_cannot_take_nvl72() -> None:
    (finding,) = findings("DES-055", seen("gb200-nvl72", 72, site={"cooling": "air"}))
    assert finding.expected == "heat that a hall cooled by air takes" and "to liquid" in finding.found


def test_the_site_must_have_the_power() -> None:
    (finding,) = findings("DES-053", seen("dgx-h100", 1024, site={"power_mw": 1.5, "pue": 1.4}))
    assert finding.expected == "at most 1.5 MW" and finding.found.endswith("at PUE 1.4")
    assert findings("DES-053", seen("dgx-h100", 1024, site={"power_mw": 2.5, "pue": 1.4})) == []


def test_a_subnet_past_the_last_lid_is_told() -> None:
    """Islands end before their LIDs do; a plan that was changed since, or that came from elsewhere, is judged all the same."""
    plan = plan_of("dgx-h100", 1024, planes={"compute": {"lmc": 7}})
    assert answers("DES-034", check(plan)) == (plan.table("subnets").filter(pl.col("lids").is_not_null()).height, 0)
    doubled = plan.table("subnets").with_columns(pl.col("lids") * 2)
    told = findings("DES-034", check(replace(plan, tables=plan.tables | {"subnets": doubled})))
    assert len(told) == 4 and all(f.found.endswith("at LMC 7") for f in told)


def test_the_last_node_of_an_odd_number_uses_half_a_splitter() -> None:
    """31 or 63 nodes on splitters: one end of the last one is free. It is the same part, and the module is used alike."""
    verification = seen("hgx-h100", 248)
    assert findings("DES-042", verification) == []
    assert answers("DES-042", verification)[0] > 0


@pytest.mark.parametrize(("site", "assumed"), [({}, True), ({"feeds": 2}, False)])
def test_feeds_that_nobody_stated_are_called_assumed(site: dict[str, Any], assumed: bool) -> None:
    (finding,) = findings("DES-060", seen("dgx-h100", 64, site=site))
    assert ("nobody stated the feeds" in finding.cause) is assumed


def test_oversubscription_is_held_against_the_promise() -> None:
    compute = {"leaf": {"uplinks": 16}, "oversubscription": 1.0}  # 48 of 64 ports are left for nodes
    verification = seen("dgx-h100", 512, planes={"compute": compute})
    (finding,) = findings("DES-032", verification)
    assert (finding.expected, finding.found) == ("at most 1:1", "3:1")
    honest = seen("dgx-h100", 512, planes={"compute": compute | {"oversubscription": 3.0}})
    assert findings("DES-032", honest) == []


def test_air_directions() -> None:
    site = {"airflow": "port-to-connector", "switch_ports_face": "hot"}
    (finding,) = findings("DES-049", seen("dgx-h100", 64, site=site))
    assert finding.expected == "connector-to-port, ports face the hot aisle" and finding.found == "port-to-connector"
    assert findings("DES-049", seen("dgx-h100", 64, site=site | {"switch_ports_face": "cold"})) == []


def test_jumpers_ordered_with_the_wrong_polish() -> None:
    verification = seen("dgx-h100", 64, cabling={"polish": "upc"})
    assert findings("DES-041", verification), "NDR optics are angled"
    assert {f.found.split()[-1] for f in findings("DES-041", verification)} == {"UPC"}
    assert findings("DES-041", seen("dgx-h100", 64, cabling={"polish": "apc"})) == []
    assert findings("DES-041", seen("dgx-h100", 64)) == []


def test_an_hdr_card_has_no_splitter_from_an_ndr_port() -> None:
    """The 200 Gb/s of ConnectX-6 are four lanes of 50 Gb/s; a split NDR port offers two of 100."""
    storage = {"technology": "infiniband", "rails": 1, "link_gbps": 200, "nic": "connectx-6-vpi"}
    split = storage | {"leaf": {"switch": "qm9700", "split": True}}
    whole = storage | {"leaf": {"switch": "qm9700", "split": False}}
    (finding,) = findings("DES-039", seen("l40s-8gpu", 64, planes={"storage": split}))
    assert "200 Gb/s links of the storage plane" in finding.cause
    assert findings("DES-039", seen("l40s-8gpu", 64, planes={"storage": whole})) == []


def test_growth_that_must_restripe_is_told_and_mended_by_building_the_stripes_now() -> None:
    grown = seen("dgx-b200", 504, growth={"gpus": 1016})
    told = [f.subject for f in findings("DES-070", grown)]
    assert "growth:compute/spine-striping" in told
    now = seen("dgx-b200", 504, growth={"gpus": 1016}, planes={"compute": {"spine": {"count": 16}}})
    assert not [f for f in findings("DES-070", now) if f.subject.startswith("growth:compute")]


def test_a_rack_that_draws_exactly_its_limit_holds() -> None:
    """Four DGX H100 draw 40,800 W; the default limit is what the fullest rack draws, 40.8 kW: no last binary digit decides."""
    verification = seen("dgx-h100", 64)
    assert findings("DES-051", verification) == [] and answers("DES-051", verification)[0] >= 2
