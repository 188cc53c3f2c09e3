"""Currents of conductors: with all feeds, with any part lost, their balance, the neutral, and the finished row."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import PERCENT
from asbuilt.checks.answers import amount, judge, once, threshold
from asbuilt.checks.power_feeds import misfed
from asbuilt.checks.power_limits import at_most_known, bound
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.three_phase import SQRT3

HEALTHY = "healthy"
NEUTRAL = "N"


def _now(plan: Plan) -> pl.DataFrame:
    """Loads of the plan as it is; cases of the finished row are PWR-022's and PWR-023's, which asks for unknown feeds too."""
    unknown_feed = (pl.col("kind") == "feed") & pl.col("limit_a").is_null()
    return plan.table("conductor_loads").filter(~pl.col("case").str.starts_with("full") & ~unknown_feed)


def lost_in_words(case: pl.Expr) -> pl.Expr:
    """``lost:feed:A`` as ``feed A lost``; a part is any one PDU or shelf; other cases as they are."""
    named = case.str.replace("^lost:part$", "any one PDU or shelf lost").str.replace("^lost:(.*)$", "$1 lost")
    return named.str.replace("feed:", "feed ").str.replace("^healthy$", "all feeds")


@once
def worst_loads(plan: Plan) -> pl.DataFrame:
    """The worst phase conductor of each subject, healthy and with a part lost: ``subject kind lost case conductor load_a
    limit_a``, and ``over``, the subject whose breaker is the first to trip for it (its own circuit or PDU), if overloaded."""
    phases = _now(plan).filter(pl.col("conductor") != NEUTRAL)
    used = (pl.col("load_a") / pl.col("limit_a")).fill_null(pl.col("load_a"))
    worst = (
        phases.with_columns(lost=pl.col("case") != HEALTHY, used=used)
        .sort("subject", "lost", "used", "case", "conductor", descending=[False, False, True, False, False])
        .unique(["subject", "lost"], keep="first", maintain_order=True)
    )
    within = worst.with_columns(within=pl.col("load_a") <= pl.col("limit_a") * bound(plan, "PWR-001"))
    inside = pl.when(pl.col("kind") == "bank").then(pl.col("subject").str.replace("^bank:", "").str.replace("/[^/]*$", ""))
    circuits = plan.table("pdus").select(inside="pdu", feeding="circuit") if plan.has("pdus") else None
    rows = within.with_columns(inside=inside.otherwise(pl.col("subject"))).filter(~pl.col("inside").is_in(misfed(plan)))
    if circuits is None:
        return rows.with_columns(tripped=pl.lit(False))
    rows = rows.join(circuits, on="inside", how="left")
    over = rows.filter(~pl.col("within")).select("lost", above="subject", tripped=pl.lit(True)).unique()
    for column in ("feeding", "inside"):
        rows = rows.join(over.rename({"above": column, "tripped": f"{column}_over"}), on=["lost", column], how="left")
    own = pl.col("inside") == pl.col("subject")
    tripped = pl.col("feeding_over").fill_null(False) | (pl.col("inside_over").fill_null(False) & ~own)
    return rows.with_columns(tripped=tripped)


@check("PWR-001", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("conductor_loads", "expectations"), since="0.1")
def conductors_carry_their_load(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With all feeds standing, every conductor of feeds, busways, circuits, PDUs and banks stays within its continuous current.

    Why: a breaker that carries more than its continuous rating trips within hours, on the first day of full work.
    Measured by: plan table `conductor_loads`, case healthy, nominal load, against the limit of the site's basis; a PDU or bank
        behind a circuit or PDU that is overloaded itself is not told a second time.
    Repair: spread the cords over more circuits or conductors, or take a PDU and circuit of the next size.
    Source: NEC 210.20(A) and 215.3 (80 % of the breaker for continuous loads), or the device rating and IEC 60364-5-52.
    """
    rows = worst_loads(plan).filter(~pl.col("lost"))
    return _carried(rows, ~pl.col("tripped"))


