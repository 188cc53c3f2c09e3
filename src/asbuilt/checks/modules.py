"""Links and modules as their own diagnostics see them: bit error ratios, light, temperature, firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, shortly, threshold, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

_NEEDS, _FACTS = ("expectations",), ("modules_measured",)


def _subjects(facts: Facts, *quantities: str) -> pl.DataFrame:
    """Rows of these quantities with a number, and ``subject``."""
    import polars as pl

    rows = facts.tables["modules_measured"].filter(pl.col("quantity").is_in(list(quantities)) & pl.col("value").is_not_null())
    external = pl.col("port").str.contains("#", literal=True) & (pl.col("number") > 0)
    return rows.with_columns(pl.when(external).then(pl.format("{}/{}", "port", "number")).otherwise("port").alias("subject"))


def _said(facts: Facts, *quantities: str) -> pl.DataFrame:
    """As `_subjects`; of several reports of one lane the last."""
    return _subjects(facts, *quantities).unique(["subject", "quantity", "lane"], keep="last", maintain_order=True)


@check("FAB-030", layer=Layer.FABRIC, severity=Severity.INFO, needs=_NEEDS, facts=_FACTS, since="0.1")
def raw_errors_are_like_those_of_others(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No port's raw bit error ratio stands far above that of the ports like it, or moves far between two readings.

    Why: errors before correction are normal on PAM4 lanes, so no figure of them fails a link; but the one that stands
    out, or gets worse, goes first. A finding of this check is a remark, never a failure.
    Measured by: mlxlink -c, ibdiagnet --get_phy_info (raw BER, histogram of FEC errors).
    Repair: none needed; watch it, and clean both ends at the next occasion.
    Source: the plan's expectation FAB-030: decades above the median of all ports that were read, of at least so many,
    or between a port's first and last reading, in the order in which captures are given.
    """
    import polars as pl

    limit, alike = threshold(plan, "FAB-030", "decades"), threshold(plan, "FAB-030", "alike")
    rows = _said(facts, "raw_ber")
    if rows.is_empty() or not limit or not alike:
        return untold("a raw bit error ratio")
    worst = rows.group_by("subject", maintain_order=True).agg(pl.col("value").max(), *(pl.col(c).first() for c in EVIDENCE))
    bins = _said(facts, "fec_bin").filter(pl.col("value") > 0).group_by("subject").agg(pl.col("lane").max().alias("bin"))
    frame = worst.join(bins, on="subject", how="left", maintain_order="left")
    frame = frame.join(_raw_before(facts), on="subject", how="left", maintain_order="left")
    seen = frame.filter(pl.col("value") > 0)
    median = seen["value"].median() if seen.height >= alike["limit"] else None  # type: ignore[operator]
    frame = frame.with_columns(pl.lit(median, dtype=pl.Float64).alias("median"))
    above = pl.when(pl.col("value") > 0).then((pl.col("value") / pl.col("median")).log10()).otherwise(0.0)
    apart = above > pl.lit(limit["limit"])
    moved = (pl.col("decades").abs() > pl.lit(limit["limit"])).fill_null(False)
    more = pl.when(pl.col("bin").is_not_null()).then(pl.format(", FEC bins in use up to {}", "bin")).otherwise(pl.lit(""))
    before = pl.when(pl.col("before").is_not_null()).then(
        pl.format(", {} per bit in an earlier reading ({})", shortly(pl.col("before")), "at")
    )
    median_said = pl.format("like ports have {} per bit (median)", shortly(pl.col("median")))
    return judge(
        frame,
        subject=pl.col("subject"),
        ok=~(apart.fill_null(False) | moved),
        expected=pl.when(apart.fill_null(False))
        .then(median_said)
        .otherwise(pl.lit(f"two readings of a port are at most {limit['value']} decades apart")),
        found=pl.format("{} per bit{}{}", shortly(pl.col("value")), more, before.otherwise(pl.lit(""))),
        applies=pl.col("median").is_not_null() | pl.col("before").is_not_null(),
        evidence=EVIDENCE,
    )


