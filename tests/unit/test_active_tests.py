"""The active tests: what is exported, and the real scripts run by real shells with stand-in programs on PATH."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Sequence

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asbuilt.artefacts.active_tests import active_tests
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.plan import Plan
from asbuilt.parsers import mamf_finder
from asbuilt.workflow.captures import facts_of, read_captures
from asbuilt.workflow.compare_nodes import judge_nodes, node_checks
from asbuilt.workflow.export import make
from asbuilt.workflow.plan import compile_project
from bench_transcripts import HEAD
from template_plans import made as template_plan

SHELLS = ("dash", "bash")
STAGES = ("node", "pair", "rail", "row", "full")
TEMPLATES = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72")
#: Stand-ins. `ssh` runs the line as the far shell would, with the node's own lock folder; `srun` runs its words.
SSH = r"""#!/bin/sh
while [ "$1" != -- ]; do shift; done
printf '%s\n' "$2" >>"$FAKE/ssh.names"
ASBUILT_NODE=$2; export ASBUILT_NODE
exec sh -c "$(printf '%s' "$3" | sed "s#ASBUILT_LOCKS=[^ ]*#ASBUILT_LOCKS=$FAKE/locks/$2#")"
"""
SRUN = r"""#!/bin/sh
printf '%s\n' "$*" >>"$FAKE/srun.words"
while [ $# -gt 0 ]; do
    case $1 in
    --*) shift ;;
    -w) ASBUILT_NODE=$2; export ASBUILT_NODE; shift 2 ;;
    sh)
        [ "$3" = hold ] || break
        for SLURMD_NODENAME in $(cat "$ASBUILT_NODE"); do
            ASBUILT_LOCKS=$FAKE/locks/$SLURMD_NODENAME
            export SLURMD_NODENAME ASBUILT_LOCKS
            "$@" &
        done
        wait
        exit 0
        ;;
    -?) shift 2 ;;
    env) shift; shift; ASBUILT_LOCKS=$FAKE/locks/$ASBUILT_NODE; export ASBUILT_LOCKS ;;
    *) break ;;
    esac
done
exec "$@"
"""
SQUEUE = '#!/bin/sh\ncat "$FAKE/jobs" 2>/dev/null\n[ ! -e "$FAKE/squeue.dead" ]\n'
SMI = '#!/bin/sh\ncat "$FAKE/apps" 2>/dev/null\n[ ! -e "$FAKE/smi.dead" ]\n'
DCGMI = """#!/bin/sh
[ -e "$FAKE/slow" ] && { echo started >"$FAKE/started"; exec sleep 60; }
echo '{"DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [{"name": "Denylist", "results":
[{"gpu_id": "0", "status": "Pass"}]}]}]}}'
"""
MAMF = """#!/bin/sh
[ "$1 $3 $4" = "--cuda_device --dtype bfloat16" ] || exit 2
echo '** Command line:'
echo "python mamf-finder.py $*"
echo
echo '** Dtype: torch.bfloat16'
echo 'Tried 1 shapes => the best outcomes were:'
echo "median: 78$2.0 TFLOPS @ 8192x8192x8192 (MxNxK)"
echo 'Elapsed time: 0:00:40'
"""
WRITE_BW = """#!/bin/sh
rule=---------------------------------------------------------------------------------------
echo "$rule"
echo "                    RDMA_Write BW Test"
echo " Dual-port       : OFF          Device         : $2"
echo " Link type       : IB"
echo "$rule"
echo " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
echo " 8388608    5000           197.30             197.20               0.002938"
echo "$rule"
"""
#: Prints a run of as many ranks as mpirun or srun asked for, on the hosts of the list.
PERF = """#!/bin/sh
[ -e "$FAKE/slow" ] && { echo started >"$FAKE/started"; exec sleep 60; }
gpus=$(printf '%s' "$*" | sed 's/.*-g \\([0-9]*\\).*/\\1/')
ranks=${FAKE_RANKS:-$gpus}
echo "# nThread 1 nGpus $gpus minBytes 536870912 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 \
validation: 1 graph: 0"
i=0
while [ "$i" -lt "$ranks" ]; do
    host=$(sed -n "$((i / ${FAKE_EACH:-$ranks} + 1))p" "${FAKE_LIST:-/dev/null}" | cut -d ' ' -f 1)
    echo "#  Rank  $i Group  0 Pid   4711 on ${host:-$ASBUILT_NODE} device  0 [0000:1b:00] NVIDIA L40S"
    i=$((i + 1))
