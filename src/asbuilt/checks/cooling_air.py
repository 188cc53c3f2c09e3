"""Heat that liquid does not take: what each row leaves to the room, and the air that carries it."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, at_most, judge, nothing, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity


@check("COO-040", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("liquid_shares",), since="0.1")
def the_liquid_share_is_known(plan: Plan, facts: Facts) -> pl.DataFrame:
    """What every liquid-cooled system leaves to the air at the site's supply temperature is known.

    Why: ten racks that leave a tenth of their heat to the air need a room for 140 kW that no liquid plan shows.
    Measured by: plan table `liquid_shares`: the row for the site's supply temperature, and what its figures rest on.
    Repair: the maker's table for the coolant and the supply temperature of the site.
    Source: heat and flow from the system's catalogue entry.
    """
    systems = (
        plan.table("liquid_shares")
        .group_by("system")
        .agg(
            pl.col("chosen").any().alias("has"),
            pl.col("confidence").filter(pl.col("chosen")).first(),
            pl.col("source").filter(pl.col("chosen")).first(),
        )
    )
    return judge(
        systems.sort("system"),
        subject=pl.format("system:{}", "system"),
        ok=pl.when(pl.col("has") & (pl.col("confidence") != "low")).then(pl.lit(True)),
        expected=pl.lit("a published share of liquid and air"),
        found=pl.when(pl.col("has"))
        .then(pl.format("a low-confidence figure: {}", "source"))
        .otherwise(pl.lit("no row for the site's supply temperature")),
    )


@check("COO-041", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("air_rows",), since="0.1")
def the_room_takes_the_air_heat(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No row leaves more heat to the air than the room takes from it.

    Why: what liquid leaves over still heats the room, and it shows when the second row is switched on.
    Measured by: plan table `air_rows`: heat left to the air against what the site says the room takes from a row.
    Repair: more air handling for the row, rear-door heat exchangers, or fewer racks in it.
    Source: the requirement's figure for the room; heat from the systems' figures.
    """
    return judge(
        plan.table("air_rows"),
        subject=pl.format("row:{}", "row"),
        ok=pl.col("air_kw") <= pl.col("room_kw"),
        applies=pl.col("room_kw").is_not_null(),
        expected=pl.format("at most {}", amount(pl.col("room_kw"), "kW")),
        found=pl.format("{} from {} racks", amount(pl.col("air_kw"), "kW"), "racks"),
    )


@check("COO-042", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("air_rows", "expectations"), since="0.1")
def an_ordinary_room_takes_the_densest_rack(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Where nobody said what the room takes, no rack leaves more heat to the air than an ordinary room can take.

    Why: existing rooms are built for 5 to 10 kW a rack; a "fully" liquid-cooled rack leaves 12 to 20 kW to the air.
    Measured by: plan table `air_rows`: the densest rack of a row. Above what ordinary rooms take nothing is known.
    Repair: have the room's capacity for each row stated, then state it in the requirement.
    Source: usual capacity of rooms in the plan's expectations.
    """
    usual = threshold(plan, "COO-042")
    if usual is None:
        return nothing("the plan does not say what an ordinary room takes")
    return judge(
        plan.table("air_rows"),
        subject=pl.format("row:{}", "row"),
        ok=pl.when(at_most(pl.col("densest_kw"), usual)).then(pl.lit(True)),
        applies=pl.col("room_kw").is_null(),
        expected=pl.format("at most {} a rack, or a stated capacity of the room", amount(pl.lit(usual["limit"]), "kW")),
        found=pl.format("{} from the densest rack", amount(pl.col("densest_kw"), "kW")),
    )


@check("COO-044", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("air_rows",), since="0.1")
def the_room_takes_the_densest_rack(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No rack leaves much more heat to the air than the room takes from one position.

    Why: a row that is fine in sum has a hot spot where all its air-cooled switches stand.
    Measured by: plan table `air_rows`: the densest rack against the room's share of one rack.
    Repair: spread what is cooled by air over the row, or give that position more air.
    Source: the requirement's figure for the room. A row that is too much in sum is told by COO-041 and not again here.
    """
    share = pl.col("room_kw") / pl.col("racks")
    return judge(
        plan.table("air_rows"),
        subject=pl.format("row:{}", "row"),
        ok=pl.col("densest_kw") <= share,
        applies=pl.col("air_kw") <= pl.col("room_kw"),
        expected=pl.format("at most {} a rack", amount(share, "kW")),
        found=pl.format("{} from the densest rack", amount(pl.col("densest_kw"), "kW")),
    )


@check("COO-043", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("air_rows", "expectations"), since="0.1")
def every_row_moves_the_air_it_needs(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The devices of every row move the air that takes its heat at the planned temperature rise.

    Why: devices that move less blow hotter air than the room was planned for, and it comes round to the next row's inlets.
    Measured by: plan table `air_rows`: air that the devices move against what the heat asks for.
    Repair: plan the room for the higher rise, or correct the figure of the device that the row's sum rests on.
    Source: air of the devices from the catalogue; V = P / (rho cp dT) with the rise of the plan.
    """
    tolerance = threshold(plan, "COO-043")
    if tolerance is None:
        return nothing("the plan states no need of air")
    least = pl.col("need_m3_h") * (1 - pl.lit(tolerance["tol_rel"] or 0.0))
    return judge(
        plan.table("air_rows"),
        subject=pl.format("row:{}", "row"),
        ok=pl.col("airflow_m3_h") >= least,
        expected=pl.format("at least {}", amount(pl.col("need_m3_h"), "m³/h")),
        found=pl.when(pl.col("airflow_m3_h").is_null())
        .then(pl.lit("air of one of the devices unknown"))
        .otherwise(
            pl.format("{}, which it warms by {}", amount(pl.col("airflow_m3_h"), "m³/h"), amount(pl.col("rise_k"), "K"))
        ),
    )
