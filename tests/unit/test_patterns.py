"""Causes of many misplaced cables, recognised as such; causes that fit as well, and what tells them apart."""

from __future__ import annotations

import functools
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.model.capture import Capture
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verification
from asbuilt.rehearse import faults as grammar
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.twin import captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import judge, rehearse
from asbuilt.workflow.repair import apply_moves
from asbuilt.workflow.templates import text
from little_fabric import little_plan

PLAN = little_plan(nodes=8)  # leaves with ports 1-8 to nodes, 9-12 to two spines


def told(*faults: str, plan: Plan = PLAN) -> tuple[Finding, ...]:
    """The findings, after proof that they name exactly the faults and that their moves mend them in no more acts."""
    done = rehearse(plan, faults)
    assert done.exact
    assert done.verification.details["exchanges"] <= sum(i.moves or 0 for i in done.injected)
    assert judge(plan, apply_moves(plan, done.built, done.verification.repairs)).verification.findings == ()
    return done.verification.findings


@pytest.mark.parametrize(
    ("faults", "cause", "links"),
    [
        (
            ["mirror:LEAF-01/1-8"],
            "ports 1–8 of LEAF-01 are mirrored: 8 cables sit in reverse order, that of port 1 in port 8, and so on",
            8,
        ),
        (
            ["mirror:LEAF-03/1-7"],
            "ports 1–7 of LEAF-03 are mirrored: 6 cables sit in reverse order, that of port 1 in port 7, and so on",
            6,
        ),
        (
            ["mirror:LEAF-02/9-12"],
            "ports 9–12 of LEAF-02 are mirrored: 4 cables sit in reverse order, that of port 9 in port 12, and so on",
            4,
        ),
        (
            ["shift:LEAF-01/1-4,4"],
            "ports 1–4 and 5–8 of LEAF-01 are exchanged, block for block: the cable of port 1 sits in port 5, and so on",
            8,
        ),
        (
            ["shift:LEAF-01/1-7,1"],
            "a block of 7 cables at LEAF-01 sits 1 port too high, and the one in its way where it was: ports 1–8",
            8,
        ),
        (
            ["shift:LEAF-01/1-6,2"],
            "a block of 6 cables at LEAF-01 sits 2 ports too high, and the 2 in its way where it was: ports 1–8",
            8,
        ),
        (
            ["shift:LEAF-01/1-2,6"],
            "a block of 6 cables at LEAF-01 sits 2 ports too low, and the 2 in its way where it was: ports 1–8",
            8,
        ),
        (
            ["unplug:LEAF-01/8", "shift:LEAF-01/1-7,1"],
            "a block of 7 cables at LEAF-01 sits 1 port too high, and LEAF-01 port 8 – gpu007 mlx5_0 has no cable",
            8,
        ),
        (
            [f"swap:LEAF-01/{p},LEAF-01/{p + 1}" for p in (1, 3, 5)],
            "3 pairs of neighbouring ports of LEAF-01 are exchanged: 1 and 2, 3 and 4, 5 and 6",
            6,
        ),
        (
            ["crossed:mlx5_0,mlx5_2"],
            "all 8 nodes are crossed the same way: mlx5_0 and mlx5_2 are exchanged at each; the cables, or the plan's idea of "
            "which NIC is which",
            16,
        ),
        (
            ["exchange:LEAF-01,LEAF-02"],
            "LEAF-01 and LEAF-02 are exchanged in 12 cables: each stands, or is named, in the other's place",
            24,
        ),
        (
            [f"swap:LEAF-01/{p},LEAF-02/{p + 1}" for p in (1, 3, 5)],
            "LEAF-01 and LEAF-02 are exchanged in 3 cables and right in their others: the cables were mixed up, not the boxes",
            6,
        ),
    ],
)
def test_one_cause_for_many_cables(faults: list[str], cause: str, links: int) -> None:
    (finding,) = told(*faults)
    assert (finding.id, finding.cause, len(finding.subjects)) == ("FAB-001", cause, links)


def test_a_mirrored_panel_with_holes_is_still_one() -> None:
    plan = replace(PLAN, tables=PLAN.tables | {"links": PLAN.links.filter(~PLAN.links["link"].str.ends_with("leaf-000-0/3"))})
    (finding,) = told("mirror:LEAF-01/1-8", plan=plan)
    assert finding.cause.startswith("ports 1–8 of LEAF-01 are mirrored: 7 cables") and len(finding.subjects) == 7


