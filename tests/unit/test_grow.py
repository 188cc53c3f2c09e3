"""`asbuilt grow`: readings, breaks, cables, acts on small tables; what a pilot of two NVL72 racks hides; words of refusals."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.grow_screen import screen
from asbuilt.cli.main import main
from asbuilt.cli.sizing_screen import Style
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.predict.acts import STAGES, acts
from asbuilt.predict.breaks import BREAKS, HOLDS, MENDS, TOO_SMALL, UNKNOWN, Decision, decisions, next_size, readings
from asbuilt.predict.grown import Growth
from asbuilt.predict.rates import ASSUMED_HOURS, KINDS, Pieces, Rates
from asbuilt.predict.reading import POWER, Reading, counted, worst
from asbuilt.predict.survival import cables, links, survival
from asbuilt.workflow.grow import MOST_PLANS, grow, read_rates
from asbuilt.workflow.grow_ahead import at_size
from asbuilt.workflow.plan import make_plan
from template_plans import CATALOGUE

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "grow"


@functools.cache
def naive() -> Growth:
    """The naive pilot of two racks on its way to ten."""
    return grow(str(GOLDEN / "pilot.yaml"), "10racks", Path("/"))


def decided(found: Growth) -> dict[str, Decision]:
    return {d.reading.id: d for d in found.decisions}


# Readings


def rows(*held: tuple[str, float | None, float | None]) -> pl.DataFrame:
    return pl.DataFrame(held, schema={"subject": pl.String, "has": pl.Float64, "asked": pl.Float64}, orient="row")


def test_the_part_that_is_pressed_hardest_speaks_and_all_that_fail_are_named() -> None:
    (found,) = worst(
        "x", POWER, "x", rows(("a", 100.0, 90.0), ("b", 10.0, 12.0), ("c", 10.0, 11.0)), "A", "s", "build {asked:g}"
    )
    assert (found.subject, found.has, found.asked, found.holds) == ("b", 10.0, 12.0, False)
    assert (found.items, found.instead) == (("b", "c"), "build 12")


def test_exactly_what_it_has_holds_and_rounding_is_no_failure() -> None:
    (found,) = worst("x", POWER, "x", rows(("a", 142.0, 142.0 + 1e-12)), "A", "s", "build {asked:g}")
    assert (found.holds, found.instead, found.items) == (True, "", ())


@pytest.mark.parametrize(
    ("held", "holds"),
    [
        ([("a", None, 5.0)], None),
        ([("a", 10.0, 5.0), ("b", None, 5.0)], None),
        ([("a", 10.0, 50.0), ("b", None, 5.0)], False),
        ([("a", 10.0, 5.0), ("b", 10.0, 9.0)], True),
    ],
)
def test_what_nobody_stated_is_no_pass(held: list[Any], holds: bool | None) -> None:
    (found,) = worst("x", POWER, "x", rows(*held), "A", "s", "build {asked:g}")
    assert found.holds is holds


def test_no_part_no_reading() -> None:
    assert worst("x", POWER, "x", rows(), "A", "s") == []
    assert counted("x", POWER, "x", pl.Series([], dtype=pl.String), 0, "racks", "s", "w") == []


def test_what_moves_is_counted_and_named() -> None:
    (found,) = counted("x", POWER, "x", pl.Series(["b", "a"]), 5, "racks", "s", "other racks")
    assert (found.asked, found.items, found.holds, found.instead) == ("2 of 5 racks", ("a", "b"), False, "other racks")


# Breaks


def reading(holds: bool | None, key: str = "x") -> Reading:
    return Reading(key, POWER, key, "s", 1.0, 2.0, "A", holds, "t", items=() if holds else ("s",))


def at(key: str = "x", **by_size: bool | None) -> dict[int, dict[str, Reading]]:
    return {int(size[1:]): {key: reading(holds, key)} for size, holds in by_size.items()}


def test_a_break_lies_between_the_sizes_looked_at() -> None:
    (found,) = decisions(at(n2=True, n4=True, n10=False))
    assert (found.verdict, found.holds_to, found.breaks_at, found.exact) == (BREAKS, 4, 10, False)
    (found,) = decisions(at(n2=True, n4=True, n5=False, n10=False))
    assert (found.holds_to, found.breaks_at, found.exact) == (4, 5, True)


def test_what_fails_in_the_pilot_already_breaks_there() -> None:
    (found,) = decisions(at(n2=False, n10=False))
    assert (found.holds_to, found.breaks_at, found.exact) == (None, 2, True)


def test_a_decision_that_fails_on_the_way_breaks() -> None:
    (found,) = decisions(at(n2=True, n4=False, n10=True))
    assert (found.verdict, found.breaks_at, found.reading.holds) == (BREAKS, 4, False)


def test_holds_unknown_and_what_growth_mends() -> None:
    assert [d.verdict for d in decisions(at(n2=True, n10=True))] == [HOLDS]
    assert [d.verdict for d in decisions(at(n2=True, n10=None))] == [UNKNOWN]
    (found,) = decisions(at(TOO_SMALL, n2=False, n7=True, n10=True))
    assert (found.verdict, found.holds_from) == (MENDS, 7)


def test_a_size_that_asks_nothing_of_a_decision_holds() -> None:
    seen = at(n2=True, n10=False) | {5: {}}
    (found,) = decisions(seen)
    assert (found.holds_to, found.breaks_at) == (5, 10)
    seen = {2: {}, 10: {"x": reading(False)}}
    (found,) = decisions(seen)
    assert (found.holds_to, found.breaks_at) == (2, 10)


def test_the_next_size_halves_the_bracket_in_which_most_breaks_lie() -> None:
    seen = at(n2=True, n10=False)
    assert next_size(seen) == 6
    seen[6] = {"x": reading(False)}
    assert next_size(seen) == 4
    assert next_size(at(n2=True, n3=False)) is None
    assert next_size(at(n2=True, n10=True)) is None


# Cables, survival, acts: four cables of one switch, made by hand


def table(name: str, *held: dict[str, Any]) -> pl.DataFrame:
    """Rows of a plan table; what is not said is empty."""
    schema = PLAN_TABLES[name].polars()
    return pl.DataFrame([{c: row.get(c) for c in schema} for row in held], schema=schema)


def small(**changed: dict[str, Any]) -> Plan:
    """A leaf in N-1 with four cables to nodes in C-1; ``changed``: columns of some of the cables."""
    tables = {name: table(name) for name in PLAN_TABLES}
    tables["switches"] = table("switches", {"switch": "sw:leaf", "rack": "N-1", "u": 3.0, "role": "leaf", "spare": False})
    nodes = [{"node": f"node:{i}", "rack": "C-1", "u": float(i)} for i in range(6)]
    tables["nodes"] = table("nodes", *nodes, {"node": "node:far", "rack": "C-2", "u": 1.0})
    jumpers, made, channels = [], [], []
    for i in range(4):
        row = {"jumper": f"cable:{i}", "part": "p", "a_device": "sw:leaf", "a_label": str(i), "b_device": f"node:{i}"}
        row |= {"b_label": "1", "route_m": 4.0, "length_m": 5.0} | changed.get(f"c{i}", {})
        if row.pop("gone", False):
            continue
        channels.append({"jumper": row["jumper"], "trunk": row.pop("trunk", None)})
        jumpers.append(row)
        made.append({"link": f"link:{i}", "a_device": "sw:leaf", "a_port": i, "b_device": row["b_device"], "b_port": 1})
        made[-1] |= {"jumper": row["jumper"], "kind": "node_leaf"}
    tables["jumpers"], tables["links"] = table("jumpers", *jumpers), table("links", *made)
    tables["channels"] = table("channels", *channels)
    return Plan("small", tables)


@pytest.mark.parametrize(
    ("changed", "state", "rack_moved"),
    [
        ({}, "kept", False),
        ({"route_m": 9.0}, "kept", False),
        ({"b_device": "node:5"}, "replugged", False),
        ({"b_device": "node:5", "route_m": 6.0}, "repulled", False),
        ({"b_device": "node:far"}, "repulled", False),
        ({"part": "q"}, "repulled", False),
        ({"trunk": "trunk:1"}, "repulled", False),
        ({"gone": True}, "removed", False),
    ],
)
def test_what_becomes_of_a_cable(changed: dict[str, Any], state: str, rack_moved: bool) -> None:
    found = cables(small(), small(c1=changed))
    assert found["state"].to_list() == ["kept", state, "kept", "kept"]
    assert found["rack_moved"].to_list() == [False, rack_moved, False, False]


def test_a_switch_in_another_rack_pulls_all_its_cables_and_says_that_this_is_why() -> None:
    grown = small()
    grown.tables["switches"] = grown.tables["switches"].with_columns(pl.lit("N-2").alias("rack"))
    found = cables(small(), grown)
    assert found["state"].to_list() == ["repulled"] * 4
    assert found["rack_moved"].all()


def test_links_are_proven_one_by_one() -> None:
    grown = small(c1={"b_device": "node:5"}, c2={"gone": True})
    found = links(small(), grown, cables(small(), grown))
    assert (found.links, found.same_ends, found.untouched) == (4, 2, 2)
    assert (found.moved, found.gone) == (("link:1",), ("link:2",))


def test_parts_that_a_decision_breaks_on_do_not_survive() -> None:
    pilot = small()
    pilot.tables["busways"] = table(
        "busways", {"busway": "busway:A/A", "entry": "end"}, {"busway": "busway:A/B", "entry": "end"}
    )
    found = {s.table: s for s in survival(pilot, pilot, {"busway-rating": ("busway:A/B",)})}
    assert (found["busways"].kept, found["busways"].changed) == (1, ("busway:A/B",))
    assert (found["links"].kept, found["links"].rows) == (4, 4)


def test_acts_are_in_order_with_hours_and_money_of_stated_figures_only() -> None:
    grown = small(c0={"b_device": "node:far"}, c1={"b_device": "node:5"}, c2={"gone": True})
    states = cables(small(), grown)
    broken = [
        Decision(Reading("feed-capacity", POWER, "f", "feed:A", 1.0, 2.0, "kW", False, "s", items=("feed:A",)), BREAKS, 3, 2)
    ]
    rates = Rates(crews=2, currency="EUR", hours=Pieces(cable_replug=0.5), money=Pieces(cable_repull=40.0))
    made = acts(small(), grown, broken, survival(small(), grown, {}), states, rates)
    assert [(a.number, a.kind, a.count, a.hours, a.downtime_h, a.money) for a in made] == [
        (1, "feed_raise", 1, None, None, None),
        (2, "cable_remove", 1, 0.2, 0.1, None),
        (3, "cable_repull", 1, 0.6, 0.3, 40.0),
        (4, "cable_replug", 1, 0.5, 0.25, None),
    ]
    assert [a.hours_origin for a in made] == ["unknown", "assumed", "assumed", "declared"]


def test_only_the_work_of_utilities_has_no_assumed_hours() -> None:
    assert [kind for kind in KINDS if getattr(ASSUMED_HOURS, kind) is None] == ["feed_raise"]


# The pilot of two NVL72 racks


def test_the_pilot_names_more_than_ten_breaks_each_with_both_numbers() -> None:
    found = naive()
    broken = [d for d in found.decisions if d.verdict in (BREAKS, MENDS)]
    assert len(broken) >= 15
    for decision in broken:
        held = decision.reading
        assert held.has is not None and held.asked is not None and held.source and held.instead, held.id
        assert decision.breaks_at in range(2, 11)
    assert len(found.looked_at) <= MOST_PLANS
    assert all(d.exact for d in broken if d.breaks_at is not None and d.breaks_at <= 5)


def test_what_the_pilot_hides_and_at_how_many_racks() -> None:
    found = decided(naive())
    seen = {key: (d.holds_to, d.breaks_at) for key, d in found.items() if d.verdict == BREAKS}
    assert seen["shelf-feeds"] == (None, 2)
    assert seen["feed-capacity"] == (2, 3)
    assert seen["busway-rating"] == (2, 3)
    assert seen["branch-valves"] == (2, 3)
    assert seen["header-diameter"] == (4, 5)
    assert found["busway-rating"].reading.has == 480.0
    assert found["shelf-feeds"].reading.asked == pytest.approx(120_000 / 49, abs=0.1)
    assert found["header-diameter"].reading.asked == pytest.approx(5.10, abs=0.05)
    assert "DN125 for the header up to the 5th rack" in found["header-diameter"].reading.instead
    assert found[TOO_SMALL].verdict == MENDS


def test_the_pipe_of_the_pilot_is_solved_as_the_plan_of_the_target_solves_it() -> None:
    """The target's requirement states the same header: its own tables must say the same of the full row."""
    found = decided(naive())
    pilot = decode((GOLDEN / "pilot.yaml").read_bytes(), "pilot.yaml")
    target = make_plan(at_size(pilot, 720), CATALOGUE)
    row = target.table("loops").filter(pl.col("row") == "A").row(0, named=True)
    assert row["racks"] == row["racks_full"] == 9
    case = target.table("loop_cases").filter((pl.col("loop") == row["loop"]) & (pl.col("case") == "full")).row(0, named=True)
    assert found["header-diameter"].reading.asked == pytest.approx(row["velocity_m_s"], rel=1e-9)
    assert found["header-spread"].reading.asked == pytest.approx(case["spread_percent"], rel=1e-9)
    assert found["cdu-flow"].reading.asked == pytest.approx(case["flow_l_min"], rel=1e-9)
    assert found["cdu-head"].reading.asked == pytest.approx(case["need_kpa"] * 1.2, rel=1e-9)
    busway = target.table("busways").filter(pl.col("busway") == "busway:A/A").row(0, named=True)
    assert found["busway-rating"].reading.asked == busway["lost_a"]
    feed = target.table("feeds").row(0, named=True)
    assert found["feed-capacity"].reading.asked == feed["lost_kw"]


