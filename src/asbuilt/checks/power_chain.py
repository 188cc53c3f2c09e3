"""The chain from feed to outlet in the room: one feed all along, sides, whips, plugs, temperatures, sources."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge
from asbuilt.checks.power_cords import seated
from asbuilt.checks.power_feeds import asked_of_circuit, lone_racks, misfed
from asbuilt.checks.power_limits import bound
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

#: What may be behind a feed, without saying which one.
KINDS = ("utility", "ups", "mixed")


def _letter(column: str) -> pl.Expr:
    return pl.col(column).str.replace("^feed:", "")


@check("PWR-011", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("circuits", "feeds"), since="0.1")
def one_feed_all_along(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Busway, circuit, PDU or shelf, and the cords on it are all of one feed.

    Why: a whip that is tapped from the other busway turns an A cord into a B cord, and nobody sees it until a feed is lost.
    Measured by: plan tables `circuits`, `pdus`, `shelves`, `cords`, `busways`: the feed that each names, against its
        neighbours'. Shelves of a rack that is all on one feed are left to PWR-010.
    Repair: move the whip, or the cord, back to the feed of the plan.
    Source: the map of cords: `site.cords`.
    """
    served = _served(plan)
    judged = _busway_rows(plan, served)
    rows = pl.concat([served.select("subject", "ok", "feed", "found"), judged], how="vertical")
    return judge(
        rows.sort("subject"),
        subject=pl.col("subject"),
        ok=pl.col("ok"),
        expected=pl.format("feed {} all along", _letter("feed")),
        found=pl.col("found"),
        applies=~pl.col("subject").is_in(_lone_shelves(plan).implode()),
    )


def _lone_shelves(plan: Plan) -> pl.Series:
    if not plan.has("shelves"):
        return pl.Series(dtype=pl.String)
    return plan.table("shelves").join(lone_racks(plan), on="rack", how="semi")["shelf"]


def _served(plan: Plan) -> pl.DataFrame:
    """PDUs and shelves: ``subject feed ok found``; not ok when a circuit or a cord of it names another feed.

    Where all its cords agree with each other and not with it, or the circuit is not of the feed that its key names, it is the
    one that is wrong, alone or with its circuit.
    """
    parts = []
    if plan.has("pdus"):
        parts.append(plan.table("pdus").select("feed", subject="pdu"))
    if plan.has("shelves"):
        parts.append(plan.table("shelves").select("feed", subject="shelf"))
    things = pl.concat(parts) if parts else pl.DataFrame(schema={"feed": pl.String, "subject": pl.String})
    circuits = plan.table("circuits").select("circuit", subject="serves", theirs="feed", named=asked_of_circuit())
    circuits = circuits.join(things, on="subject", how="left")
    fed = circuits.sort("circuit").group_by("subject").agg(
        pl.col("theirs", "named").first(), by_circuit=_told(pl.col("theirs") != pl.col("feed"), "circuit", "theirs")
    )  # fmt: skip
    rows = things.join(fed, on="subject", how="left")
    if plan.has("cords") and plan.has("pdus"):
        wrong = pl.col("moved") & ~pl.col("lone")
        cords = seated(plan).sort("cord").group_by(subject="pdu").agg(
            all=wrong.all(), asked=pl.col("feed").first(), cords=pl.len(), by_cord=_told(wrong, "cord", "feed")
        )  # fmt: skip
        rows = rows.join(cords, on="subject", how="left")
    else:
        unknown = pl.lit(None, dtype=pl.String)
        rows = rows.with_columns(all=pl.lit(False), asked=unknown, cords=pl.lit(0), by_cord=unknown)
    alone = pl.col("by_circuit").is_not_null()
    all_moved = pl.col("all").fill_null(False) & (alone | (pl.col("cords") > 1))
    branch = (pl.col("theirs") == pl.col("feed")) & (pl.col("theirs") != pl.col("named"))
    itself = all_moved | branch.fill_null(False)
    whole = pl.when(alone).then(pl.format("{} is", "subject")).otherwise(pl.format("{} and its circuit are", "subject"))
    around = pl.concat_str("by_circuit", "by_cord", separator="; ", ignore_nulls=True)
    return rows.with_columns(
        ok=pl.col("by_circuit").is_null() & pl.col("by_cord").is_null() & ~itself,
        feed=pl.when(itself).then(pl.coalesce("named", "asked")).otherwise(pl.col("feed")),
        found=pl.when(itself).then(pl.format("{} of feed {}", whole, _letter("feed"))).otherwise(around),
    )


