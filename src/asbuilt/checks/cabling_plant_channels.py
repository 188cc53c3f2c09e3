"""Channels from module to module: polarity, pins, polish, loss and reach of what the fibres pass."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, once, threshold
from asbuilt.checks.design_optics import jumpers_with_optics, with_traits
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.polarity import WORKS, channel_symptom

_SINGLE = "a single cord"


@once
def channels_as_ordered(plan: Plan) -> pl.DataFrame:
    """``jumper trunk elements lanes`` of every channel; ``passes``, its elements with those in the middle as trunk and panels
    are ordered; ``at``, the part that is ordered otherwise than its channel asks, or the cords.

    A spare trunk has a row under its own key: what a channel of its bundle passes when it is moved over.
    """
    trunks = plan.table("trunks").select("trunk", "polarity", "a_panel", "b_panel")
    adapters = plan.table("panels").select("panel", "adapter")
    planned = plan.table("channels").select("jumper", "trunk", "elements", "lanes")
    rows = pl.concat([planned, _of_spares(plan, planned)]).join(trunks, on="trunk", how="left", maintain_order="left")
    for side in ("a", "b"):
        held = adapters.rename({"panel": f"{side}_panel", "adapter": f"{side}_adapter"})
        rows = rows.join(held, on=f"{side}_panel", how="left", maintain_order="left")
    named = pl.col("elements").str.split(" ")
    middle = pl.format("ad{} {} ad{}", "a_adapter", "polarity", "b_adapter")
    ordered = pl.concat_str([named.list.first(), middle, named.list.last()], separator=" ")
    otherwise = (
        pl.when(pl.col("trunk").is_null())
        .then(pl.lit(_SINGLE))
        .when(pl.format("ad{}", "a_adapter") != named.list.get(1, null_on_oob=True))
        .then("a_panel")
        .when(pl.format("ad{}", "b_adapter") != named.list.get(-2, null_on_oob=True))
        .then("b_panel")
        .when(pl.col("polarity") != named.list.get(2, null_on_oob=True))
        .then("trunk")
        .otherwise(pl.format("the cords of {}", "trunk"))
    )
    return rows.with_columns(passes=pl.when(pl.col("trunk").is_null()).then("elements").otherwise(ordered), at=otherwise)


def _of_spares(plan: Plan, planned: pl.DataFrame) -> pl.DataFrame:
    """For each spare trunk the elements of the first channel over its bundle."""
    trunks = plan.table("trunks").select("trunk", "bundle", "ports")
    carried = planned.join(trunks, on="trunk").sort("jumper").unique("bundle", keep="first", maintain_order=True)
    spares = trunks.filter(pl.col("ports") == 0).join(carried.select("bundle", "elements", "lanes"), on="bundle")
    return spares.select(pl.col("trunk").alias("jumper"), "trunk", "elements", "lanes")


def symptom(elements: str | None, lanes: str | None) -> str | None:
    """What a channel shows, by `channel_symptom`; null for words that it does not know."""
    try:
        return channel_symptom(elements or "", lanes or "")
    except ValueError:
        return None


@check("CAB-010", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("channels", "trunks", "panels"), since="0.1")
def every_transmitter_meets_a_receiver(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Over cords, adapters and trunk, every transmit lane of a module ends on a receive lane of its peer.

    Why: an even number of reversals joins transmitters to transmitters: both ends stay dark, and no test of loss shows it.
    Measured by: the maps of plan table `channels`, and those of `trunks` and `panels` as ordered, composed from end to end.
    Repair: exchange the trunk or one cord for the other type.
    Source: ANSI/TIA-568.3 array cables A, B, C and array adapters A, B.
    """
    kinds = channels_as_ordered(plan).select("elements", "passes", "lanes").unique()
    shown = [
        next((s for s in (symptom(e, lanes), symptom(p, lanes)) if s != WORKS), WORKS)
        for e, p, lanes in kinds.select("elements", "passes", "lanes").iter_rows()
    ]
    rows = channels_as_ordered(plan).join(
        kinds.with_columns(pl.Series("symptom", shown, dtype=pl.String)), on=["elements", "passes", "lanes"], how="left",
        nulls_equal=True,
    )  # fmt: skip
    return judge(
        rows,
        subject=pl.col("jumper"),
        ok=pl.col("symptom") == WORKS,
        expected=pl.lit("every Tx on an Rx"),
        found=pl.format(
            "{} ({}): {}", pl.coalesce("passes", "elements"), "at", pl.col("symptom").fill_null("an element that nobody knows")
        ),
    )


@check("CAB-011", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("trunks", "panels", "expectations"), since="0.1")
def pins_meet_holes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """At both panels a trunk and the cords that mate with it have pins on one side only.

    Why: two connectors without pins mate loosely and lose light, two with pins do not mate, and the pins break.
    Measured by: gender of both ends in plan table `trunks` and of `panels`, against that of the cords in `expectations`.
    Repair: order the trunk with the other gender, or change its pins with a field tool.
    Source: NVIDIA structured cabling requirements: female patch cords, male trunks; modules have pins.
    """
    limit = threshold(plan, "CAB-011")
    rows = _with_panels(plan, "gender").with_columns(cords=pl.lit(None if limit is None else limit["value"], dtype=pl.String))
    ends = ("a", "b")
    own = [pl.col(f"{s}_gender") != pl.col("cords") for s in ends]
    panels = [pl.col(f"{s}_gender") == pl.col(f"{s}_panel_gender") for s in ends]
    wrong = (
        pl.when(~own[0] | ~own[1])
        .then(pl.format("{} and {} ends ({})", "a_gender", "b_gender", "trunk"))
        .when(~panels[0])
        .then(pl.format("trunks planned {} ({})", "a_panel_gender", "a_panel"))
        .when(~panels[1])
        .then(pl.format("trunks planned {} ({})", "b_panel_gender", "b_panel"))
    )
    return judge(
        rows,
        subject=pl.col("trunk"),
        ok=own[0] & own[1] & panels[0] & panels[1],
        expected=pl.format("pins that mate with {} cords at both panels", "cords"),
        found=wrong,
    )