def test_what_must_be_down_first_is_done_first() -> None:
    made = naive().acts
    assert [a.number for a in made] == list(range(1, len(made) + 1))
    assert [a.stage for a in made] == sorted((a.stage for a in made), key=STAGES.index)
    assert {"busway_replace", "shelf_refeed", "loop_drain", "header_replace", "tray_widen", "lid_change"} <= {
        a.kind for a in made
    }


def test_the_same_pilot_planned_for_the_row_carries_it() -> None:
    found = naive()
    ahead = found.foreseen
    assert ahead is not None
    for key in ("header-diameter", "header-spread", "cdu-head", "busway-rating", "shelf-feeds", "branch-valves", "tray-fill"):
        assert key in ahead.mended, key
        assert key not in [reading.id for reading in ahead.failing]
    assert "cooling.header: left to the plan" in ahead.stated
    assert ahead.same_ends > found.links.same_ends


FULL = """schema: requirement/v1
name: full-row-pilot
system: gb300-nvl72
gpus: 144
growth: {gpus: 720}
fabric: xdr
node: {power_cap_w: 120000}
site: {rack_power_kw: 142, rack_weight_kg: 1800, racks_per_row: 12, cooling: liquid, coolant_supply_c: 35, rack_width_mm: 800}
power: {feed_capacity_kw: 3000, shelf_feeds: [A, B, A, B, A, B, A, B]}
fibre: {tray_width_mm: 450, tray_depth_mm: 100}
"""