def _told(wrong: pl.Expr, key: str, feed: str) -> pl.Expr:
    """Within a group: the first wrong one by name with its feed, and how many there are; null when none is wrong."""
    first = pl.format(
        "{} is of feed {}", pl.col(key).filter(wrong).first(), pl.col(feed).filter(wrong).first().str.replace("^feed:", "")
    )
    more = pl.when(wrong.sum() > 1).then(pl.format(" and {} more", wrong.sum() - 1)).otherwise(pl.lit(""))
    return pl.when(wrong.any()).then(pl.concat_str(first, more))


def _busway_rows(plan: Plan, served: pl.DataFrame) -> pl.DataFrame:
    """Busways: not ok when circuits that agree with all behind them are tapped from a busway of another feed."""
    empty = pl.DataFrame(schema={"subject": pl.String, "ok": pl.Boolean, "feed": pl.String, "found": pl.String})
    if not plan.has("busways"):
        return empty
    circuits = plan.table("circuits").select("circuit", "serves", "busway", theirs="feed")
    agreed = circuits.join(served.select("ok", serves="subject"), on="serves", how="left")
    busways = plan.table("busways").select("busway", "feed")
    wrong = (pl.col("theirs") != pl.col("feed")) & pl.col("ok").fill_null(True)
    joined = agreed.join(busways, on="busway").sort("circuit")
    rows = joined.group_by(subject="busway").agg(pl.col("feed").first(), found=_told(wrong, "circuit", "theirs"))
    return rows.select("subject", pl.col("found").is_null().alias("ok"), "feed", "found")


