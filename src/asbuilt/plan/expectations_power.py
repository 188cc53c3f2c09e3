"""Thresholds of the power plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design


def power_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the power plan use."""
    return []
