"""Thresholds of measured forwarding tables."""

from __future__ import annotations

from typing import Any

#: Routes through the fullest switch above over their mean, in units of the same ratio of the planned tables.
_SPREAD = 1.1


def routing_rows() -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for the checks of forwarding tables."""
    return [
        {
            "id": "FAB-044/*",
            "check_id": "FAB-044",
            "subject_kind": "switch",
            "selector": "*",
            "op": "le",
            "value": f"{_SPREAD:g}",
            "unit": "ratio to the planned tables",
            "tol_abs": 0.0,
            "tol_rel": 0.0,
            "origin": "assumed",
            "source": "nobody published one: a tenth more than the planned tables give the fullest spine",
            "valid_if": None,
            "confidence": None,
        }
    ]
