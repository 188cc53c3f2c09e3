"""The power plan: figures of devices, cords and outlets, circuits, busways, the finished row."""

from __future__ import annotations

import functools
import math

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.tables_power import POWER_TABLES
from asbuilt.plan.expand import expand
from template_plans import CATALOGUE, expanded

H100 = "system: dgx-h100\ngpus: 64\nsite: {feeds: 2, nodes_per_rack: 4, cords: [A, A, A, B, B, B]}\n"
PILOT = "system: gb300-nvl72\ngpus: 144\nnode: {power_cap_w: 132000}\nsite: {racks_per_row: 10}\n"


@functools.cache
def plan_of(text: str) -> Plan:
    return expand(resolve(decode(f"schema: requirement/v1\nname: x\n{text}".encode(), "x"), CATALOGUE), CATALOGUE)


def conductors(plan: Plan, subject: str, case: str) -> list[float]:
    loads = plan.tables["conductor_loads"].filter((pl.col("subject") == subject) & (pl.col("case") == case))
    return loads.sort("conductor")["load_a"].to_list()


@pytest.mark.parametrize("template", ["l40s-384", "dgx-h100-superpod", "gb300-nvl72"])
def test_tables_of_the_templates_hold_their_schemas(template: str) -> None:
    tables = expanded(template).tables
    assert [fault for schema in POWER_TABLES for fault in schema.faults(tables[schema.name])] == []
    filled = {schema.name for schema in POWER_TABLES if tables[schema.name].height}
    own = {"cords", "pdus"} | ({"shelves", "busbars"} if template == "gb300-nvl72" else set())
    assert filled >= {"feeds", "draws", "busways", "circuits", "conductor_loads", "protections", "bonds"} | own


def test_four_figures_of_a_server() -> None:
    row = expanded("dgx-h100-superpod").tables["draws"].filter(pl.col("part") == "dgx-h100").to_dicts()[0]
    figures = {k: row[k] for k in ("role", "nameplate_w", "nominal_w", "sustained_w", "peak_w", "peak_s", "idle_w")}
    assert figures == {
        "role": "node",
        "nameplate_w": 10200.0,
        "nominal_w": 10200.0,
        "sustained_w": 8500.0,
        "peak_w": None,  # nobody publishes it
        "peak_s": None,
        "idle_w": 2500.0,
    }
    assert "docs.nvidia.com" in row["nameplate_source"] and row["peak_source"] is None and row["confidence"] == "low"


def test_a_power_cap_holds_the_nominal_figure_down_and_the_sustained_one_with_it() -> None:
    row = expanded("gb300-nvl72").tables["draws"].filter(pl.col("role") == "rack").to_dicts()[0]
    assert (row["nameplate_w"], row["nominal_w"], row["sustained_w"], row["peak_w"]) == (142000, 120000, 120000, 155000)
    assert row["nominal_source"] == "power cap declared in the requirement: node.power_cap_w"


def test_what_the_site_measured_replaces_the_catalogue() -> None:
    plan = plan_of(H100 + "power: {node_peak_w: 11500, node_peak_s: 0.05, node_idle_w: 2700, node_sustained_w: 7900}\n")
    row = plan.tables["draws"].filter(pl.col("role") == "node").to_dicts()[0]
    assert (row["sustained_w"], row["peak_w"], row["peak_s"], row["idle_w"]) == (7900, 11500, 0.05, 2700)
    assert row["peak_source"] == "declared in the requirement: power.node_peak_w"
    # Two racks of four nodes; with a feed lost the other one takes three supplies of 3,300 W each.
    step = plan.tables["feeds"]["step_kw"].to_list()
    assert step == pytest.approx([8 * 9.9 * (11500 - 2700) / 10200] * 2)


def test_cords_follow_the_map_and_share_what_is_left() -> None:
    cords = expanded("dgx-h100-superpod").tables["cords"].filter(pl.col("device") == "node:0000").sort("supply")
    assert cords["feed"].to_list() == [f"feed:{c}" for c in "AABBCC"]
    assert cords["pdu"].to_list() == [f"pdu:A-01/{c}1" for c in "AABBCC"]
    assert cords["nominal_w"].to_list() == [1700.0] * 6  # 10.2 kW over six
    assert cords["lost_w"].to_list() == [2550.0] * 6  # over the four that stand
    assert set(cords.select("inlet", "plug", "connector", "outlet_type", "rating_a").rows()) == {
        ("C20", "C20", "C19", "C19", 16)
    }


