"""The tables of the physical plan agree with each other: every key leads somewhere, every count is the count of its rows."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.model.plan import Plan
from asbuilt.workflow import templates
from template_plans import expanded

TEMPLATES = templates.names()


@pytest.fixture(params=TEMPLATES, scope="module")
def plan(request: pytest.FixtureRequest) -> Plan:
    return expanded(request.param)


def lost(plan: Plan, table: str, column: str, target: str, key: str) -> list[tuple[object, ...]]:
    """Rows of ``table`` whose ``column`` names no row of ``target``; null names nothing."""
    named = plan.table(table).filter(pl.col(column).is_not_null())
    return named.join(plan.table(target), left_on=column, right_on=key, how="anti").head(3).rows()


def test_keys_that_no_schema_declares_lead_somewhere(plan: Plan) -> None:
    served = pl.concat([plan.table("pdus").select(serves="pdu"), plan.table("shelves").select(serves="shelf")])
    assert plan.table("circuits").join(served, on="serves", how="anti").height == 0
    assert lost(plan, "circuits", "busway", "busways", "busway") == []
    assert lost(plan, "channels", "trunk", "trunks", "trunk") == []
    assert lost(plan, "busways", "feed", "feeds", "feed") == []
    racks = plan.table("racks")["rack"].implode()
    for table, column in (("routes", "a_rack"), ("routes", "b_rack"), ("bundles", "a_rack"), ("bundles", "b_rack")):
        assert plan.table(table)[column].is_in(racks).all(), (table, column)
    loads = plan.table("conductor_loads").filter(pl.col("kind") != "bank")
    for kind, table in (("feed", "feeds"), ("busway", "busways"), ("circuit", "circuits"), ("pdu", "pdus")):
        known = plan.table(table)[plan.table(table).columns[0]].implode()
        assert loads.filter(pl.col("kind") == kind)["subject"].is_in(known).all(), kind
    assert set(loads["kind"].unique()) <= {"feed", "busway", "circuit", "pdu"}


def test_every_pdu_and_every_shelf_has_its_own_circuits_and_every_outlet_one_cord(plan: Plan) -> None:
    circuits, pdus, shelves, cords = (plan.table(t) for t in ("circuits", "pdus", "shelves", "cords"))
    served = circuits.group_by("serves").agg(pl.len(), pl.col("rack").first(), pl.col("feed").n_unique().alias("feeds"))
    assert served.height == pdus.height + shelves.height and (served["feeds"] == 1).all()
    assert pdus.join(
        circuits, left_on=["circuit", "pdu", "feed"], right_on=["circuit", "serves", "feed"], how="anti"
    ).is_empty()
    assert shelves.join(circuits, left_on=["shelf", "feed"], right_on=["serves", "feed"], how="anti").is_empty()
    assert cords.select("pdu", "outlet").is_unique().all()
    assert cords.select("device", "supply").is_unique().all()
    supplies = cords.group_by("device").agg(pl.len(), pl.col("supply").max())
    assert (supplies["len"] == supplies["supply"] + 1).all()
    there = cords.join(pdus.select("pdu", own="rack", side_feed="feed"), on="pdu")
    assert (there["rack"] == there["own"]).all() and (there["feed"] == there["side_feed"]).all()
    counts = cords.group_by("pdu", "outlet_type").agg(pl.len())
    room = pdus.select("pdu", C13="outlets_c13", C19="outlets_c19").unpivot(index="pdu", variable_name="outlet_type")
    assert counts.join(room, on=["pdu", "outlet_type"]).filter(pl.col("len") > pl.col("value")).is_empty()


def test_servers_have_the_cords_that_their_power_sources_are(plan: Plan) -> None:
    sources = plan.table("power_sources").filter(pl.col("kind") != "shelf").group_by("system").agg(pl.len().alias("psus"))
    held = plan.table("cords").group_by(node="device").agg(pl.len())
    nodes = plan.table("nodes").filter(pl.col("role") == "compute").join(sources, on="system").join(held, on="node", how="left")
    assert (nodes["len"] == nodes["psus"]).all()


def test_watts_and_amperes_are_the_sum_of_what_hangs_on(plan: Plan) -> None:
    circuits, cords, shelves = (plan.table(t) for t in ("circuits", "cords", "shelves"))
    feeds = plan.table("feeds").sort("feed")
    behind = pl.concat(
        [
            cords.join(plan.table("pdus").select("pdu", own="feed"), on="pdu").select("own", w="nominal_w"),
            shelves.select(own="feed", w="nominal_w"),
        ]
    )
    watts = dict(behind.group_by("own").agg(pl.col("w").sum()).rows())
    for feed, load in feeds.select("feed", "load_kw").rows():
        assert load * 1000 == pytest.approx(watts.get(feed, 0.0)), feed
    loads = plan.table("conductor_loads").filter((pl.col("case") == "healthy") & (pl.col("conductor") != "N"))
    tapped = circuits.filter(pl.col("busway").is_not_null()).select(subject="circuit", busway="busway")
    below = loads.join(tapped, on="subject").group_by("busway", "conductor").agg(pl.col("load_a").sum().alias("sum"))
    above = loads.filter(pl.col("kind") == "busway").select("conductor", "load_a", busway="subject")
    both = above.join(below, on=["busway", "conductor"], how="left")
    assert both["load_a"].to_list() == pytest.approx(both["sum"].fill_null(0.0).to_list())
    rows = plan.table("busways").select("feed", subject="busway")
    by_feed = loads.join(rows, on="subject").group_by("feed", "conductor").agg(pl.col("load_a").sum().alias("sum"))
    heads = loads.filter(pl.col("kind") == "feed").select("conductor", "load_a", feed="subject")
    at_heads = heads.join(by_feed, on=["feed", "conductor"], how="left")
    assert at_heads["load_a"].to_list() == pytest.approx(at_heads["sum"].fill_null(0.0).to_list())


def test_trunks_end_at_positions_of_their_panels_and_carry_what_their_bundles_say(plan: Plan) -> None:
    trunks, panels, bundles = (plan.table(t) for t in ("trunks", "panels", "bundles"))
    ends = pl.concat([trunks.select(panel=f"{e}_panel", position=f"{e}_position") for e in "ab"])
    assert ends.is_unique().all()
    held = ends.join(panels, on="panel")
    assert (held["position"] >= 1).all() and (held["position"] <= held["positions"]).all()
    used = panels.join(ends.group_by("panel").agg(pl.len()), on="panel", how="left")
    assert (used["used"] == used["len"].fill_null(0)).all()
    counted = trunks.group_by("bundle").agg(
        pl.col("ports").sum(), working=(pl.col("ports") > 0).sum(), standing_by=(pl.col("ports") == 0).sum()
    )
    both = bundles.join(counted, on="bundle", how="left", suffix="_of_trunks")
    assert (both["ports"] == both["ports_of_trunks"]).all()
    assert (both["trunks"] == both["working"]).all() and (both["spares"] == both["standing_by"]).all()
    fewest = -(-both["ports"] * both["fibres_per_port"] // both["usable_fibres"])
    assert (both["trunks"] == fewest).all() and (both["spares"] >= 1).all()
    assert (trunks["length_m"] >= trunks["route_m"]).all()
    through = plan.table("channels").drop_nulls("trunk").select("trunk", "port")
    assert through.is_unique().all()
    carried = trunks.join(through.group_by("trunk").agg(pl.len()), on="trunk", how="left")
    assert (carried["ports"] == carried["len"].fill_null(0)).all()


def test_every_optical_jumper_has_one_channel_and_every_way_its_trays(plan: Plan) -> None:
    channels = plan.table("channels")
    copper = plan.table("jumpers").filter(pl.col("medium").is_in(["multimode", "single-mode"]))
    assert set(channels["jumper"]) <= set(plan.table("jumpers")["jumper"]) and set(copper["jumper"]) == set(channels["jumper"])
    steps = plan.table("route_trays").join(plan.table("trays").select("tray", "length_m"), on="tray")
    ways = steps.group_by("route").agg(pl.len(), pl.col("step").max(), pl.col("length_m").sum().alias("trays_m"))
    assert (ways["len"] == ways["step"]).all()
    routes = plan.table("routes").join(ways, on="route", how="left")
    whole = routes["tray_m"] + routes["drops_m"] + routes["loops_m"]
    assert routes["length_m"].to_list() == pytest.approx(whole.to_list(), abs=0.02)
    laid = plan.table("routes").join(plan.table("route_trays"), on="route").group_by("tray").agg(pl.col("cables").sum())
    trays = plan.table("trays").filter(pl.col("kind") != "power").join(laid, on="tray", how="left")
    assert (trays["cables_now"] == trays["cables"].fill_null(0)).all()
    assert (trays["cables_full"] >= trays["cables_now"]).all()


def test_loops_are_chains_of_segments_with_a_branch_at_each_step(plan: Plan) -> None:
    loops, branches, segments = (plan.table(t) for t in ("loops", "branches", "loop_segments"))
    held = branches.group_by("loop").agg(pl.len(), pl.col("built").sum(), pl.col("number").max(), pl.col("liquid_w").sum())
    both = loops.join(held, on="loop", how="left")
    assert (both["racks_full"] == both["len"]).all() and (both["racks"] == both["built"]).all()
    assert (both["number"] == both["len"]).all()
    assert set(plan.table("cdus")["loop"]) == set(loops["loop"])
    assert set(plan.table("manifolds")["rack"]) == set(branches.filter("built")["rack"])
    for (_, side), chain in segments.sort("number").group_by("loop", "side", maintain_order=True):
        assert chain["number"].to_list() == list(range(1, chain.height + 1)), side
        near, far = ("start", "end") if side == "supply" else ("end", "start")
        assert chain[near].to_list()[1:] == chain[far].to_list()[:-1], side
    at = pl.concat(
        [plan.table("branches").select(at="branch"), segments.select(at="segment"), plan.table("cdus").select(at="cdu")]
    )
    assert plan.table("fittings").join(at, on="at", how="anti").height == 0


def test_no_two_things_take_one_place(plan: Plan) -> None:
    slots = plan.table("rack_slots").sort("rack", "u")
    for face in ("front", "rear"):
        here = slots.filter(pl.col("face").is_in([face, "both"]))
        next_u = pl.col("u").shift(-1).over("rack")
        assert here.filter(pl.col("u") + pl.col("height_u") > next_u + 1e-9).is_empty(), face
    tall = slots.join(plan.table("racks").select("rack", units="height_u"), on="rack")
    assert (tall["u"] + tall["height_u"] <= tall["units"] + 1 + 1e-9).all()
    standing = plan.table("floor").filter(pl.col("kind") != "aisle").with_row_index("n")
    size = {"x": "width_mm", "y": "depth_mm"}
    pairs = standing.join_where(
        standing.select(pl.all().name.suffix("_2")),
        pl.col("n") < pl.col("n_2"),
        *(pl.col(f"{a}_mm") + 1e-6 < pl.col(f"{a}_mm_2") + pl.col(f"{s}_2") for a, s in size.items()),
        *(pl.col(f"{a}_mm_2") + 1e-6 < pl.col(f"{a}_mm") + pl.col(s) for a, s in size.items()),
    )
    assert pairs.select("object", "object_2").rows() == []
    assert set(standing.filter(pl.col("kind") == "rack")["name"]) == set(plan.table("racks")["name"])
