"""Cords: the feed they hang on, what they plug into, what they carry, and what is left of a device when a feed is lost."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import W_PER_KW
from asbuilt.checks.answers import amount, judge, once, threshold
from asbuilt.checks.power_feeds import asked_of_circuit, lone_by_map, lone_racks, redundant
from asbuilt.checks.power_limits import bound
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.cords import MATES, MOST_C
from asbuilt.physics.three_phase import SQRT3

_PAIRS = [f"{female}/{male}" for female, males in MATES.items() for male in males]


@once
def seated(plan: Plan) -> pl.DataFrame:
    """Cords with their PDU: ``pdu_feed pdu_v pdu_conductors`` and what is wrong with where they are plugged in.

    ``moved``: not on the feed that the map asks for; ``lone``: all cords of the device, two or more, go to one feed;
    ``fits``: both ends mate, null for a coupler that nobody knows. Where a PDU as a whole is on another feed than its cords ask
    for (or its circuit), that is the PDU's fault: its devices do not count as lone.
    """
    pdus = plan.table("pdus").select("pdu", "circuit", pdu_feed="feed", pdu_v="voltage_v", pdu_conductors="conductors")
    if plan.has("circuits"):
        pdus = pdus.join(
            plan.table("circuits").select("circuit", fed="feed", planned=asked_of_circuit()), on="circuit", how="left"
        )
    else:
        pdus = pdus.with_columns(fed=pl.lit(None, dtype=pl.String), planned=pl.lit(None, dtype=pl.String))
    rows = plan.table("cords").join(pdus.drop("circuit"), on="pdu", how="left")
    rows = rows.with_columns(
        moved=(pl.col("feed") != pl.col("pdu_feed")).fill_null(True),
        at_outlet=_mates("outlet_type", "plug"),
        at_inlet=_mates("connector", "inlet"),
    )
    rows = rows.with_columns(all_moved=pl.col("moved").all().over("pdu") & (pl.len().over("pdu") > 1))
    elsewhere = (pl.col("fed") != pl.col("pdu_feed")).fill_null(False) | (pl.col("fed") != pl.col("planned")).fill_null(False)
    other = pl.col("all_moved") | elsewhere
    rows = rows.with_columns(goes_to=pl.when(other).then(pl.col("feed")).otherwise(pl.col("pdu_feed")))
    lone = (pl.col("goes_to").n_unique().over("device") == 1) & (pl.len().over("device") > 1)
    return rows.with_columns(lone=lone, fits=pl.col("at_outlet") & pl.col("at_inlet"))


def _mates(female: str, male: str) -> pl.Expr:
    males = [name for names in MATES.values() for name in names]
    known = pl.col(female).is_in(list(MATES)) & pl.col(male).is_in(males)
    return pl.when(known).then(pl.concat_str(female, pl.lit("/"), male).is_in(_PAIRS))


@check("PWR-009", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "nodes", "power_sources"), since="0.1")
def every_device_outlives_a_lost_feed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """With any one feed lost, the cords of every node on the other feeds carry the whole node.

    Why: a map of cords that is right on paper is wrong in one rack as soon as one cord goes to the other side.
    Measured by: plan table `cords` with the supply ratings and the nameplate draw (or cap) of `power_sources`. Where the cords
        follow the map of the system and that map itself falls short, DES-060 says so, once for all nodes of the kind.
    Repair: plug the cords as `site.cords` says.
    Source: supply ratings and nameplate draw from the catalogue; cords from the plan.
    """
    sources = plan.table("power_sources").select(
        "system", "rating_w", "need_w", supply="number", mapped=pl.format("feed:{}", "feed")
    )
    nodes = plan.table("nodes").select("system", device="node")
    rows = seated(plan).join(nodes, on="device").join(sources, on=["system", "supply"])
    short = _short_systems(plan)
    whole = rows.group_by("device").agg(
        pl.col("system").first(), pl.col("need_w").first(), pl.col("lone").first(), pl.col("rating_w").sum().alias("all_w"),
        follows=(pl.col("feed") == pl.col("mapped")).all(), moved=pl.col("moved").any(),
    )  # fmt: skip
    lost = rows.group_by("device", "feed").agg(pl.col("rating_w").sum().alias("lost_w"))
    worst = lost.sort("device", "lost_w", "feed", descending=[False, True, False]).unique("device", keep="first")
    judged = whole.join(worst, on="device").with_columns(left=pl.col("all_w") - pl.col("lost_w"))
    told_before = pl.col("follows") & pl.col("system").is_in(short)
    return judge(
        judged.sort("device"),
        subject=pl.col("device"),
        ok=pl.col("left") >= pl.col("need_w"),
        expected=pl.format("at least {}", amount(pl.col("need_w") / W_PER_KW, "kW")),
        found=pl.format(
            "{} with feed {} lost", amount(pl.col("left") / W_PER_KW, "kW"), pl.col("feed").str.replace("^feed:", "")
        ),
        applies=~told_before & ~pl.col("lone") & ~pl.col("moved"),
    )


def _short_systems(plan: Plan) -> list[str]:
    """Systems whose map of cords leaves too little with a feed lost: DES-060 says so."""
    sources = plan.table("power_sources")
    systems = sources.group_by("system").agg(pl.col("rating_w").sum().alias("all_w"), pl.col("need_w").max())
    lost = sources.group_by("system", "feed").agg(pl.col("rating_w").sum().alias("lost_w"))
    left = pl.col("all_w") - pl.col("lost_w")
    return lost.join(systems, on="system").filter(left < pl.col("need_w"))["system"].unique().sort().to_list()


@check("PWR-010", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "pdus", "feeds"), since="0.1")
def cords_of_a_device_hang_on_different_feeds(plan: Plan, facts: Facts) -> pl.DataFrame:
    """A device with two cords or more, and a rack with two power shelves or more, hangs on two feeds or more.

    Why: A and B cord on one feed look redundant from the front and go dark together.
    Measured by: plan table `cords`: different feeds of each device with more than one cord; plan tables `shelves` and
        `circuits`: those of each rack's shelves; on a site with more than one feed whose redundancy is not N. A map of one
        feed for the whole system is left to DES-060.
    Repair: plug half of the cords, or the whips of half of the shelves, into another feed.
    Source: the requirement's `site.cords`, `power.shelf_feeds` and `power.redundancy`.
    """
    cords = seated(plan).group_by(subject="device").agg(pl.len(), pl.col("lone").first(), feed=pl.col("goes_to").min())
    parts = [cords.with_columns(what=pl.lit("cords"))]
    if plan.has("shelves"):
        shelves = plan.table("shelves").group_by(subject="rack").agg(pl.len())
        lone = lone_racks(plan).select("feed", subject="rack", lone=pl.lit(True))
        on_shelves = shelves.join(lone, on="subject", how="left").with_columns(pl.col("lone").fill_null(False))
        parts.append(on_shelves.with_columns(what=pl.lit("shelves")))
    rows = pl.concat(parts, how="diagonal")
    return judge(
        rows.sort("subject"),
        subject=pl.col("subject"),
        ok=~pl.col("lone"),
        expected=pl.format("{} on two feeds or more", "what"),
        found=pl.format("all {} {} on feed {}", "len", "what", pl.col("feed").str.replace("^feed:", "")),
        applies=(pl.col("len") > 1) & pl.lit(redundant(plan)) & ~pl.col("subject").is_in(lone_by_map(plan)),
    )


@check("PWR-012", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "pdus"), since="0.1")
def cords_mate_at_both_ends(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every cord mates with the outlet of the PDU and with the inlet of its device.

    Why: a C13 does not go into a C16 or C20 inlet; the wrong cords are found on the day of installation, by the hundred.
    Measured by: plan table `cords`: outlet with plug, connector with inlet.
    Repair: order the cord with the fitting ends.
    Source: IEC 60320-1 and -3: which connector takes which inlet.
    """
    cord = pl.format("{} to {}", "plug", "connector")
    return judge(
        seated(plan),
        subject=pl.col("cord"),
        ok=pl.col("fits"),
        expected=pl.format("a cord from outlet {} to inlet {}", "outlet_type", "inlet"),
        found=pl.format("a cord {}", cord),
    )