@check("PWR-002", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("conductor_loads", "expectations"), since="0.1")
def conductors_carry_the_load_of_what_is_lost(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With any one feed, PDU or shelf lost, every conductor stays within its continuous current.

    Why: two feeds that each carry more than half look healthy until one is lost; then the other one trips too.
    Measured by: plan table `conductor_loads`, cases lost:*, nominal load, worst conductor, against the limit of the site's
        basis; only what holds with all feeds is judged, and once along circuit, PDU and bank.
    Repair: fewer devices a rack, a PDU and circuit of the next size, or one more feed to share what is lost.
    Source: the rule of 2N: on each phase the sum of both sides stays within the continuous current of one.
    """
    loads = worst_loads(plan)
    healthy = loads.filter(~pl.col("lost")).select("subject", healthy="within")
    rows = loads.filter(pl.col("lost")).join(healthy, on="subject", how="left")
    return _carried(rows, pl.col("healthy").fill_null(False) & ~pl.col("tripped"))


def _carried(rows: pl.DataFrame, applies: pl.Expr) -> pl.DataFrame:
    case = pl.when(pl.col("lost")).then(pl.format(" with {}", lost_in_words(pl.col("case"))))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("within"),
        expected=at_most_known(pl.col("limit_a"), "A"),
        found=pl.format("{} on {}{}", amount(pl.col("load_a"), "A"), "conductor", case.otherwise(pl.lit(""))),
        applies=applies,
    )


@once
def balances(plan: Plan) -> pl.DataFrame:
    """NEMA unbalance of every three-phase subject with all feeds: ``subject kind unbalance most_a limit_a conductor``, and
    ``better``: moving its largest cord to another conductor would bring the fullest and the emptiest nearer (a PDU only)."""
    phases = _now(plan).filter((pl.col("conductor") != NEUTRAL) & (pl.col("case") == HEALTHY))
    load = pl.col("load_a")
    rows = phases.group_by("subject", "kind").agg(
        load.mean().alias("mean"), load.max().alias("most_a"), load.min().alias("least"), pl.len().alias("conductors"),
        pl.col("limit_a").min(), pl.col("conductor").sort_by("load_a", descending=True).first(),
    )  # fmt: skip
    far = pl.max_horizontal(pl.col("most_a") - pl.col("mean"), pl.col("mean") - pl.col("least"))
    rows = rows.join(_largest_cords(plan), on="subject", how="left")
    share = pl.when(pl.col("mean") > 0).then(far / pl.col("mean")).otherwise(pl.lit(0.0))
    better = (pl.col("most_a") - pl.col("least") > pl.col("largest_a")).fill_null(True)
    return rows.filter(pl.col("conductors") > 2).sort("subject").with_columns(unbalance=share, better=better)


def _largest_cords(plan: Plan) -> pl.DataFrame:
    """Per PDU, ``subject largest_a``: the current of the largest cord in its rack; nothing where the plan has no cords."""
    factor = threshold(plan, "PWR-013", "power factor")
    if not (plan.has("cords") and plan.has("pdus")) or factor is None:
        return pl.DataFrame(schema={"subject": pl.String, "largest_a": pl.Float64})
    cords = plan.table("cords").join(plan.table("pdus").select("pdu", "voltage_v", "conductors"), on="pdu")
    between = pl.col("conductor").str.contains("-", literal=True) | (pl.col("conductors") == 1)
    volts = pl.when(between).then(pl.col("voltage_v")).otherwise(pl.col("voltage_v") / SQRT3)
    drawn = pl.col("nominal_w") / (volts * pl.lit(factor["limit"], dtype=pl.Float64))
    largest = cords.group_by("rack").agg(largest_a=(drawn * bound(plan, "PWR-001")).max())
    return plan.table("pdus").select("rack", subject="pdu").join(largest, on="rack").drop("rack")


@check("PWR-003", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("conductor_loads", "expectations"), since="0.1")
def phases_are_balanced(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The phases of feeds, busways and PDUs that are loaded in earnest stay within the site's limit of imbalance.

    Why: the fullest phase decides what a feed carries: imbalance is capacity that was paid for and cannot be used, and heats
        the neutral.
    Measured by: plan table `conductor_loads`, all feeds, nominal load: largest distance from the mean over the mean (NEMA
        MG-1); only where a conductor carries enough of its limit to matter, and on a PDU only where moving one cord would help:
        eight equal cords on three phases are 25 % apart at best.
    Repair: move cords to outlets of the emptier phase; turn the phases of every third tap-off.
    Source: site policy, no standard gives a limit for IT load: 10 % on feeders, 15 % on a PDU; verify with the site.
    """
    rows, policy = _judged_balance(plan)
    return _balanced(rows, policy)


@check("PWR-004", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("conductor_loads", "expectations"), since="0.1")
def feeders_are_balanced_well(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Feeders keep away from the limit of imbalance, so that moves and additions do not reach it.

    Why: imbalance only grows as racks are changed one by one; a feeder that starts near its limit passes it unnoticed.
    Measured by: as PWR-003, nominal load, by the lower threshold that asks for a look; what fails PWR-003 is not told twice.
    Repair: turn the phases of every third tap-off, or accept it.
    Source: site policy, 5 % on feeders; verify with the site.
    """
    rows, policy = _judged_balance(plan)
    feeder = pl.col("kind").is_in(["feed", "busway"]) & (pl.col("unbalance") <= policy)
    return _balanced(rows.with_columns(matters=pl.col("matters") & feeder), bound(plan, "PWR-004"))


def _judged_balance(plan: Plan) -> tuple[pl.DataFrame, pl.Expr]:
    rows = balances(plan).filter(pl.col("kind").is_in(["feed", "busway", "pdu"]))
    policy = pl.when(pl.col("kind") == "pdu").then(bound(plan, "PWR-003", "kind=pdu")).otherwise(bound(plan, "PWR-003"))
    matters = pl.col("most_a") >= pl.col("limit_a") * bound(plan, "PWR-003", "loaded")
    return rows.with_columns(matters=matters.fill_null(True) & pl.col("better")), policy


def _balanced(rows: pl.DataFrame, policy: pl.Expr) -> pl.DataFrame:
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("unbalance") <= policy,
        expected=pl.format("at most {} %", amount(policy * PERCENT)),
        found=pl.format("{} %, most on {}", amount(pl.col("unbalance") * PERCENT), "conductor"),
        applies=pl.col("matters"),
    )


@check("PWR-005", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("conductor_loads", "expectations"), since="0.1")
def neutrals_carry_their_load(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The neutral of every four-wire part stays within the continuous current of its conductors, in every case.

    Why: no breaker watches a neutral; loads to neutral on one phase, and every third harmonic, add up in it.
    Measured by: plan table `conductor_loads`, conductor N, worst case, nominal load, against its own limit or that of the
        phases.
    Repair: balance the phases, or loads between phases instead of to neutral.
    Source: Kirchhoff's current law; NEC 310.15(E), IEC 60364-5-52 clause 524.
    """
    loads = _now(plan)
    phases = loads.filter(pl.col("conductor") != NEUTRAL).group_by("subject").agg(pl.col("limit_a").min().alias("phase_a"))
    rows = (
        loads.filter(pl.col("conductor") == NEUTRAL)
        .sort("subject", "load_a", "case", descending=[False, True, False])
        .unique("subject", keep="first", maintain_order=True)
        .join(phases, on="subject", how="left")
        .with_columns(most=pl.coalesce("limit_a", "phase_a"))
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("load_a") <= pl.col("most") * bound(plan, "PWR-001"),
        expected=pl.format("at most {}", amount(pl.col("most"), "A")),
        found=pl.format("{} in the neutral, {}", amount(pl.col("load_a"), "A"), lost_in_words(pl.col("case"))),
    )


@check("PWR-022", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("feeds", "expectations"), since="0.1")
def feeds_carry_the_finished_site(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Each feed has room for the finished site, the worst other feed lost.

    Why: a pilot leaves any feed half empty; the row that follows needs a new feed when it is too late to build one.
    Measured by: plan table `feeds`: nominal load of the finished site with the worst other feed lost, against the continuous
        power of the feed; a feed that is too small already is PWR-001 or PWR-002.
    Repair: order the feed for the finished site now, or plan its racks on further feeds.
    Source: the requirement's `power.feed_capacity_kw`; loads from the catalogue.
    """
    rows = plan.table("feeds")
    most = pl.col("capacity_kw") * bound(plan, "PWR-001")
    return judge(
        rows,
        subject=pl.col("feed"),
        ok=pl.col("full_kw") <= most,
        expected=pl.when(pl.col("capacity_kw").is_null())
        .then(pl.lit("a known capacity (`power.feed_capacity_kw`)"))
        .otherwise(at_most_known(pl.col("capacity_kw"), "kW")),
        found=pl.format("{} when finished, {} now", amount(pl.col("full_kw"), "kW"), amount(pl.col("lost_kw"), "kW")),
        applies=(pl.col("lost_kw") <= most).fill_null(True),
    )


@check("PWR-023", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("busways", "expectations"), since="0.1")
def busways_carry_the_finished_row(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Each busway has room for the finished row, the worst other feed lost: no new circuit is needed.

    Why: two pilot racks use a tenth of a busway; it cannot be exchanged over a row that works.
    Measured by: plan table `busways`: nominal current of the finished row with the worst other feed lost, against the
        continuous current of the busway; one that is too small already is PWR-002.
    Repair: a busway of the next size, a second one for half of the row, or a shorter row.
    Source: rating from the catalogue under the site's basis.
    """
    most = pl.col("usable_a") * bound(plan, "PWR-001")
    return judge(
        plan.table("busways"),
        subject=pl.col("busway"),
        ok=pl.col("full_a") <= most,
        expected=at_most_known(pl.col("usable_a"), "A"),
        found=pl.format("{} when finished, {} now", amount(pl.col("full_a"), "A"), amount(pl.col("lost_a"), "A")),
        applies=pl.col("lost_a") <= most,
    )
