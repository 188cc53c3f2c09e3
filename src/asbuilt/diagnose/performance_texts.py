"""How findings about measured speed read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_NOTHING = "nothing is changed"
_RUNS = "runs"
_AGAIN = "run it again and verify"

PERFORMANCE_TEXTS: dict[str, Text] = {
    "PERF-001": Text(
        "{who} {verb} no measurement: {found}",
        f"launch with the launcher of the scheduler (srun --mpi, mpirun), keep the launch line and the whole log; {_AGAIN}",
        _NOTHING,
        several=_RUNS,
    ),
    "PERF-002": Text(
        "{who} {has} {found}; {expected} are needed to say something of bandwidth",
        f"sweep to 8 GiB or more (-b 512M -e 8G -f 2); {_AGAIN}",
        _NOTHING,
        several=_RUNS,
    ),
    "PERF-003": Text(
        "{who} {has} {found}: sums are wrong, whatever the speed",
        "take the nodes out of service; find the one by pairs with -c 1; then its GPU memory, NVLink and driver",
        "put them back when a clean run with validation is on record",
        several=_RUNS,
    ),
    "PERF-004": Text(
        "{who} {verb} not RDMA from GPU memory: {found}",
        f"load nvidia_peermem or a driver with dma-buf, set NCCL_IB_HCA, unset NCCL_IB_DISABLE; {_AGAIN}",
        "set the environment back",
        several=_RUNS,
    ),
    "PERF-005": Text(
        "{who} {verb} over other ports than the rails: {found}",
        f"set NCCL_IB_HCA to exactly {{expected}} (`asbuilt affinity` prints it); {_AGAIN}",
        "set the environment back",
        several=_RUNS,
    ),
    "PERF-010": Text(
        "{who} {verb} too slow: {found}, planned is {expected}",
        f"climb the ladder below, one rung at a time; {_AGAIN}",
        _NOTHING,
        several=_RUNS,
    ),
    "PERF-011": Text(
        "{who} {verb} too slow: {found}, planned is {expected}",
        f"link first (iblinkinfo, mlxlink), then PCIe of both hosts, then NUMA; {_AGAIN}",
        _NOTHING,
        several="ports",
    ),
    "PERF-012": Text(
        "copies of {who} are too slow: {found}, planned is {expected}",
        f"PCIe width and speed under load, NUMA node of the process, IOMMU; {_AGAIN}",
        _NOTHING,
        by="subject",
        several="nodes",
    ),
    "PERF-013": Text(
        "copies between GPUs of {who} are too slow: {found}, planned is {expected}",
        f"nvidia-smi nvlink -s and -e of both, fabric manager; {_AGAIN}",
        _NOTHING,
        by="subject",
        several="nodes",
    ),
    "PERF-014": Text(
        "GPU memory of {who} is too slow: {found}, planned is {expected}",
        f"memory clocks and temperature, ECC, remapped rows; {_AGAIN}",
        _NOTHING,
        by="subject",
        several="nodes",
    ),
    "PERF-015": Text(
        "multiplication on {who} is too slow: {found}, planned is {expected}",
        f"power limit, clocks, temperature and coolant flow under load; {_AGAIN}",
        _NOTHING,
        by="subject",
        several="nodes",
    ),
    "PERF-016": Text(
        "{who} {verb} computing wrong: {found}",
        "take it out of service; read XIDs and memory errors of the GPU named, memory errors of the host; run the test on it "
        "alone, and have it exchanged when it is wrong again",
        "put it back when a clean run is on record",
        several="nodes",
    ),
    "PERF-017": Text(
        "memory of {who} is too slow: {found}, planned is {expected}",
        f"modules and their speed (dmidecode), NUMA settings, power profile of the BIOS, a thread on every core; {_AGAIN}",
        _NOTHING,
        by="subject",
        several="nodes",
    ),
    "PERF-020": Text(
        "{who} {verb} far below those alike: {found}, where {expected}",
        f"measure it beside a good partner; if it stays low, take it out and climb the ladder there; {_AGAIN}",
        "put it back when it measures like the others",
        by="subject",
        several=_RUNS,
    ),
    "PERF-021": Text(
        "{who} {verb} slow with every partner: {found}, where others have {expected}",
        f"take the node out and climb the ladder there; {_AGAIN} with a good partner before it comes back",
        "put it back when it measures like the others",
        by="subject",
        several="nodes",
    ),
}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
PERFORMANCE_EXPLAINED: dict[str, tuple[str, ...]] = {"PERF-005": ("PERF-004",), "PERF-020": ("PERF-010", "PERF-021")}
