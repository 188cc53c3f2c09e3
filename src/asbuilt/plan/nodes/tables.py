"""Tables of what a node must show when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design

if TYPE_CHECKING:
    import polars as pl


def node_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables `hardware node_traits software` from the expanded ``tables``."""
    return {}
