"""Use case: what number should I expect? And how well expectations meet what others published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.physics.collective import COLLECTIVES
from asbuilt.predict.expected import QUANTITIES, Expected, Figure, Machine, expected
from asbuilt.predict.published import MEASURED, Published, near

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue
    from asbuilt.catalogue.read import Part

SCHEMA = "expectation/v1"
#: NVLink generation by its rate of one GPU, both directions (GB/s): 600 third, 900 fourth, 1800 fifth (NVIDIA data sheets).
GENERATIONS = {600: 3, 900: 4, 1800: 5}
#: A system that stands for a GPU where a published row names no system.
STANDS_FOR = {
    "h100-sxm5": "dgx-h100",
    "h200-sxm5": "dgx-h200",
    "b200-sxm": "dgx-b200",
    "b300-sxm": "dgx-b300",
    "gb200-b200": "gb200-nvl72",
    "gb300-b300": "gb300-nvl72",
}


@dataclass(frozen=True, slots=True)
class Held:
    """A published row beside what is expected of it. ``within`` None: nothing is expected, or the row is not comparable."""

    row: Published
    expectation: Expected | None
    within: bool | None
    why: str


def expect(system: str, gpus: int | None, quantity: str, size_bytes: int, catalogue: Catalogue | None = None) -> Expected:
    """The expectation of one quantity. Raises `ProblemError` CLI-085 (no such system, quantity, or number of GPUs)."""
    from asbuilt.catalogue.load import load

    parts = catalogue or load()
    if system not in parts.ids("system"):
        what = f"there is no system {system!r}{nearest(system, parts.ids('system'))}"
        raise ProblemError(Problem("CLI-085", what, fix=f"use one of: {', '.join(parts.ids('system'))}"))
    if quantity not in QUANTITIES:
        what = f"nothing is known of {quantity!r}{nearest(quantity, QUANTITIES)}"
        raise ProblemError(Problem("CLI-085", what, fix=f"use one of: {', '.join(QUANTITIES)}"))
    made = machine(system, parts)
    count = gpus if gpus is not None else made.domain_gpus if made.domain_gpus > 1 else made.gpus_per_node
    if quantity in COLLECTIVES and count < 2:
        raise ProblemError(Problem("CLI-085", "a collective needs two GPUs", fix="say --gpus 8 or more"))
    return expected(made, quantity, count, size_bytes)


def machine(system: str, parts: Catalogue) -> Machine:
    """The figures of one system that expectations are made of; what the catalogue lacks is unknown."""
    own = parts.get("system", system)
    gpu = parts.get("gpu", str(own.figure("gpu").value))
    per_node = int(own.figure("gpus_per_node").value)
    both = _figure(gpu, "scale_up_gbytes_s", "GB/s")
    generation = GENERATIONS.get(int(both.value or 0), 0)
    nics = [n for n in own.figure("nics").value if n["plane"] == "compute"]
    rates = [float(n["rate_gbps"]) for n in nics]
    port = Figure(min(rates) if rates else None, "Gb/s", own.figure("nics").source)
    return Machine(
        system,
        gpu.id,
        per_node,
        # Without NVLink the node is what shares the network ports.
        int(_figure(own, "nvlink_domain_gpus", "").value or 1) if generation else per_node,
        generation,
        Figure((both.value or 0) / 2, "GB/s", f"{both.source}: half of both directions", both.confidence),
        port,
        len(nics) / per_node,
        _figure(gpu, "pcie_gen", ""),
        int(_figure(gpu, "pcie_width", "").value or 16),
        _scaled(_figure(gpu, "memory_bandwidth_tbytes_s", "TB/s"), 1000, "GB/s"),
        _figure(gpu, "bf16_dense_tflops", "TFLOPS"),
        _figure(gpu, "fp8_dense_tflops", "TFLOPS"),
    )


def _figure(part: Part, name: str, unit: str) -> Figure:
    if not part.has(name):
        return Figure(None, unit, "")
    figure = part.figure(name)
    value = figure.value
    return Figure(float(value) if isinstance(value, (int, float)) else None, unit, figure.source, figure.confidence.value)


def _scaled(figure: Figure, by: float, unit: str) -> Figure:
    return Figure(None if figure.value is None else figure.value * by, unit, figure.source, figure.confidence)


def against_published(catalogue: Catalogue | None = None) -> tuple[Held, ...]:
    """Every published measurement beside its expectation."""
    from dataclasses import replace

    from asbuilt.catalogue.load import load

    parts = catalogue or load()
    held = []
    for row in MEASURED:
        if row.unlike or row.gpu not in STANDS_FOR:
            held.append(Held(row, None, None, row.unlike or "no system of the catalogue stands for it"))
            continue
        made = machine(STANDS_FOR[row.gpu], parts)
        if made.port_gbps.value != row.line_gbps:
            made = replace(made, port_gbps=Figure(row.line_gbps, "Gb/s", "the row's own port"))
        found = expected(made, row.quantity, row.gpus, row.size_bytes or 8 << 30)
        within = found.holds(row.value) if found.proven else None
        held.append(Held(row, found, within, "" if within else _explained(row, found)))
    return tuple(held)


def _explained(row: Published, found: Expected) -> str:
    """Why a row is missed, as far as its source lets one say."""
    if not found.proven:
        return f"outside the proven regime: {found.why}"
    off = row.value / (found.value or 1) - 1
    side = "above" if off > 0 else "below"
    reasons = {
        (
            "all_reduce",
            "h100-sxm5",
            64,
        ): "reduction in the fabric (SHARP) is not modelled; the row does not say whether it was on",
        ("all_reduce", "gb300-b300", 72): "the share of the NVLink domain is fitted to GB200; this is a fleet's own baseline",
        ("gemm-bf16", "gb300-b300", 1): "a fleet's own expectation, in a file whose unit says GFlops",
    }
    why = reasons.get((row.quantity, row.gpu, row.gpus), "the row does not tell its clocks, versions and settings")
    return f"{abs(off):.0%} {side}: {why}"


def as_json(found: Expected) -> dict[str, Any]:
    """The documented object, schema ``expectation/v1``."""
    return {
        "schema": SCHEMA,
        "quantity": found.quantity,
        "system": found.machine.system,
        "gpus": found.gpus,
        "size_bytes": found.size_bytes,
        "value": None if found.value is None else round(found.value, 3),
        "unit": found.unit,
        "low": None if found.low is None else round(found.low, 3),
        "high": None if found.high is None else round(found.high, 3),
        "tolerance": found.tolerance,
        "narrow": found.narrow,
        "proven": found.proven,
        "why": found.why,
        "calculation": [{"what": x.what, "amount": x.amount, "origin": x.origin, "source": x.source} for x in found.lines],
        "published": [{f: getattr(p, f) for f in p.__slots__} for p in near(found.quantity, found.machine.gpu, found.gpus)],
    }
