"""The loop as it is built and serviced: pressure, condensation, materials, valves, height of the header, reach, torque."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, at_most, judge, nothing, threshold, thresholds, words
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("COO-020", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("loops",), since="0.1")
def the_weakest_part_bears_the_pressure(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The weakest part of every loop whose working pressure is known bears the highest pressure in it.

    Why: pump head and static fill add up, and the part that yields first is a manifold inside a rack.
    Measured by: plan table `loops`: lowest working pressure of its parts against fill and pump head together. Parts whose
        pressure nobody stated are told by COO-025.
    Repair: a lower fill pressure, a limit of the pump speed, a relief valve below it, or parts of a higher rating.
    Source: working pressures from the catalogue; head from the pump curve, static fill from the requirement.
    """
    return judge(
        plan.table("loops"),
        subject=pl.col("loop"),
        ok=pl.col("working_kpa") <= pl.col("weakest_kpa"),
        expected=pl.format(
            "at most {} ({})", amount(pl.col("weakest_kpa"), "kPa"), pl.col("weakest").fill_null("unknown part")
        ),
        found=pl.when(pl.col("working_kpa").is_null())
        .then(pl.lit("pressure of the loop unknown"))
        .otherwise(amount(pl.col("working_kpa"), "kPa")),
    )


@check("COO-021", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("loops", "expectations"), since="0.1")
def coolant_is_warmer_than_the_dew_point(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The supply of every loop stays above the dew point of the room, with a margin.

    Why: below it water condenses on manifolds and couplings above live busbars.
    Measured by: plan table `loops`: supply temperature against the dew point of the room.
    Repair: a warmer supply, or drier air with its control proven.
    Source: margin in the plan's expectations; dew point from air temperature and humidity (Magnus formula).
    """
    margin = threshold(plan, "COO-021")
    if margin is None:
        return nothing("the plan states no margin to the dew point")
    return judge(
        plan.table("loops"),
        subject=pl.col("loop"),
        ok=pl.col("supply_c") >= pl.col("dew_point_c") + pl.lit(margin["limit"]),
        expected=pl.format("at least {} above the dew point", amount(pl.lit(margin["limit"]), "K")),
        found=pl.format("supply {}, dew point {}", amount(pl.col("supply_c"), "°C"), amount(pl.col("dew_point_c"), "°C")),
    )


@check("COO-022", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("loops", "expectations"), since="0.1")
def supply_suits_the_system(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The supply temperature of every loop is no higher than the system's maker allows.

    Why: past it the chips throttle at full load, and no flow makes up for it.
    Measured by: plan table `loops` against the highest supply temperature of the systems.
    Repair: a cooler supply: `site.coolant_supply_c`.
    Source: highest supply temperature from the system's catalogue entry.
    """
    limit = threshold(plan, "COO-022")
    if limit is None:
        return nothing("no system states a highest supply temperature")
    return judge(
        plan.table("loops"),
        subject=pl.col("loop"),
        ok=at_most(pl.col("supply_c"), limit),
        expected=pl.format("at most {}", amount(pl.lit(limit["limit"]), "°C")),
        found=amount(pl.col("supply_c"), "°C"),
    )


@check("COO-023", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("loops", "expectations"), since="0.1")
def nothing_in_the_loop_is_banned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No loop wets a material that the system's maker bans.

    Why: aluminium or zinc anywhere in the loop corrodes against the copper of the cold plates and blocks them; the warranty
        of the system ends there.
    Measured by: plan table `loops`: materials of pipes, hoses, couplings and CDU against the banned ones.
    Repair: parts of stainless steel, copper or peroxide-cured EPDM; have every supplier sign the list of wetted materials.
    Source: banned materials from the system's catalogue entry.
    """
    banned = threshold(plan, "COO-023")
    if banned is None:
        return nothing("no system bans a material")
    names = str(banned["value"]).lower().split("+")
    wetted = pl.col("materials").str.to_lowercase().str.split("+")
    bad = wetted.list.set_intersection(pl.lit(names)).list.sort().list.join(", ")
    return judge(
        plan.table("loops"),
        subject=pl.col("loop"),
        ok=bad == "",
        expected=pl.lit(f"none of {', '.join(names)}"),
        found=pl.when(pl.col("materials").is_null()).then(pl.lit("wetted materials unknown")).otherwise(bad),
    )


@check("COO-024", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("loops", "cdus", "expectations"), since="0.1")
def expansion_has_room(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The expansion vessels of a loop take what its coolant grows by from fill to the warmest return.

    Why: without room the pressure rises until the relief valve opens, and the loop loses glycol each time it cools and warms.
    Measured by: plan table `loops` (growth of the finished row's volume) and the vessels of its CDUs.
    Repair: a vessel on the return header, as large as the growth at the allowed rise of pressure.
    Source: volume and density in the plan; vessels from the CDU's catalogue entry.
    """
    vessels = thresholds(plan, "COO-024").select(
        pl.col("selector").str.strip_prefix("part=").alias("part"), pl.col("limit").alias("vessel_l")
    )
    held = plan.table("cdus").join(vessels, on="part", how="left").group_by("loop")
    room = held.agg(
        pl.when(pl.col("vessel_l").is_null().any()).then(None).otherwise(pl.col("vessel_l").sum()).alias("room_l"),
        pl.col("part").unique().sort().str.join(", ").alias("parts"),
    )
    rows = plan.table("loops").select("loop", "expansion_l", "volume_l").join(room, on="loop", how="left")
    return judge(
        rows,
        subject=pl.col("loop"),
        ok=pl.col("room_l") >= pl.col("expansion_l"),
        expected=pl.format("room for {} of {}", amount(pl.col("expansion_l"), "L"), amount(pl.col("volume_l"), "L of coolant")),
        found=pl.when(pl.col("room_l").is_null())
        .then(pl.format("vessel of {} unknown", pl.col("parts").fill_null("no CDU")))
        .otherwise(amount(pl.col("room_l"), "L")),
    )


@check("COO-025", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("fittings",), since="0.1")
def every_joint_has_a_working_pressure(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The working pressure of every kind of joint is known.

    Why: the pressure test is set by the weakest part; a part without a figure may be it, and the test then breaks it.
    Measured by: plan table `fittings`, kinds and sizes without a working pressure.
    Repair: the maker's figure for couplings, clamps, hoses, valves and vents, before a test pressure is chosen.
    Source: working pressures from the catalogue and the requirement.
    """
    return _stated(plan, "working_kpa", "a working pressure")


@check("COO-030", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("branches",), since="0.1")
def every_rack_can_be_shut_off_alone(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every rack has a valve in its supply and in its return, so that it is serviced without draining its neighbours.

    Why: without both, changing one manifold drains the header, and the whole row stands.
    Measured by: plan table `branches`, valves of each branch.
    Repair: a valve on supply and return of each branch, outside the rack, before the header is filled.
    Source: rule of the field; valves as planned.
    """
    return judge(
        plan.table("branches"),
        subject=pl.col("branch"),
        ok=pl.col("valves") == "supply+return",
        expected=pl.lit("a valve in supply and return"),
        found=pl.when(pl.col("valves") == "none")
        .then(pl.lit("no valve"))
        .otherwise(pl.format("a valve in {} only", words(pl.col("valves")))),
    )


@check("COO-031", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("manifolds", "expectations"), since="0.1")
def headers_are_high_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Between every rack and the header above it is one rack unit free, and the bend that the hoses need.

    Why: a header that lies on the rack's top keeps the rack from being rolled out, and hoses bent too sharply close.
    Measured by: plan table `manifolds`: underside of the header less the top of the rack.
    Repair: hang the header higher before it is welded; the difference is in the finding.
    Source: one unit of EIA-310-E as the rule of the field; bend radius from the hose.
    """
    unit = threshold(plan, "COO-031")
    if unit is None:
        return nothing("the plan states no clearance above racks")
    least = pl.max_horizontal(pl.lit(unit["limit"]), pl.col("bend_mm"))
    low = pl.col("clearance_mm") < pl.lit(unit["limit"])
    return judge(
        plan.table("manifolds"),
        subject=pl.col("manifold"),
        ok=pl.when(low).then(pl.lit(False)).otherwise(pl.col("clearance_mm") >= pl.col("bend_mm")),
        expected=pl.when(pl.col("bend_mm").is_null() & ~low)
        .then(pl.lit("the bend radius of the hoses"))
        .otherwise(pl.format("at least {} above the rack", amount(least, "mm"))),
        found=pl.format(
            "{} (underside at {}, rack to {})",
            amount(pl.col("clearance_mm"), "mm"),
            amount(pl.col("underside_mm")),
            amount(pl.col("top_mm"), "mm"),
        ),
    )


@check("COO-032", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("manifolds", "expectations"), since="0.1")
def a_wrench_reaches_every_coupling(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A wrench reaches the couplings of every rack past those of its neighbour.

    Why: a joint that no tool reaches is tightened by hand, and has no torque on record.
    Measured by: plan table `manifolds`: free way from the couplings to the next rack's.
    Repair: turn or stagger the couplings, or move the branch along the header.
    Source: least reach in the plan's expectations, a policy of the site.
    """
    least = threshold(plan, "COO-032")
    if least is None:
        return nothing("the plan states no reach of a wrench")
    return judge(
        plan.table("manifolds"),
        subject=pl.col("manifold"),
        ok=pl.col("wrench_mm") >= pl.lit(least["limit"]),
        expected=pl.format("at least {} free", amount(pl.lit(least["limit"]), "mm")),
        found=amount(pl.col("wrench_mm"), "mm"),
    )


@check("COO-033", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("fittings",), since="0.1")
def every_joint_has_a_torque(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The tightening torque of every kind of joint is known.

    Why: no table holds for all makes, and too much tears a gasket as surely as too little leaves it open.
    Measured by: plan table `fittings`, kinds and sizes without a torque.
    Repair: ask the maker of the fitting, and enter the figure with its tolerance.
    Source: torque and tolerance from the fitting's maker.
    """
    return _stated(plan, "torque_nm", "a torque with tolerance")


def _stated(plan: Plan, column: str, what: str) -> pl.DataFrame:
    """Verdicts by kind and size of fittings: ``column`` is known of all of them, or nobody can decide."""
    known = pl.col(column).is_not_null()
    kinds = plan.table("fittings").group_by("kind", "size").agg((~known).sum().alias("open"))
    return judge(
        kinds.sort("kind", "size"),
        subject=pl.format("fittings:{}/{}", "kind", "size"),
        ok=pl.when(pl.col("open") == 0).then(pl.lit(True)),
        expected=pl.lit(what),
        found=pl.format("{} {} ({})", "kind", "size", "open"),
    )


@check("COO-034", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("manifolds", "expectations"), since="0.1")
def headers_can_be_reached_from_above(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Above every header is one rack unit free.

    Why: vents sit on top of a header, and clamps are closed around it; under a tray or a beam neither can be done.
    Measured by: plan table `manifolds`: free height above the header.
    Repair: another order of header, trays and busway above the row, agreed with the other trades.
    Source: one unit of EIA-310-E as the rule of the field.
    """
    unit = threshold(plan, "COO-034")
    if unit is None:
        return nothing("the plan states no clearance above headers")
    return judge(
        plan.table("manifolds"),
        subject=pl.col("manifold"),
        ok=pl.col("above_mm") >= pl.lit(unit["limit"]),
        expected=pl.format("at least {} above the header", amount(pl.lit(unit["limit"]), "mm")),
        found=amount(pl.col("above_mm"), "mm"),
    )
