"""Breakers and voltage: selectivity, breaking capacity, steps of all GPUs, and the drop to the last PDU."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import A_PER_KA, W_PER_KW
from asbuilt.checks.answers import amount, judge
from asbuilt.checks.power_limits import bound
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.protection import NOT_SELECTIVE, SELECTIVE
from asbuilt.physics.three_phase import SQRT3

_PAIR = pl.format("{}+{}", "downstream", "upstream")


@check("PWR-024", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("protections",), since="0.1")
def breakers_trip_selectively(plan: Plan, facts: Facts) -> pl.DataFrame:
    """For every fault, the breaker next to it trips alone.

    Why: a short in one supply that opens the breaker of the row takes ten racks down instead of one.
    Measured by: plan table `protections`: ratings, pick-up and prospective fault current of breakers in series. Ratings 2:1
        apart prove nothing above the pick-up: not proven is not measured, and never a pass.
    Repair: the makers' selectivity table, a short-time delay or zone interlocking above; an upper breaker of a higher rating.
    Source: IEC 60947-2 annex A.
    """
    verdict = pl.col("verdict")
    ok = pl.when(verdict == SELECTIVE).then(pl.lit(True)).when(verdict == NOT_SELECTIVE).then(pl.lit(False))
    ratings = pl.format("{} below {}", amount(pl.col("downstream_a"), "A"), amount(pl.col("upstream_a"), "A"))
    return judge(
        plan.table("protections"),
        subject=_PAIR,
        ok=ok,
        expected=pl.lit("selective"),
        found=pl.format("{}: {}", ratings, "reason"),
    )


@check("PWR-025", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("protections",), since="0.1")
def breakers_break_the_fault(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every breaker breaks the prospective fault current where it stands.

    Why: a breaker below the fault current does not trip, it bursts.
    Measured by: plan table `protections`: breaking capacity of the lower breaker against the prospective fault current; where
        that is not known, PWR-024 says so.
    Repair: a breaker of higher capacity, or a series rating with the one above that the maker confirms.
    Source: IEC 60947-2 (Icu); NEC 110.9.
    """
    rows = plan.table("protections").sort("downstream", "fault_ka", descending=[False, True], nulls_last=True)
    unknown = pl.col("icu_ka").is_null()
    asked = pl.when(unknown).then(pl.lit("a known breaking capacity (`power.icu_ka`, `power.bank_icu_ka`)"))
    return judge(
        rows.unique("downstream", keep="first", maintain_order=True),
        subject=pl.col("downstream"),
        ok=pl.col("icu_ka") >= pl.col("fault_ka"),
        expected=asked.otherwise(pl.format("a breaking capacity of {} or more", amount(pl.col("fault_ka"), "kA"))),
        applies=pl.col("fault_ka").is_not_null(),
        found=pl.when(unknown)
        .then(pl.lit("none stated"))
        .otherwise(pl.format("a breaking capacity of {}", amount(pl.col("icu_ka"), "kA"))),
    )