def _raw_before(facts: Facts) -> pl.DataFrame:
    """subject, before (raw ratio), at (capture and line), decades (to the last reading): of the lane that moved most between
    its first and last reading, in the order in which captures were given. A zero has no logarithm and is left out."""
    import polars as pl

    rows = _subjects(facts, "raw_ber").filter(pl.col("value") > 0)
    lanes = rows.group_by("subject", "lane", maintain_order=True).agg(
        pl.len().alias("readings"),
        pl.col("value").first().alias("before"),
        pl.format("{}:{}", "capture_id", "line").first().alias("at"),
        (pl.col("value").last() / pl.col("value").first()).log10().alias("decades"),
    )
    several = lanes.filter(pl.col("readings") > 1).sort(pl.col("decades").abs(), descending=True, maintain_order=True)
    return several.unique("subject", keep="first", maintain_order=True).select("subject", "before", "at", "decades")


@check("FAB-036", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def corrected_errors_stay_below_the_limit(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No port's effective or symbol bit error ratio, after correction, is above its limit.

    Why: what correction lets through is lost and sent again; above the limit the link is on its way out.
    Measured by: mlxlink -c, ibdiagnet --get_phy_info (Effective Physical BER, Symbol BER).
    Repair: clean and inspect both ends, swap the cable, then the transceiver.
    Source: the plan's expectations FAB-036.
    """
    import polars as pl

    limits = {q: threshold(plan, "FAB-036", q) for q in ("effective_ber", "symbol_ber")}
    rows = _said(facts, *limits)
    if rows.is_empty():
        return untold("a bit error ratio after correction")
    most = pl.col("quantity").replace_strict(
        {q: x["limit"] for q, x in limits.items() if x}, default=None, return_dtype=pl.Float64
    )
    rows = rows.with_columns(most.alias("most"), (pl.col("value") / most).alias("times"))
    worst = rows.sort("times", descending=True, nulls_last=True, maintain_order=True)
    named = pl.col("quantity").replace({"effective_ber": "effective BER", "symbol_ber": "symbol BER"})
    return judge(
        worst.unique("subject", keep="first", maintain_order=True),
        subject=pl.col("subject"),
        ok=pl.col("value") <= pl.col("most"),
        expected=pl.format("{} at most {}", named, shortly(pl.col("most"))),
        found=pl.format("{} {}", named, shortly(pl.col("value"))),
        evidence=EVIDENCE,
    )


@check("FAB-037", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def lanes_receive_enough_light(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No lane of a module receives much less light than the lanes beside it, or less than the module's own floor.

    Why: one dirty end-face takes the light of one lane; the link comes up and corrects errors until it cannot.
    Measured by: mlxlink -m (Rx Power Current, with the module's window where it prints one).
    Repair: clean and inspect the fibre ends of this lane at both sides, then swap the jumper.
    Source: the plan's expectation FAB-037; the floor is the module's own lowest Rx power.
    """
    import polars as pl

    limit = threshold(plan, "FAB-037", "below_median")
    rows = _said(facts, "rx_power_dbm")
    if rows.is_empty() or not limit:
        return untold("the light that a lane receives")
    floors = _said(facts, "rx_power_dbm_min").group_by("subject").agg(pl.col("value").max().alias("floor"))
    rows = rows.join(floors, on="subject", how="left", maintain_order="left")
    below = pl.col("value").median().over("subject") - pl.col("value")
    low = (pl.col("value") < pl.col("floor")).fill_null(False)
    rows = rows.with_columns(below.alias("below"), low.alias("low"))
    worst = rows.sort("low", "below", descending=True, maintain_order=True).unique("subject", keep="first", maintain_order=True)
    lane = pl.when(pl.col("lane").is_not_null()).then(pl.format("lane {} ", "lane")).otherwise(pl.lit(""))
    floor = pl.format("the module's floor is {} dBm", "floor")
    return judge(
        worst,
        subject=pl.col("subject"),
        ok=~pl.col("low") & (pl.col("below") <= pl.lit(limit["limit"])),
        expected=pl.when(pl.col("low")).then(floor).otherwise(pl.lit(f"at most {limit['value']} dB below the lanes beside it")),
        found=pl.format("{}{} dBm, {} dB below the median", lane, pl.col("value").round(2), pl.col("below").round(2)),
        evidence=EVIDENCE,
    )


@check("FAB-038", layer=Layer.FABRIC, needs=_NEEDS, facts=_FACTS, since="0.1")
def modules_stay_cool(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No module is hotter than the limit.

    Why: a hot laser ages fast and drifts; a row of hot modules tells of air that takes another way.
    Measured by: mlxlink -m (Temperature).
    Repair: check blanking panels, fans and the direction of air at this cage.
    Source: the plan's expectation FAB-038.
    """
    import polars as pl

    limit = threshold(plan, "FAB-038")
    rows = _said(facts, "temperature_c")
    if rows.is_empty() or not limit:
        return untold("the temperature of a module")
    hottest = rows.sort("value", descending=True, maintain_order=True).unique("subject", keep="first", maintain_order=True)
    return judge(
        hottest,
        subject=pl.col("subject"),
        ok=pl.col("value") <= pl.lit(limit["limit"]),
        expected=pl.lit(f"at most {limit['value']} {limit['unit']}"),
        found=pl.format("{} {}", pl.col("value").round(1), pl.lit(limit["unit"])),
        evidence=EVIDENCE,
    )


@check("FAB-039", layer=Layer.FABRIC, severity=Severity.MINOR, needs=("links",), facts=_FACTS, since="0.1")
def like_links_have_like_modules(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Links of one plane and kind have modules or cables of one part number and one firmware, at each side.

    Why: a mix is where faults hide: one part of another maker, one firmware behind, and comparing links says nothing.
    Measured by: mlxlink -m (Vendor Part Number, FW Version).
    Repair: bring the odd ones to the firmware, or the part, of the others; or waive the mix.
    Source: what most of the links of the same plane, kind and side have; ibdiagnet's own check of firmware uniformity.
    """
    import polars as pl

    rows = facts.tables["modules_measured"].filter(
        pl.col("quantity").is_in(["part_number", "firmware"]) & pl.col("link").is_not_null() & (pl.col("text") != "N/A")
    )
    if rows.is_empty():
        return untold("the part or firmware of a module")
    external = pl.col("port").str.contains("#", literal=True)
    subject = pl.when(external).then(pl.format("{}/{}", "port", "number")).otherwise("port").alias("subject")
    said = rows.with_columns(
        subject, external.alias("at_switch"), pl.format("{} {}", pl.col("quantity").str.replace("_", " "), "text").alias("word")
    )
    modules = said.sort("quantity", descending=True, maintain_order=True).group_by("subject", maintain_order=True).agg(
        pl.col("word").unique(maintain_order=True).implode().list.join(", ").alias("has"),
        pl.col("link").first(), pl.col("at_switch").first(), *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    kinds = plan.links.select("link", "plane", "kind")
    frame = modules.join(kinds, on="link", how="left", maintain_order="left")
    alike = ("plane", "kind", "at_switch")
    counts = frame.group_by(*alike, "has").len().sort("len", "has", descending=[True, False])
    usual = counts.group_by(*alike, maintain_order=True).agg(
        pl.col("has").first().alias("usual"), pl.col("len").sum().alias("all")
    )
    frame = frame.join(usual, on=alike, how="left", maintain_order="left", nulls_equal=True)
    return judge(
        frame,
        subject=pl.col("subject"),
        ok=pl.col("has") == pl.col("usual"),
        expected=pl.format("most of the {} like it have {}", "all", "usual"),
        found=pl.col("has"),
        applies=pl.col("all") > 1,
        evidence=EVIDENCE,
    )
