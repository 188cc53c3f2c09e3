"""Checks of the power plan on plans of real requirements: verdicts when a feed is lost, and one finding for one fault."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import polars as pl
import pytest
import yaml

from asbuilt.checks.registry import checks
from asbuilt.design.resolve import resolve
from asbuilt.diagnose.design import findings
from asbuilt.diagnose.tally import told
from asbuilt.model.decode_requirement import decode
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates
from asbuilt.workflow.check import section
from template_plans import CATALOGUE, expanded

POWER = {id: c for id, c in checks().items() if id.startswith("PWR")}
THREE = ("A", "A", "B", "B", "C", "C")
TWO = ("A", "A", "A", "B", "B", "B")


def power_findings(plan: Plan, **more: str) -> tuple[Finding, ...]:
    """Findings of the power checks (and of those named) on ``plan``."""
    chosen = POWER | {id: checks()[id] for id in more.values()}
    frames = {id: c.answer(plan, Facts(tables={})) for id, c in sorted(chosen.items())}
    about = {id: (c.layer, c.severity, section(c.doc, "Why")) for id, c in chosen.items()}
    return findings(plan, told(frames), about)


@functools.cache
def with_cords(template: str, cords: tuple[str, ...], capped: bool = False) -> Plan:
    """The plan of a template of few nodes with this map of cords, at nameplate unless ``capped``."""
    document = yaml.safe_load(templates.text(template))
    document["site"] |= {"feeds": len(set(cords)), "cords": list(cords)}
    if not capped:
        document.get("node", {}).pop("power_cap_w", None)
    data = yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode()
    return expand(resolve(decode(data, template), CATALOGUE), CATALOGUE)


def verdicts(plan: Plan, id: str) -> set[str]:
    return set(checks()[id].answer(plan, Facts(tables={}))["verdict"])


@pytest.mark.parametrize(
    ("template", "cords", "verdict"),
    [
        ("dgx-h100-superpod", TWO, "fail"),  # 9.9 of 10.2 kW
        ("dgx-h100-superpod", THREE, "pass"),  # 13.2 of 10.2 kW
        ("dgx-b200", TWO, "fail"),  # 9.9 of 14.3 kW
        ("dgx-b200", THREE, "fail"),  # 13.2 of 14.3 kW
    ],
)
def test_a_lost_feed_by_the_map_of_cords(template: str, cords: tuple[str, ...], verdict: str) -> None:
    """Nameplate draw against six supplies of 3.3 kW. A map that falls short is told once, for all nodes: by DES-060."""
    plan = with_cords(template, cords)
    assert ("fail" if "fail" in verdicts(plan, "DES-060") else "pass") == verdict
    assert plan.table("cords").height
    assert verdicts(plan, "PWR-009") == ({"not_applicable"} if verdict == "fail" else {"pass"})


def test_what_is_left_is_told_in_kilowatts() -> None:
    found = [f for f in power_findings(with_cords("dgx-h100-superpod", TWO), map="DES-060") if f.id == "DES-060"]
    assert [(f.expected, f.found) for f in found] == [("at least 10.2 kW", "9.9 kW from 3 of 6 supplies")]
    found = [f for f in power_findings(with_cords("dgx-b200", THREE), map="DES-060") if f.id == "DES-060"]
    assert [(f.expected, f.found) for f in found] == [("at least 14.3 kW", "13.2 kW from 4 of 6 supplies")]


TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")


def edited(plan: Plan, table: str, where: pl.Expr, **values: pl.Expr | str | float | bool) -> Plan:
    """``plan`` with these columns set in the rows of ``table`` that ``where`` picks."""
    frame = plan.table(table)
    assert frame.filter(where).height, f"no row of {table} to change"
    changed = [
        pl.when(where).then(v if isinstance(v, pl.Expr) else pl.lit(v)).otherwise(pl.col(c)).alias(c) for c, v in values.items()
    ]
    return dataclasses.replace(plan, tables=dict(plan.tables) | {table: frame.with_columns(changed)})


def first(plan: Plan, table: str, where: pl.Expr | None = None) -> dict[str, Any]:
    """A row from the middle of ``table``, of those that ``where`` picks."""
    rows = plan.table(table).filter(pl.lit(True) if where is None else where)
    return rows.row(rows.height // 2, named=True)


def feed_moved(plan: Plan) -> Plan:
    """A whip is tapped from the other busway: circuit and PDU are of feed B now."""
    pdu = first(plan, "pdus", pl.col("feed") == "feed:A")
    moved = edited(
        plan, "circuits", pl.col("circuit") == pdu["circuit"], feed="feed:B", busway=pl.col("busway").str.replace("A$", "B")
    )
    return edited(moved, "pdus", pl.col("pdu") == pdu["pdu"], feed="feed:B")


def pdu_moved(plan: Plan) -> Plan:
    """Only the table of PDUs says feed B."""
    return edited(plan, "pdus", pl.col("pdu") == first(plan, "pdus", pl.col("feed") == "feed:A")["pdu"], feed="feed:B")


def circuit_moved(plan: Plan) -> Plan:
    """Only the table of circuits says feed B."""
    pdu = first(plan, "pdus", pl.col("feed") == "feed:A")
    return edited(plan, "circuits", pl.col("circuit") == pdu["circuit"], feed="feed:B")


def cord_moved(plan: Plan) -> Plan:
    """One of several cords of a device goes into the PDU of the other feed."""
    device = plan.table("cords").group_by("device").len().sort("len", "device").row(-1)[0]
    cord = first(plan, "cords", (pl.col("device") == device) & (pl.col("feed") == "feed:A"))
    other = first(plan, "pdus", (pl.col("rack") == cord["rack"]) & (pl.col("feed") == "feed:B"))
    return edited(
        plan, "cords", pl.col("cord") == cord["cord"], pdu=other["pdu"], outlet=plan.table("cords")["outlet"].max() + 1
    )


def one_feed(plan: Plan) -> Plan:
    """All cords of a device go into PDUs of one feed; the map said A and B."""
    cord = first(plan, "cords", pl.col("feed") == "feed:A")
    return edited(plan, "cords", pl.col("device") == cord["device"], pdu=cord["pdu"], outlet=99)


def one_feed_in_the_map(plan: Plan) -> Plan:
    """The same, and the map of cords says so too."""
    cord = first(plan, "cords", pl.col("feed") == "feed:A")
    return edited(plan, "cords", pl.col("device") == cord["device"], pdu=cord["pdu"], feed="feed:A")


def cord_wrong(plan: Plan) -> Plan:
    """A C15 connector, and no supply has an inlet for it but C14 and C16."""
    cord = first(plan, "cords", pl.col("inlet") == "C20")
    return edited(plan, "cords", pl.col("cord") == cord["cord"], connector="C15")


def outlet_twice(plan: Plan) -> Plan:
    one = first(plan, "cords")
    other = first(
        plan,
        "cords",
        (pl.col("pdu") == one["pdu"]) & (pl.col("cord") != one["cord"]) & (pl.col("outlet_type") == one["outlet_type"]),
    )
    return edited(plan, "cords", pl.col("cord") == other["cord"], outlet=one["outlet"])


def whip_too_long(plan: Plan) -> Plan:
    return edited(plan, "circuits", pl.col("circuit") == first(plan, "circuits")["circuit"], whip_m=9.0)


def whip_across_a_door(plan: Plan) -> Plan:
    return edited(plan, "circuits", pl.col("circuit") == first(plan, "circuits")["circuit"], door=True)


def wrong_side(plan: Plan) -> Plan:
    pdu = first(plan, "pdus", pl.col("side") == "left")
    return edited(plan, "pdus", pl.col("pdu") == pdu["pdu"], side="right")


def wrong_plug(plan: Plan) -> Plan:
    return edited(plan, "circuits", pl.col("circuit") == first(plan, "circuits")["circuit"], plug="NEMA-L6-30")


def without_a_bond(plan: Plan) -> Plan:
    bond = first(plan, "bonds", pl.col("kind") == "rack-to-bus")
    return dataclasses.replace(
        plan, tables=dict(plan.tables) | {"bonds": plan.table("bonds").filter(pl.col("bond") != bond["bond"])}
    )


FAULTS = [
    (feed_moved, "PWR-011"),
    (pdu_moved, "PWR-011"),
    (circuit_moved, "PWR-011"),
    (cord_moved, "PWR-011"),
    (one_feed, "PWR-010"),
    (one_feed_in_the_map, "PWR-010"),
    (cord_wrong, "PWR-012"),
    (outlet_twice, "PWR-015"),
    (whip_too_long, "PWR-019"),
    (whip_across_a_door, "PWR-020"),
    (wrong_side, "PWR-018"),
    (wrong_plug, "PWR-021"),
    (without_a_bond, "PWR-031"),
]


@functools.cache
def told_before(template: str) -> frozenset[tuple[str, str, str]]:
    return frozenset((f.id, f.subject, f.found) for f in power_findings(expanded(template)))


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize(("fault", "id"), FAULTS, ids=lambda p: p if isinstance(p, str) else p.__name__)
def test_one_fault_is_one_finding(template: str, fault: Any, id: str) -> None:
    """What a fault adds to the findings of the clean plan is one finding, of its own check."""
    after = power_findings(fault(expanded(template)))
    new = [f for f in after if (f.id, f.subject, f.found) not in told_before(template)]
    assert [f.id for f in new] == [id], [(f.id, f.subject, f.found) for f in new]


AS_BUILT = [
    ({"circuits_as_built": [{"rack": "A-02", "feed": "A", "feed_as_built": "B"}]}, "PWR-011"),
    ({"circuits_as_built": [{"rack": "A-02", "feed": "A", "length_m": 9.0}]}, "PWR-019"),
    ({"circuits_as_built": [{"rack": "A-02", "feed": "A", "side": "right"}]}, "PWR-018"),
    ({"circuits_as_built": [{"rack": "A-02", "feed": "A", "door": True}]}, "PWR-020"),
    ({"cords_as_built": [{"device": "node:0003", "supply": 0, "feed": "B"}]}, "PWR-011"),
    ({"cords_as_built": [{"device": "node:0003", "supply": n, "feed": "A"} for n in (2, 3)]}, "PWR-010"),
]


def stated(template: str, power: dict[str, Any]) -> Plan:
    """The plan of a template with more said under ``power``."""
    document = yaml.safe_load(templates.text(template))
    document["power"] = document.get("power", {}) | power
    data = yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode()
    return expand(resolve(decode(data, template), CATALOGUE), CATALOGUE)


@pytest.mark.parametrize(("power", "id"), AS_BUILT, ids=lambda p: p if isinstance(p, str) else "-".join(p))
def test_what_was_built_otherwise_is_one_finding(power: dict[str, Any], id: str) -> None:
    """The same through the requirement: currents follow what was built, and still one finding comes of it."""
    after = power_findings(stated("l40s-384", power))
    new = [f for f in after if (f.id, f.subject, f.found) not in told_before("l40s-384")]
    assert [f.id for f in new] == [id], [(f.id, f.subject, f.found) for f in new]


@pytest.mark.parametrize(("names", "ids"), [(["ups-1", "ups-2"], []), (["ups-1", "ups-1"], ["PWR-032"]), (["ups-1"], [])])
def test_feeds_that_share_a_source(names: list[str], ids: list[str]) -> None:
    """Two feeds behind one name are one source; a feed that nobody named tells nothing."""
    after = power_findings(stated("l40s-384", {"sources": names}))
    assert [f.id for f in after if (f.id, f.subject, f.found) not in told_before("l40s-384")] == ids