def test_a_pilot_planned_for_the_full_row_carries_it() -> None:
    """What is left: a CDU that two racks ask too little of, and spines that stand and are wired otherwise in the target."""
    pilot = decode(FULL.encode(), "t")
    small_plan, large = make_plan(pilot, CATALOGUE), make_plan(at_size(pilot, 720), CATALOGUE)
    held = readings(small_plan, large)
    assert {key for key, one in held.items() if one.holds is False} == {"cdu-least-flow", "spine-striping", "switches"}
    assert {key for key, one in held.items() if one.holds is None} == {"cdu-head", "room-air"}
    assert {
        "busway-rating",
        "header-diameter",
        "manifold",
        "pdu-rating",
        "tray-fill",
        "lids",
        "addresses",
        "sm-hosts",
    } <= held.keys()
    found = {s.table: s for s in survival(small_plan, large, {})}
    for name in ("racks", "nodes", "circuits", "pdus", "shelves", "loops", "branches", "trays", "lids", "addresses"):
        assert found[name].kept == found[name].rows, name


def test_the_document_has_every_item_and_no_number_without_a_bound() -> None:
    document = json.loads(json.dumps(naive().as_json(), allow_nan=False))
    assert (document["schema"], document["exit"]) == ("grow/v1", 1)
    assert document["summary"]["breaks"] == sum(d["verdict"] == "breaks" for d in document["decisions"])
    proof = document["links"]
    assert proof["same_ends"] + len(proof["moved"]) + len(proof["gone"]) == proof["links"]
    assert sum(document["cables"].values()) == 288
    for act in document["acts"]:
        assert len(act["items"]) == act["count"]
    assert document["summary"]["hours"] is None  # a feed made larger: nobody knows


