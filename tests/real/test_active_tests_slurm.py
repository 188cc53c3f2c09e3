"""The active tests under a real Slurm (slurmctld, three slurmd on loopback): placed, run, refused beside a job, cancelled."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from asbuilt.artefacts.active_tests import active_tests
from asbuilt.workflow.captures import facts_of, read_captures
from requirements_of_tests import absent, need_program
from template_plans import made

pytestmark = pytest.mark.real

NODES = ("node0000", "node0001", "node0002")
CONFIG = """ClusterName=t
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={d}/munge.sock
CredType=cred/munge
SlurmctldPort=16817
SlurmctldPidFile={d}/ctld.pid
SlurmctldLogFile={d}/ctld.log
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool.%n
SlurmdPidFile={d}/slurmd.%n.pid
SlurmdLogFile={d}/slurmd.%n.log
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=node[0000-0002] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[17001-17003] CPUs=16
PartitionName=all Nodes=ALL Default=YES State=UP
"""
#: One task of many: the first prints what nccl-tests prints of a run of all.
PERF = """#!/bin/sh
[ ! -e "$FAKE/slow" ] || { : >"$FAKE/started"; exec sleep 60; }
[ "$SLURM_PROCID" = 0 ] || exit 0
echo "# nThread 1 nGpus 1 minBytes 536870912 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 \
validation: 1 graph: 0"
i=0
while [ "$i" -lt "$SLURM_NTASKS" ]; do
    echo "#  Rank  $i Group  0 Pid   4711 on $SLURMD_NODENAME device  $i [0000:1b:00] NVIDIA L40S"
    i=$((i + 1))
done
echo "n1:4711:4711 [0] NCCL INFO NCCL_IB_HCA set by environment to $NCCL_IB_HCA"
echo "# Avg bus bandwidth    : 37.5"
"""


class Cluster:
    """Slurm in a folder, and the exported tests beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tests = folder, folder / "tests"
        for path, data in active_tests(made("l40s-384")).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        programs = {f"{c}_perf": PERF for c in ("all_reduce", "all_gather", "reduce_scatter")}
        programs |= {"nvidia-smi": "#!/bin/sh\n", "ssh": '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nexec sh -c "$3"\n'}
        for sub in ("bin", "locks", "state"):
            (folder / sub).mkdir()
        for name, text in programs.items():
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        (folder / "slurm.conf").write_text(CONFIG.format(d=folder))
        path = f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
        self.environment = {**os.environ, "PATH": path, "SLURM_CONF": str(folder / "slurm.conf")}
        self.environment |= {"FAKE": str(folder), "ASBUILT_LOCKS": str(folder / "locks")}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.tests, env=self.environment, capture_output=True, text=True, timeout=60
        )  # fmt: skip

    def listed(self, *nodes: str) -> str:
        (self.tests / "hosts" / "some.txt").write_text("".join(f"{n}\n" for n in nodes))
        return "./hosts/some.txt"

    def locks(self) -> list[str]:
        return sorted(p.name for p in (self.folder / "locks").iterdir())


def _until(true: object, seconds: float = 30.0) -> None:
    assert callable(true)
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "Slurm did not get that far"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    programs = {name: need_program(name) for name in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")}
    if os.geteuid() != 0:
        absent("REQUIRE_REAL", "real: a slurmd of one's own needs root")
    folder = Path(tempfile.mkdtemp(prefix="asbuilt-slurm-"))
    running: list[subprocess.Popen[bytes]] = []
    try:
        made_ = Cluster(folder)
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        files = ("key-file=munge.key", "socket=munge.sock", "pid-file=munge.pid", "log-file=munge.log", "seed-file=munge.seed")
        munge = [f"--{name}={folder / file}" for name, _, file in (f.partition("=") for f in files)]
        commands = [[programs["munged"], "--foreground", "--force", *munge]]
        commands += [[programs["slurmctld"], "-D", "-c"]] + [[programs["slurmd"], "-D", "-N", n] for n in NODES]
        for number, command in enumerate(commands):
            out = (folder / f"daemon-{number}.out").open("wb")
            running.append(subprocess.Popen(command, env=made_.environment, stdout=out, stderr=out))
            if number == 0:
                _until((folder / "munge.sock").exists)
        _until(lambda: made_.run("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() == "3")
        yield made_
        made_.run("scancel", "--user=root")
    finally:
        for process in reversed(running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def test_slurm_would_start_every_stage(cluster: Cluster) -> None:
    hosts = cluster.listed(*NODES)
    for stage in ("node", "pair", "rail", "row", "full"):
        done = cluster.run("sbatch", "--test-only", "-N", "3", f"--nodelist={hosts}", f"{stage}.sh", "-f", hosts)
        assert done.returncode == 0 and "using 48 processors on nodes node[0000-0002]" in done.stderr, done.stderr


def test_a_job_runs_all_ranks_and_leaves_no_lock(cluster: Cluster) -> None:
    hosts = cluster.listed("node0001")
    words = ("--wait", "-N", "1", f"--nodelist={hosts}", f"--output={cluster.folder}/job.out", "full.sh", "-f", hosts)
    done = cluster.run("sbatch", *words)
    assert done.returncode == 0, (cluster.folder / "job.out").read_text()
    runs = facts_of(read_captures([cluster.tests / "results" / "full"])).tables["run_facts"]
    told = runs.select("benchmark", "ranks", "ranks_wanted", "complete").sort("benchmark").rows()
    assert told == [(c, 8, 8, True) for c in ("all_gather", "all_reduce", "reduce_scatter")]
    assert runs.filter(pl.col("failure").is_not_null()).is_empty() and cluster.locks() == []


def test_a_node_with_somebodys_job_is_refused(cluster: Cluster) -> None:
    hosts = cluster.listed("node0002")
    job = cluster.run("sbatch", "--parsable", "-w", "node0002", "--output=/dev/null", "--wrap", "sleep 60").stdout.strip()
    _until(lambda: cluster.run("squeue", "-h", "-j", job, "-t", "RUNNING").stdout.strip() != "")
    done = cluster.run("sh", "full.sh", "-f", hosts)
    cluster.run("scancel", job)
    assert done.returncode == 3 and f"refused: node0002 runs job {job} of root\n" in done.stderr and cluster.locks() == []


def test_if_one_node_is_held_none_stays_locked(cluster: Cluster) -> None:
    # The three nodes are one machine here, with one folder for locks: the second to ask finds the first.
    hosts = cluster.listed(*NODES)
    words = ("--wait", "-N", "3", f"--nodelist={hosts}", f"--output={cluster.folder}/held.out", "full.sh", "-f", hosts)
    assert cluster.run("sbatch", *words).returncode == 3
    told = (cluster.folder / "held.out").read_text()
    assert told.count(" is held by root, job ") == 2 and "nothing was run: not every node is free\n" in told
    assert cluster.locks() == []


def test_a_cancelled_job_gives_its_node_back(cluster: Cluster) -> None:
    (cluster.folder / "slow").touch()
    hosts = cluster.listed("node0000")
    words = ("--parsable", "-N", "1", f"--nodelist={hosts}", "--output=/dev/null", "full.sh", "-f", hosts)
    job = cluster.run("sbatch", *words).stdout.strip()
    _until((cluster.folder / "started").exists)
    assert cluster.locks() == ["asbuilt-tests"]
    assert f"job {job}\n" in (cluster.folder / "locks" / "asbuilt-tests" / "owner").read_text()
    cluster.run("scancel", job)
    _until(lambda: cluster.locks() == [])
    (cluster.folder / "slow").unlink()
