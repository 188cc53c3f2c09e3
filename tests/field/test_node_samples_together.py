"""All samples of nodes together, over every kind of tool: one line says how many are read, and that no line is lost.

The kinds are those that issue 5 names (its "Parsers"), as far as the folder of samples has them; which tool reads a file and
which lines nobody can read stands in the tables of the tests beside this one.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import test_bench_samples as bench
import test_gpu_samples as gpu
import test_host_samples as host
import test_machine_samples as machine

from asbuilt.parsers.tools_bench import BENCH_TOOLS
from asbuilt.parsers.tools_gpu import GPU_TOOLS
from asbuilt.parsers.tools_host import HOST_TOOLS
from asbuilt.parsers.tools_nic import NIC_TOOLS
from asbuilt.parsers.unproven import NO_REAL_SAMPLE
from field_samples import read

pytestmark = pytest.mark.field
ROOMS = (machine, gpu, host, bench)
#: Kinds of the index that a node, its GPUs, its cards and its benchmarks give.
KINDS = {
    "machines": ("lspci", "lspci-vv", "lspci-tv", "lstopo", "lscpu", "lsmod", "numactl", "dmidecode"),
    "GPUs": (
        *("nvidia-smi-table", "nvidia-smi-q", "nvidia-smi-q-xml", "nvidia-smi-csv", "nvidia-smi-topo", "nvidia-smi-topo-edge"),
        *("nvidia-smi-nvlink", "nvidia-smi-fabric", "dcgmi-diag", "dcgmi-nvlink", "fabricmanager"),
    ),
    "cards": ("ibstat", "mlxconfig", "mst-status", "flint", "ibdev2netdev", "show_gids"),
    "benchmarks": ("nccl-tests", "nccl-info", "nccl-topo-xml", "ib_write_bw", "nvbandwidth"),
}
#: Formats of our own: no tool of others writes them.
OURS = {"node-manifest", "readings"}


def test_every_line_of_every_sample_of_a_node(field: Path) -> None:
    rows = list(csv.DictReader((field / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t"))
    wanted = {r["path"]: r["kind"] for r in rows}
    tools = {f"{p.parent.name}/{p.name}": (room, p, tool) for room in ROOMS for p, tool in room.samples(field)}
    lines = facts = unread = good = total = 0
    told, lost = [], []
    for name, kinds in KINDS.items():
        paths = sorted(p for p, kind in wanted.items() if kind in kinds)
        whole = 0
        for at in paths:
            if at not in tools:
                lost.append(f"{at}: no test reads it")
                continue
            room, path, tool = tools[at]
            account = read(path, tool).accounts[path.name]
            known = account.unread == room.UNREAD.get(path.name, 0)
            if not (account.balanced and known and account.facts + account.ignorable + account.unread == account.total):
                lost.append(f"{at}: {account.unread} lines unread")
                continue
            whole, lines, facts, unread = whole + 1, lines + account.total, facts + account.facts, unread + account.unread
        told.append(f"{name} {whole} of {len(paths)}")
        good, total = good + whole, total + len(paths)
    print(f"\n{good} of {total} samples of machines, GPUs, cards, benchmarks: every line accounted for ({', '.join(told)})")
    print(
        f"{lines} lines: {facts} facts, {lines - facts - unread} that tell nothing, {unread} that nobody can read, each named"
    )
    assert lost == []
    assert good == total >= 171


def test_the_kinds_here_are_those_of_the_tests_beside(field: Path) -> None:
    """A kind that a test beside this one starts to read is counted here too, or is of the fabric."""
    fabric = {"ibstatus", "perfquery", "ibqueryerrors", "mlxlink", "ibdiagnet"}
    beside = {kind for room in ROOMS for kind in room.FOLDERS}
    assert beside - fabric <= {kind for kinds in KINDS.values() for kind in kinds}


def test_a_tool_of_nodes_without_a_real_sample_is_said_to_have_none(field: Path) -> None:
    seen = {tool for room in ROOMS for _, tool in room.samples(field)}
    tools = set(HOST_TOOLS) | set(GPU_TOOLS) | set(NIC_TOOLS) | set(BENCH_TOOLS)
    assert tools - seen - OURS == tools & set(NO_REAL_SAMPLE)