def test_a_device_with_too_few_supplies_left_is_counted_with_what_they_can_give() -> None:
    cords = plan_of(H100).tables["cords"].filter(pl.col("device") == "node:0000")
    assert cords["lost_w"].to_list() == [3300.0] * 6  # 10.2 kW over three would be 3.4 kW each


def test_banks_take_the_conductors_in_turn_and_no_outlet_two_cords() -> None:
    for template in ("l40s-384", "dgx-h100-superpod"):
        cords = expanded(template).tables["cords"]
        turn = ((cords["bank"] - 1) % 3 + 1).cast(pl.String)
        assert (cords["conductor"] == "L" + turn).all()
        assert cords.select("pdu", "outlet").is_unique().all()
        assert cords["outlet"].min() == 1 and int(str(cords["outlet"].max())) <= 24


def test_conductors_of_pdus_and_busways_are_even() -> None:
    tables = expanded("dgx-h100-superpod").tables
    nodes = tables["cords"].filter(pl.col("device").str.starts_with("node:"))
    per_pdu = nodes.group_by("pdu", "conductor").len().group_by("pdu").agg(pl.col("len").sort())
    eight = per_pdu.filter(pl.col("len").list.sum() == 8)
    assert eight.height > 90 and set(map(tuple, eight["len"].to_list())) == {(2, 3, 3)}
    largest_a = float(str(nodes["nominal_w"].max())) / (415 / math.sqrt(3) * 0.98)
    busways = tables["conductor_loads"].filter(
        (pl.col("kind") == "busway") & (pl.col("case") == "healthy") & (pl.col("conductor") != "N")
    )
    spread = busways.group_by("subject").agg(pl.col("load_a").max() - pl.col("load_a").min())
    assert (spread["load_a"] <= largest_a + 1e-9).all()


def test_small_plugs_without_a_small_outlet_take_a_cord_that_steps_down() -> None:
    cords = expanded("l40s-384").tables["cords"].filter(pl.col("inlet") == "C14")
    kinds = set(cords.select("outlet_type", "plug", "connector", "rating_a").rows())
    assert kinds == {("C13", "C14", "C13", 12.0), ("C19", "C20", "C13", 12.0)}


def test_loads_add_up_from_cords_to_feeds() -> None:
    tables = expanded("l40s-384").tables
    volts = 415 / math.sqrt(3) * 0.98
    for feed, watts in tables["cords"].group_by("feed").agg(pl.col("nominal_w").sum()).iter_rows():
        amps = conductors(expanded("l40s-384"), feed, "healthy")[:3]
        assert sum(amps) * volts == pytest.approx(watts)
        assert tables["feeds"].filter(pl.col("feed") == feed)["load_kw"].item() == pytest.approx(watts / 1000)
    both = tables["feeds"]["load_kw"].sum()
    assert tables["feeds"]["lost_kw"].to_list() == pytest.approx([both, both])  # 2N: the other feed takes all


def test_a_lost_feed_doubles_a_2n_busway_and_its_own_rows_are_gone() -> None:
    plan = expanded("l40s-384")
    healthy, lost = (conductors(plan, "busway:A/A", case) for case in ("healthy", "lost:feed:B"))
    assert lost[:3] == pytest.approx([2 * a for a in healthy[:3]])
    assert conductors(plan, "busway:A/A", "lost:feed:A") == []


def test_the_circuit_of_a_shelf_is_the_smallest_that_carries_it() -> None:
    circuits = expanded("gb300-nvl72").tables["circuits"].filter(pl.col("serves").str.starts_with("shelf:"))
    assert set(circuits.select("breaker_a", "usable_a", "conductors").rows()) == {(60.0, 48.0, 3)}
    # Half of 120 kW from four shelves, 5 % unequal, at 415 V and 0.98: 93 % of what a 60 A circuit carries for long.
    assert set(circuits["lost_a"].round(4).to_list()) == {44.7173}
    assert circuits.filter(pl.col("rack") == "rack:A-01")["circuit"].to_list() == [
        f"circuit:A-01/{feed}{n}" for feed in "AB" for n in range(1, 5)
    ]