@pytest.mark.parametrize(
    "faults",
    [
        ["swap:LEAF-01/1,LEAF-01/2", "swap:LEAF-01/5,LEAF-01/6"],  # two pairs: may be chance
        ["swap:LEAF-01/1,LEAF-01/8", "swap:LEAF-01/3,LEAF-01/6"],  # nested, with ports between them that are right
        ["swap:LEAF-01/1,LEAF-01/2", "swap:LEAF-02/1,LEAF-02/2"],
    ],
)
def test_what_only_looks_alike_is_told_apart(faults: list[str]) -> None:
    found = told(*faults)
    assert len(found) == 2 and all(f.cause.startswith("two cables are exchanged") for f in found)


def test_two_panels_mirrored_are_two_causes_and_a_swap_beside_them_a_third() -> None:
    found = told("mirror:LEAF-01/1-8", "mirror:LEAF-02/1-8", "swap:LEAF-03/1,LEAF-03/5")
    assert [f.cause[:26] for f in found if "mirrored" in f.cause] == [
        "ports 1–8 of LEAF-01 are m",
        "ports 1–8 of LEAF-02 are m",
    ]
    assert len(found) == 3


@functools.cache
def three_units() -> Plan:
    """Eight rails, three scalable units."""
    return make_plan(decode(text("dgx-b200").replace("gpus: 1024", "gpus: 768").encode(), "cluster.yaml"))


def _leaves(plan: Plan, rail: int) -> list[str]:
    rows = plan.table("switches").filter((pl.col("role") == "leaf") & (pl.col("plane") == "compute") & (pl.col("rail") == rail))
    return sorted(rows["switch"].to_list())


def test_two_rails_exchanged_everywhere_are_one_cause() -> None:
    plan = three_units()
    one, two = _leaves(plan, 1), _leaves(plan, 6)
    assert len(one) == len(two) > 1
    (finding,) = told(*(f"exchange:{a},{b}" for a, b in zip(one, two, strict=True)), plan=plan)
    assert finding.cause.startswith(f"rails 1 and 6 of compute are exchanged: {len(one)} pairs of leaves, ")
    both = plan.links.filter(pl.col("a_device").is_in([*one, *two]))
    assert sorted(finding.subjects) == both["link"].sort().to_list()
    assert [e.ends for e in finding.explanations] == [0, 0, both.height]


def explained(*faults: str, plan: Plan = PLAN) -> Finding:
    (finding,) = told(*faults, plan=plan)
    assert finding.ways == tuple(e.text for e in finding.explanations)
    said = finding.as_json()
    assert [e["cause"] for e in said.get("explanations", [])] == [e.cause for e in finding.explanations]
    return finding


def test_two_cables_exchanged_at_either_end() -> None:
    finding = explained("swap:LEAF-01/1,LEAF-01/2")
    assert finding.measurement == "read the labels at both ends of the cable between gpu001 mlx5_0 – LEAF-01 port 1"
    assert [(e.cause, e.ends, e.tells) for e in finding.explanations] == [
        (
            "the ends at LEAF-01 port 1, LEAF-01 port 2 are exchanged",
            2,
            "the end in LEAF-01 port 1 is labelled for LEAF-01 port 2",
        ),
        (
            "the ends at gpu000 mlx5_0, gpu001 mlx5_0 are exchanged",
            2,
            "the end in gpu001 mlx5_0 is labelled for gpu000 mlx5_0",
        ),
    ]


def test_the_nics_of_one_node_exchanged_may_be_their_numbering() -> None:
    finding = explained("swap:gpu000/mlx5_0,gpu000/mlx5_1")
    assert [e.ends for e in finding.explanations] == [0, 2, 2]
    assert finding.explanations[0].cause.startswith("gpu000 numbers its NICs another way than the plan")
    assert finding.explanations[0].tells == "both ends are labelled for the ports that they sit in"
    assert finding.next.startswith(
        "first read the labels at both ends of the cable between LEAF-01 port 1 – gpu000 mlx5_1; if "
    )


def test_nodes_crossed_alike_may_be_leaves_or_numbering() -> None:
    finding = explained("crossed:mlx5_0,mlx5_1")
    numbering, nodes, leaves = finding.explanations
    assert (numbering.ends, nodes.ends, leaves.ends) == (0, 16, 16)
    assert numbering.cause.startswith("each of the 8 nodes numbers its NICs another way")
    assert leaves.cause.startswith("LEAF-01 and LEAF-02 are exchanged in 8 cables and right in their others")


