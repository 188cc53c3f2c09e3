"""Coolant distribution units: head of the pumps, heat at one approach, supply temperature, filter.

A case is told at its mildest: a CDU that is short with all pumps running is not told again with one pump out. Below the
first published point of its curve nothing is proven, and nothing passes there.
"""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import W_PER_KW
from asbuilt.checks.answers import amount, judge, nothing, once, threshold, thresholds
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_CASES = {
    "now": "now",
    "full": "finished row",
    "pump-out": "finished row, one pump out",
    "viscous": "finished row, thick fluid",
    "dirty-filter": "finished row, dirty filter",
    "worst": "finished row, one pump out, thick fluid and dirty filter",
}
_CURVES = {"inside": "inside the published curve", "below": "below the published curve", "above": "above the published curve"}
_NEEDS = ("loops", "loop_cases", "expectations")


@check("COO-010", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=_NEEDS, since="0.1")
def cdus_have_the_head(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The CDU of every loop has head to spare over what the farthest rack asks, now and in the finished row.

    Why: pumps that are at their end cannot make up for a filter, an ageing fluid or one rack more: the far rack starves.
    Measured by: plan table `loop_cases`: published head at that flow against the pressure asked, cases now and full.
    Repair: lose less on the way (header, hoses), another CDU for the row, or fewer racks on it.
    Source: margin in the plan's expectations; pump curve as its maker published it.
    """
    return _head(plan, ("now", "full"))


@check("COO-011", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=_NEEDS, since="0.1")
def cdus_have_the_head_with_a_pump_out(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With one pump out the CDU still has head to spare for the finished row.

    Why: a pump is serviced, or fails, while the row runs; what is left must carry all racks.
    Measured by: plan table `loop_cases`, case pump-out.
    Repair: a CDU with a pump more, a second CDU on the loop, or less pressure lost on the way.
    Source: margin in the plan's expectations. A loop that is short with all pumps is told by COO-010.
    """
    return _head(plan, ("pump-out",), before=("full",))


@check("COO-012", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=_NEEDS, since="0.1")
def cdus_have_the_head_when_fluid_and_filter_age(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With fluid as thick as inhibited mixtures are, and apart from it with a dirty filter, head is left to spare.

    Why: the fluid that is delivered is thicker than the pure mixture of the tables, and filters are not changed on the day.
    Measured by: plan table `loop_cases`, cases viscous and dirty-filter.
    Repair: change filters at a lower pressure drop, a thinner fluid, or less pressure lost on the way.
    Source: margin in the plan's expectations. A loop that is short with clean fluid and filter is told by COO-010.
    """
    return _head(plan, ("viscous", "dirty-filter"), before=("full",))


@check("COO-013", layer=Layer.FACILITY, severity=Severity.MINOR, needs=_NEEDS, since="0.1")
def cdus_have_the_head_at_their_worst(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With a pump out, thick fluid and a dirty filter at once, the CDU still reaches the farthest rack.

    Why: each of the three is survived; a night brings them together.
    Measured by: plan table `loop_cases`, case worst.
    Repair: as for each of the three; or accept the rest as a known risk of service nights.
    Source: least margin in the plan's expectations. What one of the three breaks alone is told by COO-010 to COO-012.
    """
    return _head(plan, ("worst",), before=("full", "pump-out", "viscous", "dirty-filter"), selector="worst")


@check("COO-014", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("loops", "loop_cases"), since="0.1")
def cdus_run_inside_their_curve(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every CDU runs between the first and the last published point of its pump curve, now and in the finished row.

    Why: pumps behind two racks of ten run below anything their maker has shown: minimum flow, bypass and control are open
        questions; past the last point they have nothing left.
    Measured by: plan table `loop_cases`: flow against the published curve. Below it, and without a curve: not proven.
    Repair: ask the maker for minimum flow and bypass in writing; past the last point a larger or a second CDU.
    Source: pump curve as its maker published it.
    """
    listed = plan.table("loop_cases").filter(pl.col("case").is_in(["now", "full"]))
    curve = pl.col("curve")
    ok = pl.when(curve == "inside").then(pl.lit(True)).when(curve == "above").then(pl.lit(False))
    rows = _mildest(listed.with_columns(ok.alias("ok"), pl.lit(True).alias("applies")), ("now", "full"))
    later = listed.filter(pl.col("case") == "full").select("loop", later="flow_l_min", later_curve="curve")
    rows = rows.join(_curves(plan), on="loop", how="left").join(later, on="loop", how="left")
    alike = (pl.col("case") == "now") & (pl.col("later_curve") == curve) & (pl.col("later") != pl.col("flow_l_min"))
    also = pl.when(alike).then(pl.format(" and {} (finished row)", amount(pl.col("later"), "L/min"))).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("loop"),
        ok=pl.col("ok"),
        expected=pl.when(pl.col("first").is_null())
        .then(pl.lit("a published pump curve"))
        .otherwise(pl.format("{} to {}", amount(pl.col("first")), amount(pl.col("last"), "L/min"))),
        found=pl.format(
            "{} ({}, {}){}, {}",
            amount(pl.col("flow_l_min"), "L/min"),
            _named(),
            _racks(),
            also,
            curve.replace_strict(_CURVES, default=pl.lit("no curve published"), return_dtype=pl.String),
        ),
    )


def _curves(plan: Plan) -> pl.DataFrame:
    """``loop first last``: flows between which the CDUs of a loop that run at once are published."""
    if not plan.has("cdus"):
        return pl.DataFrame(schema={"loop": pl.String, "first": pl.Float64, "last": pl.Float64})
    running = plan.table("cdus").filter(~pl.col("standby"))
    return running.group_by("loop").agg(
        pl.col("flow_first_l_min").min().alias("first"), pl.col("flow_last_l_min").sum().alias("last")
    )


def _head(plan: Plan, cases: tuple[str, ...], before: tuple[str, ...] = (), selector: str = "*") -> pl.DataFrame:
    """Verdicts on ``cases``, the mildest that fails for each loop; a loop that does not pass all of ``before`` is left out."""
    limit = threshold(plan, "COO-010", selector)
    if limit is None:
        return nothing("the plan states no margin of head")
    judged = _judged(plan)
    passed = judged.group_by("loop").agg(
        (pl.col("case").is_in(list(before)) & (~pl.col("ok").fill_null(False) | ~pl.col("applies"))).any().alias("broken")
    )
    rows = _mildest(judged, cases).join(passed, on="loop", how="left")
    need = pl.col("need_kpa")
    return judge(
        rows,
        subject=pl.col("loop"),
        ok=pl.col("ok"),
        applies=pl.col("applies") & ~pl.col("broken"),
        expected=pl.format("at least {} of head to spare", amount(pl.lit(limit["limit"]), "%")),
        found=pl.when(pl.col("curve") == "above")
        .then(pl.format("{} is more than was published ({}, {})", amount(pl.col("flow_l_min"), "L/min"), _named(), _racks()))
        .when(pl.col("available_kpa").is_null())
        .then(pl.format("head at {} not published ({}, {})", amount(pl.col("flow_l_min"), "L/min"), _named(), _racks()))
        .otherwise(
            pl.format(
                "{} at {}, asked {} ({} in the header), margin {} ({}, {})",
                amount(pl.col("available_kpa"), "kPa"),
                amount(pl.col("flow_l_min"), "L/min"),
                amount(need, "kPa"),
                amount(pl.col("header_kpa"), "kPa"),
                amount(pl.col("margin_percent"), "%"),
                _named(),
                _racks(),
            )
        ),
    )


@once
def _judged(plan: Plan) -> pl.DataFrame:
    """Table `loop_cases` with ``ok`` (null: not known) and ``applies``: its flow is on the published curve.

    With a pump out the rest may be asked for more than its curve shows: that is short, not unknown.
    """
    usual, worst = threshold(plan, "COO-010"), threshold(plan, "COO-010", "worst")
    if usual is None:
        return plan.table("loop_cases").with_columns(pl.lit(None, dtype=pl.Boolean).alias("ok"), pl.lit(False).alias("applies"))
    least = pl.when(pl.col("case") == "worst").then(pl.lit((worst or usual)["limit"])).otherwise(pl.lit(usual["limit"]))
    curve, lone = pl.col("curve"), pl.col("case").is_in(["now", "full"])
    ok = pl.when((curve == "above") & ~lone).then(pl.lit(False)).otherwise(pl.col("margin_percent") >= least)
    applies = (curve == "inside") | ((curve == "above") & ~lone) | ((curve == "below") & ~lone)
    return plan.table("loop_cases").with_columns(ok.alias("ok"), applies.fill_null(False).alias("applies"))


def _mildest(judged: pl.DataFrame, cases: tuple[str, ...]) -> pl.DataFrame:
    """For each loop the first of ``cases`` that fails, else the first undecided, else the first that applies."""
    rank = pl.col("case").replace_strict({case: i for i, case in enumerate(cases)}, default=None, return_dtype=pl.Int64)
    listed = judged.filter(pl.col("case").is_in(list(cases))).with_columns(rank.alias("rank"))
    failed = pl.col("applies") & ~pl.col("ok").fill_null(True)
    open_ = pl.col("applies") & pl.col("ok").is_null()
    ordered = listed.sort("loop", failed, open_, "applies", "rank", descending=[False, True, True, True, False])
    return ordered.unique("loop", keep="first", maintain_order=True)


def _named() -> pl.Expr:
    return pl.col("case").replace_strict(_CASES, default=pl.col("case"), return_dtype=pl.String)


def _racks() -> pl.Expr:
    return pl.when(pl.col("racks") == 1).then(pl.lit("one rack")).otherwise(pl.format("{} racks", "racks"))


@check("COO-015", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("loops", "cdus", "branches"), since="0.1")
def cdus_move_the_heat(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The CDUs of a loop, without those that stand by, move the liquid heat of the finished row at one approach.

    Why: a capacity holds at its approach temperature alone; at a smaller one the same unit moves less, so capacities at
        different approaches say nothing of each other and cannot be added.
    Measured by: plan tables `cdus` (capacity and approach) and `branches` (heat that the liquid takes, finished row).
    Repair: a CDU more, a warmer approach where the rack allows it, or fewer racks on the loop.
    Source: capacity and approach from the maker; heat from the systems' figures.
    """
    heat = plan.table("branches").group_by("loop").agg((pl.col("liquid_w").sum() / W_PER_KW).alias("heat_kw"))
    running = plan.table("cdus").filter(~pl.col("standby"))
    units = running.group_by("loop").agg(
        pl.col("capacity_kw").sum().alias("capacity"),
        pl.len().alias("units"),
        pl.col("approach_k").n_unique().alias("bases"),
        pl.col("approach_k").is_null().any().alias("unbased"),
        amount(pl.col("approach_k").drop_nulls().unique().sort()).str.join(" and ").alias("approaches"),
    )
    rows = plan.table("loops").select("loop").join(heat, on="loop", how="left").join(units, on="loop", how="left")
    counted = pl.when(pl.col("units") == 1).then(pl.lit("one CDU")).otherwise(pl.format("{} CDUs", "units"))
    comparable = (pl.col("bases") <= 1) & ~pl.col("unbased")
    return judge(
        rows,
        subject=pl.col("loop"),
        ok=pl.when(pl.col("units").is_null())
        .then(pl.lit(False))
        .when(comparable)
        .then(pl.col("capacity") >= pl.col("heat_kw")),
        expected=pl.format("at least {} at one approach", amount(pl.col("heat_kw"), "kW")),
        found=pl.when(pl.col("units").is_null())
        .then(pl.lit("no CDU that runs"))
        .when(pl.col("unbased"))
        .then(pl.format("{} from {}, approach unknown", amount(pl.col("capacity"), "kW"), counted))
        .otherwise(pl.format("{} from {} at an approach of {} K", amount(pl.col("capacity"), "kW"), counted, "approaches")),
    )


@check("COO-016", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("loops", "cdus", "expectations"), since="0.1")
def supply_is_in_the_range_of_the_cdu(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The supply temperature of every loop lies in the range that its CDUs hold.

    Why: outside it the unit does not control; it gives what the facility water gives.
    Measured by: plan tables `loops` (supply temperature) and `cdus` against the maker's range.
    Repair: another supply temperature, which changes the flow of every rack, or another CDU.
    Source: range from the CDU's catalogue entry.
    """
    low, high = _of_part(plan, "COO-016", "least"), _of_part(plan, "COO-016", "most")
    rows = plan.table("cdus").select("cdu", "loop", "part").join(plan.table("loops").select("loop", "supply_c"), on="loop")
    rows = rows.join(low, on="part", how="left").join(high, on="part", how="left")
    return judge(
        rows,
        subject=pl.col("cdu"),
        ok=(pl.col("supply_c") >= pl.col("least")) & (pl.col("supply_c") <= pl.col("most")),
        expected=pl.format("{} to {}", amount(pl.col("least")), amount(pl.col("most"), "°C")),
        found=amount(pl.col("supply_c"), "°C"),
    )


@check("COO-017", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cdus", "expectations"), since="0.1")
def filters_are_fine_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The filter of every CDU is at least as fine as the cold plates ask.

    Why: the channels of a cold plate are finer than a hair; what passes the filter stays in them.
    Measured by: plan table `cdus` and the filter of each against the size that the system's maker asks.
    Repair: order the finer filter of the CDU, and count its pressure drop.
    Source: filter sizes from the catalogue entries of CDU and system.
    """
    asked = threshold(plan, "COO-017")
    if asked is None:
        return nothing("the plan's systems ask for no filter")
    rows = plan.table("cdus").select("cdu", "part").join(_of_part(plan, "COO-017", "filter_um"), on="part", how="left")
    return judge(
        rows,
        subject=pl.col("cdu"),
        ok=pl.col("filter_um") <= pl.lit(asked["limit"]),
        expected=pl.format("{} or finer", amount(pl.lit(asked["limit"]), "µm")),
        found=pl.format("{} in {}", amount(pl.col("filter_um"), "µm"), "part"),
    )


def _of_part(plan: Plan, check_id: str, name: str) -> pl.DataFrame:
    """``part <name>``: figures that expectations state with the selector ``part=<part>,<name>``."""
    rows = thresholds(plan, check_id).filter(pl.col("selector").str.ends_with(f",{name}"))
    part = pl.col("selector").str.strip_prefix("part=").str.strip_suffix(f",{name}")
    return rows.select(part.alias("part"), pl.col("limit").alias(name))
