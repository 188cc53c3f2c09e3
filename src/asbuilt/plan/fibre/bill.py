"""What is bought for the fibre plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.design import Design

if TYPE_CHECKING:
    import polars as pl


def fibre_parts(design: Design, tables: dict[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Frames with the columns part, role, category, quantity, spares, length_m and rule, for the bill of materials."""
    return []
