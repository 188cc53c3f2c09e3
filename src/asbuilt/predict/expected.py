"""What number should be expected: a value with the calculation, line by line, its regime and its tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from asbuilt.physics import collective as at
from asbuilt.physics.collective import Domain, bus_bandwidth, bus_factor

#: Quantities beside the collectives of nccl-tests.
SINGLE = ("rdma", "h2d", "d2h", "p2p", "hbm", "gemm-bf16", "gemm-fp8")
QUANTITIES = (*at.COLLECTIVES, *SINGLE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the catalogue with unit and source; ``value`` None where nobody published it."""

    value: float | None
    unit: str
    source: str
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What an expectation is made of: one system of the catalogue.

    ``nvlink_gbytes_s`` and ``port_gbps`` are of one direction; ``ports_per_gpu`` may be below 1 (two GPUs share a port).
    """

    system: str
    gpu: str
    gpus_per_node: int
    domain_gpus: int
    generation: int
    nvlink_gbytes_s: Figure
    port_gbps: Figure
    ports_per_gpu: float
    pcie_gen: Figure
    pcie_lanes: int
    memory_gbytes_s: Figure
    bf16_tflops: Figure
    fp8_tflops: Figure


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a calculation: what, how much, and where it is from."""

    what: str
    amount: str
    origin: str
    source: str


@dataclass(frozen=True, slots=True)
class Expected:
    """A value, or None with the reason. ``low`` to ``high`` is what is within the tolerance; ``proven`` says whether published
    measurements cover the case, ``why`` why not. ``narrow`` is the part that limits it."""

    quantity: str
    machine: Machine
    gpus: int
    size_bytes: int | None
    value: float | None
    unit: str
    tolerance: float
    lines: tuple[Line, ...]
    proven: bool
    why: str = ""
    narrow: str = ""

    @property
    def low(self) -> float | None:
        return None if self.value is None else self.value * (1 - self.tolerance)

    @property
    def high(self) -> float | None:
        return None if self.value is None else self.value * (1 + self.tolerance)

    def holds(self, measured: float) -> bool | None:
        """True when a measurement is within the tolerance; None when nothing is expected."""
        return None if self.low is None or self.high is None else self.low <= measured <= self.high


def expected(machine: Machine, quantity: str, gpus: int, size_bytes: int = 8 << 30) -> Expected:
    """The expectation of ``quantity`` on ``machine``. Raises ``ValueError`` for an unknown quantity or fewer than two GPUs of a
    collective."""
    if quantity in at.COLLECTIVES:
        return _collective(machine, quantity, gpus, size_bytes)
    if quantity not in _SINGLE:
        raise ValueError(f"no quantity {quantity!r}: there are {', '.join(QUANTITIES)}")
    return _SINGLE[quantity](machine, quantity)