done
[ -z "${NCCL_IB_HCA:-}" ] || echo "n1:4711:4711 [0] NCCL INFO NCCL_IB_HCA set by environment to $NCCL_IB_HCA"
i=0
for device in $(printf '%s' "${NCCL_IB_HCA#=}" | tr , ' '); do
    echo "n1:4711:4720 [0] NCCL INFO NET/IB : Using [$i]$device:1/IB [RO]; OOB eno1:10.0.0.1<0>"
    echo "n1:4711:4730 [0] NCCL INFO Channel 0$i/0 : 3[1] -> 0[0] [receive] via NET/IB/$i/GDRDMA"
    i=$((i + 1))
done
printf '%s' '@HEAD@'
case $0 in *all_reduce_perf) twice=2 ;; *) twice=1 ;; esac
bus=$(awk -v f=$twice -v n="$ranks" 'BEGIN { printf "%.2f", 20 * f * (n - 1) / n }')
echo "  8589934592    2147483648     float     sum      -1   4478.8   20.00   $bus      0   4463.7   20.00   $bus      0"
echo "# Out of bounds values : 0 OK"
echo "# Avg bus bandwidth    : $bus"
"""
MPIRUN = r"""#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -np) FAKE_RANKS=$2; shift 2 ;;
    --map-by) FAKE_EACH=$(echo "$2" | cut -d : -f 2); shift 2 ;;
    --hostfile) FAKE_LIST=$2; shift 2 ;;
    -x) shift 2 ;;
    *) break ;;
    esac
done
export FAKE_RANKS FAKE_EACH FAKE_LIST
exec "$@"
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return template_plan("l40s-384")


class Bench:
    """The exported folder and its stand-ins in a scratch place."""

    def __init__(self, root: Path, plan: Plan, nodes: Sequence[str], shell: str) -> None:
        self.fake, self.tests, self.shell = root / "fake", root / "a folder's tests" / "tests", shell
        self.files = active_tests(plan)
        for path, data in self.files.items():
            place = self.tests / path.removeprefix("tests/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        (self.tests / "hosts" / "some.txt").write_text("".join(f"{n}\n" for n in nodes))
        programs = {"ssh": SSH, "srun": SRUN, "squeue": SQUEUE, "nvidia-smi": SMI, "dcgmi": DCGMI, "mpirun": MPIRUN}
        programs |= {"ib_write_bw": WRITE_BW, "nvbandwidth": "#!/bin/sh\necho nvbandwidth Version: v0.8\n"}
        programs |= {"mamf-finder.py": MAMF}
        programs |= {f"{c}_perf": PERF.replace("@HEAD@", HEAD) for c in ("all_reduce", "all_gather", "reduce_scatter")}
        (self.fake / "bin").mkdir(parents=True)
        for node in nodes:
            (self.fake / "locks" / node).mkdir(parents=True)
        for name, text in programs.items():
            (self.fake / "bin" / name).write_text(text)
            (self.fake / "bin" / name).chmod(0o755)

    def environment(self, **more: str) -> dict[str, str]:
        said = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "ASBUILT_"))}
        path = f"{self.fake / 'bin'}:{said['PATH']}"
        return {**said, "PATH": path, "FAKE": str(self.fake), "ASBUILT_SERVER_WAIT": "0", **more}

    def words(self, stage: str, *words: str) -> list[str]:
        return [self.shell, str(self.tests / f"{stage}.sh"), "-f", "hosts/some.txt", "-o", "bench", *words]

    def run(self, stage: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(stage, *words), capture_output=True, text=True, timeout=60, env=self.environment(**more), cwd=self.fake,
        )  # fmt: skip

    def locks(self) -> list[str]:
        return sorted(p.parent.name for p in (self.fake / "locks").glob("*/asbuilt-tests"))

    def hold(self, node: str, owner: str = "alice") -> None:
        lock = self.fake / "locks" / node / "asbuilt-tests"
        lock.mkdir()
        (lock / "owner").write_text(f"owner {owner}\njob 77\ntime 2026-01-31T12:00:00Z\ntoken theirs\n")

    def results(self, stage: str) -> Path:
        (found,) = (self.tests / "results" / stage).iterdir()
        return found


