"""The cable plant of a plan: what is counted, where it ends, what it carries, what is bought."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.tables_fibre import FIBRE_TABLES
from asbuilt.physics.polarity import channel_works, mates
from asbuilt.plan.expand import expand
from asbuilt.plan.fibre.bodies import fibre_jumpers
from asbuilt.plan.fibre.channels import trunk_elements
from asbuilt.plan.fibre.factory import nvlink_crossings
from asbuilt.plan.fibre.grid import RackPlaces
from asbuilt.plan.fibre.trunking import _positions, trunk_kinds
from asbuilt.workflow import templates
from template_plans import CATALOGUE, expanded

TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")


@functools.cache
def planned(fibre: str, template: str = "l40s-384") -> Plan:
    """The plan of a template whose ``fibre`` section is this."""
    return expand(resolve(decode(f"{templates.text(template)}\nfibre: {fibre}\n".encode(), template), CATALOGUE), CATALOGUE)


def over(plan: Plan) -> pl.DataFrame:
    """Channels that go over a trunk, with their jumper."""
    return plan.table("channels").filter(pl.col("trunk").is_not_null()).join(plan.table("jumpers"), on="jumper", suffix="_j")


def racks_of(plan: Plan) -> dict[str, str]:
    """The rack of every node and switch."""
    return dict(plan.table("nodes").select("node", "rack").rows()) | dict(
        plan.table("switches").select("switch", "rack").rows()
    )


class TestTrays:
    @pytest.mark.parametrize("template", TEMPLATES)
    def test_what_lies_in_a_tray_is_what_its_routes_hold(self, template: str) -> None:
        plan = expanded(template)
        passing = plan.table("route_trays").join(plan.table("routes"), on="route").group_by("tray").agg(pl.col("cables").sum())
        held = plan.table("trays").join(passing, on="tray", how="left").with_columns(pl.col("cables").fill_null(0))
        assert held["cables_now"].to_list() == held["cables"].to_list()
        assert held["cables_now"].sum() > 0

    @pytest.mark.parametrize("template", TEMPLATES)
    def test_the_finished_site_holds_no_less(self, template: str) -> None:
        trays = expanded(template).table("trays")
        assert (trays["cables_full"] >= trays["cables_now"]).all()
        assert (trays["fill_full_percent"] >= trays["fill_now_percent"]).all()
        assert (trays.filter(pl.col("cables_now") > 0)["mass_kg_m"] > 0).all()

    def test_fill_by_hand(self) -> None:
        """Row A of the L40S site, first segment: what rack A-01 needs and nothing else."""
        plan = expanded("l40s-384")
        ends = racks_of(plan)
        jumpers = plan.table("jumpers").filter(pl.col("medium").is_in(["multimode", "aoc"]))
        count = sum(
            ("rack:A-01" in (ends[a], ends[b])) and ends[a] != ends[b] for a, b in jumpers.select("a_device", "b_device").rows()
        )
        tray = plan.table("trays").filter(pl.col("tray") == "tray:fibre/A/01").row(0, named=True)
        assert tray["cables_now"] == count == 16
        assert tray["fill_now_percent"] == pytest.approx(100 * count * np.pi * 3.0**2 / 4 / (300 * 100), abs=1e-4)

    def test_a_pilot_shows_the_row_to_come(self) -> None:
        """Two racks of a row of ten: the trays over the empty positions hold nothing now, and their share in the end."""
        text = "schema: requirement/v1\nname: pilot\nsystem: gb300-nvl72\ngpus: 144\nsite: {racks_per_row: 10}\n"
        trays = expand(resolve(decode(text.encode(), "x"), CATALOGUE), CATALOGUE).table("trays")
        far = trays.filter(pl.col("tray") == "tray:fibre/A/10").row(0, named=True)
        assert far["cables_now"] == 0
        assert far["cables_full"] > 0
        more = expand(resolve(decode((text + "growth: {gpus: 9216}\n").encode(), "x"), CATALOGUE), CATALOGUE).table("trays")
        assert (more["cables_full"] >= trays["cables_full"]).all()

    def test_copper_may_share_the_trays_and_power_too(self) -> None:
        own, shared = expanded("l40s-384"), planned("{copper_trays: shared, trays_shared_with_power: true}")
        assert set(own.table("trays")["kind"]) == {"fibre", "copper"}
        assert not own.table("trays")["shared"].any()
        assert set(shared.table("trays")["kind"]) == {"fibre"}
        assert shared.table("trays")["shared"].all()
        assert own.table("routes")["cables"].sum() == shared.table("routes")["cables"].sum()

    def test_a_declared_size_is_said_to_be_declared(self) -> None:
        assert set(expanded("l40s-384").table("trays")["origin"]) == {"assumed"}
        assert set(expanded("gb300-nvl72").table("trays")["origin"]) == {"declared"}


class TestRoutes:
    def test_the_length_of_a_route_is_that_of_its_longest_jumper(self) -> None:
        plan = expanded("l40s-384")
        ends = racks_of(plan)
        longest: dict[str, float] = {}
        for a, b, length, medium in plan.table("jumpers").select("a_device", "b_device", "route_m", "medium").rows():
            pair = sorted(r.removeprefix("rack:") for r in (ends[a], ends[b]))
            key = f"route:{pair[0]}/{pair[1]}" + ("/copper" if medium == "copper" else "")
            longest[key] = max(longest.get(key, 0.0), length)
        routes = plan.table("routes")
        assert routes.height > 20
        for route, length in routes.select("route", "length_m").rows():
            if route in longest:
                assert length == pytest.approx(longest[route], abs=0.0101)

    def test_sums_turns_and_pull(self) -> None:
        row = expanded("l40s-384").table("routes").filter(pl.col("route") == "route:A-01/A-07").row(0, named=True)
        assert row["tray_m"] == pytest.approx(3.6)  # six positions of 600 mm
        assert row["length_m"] == pytest.approx(row["tray_m"] + row["drops_m"] + row["loops_m"], abs=0.0051)
        assert row["turns"] == 2  # up from one rack, down into the other
        assert row["bend_least_mm"] == 45.0  # 15 x 3 mm
        friction, per_m = 0.3, 0.009 * 9.80665
        half = row["drops_m"] / 2 * per_m * friction
        turn = np.exp(friction * np.pi / 2)
        assert row["tension_n"] == pytest.approx((half * turn + 3.6 * per_m * friction) * turn + half, abs=2e-3)


class TestTrunks:
    @pytest.mark.parametrize("fibre", ["{trunks: between-racks}", "{trunks: between-racks, trunk_legs: 1}"])
    def test_counts_positions_and_ports(self, fibre: str) -> None:
        plan = planned(fibre)
        bundles, trunks, panels = (plan.table(t) for t in ("bundles", "trunks", "panels"))
        assert bundles.height == 12
        for row in bundles.rows(named=True):
            need, usable = row["ports"] * row["fibres_per_port"], row["usable_fibres"]
            assert row["trunks"] == -(-need // usable)
            assert row["spares"] == max(1, -(-row["trunks"] // 10))
            mine = trunks.filter(pl.col("bundle") == row["bundle"])
            assert mine.height == row["trunks"] + row["spares"]
            assert mine["ports"].sum() == row["ports"]
            assert (mine["ports"] == 0).sum() == row["spares"]
        seats = pl.concat(
            [trunks.select(pl.col(f"{e}_panel").alias("panel"), pl.col(f"{e}_position").alias("at")) for e in "ab"]
        )
        assert seats.is_unique().all()
        used = seats.group_by("panel").agg(pl.len(), pl.col("at").max()).join(panels, on="panel")
        assert (used["len"] == used["used"]).all()
        assert (used["at"] <= used["positions"]).all()
        assert used.height == panels.height

    def test_one_port_a_trunk_is_the_special_case(self) -> None:
        bundles = planned("{trunks: between-racks, trunk_legs: 1}").table("bundles")
        assert (bundles["trunks"] == bundles["ports"]).all()

    def test_a_trunk_runs_between_the_racks_of_its_channels(self) -> None:
        plan = planned("{trunks: between-racks}")
        ends = racks_of(plan)
        trunks = {row["trunk"]: row for row in plan.table("trunks").rows(named=True)}
        panel = dict(plan.table("panels").select("panel", "rack").rows())
        seen = set()
        for row in over(plan).rows(named=True):
            trunk = trunks[row["trunk"]]
            assert {ends[row["a_device"]], ends[row["b_device"]]} == {panel[trunk["a_panel"]], panel[trunk["b_panel"]]}
            assert 1 <= row["port"] <= trunk["ports"]
            seen.add((row["trunk"], row["port"]))
            assert row["length_m"] == row["a_cord_m"] + trunk["length_m"] + row["b_cord_m"]
            assert row["loss_db"] == pytest.approx(row["length_m"] * 0.003 + 2 * 0.35, abs=1e-4)
        assert len(seen) == over(plan).height == 96

    def test_only_rows_when_only_rows_are_asked(self) -> None:
        plan = expanded("dgx-h100-superpod")
        row = dict(plan.table("racks").select("rack", "row").rows())
        bundles = plan.table("bundles")
        assert bundles.height > 20
        assert all(row[a] != row[b] for a, b in bundles.select("a_rack", "b_rack").rows())
        held = set(over(plan)["jumper"])
        ends = racks_of(plan)
        for jumper, medium, a, b in plan.table("jumpers").select("jumper", "medium", "a_device", "b_device").rows():
            assert (jumper in held) == (medium == "multimode" and row[ends[a]] != row[ends[b]])

    def test_fixed_ends_and_copper_never_go_over_a_trunk(self) -> None:
        assert set(over(planned("{trunks: between-racks}"))["medium"]) == {"multimode"}
        assert set(planned("{trunks: between-racks}").table("jumpers")["medium"]) == {"multimode", "aoc", "copper"}

    def test_none_asked_none_made(self) -> None:
        plan = expanded("l40s-384")
        assert [plan.table(t).height for t in ("trunks", "panels", "bundles")] == [0, 0, 0]
        assert plan.table("channels")["trunk"].null_count() == plan.table("channels").height > 0

    def test_rows_of_one_pattern_have_one_port_map(self) -> None:
        """Two rows of four, the second position holds the switches: each row alone and the ways between them."""
        plan = planned("{trunks: between-racks}")
        design = plan.design
        assert design is not None
        kinds = trunk_kinds(design, CATALOGUE, fibre_jumpers(CATALOGUE, ["mfp7e10-n"]))
        places = RackPlaces(*(np.array(x) for x in ([0] * 4 + [1] * 4, [1, 2, 3, 4] * 2, [0] * 4 + [1] * 4, [0] * 8)))
        pairs = [(0, 1), (1, 2), (1, 3), (4, 5), (5, 6), (5, 7)]
        word = next(iter(kinds.values())).word
        bundles = pl.DataFrame(
            {
                "lo": [a for a, _ in pairs],
                "hi": [b for _, b in pairs],
                "kind": [word] * 6,
                "bundle": [f"bundle:{i}" for i in range(6)],
                "pair": [f"{i}" for i in range(6)],
                "first": [0] * 6,
                "trunks": [3] * 6,
                "spares": [1] * 6,
                "each": [8] * 6,
                "ports": [20] * 6,
            }
        )
        racks = pl.DataFrame({"rack": [f"rack:{r}-{p:02d}" for r in "AB" for p in (1, 2, 3, 4)]})
        trunks, _ = _positions(bundles, {word: next(iter(kinds.values()))}, places, racks, design)
        maps = [
            [
                (low % 4, high % 4, number, panel_a.replace("B-", "A-"), seat_a, panel_b.replace("B-", "A-"), seat_b)
                for low, high, number, panel_a, seat_a, panel_b, seat_b in trunks.filter(pl.col("lo") // 4 == row)
                .select("lo", "hi", "number", "panel_lo", "position_lo", "panel_hi", "position_hi")
                .rows()
            ]
            for row in (0, 1)
        ]
        assert maps[0] == maps[1]
        assert len({m[5:] for m in maps[0]} | {m[3:5] for m in maps[0]}) == 24


class TestChannels:
    @pytest.mark.parametrize("plan", [expanded(t) for t in TEMPLATES] + [planned("{trunks: between-racks}")])
    def test_every_channel_works_and_fits_its_limits(self, plan: Plan) -> None:
        channels = plan.table("channels")
        optical = plan.table("jumpers").filter(pl.col("medium").is_in(["multimode", "single-mode"]))
        assert channels["jumper"].to_list() == optical["jumper"].to_list()
        for elements, lanes in channels.select("elements", "lanes").unique().rows():
            assert channel_works(elements, lanes)
        assert (channels["loss_db"] <= channels["limit_db"]).all()
        assert (channels["length_m"] <= channels["reach_m"]).all()
        assert channels["phy"].null_count() == 0

    def test_pins_meet_holes_and_ferrules_match(self) -> None:
        plan = planned("{trunks: between-racks}")
        assert all(mates(g, "female") for g in plan.table("panels")["gender"])  # cords have no pins
        ends = plan.table("trunks").join(plan.table("panels"), left_on="a_panel", right_on="panel")
        assert (ends["polish"] == ends["polish_right"]).all()
        assert set(ends["a_gender"]) == set(ends["b_gender"]) == {"male"}

    def test_cords_are_chosen_so_that_the_whole_works(self) -> None:
        design = planned("{trunks: between-racks}").design
        assert design is not None
        kind = next(iter(trunk_kinds(design, CATALOGUE, fibre_jumpers(CATALOGUE, ["mfp7e10-n"])).values()))
        assert trunk_elements(kind) == "B adA B adA B"
        assert trunk_elements(replace(kind, polarity="A")) == "B adA A adA A"
        assert trunk_elements(replace(kind, polarity="C")) == "B adA C adA B"  # none works: the check will say so
        assert not channel_works("B adA C adA B", "mpo12")

    def test_an_unknown_module_leaves_the_limit_open(self) -> None:
        plan = expanded("l40s-384")
        from asbuilt.plan.fibre.channels import _limit

        fibre = fibre_jumpers(CATALOGUE, ["mfp7e10-n"])["mfp7e10-n"]
        assert _limit(CATALOGUE, fibre, ("mma4z00-ns", None)) == (None, None, None)
        assert _limit(CATALOGUE, fibre, ("mma4z00-ns", "mma1z00-ns400")) == (1.8, 50.0, "400gbase-sr4")
        assert plan.table("channels")["limit_db"].null_count() == 0


class TestBill:
    def test_jumpers_over_trunks_are_cords_instead(self) -> None:
        plan = planned("{trunks: between-racks}")
        bom, trunked = plan.table("bom"), over(plan).height
        cables = bom.filter(pl.col("category") == "cable")
        cords = cables.filter(pl.col("role") == "patch cord")
        direct = cables.filter(~pl.col("role").is_in(["patch cord", "management port"]))
        assert cords["quantity"].sum() == 2 * trunked
        assert direct["quantity"].sum() == plan.table("jumpers").height - trunked
        assert cords.filter(pl.col("part") == "mfp7e20-n")["quantity"].sum() == trunked  # splitters stay at the nodes
        fibre = bom.filter(pl.col("category") == "fibre")
        trunks = fibre.filter(pl.col("role") == "trunk")
        assert (trunks["quantity"].sum(), trunks["spares"].sum()) == (12, 12)
        assert fibre.filter(pl.col("role") == "patch panel")["quantity"].sum() == plan.table("panels").height

    def test_trays_by_the_metre(self) -> None:
        plan = expanded("l40s-384")
        metres = plan.table("trays").filter(pl.col("kind") == "fibre")["length_m"].sum()
        row = plan.table("bom").filter(pl.col("role") == "fibre tray").row(0, named=True)
        assert (row["part"], row["quantity"]) == ("tray 300 x 100 mm", int(np.ceil(round(metres, 3))))


class TestFactory:
    def test_rack_scale_systems_list_what_is_built_in(self) -> None:
        plan = expanded("gb300-nvl72")
        parts = plan.table("factory_parts")
        racks = plan.table("racks").filter(pl.col("role") == "compute").height
        assert parts.height == 2 * racks
        assert set(parts.select("part", "quantity").unique().rows()) == {
            ("NVLink cable cartridge", 4),
            ("NVLink copper cable in the cartridges", 5000),
        }
        assert parts["domain"].n_unique() == racks
        assert expanded("l40s-384").table("factory_parts").height == 0

    def test_a_cable_to_an_nvlink_tray_is_found(self) -> None:
        tables = dict(expanded("gb300-nvl72").tables)
        assert nvlink_crossings(tables).height == 0
        tray = tables["rack_slots"].filter(pl.col("kind") == "nvlink-switch")["device"][0]
        first = tables["jumpers"]["jumper"][0]
        wrong = pl.when(pl.col("jumper") == first).then(pl.lit(tray)).otherwise("b_device").alias("b_device")
        tables["jumpers"] = tables["jumpers"].with_columns(wrong)
        assert nvlink_crossings(tables).rows() == [(first, tray)]


@pytest.mark.parametrize("fibre", ["{trunks: between-racks}", "{trunks: none, copper_trays: shared}"])
def test_tables_keep_their_schemas(fibre: str) -> None:
    plan = planned(fibre)
    assert [fault for s in FIBRE_TABLES for fault in s.faults(plan.table(s.name))] == []


def test_the_example_of_the_page_is_what_is_planned() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "fibre.md").read_text(encoding="utf-8")
    told = dict(
        re.findall(r"^\| ([^|]+?) \| `?([^|`]+?)`? \|$", page[page.index("## An example") : page.index("## Polarity")], re.M)
    )
    plan = expanded("dgx-h100-superpod")
    bundle = plan.table("bundles").filter(pl.col("bundle") == told["bundle"]).row(0, named=True)
    route = plan.table("routes").filter(pl.col("route") == bundle["route"]).row(0, named=True)
    trunks = plan.table("trunks").filter(pl.col("bundle") == told["bundle"])
    channels = plan.table("channels").filter(pl.col("trunk").is_in(trunks["trunk"].implode()))
    longest = channels.sort("length_m").row(-1, named=True)
    assert told == {
        "quantity": "value",
        "bundle": bundle["bundle"],
        "ports": f"{bundle['ports']}",
        "fibres of a port": f"{bundle['fibres_per_port']}",
        "usable fibres of a trunk of 8 legs": f"{bundle['usable_fibres']}",
        "trunks": f"{bundle['trunks']}",
        "spares": f"{bundle['spares']}",
        "way in trays": f"{route['tray_m']:g} m",
        "drops to the panels": f"{route['drops_m']:.2f} m",
        "service loops": f"{route['loops_m']:g} m",
        "needed, the longest with 5 % slack": f"{trunks['route_m'].max():g} m",
        "ordered": f"{trunks['length_m'].max():g} m",
        "elements of a channel": longest["elements"],
        "longest channel": f"{longest['length_m']:g} m",
        "loss of it": f"{longest['loss_db']:g} dB",
        "limit, 400GBASE-SR4 on OM4": f"{longest['limit_db']:g} dB",
    }