def test_two_circuits_a_shelf_where_the_site_has_them() -> None:
    plan = plan_of(PILOT.replace("site:", "power: {shelf_circuits: 2}\nsite:"))
    circuits = plan.tables["circuits"].filter(pl.col("serves").str.starts_with("shelf:"))
    assert set(circuits.group_by("serves").len()["len"].to_list()) == {2}
    assert set(circuits["breaker_a"].to_list()) == {30.0}


def test_a_load_that_no_circuit_carries_gets_the_largest_and_shows_it() -> None:
    plan = plan_of(PILOT.replace("site:", "power: {shelf_circuits: 1, voltage_v: 208}\nsite:"))
    shelf = plan.tables["circuits"].filter(pl.col("serves").str.starts_with("shelf:"))
    assert set(shelf["breaker_a"].to_list()) == {60.0} and (shelf["lost_a"] > shelf["usable_a"]).all()


def test_pdus_are_as_many_as_the_worst_case_needs() -> None:
    assert plan_of(H100).tables["pdus"].filter(pl.col("rack") == "rack:A-01").height == 4  # 39.6 kW on 34.5 kVA
    three = plan_of("system: dgx-h100\ngpus: 64\nsite: {feeds: 3, nodes_per_rack: 4, cords: [A, A, B, B, C, C]}\n")
    assert three.tables["pdus"].filter(pl.col("rack") == "rack:A-01").height == 3


def test_the_iec_takes_the_whole_rating_and_its_own_cord_ratings() -> None:
    plan = plan_of(H100 + "power: {basis: iec}\n")
    circuit = plan.tables["circuits"].row(0, named=True)
    assert (circuit["breaker_a"], circuit["usable_a"], circuit["voltage_v"]) == (63.0, 63.0, 400.0)
    assert circuit["receptacle"] == "60309-63A-3P+N+E"
    assert set(plan.tables["cords"].select("connector", "rating_a").unique().rows()) == {("C13", 10.0), ("C19", 16.0)}


def test_outlets_between_phases_at_208_v() -> None:
    plan = plan_of(H100 + "power: {voltage_v: 208}\n")
    cords = plan.tables["cords"].filter(pl.col("rack") == "rack:A-01")
    assert set(cords["conductor"].to_list()) == {"L1-L2", "L2-L3", "L3-L1"}
    pdu = cords.filter(pl.col("pdu") == "pdu:A-01/A1").group_by("conductor").agg(pl.col("nominal_w").sum())
    amps = {name: watts / (208 * 0.98) for name, watts in pdu.iter_rows()}
    ab, ca = amps.get("L1-L2", 0.0), amps.get("L3-L1", 0.0)
    assert conductors(plan, "pdu:A-01/A1", "healthy")[0] == pytest.approx(math.sqrt(ab**2 + ca**2 + ab * ca))
    assert conductors(plan, "pdu:A-01/A1", "healthy")[3] == pytest.approx(0.0)


def test_a_pilot_shows_the_finished_row() -> None:
    pilot, row = plan_of(PILOT), plan_of(PILOT.replace("gpus: 144", "gpus: 648"))
    small = pilot.tables["busways"].filter(pl.col("busway") == "busway:A/A").row(0, named=True)
    large = row.tables["busways"].filter(pl.col("busway") == "busway:A/A").row(0, named=True)
    assert (small["taps"], small["length_m"]) == (9, 6.0)  # two racks of four shelves, one of switches
    assert small["taps_full"] >= 33
    # The pilot's row has room for nine racks of GPUs, that of nine racks keeps one more position for switches.
    assert small["rating_a"] >= large["rating_a"]  # no new busway for the finished row
    assert small["lost_a"] < 0.3 * small["full_a"] and small["full_a"] == pytest.approx(large["full_a"], rel=0.25)
    assert pilot.tables["feeds"]["full_kw"].to_list() > pilot.tables["feeds"]["lost_kw"].to_list()
    full = conductors(pilot, "busway:A/A", "full,lost:feed:B")
    assert max(full[:3]) == pytest.approx(small["full_a"])


def test_growth_beyond_the_rows_counts_at_the_feed() -> None:
    grown = plan_of(PILOT + "growth: {gpus: 1440}\n")
    asked = 20 * 132.0
    assert min(grown.tables["feeds"]["full_kw"].to_list()) > asked
    assert max(plan_of(PILOT).tables["feeds"]["full_kw"].to_list()) < asked / 2