def test_the_screen_is_the_golden_text_and_fits() -> None:
    text = screen(naive(), Style(False)) + "\n"
    path = GOLDEN / "pilot.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert max(len(line) for line in text.splitlines()) <= 100


def test_what_the_requirement_dictates_is_named_where_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The template's 4 spines have no port for the uplinks of a third block of leaves."""
    monkeypatch.setattr("asbuilt.workflow.grow.MOST_PLANS", 7)
    found = grow("l40s-384", "33racks", tmp_path)
    (written,) = [d for d in found.decisions if d.reading.id == "as-written"]
    assert (written.verdict, written.breaks_at, written.exact) == (BREAKS, 33, False)
    assert written.reading.asked == "plane compute: 12 leaves with 24 uplinks do not fit the 4 spines dictated"
    assert found.notes[0] == (
        "no plan of the target as written (plane compute: 12 leaves with 24 uplinks do not fit the 4 spines dictated): "
        "planned without the counts of switches and uplinks"
    )
    assert "l40s-384: plane compute: 12 leaves with 24 uplinks do not fit" in screen(found, Style(False))


# Refusals


def refused(pilot: str, target: str, folder: Path) -> str:
    with pytest.raises(ProblemError) as caught:
        grow(pilot, target, folder)
    return caught.value.problems.render()


