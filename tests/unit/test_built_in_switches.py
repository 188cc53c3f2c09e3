"""The management switches of an NVL72 rack are in its height, power and weight, and are not counted a second time."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.catalogue.load import load
from asbuilt.model.requirement import Plane, Planes, Requirement, Tier
from asbuilt.plan.counts import counts
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.size import size

BOOK = load()


@pytest.mark.parametrize("system", ["gb200-nvl72", "gb300-nvl72"])
def test_they_stand_on_top_of_their_rack(system: str) -> None:
    plan = make_plan(Requirement(name="built-in", system=system, gpus=1152))
    leaves = plan.table("switches").filter(pl.col("plane") == "oob").join(plan.table("racks"), on="rack", suffix="_rack")
    assert leaves.height == 32 and set(leaves["role_rack"]) == {"compute"}
    assert leaves.group_by("rack").agg(pl.col("u").sort())["u"].to_list() == [[36.0, 37.0]] * 16
    served = plan.links.filter(pl.col("plane") == "oob").join(plan.table("nodes"), left_on="b_device", right_on="node")
    at_home = served.join(leaves.select("switch", home="rack"), left_on="a_device", right_on="switch")
    assert at_home.height == served.height >= 2 * 288 and (at_home["rack"] == at_home["home"]).all()
    racks = plan.table("racks").filter(pl.col("role") == "compute")
    assert racks["used_u"].unique().to_list() == [37.0]
    assert racks["power_w"].round(3).unique().to_list() == [size(system, 72).rack_kw_max * 1000]
    assert not [f for f in check(plan).findings if f.id in ("DES-050", "DES-051", "DES-054")]


def test_closed_form_and_plan_leave_out_the_same() -> None:
    closed = size("gb200-nvl72", 9216)
    counted = counts(make_plan(Requirement(name="built-in", system="gb200-nvl72", gpus=9216)), BOOK)
    assert (closed.racks_by_role, closed.oob_switches) == (counted.racks_by_role, counted.oob_switches)
    assert closed.it_kw == pytest.approx(counted.it_kw, abs=0.2) and closed.weight_kg == pytest.approx(counted.weight_kg, abs=1)
    inputs = str(closed.derivation["power.it_kw"])
    assert "256 x 0 W, in the power of their racks" in inputs


def test_another_switch_is_not_the_built_in_one() -> None:
    planes = Planes(oob=Plane(leaf=Tier(switch="sn4600c"), link_gbps=100.0))
    plan = make_plan(Requirement(name="own", system="gb200-nvl72", gpus=144, planes=planes))
    racks = plan.table("switches").filter(pl.col("plane") == "oob").join(plan.table("racks"), on="rack", suffix="_rack")
    assert set(racks["role_rack"]) == {"network"}
