"""Header, hoses, couplings: whether the loop carries the finished row, told while only the first racks stand.

The header's verdict knows nothing of the CDU: what the pumps can do is judged in `cooling_cdus`. What only follows from a
header that is too small (uneven flow, racks short of coolant) is not told a second time.
"""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, at_most, judge, nothing, once, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check(
    "COO-001",
    layer=Layer.FACILITY,
    severity=Severity.BLOCKER,
    needs=("loops", "loop_segments", "expectations"),
    since="0.1",
)
def headers_carry_the_finished_row(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No segment of a row header flows faster than its limit, with the racks of now and when the row is finished.

    Why: a header that looks idle behind the first two racks roars, erodes and starves the far end behind ten; to change it
        later the row is drained, cut and tested again.
    Measured by: plan table `loop_segments`: the fastest segment of each loop, now and finished.
    Repair: the next size of header before the first rack is connected, a second feed into the row, or fewer racks on it.
    Source: velocity limit in the plan's expectations; flows from the plan's own solution of the loop.
    """
    limit = threshold(plan, "COO-001")
    if limit is None:
        return nothing("the plan states no velocity of headers")
    loops = plan.table("loops").select("loop", "racks", "racks_full")
    return judge(
        _worst_segments(plan, limit).join(loops, on="loop", how="inner"),
        subject=pl.col("loop"),
        ok=at_most(pl.max_horizontal("velocity_m_s", "now_m_s"), limit),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), "m/s")),
        found=pl.format(
            "{} in {} with {} racks, {} with the {} of now; {} of {} segments too fast",
            amount(pl.col("velocity_m_s"), "m/s"),
            "segment",
            "racks_full",
            amount(pl.col("now_m_s"), "m/s"),
            "racks",
            "fast",
            "segments",
        ),
    )


def _worst_segments(plan: Plan, limit: dict[str, object]) -> pl.DataFrame:
    """The fastest segment of each loop, nearest to the CDU first, with ``now_m_s``, and how many of how many are too fast."""
    share = pl.when(pl.col("flow_l_min") > 0).then(pl.col("flow_now_l_min") / pl.col("flow_l_min")).otherwise(0.0)
    fast = ~at_most(pl.col("velocity_m_s"), limit)
    listed = plan.table("loop_segments").with_columns((pl.col("velocity_m_s") * share).alias("now_m_s"))
    return (
        listed.sort("loop", pl.col("velocity_m_s").round(2), "number", "segment", descending=[False, True, False, True])
        .group_by("loop", maintain_order=True)
        .agg(
            pl.col("segment", "velocity_m_s").first(),
            pl.col("now_m_s").max(),
            fast.sum().alias("fast"),
            pl.len().alias("segments"),
        )
    )


@once
def sound_headers(plan: Plan) -> pl.DataFrame:
    """``loop``: those whose header passes, so that what is told of their racks has a cause of its own."""
    limit = threshold(plan, "COO-001")
    if limit is None or not plan.has("loop_segments"):
        return plan.table("loops").select("loop")
    slow = pl.col("velocity_m_s").is_null() | at_most(pl.col("velocity_m_s"), limit)
    segments = plan.table("loop_segments").filter(~slow).select("loop")
    return plan.table("loops").select("loop").join(segments, on="loop", how="anti")


def _with_sound(plan: Plan, frame: pl.DataFrame) -> pl.DataFrame:
    sound = sound_headers(plan).with_columns(pl.lit(True).alias("sound"))
    return frame.join(sound, on="loop", how="left").with_columns(pl.col("sound").fill_null(False))


@check("COO-002", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("loops", "loop_cases", "expectations"), since="0.1")
def near_and_far_racks_get_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The rack next to the CDU gets hardly more coolant than the farthest one.

    Why: what the near rack takes beyond its need, the pumps deliver for nothing; and every change at one rack moves the flow
        of all others.
    Measured by: plan table `loop_cases`, finished row: flow of the nearest over that of the farthest rack.
    Repair: a wider header, a reverse return, or a balancing valve at each rack.
    Source: spread allowed in the plan's expectations. A header that is too small is told by COO-001 and not again here.
    """
    limit = threshold(plan, "COO-002")
    if limit is None:
        return nothing("the plan states no spread of flows")
    full = _with_sound(plan, plan.table("loop_cases").filter(pl.col("case") == "full"))
    return judge(
        full,
        subject=pl.col("loop"),
        ok=at_most(pl.col("spread_percent"), limit),
        applies=pl.col("sound"),
        expected=pl.format("at most {} more at the near rack", amount(pl.lit(limit["limit"]), "%")),
        found=pl.format(
            "{} more: {} near, {} far",
            amount(pl.col("spread_percent"), "%"),
            amount(pl.col("near_l_min"), "L/min"),
            amount(pl.col("far_l_min"), "L/min"),
        ),
    )


@check("COO-003", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("loops", "branches", "expectations"), since="0.1")
def every_rack_gets_its_design_flow(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every rack gets at least its design flow when the row is finished.

    Why: a rack short of coolant throttles first, and only under the load that the acceptance test does not run.
    Measured by: plan table `branches`: flow of the finished row against the design flow of the rack.
    Repair: open or replace what throttles this branch, balance the others, or feed the row from both ends.
    Source: design flow from the system's table by supply temperature. A header or hose that is too small is told as such.
    """
    tolerance = threshold(plan, "COO-003")
    if tolerance is None:
        return nothing("the plan states no design flow")
    least = pl.col("design_l_min") * (1 - pl.lit(tolerance["tol_rel"] or 0.0))
    return judge(
        _with_sound(plan, plan.table("branches")).with_columns(_hose_ok(plan).alias("hose_ok")),
        subject=pl.col("branch"),
        ok=pl.col("full_l_min") >= least,
        applies=pl.col("sound") & pl.col("hose_ok"),
        expected=pl.format("at least {}", amount(pl.col("design_l_min"), "L/min")),
        found=amount(pl.col("full_l_min"), "L/min"),
    )


def _hose_ok(plan: Plan) -> pl.Expr:
    limit = threshold(plan, "COO-004")
    return pl.lit(True) if limit is None else at_most(_hose_m_s(), limit).fill_null(True)


def _hose_m_s() -> pl.Expr:
    """Velocity in the hoses at the rack's design flow: what a rack near the CDU takes beyond it is the header's matter."""
    more = (pl.col("full_l_min") > pl.col("design_l_min")) & (pl.col("design_l_min") > 0)
    return pl.when(more).then(pl.col("hose_m_s") * pl.col("design_l_min") / pl.col("full_l_min")).otherwise("hose_m_s")


@check("COO-004", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("branches", "expectations"), since="0.1")
def hoses_are_wide_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Coolant flows no faster through a rack's hoses than flexible hoses bear.

    Why: fast flow wears a hose from within, and the particles block the cold plates.
    Measured by: plan table `branches`, velocity at the design flow of the rack.
    Repair: hoses of a larger bore, two pairs for each rack, or a cooler supply, which needs less flow.
    Source: velocity limit in the plan's expectations.
    """
    limit = threshold(plan, "COO-004")
    if limit is None:
        return nothing("the plan states no velocity of hoses")
    return judge(
        _with_sound(plan, plan.table("branches")) if plan.has("loops") else plan.table("branches"),
        subject=pl.col("branch"),
        ok=at_most(_hose_m_s(), limit),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), "m/s")),
        found=pl.format("{} through {} bore", amount(_hose_m_s(), "m/s"), amount(pl.col("hose_id_mm"), "mm")),
    )


@check("COO-005", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("branches",), since="0.1")
def couplings_bear_the_flow(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The quick disconnects of every rack are rated for its design flow.

    Why: a coupling past its rating takes the pressure that the cold plates need, and its valve chatters.
    Measured by: plan table `branches`: design flow of the rack against the rated flow of its coupling.
    Repair: the next size of coupling at the rack and at the manifold, as the maker of the rack lists it.
    Source: rated flow from the coupling's catalogue entry; design flow from the system's table.
    """
    return judge(
        plan.table("branches"),
        subject=pl.col("branch"),
        ok=pl.col("design_l_min") <= pl.col("coupling_l_min"),
        expected=pl.format("a rating of at least {}", amount(pl.col("design_l_min"), "L/min")),
        found=pl.when(pl.col("coupling").is_null())
        .then(pl.lit("no coupling named"))
        .when(pl.col("coupling_l_min").is_null())
        .then(pl.format("rated flow of {} unknown", "coupling"))
        .otherwise(pl.format("{} is rated for {}", "coupling", amount(pl.col("coupling_l_min"), "L/min"))),
    )