@pytest.fixture(params=SHELLS)
def bench(request: pytest.FixtureRequest, tmp_path: Path, plan: Plan) -> Bench:
    return Bench(tmp_path, plan, ["n1", "n2", "n3"], request.param)


# -- what is exported --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_export_is_the_same_bytes_and_every_shell_reads_it(template: str, tmp_path: Path) -> None:
    plan = template_plan(template)
    files = make(plan, ["tests"])
    assert files == make(plan, ["tests"])
    scripts = [n for n in files if n.endswith(".sh")]
    assert {f"tests/{s}.sh" for s in STAGES} < set(scripts)
    for name in scripts:
        (tmp_path / "script.sh").write_bytes(files[name])
        for shell in SHELLS:
            subprocess.run([shell, "-n", str(tmp_path / "script.sh")], check=True, timeout=20)
    names = plan.table("nodes").filter(pl.col("role") == "compute")["name"].to_list()
    assert files["tests/hosts/all.txt"].decode().split() == names
    rows = [n for name, data in files.items() if name.startswith("tests/hosts/row-") for n in data.decode().split()]
    assert sorted(rows) == sorted(names)


def test_thresholds_are_the_expectations_of_the_plan() -> None:
    plan = template_plan("dgx-h100-superpod")
    files = active_tests(plan)
    head, *lines = (line.split("\t") for line in files["tests/thresholds.tsv"].decode().splitlines())
    rows = plan.table("expectations").filter(pl.col("check_id").str.starts_with("PERF-"))
    wanted = {(r["check_id"], r["selector"]): (r["value"], r["source"]) for r in rows.to_dicts()}
    told = [dict(zip(head, line, strict=True)) for line in lines]
    assert {(t["check"], t["selector"]): (t["value"], t["source"]) for t in told} == wanted
    port = next(t for t in told if t["check"] == "PERF-011")
    assert (port["value"], port["tol_rel"], port["passes_from"]) == ("380", "0.03", "368.6")
    assert "pair\t16\tall_reduce 8 GiB\t474.93\t436.9356\tGB/s\tPERF-010" in files["tests/expected.tsv"].decode()


def test_no_nvlink_gives_no_threshold_between_gpus(plan: Plan) -> None:
    files = active_tests(plan)
    for name in ("tests/thresholds.tsv", "tests/expected.tsv"):
        assert b"PERF-013" not in files[name] and b"device_to_device" not in files[name]
    assert b"node\t8\tall_reduce 8 GiB\tno criterion\t\t\tPERF-020" in files["tests/expected.tsv"]


def test_nvlink_domains_of_72_come_first() -> None:
    files = active_tests(template_plan("gb300-nvl72"))
    domains = Counter(line.split("\t")[1] for line in files["tests/hosts/domains.tsv"].decode().splitlines())
    assert len(domains) == 16 and set(domains.values()) == {18}
    assert b"domain\t72\tall_reduce 8 GiB\t824.53" in files["tests/expected.tsv"]


def procedure(files: dict[str, bytes]) -> str:
    """The hash of the procedure, as every result must carry it."""
    return hashlib.sha256(files["tests/SHA256SUMS"]).hexdigest()


def test_only_host_lists_differ_where_only_nodes_differ(plan: Plan) -> None:
    nodes = plan.table("nodes")
    renamed = dataclasses.replace(plan, tables={**plan.tables, "nodes": nodes.with_columns(pl.format("x{}", "name"))})
    one, two = active_tests(plan), active_tests(renamed)
    assert {n for n in one if one[n] != two[n]} == {"tests/hosts/all.txt", "tests/hosts/row-A.txt"}
    assert procedure(one) == procedure(two)


@pytest.mark.parametrize("name", ["a;reboot", "$(id)", "a b", "-rf", "a\nb", "../a", "`x`", "é"])
def test_hostile_names_of_a_plan_reach_no_script(plan: Plan, name: str) -> None:
    tables = (("nodes", "name"), ("racks", "row"), ("nics", "device"))
    for table, column in tables:
        bad = plan.table(table).with_columns(pl.lit(name).alias(column))
        with pytest.raises(ProblemError) as caught:
            active_tests(dataclasses.replace(plan, tables={**plan.tables, table: bad}))
        assert caught.value.problems.items[0].code == "ART-001"


