"""The ladder of a finding: what lower layers could explain it, in order, as suspect, ruled out, told or not measured."""

from __future__ import annotations

import polars as pl

from asbuilt.diagnose.ladder import LADDERS, NVLINK, with_ladder
from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SENSOR_FACTS
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS, NODES, RACKS
from asbuilt.model.verdict import Finding, Layer, Severity, Verdict


def row(schema, **said):  # type: ignore[no-untyped-def]
    blank = {"str": "", "i64": 0, "f64": 0.0, "bool": False}
    full = {c.name: None if c.nullable else blank[c.dtype] for c in schema.columns} | said
    return schema.conform(pl.DataFrame([full], schema=schema.polars(), strict=False))


PLAN = Plan(
    "ladder",
    {
        "nodes": pl.concat([row(NODES, node=f"node:000{n}", name=f"gpu00{n}", rack=f"rack:A-0{n - 2}") for n in (3, 4)]),
        "racks": pl.concat([row(RACKS, rack="rack:A-01", row="A"), row(RACKS, rack="rack:A-02", row="A")]),
        "links": row(LINKS, link="link:sw:leaf/1", a_device="sw:leaf", b_device="node:0003", b_nic="mlx5_0"),
    },
)  # fmt: skip


def finding(id: str, *subjects: str) -> Finding:
    said = {"expected": "more", "found": "less", "where": "", "cause": "slow", "next": "look at the spine", "revert": "none"}
    return Finding(id, Verdict.FAIL, Severity.MAJOR, Layer.COLLECTIVE, subjects[0], subjects=subjects, **said)


def verdicts(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"subject": pl.String, "verdict": pl.String, "found": pl.String}, orient="row")


def climbed(id: str, asked: dict[str, pl.DataFrame], *subjects: str, facts: Facts | None = None) -> Finding:
    (made,) = with_ladder(PLAN, [finding(id, *subjects)], asked, facts or Facts({}))
    return made


def test_a_failing_check_of_the_same_machine_is_the_suspect_and_comes_first() -> None:
    asked = {
        "PERF-001": verdicts(("node:0003", "pass", None)),
        "NOD-020": verdicts(("nic:0003/mlx5_0", "fail", "x8"), ("nic:0004/mlx5_0", "fail", "x4")),
        "FAB-007": verdicts(("link:sw:leaf/1", "pass", None)),
    }
    made = climbed("PERF-010", asked, "node:0003")
    states = {r.checks: r.state for r in made.ladder}
    assert states == {("PERF-001",): "ruled_out", ("FAB-007",): "ruled_out", ("NOD-020",): "suspect"}
    (suspect,) = [r for r in made.ladder if r.state == "suspect"]
    assert suspect.found == "x8", "what fails on another machine explains nothing here"
    assert made.next == "first NOD-020: x8; then measure again; else look at the spine"


def test_what_nobody_measured_is_the_next_measurement_and_never_a_cause() -> None:
    asked = {
        "PERF-001": verdicts(("node:0003", "pass", None)),
        "PERF-004": verdicts(("plan", "not_measured", "no run_measured in any capture")),
        "NOD-020": verdicts(("node:0004", "fail", "x8")),
    }
    made = climbed("PERF-010", asked, "node:0003")
    assert [r.state for r in made.ladder] == ["ruled_out", "not_measured", "not_measured"]
    assert made.next.startswith("first measure what is open, transport: NET/IB with GPUDirect")


def test_what_does_not_apply_is_no_rung() -> None:
    made = climbed("PERF-010", {"NOD-051": verdicts(("plan", "not_applicable", "no such module"))}, "node:0003")
    assert made.ladder == () and made.next == "look at the spine"


def test_nvlink_asks_power_and_cooling_of_the_rack_before_its_spine() -> None:
    made = climbed("GPU-005", {}, "gpu:0003/1")
    assert [r.question for r in made.ladder] == [s.question for s in NVLINK[:4]]
    assert {r.state for r in made.ladder} == {"not_measured"}
    assert made.next.startswith("first measure what is open, input voltage of the rack, before and after: readings of PDU")


def test_readings_before_and_after_are_told_for_the_rack_of_the_machine_alone() -> None:
    said = [("rack:A-01", 415.0, "2026-01-01T10:00:00Z"), ("A-01", 398.0, "2026-01-01T11:00:00Z"), ("rack:A-02", 1.0, None)]
    rows = [
        row(SENSOR_FACTS, host=h, sensor="inlet L1", kind="voltage", value=v, unit="V", time=t, capture_id="r", line=i)
        for i, (h, v, t) in enumerate(said)
    ]
    made = climbed("GPU-005", {}, "gpu:0003/1", facts=Facts({"sensor_facts": pl.concat(rows)}))
    first = made.ladder[0]
    assert first.state == "told" and "415 V" in first.found and "398 V" in first.found and "1 V" not in first.found.split("; ")
    assert made.as_json()["ladder"][0]["state"] == "told"


def test_links_of_a_machine_count_for_it() -> None:
    made = climbed("PERF-011", {"FAB-031": verdicts(("link:sw:leaf/1", "fail", "40 symbol errors"))}, "nic:0003/mlx5_0")
    assert made.ladder[0].state == "suspect" and made.ladder[0].found == "40 symbol errors"


def test_every_ladder_names_what_measures_each_rung() -> None:
    for id, steps in LADDERS.items():
        assert all(s.measure and (s.checks or s.sensors) for s in steps), id


def test_passes_and_other_checks_have_no_ladder() -> None:
    (made,) = with_ladder(PLAN, [finding("FAB-001", "link:sw:leaf/1")], {}, Facts({}))
    assert made.ladder == ()
