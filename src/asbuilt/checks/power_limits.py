"""Limits of the power checks: thresholds with their tolerance, and how a limit reads."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, threshold
from asbuilt.model.plan import Plan


def bound(plan: Plan, check_id: str, selector: str = "*") -> pl.Expr:
    """The threshold with its relative tolerance, null when the plan has none: then nothing is proven."""
    row = threshold(plan, check_id, selector)
    if row is None:
        return pl.lit(None, dtype=pl.Float64)
    above = 1 + float(str(row["tol_rel"] or 0)) if row["op"] == "le" else 1 - float(str(row["tol_rel"] or 0))
    return pl.lit(row["limit"], dtype=pl.Float64) * above


def at_most_known(limit: pl.Expr, unit: str) -> pl.Expr:
    """The limit in words; an unknown one is asked for."""
    return (
        pl.when(limit.is_null())
        .then(pl.lit("a known limit"))
        .otherwise(pl.format("at most {} continuously", amount(limit, unit)))
    )
