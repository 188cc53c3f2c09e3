"""What changed between two plans: rows added, removed and changed, table by table. A renaming is a changed column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from asbuilt.model.tables import PLAN_TABLES


@dataclass(frozen=True, slots=True)
class TableDifference:
    """Differences of one table. ``added`` and ``removed`` are whole rows; ``changed`` has ``key, column, before, after``."""

    table: str
    key: tuple[str, ...]
    before: int
    after: int
    added: pl.DataFrame
    removed: pl.DataFrame
    changed: pl.DataFrame

    @property
    def same(self) -> bool:
        """True when no row differs."""
        return not (self.added.height or self.removed.height or self.changed.height)


def differences(before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame]) -> list[TableDifference]:
    """Differences of all tables that either plan has, in declared order. A missing table counts as empty."""
    names = [t for t in PLAN_TABLES if t in before or t in after]
    return [table_difference(name, before.get(name), after.get(name)) for name in names]


def table_difference(name: str, before: pl.DataFrame | None, after: pl.DataFrame | None) -> TableDifference:
    """Differences of one table, rows matched by its key (null parts of a key match each other)."""
    schema = PLAN_TABLES[name]
    old = schema.empty() if before is None else before
    new = schema.empty() if after is None else after
    key = list(schema.key)
    added = new.join(old, on=key, how="anti", nulls_equal=True)
    removed = old.join(new, on=key, how="anti", nulls_equal=True)
    both = old.join(new, on=key, how="inner", nulls_equal=True, suffix="__after")
    parts = []
    for column in schema.columns:
        if column.name in key:
            continue
        left, right = pl.col(column.name), pl.col(f"{column.name}__after")
        parts.append(
            both.filter(left.ne_missing(right)).select(
                _key_text(key),
                pl.lit(column.name).alias("column"),
                left.cast(pl.String).alias("before"),
                right.cast(pl.String).alias("after"),
            )
        )
    empty = pl.DataFrame(schema=dict.fromkeys(("key", "column", "before", "after"), pl.String))
    changed = pl.concat([empty, *parts]).sort("key", "column")
    return TableDifference(name, schema.key, old.height, new.height, added, removed, changed)


def _key_text(key: list[str]) -> pl.Expr:
    """The key as one text, its parts joined by a space."""
    return pl.concat_str([pl.col(k).cast(pl.String).fill_null("-") for k in key], separator=" ").alias("key")


def key_texts(difference: TableDifference, rows: pl.DataFrame) -> list[str]:
    """Keys of ``rows`` (added or removed) as text."""
    return rows.select(_key_text(list(difference.key)))["key"].to_list()
