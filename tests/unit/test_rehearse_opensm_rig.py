"""The rig: private, and nothing stays; what is missing is named with its package; what cannot be is refused."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from pathlib import Path

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.plan import Plan
from asbuilt.rehearse import programs
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.hardware import Hardware, hardware, node_id, rewiring
from asbuilt.rehearse.rig import Rig
from asbuilt.rehearse.spare import spare_edits, spare_guid, with_spare
from asbuilt.workflow import templates
from asbuilt.workflow.rehearse_opensm import Wish, rehearse_opensm
from little_fabric import little_plan
from opensm_plans import l40s

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_folders_are_private_and_gone_with_every_child() -> None:
    with Rig() as rig:
        folder, scratch = rig.folder, rig.scratch
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(scratch.stat().st_mode) == 0o700
        child = rig.start("sleeper", SLEEP, rig.environment())
        assert child.running and rig.environment()["IBSIM_SOCKNAME"] == folder.name
    assert not child.running and not folder.exists() and not scratch.exists()


def test_a_child_that_does_not_go_is_killed_and_its_leavings_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asbuilt.rehearse.rig.STOP_S", 0.3)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    with pytest.raises(RuntimeError, match="on the way"), Rig() as rig:
        child = rig.start("deaf", [sys.executable, "-c", deaf], rig.environment())
        until = time.monotonic() + 20
        while b"deaf" not in child.said() and time.monotonic() < until:
            time.sleep(0.01)
        left = rig.scratch / f"sys-{child.process.pid}"
        left.mkdir()
        rig.stop(child)
        assert child.process.returncode == -9 and not left.exists()
        raise RuntimeError("on the way")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_and_its_handler_is_given_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as caught, Rig() as rig:
        folder, child = rig.folder, rig.start("sleeper", SLEEP, rig.environment())
        os.kill(os.getpid(), number)
        time.sleep(10)
    assert caught.value.code == 128 + number
    assert not child.running and not folder.exists() and signal.getsignal(number) == before


def test_a_hangup_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Rig():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_no_place_for_a_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("asbuilt.rehearse.rig.tempfile.TemporaryDirectory", none)
    with pytest.raises(ProblemError) as caught, Rig():
        pass
    assert str(caught.value).splitlines()[:2] == [
        "CLI-025 no folder for the rehearsal can be made: Read-only file system",
        "  fix: set TMPDIR to a folder that can be written to",
    ]


def test_what_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs.shutil, "which", lambda name, path=None: None)
    monkeypatch.setattr(programs, "PRELOAD", ())
    with pytest.raises(ProblemError) as caught:
        programs.find(("opensm", "ibsim", "sminfo", programs.LIBRARY))
    assert str(caught.value).splitlines()[:2] == [
        "CLI-024 not installed: opensm, ibsim, sminfo, libumad2sim.so",
        "  fix: apt-get install opensm ibsim-utils infiniband-diags libumad2sim0",
    ]


def test_the_loaded_hardware_has_planned_guids_and_no_lid() -> None:
    plan = l40s()
    found = hardware(plan, as_planned(plan), "ib0")
    assert b"lid 0 lmc 0" in found.dump
    assert not [line for line in found.dump.split(b"\n") if b" lid " in line and b" lid 0" not in line]
    guid = plan.table("lids").filter(plan.table("lids")["port"] == "svc:compute-0/mlx5_0")["node_guid"][0]
    assert node_id(plan, "ib0", "svc:compute-0/mlx5_0") == f"H-{guid}"
    assert len(found.cables) == 394 + 10, "planned cables, and one inside each switch with an aggregation node"


def test_rewiring_pulls_before_it_plugs_and_adds_no_device() -> None:
    one, two, three = ("H-1", 1), ("S-1", 1), ("S-1", 2)
    before, after = Hardware(b"", frozenset({(one, two)})), Hardware(b"", frozenset({(one, three)}))
    assert rewiring(before, after, before) == ['Unlink "H-1"[1]', 'Link "H-1"[1] "S-1"[2]']
    with pytest.raises(ProblemError) as caught:
        rewiring(before, Hardware(b"", frozenset({(("H-2", 1), two)})), before)
    assert "CLI-027 ibsim adds no device at run time, and H-2 was not loaded" in str(caught.value)


def test_a_spare_keeps_the_lid_and_changes_guids_alone() -> None:
    plan = l40s()
    leaf = "sw:compute/leaf-b000-r0"
    after = with_spare(plan, "ib0", leaf, spare_guid(plan, leaf))
    one, two = plan.table("lids"), after.table("lids")
    assert one.drop("node_guid", "port_guid").equals(two.drop("node_guid", "port_guid"))
    assert (one["port_guid"] != two["port_guid"]).sum() == 2
    edits = spare_edits(plan, after, "ib0")
    assert {e.file for e in edits} == {"guid2lid", "io_guids", "node-name-map"}
    assert all(e.goes and e.comes for e in edits)
    spine = spare_edits(plan, with_spare(plan, "ib0", "sw:compute/spine-p00-00", "0200000000000100"), "ib0")
    assert "root_guids" in {e.file for e in spine}
    with pytest.raises(ProblemError) as caught:
        with_spare(plan, "ib0", "sw:nowhere", "02")
    assert "CLI-029 subnet ib0 has no switch sw:nowhere" in str(caught.value)


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        (Wish("failovr"), "CLI-029 no scenario 'failovr'; did you mean failover?"),
        (Wish("growth"), "CLI-029 scenario growth needs the target that it ends at"),
        (Wish("failover", ("unplug:LEAF-01/1",)), "CLI-029 faults are put into scenario faults, not into failover"),
        (Wish("faults"), "CLI-029 scenario faults needs at least one fault"),
        (Wish("failover", most=5), "CLI-029 --ports (bring-up): not of scenario failover"),
        (Wish(switch="LEAF-01"), "CLI-029 --switch (spare-leaf): not of scenario bring-up"),
        (Wish("failover", larger=little_plan()), "CLI-029 --to (growth): not of scenario failover"),
        (Wish(seed=3), "CLI-029 the managers' files name the GUIDs of the plan, and --seed stands for other hardware"),
        (Wish(), "CLI-027 the plan has no subnet tables"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(wish: Wish, text: str) -> None:
    with pytest.raises(ProblemError) as caught:
        rehearse_opensm(little_plan(), wish)
    assert text in str(caught.value)


def test_a_leaf_is_named_by_key_or_by_display_name(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def dies(plan: Plan, subnet: str, switch: str, tell: object) -> None:
        heard.append(switch)
        raise RuntimeError("heard")

    monkeypatch.setattr("asbuilt.workflow.rehearse_opensm.spare_leaf", dies)
    for word in ("IBLEAF-02-07", "sw:compute/leaf-b000-r2", "nowhere"):
        with pytest.raises(RuntimeError, match="heard"):
            rehearse_opensm(l40s(), Wish("spare-leaf", switch=word))
    assert heard == ["sw:compute/leaf-b000-r2", "sw:compute/leaf-b000-r2", "nowhere"]


def test_scenarios_belong_to_one_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cluster.yaml").write_text(templates.text("l40s-384"), encoding="utf-8")
    assert main(["-C", str(tmp_path), "plan", "--json"]) == 0
    capsys.readouterr()
    assert main(["-C", str(tmp_path), "rehearse", "--scenario", "growth"]) == 2
    assert "CLI-029 engine embedded has no scenarios" in capsys.readouterr().err
    assert main(["-C", str(tmp_path), "rehearse", "--engine", "opensm", "--scenario", "growth", "--to", "8"]) == 2
    assert "CLI-029 8 GPUs are no more than the plan has" in capsys.readouterr().err
    assert main(["-C", str(tmp_path), "rehearse", "--engine", "opensm", "--ports", "-3"]) == 2
    assert "CLI-029 --ports -3 is no number of ports\n  fix: 0 asks all" in capsys.readouterr().err
    assert os.environ.get("LD_PRELOAD") is None
