"""Laying cables: bend radius, pull tension, tray fill, stock length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: A number, or numpy arrays of them.
Value = TypeVar("Value", float, NDArray[np.float64])

#: Standard gravity, m/s2 (CGPM 1901).
GRAVITY = 9.80665
_PERCENT = 100.0
#: Lengths that differ by less are equal: float sums of decimal centimetres.
_SLACK_M = 1e-9


@dataclass(frozen=True, slots=True)
class Straight:
    """A straight stretch of a pull. ``length_m`` in m."""

    length_m: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a pull. ``angle_deg`` in degrees."""

    angle_deg: float = 90.0


def bend_radius_mm(od_mm: Value, times: float) -> Value:
    """Least bend radius, mm, as a multiple of the outside diameter: 10 at rest, 15 under pull (TIA-568.3, indoor cable)."""
    return od_mm * times


def straight_tension_n(before_n: Value, length_m: Value, mass_kg_m: Value | float, friction: float) -> Value:
    """Tension after a level straight, N: ``T + L w mu`` with the weight per metre ``w = mass x g`` (IEEE 1185)."""
    return before_n + length_m * mass_kg_m * (GRAVITY * friction)


def turn_factor(friction: float, angle_deg: float = 90.0) -> float:
    """What a turn multiplies the tension by: ``exp(mu theta)``, the capstan equation (IEEE 1185)."""
    return math.exp(friction * math.radians(angle_deg))


def pull_tensions_n(
    way: Iterable[Straight | Turn], mass_kg_m: float, friction: float, start_n: float = 0.0
) -> tuple[float, ...]:
    """Tension after each stretch of a pull, N. ``start_n``: back tension of the reel."""
    out = []
    tension = start_n
    for part in way:
        if isinstance(part, Straight):
            tension = straight_tension_n(tension, part.length_m, mass_kg_m, friction)
        else:
            tension *= turn_factor(friction, part.angle_deg)
        out.append(tension)
    return tuple(out)


def cable_area_mm2(od_mm: Value) -> Value:
    """Cross-section of a round cable, mm2."""
    return od_mm * od_mm * (math.pi / 4.0)


def tray_fill_percent(cables_mm2: Value, width_mm: float, depth_mm: float) -> Value:
    """Cross-section of all cables over that of the tray, % (TIA-569: plan for 40, never over 50; EN 50174-2: 40)."""
    return cables_mm2 * (_PERCENT / (width_mm * depth_mm))


def cables_that_fit(od_mm: float, width_mm: float, depth_mm: float, fill_percent: float) -> int:
    """Most equal cables of a tray within ``fill_percent`` of its cross-section."""
    return math.floor(width_mm * depth_mm * fill_percent / _PERCENT / cable_area_mm2(od_mm))


def needed_length_m(legs_m: Value, slack_percent: float) -> Value:
    """Length to order, m: the sum of route, drops and service loops with ``slack_percent`` added."""
    return legs_m * (1.0 + slack_percent / _PERCENT)


def stock_length_m(need_m: float, stock_m: Sequence[float]) -> float | None:
    """The shortest stock length that is long enough, m; None when there is none."""
    return next((length for length in sorted(stock_m) if length >= need_m - _SLACK_M), None)
