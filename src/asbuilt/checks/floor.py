"""What stands on the floor against what the floor carries: on the footprint, shared with the aisles, under one caster."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, at_most, judge, nothing, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_STANDS = ("rack", "cdu", "panelboard")


@check("DES-120", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("floor", "expectations"), since="0.1")
def the_floor_carries_the_footprint(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Where the site has not said what a position carries, nothing stands heavier on its own footprint than the live load.

    Why: a live load of a hall holds for an area, not for a rack: whoever passes it on the footprint needs the word of the
        structural engineer, on paper, before the rack is ordered.
    Measured by: plan table `floor`: weight with contents and coolant on the footprint.
    Repair: have the load of a position confirmed and state it (`site.rack_weight_kg`), or spread it.
    Source: live load in the plan's expectations.
    """
    return _against(plan, "DES-120", "load_kpa", "kPa", "on its footprint")


@check("DES-121", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("floor", "expectations"), since="0.1")
def the_floor_carries_the_row(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Shared with half of the aisles beside it, nothing loads the floor beyond the live load.

    Why: this is what the slab or the raised floor carries when the row is full.
    Measured by: plan table `floor`: weight on the footprint and half of the aisles beside it.
    Repair: wider aisles, load spreading, or a floor of a higher rating.
    Source: live load in the plan's expectations; half aisles after the floor-loading rule of IBM.
    """
    return _against(plan, "DES-121", "shared_kpa", "kPa", "with half of the aisles")


@check("DES-122", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("floor", "expectations"), since="0.1")
def a_panel_carries_the_caster(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No caster or foot loads the floor beyond what one panel of a raised floor carries.

    Why: a rack is rolled over panels before it stands; one of them yields under one caster.
    Measured by: plan table `floor`: the most loaded caster of each thing.
    Repair: plates along the way, panels of a higher class, or a slab, and say which.
    Source: working load of a panel in the plan's expectations; a third of the weight on one caster after IBM.
    """
    return _against(plan, "DES-122", "caster_kn", "kN", "on one caster")


@check("DES-123", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("floor",), since="0.1")
def every_weight_is_known(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The weight of everything that stands on the floor is known.

    Why: a floor is proven for what is known to stand on it; the rack without a figure is the one with the storage in it.
    Measured by: plan table `floor`: things without a weight.
    Repair: the maker's weight with contents, in the catalogue entry of each device that lacks it.
    Source: weights from the catalogue.
    """
    return judge(
        plan.table("floor").filter(pl.col("kind").is_in(list(_STANDS))),
        subject=pl.col("object"),
        ok=pl.when(pl.col("weight_kg").is_not_null()).then(pl.lit(True)),
        expected=pl.lit("a weight with contents and coolant"),
        found=pl.lit("no weight known"),
    )


def _against(plan: Plan, check_id: str, column: str, unit: str, where: str) -> pl.DataFrame:
    limit = threshold(plan, check_id)
    if limit is None:
        return nothing("the site states what a position carries")
    weight = pl.col("weight_kg")
    return judge(
        plan.table("floor").filter(pl.col("kind").is_in(list(_STANDS))),
        subject=pl.col("object"),
        ok=at_most(pl.col(column), limit),
        applies=weight.is_not_null(),
        expected=pl.format("at most {} {}", amount(pl.lit(limit["limit"]), unit), pl.lit(where)),
        found=pl.format("{} from {}", amount(pl.col(column), unit), amount(weight, "kg")),
    )