def test_a_thousand_nodes_are_no_more_files(plan: Plan) -> None:
    nodes, racks = plan.table("nodes"), plan.table("racks")
    one = nodes.filter(pl.col("role") == "compute").head(1)
    many = pl.concat(
        [one.with_columns(pl.lit(f"n{i:04d}").alias("name"), pl.lit(f"node:{i:04d}").alias("node")) for i in range(1000)]
    )
    files = active_tests(dataclasses.replace(plan, tables={**plan.tables, "nodes": many, "racks": racks}))
    assert len(files) == len(active_tests(plan)) < 20
    assert sum(map(len, files.values())) < 100_000


# -- the tournament ----------------------------------------------------------------------------------------------------


def rounds(bench: Bench, names: Sequence[str]) -> list[list[tuple[str, str]]]:
    (bench.tests / "hosts" / "some.txt").write_text("".join(f"{n}\n" for n in names))
    told = bench.run("pair", "-n")
    assert told.returncode == 0, told.stderr
    found: list[list[tuple[str, str]]] = []
    for line in told.stdout.splitlines():
        if line.startswith("round "):
            found.append([])
        elif line.startswith("pair "):
            found[-1].append(tuple(line.split()[1:]))  # type: ignore[arg-type]
    return found


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(count=st.integers(2, 33))
def test_every_two_nodes_meet_exactly_once(tmp_path_factory: pytest.TempPathFactory, plan: Plan, count: int) -> None:
    bench = Bench(tmp_path_factory.mktemp("t"), plan, [], "dash")
    names = [f"n{i}" for i in range(count)]
    found = rounds(bench, names)
    met = Counter(frozenset(pair) for one in found for pair in one)
    assert len(met) == count * (count - 1) // 2 and set(met.values()) == {1}
    assert len(found) == count - 1 + count % 2
    for one in found:
        busy = [n for pair in one for n in pair]
        assert len(busy) == len(set(busy)) == count - count % 2


# -- lock, guard, hash -------------------------------------------------------------------------------------------------


def test_a_stage_locks_runs_and_releases(bench: Bench, plan: Plan) -> None:
    done = bench.run("node")
    assert done.returncode == 0, done.stderr
    assert bench.locks() == [] and not list(bench.tests.glob(".node-*"))
    folder = bench.results("node")
    document = json.loads((folder / "capture.json").read_text())
    assert document["procedure"] == procedure(bench.files) and document["stage"] == "node"
    assert document["files"]["n2-dcgmi.json"] == {"tool": "dcgmi-diag", "subject": "n2"}
    assert len(document["files"]) == 18
    gemm = mamf_finder.parse((folder / "n1-gemm.txt").read_bytes(), "c", "n1").tables["result_facts"]
    count = plan.table("gpus").group_by("node").len()["len"].max()
    assert gemm.select("quantity", "from_device", "value").rows() == [
        ("gemm_bf16", f"GPU{gpu}", 780.0 + gpu) for gpu in range(count)
    ]
    (log,) = (bench.tests / "logs").glob("node-*.log")
    assert f"procedure {procedure(bench.files)} " in log.read_text()


def test_a_held_lock_is_refused_and_stays(bench: Bench) -> None:
    bench.hold("n2")
    done = bench.run("rail")
    assert done.returncode == 3
    assert "refused: n2 is held by alice, job 77, since 2026-01-31T12:00:00Z\n" in done.stderr
    assert bench.locks() == ["n2"] and not list((bench.tests / "results" / "rail").iterdir())


def test_a_lock_is_broken_by_its_owners_name_alone(bench: Bench) -> None:
    bench.hold("n2")
    done = bench.run("rail", "--break", "bob")
    assert done.returncode == 3 and "that is not bob" in done.stderr and bench.locks() == ["n2"]
    assert bench.run("rail", "--break", "alice").returncode == 0
    assert bench.locks() == []


