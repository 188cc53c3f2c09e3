"""Thresholds of the fibre plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design


def fibre_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the fibre plan use."""
    return []
