"""Published measurements and floors of speed, each with kind, source and conditions: what `expect` is held against.

Kinds: ``measured`` somebody published a measurement, ``floor`` a tool fails below it. A row that is not comparable says why:
it is printed beside an expectation and never counted for or against it. The sources are public repositories and issue threads,
read in 2026; a floor stands with what is known to be wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB, GIB = 1 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class Published:
    """One published number. ``gpu`` is a catalogue id; ``gpus`` took part; ``unlike`` says why it is not comparable;
    ``fitted`` that constants of the model were fitted to it: that they agree is no prediction."""

    quantity: str
    gpu: str
    gpus: int
    value: float
    unit: str
    kind: str
    source: str
    conditions: str = ""
    size_bytes: int | None = None
    unlike: str = ""
    line_gbps: float = 400.0
    fitted: bool = False


_CORE = "github coreweave/nccl-tests (cb86553)"
_ML = "github stas00/ml-engineering network/README (744d01e)"
_MAMF = "github stas00/ml-engineering compute/accelerator, maximum achievable"
_OCI = "github oracle-quickstart/oci-hpc Troubleshooting.md"
_AZURE = "github Azure/ai-infrastructure-on-azure (a01b073)"
_NHC = "github Azure/azurehpc-health-checks, shipped configuration"
_DCGM = "github NVIDIA/DCGM diag-skus.yaml.in: 0.75 of what was measured"
_OCI_CHECK = "github oracle-quickstart/oci-hpc active_healthcheck.py"
_AWS = "github aws-samples/awsome-distributed-training"
_CHS = "github GoogleCloudPlatform/cluster-health-scanner"
_VP = "github aigatech/vpbenchmarking"
_OKE = "github oracle-quickstart/oci-hpc-oke (61d210a)"
_TOOLKIT = "github GoogleCloudPlatform/cluster-toolkit (1047080)"
_WRONG_H100 = "cannot be reached by H100 at all: the floor is above its NVLink"


def _m(
    gpu: str,
    gpus: int,
    value: float,
    source: str,
    size: int,
    note: str = "",
    unlike: str = "",
    what: str = "all_reduce",
    fitted: bool = False,
) -> Published:
    return Published(what, gpu, gpus, value, "GB/s", "measured", source, note, size, unlike, fitted=fitted)


MEASURED: tuple[Published, ...] = (
    _m("h100-sxm5", 8, 480.0, "github NVIDIA/nccl-tests issue 347", 8 * GIB, "NVLS", fitted=True),
    _m("h200-sxm5", 8, 482.3, _ML, 16 * GIB, "NVLS", fitted=True),
    _m("h200-sxm5", 8, 464.0, _ML, 1 * GIB, "NVLS", fitted=True),
    _m("h200-sxm5", 8, 346.0, _ML, 64 * MIB, "NVLS", "below the sizes of the proven regime"),
    _m("h200-sxm5", 8, 39.9, _ML, 1 * MIB, "NVLS", "below the sizes of the proven regime"),
    _m("h200-sxm5", 8, 361.4, _ML, 16 * GIB, what="all_gather", fitted=True),
    _m("h200-sxm5", 8, 362.9, _ML, 16 * GIB, what="reduce_scatter", fitted=True),
    _m("h100-sxm5", 8, 367.6, _ML, 16 * GIB, "ring, NVLS off", "reduction in the switch was turned off"),
    _m("h100-sxm5", 16, 488.37, "github NVIDIA/aicr, EKS, 2 nodes", 16 * GIB),
    _m("h100-sxm5", 16, 449.5, _OCI, 1 * GIB, "2 nodes, RoCE", fitted=True),
    _m("h100-sxm5", 16, 469.8, _OCI, 8 * GIB, "2 nodes, RoCE"),
    _m("h100-sxm5", 16, 471.2, _OCI, 16 * GIB, "2 nodes, RoCE"),
    _m("h100-sxm5", 64, 356.0, _CORE, 512 * MIB, "8 nodes, InfiniBand NDR", fitted=True),
    _m("h100-sxm5", 64, 366.0, _CORE, 1 * GIB, "8 nodes, InfiniBand NDR"),
    _m("h100-sxm5", 64, 386.6, _CORE, 8 * GIB, "8 nodes, InfiniBand NDR"),
    _m("h100-sxm5", 64, 373.0, _CORE, 8 * GIB, "8 nodes, average of a sweep", "an average over sizes"),
    _m("h100-sxm5", 64, 450.0, _AZURE, 16 * GIB, "8 nodes, baseline of a fleet"),
    _m("h100-sxm5", 16, 340.0, "github NVIDIA/aicr, GKE a3-mega", 8 * GIB, "TCPXO, 200 GB/s a node", "another transport"),
    _m("h100-sxm5", 16, 4.0, "github NVIDIA/aicr, GKE a3-mega", 8 * GIB, "TCP", "fell back to TCP: what mis-launch looks like"),
    _m("h100-sxm5", 16, 188.7, _TOOLKIT, 8 * GIB, "TCPXO", "another transport", "all_gather"),
    _m("b200-sxm", 8, 845.7, _ML, 16 * GIB, "NVLS", fitted=True),
    _m("b200-sxm", 8, 682.2, _ML, 8 * GIB, "ring, NVLS off", "reduction in the switch was turned off"),
    _m("b200-sxm", 32, 381.8, _ML, 16 * GIB, "4 nodes, EFAv4"),
    _m("b200-sxm", 32, 362.0, _ML, 1 * GIB, "4 nodes, EFAv4", fitted=True),
    _m("b200-sxm", 32, 156.7, _ML, 64 * MIB, "4 nodes, EFAv4", "below the sizes of the proven regime"),
    _m("gb200-b200", 72, 586.0, _CORE, 512 * MIB, "one rack, NCCL 2.26.2", fitted=True),
    _m("gb200-b200", 72, 681.0, _CORE, 1 * GIB, "one rack, NCCL 2.26.2", fitted=True),
    _m("gb200-b200", 72, 758.0, _CORE, 2 * GIB, "one rack, NCCL 2.26.2", fitted=True),
    _m("gb200-b200", 72, 839.0, _CORE, 4 * GIB, "one rack, NCCL 2.26.2", fitted=True),
    _m("gb200-b200", 72, 846.8, _CORE, 8 * GIB, "one rack, NCCL 2.26.2; another table of the same prints 835", fitted=True),
    _m("gb200-b200", 72, 745.5, _CORE, 8 * GIB, "average of a sweep", "an average over sizes"),
    _m("gb200-b200", 144, 494.0, _CORE, 512 * MIB, "two racks"),
    _m("gb200-b200", 144, 596.0, _CORE, 1 * GIB, "two racks"),
    _m("gb200-b200", 144, 680.0, _CORE, 2 * GIB, "two racks"),
    _m("gb200-b200", 144, 743.0, _CORE, 4 * GIB, "two racks"),
    _m("gb200-b200", 144, 793.0, _CORE, 8 * GIB, "two racks; another table of the same prints 820.4"),
    _m("gb200-b200", 144, 810.0, _CORE, 16 * GIB, "two racks"),
    _m("gb200-b200", 1440, 404.8, _CORE, 16 * GIB, "20 racks"),
    _m("gb200-b200", 1440, 219.0, _CORE, 1 * GIB, "20 racks"),
    _m("gb300-b300", 72, 937.0, _AZURE, 16 * GIB, "one rack, baseline of a fleet"),
    _m("gb300-b300", 144, 200.0, _AZURE, 16 * GIB, "between racks", "InfiniBand alone: NVLink was not used inside the racks"),
    _m("mi300x", 16, 358.4, _OKE, 16 * GIB, "2 nodes, RCCL", "not NVLink: no constants for it"),
    _m("h200-sxm5", 8, 1.44, _ML, 32 << 10, "NVLS", "below the sizes of the proven regime"),
    _m("gb200-b200", 1440, 151.0, _CORE, 512 * MIB, "20 racks"),
    _m("gb200-b200", 1440, 287.0, _CORE, 2 * GIB, "20 racks"),
    _m("gb200-b200", 1440, 346.0, _CORE, 4 * GIB, "20 racks"),
    _m("gb200-b200", 1440, 381.0, _CORE, 8 * GIB, "20 racks"),
    _m("gb200-b200", 144, 820.4, _CORE, 8 * GIB, "two racks, NCCL 2.26.2; another table of the same prints 793"),
    _m("mi300x", 16, 357.0, _OKE, 8 * GIB, "2 nodes, RCCL", "not NVLink: no constants for it"),
    _m("a100-sxm4", 16, 189.6, _OKE, 8 * GIB, "2 nodes, 200 GB/s a node", "the catalogue has no A100"),
    _m("gaudi", 8, 512.96, "docs.habana.ai, pick good nodes", 256 * MIB, "HCCL", "another maker: no constants for it"),
    Published("gemm-bf16", "a100-sxm4", 1, 271.0, "TFLOPS", "measured", _MAMF, unlike="the catalogue has no A100"),
    Published("gemm-bf16", "gh200", 1, 828.6, "TFLOPS", "measured", _MAMF, unlike="the catalogue has no GH200"),
    Published("gemm-bf16", "mi325x", 1, 785.0, "TFLOPS", "measured", _MAMF, unlike="another maker: no constants for it"),
    Published("rdma", "h100-sxm5", 2, 193.7, "Gb/s", "measured", _ML, "EFA, 200 Gb/s port", line_gbps=200.0),
    Published("h2d", "h100-sxm5", 1, 54.8, "GB/s", "measured", _VP, "PCIe 5.0 x16", fitted=True),
    Published("d2h", "h100-sxm5", 1, 46.8, "GB/s", "measured", _VP, "PCIe 5.0 x16", fitted=True),
    Published("hbm", "h100-sxm5", 1, 2903.0, "GB/s", "measured", _VP, "86.7 % of peak", fitted=True),
    *(
        Published("gemm-bf16", gpu, 1, value, "TFLOPS", "measured", _MAMF, unlike=why, fitted=not why)
        for gpu, value, why in (
            ("h100-sxm5", 794.5, ""), ("h200-sxm5", 794.5, ""), ("b200-sxm", 1745.0, ""), ("b300-sxm", 1769.0, ""),
            ("gb200-b200", 1822.0, ""), ("mi300x", 668.0, "another maker: no constants for it"),
            ("mi355x", 1565.0, "another maker: no constants for it"),
        )
    ),
    *(
        Published("gemm-fp8", gpu, 1, value, "TFLOPS", "measured", _MAMF, fitted=True)
        for gpu, value in (
            ("h100-sxm5", 1402.6), ("h200-sxm5", 1453.4), ("b200-sxm", 3432.5), ("b300-sxm", 3353.3), ("gb200-b200", 3615.6)
        )
    ),
    Published("gemm-bf16", "gb300-b300", 1, 1850.0, "TFLOPS", "measured", _AZURE, "expected of a fleet; the file says GFlops"),
)  # fmt: skip


def _f(what: str, gpu: str, gpus: int, value: float, unit: str, source: str, note: str = "") -> Published:
    return Published(what, gpu, gpus, value, unit, "floor", source, note)


FLOORS: tuple[Published, ...] = (
    _f("all_reduce", "h100-sxm5", 8, 440.0, "GB/s", _OCI_CHECK, "average of 1 to 16 GiB"),
    _f("all_reduce", "h100-sxm5", 8, 460.0, "GB/s", _NHC),
    _f("all_reduce", "h100-sxm5", 64, 400.0, "GB/s", _AZURE, "warns below; replaces below 300"),
    _f("all_reduce", "h100-sxm5", 16, 90.0, "GB/s", "github NVIDIA/aicr, EKS: 100 x 0.9", "passes at a fifth of what is usual"),
    _f("all_reduce", "h100-sxm5", 8, 800.0, "GB/s", _AWS, _WRONG_H100),
    _f("all_reduce", "h200-sxm5", 8, 431.0, "GB/s", _NHC, "its README says 480"),
    _f("all_reduce", "b200-sxm", 8, 440.0, "GB/s", _OCI_CHECK, "looks inherited from H100: half of what is usual"),
    _f("all_reduce", "b300-sxm", 8, 800.0, "GB/s", _OCI_CHECK, "700 and 750 elsewhere in the same repository"),
    _f("all_gather", "h100-sxm5", 16, 60.0, "GB/s", _CHS, "a pair of a3 nodes; 150 for a3-mega, 250 for a3-ultra"),
    _f("all_reduce", "gb300-b300", 72, 800.0, "GB/s", _AZURE, "warns below; replaces below 600"),
    _f("all_reduce", "gb200-b200", 72, 450.0, "GB/s", "github NVIDIA/aicr issue 2784", "40 % can be lost and it passes"),
    _f("rdma", "h100-sxm5", 2, 380.0, "Gb/s", _NHC, "GPUDirect; 360 for H200"),
    _f("rdma", "h100-sxm5", 2, 360.0, "Gb/s", "github scitix/sichek, specs", "latency at most 10 to 12 us"),
    _f("rdma", "b200-sxm", 2, 384.0, "Gb/s", _OCI_CHECK),
    _f("h2d", "h100-sxm5", 1, 48.0, "GB/s", _NHC, "its README says 52 and 55"),
    _f("h2d", "h100-sxm5", 1, 52.0, "GB/s", _OCI_CHECK),
    _f("p2p", "h100-sxm5", 2, 335.0, "GB/s", _NHC, "the 12-link variant gives 256.6"),
    _f("hbm", "h100-sxm5", 1, 1905.0, "GB/s", _DCGM),
    _f("hbm", "h200-sxm5", 1, 2212.5, "GB/s", _DCGM, "one template has 2,333 MB/s: a thousand times too low"),
    _f("hbm", "gb300-b300", 1, 4522.5, "GB/s", _DCGM),
    _f("gemm-bf16", "h100-sxm5", 1, 742.0, "TFLOPS", _AZURE, "warns below; replaces below 715"),
)


def near(quantity: str, gpu: str, gpus: int) -> tuple[Published, ...]:
    """Rows of this quantity and GPU, those of the same number of GPUs first, measurements before floors."""
    rows = [p for p in (*MEASURED, *FLOORS) if p.quantity == quantity and p.gpu == gpu]
    return tuple(sorted(rows, key=lambda p: (p.kind != "measured", p.gpus != gpus, abs(p.gpus - gpus), p.size_bytes or 0)))