def test_a_node_with_a_job_is_refused(bench: Bench) -> None:
    (bench.fake / "jobs").write_text("4711 carol\n")
    done = bench.run("node")
    assert done.returncode == 3 and "refused: n1 runs job 4711 of carol\n" in done.stderr
    assert bench.locks() == []
    done = bench.run("node", SLURM_JOB_ID="4712")
    assert done.returncode == 3 and "refused: n3 runs job 4711 of carol\n" in done.stderr and bench.locks() == []
    assert bench.run("node", SLURM_JOB_ID="4711").returncode == 0, "its own job is no reason"
    assert bench.locks() == []


def test_a_busy_gpu_and_a_silent_one_are_refused(bench: Bench) -> None:
    (bench.fake / "apps").write_text("99, python\n")
    assert "n1 has processes on its GPUs: 99, python\n" in bench.run("full").stderr
    (bench.fake / "apps").unlink()
    (bench.fake / "smi.dead").touch()
    assert "n1: nvidia-smi does not answer\n" in bench.run("full").stderr
    (bench.fake / "smi.dead").unlink()
    (bench.fake / "squeue.dead").touch()
    assert "n1: squeue does not answer\n" in bench.run("full").stderr
    assert bench.locks() == []


@pytest.mark.parametrize("changed", ["node.sh", "guard.sh", "lib.sh", "settings.sh", "thresholds.tsv"])
def test_a_changed_script_is_refused_by_its_hash(bench: Bench, changed: str) -> None:
    with (bench.tests / changed).open("a") as file:
        file.write("# quicker\n")
    done = bench.run("node")
    assert done.returncode == 3 and "refused: this is not the procedure that was exported" in done.stderr
    assert f"{changed}: FAILED" in done.stderr
    assert not (bench.tests / "results").exists() and bench.locks() == []


def test_a_changed_copy_elsewhere_is_refused(bench: Bench) -> None:
    copy = bench.fake / "slurm_script"
    shutil.copy(bench.tests / "full.sh", copy)
    words = [bench.shell, str(copy), "-f", "hosts/some.txt", "-n"]
    environment = bench.environment(SLURM_SUBMIT_DIR=str(bench.tests))
    assert subprocess.run(words, env=environment, capture_output=True, timeout=20).returncode == 0
    copy.write_text(copy.read_text().replace("all_reduce ", ""))
    assert subprocess.run(words, env=environment, capture_output=True, timeout=20).returncode == 3


@pytest.mark.parametrize("stage", ["node", "full"])
def test_term_ends_the_tests_and_gives_the_nodes_back(bench: Bench, stage: str) -> None:
    (bench.fake / "slow").touch()
    process = subprocess.Popen(bench.words(stage), env=bench.environment(), stderr=subprocess.PIPE, cwd=bench.fake)
    until = time.monotonic() + 30
    while not (bench.fake / "started").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert bench.locks() == ["n1", "n2", "n3"]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=40)
    assert process.returncode == 143 and bench.locks() == []


def test_a_reader_that_leaves_costs_no_lock(bench: Bench) -> None:
    words = shlex.join(bench.words("pair"))
    subprocess.run(["sh", "-c", f"{words} 2>&1 | true"], env=bench.environment(), cwd=bench.fake, timeout=60, check=True)
    until = time.monotonic() + 20
    while (bench.locks() or list(bench.tests.glob(".pair-*"))) and time.monotonic() < until:
        time.sleep(0.05)
    assert bench.locks() == [] and not list(bench.tests.glob(".pair-*"))


@pytest.mark.parametrize("text", ["n1\nn1\n", "n1; id\n", "$(id)\n", "", "-w\n"])
def test_a_host_list_is_names_once_each(bench: Bench, text: str) -> None:
    (bench.tests / "hosts" / "some.txt").write_text(text)
    done = bench.run("full")
    assert done.returncode == 2 and not (bench.fake / "ssh.names").exists()


# -- what the parsers read ---------------------------------------------------------------------------------------------