@pytest.mark.parametrize(
    ("one", "two", "ends"), [("gpu001", "gpu003", 8), ("LEAF-01", "LEAF-02", 24), ("SPINE-01", "SPINE-02", 16)]
)
def test_two_boxes_exchanged_may_be_names_places_or_cables(one: str, two: str, ends: int) -> None:
    finding = explained(f"exchange:{one},{two}")
    assert [(e.cause, e.ends) for e in finding.explanations] == [
        (f"{one} and {two} have each other's names", 0),
        (f"{one} and {two} stand in each other's place", 0),
        (f"the cables of {one} and {two} are exchanged", ends),
    ]
    assert finding.measurement.startswith("read serial number and host name on the ")
    assert finding.measurement.endswith(f", which should be {one}")


def test_uplinks_that_are_right_rule_out_that_two_leaves_stand_in_each_others_place() -> None:
    finding = explained(*(f"swap:LEAF-01/{p},LEAF-02/{p}" for p in range(1, 9)))
    assert not any("place" in e.cause for e in finding.explanations)


def test_a_mirrored_panel_has_one_explanation() -> None:
    assert explained("mirror:LEAF-01/1-8").explanations == ()


def test_a_cable_that_is_the_rest_of_two_links_may_be_either() -> None:
    finding = explained("swap:LEAF-01/1,LEAF-01/2", "unplug:LEAF-01/1")
    assert [e.ends for e in finding.explanations] == [3, 3] and len(finding.subjects) == 2


IBSTAT = """CA '{card}'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tHardware version: 0
\tNode GUID: 0x{guid}
\tSystem image GUID: 0x{guid}
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 1
\t\tLMC: 0
\t\tSM lid: 1
\t\tCapability mask: 0xa651e848
\t\tPort GUID: 0x{guid}
\t\tLink layer: InfiniBand
"""


def asked(faults: list[str], answers: dict[tuple[str, str], str]) -> Verification:
    """What compare says when each (host, card) answers with the GUID that the fabric calls by the name given."""
    built, _ = grammar.apply(PLAN, as_planned(PLAN), tuple(grammar.parse(f) for f in faults))
    found = list(captures(PLAN, built))
    guid = dict(facts_of(found).tables["device_facts"].select("description", "guid").rows())
    for (host, card), name in answers.items():
        text = IBSTAT.format(card=card, guid=guid[name]).encode()
        found.append(Capture(f"ibstat-{host}-{card}", text, "ibstat", host))
    return compare(PLAN, facts_of(found))


def cabling(seen: Verification) -> Finding:
    (finding,) = [f for f in seen.findings if f.id == "FAB-001"]
    return finding


def test_a_host_that_carries_the_others_guid_decides_for_the_names() -> None:
    seen = asked(["exchange:gpu001,gpu003"], {("gpu001", "mlx5_0"): "gpu003 mlx5_0"})
    finding = cabling(seen)
    assert finding.cause == "gpu001 and gpu003 have each other's names" and seen.repairs == ()
    assert finding.decided.startswith("ibstat-gpu001-mlx5_0:8: gpu001 has GUID ")
    assert finding.decided.endswith(" as mlx5_0, which the fabric calls gpu003 mlx5_0")
    assert finding.explanations == () and finding.as_json()["decided"] == finding.decided
    assert finding.revert == "no cable is moved"


def test_a_host_that_knows_its_name_rules_out_that_names_are_crossed() -> None:
    seen = asked(["exchange:gpu001,gpu003"], {("gpu001", "mlx5_0"): "gpu001 mlx5_0"})
    finding = cabling(seen)
    assert [e.ends for e in finding.explanations] == [0, 8] and len(seen.repairs) == 8
    assert finding.decided.endswith("so the names on the fabric are the hosts' own")


@pytest.mark.parametrize(
    "answers",
    [
        {("gpu001", "mlx5_0"): "gpu001 mlx5_0", ("gpu003", "mlx5_0"): "gpu001 mlx5_1"},  # both ways
        {("gpu001", "ibp26s0"): "gpu003 mlx5_0"},  # a card by a name that the plan does not know
        {("gpu006", "mlx5_0"): "gpu006 mlx5_0"},  # a host that has nothing to do with it
    ],
)
def test_answers_that_decide_nothing_leave_all_explanations(answers: dict[tuple[str, str], str]) -> None:
    finding = cabling(asked(["exchange:gpu001,gpu003"], answers))
    assert [e.ends for e in finding.explanations] == [0, 0, 8] and finding.decided == ""


def test_a_host_decides_that_node_descriptions_name_the_wrong_nics() -> None:
    seen = asked(["swap:gpu000/mlx5_0,gpu000/mlx5_1"], {("gpu000", "mlx5_0"): "gpu000 mlx5_1"})
    assert cabling(seen).cause == "the node descriptions of gpu000 name the wrong NICs" and seen.repairs == ()
