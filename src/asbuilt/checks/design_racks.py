"""Racks and hall: units, power, weight, air, and what the site feeds and cools."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import W_PER_KW, W_PER_MW
from asbuilt.checks.answers import amount, at_most, holds, judge, nothing, threshold, traits, words
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("DES-048", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("switches", "parts", "expectations"), since="0.1")
def switches_are_sold_with_the_ordered_airflow(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every switch model is sold with the air direction that the site orders.

    Why: a switch that blows the other way draws the hot aisle's air, alarms, and throttles or shuts down.
    Measured by: plan table `switches` against `parts`, and the site's ordered direction.
    Repair: order the variant with the other air direction, or another model.
    Source: the requirement's `site.airflow`; directions from the catalogue.
    """
    ordered = threshold(plan, "DES-048")
    if ordered is None:
        return nothing("the requirement orders no air direction")
    rows = plan.table("switches").select("switch", part="model").join(traits(plan, "sw", "airflow"), on="part", how="left")
    return judge(
        rows,
        subject=pl.col("switch"),
        ok=holds(pl.col("sw_airflow"), pl.lit(ordered["value"])),
        applies=pl.col("sw_airflow").is_not_null(),
        expected=pl.lit(ordered["value"]),
        found=pl.format("{} is sold {}", "part", words(pl.col("sw_airflow"), " or ")),
    )


@check("DES-049", layer=Layer.DESIGN, severity=Severity.MAJOR, needs=("switches", "expectations"), since="0.1")
def switch_air_runs_from_cold_to_hot(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Switch air enters from the cold aisle: port-to-connector where ports face it, connector-to-port where they do not.

    Why: a switch against the aisle draws air that the servers have heated; optics are the first to fail.
    Measured by: the site's ordered air direction against the aisle that port sides face.
    Repair: turn the switches round, or order the other direction.
    Source: the requirement's `site.airflow` and `site.switch_ports_face`.
    """
    ordered, face = threshold(plan, "DES-048"), threshold(plan, "DES-049")
    if ordered is None or face is None:
        return nothing("the requirement states no air direction, or not which aisle the ports face")
    right = {"cold": "port-to-connector", "hot": "connector-to-port"}[str(face["value"])]
    return judge(
        plan.table("switches"),
        subject=pl.col("switch"),
        ok=pl.lit(ordered["value"] == right),
        expected=pl.lit(f"{right}, ports face the {face['value']} aisle"),
        found=pl.lit(ordered["value"]),
    )


@check("DES-050", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("racks",), since="0.1")
def racks_have_the_height(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No rack holds more than its height.

    Why: what does not fit stands on the floor on delivery day.
    Measured by: plan table `racks`.
    Repair: fewer nodes a rack (`site.nodes_per_rack`), or taller racks.
    Source: arithmetic on the placement; heights from the catalogue.
    """
    return judge(
        plan.table("racks"),
        subject=pl.col("rack"),
        ok=pl.col("used_u") <= pl.col("height_u"),
        expected=pl.format("at most {}", amount(pl.col("height_u"), "U")),
        found=amount(pl.col("used_u"), "U"),
    )


@check("DES-051", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("racks", "expectations"), since="0.1")
def racks_stay_within_their_power(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No rack draws more nameplate power than a rack position may.

    Why: the feeders, breakers and the air of a position are built for its limit; the second-loaded rack trips.
    Measured by: plan table `racks`, nameplate power of what stands in it.
    Repair: fewer nodes a rack, or positions that carry more.
    Source: the requirement's `site.rack_power_kw`; nameplate from the catalogue.
    """
    return _against_limit(plan, "DES-051", pl.col("power_w") / W_PER_KW, "kW")


@check("DES-052", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("racks", "expectations"), since="0.1")
def racks_stay_within_the_floor_load(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No rack weighs more than its position carries.

    Why: a raised floor fails once; moving racks on a floor that is at its limit is when it does.
    Measured by: plan table `racks`, weight of the rack and of what stands in it.
    Repair: fewer nodes a rack, load spreading, or a slab.
    Source: the requirement's `site.rack_weight_kg`; weights from the catalogue.
    """
    return _against_limit(plan, "DES-052", pl.col("weight_kg"), "kg")


def _against_limit(plan: Plan, check_id: str, value: pl.Expr, unit: str) -> pl.DataFrame:
    limit = threshold(plan, check_id)
    if limit is None:
        return nothing("the plan states no limit")
    weak = pl.when(pl.col("weak").is_not_null()).then(pl.format(" (low confidence: {})", "weak")).otherwise(pl.lit(""))
    return judge(
        plan.table("racks").join(_weak_nameplates(plan), on="rack", how="left"),
        subject=pl.col("rack"),
        ok=at_most(value, limit),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), unit)),
        found=amount(value, unit) + (weak if unit == "kW" else pl.lit("")),
    )