def test_voltage_along_a_busway_falls_as_the_closed_form_says() -> None:
    plan = plan_of(PILOT)
    busway = plan.tables["busways"].filter(pl.col("busway") == "busway:A/A").row(0, named=True)
    taps = plan.tables["circuits"].filter(pl.col("busway") == "busway:A/A").sort("tap_m")
    assert taps["tap_m"].to_list()[0] == pytest.approx(0.3)
    # Balanced loads all along the row: close to the end-load drop over two.
    along = busway["r_mohm_m"] * 0.98 + busway["x_mohm_m"] * math.sqrt(1 - 0.98**2)
    half = math.sqrt(3) * busway["full_a"] * busway["length_m"] * along / 1000 / 2 / 415 * 100
    assert busway["drop_percent"] == pytest.approx(half, rel=0.1)
    assert busway["drop_percent"] < float(str(taps["drop_percent"].max())) < busway["drop_percent"] + 0.15


def test_feeding_a_busway_in_its_centre_quarters_the_drop() -> None:
    end, centre = (
        plan_of(PILOT.replace("site:", f"power: {{busway_entry: {entry}}}\nsite:")).tables["busways"]
        for entry in ("end", "centre")
    )
    a, b = (t.filter(pl.col("busway") == "busway:A/A").row(0, named=True) for t in (end, centre))
    assert b["entry"] == "centre" and b["drop_percent"] == pytest.approx(a["drop_percent"] / 4, rel=0.25)


def test_fault_currents_fall_from_the_source_to_the_pdu() -> None:
    plan = plan_of(H100 + "power: {fault_ka: 65, pickup_multiple: 5}\n")
    busway = plan.tables["busways"].row(0, named=True)
    circuits = plan.tables["circuits"].filter(pl.col("busway") == busway["busway"])
    assert 65 > busway["fault_ka"] > float(str(circuits["fault_ka"].max())) > 1
    assert plan_of(H100).tables["circuits"]["fault_ka"].null_count() == plan_of(H100).tables["circuits"].height


@pytest.mark.parametrize("feeds", [1, 2, 3, 4])
def test_any_number_of_feeds(feeds: int) -> None:
    plan = plan_of(f"system: dgx-h100\ngpus: 64\nsite: {{feeds: {feeds}, nodes_per_rack: 4}}\n")
    table = plan.tables["feeds"]
    assert table["letter"].to_list() == list("ABCD"[:feeds])
    assert table["redundancy"].to_list() == [{1: "N", 2: "2N"}.get(feeds, "N+1")] * feeds
    assert table["load_kw"].sum() == pytest.approx(plan.tables["cords"]["nominal_w"].sum() / 1000)


def test_panels_have_circuits_and_no_busways() -> None:
    plan = plan_of(H100 + "power: {distribution: panel, fault_ka: 25}\n")
    circuits = plan.tables["circuits"]
    assert plan.tables["busways"].is_empty() and circuits["busway"].null_count() == circuits.height
    assert (circuits["drop_percent"] < 0.2).all() and (circuits["fault_ka"] > 20).all()
    assert plan.tables["protections"].height == plan.tables["pdus"].height


def test_the_same_requirement_gives_the_same_bytes() -> None:
    text = f"schema: requirement/v1\nname: x\n{H100}".encode()
    again = expand(resolve(decode(text, "x"), CATALOGUE), CATALOGUE).tables
    assert all(again[s.name].equals(plan_of(H100).tables[s.name]) for s in POWER_TABLES)


def test_the_bill_buys_what_the_tables_hold() -> None:
    tables = plan_of(H100).tables
    power = tables["bom"].filter(pl.col("category") == "power")
    count = {name: int(str(power.filter(which)["quantity"].sum())) for name, which in BOUGHT.items()}
    assert count == {name: tables[name].height for name in ("pdus", "cords", "circuits", "busways")}


BOUGHT = {
    "pdus": pl.col("role") == "rack PDU",
    "cords": pl.col("role").str.starts_with("power cord"),
    "circuits": pl.col("role").str.starts_with("tap-off box"),
    "busways": pl.col("role").str.starts_with("busway"),
}


def test_a_pdu_that_the_catalogue_does_not_have() -> None:
    with pytest.raises(ProblemError) as caught:
        plan_of(H100 + "power: {pdu: nix}\n")
    assert str(caught.value).startswith("CAT-002 power.pdu: no power 'nix' in the catalogue")
