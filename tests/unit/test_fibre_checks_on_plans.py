"""Checks of the cable plant on whole plans: clean ones pass, and one fault in one place is one finding that names it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Callable

import polars as pl
import pytest

from asbuilt.checks.registry import checks
from asbuilt.diagnose.design import findings
from asbuilt.diagnose.tally import coverage, told
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict
from asbuilt.workflow.check import section, verdicts
from template_plans import made

PLAN = "gb300-nvl72"
Key = tuple[str, str, str]


#: Those of the cable plant, and those of design that read the same tables of cables, optics and racks.
CHOSEN = {id: c for id, c in checks().items() if id.startswith(("CAB-", "DES-03", "DES-04", "DES-05")) and not c.facts}


def found_in(plan: Plan) -> tuple[Finding, ...]:
    """The findings of the chosen checks."""
    about = {id: (c.layer, c.severity, section(c.doc, "Why")) for id, c in CHOSEN.items()}
    return findings(plan, told(verdicts(plan, CHOSEN)), about)


def key(finding: Finding) -> Key:
    return (finding.id, finding.verdict.value, finding.cause)


@cache
def before(template: str) -> dict[Key, Finding]:
    """The findings of the untouched plan."""
    return {key(f): f for f in found_in(made(template))}


def fault(table: str, where: pl.Expr, **change: Any) -> Plan:
    """The plan with columns of some rows changed; an expression or a value for each."""
    frame = made(PLAN).table(table)
    assert frame.filter(where).height, "the fault touches nothing"
    new = [
        pl.when(where).then(v if isinstance(v, pl.Expr) else pl.lit(v)).otherwise(pl.col(c)).alias(c) for c, v in change.items()
    ]
    return replace(made(PLAN), tables={**made(PLAN).tables, table: frame.with_columns(new)})


def first(table: str, column: str, where: pl.Expr | None = None) -> Any:
    frame = made(PLAN).table(table)
    return (frame if where is None else frame.filter(where))[column][0]


def trunk(ports: bool = True) -> pl.Expr:
    """The first trunk that carries ports, or the first that stands by."""
    return pl.col("trunk") == first("trunks", "trunk", pl.col("ports") > 0 if ports else pl.col("ports") == 0)


def without_a_spare() -> Plan:
    trunks = made(PLAN).table("trunks")
    return replace(made(PLAN), tables={**made(PLAN).tables, "trunks": trunks.filter(~trunk(ports=False))})


def two_on_one_position() -> Plan:
    trunks = made(PLAN).table("trunks")
    panel = trunks["a_panel"][0]
    one, other = trunks.filter(pl.col("a_panel") == panel).sort("a_position").head(2)["trunk"].to_list()
    place = trunks.filter(pl.col("trunk") == one)["a_position"][0]
    return fault("trunks", pl.col("trunk") == other, a_position=place)


def overfilled_run(to: float = 55.0) -> Plan:
    """All segments over one row."""
    row = first("trays", "row", (pl.col("kind") == "fibre") & pl.col("row").is_not_null())
    return fault("trays", (pl.col("kind") == "fibre") & (pl.col("row") == row), fill_full_percent=to)


def direct(number: int = 0) -> pl.Expr:
    """A jumper that goes over no trunk."""
    return pl.col("jumper") == made(PLAN).table("channels").filter(pl.col("trunk").is_null())["jumper"][number]


def jumper_into_nvlink() -> Plan:
    return fault("jumpers", direct(), b_device=first("rack_slots", "device", pl.col("kind") == "nvlink-switch"))


def twins() -> Plan:
    """One jumper planned between the ports of another."""
    other = made(PLAN).table("jumpers").filter(direct()).row(0, named=True)
    ends = {c: other[c] for c in ("a_device", "a_label", "b_device", "b_label")}
    return fault("jumpers", direct(1), **ends)


def swapped_far_positions() -> Plan:
    """The first and the last trunk of a panel have changed places at that panel."""
    trunks = made(PLAN).table("trunks")
    counts = trunks.group_by("b_panel").agg(pl.col("a_panel").n_unique().alias("racks")).sort("racks", "b_panel")
    held = trunks.filter(pl.col("b_panel") == counts["b_panel"][-1]).sort("b_position")
    one, other = held.row(0, named=True), held.row(-1, named=True)
    swap = pl.when(pl.col("trunk") == one["trunk"]).then(pl.lit(other["b_position"])).otherwise(pl.lit(one["b_position"]))
    return fault("trunks", pl.col("trunk").is_in([one["trunk"], other["trunk"]]), b_position=swap)


FAULTS: list[tuple[str, Callable[[], Plan], str]] = [
    (
        "CAB-001",
        lambda: fault("bundles", pl.col("bundle") == first("bundles", "bundle"), trunks=pl.col("trunks") + 1),
        "counted",
    ),
    ("CAB-002", without_a_spare, "no trunk may fail between"),
    ("CAB-003", two_on_one_position, "two trunks end at one position of a panel"),
    ("CAB-004", lambda: fault("trunks", trunk(ports=False), b_position=999), "too few positions"),
    ("CAB-005", lambda: fault("panels", pl.col("panel") == first("panels", "panel"), u=None), "found no room"),
    ("CAB-006", lambda: fault("trunks", trunk(), length_m=pl.col("route_m") - 1.0), "shorter than its way"),
    ("CAB-007", lambda: fault("trunks", trunk(), route_m=pl.col("route_m") - 2.5), "no room for service loops"),
    ("CAB-010", lambda: fault("trunks", trunk(), polarity="A"), "transmitters do not meet receivers through trunk:"),
    ("CAB-010", lambda: fault("trunks", trunk(), polarity="C"), "transmitters do not meet receivers through trunk:"),
    (
        "CAB-010",
        lambda: fault("channels", pl.col("jumper") == first("channels", "jumper"), elements="A"),
        "transmitters do not meet receivers through a single cord: A (a single cord)",
    ),
    (
        "CAB-010",
        lambda: fault("panels", pl.col("panel") == first("panels", "panel"), adapter="B"),
        "transmitters do not meet receivers through panel:",
    ),
    (
        "CAB-011",
        lambda: fault("trunks", trunk(), a_gender="female"),
        "pins and holes do not meet: female and male ends (trunk:",
    ),
    ("CAB-012", lambda: fault("trunks", trunk(), polish="upc"), "angled and flat ferrules meet: upc among apc (trunk:"),
    ("CAB-013", lambda: fault("channels", pl.col("jumper") == first("channels", "jumper"), loss_db=9.0), "loses more light"),
    ("CAB-014", lambda: fault("channels", trunk(), length_m=9_999.0), "longer than the modules reach"),
    ("CAB-020", lambda: overfilled_run(to=45.0), "keeps no room for what comes later"),
    ("CAB-021", overfilled_run, "is full: its fullest part"),
    ("CAB-022", lambda: fault("trays", pl.col("kind") == "fibre", shared=True), "hold power cables as well"),
    ("CAB-023", lambda: fault("routes", pl.col("route") == first("routes", "route"), bend_mm=20.0), "turns are tighter"),
    (
        "CAB-024",
        lambda: fault("routes", pl.col("route") == first("routes", "route"), tension_n=900.0),
        "see more than they take",
    ),
    ("CAB-030", jumper_into_nvlink, "ends inside an NVLink domain"),
    ("CAB-031", lambda: fault("jumpers", direct(), b_device="node:9999"), "node:9999 stands nowhere"),
    ("CAB-032", twins, "labels of different cables read the same"),
    ("CAB-033", lambda: fault("racks", pl.col("rack") == "rack:A-05", name="A/05"), "cannot be taken apart into two ends"),
    ("CAB-034", swapped_far_positions, "positions do not follow the hall"),
]


@pytest.mark.parametrize(("id", "make", "says"), FAULTS, ids=[f"{id}-{n}" for n, (id, _, _) in enumerate(FAULTS)])
def test_one_fault_is_one_finding(id: str, make: Callable[[], Plan], says: str) -> None:
    found = {key(f): f for f in found_in(make())}
    new = [f for k, f in found.items() if k not in before(PLAN)]
    assert [f.id for f in new] == [id], [(f.id, f.cause) for f in new]
    assert new[0].verdict == Verdict.FAIL and says in new[0].cause
    assert before(PLAN).keys() <= found.keys(), "no other finding went away"


@pytest.mark.parametrize("template", ["gb300-nvl72", "dgx-h100-superpod", "l40s-384"])
def test_templates_have_no_fault_in_their_cable_plant(template: str) -> None:
    assert [k for k in before(template) if k[0].startswith("CAB-")] == []


def test_a_plan_with_trunks_is_judged_on_everything() -> None:
    """The template has trunks, so that none of the checks passes for want of something to judge."""
    judged = {row.id: row.passed for row in coverage(verdicts(made(PLAN), CHOSEN)) if row.id.startswith("CAB-")}
    assert [id for id, passed in judged.items() if not passed] == [] and len(judged) == 22
