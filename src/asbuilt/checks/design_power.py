"""Power supplies and shelves: what is left when a feed is lost."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import W_PER_KW
from asbuilt.checks.answers import amount, judge
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-060", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("power_sources",), since="0.1")
def a_lost_feed_leaves_power_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With any one feed lost, the power supplies (or shelves) on the others carry the whole node (or NVL72 rack).

    Why: a redundancy of 4+2 or 5+1 is counted in supplies, a site loses feeds: with three cords on each of two feeds,
        three supplies are left whatever the label says, and the node slows down or stops when a feed is serviced.
    Measured by: plan table `power_sources`: rating of what hangs on the other feeds against the nameplate draw, or the cap.
    Repair: spread the cords over three feeds, set a power cap that the rest carries, or choose the supply that is N+N.
    Source: supply ratings and nameplate draw from the catalogue; cords from the requirement's `site.cords`.
    """
    sources = plan.table("power_sources")
    systems = sources.group_by("system").agg(
        pl.col("rating_w").sum().alias("all_w"),
        pl.len().alias("all"),
        pl.col("need_w").max(),
        pl.col("capped").any(),
        pl.col("kind").first(),
        (pl.col("confidence") == "low").any().alias("weak"),
    )
    lost = sources.group_by("system", "feed").agg(pl.col("rating_w").sum().alias("lost_w"), pl.len().alias("lost"))
    rows = lost.join(systems, on="system")
    left = pl.col("all_w") - pl.col("lost_w")
    kind = pl.when(pl.col("kind") == "shelf").then(pl.lit("shelves")).otherwise(pl.lit("supplies"))
    cap = pl.when(pl.col("capped")).then(pl.lit(" under the power cap")).otherwise(pl.lit(""))
    weak = pl.when(pl.col("weak")).then(pl.lit(" (low-confidence figures)")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.format("feed:{}/{}", "system", "feed"),
        ok=left >= pl.col("need_w"),
        expected=pl.format("at least {}{}", amount(pl.col("need_w") / W_PER_KW, "kW"), cap),
        found=pl.format(
            "{} from {} of {} {}{}", amount(left / W_PER_KW, "kW"), pl.col("all") - pl.col("lost"), pl.col("all"), kind, weak
        ),
    )