def _weak_nameplates(plan: Plan) -> pl.DataFrame:
    """``rack weak``: the parts in each rack whose nameplate power is a low-confidence figure."""
    if not (plan.has("loads") and plan.has("parts")):
        return pl.DataFrame(schema={"rack": pl.String, "weak": pl.String})
    low = plan.table("parts").filter(pl.col("power_confidence") == "low").select("part")
    held = plan.table("loads").join(low, on="part", how="semi")
    return held.group_by("rack").agg(pl.col("part").unique().sort().str.join(", ").alias("weak"))


@check("DES-053", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("racks", "expectations"), since="0.1")
def the_site_has_the_power(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The site's power covers the nameplate of all racks and their cooling.

    Why: the grid connection is the part of a data centre with the longest lead time.
    Measured by: plan table `racks`, nameplate power summed, times the PUE.
    Repair: fewer GPUs in this phase, a power cap, or more power.
    Source: the requirement's `site.power_mw` and `site.pue`.
    """
    limit, pue = threshold(plan, "DES-053"), threshold(plan, "DES-053", "pue")
    if limit is None or pue is None:
        return nothing("the requirement does not state the power of the site")
    drawn = plan.table("racks").select((pl.col("power_w").sum() * pl.lit(pue["limit"]) / W_PER_MW).alias("mw"))
    return judge(
        drawn,
        subject=pl.lit("site"),
        ok=at_most(pl.col("mw"), limit),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), "MW")),
        found=pl.format("{} at PUE {}", amount(pl.col("mw"), "MW"), amount(pl.lit(pue["limit"]))),
    )


@check("DES-054", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("nodes", "switches"), since="0.1")
def devices_do_not_overlap(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two devices of a rack take the same unit.

    Why: the second one does not go in.
    Measured by: plan tables `nodes` and `switches`: lowest unit and height.
    Repair: place one of the two elsewhere.
    Source: arithmetic on the placement.
    """
    nodes = plan.table("nodes").select("rack", "u", "height_u", device="node")
    switches = plan.table("switches").select("rack", "u", "height_u", device="switch")
    placed = pl.concat([nodes, switches]).filter((pl.col("rack") != "") & (pl.col("height_u") > 0)).sort("rack", "u", "device")
    rows = placed.with_columns(
        pl.col("u").shift(-1).over("rack").alias("next_u"), pl.col("device").shift(-1).over("rack").alias("next_device")
    )
    top = pl.col("u") + pl.col("height_u")
    return judge(
        rows,
        subject=pl.col("device"),
        ok=pl.col("next_u").is_null() | (top <= pl.col("next_u")),
        expected=pl.format("units below {} free", amount(top)),
        found=pl.format("{} from U{}", pl.col("next_device").fill_null("nothing"), amount(pl.col("next_u")).fill_null("-")),
    )


@check("DES-055", layer=Layer.DESIGN, severity=Severity.BLOCKER, needs=("racks", "expectations"), since="0.1")
def the_hall_takes_the_liquid_heat(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No rack gives heat to liquid in a hall that cools with air alone.

    Why: a liquid-cooled tray without a loop runs for seconds.
    Measured by: plan table `racks`, heat taken by liquid, and the site's cooling.
    Repair: a liquid loop for the row, or the air-cooled variant of the system.
    Source: the requirement's `site.cooling`; liquid share from the catalogue.
    """
    cooling = threshold(plan, "DES-055")
    if cooling is None:
        return nothing("the plan does not say what the hall can cool")
    return judge(
        plan.table("racks"),
        subject=pl.col("rack"),
        ok=(pl.col("liquid_w") == 0) | pl.lit(cooling["value"] != "air"),
        expected=pl.lit(f"heat that a hall cooled by {cooling['value']} takes"),
        found=pl.format("{} to liquid", amount(pl.col("liquid_w") / W_PER_KW, "kW")),
    )
