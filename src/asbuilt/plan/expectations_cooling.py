"""Thresholds of the cooling plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design


def cooling_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the cooling plan use."""
    return []
