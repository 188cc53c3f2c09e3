"""Pump curves: through published points, by affinity and in parallel; what is published and what is not."""

from __future__ import annotations

import math
from dataclasses import dataclass

BELOW, INSIDE, ABOVE, NO_CURVE = "below", "inside", "above", "none"


@dataclass(frozen=True, slots=True)
class PumpCurve:
    """H = head - droop Q², kPa and L/min, published from ``first_l_min`` to ``last_l_min``."""

    head_kpa: float
    droop: float
    first_l_min: float
    last_l_min: float

    def at(self, flow_l_min: float) -> float:
        """Head in kPa at a flow; arithmetic of the formula, whether published there or not (`where` says)."""
        return self.head_kpa - self.droop * flow_l_min**2

    def where(self, flow_l_min: float) -> str:
        """``inside``, ``below`` or ``above`` the published flows; one part in a million of rounding is inside."""
        if flow_l_min < self.first_l_min * (1 - 1e-6):
            return BELOW
        return ABOVE if flow_l_min > self.last_l_min * (1 + 1e-6) else INSIDE

    def published(self, flow_l_min: float) -> float | None:
        """Head in kPa where it is published, else None: below the first point nothing is proven, nor above the last."""
        return self.at(flow_l_min) if self.where(flow_l_min) == INSIDE else None

    def at_speed(self, ratio: float) -> PumpCurve:
        """The curve at ``ratio`` of the speed: flow with the ratio, head with its square (affinity laws)."""
        return PumpCurve(self.head_kpa * ratio**2, self.droop, self.first_l_min * ratio, self.last_l_min * ratio)

    def in_parallel(self, count: int) -> PumpCurve:
        """``count`` equal units side by side: flows add at equal head."""
        return PumpCurve(self.head_kpa, self.droop / count**2, self.first_l_min * count, self.last_l_min * count)


def curve_through(points: tuple[tuple[float, float], ...]) -> PumpCurve | None:
    """The falling curve H = H0 - k Q² through the first and last of (L/min, kPa); one point is level and published only there.

    None without points. Raises ``ValueError`` for a flow or pressure that is not positive, or a pressure that rises with
    flow: no pump does that.
    """
    if not points:
        return None
    listed = sorted(points)
    if any(not (0 < q < math.inf and 0 < h < math.inf) for q, h in listed):
        raise ValueError("flow and pressure of a pump curve must be positive")
    (first, high), (last, low) = listed[0], listed[-1]
    if first == last:
        return PumpCurve(high, 0.0, first, last)
    if low > high:
        raise ValueError(f"a pump curve cannot rise from {high:g} kPa at {first:g} L/min to {low:g} kPa at {last:g} L/min")
    droop = (high - low) / (last**2 - first**2)
    return PumpCurve(high + droop * first**2, droop, first, last)


def margin_percent(available_kpa: float, need_kpa: float) -> float:
    """What is available over what is needed, less one, in percent."""
    return 100.0 * (available_kpa / need_kpa - 1.0)
