"""The scope of a phased build: what its words mean on the links, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.workflow.scope import parse_scope, scope_mask
from little_fabric import little_plan


def phased() -> Plan:
    """Nodes 0 and 1 in row A, phase 1; nodes 2 and 3 in row B, phase 2; switches in row A."""
    plan = little_plan(oob=True)
    late = pl.col("b_device").is_in(["node:0002", "node:0003"])
    links = plan.links.with_columns(pl.when(late).then(pl.lit("2")).otherwise(pl.lit("1")).alias("phase"))
    nodes = plan.table("nodes").with_columns(
        pl.when(pl.col("index") > 1).then(pl.lit("rack:B-01")).otherwise(pl.lit("rack:A-01")).alias("rack")
    )
    rack = {"name": "", "role": "compute", "position": 1, "height_u": 48, "phase": "1", "airflow_m3_h": None}
    rack |= dict.fromkeys(("x_mm", "y_mm", "used_u", "power_w", "expected_w", "heat_w", "liquid_w", "weight_kg"), 0.0)
    racks = PLAN_TABLES["racks"].conform(pl.DataFrame([{"rack": f"rack:{r}-01", "row": r, **rack} for r in "AB"]))
    return replace(plan, tables={**plan.tables, "links": links, "nodes": nodes, "racks": racks})


def kept(text: str) -> set[str]:
    plan = phased()
    return set(plan.links.filter(pl.Series(scope_mask(plan, text)))["link"])


def test_no_scope_is_everything() -> None:
    assert scope_mask(phased(), None) is None and scope_mask(phased(), "") is None and scope_mask(phased(), {}) is None


def test_a_phase_takes_in_the_earlier_ones() -> None:
    late = {row["link"] for row in phased().links.iter_rows(named=True) if row["b_device"] in ("node:0002", "node:0003")}
    assert kept("phase=1") == set(phased().links["link"]) - late
    assert kept("phase=2") == set(phased().links["link"])


def test_a_host_link_is_in_its_hosts_row() -> None:
    plan = phased()
    hosts = {row["link"] for row in plan.links.iter_rows(named=True) if row["b_device"] in ("node:0002", "node:0003")}
    assert kept("row=B") == hosts
    assert kept("row=A+B") == set(plan.links["link"])


def test_planes_and_words_combine() -> None:
    assert kept("plane=oob") == {f"link:sw:oob/leaf-000/{p}" for p in range(1, 5)}
    assert kept("plane=oob,row=A") == {f"link:sw:oob/leaf-000/{p}" for p in (1, 2)}
    assert kept("rack=B-01,island=0,plane=oob") == kept("rack=rack:B-01,island=0,plane=oob")
    assert kept("rack=rack:B-01,island=0,plane=oob") == {f"link:sw:oob/leaf-000/{p}" for p in (3, 4)}
    assert parse_scope(" plane=oob+compute, row=A ") == {"plane": "oob+compute", "row": "A"}


def test_a_plan_without_places_has_no_row_to_name() -> None:
    with pytest.raises(ProblemError) as caught:
        scope_mask(Plan("x", {"links": little_plan().links}), {"row": "A"})
    assert "the plan knows none" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("phase=9", "it has: 1, 2"),
        ("row=Z", "it has: A, B"),
        ("plane=storage", "it has: compute, oob"),
        ("rank=1", "phase=…, plane=…, row=…"),
        ("phase", "phase=…, plane=…, row=…"),
        ("phase=1,phase=2", "at most once"),
    ],
)
def test_what_the_plan_does_not_have_is_refused(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        scope_mask(phased(), text)
    assert "CLI-054" in str(caught.value) and says in str(caught.value)
