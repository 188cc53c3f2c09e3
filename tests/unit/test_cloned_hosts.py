"""A host image copied with its name: two hosts answer as one, and that is the one cause; no cable is moved for it."""

from __future__ import annotations

import functools
from dataclasses import replace

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from template_plans import made

FABRIC = "plane=compute+storage"


def plan() -> Plan:
    return made("l40s-384")


@functools.cache
def taken(fault: str = "") -> tuple[Capture, ...]:
    built = as_planned(plan())
    if fault:
        built, _ = faults.apply(plan(), built, (faults.parse(fault),))
    return (*captures(plan(), built), *subnet_captures(plan(), built))


def copied(fault: str = "", kinds: frozenset[str] = frozenset()) -> list[Capture]:
    """The twin's InfiniBand captures after node0002 was given the name of node0001; of ``kinds`` of tools alone, if any."""
    chosen = [c for c in taken(fault) if (c.tool in kinds if kinds else c.tool != "lldpctl")]
    return [replace(c, data=c.data.replace(b"node0002", b"node0001")) for c in chosen]


def test_two_hosts_of_one_name_are_one_finding() -> None:
    seen = compare(plan(), facts_of(copied()), scope=FABRIC)
    assert [(f.id, len(f.subjects)) for f in seen.findings] == [("FAB-014", 6)]
    assert seen.repairs == () and seen.summary.ok == seen.summary.planned > 0
    assert any("share 6 names" in note for note in seen.notes)


def test_a_discovery_alone_accuses_no_cable_of_it() -> None:
    seen = compare(plan(), facts_of(copied(kinds=frozenset({"ibnetdiscover"}))), scope=FABRIC)
    assert [f.id for f in seen.findings] == ["FAB-014"]
    assert seen.repairs == ()


def test_a_wrong_cable_of_another_host_is_still_found_beside_it() -> None:
    seen = compare(plan(), facts_of(copied("swap:node0005/mlx5_0,node0006/mlx5_0")), scope=FABRIC)
    assert sorted(f.id for f in seen.findings) == ["FAB-001", "FAB-014"]
    assert seen.summary.wrong == 2
