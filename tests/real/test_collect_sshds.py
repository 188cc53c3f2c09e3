"""`asbuilt collect` through the real Ansible from real sshds, each a machine of the twin; then `verify` on what it brought."""

from __future__ import annotations

import dataclasses
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import sshd_fleet
from asbuilt.artefacts import capture_script
from asbuilt.collect.ansible import PROGRAM, Way
from asbuilt.model.capture import Capture
from asbuilt.model.capture_set import COMMANDS
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.faults import apply
from asbuilt.rehearse.node_twin import Fleet as Twin
from asbuilt.workflow.collect import ANSWERED, HERE, HUNG, UNREACHABLE, Collected, Stand, Wish, collect
from asbuilt.workflow.node_archives import NODE_ARCHIVE
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.rehearse import parsed
from asbuilt.workflow.templates import text
from asbuilt.workflow.verify import verify
from requirements_of_tests import absent, need_program

pytestmark = pytest.mark.real
GPUS = 400  # 50 nodes: one does not run, one hangs, 49 real sshd
SILENT, HANGING = 17, 31


@dataclasses.dataclass
class Site:
    """What was built, how it was asked, and what came."""

    plan: Plan
    twin: Twin
    names: list[str]
    ways: Way
    folder: Path
    first: Collected
    heard: list[tuple[str, int]]
    seconds: float
    cpu: float


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    import os
    import sys

    sshd = need_program("sshd")
    need_program("ssh")
    if not (Path(sys.executable).parent / PROGRAM).is_file():
        absent("REQUIRE_REAL", "real: ansible-core is not installed (group fleet)")
    if os.geteuid() != 0:
        absent("REQUIRE_REAL", "real: sshd with logins needs root")
    document = yaml.safe_load(text("l40s-384"))
    document["gpus"] = GPUS
    plan = make_plan(decode(yaml.safe_dump(document, sort_keys=False).encode(), "cluster.yaml"))
    names = plan.table("nodes")["name"].to_list()
    names = [n for n, role in plan.table("nodes").select("name", "role").rows() if role == "compute"]
    faults = [f"hang:{names[3]}", f"sameas:{names[8]},{names[9]}", f"gpu:{names[12]}/5", f"driver:{names[20]}"]
    built, _ = apply(plan, as_planned(plan), parsed(faults))
    twin = Twin(plan, built)
    place = tmp_path_factory.mktemp("fleet")
    keys = {twin.name(n): n for n in twin.nodes}
    machines = {name: sshd_fleet.machine(place / name, twin.answers(keys[name])) for name in names}
    running = sshd_fleet.start(place, sshd, machines, frozenset({names[SILENT]}), frozenset({names[HANGING]}))
    limited = tuple(dataclasses.replace(c, timeout_s=5) if c.program == "nvidia-smi" else c for c in COMMANDS)
    heard: list[tuple[str, int]] = []
    way = Way(ssh_config=str(running.config), forks=10, timeout_s=30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capture_script, "COMMANDS", limited)
        try:
            began, before = time.monotonic(), _cpu()
            first = collect(place, plan, Wish(way=way), lambda stand, total: heard.append((stand.name, total)))
            yield Site(plan, twin, names, way, place, first, heard, time.monotonic() - began, _cpu() - before)
        finally:
            running.stop()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stands(collected: Collected) -> dict[str, Stand]:
    return {s.name: s for s in collected.stands}


def test_every_node_that_can_answer_does_and_the_others_are_not_measured(site: Site) -> None:
    print(f"{len(site.names)} nodes in {site.seconds:.1f} s, {site.cpu:.1f} s CPU of Ansible and ssh")
    assert len(site.names) == 50
    assert site.first.counts == {ANSWERED: 48, UNREACHABLE: 1, HUNG: 1}
    assert stands(site.first)[site.names[SILENT]].how == UNREACHABLE
    assert stands(site.first)[site.names[HANGING]].how == HUNG
    assert site.first.exit_code == 3
    assert sorted(n for n, _ in site.heard) == sorted(site.names) and {t for _, t in site.heard} == {50}
    assert site.first.questions["timed_out"] == 3, stands(site.first)[site.names[3]]


def _words(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def key(finding: Finding) -> tuple[object, ...]:
    return (finding.id, finding.verdict, finding.subject, finding.found, finding.subjects)


def test_verify_names_what_the_twin_was_made_with(site: Site) -> None:
    judged = verify(site.plan, [site.first.folder])
    ids = dict(site.plan.table("nodes").select("name", "node").rows())
    by_id = {f.id: f for f in judged.findings}
    assert by_id["NOD-001"].verdict is Verdict.NOT_MEASURED
    assert set(by_id["NOD-001"].subjects) == {ids[site.names[SILENT]], ids[site.names[HANGING]]}
    assert by_id["NOD-004"].subjects == (ids[site.names[3]],)
    assert by_id["NOD-004"].found == "nvidia-smi, nvidia-smi-q, nvidia-smi-topo did not end in time"
    assert set(by_id["NOD-002"].subjects) == {ids[site.names[8]], ids[site.names[9]]}
    assert judged.exit_code == 1
    # The way through sshd, shell and Ansible adds no finding and loses none.
    gone = {site.names[SILENT], site.names[HANGING]}
    straight = [
        Capture(f"{site.twin.name(n)}.tar.gz", site.twin.archive(n), NODE_ARCHIVE, site.twin.name(n))
        for n in site.twin.nodes
        if site.twin.name(n) not in gone
    ]
    assert {key(f) for f in judged.findings} == {key(f) for f in verify(site.plan, straight).findings}


def test_only_those_without_an_archive_are_asked_again(site: Site) -> None:
    asked: list[str] = []
    few = ",".join((site.names[0], site.names[1], site.names[SILENT]))
    again = collect(site.folder, site.plan, Wish(few, way=site.ways), lambda stand, total: asked.append(stand.name))
    assert asked == [site.names[SILENT]]
    assert again.counts == {HERE: 2, UNREACHABLE: 1}
    assert again.folder == site.first.folder


def test_nothing_stays_on_a_node_or_here(site: Site) -> None:
    config = site.ways.ssh_config.encode()
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if config in _words(p)], "an ssh of a hanging node is left"
    for name in site.names:
        assert not list((site.folder / name).glob("asbuilt-*")), name
        assert not (site.folder / name / ".ansible").exists()