@check("PWR-026", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("busways", "expectations"), since="0.1")
def busways_lose_little_voltage(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The voltage lost along a busway, finished row and worst case, stays within the site's budget.

    Why: at low voltage supplies draw more current for the same power; the far racks trip first.
    Measured by: plan table `busways`: largest drop at a tap, nominal load, unbalanced phases.
    Repair: feed the busway in its centre, or take the next size.
    Source: site policy for the row, within NEC 210.19(A) and 215.2(A) informational notes (3 % branch, 5 % in all) and IEC
        60364-5-52 annex G (5 %).
    """
    return _dropped(plan.table("busways"), "busway", bound(plan, "PWR-026"), pl.lit(True))


@check("PWR-027", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("circuits", "expectations"), since="0.1")
def circuits_lose_little_voltage(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The voltage lost from the head of the busway to the end of every whip stays within the site's budget.

    Why: the drop of a long thin whip adds to that of the busway.
    Measured by: plan table `circuits`: drop to the far end of the whip, nominal load, worst case; whips on a busway that is
        over its own budget are left to PWR-026.
    Repair: a shorter whip or one of larger section.
    Source: site policy for busway and whip together, within NEC informational notes (3 % branch, 5 % in all) and IEC 60364-5-52
        annex G (5 %).
    """
    circuits = plan.table("circuits")
    if not plan.has("busways"):
        return _dropped(circuits, "circuit", bound(plan, "PWR-027"), pl.lit(True))
    within = pl.col("drop_percent") <= bound(plan, "PWR-026")
    over = plan.table("busways").filter(~within.fill_null(True))["busway"]
    return _dropped(circuits, "circuit", bound(plan, "PWR-027"), ~pl.col("busway").is_in(over.to_list()).fill_null(False))


def _dropped(rows: pl.DataFrame, key: str, most: pl.Expr, applies: pl.Expr) -> pl.DataFrame:
    return judge(
        rows,
        subject=pl.col(key),
        ok=pl.col("drop_percent") <= most,
        expected=pl.format("at most {} %", amount(most)),
        found=pl.format("{} %", amount(pl.col("drop_percent"))),
        applies=applies,
    )


@check("PWR-028", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("protections", "feeds", "draws"), since="0.1")
def a_step_of_all_gpus_trips_nothing(plan: Plan, facts: Facts) -> pl.DataFrame:
    """When all GPUs step at once, no upper breaker sees its instantaneous pick-up.

    Why: a job that starts everywhere in one second is the largest step that the feed ever sees, and it comes every day.
    Measured by: plan table `protections`: least pick-up of each upper breaker against the peak of all behind it: its load of
        the finished site with a feed lost, times the largest ratio of peak to nominal draw of any system; where the pick-up
        is not known, PWR-024 says so.
    Repair: a higher or delayed instantaneous setting, power smoothing of the GPUs, or jobs that ramp up.
    Source: IEC 60947-2 (±20 % of the setting); peak draw from the catalogue.
    """
    draws = plan.table("draws").filter(pl.col("role").is_in(["node", "rack"]))
    unknown = draws.filter(pl.col("peak_w").is_null())
    if unknown.height and plan.table("protections").height:
        return judge(
            unknown,
            subject=pl.format("draws:{}", "part"),
            ok=pl.lit(None, dtype=pl.Boolean),
            expected=pl.lit("a known peak draw (`power.node_peak_w`)"),
            found=pl.format("nobody publishes the peak of {}", "part"),
        )
    steps = draws.select((pl.col("peak_w") / pl.col("nominal_w")).max()).item()
    upper = plan.table("protections").select("upstream", "pickup_ka").group_by("upstream").agg(pl.col("pickup_ka").min())
    rows = upper.join(_carried(plan), on="upstream").with_columns(
        peak=pl.col("carried_a") * pl.lit(steps, dtype=pl.Float64) / A_PER_KA
    )
    return judge(
        rows.sort("upstream"),
        subject=pl.col("upstream"),
        ok=pl.col("peak") < pl.col("pickup_ka"),
        applies=pl.col("pickup_ka").is_not_null(),
        expected=pl.format("a pick-up above {}", amount(pl.col("peak"), "kA")),
        found=pl.format("picks up from {}", amount(pl.col("pickup_ka"), "kA")),
    )


def _carried(plan: Plan) -> pl.DataFrame:
    """``upstream carried_a``: nominal current of the finished site with the worst other feed lost."""
    feeds = plan.table("feeds")
    parts = [feeds.select(upstream="feed", carried_a=pl.col("full_kw") * W_PER_KW / (pl.col("voltage_v") * SQRT3))]
    if plan.has("busways"):
        parts.append(plan.table("busways").select(upstream="busway", carried_a="full_a"))
    if plan.has("circuits"):
        parts.append(plan.table("circuits").select(upstream="circuit", carried_a="lost_a"))
    return pl.concat(parts)
