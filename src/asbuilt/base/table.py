"""Table schemas: the declared columns, units and keys of every bulk table. Polars is imported on first use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

DTYPES = ("str", "i64", "i32", "u64", "f64", "bool")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: name, dtype (one of ``DTYPES``), meaning, unit ("" for names, counts and flags)."""

    name: str
    dtype: str
    meaning: str
    unit: str = ""
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """A table: columns in order, the key (unique, never null), foreign keys, and the declared sort order.

    ``foreign`` maps a column to ``table.column``. ``sort`` defaults to the key.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    foreign: dict[str, str] = field(default_factory=dict)
    sort: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        return self.sort or self.key

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def polars(self) -> dict[str, Any]:
        """Column name -> Polars dtype, in order."""
        import polars as pl

        types = {"str": pl.String, "i64": pl.Int64, "i32": pl.Int32, "u64": pl.UInt64, "f64": pl.Float64, "bool": pl.Boolean}
        return {c.name: types[c.dtype] for c in self.columns}

    def empty(self) -> pl.DataFrame:
        """A frame of this schema without rows."""
        import polars as pl

        return pl.DataFrame(schema=self.polars())

    def conform(self, frame: pl.DataFrame) -> pl.DataFrame:
        """``frame`` with exactly this schema's columns, order and dtypes. Missing nullable columns become null.

        Raises ``ValueError`` naming the table and column for a missing or unknown column.
        """
        import polars as pl

        wanted = self.polars()
        unknown = [c for c in frame.columns if c not in wanted]
        if unknown:
            raise ValueError(f"table {self.name}: unknown columns {unknown}")
        out = []
        for column in self.columns:
            if column.name in frame.columns:
                out.append(pl.col(column.name).cast(wanted[column.name]))
            elif column.nullable:
                out.append(pl.lit(None, dtype=wanted[column.name]).alias(column.name))
            else:
                raise ValueError(f"table {self.name}: column {column.name} is missing")
        return frame.select(out)

    def faults(self, frame: pl.DataFrame) -> list[str]:
        """What breaks the schema in ``frame``: dtypes, nulls, duplicate keys, sort order. Empty when it holds."""
        import polars as pl

        found = []
        if list(frame.columns) != list(self.names):
            return [f"{self.name}: columns {frame.columns} are not {list(self.names)}"]
        for name, dtype in self.polars().items():
            if frame.schema[name] != dtype:
                found.append(f"{self.name}.{name}: dtype {frame.schema[name]} is not {dtype}")
        for column in self.columns:
            if not column.nullable and frame[column.name].null_count():
                found.append(f"{self.name}.{column.name}: {frame[column.name].null_count()} nulls")
        if frame.height and frame.select(pl.struct(self.key).n_unique()).item() != frame.height:
            found.append(f"{self.name}: key {self.key} is not unique")
        if frame.height and not frame.select(self.order).equals(frame.select(self.order).sort(self.order)):
            found.append(f"{self.name}: not sorted by {self.order}")
        return found