@check("PWR-018", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("pdus",), since="0.1")
def pdus_of_a_feed_are_on_one_side(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The PDUs of a feed, and the whips of its shelves, are on the same side in every rack.

    Why: whoever services feed A pulls left-hand cords; in the one rack where A is on the right he pulls the wrong ones.
    Measured by: plan tables `pdus` and `circuits`: side against the side of most of the feed; a PDU on the wrong feed is left
        to PWR-011.
    Repair: mount the PDUs of that rack as in the others.
    Source: field rule of row builders; no standard.
    """
    rows = plan.table("pdus").select("feed", "side", subject="pdu")
    if plan.has("circuits"):
        whips = plan.table("circuits").filter(~pl.col("serves").is_in(rows["subject"].implode()))
        rows = pl.concat([rows, whips.select("feed", "side", subject="circuit")])
        rows = rows.with_columns(rightly=~pl.col("subject").is_in(misfed(plan)))
    else:
        rows = rows.with_columns(rightly=pl.lit(True))
    sides = rows.group_by("feed", "side").agg(pl.len().alias("n")).sort("feed", "n", "side", descending=[False, True, False])
    usual = sides.unique("feed", keep="first").select("feed", usual="side")
    return judge(
        rows.join(usual, on="feed", how="left"),
        subject=pl.col("subject"),
        ok=pl.col("side") == pl.col("usual"),
        expected=pl.format("feed {} {} as in the other racks", _letter("feed"), "usual"),
        found=pl.col("side"),
        applies=pl.col("rightly"),
    )


@check("PWR-019", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("circuits", "expectations"), since="0.1")
def whips_are_of_one_length(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Whips from one busway, or from a panel to one rack, are of one length within the site's tolerance.

    Why: whips that differ share load and fault current unequally, cannot stand in for each other, and a long one hangs in the
        way.
    Measured by: plan table `circuits`: length against the middle one of those from the same busway (or to the same rack).
    Repair: order the whip in the common length, or move the tap-off.
    Source: field rule of row builders; tolerance is the site's policy.
    """
    circuits = plan.table("circuits").with_columns(beside=pl.coalesce("busway", "rack"))
    usual = circuits.group_by("beside").agg(usual=pl.col("whip_m").quantile(1 / 2, interpolation="lower"))
    rows = circuits.join(usual, on="beside", how="left")
    far = (pl.col("whip_m") - pl.col("usual")).abs()
    share, metres = bound(plan, "PWR-019"), bound(plan, "PWR-019", "metres")
    return judge(
        rows,
        subject=pl.col("circuit"),
        ok=(far <= pl.col("usual") * share) | (far <= metres),
        expected=pl.format("{} as the others", amount(pl.col("usual"), "m")),
        found=amount(pl.col("whip_m"), "m"),
    )


@check("PWR-020", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("circuits",), since="0.1")
def no_whip_crosses_a_door(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No whip crosses the swing of a rack door.

    Why: a door that meets a whip is left open, and the air that should go through the rack goes around it; or it cuts the whip.
    Measured by: plan table `circuits`, column door.
    Repair: enter the rack from the other side or from the top, or move the tap-off.
    Source: field rule of row builders; NEC 110.26 (working space).
    """
    return judge(
        plan.table("circuits"),
        subject=pl.col("circuit"),
        ok=~pl.col("door"),
        expected=pl.lit("clear of the door"),
        found=pl.lit("across the door"),
    )


@check("PWR-021", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("circuits",), since="0.1")
def plugs_match_their_receptacles(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The plug of every PDU and shelf matches the receptacle of its circuit.

    Why: a 60 A PDU with a 60309 plug and a NEMA receptacle are both right, and do not go together.
    Measured by: plan table `circuits`: receptacle class against the plug of what it serves.
    Repair: order the whip with the matching receptacle, or the PDU with the matching plug.
    Source: IEC 60309-2 and NEMA WD 6: plugs of one class only.
    """
    return judge(
        plan.table("circuits"),
        subject=pl.col("circuit"),
        ok=pl.col("receptacle") == pl.col("plug"),
        expected=pl.format("a plug {}", "receptacle"),
        found=pl.format("a plug {}", "plug"),
    )


@check("PWR-029", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("pdus", "racks", "air_rows"), since="0.1")
def pdus_stand_the_heat_behind_the_racks(plan: Plan, facts: Facts) -> pl.DataFrame:
    """PDUs stand the air behind their racks.

    Why: a PDU hangs in the hot aisle; above its rating its breakers trip early, far below their current.
    Measured by: highest ambient temperature of plan table `pdus` against the outlet air of its row in `air_rows`.
    Repair: a PDU rated for 60 °C, or more air through the racks.
    Source: rated ambient temperature of the PDU from the catalogue.
    """
    racks = (
        plan.table("racks").select("rack", "row").join(plan.table("air_rows").select("row", "outlet_c"), on="row", how="left")
    )
    unknown = pl.when(pl.col("inlet_max_c").is_null()).then(
        pl.lit("a known rated temperature (`inlet_c_max` of the PDU in the catalogue)")
    )
    return judge(
        plan.table("pdus").join(racks, on="rack", how="left"),
        subject=pl.col("pdu"),
        ok=pl.col("outlet_c") <= pl.col("inlet_max_c"),
        expected=unknown.otherwise(pl.format("at most {}", amount(pl.col("inlet_max_c"), "°C"))),
        found=pl.format("{} behind the row", amount(pl.col("outlet_c"), "°C")),
    )


@check("PWR-032", layer=Layer.FACILITY, severity=Severity.MAJOR, needs=("feeds",), since="0.1")
def feeds_have_sources_of_their_own(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Feeds that stand in for each other come from different sources.

    Why: A and B behind one UPS are one feed with two names.
    Measured by: plan table `feeds`: sources of the same name where the redundancy is not N. A bare kind (utility, ups) names no
        source and tells nothing.
    Repair: feed one of them from another source, or state the redundancy that there is: `power.redundancy: N`.
    Source: the requirement; ANSI/TIA-942 rated-3 and -4: two active or alternate paths.
    """
    feeds = plan.table("feeds")
    others = feeds.group_by("source").agg(pl.len().alias("sharing"), pl.col("letter").sort().str.join(", ").alias("letters"))
    rows = feeds.join(others, on="source", how="left")
    return judge(
        rows.sort("feed"),
        subject=pl.col("feed"),
        ok=pl.col("sharing") == 1,
        expected=pl.lit("a source of its own"),
        found=pl.format("{} behind feeds {}", "source", "letters"),
        applies=(pl.col("redundancy") != "N") & ~pl.col("source").is_in(KINDS),
    )
