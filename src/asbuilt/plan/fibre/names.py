"""Keys of pairs of racks, and build phases as ranks."""

from __future__ import annotations

import polars as pl

from asbuilt.model.design import Design
from asbuilt.plan.devices import phase_names


def pair_key(racks: pl.Series, lo: pl.Series, hi: pl.Series) -> pl.Series:
    """``A-01/B-03`` for the rack numbers ``lo`` and ``hi``, the first in name order first."""
    short = racks.str.strip_prefix("rack:")
    return short.gather(lo) + "/" + short.gather(hi)


def phase_rank(design: Design, column: str) -> pl.Expr:
    """Rank of a phase's name, from 0 in building order; the last one for a name that no phase has."""
    names = phase_names(design)
    ranks = {name: rank for rank, name in enumerate(names)}
    return pl.col(column).replace_strict(ranks, default=len(names) - 1, return_dtype=pl.Int64)


def ranked_phase(design: Design, column: str) -> pl.Expr:
    """Name of a phase's rank."""
    return pl.col(column).replace_strict(dict(enumerate(phase_names(design))), return_dtype=pl.String)
