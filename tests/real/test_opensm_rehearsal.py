"""The planned subnet on the real OpenSM: it comes up on the generated files, and every row is read back equal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.plan import Plan
from asbuilt.rehearse import rig as rigs
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.opensm import Session
from asbuilt.rehearse.scenarios import bring_up
from asbuilt.workflow import templates
from asbuilt.workflow.rehearse_opensm import rehearse_opensm
from opensm_plans import PROGRAMS, l40s
from requirements_of_tests import absent, need_program

pytestmark = pytest.mark.real
TABLES = {
    "lids", "who answers at a LID", "partition_members", "service_levels", "vl_arbitration", "port state, LMC, subnet manager",
    "forwarding tables", "subnet_managers", "partition isolation",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    for name in PROGRAMS:
        need_program(name)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return l40s()


def test_every_row_that_the_plan_fixes_is_read_back_equal(plan: Plan, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    rehearsal = rehearse_opensm(plan)
    took = time.monotonic() - began
    (proof,) = rehearsal.proofs
    assert {e.table for e in proof.equality} == TABLES
    assert all(e.holds and not e.left_out for e in proof.equality), proof.equality
    assert proof.bad_lines == () and proof.silent == () and proof.ports == proof.ports_all
    assert rehearsal.verification.findings == () and rehearsal.exit_code == 0
    assert rehearsal.verification.summary.ok == 394
    assert proof.substitutions == {"2xNDR": 388, "4xNDR": 224}
    compared, equal = proof.rows
    assert compared == equal > 60_000
    with capsys.disabled():
        print(f"\nreal: l40s-384 on OpenSM {proof.programs['opensm']}: {equal:,} of {compared:,} rows equal in {took:.0f} s")


def test_a_plan_that_says_otherwise_is_told_apart(plan: Plan) -> None:
    """The comparison can fail: the same subnet against a plan with one other LID, one other lane, one other member."""
    lids = plan.table("lids")
    swapped = lids.with_columns(
        pl.when(pl.col("port") == "node:0000/mlx5_0").then(pl.lit(1)).otherwise("lmc").alias("lmc"),
    )
    levels = plan.table("service_levels").with_columns(
        pl.when(pl.col("sl") == 2).then(pl.lit(3)).otherwise("vl").cast(pl.Int64).alias("vl")
    )
    members = plan.table("partition_members").with_columns(
        pl.when((pl.col("port") == "node:0001/mlx5_1") & (pl.col("index") == 1)).then(0x0100).otherwise("entry").alias("entry")
    )
    other = replace(plan, tables={**plan.tables, "lids": swapped, "service_levels": levels, "partition_members": members})
    from asbuilt.rehearse import equality, readback

    with Session(plan, "ib0", as_planned(plan)) as session:
        session.bring_up()
        seen = readback.everything(session.desk, plan, "ib0", session.managers, 40)
        found = {e.table: e for e in equality.equality(other, seen)}
    assert found["lids"].differences == ("node:0000/mlx5_0: planned (80, 1), found (80, 0)",)
    assert found["service_levels"].equal == 0 < found["service_levels"].compared
    assert found["forwarding tables"].compared == 0 and not found["forwarding tables"].holds
    assert found["vl_arbitration"].holds


def test_a_line_that_opensm_does_not_take_fails_the_rehearsal(plan: Plan) -> None:
    """opensm exits 0 on such a line and falls back silently; the rehearsal does not pass."""
    bad = plan.table("subnet_settings").with_columns(
        pl.when(pl.col("setting") == "routing_engine").then(pl.lit("ftee")).otherwise("value").alias("value")
    )
    broken = replace(plan, tables={**plan.tables, "subnet_settings": bad})
    proof = bring_up(broken, "ib0", as_planned(broken), 10).proof
    assert proof.failed and any("ftee" in line or "ERR" in line for line in proof.bad_lines), proof.bad_lines


def test_nothing_is_left_after_an_exception_or_a_signal(plan: Plan) -> None:
    with pytest.raises(KeyboardInterrupt), Session(plan, "ib0", as_planned(plan)) as session:
        session.bring_up()
        pids = [m.child.process.pid for m in session.managers if m.child] + [session.simulator.child.process.pid]
        folders = [session.rig.folder, session.rig.scratch]
        assert all(folder.is_dir() for folder in folders)
        raise KeyboardInterrupt
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert not [folder for folder in folders if folder.exists()]
    script = (
        "import sys, time\nsys.path.insert(0, 'tests')\nfrom opensm_plans import l40s\n"
        "from asbuilt.rehearse.built import as_planned\nfrom asbuilt.rehearse.opensm import Session\n"
        "plan = l40s()\nwith Session(plan, 'ib0', as_planned(plan)) as s:\n    s.bring_up()\n"
        "    print(*[m.child.process.pid for m in s.managers], s.simulator.child.process.pid)\n"
        "    print(s.rig.folder, s.rig.scratch, flush=True)\n    time.sleep(60)\n"
    )
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root, text=True)
    assert child.stdout is not None
    pids = [int(word) for word in child.stdout.readline().split()]
    folders = [Path(word) for word in child.stdout.readline().split()]
    assert len(pids) == 3 and len(folders) == 2 and all(folder.is_dir() for folder in folders)
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=30) == rigs.SIGNALLED + signal.SIGTERM
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert not [folder for folder in folders if folder.exists()]


def test_it_works_without_being_root() -> None:
    """As ``nobody``, with the system's Python: ours may lie in a folder that only root can enter."""
    if os.geteuid() != 0:
        return  # then every other test here shows it
    setpriv = [need_program("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
    paths = os.pathsep.join(["src", *(p for p in sys.path if p.endswith("site-packages"))])
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "HOME": "/tmp", "ASBUILT_KERNELS": "numpy"}
    system = Path("/usr/bin/python3")
    if not system.exists() or f"python{sys.version_info.major}.{sys.version_info.minor}" != system.resolve().name:
        absent("REQUIRE_REAL", f"real: no {system} of our version to run as nobody")
    found = subprocess.run(
        [*setpriv, str(system), "-c", NOBODY],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert found.returncode == 0 and found.stdout.strip() == "up", found.stderr[-2000:]


NOBODY = """
import sys
sys.path.insert(0, "tests")
from opensm_plans import pods
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.opensm import Session
plan = pods(128)
with Session(plan, "ib0", as_planned(plan)) as session:
    session.bring_up()
    print("up")
"""


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cluster.yaml").write_text(templates.text("l40s-384"), encoding="utf-8")
    assert main(["-C", str(tmp_path), "plan"]) == 0
    capsys.readouterr()
    code = main(["-C", str(tmp_path), "rehearse", "--engine", "opensm", "--ports", "60", "--keep", "kept"])
    out, err = capsys.readouterr()
    assert code == 3, "ports that nobody asked are not measured"
    assert re.search(r"^ports +(\d+) of 818 were asked one by one$", out, re.M), out[-3000:]
    assert "ib0: subnet up" in err
    assert {p.name for p in (tmp_path / "kept").iterdir()} >= {"smpquery-ib0.txt", "ibroute-ib0.txt", "capture.json"}
    assert main(["-C", str(tmp_path), "rehearse", "--engine", "ibsim", "--scenario", "failover"]) == 2
    assert "CLI-029 engine ibsim has no scenarios" in capsys.readouterr().err


def test_what_ibsim_cannot_do_while_it_runs_is_refused(plan: Plan) -> None:
    from asbuilt.workflow.rehearse_opensm import Wish

    with pytest.raises(ProblemError) as caught:
        rehearse_opensm(plan, Wish(faults=("clone:node0001/mlx5_0,node0002/mlx5_0",)))
    assert "CLI-023" in str(caught.value)
    with pytest.raises(ProblemError) as caught:
        rehearse_opensm(plan, Wish(faults=("noname",)))
    assert "noname: not on this engine" in str(caught.value)
