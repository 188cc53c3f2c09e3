"""Real topology matrices: the port that serves each GPU and the processors near it, each checked by hand against the matrix."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from asbuilt.diagnose.topology import matrix, serving
from asbuilt.model.capture import Capture
from asbuilt.parsers.tools import TOOLS

#: file -> (ports of GPU 0, 1, … ; processors near GPU 0, 1, …). None: the matrix names no port.
BY_HAND: dict[str, tuple[list[str] | None, list[str]]] = {
    "nvidia-smi-topo/2gpu-nv2.txt": (None, ["0-23"] * 2),
    "nvidia-smi-topo/2gpu-phb.txt": (None, ["0-11"] * 2),
    "nvidia-smi-topo/2x5090-pcie.txt": (None, ["0-63"] * 2),
    "nvidia-smi-topo/4gpu-p9-style-mlx5cols.txt": ([f"mlx5_{i}" for i in range(4)], ["0-63"] * 2 + ["64-127"] * 2),
    "nvidia-smi-topo/a100-8gpu-nv12-condensed.txt": (None, ["0-23"] * 4 + ["24-47"] * 4),
    "nvidia-smi-topo/esc8000a-4xada.txt": ([f"mlx5_{i}" for i in range(4)], ["0-31"] * 2 + ["32-63"] * 2),
    "nvidia-smi-topo/h100-8gpu-nv18-condensed.txt": (None, ["0-51"] * 4 + ["52-103"] * 4),
    "nvidia-smi-topo/h100-8gpu-training-perf.txt": (None, ["0-51,104-155"] * 4 + ["52-103,156-207"] * 4),
    "nvidia-smi-topo/h100-hgx-12nic-gpurows.txt": (
        [f"NIC{i}" for i in (0, 3, 4, 5, 6, 9, 10, 11)],
        ["0-55,112-167"] * 4 + ["56-111,168-223"] * 4,
    ),
    "nvidia-smi-topo/h200-ansi-10nic.txt": (
        [f"mlx5_{i}" for i in (3, 5, 4, 0, 7, 9, 8, 6)],
        ["0-63,128-191"] * 4 + ["64-127,192-255"] * 4,
    ),
    "nvidia-smi-topo/oci-h100-18nic-ansi.txt": (
        [f"mlx5_{i}" for i in (0, 3, 5, 7, 9, 12, 14, 16)],
        ["0-55,112-167"] * 4 + ["56-111,168-223"] * 4,
    ),
    "nvidia-smi-topo/pcie-8gpu-asymmetric.txt": (None, ["0-15,32-47"] * 6 + ["16-31,48-63"] * 2),
    "nvidia-smi-topo-edge/GraceGB200AllSYS.txt": ([f"mlx5_{i}" for i in range(4)], ["0-71"] * 2 + ["72-143"] * 2),
    "nvidia-smi-topo-edge/H100DGX8GPU_Mlx5Columns.txt": (
        [f"mlx5_{i}" for i in range(8)],
        ["0-47,96-143"] * 4 + ["48-95,144-191"] * 4,
    ),
    "nvidia-smi-topo-edge/OCIStyleNICColumnsWithLegend.txt": ([f"mlx5_{i}" for i in (0, 3, 2, 1)], ["0-55,112-167"] * 4),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_affinity_of_a_real_matrix(name: str, field: Path) -> None:
    ports, cpus = BY_HAND[name]
    data = (field / "samples" / name).read_bytes()
    facts = TOOLS["nvidia-smi-topo"].parse(Capture("topo", data, "nvidia-smi-topo"))
    near = facts.tables["affinity_facts"].filter(pl.col("device").str.starts_with("GPU"))
    told = dict(near.select("device", "cpus").rows())
    assert [told[f"GPU{i}"] for i in range(len(cpus))] == cpus
    cells = matrix(facts.tables["topology_facts"].with_columns(pl.lit("n").alias("node")))
    if ports is None:
        assert cells.is_empty()
        return
    served = dict(serving(cells).select("gpu", "device").rows())
    assert [served[i] for i in range(len(ports))] == ports
