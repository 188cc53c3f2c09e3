"""`rehearse --nodes`: archives beside the captures of the fabric, written as `verify` reads them, and what is not proven."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.capture_set import COMMANDS
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.rehearse.engines import NODE_LIMITS
from asbuilt.workflow.captures import write_captures
from asbuilt.workflow.node_archives import NODE_ARCHIVE
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import Rehearsal, rehearse
from asbuilt.workflow.verify import verify


@functools.cache
def small() -> Plan:
    return make_plan(Requirement(name="small", system="l40s-8gpu", gpus=48))


def archives(rehearsal: Rehearsal) -> list[str]:
    return [c.id for c in rehearsal.captures if c.tool == NODE_ARCHIVE]


def test_nodes_are_captured_when_asked_for_or_when_a_fault_is_inside_one() -> None:
    assert archives(rehearse(small())) == []
    assert archives(rehearse(small(), nodes=True)) == [f"node-{i:04d}.tar.gz" for i in range(6)]
    assert archives(rehearse(small(), ["silent:node:0003"])) == [f"node-{i:04d}.tar.gz" for i in (0, 1, 2, 4, 5)]


def test_formats_and_limits_of_nodes_are_listed_only_with_them() -> None:
    plain, with_nodes = rehearse(small()).as_json(), rehearse(small(), nodes=True).as_json()
    told = {c.tool for c in COMMANDS}
    assert told - {"ibstat"} <= set(with_nodes["formats"]) - set(plain["formats"])
    more = [row for row in with_nodes["not_proven_here"] if row not in plain["not_proven_here"]]
    assert more == [{"what": limit.what, "why": limit.why} for limit in NODE_LIMITS]


def test_written_archives_verify_as_they_did_in_memory(tmp_path: Path) -> None:
    found = rehearse(small(), ["silent:node:0003", "hang:node:0004"])
    write_captures(found.captures, tmp_path)
    assert sorted(p.name for p in (tmp_path / "nodes").iterdir()) == archives(found)
    again = verify(small(), [tmp_path])
    told = {(f.id, f.verdict, f.subjects or (f.subject,)) for f in found.verification.findings}
    assert {(f.id, f.verdict, f.subjects or (f.subject,)) for f in again.findings} == told
    assert {f.id for f in again.findings} >= {"NOD-001", "NOD-004"}


def test_a_node_without_an_archive_is_not_measured() -> None:
    found = rehearse(small(), ["silent:node:0003"])
    assert not found.missed
    assert found.exit_code
    assert [f.verdict.value for f in found.verification.findings if f.id == "NOD-001"] == ["not_measured"]


def test_other_engines_make_no_faults_inside_nodes() -> None:
    with pytest.raises(ProblemError) as raised:
        rehearse(small(), ["hang:node:0003"], engine="ibsim")
    assert raised.value.problems.items[0].what.startswith(
        "faults that no cable shows (init, limited, lids, slow, idle, pfc, gpu"
    )
