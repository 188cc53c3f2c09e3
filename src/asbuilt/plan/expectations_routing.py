"""Thresholds of measured forwarding tables."""

from __future__ import annotations

from typing import Any

from asbuilt.plan.expectation import expectation

#: Routes through the fullest switch above over their mean, in units of the same ratio of the planned tables.
_SPREAD = 1.1


def routing_rows() -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for the checks of forwarding tables."""
    source = "nobody published one: a tenth more than the planned tables give the fullest spine"
    return [expectation("FAB-044", "switch", "*", "le", _SPREAD, "ratio to the planned tables", "assumed", source)]
