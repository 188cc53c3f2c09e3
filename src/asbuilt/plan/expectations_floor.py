"""Thresholds of what stands on the floor, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation

_LIVE = "TIA-942 rated-3: superimposed live load 12 kPa (250 lb/ft2), as published second-hand"
_PANEL = "EN 12825 class 6: 12 kN ultimate, safety factor 2; which class the floor has, the site confirms"


def floor_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for loads on the floor.

    Where the requirement states what a position carries, the footprint is judged by that (DES-052) and by nothing else.
    """
    rows = [
        expectation("DES-121", "floor", "*", "le", 12.0, "kPa", "published", _LIVE, "medium"),
        expectation("DES-122", "floor", "*", "le", 6.0, "kN", "assumed", _PANEL),
    ]
    if design.requirement.site.rack_weight_kg is None:
        rows.insert(0, expectation("DES-120", "floor", "*", "le", 12.0, "kPa", "published", _LIVE, "medium"))
    return rows