def _collective(machine: Machine, quantity: str, gpus: int, size_bytes: int) -> Expected:
    port = machine.port_gbps.value
    if port is None or machine.nvlink_gbytes_s.value is None:
        return _none(machine, quantity, gpus, size_bytes, "the catalogue knows no rate of its NVLink or of its ports")
    network = port * machine.ports_per_gpu / 8
    domain = Domain(machine.domain_gpus, machine.nvlink_gbytes_s.value, machine.generation, network)
    made = bus_bandwidth(domain, gpus, quantity, size_bytes)
    domains = -(-gpus // machine.domain_gpus)
    lines = [
        Line("bus bandwidth over S/t", f"{bus_factor(quantity, gpus):.4g}", "published", "nccl-tests doc/PERFORMANCE.md"),
        Line("GPUs of one NVLink domain", f"{machine.domain_gpus} ({domains} domains)", "derived", "the system and the count"),
    ]
    if made is None:
        why = "no published measurement inside a machine without NVLink"
        return Expected(quantity, machine, gpus, size_bytes, None, "GB/s", at.WIDE, tuple(lines), False, why)
    if made.inside is not None:
        share = made.inside / domain.nvlink_gbytes_s
        lines.append(
            Line("NVLink, one way", f"{domain.nvlink_gbytes_s:g} GB/s a GPU", "published", machine.nvlink_gbytes_s.source)
        )
        lines.append(
            Line("inside a domain", f"x {share:.3g} = {made.inside:.1f} GB/s", "derived", "fitted, see docs/expect.md")
        )
    if made.network is not None:
        ports = f"{port:g} Gb/s x {machine.ports_per_gpu:g} a GPU"
        lines.append(Line("network ports", ports, "published", machine.port_gbps.source))
        told = f"{machine.domain_gpus} GPUs x {network:g} GB/s x {at.NETWORK_SHARE} -> {made.network:.1f} GB/s"
        lines.append(Line("between domains", told, "derived", "fitted, see docs/expect.md"))
    lines.append(Line("narrow part", made.narrow, "derived", "the lesser of the two"))
    lines.append(Line("alpha", f"{made.alpha_s * 1e6:.0f} us", "derived", "fitted to published sweeps"))
    value: float | None = made.value
    why = made.why
    if domains > at.MOST_DOMAINS_LARGE and machine.domain_gpus > at.SMALL_DOMAIN:
        # What was published contradicts the model here: an interval around it would be a lie.
        why, value = f"{why}; at most {made.value:,.0f} GB/s", None
    answer = (value, "GB/s", made.tolerance, tuple(lines), made.proven, why, made.narrow)
    return Expected(quantity, machine, gpus, size_bytes, *answer)


def _none(machine: Machine, quantity: str, gpus: int, size_bytes: int | None, why: str) -> Expected:
    return Expected(quantity, machine, gpus, size_bytes, None, "", at.WIDE, (), False, why)


def _share(
    what: str,
    figure: Callable[[Machine], Figure],
    share: float,
    tolerance: float,
    unit: str,
    basis: str,
    gpus: int = 1,
    unproven: str = "",
) -> Callable[[Machine, str], Expected]:
    """An expectation that is a share of one published figure."""

    def made(machine: Machine, quantity: str) -> Expected:
        base = figure(machine)
        if not base.value:
            return _none(machine, quantity, gpus, None, f"the catalogue has no {what} of {machine.gpu}")
        lines = (
            Line(what, f"{base.value:g} {base.unit}", "published", base.source),
            Line("share that is reached", f"{share:g}", "derived", basis),
        )
        return Expected(quantity, machine, gpus, None, base.value * share, unit, tolerance, lines, not unproven, unproven)

    return made


def _pcie(machine: Machine) -> Figure:
    lane = at.PCIE_LANE_GBYTES_S.get(int(machine.pcie_gen.value or 0))
    value = None if lane is None else lane * machine.pcie_lanes
    return Figure(
        value, "GB/s", f"PCIe {machine.pcie_gen.value:g} x{machine.pcie_lanes}: {machine.pcie_gen.source}" if value else ""
    )


_COPIES = "54.8 and 46.8 of 63 GB/s, H100 (github aigatech/vpbenchmarking)"
_ACHIEVED = "maximum achievable, H100 to GB200 (github stas00/ml-engineering)"
_SINGLE: dict[str, Callable[[Machine, str], Expected]] = {
    "rdma": _share(
        "port", lambda m: m.port_gbps, at.RDMA_SHARE, at.RDMA_TOLERANCE, "Gb/s", "92 to 97 % of line rate for large writes", 2
    ),
    "h2d": _share("PCIe, one way", _pcie, at.TO_GPU_SHARE, at.COPY_TOLERANCE, "GB/s", _COPIES),
    "d2h": _share("PCIe, one way", _pcie, at.FROM_GPU_SHARE, at.COPY_TOLERANCE, "GB/s", _COPIES),
    "p2p": _share(
        "NVLink, one way", lambda m: m.nvlink_gbytes_s, at.P2P_SHARE, at.P2P_TOLERANCE, "GB/s",
        "tools ask for 335 of 450 GB/s", 2, "no published measurement was found, only floors of tools",
    ),
    "hbm": _share(
        "memory bandwidth", lambda m: m.memory_gbytes_s, at.MEMORY_SHARE, at.MEMORY_TOLERANCE, "GB/s",
        "2,903 of 3,350 GB/s, H100 (github aigatech/vpbenchmarking)",
    ),
    "gemm-bf16": _share(
        "dense peak, BF16", lambda m: m.bf16_tflops, at.GEMM_SHARE["bf16"], at.GEMM_TOLERANCE, "TFLOPS", _ACHIEVED
    ),
    "gemm-fp8": _share("dense peak, FP8", lambda m: m.fp8_tflops, at.GEMM_SHARE["fp8"], at.GEMM_TOLERANCE, "TFLOPS", _ACHIEVED),
}  # fmt: skip