def test_the_parsers_understand_every_line_of_a_tournament(bench: Bench) -> None:
    done = bench.run("pair")
    assert done.returncode == 0, done.stderr
    captures = read_captures([bench.tests / "results"])
    assert len(captures) == 3 * (1 + 4 * 2 * 2)
    facts = facts_of(captures)
    assert {a.unread for a in facts.accounts.values()} == {0}
    runs = facts.tables["run_facts"]
    nccl = runs.filter(pl.col("benchmark") == "all_reduce")
    assert nccl.select("ranks", "ranks_wanted", "hosts", "complete", "checked").unique().rows() == [(16, 16, 2, True, True)]
    assert set(nccl["host_set"].to_list()) == {"n[1-2]", "n[1,3]", "n[2-3]"}
    writes = runs.filter(pl.col("benchmark") == "ib_write_bw")
    assert writes.height == 48 and writes["gpu_memory"].all() and writes["complete"].all()
    assert Counter(writes["role"].to_list()) == {"client": 24, "server": 24}
    assert set(writes["device"].to_list()) == {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"}
    hca = facts.tables["setting_facts"].filter(pl.col("name") == "NCCL_IB_HCA")["value"].unique().to_list()
    assert hca == ["=mlx5_0,mlx5_1,mlx5_2,mlx5_3"]


def test_rails_are_limited_to_one_port_and_one_gpu(bench: Bench) -> None:
    assert bench.run("rail").returncode == 0
    facts = facts_of(read_captures([bench.results("rail")]))
    runs = facts.tables["run_facts"]
    assert runs.select("ranks", "ranks_wanted", "hosts").unique().rows() == [(3, 3, 3)] and runs.height == 4
    hca = facts.tables["setting_facts"].filter(pl.col("name") == "NCCL_IB_HCA")["value"].to_list()
    assert sorted(hca) == ["=mlx5_0", "=mlx5_1", "=mlx5_2", "=mlx5_3"]


def test_in_a_job_slurm_places_the_ranks(bench: Bench) -> None:
    assert bench.run("full", SLURM_JOB_ID="5", FAKE_RANKS="24").returncode == 0
    facts = facts_of(read_captures([bench.results("full")]))
    runs = facts.tables["run_facts"]
    assert runs["ranks_wanted"].to_list() == [24, 24, 24] and bench.locks() == []
    assert sorted(runs["benchmark"].to_list()) == ["all_gather", "all_reduce", "reduce_scatter"]


def test_domains_run_before_the_row(tmp_path: Path) -> None:
    plan = template_plan("gb300-nvl72")
    bench = Bench(tmp_path, plan, [], "dash")
    names = bench.files["tests/hosts/row-C.txt"].decode().split()
    (bench.tests / "hosts" / "some.txt").write_text("\n".join(names) + "\n")
    done = bench.run("row", "-n")
    assert done.returncode == 0, done.stderr
    launched = [line.split()[2] for line in done.stdout.splitlines()]
    assert launched == ["72"] * 6 + ["144"] * 3


def judged(bench: Bench, plan: Plan) -> dict[tuple[str, str], list[str]]:
    """(check, verdict) -> subjects of the PERF checks on all results."""
    facts = facts_of(read_captures([bench.tests / "results"]))
    chosen = {id: check for id, check in node_checks().items() if id.startswith("PERF-")}
    answers: dict[tuple[str, str], list[str]] = {}
    for id, frame in judge_nodes(plan, facts, chosen).asked.items():
        for subject, verdict in frame.select("subject", "verdict").rows():
            answers.setdefault((id, verdict), []).append(subject)
    return answers


def test_the_checks_judge_what_the_stages_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "p"
    assert main(["new", "l40s-384", str(project)]) == 0
    plan = compile_project(project)
    bench = Bench(tmp_path, plan, ["node0000", "node0001"], "dash")
    for stage in ("node", "pair", "rail"):
        assert bench.run(stage).returncode == 0
    answers = judged(bench, plan)
    failed = {key: subjects for key, subjects in answers.items() if key[1] == "fail"}
    assert failed == {}
    assert len(answers["PERF-001", "pass"]) == 6 + 1 + 4
    assert len(answers["PERF-005", "pass"]) == len(answers["PERF-004", "pass"]) == 5
    assert sorted(answers["PERF-011", "pass"]) == [f"nic:000{n}/mlx5_{i}" for n in (0, 1) for i in range(4)]
    # A rail that all GPUs of the nodes should use and did not is no rail run.
    (log,) = (bench.tests / "results" / "pair").glob("*/*/pair-*.log")
    lines = [x for x in log.read_text().splitlines() if "mlx5_3:1" not in x and "NET/IB/3" not in x]
    log.write_text("\n".join(lines) + "\n")
    assert [s.split("/")[-1] for s in judged(bench, plan)["PERF-005", "fail"]] == [f"{log.name}#1"]
