"""Thresholds of measured speed, from the same closed forms as `asbuilt expect` (`physics.collective`).

The value of a row is what is expected; its relative tolerance is that of the regime; a check asks for at least value x (1 -
tolerance). ``valid_if`` says for what it was made. What no published measurement covers has no row: there is no criterion.
"""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.physics import collective as at
from asbuilt.physics.collective import Domain, bus_bandwidth
from asbuilt.physics.rates import STREAM_SHARE, STREAM_TOLERANCE, memory_gbytes_s
from asbuilt.plan.expectation import expectation
from asbuilt.plan.nodes.hardware import trait_row

#: NVLink generation by its rate of one GPU, both directions, GB/s (NVIDIA data sheets).
_GENERATIONS = {600: 3, 900: 4, 1800: 5}
#: NCCL that the shares were made for, by generation of NVLink: reduction in the switch over several nodes came with 2.18.1
#: (NVIDIA's release notes of it); measurements of Blackwell that were published with their version are of 2.26.2.
_NCCL = {4: "2.18", 5: "2.26"}
#: Data type -> figure of its dense peak: data sheets print one rate for FP16 and BF16.
_DENSE = {"bf16": "bf16_dense_tflops", "fp16": "bf16_dense_tflops", "fp8": "fp8_dense_tflops"}
_SOURCE = "closed form held against published measurements (docs/expect.md)"
_FLOORS = "no published measurement was found; tools ask for 335 of 450 GB/s"
_PRODUCTS = "assumed: products of 2048 and smaller measure launches and caches"
_CLOCKS = "assumed: clocks go up to a tenth above the boost that the peak is printed for"
_STREAM = "Azure HBv4: STREAM 780 of 921.6 GB/s; AzNHC fails it below 665.5"
_ARRAYS = "STREAM: arrays of four times the caches; two processors have less than 250 MB together"
_COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter")
#: Message sizes that are judged: the regime's least, and what sweeps end with.
_SIZES = tuple(at.LEAST_BYTES << k for k in range(7))