def test_neither_project_nor_file_nor_template(tmp_path: Path) -> None:
    assert refused("l40s-385", "800", tmp_path).startswith(
        "CLI-080 'l40s-385' is no project, no file and no template\n"
        "  fix: did you mean l40s-384? give a project folder, a cluster.yaml, or a template: l40s-384, "
    )


def test_a_target_that_is_not_larger(tmp_path: Path) -> None:
    assert refused("l40s-384", "12racks", tmp_path) == (
        "CLI-081 12racks is 12 compute racks, l40s-384 is 12\n"
        "  why: growth is asked for, rack by rack\n"
        "  fix: give a larger number of GPUs, or of racks: `10racks`\n"
        "1 problem"
    )


def test_a_target_of_another_system(tmp_path: Path) -> None:
    assert refused("l40s-384", "dgx-h100-superpod", tmp_path).startswith(
        "CLI-081 l40s-384 is built of l40s-8gpu, dgx-h100-superpod of dgx-h100\n"
        "  why: no part of the one would stay in the other\n"
    )


def test_rates_are_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "rates.yaml"
    path.write_text("schema: rates/v1\ncrews: 0\nhours: {cable_pull: 1}\nmoney: {cable_repull: -1}\n")
    with pytest.raises(ProblemError) as caught:
        read_rates(path)
    assert [p.code for p in caught.value.problems.items] == ["CLI-082"] * 3
    path.write_text("schema: rates/v1\ncrews: 3\ncurrency: EUR\nhours: {cable_repull: 1}\n")
    found = read_rates(path)
    assert (found.crews, found.hours_of("cable_repull"), found.hours_of("feed_raise")) == (
        3,
        (1.0, "declared"),
        (None, "unknown"),
    )


def test_rates_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(tmp_path), "grow", "l40s-384", "800", "--rates", "none.yaml"]) == 2
    assert "CLI-082 the rates cannot be read: it is not a file" in capsys.readouterr().err


# The page


PAGE = (GOLDEN.parents[2] / "docs" / "grow.md").read_text(encoding="utf-8")


def test_the_page_lists_every_decision_and_every_piece() -> None:
    area = {line.split("|")[1].strip(): line for line in PAGE.splitlines() if line.startswith("| ")}
    for decision in naive().decisions:
        assert f"`{decision.reading.id}`" in area[decision.reading.area]
    assert all(f"`{kind}`" in PAGE for kind in KINDS)


def test_the_page_shows_the_numbers_of_the_pilot() -> None:
    found = decided(naive())
    told = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 5]
    assert len(told) == 8
    for key, breaks, has, asked in told:
        decision = found[key.strip(" `")]
        held = decision.reading
        assert breaks.strip() == ("now" if decision.holds_to is None else str(decision.breaks_at))
        for word, value in ((has, held.has), (asked, held.asked)):
            number = float(word.split()[0].replace(",", ""))
            assert isinstance(value, float) and number == pytest.approx(value, abs=0.5 if number > 10 else 0.005), key


def test_the_page_names_every_key_of_the_document() -> None:
    document = naive().as_json()
    keys = {
        k for d in (document, document["decisions"][0], document["acts"][0], document["links"], document["foreseen"]) for k in d
    }
    assert not {k for k in keys - {"schema"} if f"`{k}`" not in PAGE and f"`{k}[]`" not in PAGE}


def test_a_pilot_of_which_everything_stays() -> None:
    kept = tuple(d for d in naive().decisions if d.verdict == HOLDS)
    found = replace(naive(), decisions=kept, acts=(), foreseen=None)
    assert found.survives and found.as_json()["exit"] == 0
    text = screen(found, Style(False))
    assert "✓ everything of the pilot stays as it is" in text
    assert "no decision of the pilot breaks" in text and "what is to be done" not in text
