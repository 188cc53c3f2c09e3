"""What the catalogue has for circuits, PDUs and busways, and which of it carries a load."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design
from asbuilt.model.design_power import PowerDesign
from asbuilt.physics.three_phase import usable_amperes
from asbuilt.plan.power.draws import WYE_FROM_V
from asbuilt.plan.power.outlets import Outlets, outlets_of

#: Voltages that count as one system (`design.power`).
SAME_VOLTAGE = 0.05
#: A rating is taken although it is short by this much: rounding, not load.
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class CircuitPart:
    """A branch circuit of the catalogue, in A and mΩ/m; ``usable_a`` under the site's basis."""

    part: str
    breaker_a: float
    usable_a: float
    conductors: int
    receptacle: str
    whip_r_mohm_m: float


def circuit_parts(catalogue: Catalogue, power: PowerDesign) -> list[CircuitPart]:
    """Three-phase circuits of the site's basis and voltage, the smallest first; of any voltage where there are none.

    A circuit is the IEC's when its catalogue entry allows the whole rating for long, else the NEC's.
    """
    found: list[tuple[float, CircuitPart]] = []
    for name in catalogue.ids("power"):
        part = catalogue.get("power", name)
        if part.value("class") != "circuit" or not part.has("breaker_a") or int(part.value("phase_conductors", 3)) != 3:
            continue
        iec = float(part.value("continuous_fraction", 0.0)) >= 1.0
        if iec != (power.basis == "iec"):
            continue
        breaker = float(part.value("breaker_a"))
        off = abs(float(part.value("voltage_v", power.voltage_v)) / power.voltage_v - 1.0)
        receptacle = str(part.value("receptacle", "as ordered"))
        usable = float(usable_amperes(breaker, power.basis))
        found.append((off, CircuitPart(name, breaker, usable, 3, receptacle, float(part.value("whip_r_mohm_m", 0.0)))))
    # The nearest voltage of each rating: 400 V equipment stands on 415 V.
    fitting = [f for f in found if f[0] <= SAME_VOLTAGE] or found
    fitting.sort(key=lambda f: (f[1].breaker_a, f[0], f[1].part))
    kept: dict[float, CircuitPart] = {}
    for _, circuit in fitting:
        kept.setdefault(circuit.breaker_a, circuit)
    return list(kept.values()) or [CircuitPart("circuit", 1.0, 1.0, 3, "as ordered", 0.0)]


def smallest(circuits: list[CircuitPart], breaker_a: float = 0.0, load_a: float = 0.0) -> CircuitPart:
    """The smallest circuit with that breaker and load; the largest where none has: the checks then fail it."""
    for circuit in circuits:
        if circuit.breaker_a >= breaker_a - SLACK and circuit.usable_a >= load_a * (1.0 - SLACK):
            return circuit
    return circuits[-1]


@dataclass(frozen=True, slots=True)
class PduPart:
    """A rack PDU of the catalogue, in A. ``between``: outlets stand between two phases, not to neutral."""

    part: str
    rating_a: float
    usable_a: float
    basis: str
    voltage_v: float
    c13: int
    c19: int
    banks: int
    bank_a: float | None
    bank_breaker_a: float | None
    inlet_max_c: float | None
    plug: str
    between: bool
    outlets: Outlets


def pdu_part(design: Design, catalogue: Catalogue) -> PduPart:
    """The site's rack PDU. Raises ``ProblemError`` CAT-002 for a PDU that the catalogue does not have."""
    power = design.power
    part = catalogue.get("power", power.pdu)
    basis = str(part.value("rating_basis", "breaker"))
    rating = float(part.value("breaker_a", part.value("usable_a", 0.0)))
    derated = basis == "derated"
    usable = float(usable_amperes(float(part.value("usable_a", rating)) if derated else rating, power.basis, derated))
    banks, c13, c19 = (int(part.value(k, 0)) for k in ("banks", "outlets_c13", "outlets_c19"))
    return PduPart(
        part=power.pdu,
        rating_a=rating,
        usable_a=usable,
        basis=basis,
        voltage_v=float(part.value("voltage_v", power.voltage_v)),
        c13=c13,
        c19=c19,
        banks=banks,
        bank_a=_number(part, "bank_a"),
        bank_breaker_a=_number(part, "bank_breaker_a"),
        inlet_max_c=_number(part, "inlet_c_max"),
        plug=str(part.value("plug", "as ordered")),
        between=power.voltage_v <= WYE_FROM_V,
        outlets=outlets_of(banks, c19, c13),
    )


@dataclass(frozen=True, slots=True)
class BuswayPart:
    """A busway of one rating: A, mΩ/m, impedance of the neutral over that of a phase."""

    part: str
    rating_a: float
    usable_a: float
    r_mohm_m: float
    x_mohm_m: float
    neutral_ratio: float


def busway_parts(design: Design, catalogue: Catalogue) -> list[BuswayPart]:
    """Ratings of the site's busway, the smallest first; only the one asked for where `power.busway_a` is stated.

    A rating between those of the table has the impedance of the next smaller one, the larger impedance.
    """
    power = design.power
    if not catalogue.has("power", power.busway):
        return []
    part = catalogue.get("power", power.busway)
    ratio = float(part.value("neutral_ratio", 1.0))
    table = sorted((float(r["amps"]), float(r["r_mohm_m"]), float(r["x_mohm_m"])) for r in part.value("impedance", []))
    if power.busway_a is not None and table:
        below = [r for r in table if r[0] <= power.busway_a] or table[:1]
        table = [(power.busway_a, below[-1][1], below[-1][2])]
    return [BuswayPart(power.busway, a, float(usable_amperes(a, power.basis)), r, x, ratio) for a, r, x in table]


def _number(part: Part, key: str) -> float | None:
    return float(part.value(key)) if part.has(key) else None


SHELF = "nvl72-power-shelf"


@dataclass(frozen=True, slots=True)
class ShelfPart:
    """A power shelf: W, U, supplies; V of the busbar at full load and A of one of its sections, None where not known."""

    part: str
    rating_w: float
    height_u: float
    supplies: int
    busbar_v: float | None
    section_a: float | None


def shelf_part(design: Design, catalogue: Catalogue) -> ShelfPart | None:
    """The power shelf of a rack-scale system; None for servers."""
    if not design.power.shelf_feeds:
        return None
    system = catalogue.get("system", design.node.system)
    shelf = catalogue.get("power", SHELF) if catalogue.has("power", SHELF) else system
    rating = float(system.value("power_shelf_w", shelf.value("capacity_w", 0.0)))
    volts = _number(shelf, "busbar_load_v") or _number(system, "busbar_v")
    supplies = int(shelf.value("psus", 0))
    return ShelfPart(SHELF, rating, float(shelf.value("height_u", 1.0)), supplies, volts, _number(system, "busbar_a"))