def performance_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Expectations of the PERF checks."""
    system = catalogue.get("system", design.node.system)
    gpu = catalogue.get("gpu", str(system.figure("gpu").value))
    rows = [
        expectation(
            "PERF-001", "run", "ratio", "eq", 0.02, "fraction", "assumed", "digits that nccl-tests prints", tol_rel=0.0
        ),
        expectation("PERF-002", "run", "*", "ge", at.LEAST_BYTES, "bytes", "derived", _SOURCE),
        expectation("PERF-003", "run", "*", "eq", 0, "results", "published", "nccl-tests: #wrong counts wrong elements"),
        expectation("PERF-020", "run", "z", "le", 3.5, "", "published", "Iglewicz and Hoaglin 1993: modified z-score over 3.5"),
        expectation("PERF-020", "run", "consistency", "eq", 0.6745, "", "published", "MAD of a normal distribution over sigma"),
        expectation("PERF-020", "run", "spread", "ge", 0.05, "fraction", "assumed", "smaller differences are noise of a run"),
        expectation("PERF-020", "run", "least", "ge", 5, "runs", "assumed", "a median of fewer says nothing"),
    ]
    rows += _collectives(design, system, gpu)
    rows += _ports(design)
    rows += _single(gpu)
    rows += _products(gpu)
    rows += _host_memory(design, catalogue)
    return rows


def _value(part: Any, name: str) -> float | None:
    if not part.has(name):
        return None
    value = part.figure(name).value
    return float(value) if isinstance(value, (int, float)) else None


def _collectives(design: Design, system: Any, gpu: Any) -> list[dict[str, Any]]:
    """Bus bandwidth by collective, number of GPUs and message size, as far as the regime is proven."""
    per_node = int(system.figure("gpus_per_node").value)
    both = _value(gpu, "scale_up_gbytes_s") or 0.0
    generation = _GENERATIONS.get(int(both), 0)
    nics = [n for n in system.figure("nics").value if n["plane"] == "compute"]
    if not generation or not nics:
        return []
    size = int(_value(system, "nvlink_domain_gpus") or per_node)
    network = min(float(n["rate_gbps"]) for n in nics) * len(nics) / per_node / 8
    domain = Domain(size, both / 2, generation, network)
    total = int(design.gpus)
    nccl = f",nccl>={_NCCL[generation]}" if generation in _NCCL else ""
    counts = sorted({c for c in (size * 2**k for k in range(20)) if c <= total} | {total})
    rows = []
    for name in _COLLECTIVES:
        for count in counts:
            for bytes_ in _SIZES:
                made = bus_bandwidth(domain, count, name, bytes_) if count > 1 else None
                if made is None or not made.proven:
                    continue
                selector = f"{name}/{count}/{bytes_}"
                valid = f"gpu={gpu.id},gpus={count},nodes={-(-count // per_node)},bytes={bytes_}{nccl}"
                row = expectation("PERF-010", "run", selector, "ge", round(made.value, 2), "GB/s", "derived", _SOURCE)
                rows.append(row | {"tol_rel": made.tolerance, "valid_if": valid})
    return rows


def _ports(design: Design) -> list[dict[str, Any]]:
    """Large RDMA writes, by the rates that the design gives its compute ports."""
    rates = sorted({float(n.rate_gbps) for n in design.node.nics if n.plane == "compute" and n.rate_gbps})
    rows = []
    for rate in rates:
        source = "92 to 97 % of line rate for large writes (docs/expect.md)"
        row = expectation("PERF-011", "port", f"rate={rate:g}", "ge", rate * at.RDMA_SHARE, "Gb/s", "derived", source)
        rows.append(row | {"tol_rel": at.RDMA_TOLERANCE, "valid_if": f"rate_gbps={rate:g},bytes>=65536"})
    return rows


def _single(gpu: Any) -> list[dict[str, Any]]:
    """Copies, memory and multiplication of one GPU."""
    lane = at.PCIE_LANE_GBYTES_S.get(int(_value(gpu, "pcie_gen") or 0))
    pcie = None if lane is None else lane * int(_value(gpu, "pcie_width") or 16)
    memory = _value(gpu, "memory_bandwidth_tbytes_s")
    nvlink = (_value(gpu, "scale_up_gbytes_s") or 0.0) / 2 or None
    told = (
        ("PERF-012", "h2d", pcie, at.TO_GPU_SHARE, "GB/s", at.COPY_TOLERANCE),
        ("PERF-012", "d2h", pcie, at.FROM_GPU_SHARE, "GB/s", at.COPY_TOLERANCE),
        ("PERF-013", "p2p", nvlink, at.P2P_SHARE, "GB/s", at.P2P_TOLERANCE),
        ("PERF-014", "hbm", None if memory is None else memory * 1000, at.MEMORY_SHARE, "GB/s", at.MEMORY_TOLERANCE),
        ("PERF-015", "bf16", _value(gpu, _DENSE["bf16"]), at.GEMM_SHARE["bf16"], "TFLOPS", at.GEMM_TOLERANCE),
        ("PERF-015", "fp16", _value(gpu, _DENSE["fp16"]), at.GEMM_SHARE["bf16"], "TFLOPS", at.GEMM_TOLERANCE),
        ("PERF-015", "fp8", _value(gpu, _DENSE["fp8"]), at.GEMM_SHARE["fp8"], "TFLOPS", at.GEMM_TOLERANCE),
    )
    rows = []
    for id, selector, base, share, unit, tolerance in told:
        if base:
            source = _FLOORS if selector == "p2p" else _SOURCE
            origin = "assumed" if selector == "p2p" else "derived"
            row = expectation(id, "gpu", selector, "ge", round(base * share, 2), unit, origin, source)
            rows.append(row | {"tol_rel": tolerance, "valid_if": f"gpu={gpu.id}"})
    return rows


def _products(gpu: Any) -> list[dict[str, Any]]:
    """When a rate of multiplication is a measurement: size, what fits together, and the peak that none can exceed."""
    rows = [
        expectation("PERF-015", "run", "ratio", "eq", 0.02, "fraction", "assumed", "digits that tools print"),
        expectation("PERF-015", "run", "operations", "ge", 2 * 2048**3, "operations", "assumed", _PRODUCTS),
    ]
    for kind, figure in _DENSE.items():
        if peak := _value(gpu, figure):
            row = expectation("PERF-015", "gpu", f"{kind}-peak", "le", peak, "TFLOPS", "assumed", _CLOCKS, tol_rel=0.1)
            rows.append(row | {"valid_if": f"gpu={gpu.id}"})
    return rows


def _host_memory(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """STREAM on a node: the share of the channels' peak, and the number itself where the plan knows channels and speed."""
    told = trait_row(design, catalogue)
    rows = [
        expectation("PERF-017", "node", "share", "ge", STREAM_SHARE, "fraction", "derived", _STREAM, tol_rel=STREAM_TOLERANCE),
        expectation("PERF-017", "run", "array", "ge", 1_000_000_000, "bytes", "assumed", _ARRAYS),
    ]
    sockets, channels, modules, speed = (told[c] for c in ("sockets", "channels", "dimms", "dimm_mts"))
    if sockets and channels and modules and speed:
        filled = min(sockets * channels, modules)
        value = round(memory_gbytes_s(filled, speed) * STREAM_SHARE, 1)
        row = expectation("PERF-017", "node", "triad", "ge", value, "GB/s", "derived", _STREAM, tol_rel=STREAM_TOLERANCE)
        rows.append(row | {"valid_if": f"system={told['system']},channels={filled},mts={speed:g}"})
    return rows
