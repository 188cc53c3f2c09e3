"""What a thing of a given weight does to the floor: pressure on its footprint, pressure with aisles shared, load of one foot.

Every function takes numbers or Polars expressions alike; an unknown (null) weight stays unknown. Weights are masses in kg,
lengths in mm.

Sources: pressure is m g / A; sharing half of the clearance on each side and one third of a rack on one caster follow the
floor-loading rule of IBM's site preparation guides (a tile carries one third of a rack, and one third of both racks where
casters of two share a tile; while racks are moved up to one half).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import polars as pl

#: Standard gravity, CGPM 1901.
GRAVITY_M_S2 = 9.80665
#: Part of a rack's weight on its most loaded caster, IBM.
WORST_CASTER = 1 / 3
#: The same while it is rolled over a joint or a ramp, IBM.
WORST_CASTER_MOVING = 1 / 2
#: Casters of a rack.
CASTERS = 4

V = TypeVar("V", float, "pl.Expr")


def weight_kn(mass_kg: V) -> V:
    """Weight in kN of a mass in kg."""
    return mass_kg * GRAVITY_M_S2 / 1000


def footprint_kpa(mass_kg: V, width_mm: V, depth_mm: V) -> V:
    """Mean pressure in kPa of a mass in kg on its own footprint, mm by mm."""
    return mass_kg * GRAVITY_M_S2 * 1000 / (width_mm * depth_mm)


def shared_kpa(mass_kg: V, width_mm: V, depth_mm: V, front_mm: V, rear_mm: V, aisle_kg_m2: V | float = 0.0) -> V:
    """Mean pressure in kPa when half of the free way in front and half of that behind carry with the footprint.

    ``front_mm`` and ``rear_mm`` are the widths of the aisles; the other half of each belongs to the row opposite, so where
    that row is missing (a wall) nothing more may be shared. ``aisle_kg_m2`` is what people, tools and trays put on the
    shared part.
    """
    half = (front_mm + rear_mm) / 2
    mass = mass_kg + half * width_mm * aisle_kg_m2 / 1_000_000
    return footprint_kpa(mass, width_mm, depth_mm + half)


def caster_equal_kn(mass_kg: V) -> V:
    """Load in kN of one of four casters that all carry alike."""
    return weight_kn(mass_kg) / CASTERS


def caster_kn(mass_kg: V) -> V:
    """Load in kN of the most loaded caster or foot of a standing rack: one third of it."""
    return weight_kn(mass_kg) * WORST_CASTER


def caster_moving_kn(mass_kg: V) -> V:
    """Load in kN of the most loaded caster of a rack that is being moved: one half of it."""
    return weight_kn(mass_kg) * WORST_CASTER_MOVING


def shared_tile_kn(mass_kg: V, neighbour_kg: V) -> V:
    """Load in kN of a tile on which casters of two racks stand: one third of both."""
    return weight_kn(mass_kg + neighbour_kg) * WORST_CASTER
