"""The kinds of `physical_faults`: power, liquid, fibre."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

from asbuilt.model.plan import Plan
from physical_faults import Broken, Fault, Row, changed, drawn, one_row, rows, with_table

SUPPLIED = pl.col("feed").is_in(["feed:A", "feed:B"])


def other(feed: str) -> str:
    """The feed that stands in for ``feed``."""
    return {"feed:A": "feed:B", "feed:B": "feed:A"}[feed]


def feed_moved(plan: Plan, draw: random.Random) -> Broken | None:
    """A whip is tapped from the busway of the other feed."""
    circuit = drawn(plan, "circuits", draw, SUPPLIED)
    if circuit is None:
        return None
    moved = other(circuit["feed"])
    busway = circuit["busway"] and circuit["busway"][:-1] + moved[-1]
    after = changed(plan, "circuits", pl.col("circuit") == circuit["circuit"], feed=moved, busway=busway)
    return Broken(after, circuit["circuit"])


def pdu_moved(plan: Plan, draw: random.Random) -> Broken | None:
    """A PDU is fed from the other feed: its whip, and so it, is of that feed now."""
    pdu = drawn(plan, "pdus", draw, SUPPLIED & pl.col("pdu").is_in(plan.table("cords")["pdu"].implode()))
    if pdu is None:
        return None
    moved = other(pdu["feed"])
    after = changed(
        plan,
        "circuits",
        pl.col("circuit") == pdu["circuit"],
        feed=moved,
        busway=pl.col("busway").str.replace(".$", moved[-1]),
    )
    return Broken(changed(after, "pdus", pl.col("pdu") == pdu["pdu"], feed=moved), pdu["pdu"])


def cord_moved(plan: Plan, draw: random.Random) -> Broken | None:
    """One of three cords or more of a device goes into a PDU of the other feed."""
    many = plan.table("cords").group_by("device").len().filter(pl.col("len") > 2)["device"]
    cord = drawn(plan, "cords", draw, SUPPLIED & pl.col("device").is_in(many.implode()))
    if cord is None:
        return None
    pdu = drawn(plan, "pdus", draw, (pl.col("rack") == cord["rack"]) & (pl.col("feed") == other(cord["feed"])))
    return pdu and Broken(
        changed(plan, "cords", pl.col("cord") == cord["cord"], pdu=pdu["pdu"], outlet=free(plan, pdu)), cord["cord"]
    )


def free(plan: Plan, pdu: Row) -> int:
    """An outlet of the PDU that no cord has."""
    taken = set(rows(plan, "cords", pl.col("pdu") == pdu["pdu"])["outlet"].to_list())
    return next(n for n in range(1, 1000) if n not in taken)


def one_feed(plan: Plan, draw: random.Random) -> Broken | None:
    """All cords of a device with two or more go into PDUs of one feed."""
    many = plan.table("cords").group_by("device").len().filter(pl.col("len") > 1)["device"]
    cord = drawn(plan, "cords", draw, SUPPLIED & pl.col("device").is_in(many.implode()))
    if cord is None:
        return None
    mine = pl.col("device") == cord["device"]
    outlets = pl.when(pl.col("pdu") == cord["pdu"]).then(pl.col("outlet")).otherwise(pl.col("supply") + 900)
    return Broken(changed(plan, "cords", mine, outlet=outlets, pdu=cord["pdu"], feed=cord["feed"]), cord["device"])


def rack_on_one_feed(plan: Plan, draw: random.Random) -> Broken | None:
    """All shelves of a rack are on one feed, in the map and in the whips."""
    shelf = drawn(plan, "shelves", draw)
    if shelf is None:
        return None
    letter = draw.choice("AB")
    after = changed(plan, "shelves", pl.col("rack") == shelf["rack"], feed=f"feed:{letter}")
    mine = (pl.col("rack") == shelf["rack"]) & pl.col("serves").str.starts_with("shelf:")
    tapped = pl.col("busway").str.replace(".$", letter)
    return Broken(changed(after, "circuits", mine, feed=f"feed:{letter}", busway=tapped), shelf["rack"])


def cord_wrong(plan: Plan, draw: random.Random) -> Broken | None:
    """A cord whose connector does not mate with the inlet."""
    cord = drawn(plan, "cords", draw)
    wrong = {"C14": "C19", "C16": "C13", "C20": "C15", "C22": "C19"}
    return cord and Broken(changed(plan, "cords", pl.col("cord") == cord["cord"], connector=wrong[cord["inlet"]]), cord["cord"])


def outlet_twice(plan: Plan, draw: random.Random) -> Broken | None:
    """Two cords are planned on one outlet."""
    cord = drawn(plan, "cords", draw)
    if cord is None:
        return None
    beside = (pl.col("pdu") == cord["pdu"]) & (pl.col("outlet_type") == cord["outlet_type"]) & (pl.col("cord") != cord["cord"])
    twin = drawn(plan, "cords", draw, beside)
    return twin and Broken(changed(plan, "cords", pl.col("cord") == twin["cord"], outlet=cord["outlet"]), cord["pdu"])


def without_bond(plan: Plan, draw: random.Random) -> Broken | None:
    """A rack is left out of the bonding plan."""
    bond = drawn(plan, "bonds", draw, pl.col("kind") == "rack-to-bus")
    return bond and Broken(with_table(plan, "bonds", rows(plan, "bonds", pl.col("bond") != bond["bond"])), bond["rack"])


def overloaded(case: pl.Expr, kinds: tuple[str, ...], times: float) -> Any:
    """The phase conductors of a part carry ``times`` their limit in one case."""

    def put(plan: Plan, draw: random.Random) -> Broken | None:
        where = case & pl.col("kind").is_in(kinds) & pl.col("limit_a").is_not_null() & (pl.col("conductor") != "N")
        row = drawn(plan, "conductor_loads", draw, where)
        if row is None:
            return None
        same = (pl.col("subject") == row["subject"]) & (pl.col("case") == row["case"]) & (pl.col("conductor") != "N")
        return Broken(changed(plan, "conductor_loads", same, load_a=pl.col("limit_a") * times), row["subject"])

    return put


def weak_cdus(plan: Plan, draw: random.Random) -> Broken | None:
    """The CDUs of a loop are of a size far below its heat."""
    loop = drawn(plan, "loops", draw)
    return loop and Broken(changed(plan, "cdus", pl.col("loop") == loop["loop"], capacity_kw=10.0), loop["loop"])


def without_spare(plan: Plan, draw: random.Random) -> Broken | None:
    """The only spare trunks between two racks are left out."""
    spare = drawn(plan, "trunks", draw, pl.col("ports") == 0)
    if spare is None:
        return None
    kept = rows(plan, "trunks", ~((pl.col("bundle") == spare["bundle"]) & (pl.col("ports") == 0)))
    return Broken(with_table(plan, "trunks", kept), spare["bundle"])


def two_on_one_position(plan: Plan, draw: random.Random) -> Broken | None:
    """A spare trunk is planned on the position of another trunk of its panel."""
    spare = drawn(plan, "trunks", draw, pl.col("ports") == 0)
    if spare is None:
        return None
    taken = drawn(plan, "trunks", draw, (pl.col("a_panel") == spare["a_panel"]) & (pl.col("trunk") != spare["trunk"]))
    return taken and Broken(
        changed(plan, "trunks", pl.col("trunk") == spare["trunk"], a_position=taken["a_position"]), spare["trunk"]
    )


def into_nvlink(plan: Plan, draw: random.Random) -> Broken | None:
    """A cord ends at an NVLink switch tray."""
    tray = drawn(plan, "rack_slots", draw, pl.col("kind") == "nvlink-switch")
    cord = drawn(plan, "jumpers", draw)
    return (
        tray
        and cord
        and Broken(changed(plan, "jumpers", pl.col("jumper") == cord["jumper"], b_device=tray["device"]), cord["jumper"])
    )


ROW = pl.col("row").is_not_null()
HEAVY = (pl.col("kind") == "rack") & pl.col("weight_kg").is_not_null()
CARRIES = pl.col("ports") > 0
FAULTS = (
    Fault("feed moved", "PWR-011", feed_moved),
    Fault("PDU on the other feed", "PWR-011", pdu_moved),
    Fault("cord into the other feed", "PWR-011", cord_moved),
    Fault("A and B on one feed", "PWR-010", one_feed),
    Fault("all shelves on one feed", "PWR-010", rack_on_one_feed),
    Fault("cord wrong", "PWR-012", cord_wrong),
    Fault("outlet twice", "PWR-015", outlet_twice),
    Fault("whip too long", "PWR-019", one_row("circuits", lambda r: {"whip_m": r["whip_m"] * 3 + 2})),
    Fault("whip across a door", "PWR-020", one_row("circuits", {"door": True})),
    Fault(
        "PDU on the other side",
        "PWR-018",
        one_row("pdus", lambda r: {"side": "left" if r["side"] == "right" else "right"}),
    ),
    Fault("plug of another kind", "PWR-021", one_row("circuits", {"plug": "NEMA-L6-30"})),
    Fault("rack without a bond", "PWR-031", without_bond),
    Fault("circuit overloaded", "PWR-001", overloaded(pl.col("case") == "healthy", ("circuit", "pdu"), 1.2)),
    Fault("PDU overloaded when lost", "PWR-002", overloaded(pl.col("case") == "lost:feed:B", ("pdu",), 1.1)),
    Fault("busbar section overloaded", "PWR-006", one_row("busbars", {"healthy_a": 1500.0, "lost_a": 1500.0})),
    Fault("busbar section overloaded when lost", "PWR-007", one_row("busbars", {"lost_a": 2449.0}, pl.col("peak_a") < 1400)),
    Fault(
        "breaker too weak",
        "PWR-025",
        one_row("protections", lambda r: {"icu_ka": 0.5}, pl.col("downstream").str.starts_with("circuit:"), "downstream"),
    ),
    Fault("feed without room", "PWR-022", one_row("feeds", lambda r: {"capacity_kw": r["full_kw"] * 0.9})),
    Fault(
        "manifold too low",
        "COO-031",
        one_row("manifolds", lambda r: {"underside_mm": r["top_mm"] + 20, "clearance_mm": 20.0}, None, "rack"),
    ),
    Fault("no reach for a wrench", "COO-032", one_row("manifolds", {"wrench_mm": 20.0}, None, "rack")),
    Fault("no room above the header", "COO-034", one_row("manifolds", {"above_mm": 10.0}, None, "rack")),
    Fault("valve missing", "COO-030", one_row("branches", {"valves": "return"})),
    Fault("small coupling", "COO-005", one_row("branches", {"coupling": "uqd-08", "coupling_l_min": 17.8})),
    Fault("rack starved", "COO-003", one_row("branches", lambda r: {"full_l_min": r["design_l_min"] * 0.8})),
    Fault("CDUs too weak", "COO-015", weak_cdus),
    Fault("supply below the dew point", "COO-021", one_row("loops", lambda r: {"dew_point_c": r["supply_c"] + 1})),
    Fault("polarity: trunk of type A", "CAB-010", one_row("trunks", {"polarity": "A"}, CARRIES)),
    Fault("polarity: pairs swapped", "CAB-010", one_row("trunks", {"polarity": "C"})),
    Fault(
        "gender wrong", "CAB-011", one_row("trunks", lambda r: {"a_gender": "female" if r["a_gender"] == "male" else "male"})
    ),
    Fault("flat ferrule", "CAB-012", one_row("trunks", lambda r: {"polish": "upc" if r["polish"] == "apc" else "apc"})),
    Fault("trunk too short", "CAB-006", one_row("trunks", lambda r: {"length_m": r["route_m"] * 0.5})),
    Fault("too much loss", "CAB-013", one_row("channels", {"loss_db": 30.0}, pl.col("limit_db").is_not_null())),
    Fault("no spare trunk", "CAB-002", without_spare),
    Fault("two trunks on one position", "CAB-003", two_on_one_position),
    Fault("panel without a place", "CAB-005", one_row("panels", {"u": None})),
    Fault(
        "tray overfilled",
        "CAB-021",
        one_row("trays", {"fill_now_percent": 60.0, "fill_full_percent": 70.0}, ROW & (pl.col("kind") == "fibre")),
    ),
    Fault("tight turn", "CAB-023", one_row("routes", {"bend_mm": 5.0, "turns": 2})),
    Fault("pulled too hard", "CAB-024", one_row("routes", lambda r: {"tension_n": r["tension_most_n"] * 2})),
    Fault("power in the fibre tray", "CAB-022", one_row("trays", {"shared": True}, pl.col("kind") == "fibre")),
    Fault("cord into NVLink", "CAB-030", into_nvlink),
    Fault("floor overloaded", "DES-121", one_row("floor", {"shared_kpa": 40.0}, HEAVY)),
    Fault("caster overloaded", "DES-122", one_row("floor", {"caster_kn": 90.0}, HEAVY)),
)
BY_NAME = {fault.name: fault for fault in FAULTS}