@check("PWR-013", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "pdus", "expectations"), since="0.1")
def cords_carry_their_current(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every cord carries its share of the device with the worst other feed lost.

    Why: a C13 cord fits many supplies that draw more than its 10 A once the other feed is lost; it overheats unseen.
    Measured by: plan table `cords`: share of the nominal load with a feed lost, over the voltage of its outlet and the power
        factor of supplies, against the rating of the cord under the site's basis. A cord that does not mate is PWR-012.
    Repair: a cord of the larger class (C19, C21), or more supplies in use.
    Source: IEC 60320-1 ratings, 80 % of the UL 498 ratings under the NEC.
    """
    factor = threshold(plan, "PWR-013", "power factor")
    power_factor = pl.lit(factor["limit"] if factor else None, dtype=pl.Float64)
    between = pl.col("conductor").str.contains("-", literal=True) | (pl.col("pdu_conductors") == 1)
    volts = pl.when(between).then(pl.col("pdu_v")).otherwise(pl.col("pdu_v") / SQRT3)
    rows = seated(plan).with_columns(drawn=pl.col("lost_w") / (volts * power_factor))
    return judge(
        rows,
        subject=pl.col("cord"),
        ok=pl.col("drawn") <= pl.col("rating_a") * bound(plan, "PWR-001"),
        expected=pl.format("at most {}", amount(pl.col("rating_a"), "A")),
        found=pl.format("{} with a feed lost, on a cord {} to {}", amount(pl.col("drawn"), "A"), "plug", "connector"),
        applies=pl.col("fits").fill_null(True),
    )


@check("PWR-014", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "pdus"), since="0.1")
def pdus_have_outlets_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every PDU has as many outlets of each kind as cords are planned on it.

    Why: a PDU with power left and no C19 outlet left is found out when the last node of the rack is plugged in.
    Measured by: plan table `cords` by PDU and outlet kind, against `pdus`; cords on the wrong feed are left to PWR-010 and
        PWR-011.
    Repair: a PDU with more outlets of the kind, one more PDU a rack, or fewer devices.
    Source: outlets of the PDU from the catalogue.
    """
    rightly = seated(plan).filter(~pl.col("moved") & ~pl.col("lone"))
    large = (pl.col("outlet_type") == "C19").sum().alias("c19")
    small = (pl.col("outlet_type") == "C13").sum().alias("c13")
    used = rightly.group_by("pdu").agg(large, small)
    rows = plan.table("pdus").join(used, on="pdu", how="left").with_columns(pl.col("c19", "c13").fill_null(0))
    return judge(
        rows,
        subject=pl.col("pdu"),
        ok=(pl.col("c19") <= pl.col("outlets_c19")) & (pl.col("c13") <= pl.col("outlets_c13")),
        expected=pl.format("at most {} C19 and {} C13 cords", "outlets_c19", "outlets_c13"),
        found=pl.format("{} C19 and {} C13 cords", "c19", "c13"),
    )


@check("PWR-015", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("cords", "pdus"), since="0.1")
def one_cord_goes_into_an_outlet(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No outlet of a PDU is planned for two cords.

    Why: the second technician finds the outlet taken, chooses another one, and the phases are no longer what was planned.
    Measured by: plan table `cords`: different cords of one PDU and outlet; cords on the wrong feed are left to PWR-010 and
        PWR-011.
    Repair: a free outlet of the same bank for one of them.
    Source: one outlet takes one plug.
    """
    rightly = seated(plan).filter(~pl.col("moved") & ~pl.col("lone"))
    outlets = rightly.group_by("pdu", "outlet").agg(pl.len().alias("cords"))
    crowded = pl.col("cords") > 1
    rows = outlets.sort("pdu", "outlet").group_by("pdu", maintain_order=True).agg(
        double=crowded.sum(), which=pl.col("outlet").filter(crowded).cast(pl.String).str.join(", ")
    )  # fmt: skip
    return judge(
        rows,
        subject=pl.col("pdu"),
        ok=pl.col("double") == 0,
        expected=pl.lit("one cord an outlet"),
        found=pl.format("two cords or more in outlet {}", "which"),
    )


@check(
    "PWR-030",
    layer=Layer.FACILITY,
    severity=Severity.MINOR,
    needs=("cords", "pdus", "racks", "air_rows", "expectations"),
    since="0.1",
)
def cords_stand_the_heat_behind_the_racks(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The connectors of cords stand the air behind their racks, with room for their own heat.

    Why: a C13 or C19 is made for 70 °C at the pins; behind dense racks the air alone takes most of it.
    Measured by: connector class of plan table `cords` against the outlet air of its row in `air_rows` and the rise of a
        contact.
    Repair: C15 or C21 cords, or more air through the racks.
    Source: IEC 60320-1: classes cold (70 °C), hot (120 °C), very hot (155 °C).
    """
    racks = (
        plan.table("racks").select("rack", "row").join(plan.table("air_rows").select("row", "outlet_c"), on="row", how="left")
    )
    kinds = plan.table("cords").select("rack", "connector").unique().join(racks, on="rack", how="left")
    rows = kinds.with_columns(most=pl.col("connector").replace_strict(MOST_C, default=None, return_dtype=pl.Float64))
    pins = pl.col("outlet_c") + bound(plan, "PWR-030")
    return judge(
        rows.sort("rack", "connector"),
        subject=pl.format("{}/{}", "rack", "connector"),
        ok=pins <= pl.col("most"),
        expected=pl.format("at most {} at the pins of {}", amount(pl.col("most"), "°C"), "connector"),
        found=pl.format("{}: {} of air and the rise of a contact", amount(pins, "°C"), amount(pl.col("outlet_c"), "°C")),
    )
