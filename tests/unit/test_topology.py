"""Affinity from topologies: project-made matrices with the shapes of real ones, and PCI trees, each checked by hand."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asbuilt.base.cpu_list import fold, parse, within
from asbuilt.diagnose.topology import assigned, matrix, natural, relations, serving
from asbuilt.model.capture import Capture
from asbuilt.parsers.tools import TOOLS


def written(rows: dict[str, list[str]], ports: list[str], cpus: list[str], legend: dict[str, str] | None = None) -> bytes:
    """A topology matrix as nvidia-smi prints it: GPU rows with their cells to GPUs and ports, CPU affinity, a NIC legend."""
    gpus = list(rows)
    lines = ["\t" + "\t".join([*gpus, *ports, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])]
    for i, (gpu, cells) in enumerate(rows.items()):
        lines.append("\t".join([gpu, *cells, cpus[i], "0" if i < len(gpus) / 2 else "1", "N/A"]))
    if legend:
        lines += ["", "NIC Legend:", "", *(f"  {nic}: {device}" for nic, device in legend.items()), ""]
    return ("\n".join(lines) + "\n").encode()


def square(gpus: int, relation: list[list[str]], link: str = "NV18") -> dict[str, list[str]]:
    return {f"GPU{g}": [*("X" if h == g else link for h in range(gpus)), *relation[g]] for g in range(gpus)}


def served(text: bytes) -> dict[int, tuple[str, str]]:
    facts = TOOLS["nvidia-smi-topo"].parse(Capture("topo", text, "nvidia-smi-topo"))
    (account,) = facts.accounts.values()
    assert account.balanced and not account.unread
    cells = matrix(facts.tables["topology_facts"].with_columns(pl.lit("node:0000").alias("node")))
    return {g: (d, r) for g, d, r in serving(cells).select("gpu", "device", "relation").rows()}


def diagonal(gpus: int, near: str, same: str, far: str, ports: int | None = None) -> list[list[str]]:
    """Port p is near GPU p; of the same half otherwise ``same``, of the other ``far``."""
    ports = ports or gpus
    half = lambda i, n: i * 2 // n  # noqa: E731
    return [[near if p == g else same if half(p, ports) == half(g, gpus) else far for p in range(ports)] for g in range(gpus)]


def legend(ports: int) -> tuple[list[str], dict[str, str]]:
    names = [f"NIC{i}" for i in range(ports)]
    return names, {n: f"mlx5_{i}" for i, n in enumerate(names)}


HALVES = ["0-47"] * 4 + ["48-95"] * 4

# Shapes of real matrices (the first seven), then `assumed` ones of systems that nobody gave a matrix of.
CASES: dict[str, tuple[bytes, dict[int, tuple[str, str]]]] = {}
_names, _legend = legend(8)
CASES["eight GPUs, a port below the switch of each"] = (
    written(square(8, diagonal(8, "PIX", "NODE", "SYS")), _names, HALVES, _legend),
    {g: (f"mlx5_{g}", "PIX") for g in range(8)},
)
CASES["the same over several bridges, no legend"] = (
    written(square(8, diagonal(8, "PXB", "NODE", "SYS")), _names, HALVES),
    {g: (f"NIC{g}", "PXB") for g in range(8)},
)
_names, _legend = legend(10)
_ten = [["NODE"] * 5 + ["SYS"] * 5 for _ in range(4)] + [["SYS"] * 5 + ["NODE"] * 5 for _ in range(4)]
for _gpu, _port in {0: 3, 1: 4, 2: 2, 3: 0, 4: 6, 5: 9, 6: 8, 7: 7}.items():
    _ten[_gpu][_port] = "PIX"
_ten[3][1] = "PIX"
CASES["ten ports, the storage ones near nobody, out of order"] = (
    written(square(8, _ten), _names, HALVES, _legend),
    {0: ("mlx5_3", "PIX"), 1: ("mlx5_4", "PIX"), 2: ("mlx5_2", "PIX"), 3: ("mlx5_0", "PIX"), 4: ("mlx5_6", "PIX"),
     5: ("mlx5_9", "PIX"), 6: ("mlx5_8", "PIX"), 7: ("mlx5_7", "PIX")},
)  # fmt: skip
_names, _legend = legend(4)
CASES["two ports near each pair of GPUs"] = (
    written(
        square(4, [["NODE", "NODE", "SYS", "SYS"]] * 2 + [["SYS", "SYS", "NODE", "NODE"]] * 2, "SYS"),
        _names,
        HALVES[2:6],
        _legend,
    ),
    {0: ("mlx5_0", "NODE"), 1: ("mlx5_1", "NODE"), 2: ("mlx5_2", "NODE"), 3: ("mlx5_3", "NODE")},
)
CASES["one GPU could take either, the other only one"] = (
    written(square(2, [["PXB", "PXB"], ["NODE", "PXB"]]), ["NIC0", "NIC1"], ["0-7", "0-7"]),
    {0: ("NIC0", "PXB"), 1: ("NIC1", "PXB")},
)
CASES["the greedy choice is wrong: GPU 0 must leave its first port to GPU 1"] = (
    written(square(2, [["PIX", "PIX"], ["PIX", "SYS"]]), ["NIC0", "NIC1"], ["0-7", "0-7"]),
    {0: ("NIC1", "PIX"), 1: ("NIC0", "PIX")},
)
_second = [["SYS", "SYS"]] * 4 + [["NODE", "NODE"]] * 2 + [["PHB", "NODE"], ["NODE", "NODE"]]
CASES["two ports for eight GPUs, on the second socket"] = (
    written(square(8, _second), ["NIC0", "NIC1"], HALVES),
    {0: ("NIC0", "SYS"), 1: ("NIC1", "SYS"), 2: ("NIC0", "SYS"), 3: ("NIC1", "SYS"), 4: ("NIC0", "NODE"), 5: ("NIC1", "NODE"),
     6: ("NIC0", "PHB"), 7: ("NIC1", "NODE")},
)  # fmt: skip
_names, _legend = legend(7)
_l40s = [["PXB" if p == g // 2 else "NODE" if p < 2 or p in (4, 6) else "SYS" for p in range(7)] for g in range(4)]
_l40s += [["PXB" if p == g // 2 else "NODE" if p in (2, 3, 5) else "SYS" for p in range(7)] for g in range(4, 8)]
CASES["assumed: L40S, a port for two GPUs, seven functions"] = (
    written(square(8, _l40s, "NODE"), _names, HALVES, _legend),
    {0: ("mlx5_0", "PXB"), 2: ("mlx5_1", "PXB"), 4: ("mlx5_2", "PXB"), 6: ("mlx5_3", "PXB")},
)
_names, _legend = legend(4)
CASES["assumed: GB200 tray, SYS in every cell of a port"] = (
    written(square(4, [["SYS"] * 4] * 4), _names, ["0-71", "0-71", "72-143", "72-143"], _legend),
    {g: (f"mlx5_{g}", "SYS") for g in range(4)},
)
_names, _legend = legend(5)
CASES["assumed: ten GPUs in PCIe slots, a port for two"] = (
    written(
        square(10, [["PXB" if p == g // 2 else "SYS" for p in range(5)] for g in range(10)], "PHB"),
        _names,
        ["0-31"] * 10,
        _legend,
    ),
    {g: (f"mlx5_{g // 2}", "PXB") for g in range(10)},
)
CASES["lost leading blanks of the header"] = (
    written(square(2, [["PIX", "SYS"], ["SYS", "PIX"]]), ["NIC0", "NIC1"], ["0-7", "8-15"]).lstrip(),
    {0: ("NIC0", "PIX"), 1: ("NIC1", "PIX")},
)


@pytest.mark.parametrize("case", CASES)
def test_the_nearest_port_serves_each_gpu(case: str) -> None:
    text, wanted = CASES[case]
    found = served(text)
    assert {g: found[g] for g in wanted} == wanted, found


def test_every_gpu_of_the_l40s_matrix_has_a_port_and_no_port_more_than_its_share() -> None:
    found = served(CASES["assumed: L40S, a port for two GPUs, seven functions"][0])
    assert sorted(found) == list(range(8))
    loads = [d for d, _ in found.values()]
    assert max(loads.count(d) for d in loads) <= 2


def tree() -> pl.DataFrame:
    """One machine: GPU 0 and mlx5_0 below one switch, mlx5_1 below another switch of the same root port, mlx5_2 below another
    root port of the same root, mlx5_3 on the other socket."""
    rows = [
        ("0000:10:00.0", "root:0000:10", "0604", None),
        ("0000:11:00.0", "0000:10:00.0", "0604", None),
        ("0000:12:00.0", "0000:11:00.0", "0604", None), ("0000:12:01.0", "0000:11:00.0", "0604", None),
        ("0000:12:02.0", "0000:11:00.0", "0604", None),
        ("0000:13:00.0", "0000:12:00.0", "0302", 0), ("0000:14:00.0", "0000:12:01.0", "0207", 0),
        ("0000:15:00.0", "0000:12:02.0", "0604", None), ("0000:16:00.0", "0000:15:00.0", "0604", None),
        ("0000:17:00.0", "0000:16:00.0", "0207", 0),
        ("0000:10:01.0", "root:0000:10", "0604", None), ("0000:18:00.0", "0000:10:01.0", "0207", 0),
        ("0000:90:00.0", "root:0000:90", "0604", None), ("0000:91:00.0", "0000:90:00.0", "0207", 1),
    ]  # fmt: skip
    return pl.DataFrame(
        [
            {"node": "n", "address": a, "parent": p, "class_id": c, "numa_node": n, "capture_id": "c", "line": i}
            for i, (a, p, c, n) in enumerate(rows)
        ]
    )


def test_relations_of_a_pci_tree_are_the_drivers_words() -> None:
    gpus = pl.DataFrame({"node": ["n"], "address": ["0000:13:00.0"], "gpu": [0], "numa_node": [0]})
    ports = pl.DataFrame(
        {"node": ["n"] * 4, "device": [f"mlx5_{i}" for i in range(4)],
         "address": ["0000:14:00.0", "0000:17:00.0", "0000:18:00.0", "0000:91:00.0"], "numa_node": [0, 0, 0, 1]}
    )  # fmt: skip
    found = relations(tree(), gpus, ports)
    assert dict(found.select("device", "relation").rows()) == {
        "mlx5_0": "PIX",
        "mlx5_1": "PXB",
        "mlx5_2": "PHB",
        "mlx5_3": "SYS",
    }


def test_without_numa_nodes_and_parents_nothing_is_guessed() -> None:
    gpus = pl.DataFrame({"node": ["n"], "address": ["0000:13:00.0"], "gpu": [0], "numa_node": [-1]})
    ports = pl.DataFrame({"node": ["n"], "device": ["mlx5_0"], "address": ["0000:91:00.0"], "numa_node": [1]})
    bare = tree().with_columns(pl.lit(None, dtype=pl.String).alias("parent"))
    assert relations(bare, gpus, ports)["relation"].to_list() == [None]


@given(
    st.integers(1, 5).flatmap(lambda c: st.lists(st.lists(st.integers(0, 4), min_size=c, max_size=c), min_size=1, max_size=5))
)
def test_an_assignment_is_the_cheapest_of_all(cost: list[list[int]]) -> None:
    rows, columns = len(cost), len(cost[0])
    room = -(-rows // columns)
    found = assigned(cost)
    every = itertools.product(range(columns), repeat=rows)
    allowed = [p for p in every if max(p.count(c) for c in set(p)) <= room]
    best = min(sum(cost[i][c] for i, c in enumerate(p)) for p in allowed)
    assert len(found) == rows and sum(cost[r][c] for r, c in found.items()) == best
    assert all(list(found.values()).count(c) <= room for c in found.values())


@given(st.sets(st.integers(0, 300), max_size=60))
def test_processor_lists_are_read_as_they_are_written(cpus: set[int]) -> None:
    assert parse(fold(cpus)) == frozenset(cpus)


def test_processor_lists_on_values() -> None:
    assert parse("0-3,8,10-14:2") == frozenset({0, 1, 2, 3, 8, 10, 12, 14})
    assert fold([3, 1, 2, 9]) == "1-3,9"
    for wrong in ("a", "3-1", "0-99999", "1-2:0", "-1"):
        assert parse(wrong) is None
    assert within("0-3", "0-7") is True and within("0-8", "0-7") is False
    assert within("", "0-7") is None and within("x", "0-7") is None and within(None, "0") is None
    assert sorted(["mlx5_10", "mlx5_2"], key=natural) == ["mlx5_2", "mlx5_10"]