def _with_panels(plan: Plan, trait: str) -> pl.DataFrame:
    """Table `trunks` with ``a_panel_<trait>`` and ``b_panel_<trait>``."""
    rows = plan.table("trunks")
    for side in ("a", "b"):
        held = plan.table("panels").select(pl.col("panel").alias(f"{side}_panel"), pl.col(trait).alias(f"{side}_panel_{trait}"))
        rows = rows.join(held, on=f"{side}_panel", how="left", maintain_order="left")
    return rows


@check("CAB-012", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("trunks", "panels"), since="0.1")
def one_polish_along_a_trunk(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A trunk, both of its panels and the modules behind them have one polish, angled or flat.

    Why: an angled ferrule on a flat one loses a decibel and more, reflects, and scratches both.
    Measured by: plan tables `trunks`, `panels`, and `parts` of the modules at the ends of its channels.
    Repair: order the trunk with the polish of the modules.
    Source: IEC 61754-7; NVIDIA structured cabling requirements: angled for array connectors, flat for LC.
    """
    rows = _with_panels(plan, "polish").join(_module_polish(plan), on="trunk", how="left", maintain_order="left")
    off = [pl.col("polish") != pl.col(f"{s}_panel_polish") for s in ("a", "b")]
    modules = (pl.col("modules") != pl.col("polish")).fill_null(False)
    wrong = (
        pl.when(off[0] & off[1])
        .then(pl.format("{} among {} ({})", "polish", "a_panel_polish", "trunk"))
        .when(off[0])
        .then(pl.format("{} among {} ({})", "a_panel_polish", "polish", "a_panel"))
        .when(off[1])
        .then(pl.format("{} among {} ({})", "b_panel_polish", "polish", "b_panel"))
        .otherwise(pl.format("trunks and panels {}, modules {}", "polish", "modules"))
    )
    return judge(rows, subject=pl.col("trunk"), ok=~off[0] & ~off[1] & ~modules, expected=pl.lit("one polish"), found=wrong)


def _module_polish(plan: Plan) -> pl.DataFrame:
    """``trunk modules``: the polish of the modules that its channels end in, joined by + where they differ."""
    if not all(plan.has(t) for t in ("channels", "jumpers", "parts")):
        return pl.DataFrame(schema={"trunk": pl.String, "modules": pl.String})
    jumpers = with_traits(plan, jumpers_with_optics(plan), "polish").select("jumper", "a_polish", "b_polish")
    held = plan.table("channels").filter(pl.col("trunk").is_not_null()).select("trunk", "jumper")
    ends = held.join(jumpers, on="jumper").unpivot(["a_polish", "b_polish"], index="trunk", value_name="polish")
    known = ends.filter(pl.col("polish").is_not_null())
    return known.group_by("trunk").agg(modules=pl.col("polish").unique().sort().str.join("+"))


@check("CAB-013", layer=Layer.FACILITY, needs=("channels",), since="0.1")
def loss_stays_in_the_budget(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Length, mated pairs and splices of a channel lose no more light than its physical layer allows.

    Why: a link over its budget comes up and drops under heat or after a cleaning; adding a panel spends the margin.
    Measured by: plan table `channels`; a physical layer without a published budget is not measured, never passed.
    Repair: fewer mated pairs, low-loss connectors, a shorter way, or the single-mode variant.
    Source: IEEE 802.3 budgets as in the catalogue; length x attenuation + pairs + splices.
    """
    return judge(
        plan.table("channels"),
        subject=pl.col("jumper"),
        ok=pl.col("loss_db").round(2) <= pl.col("limit_db"),
        expected=pl.when(pl.col("limit_db").is_null())
        .then(pl.format("a loss budget of {}", pl.col("phy").fill_null("its physical layer")))
        .otherwise(pl.format("at most {} for {}", amount(pl.col("limit_db"), "dB"), pl.col("phy").fill_null("(unknown)"))),
        found=pl.format(
            "{} over {} and {} mated pairs", amount(pl.col("loss_db"), "dB"), amount(pl.col("length_m"), "m"), "pairs"
        ),
    )


@check("CAB-014", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("channels",), since="0.1")
def channels_over_trunks_stay_in_reach(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Cords and trunk together are no longer than the modules reach.

    Why: the reach of a module is that of the whole channel; a trunk that fits alone may be too long with its cords.
    Measured by: plan table `channels`, of those over trunks; whole cords are judged by DES-044.
    Repair: shorter cords, another way, or modules that reach farther.
    Source: module manuals, as in the catalogue.
    """
    return judge(
        plan.table("channels"),
        subject=pl.col("jumper"),
        ok=pl.col("length_m") <= pl.col("reach_m"),
        applies=pl.col("trunk").is_not_null(),
        expected=pl.format("at most {}", amount(pl.col("reach_m"), "m")),
        found=pl.format("{} of cords and trunk", amount(pl.col("length_m"), "m")),
    )
