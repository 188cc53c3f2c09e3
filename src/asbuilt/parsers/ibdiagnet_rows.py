"""The rows of a section of ``db_csv`` on their way to fact tables, as text or as numbers, and how a section is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from asbuilt.parsers.ibdiagnet_numbers import ABSENT

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
#: Columns that say whose row it is.
IDENTITY = frozenset({"nodeguid", "portguid", "portnumber", "portnum"})
#: Columns of GUIDs in the sections that hold numbers only.
GUIDS = frozenset({"nodeguid", "portguid", "nodeguid1", "nodeguid2"})
NO_GUID, BAD_END = "no GUID that can be read", "an end that can't be read"


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a section: wanted cells as text by lower-case column name, their 1-based lines, the header."""

    cells: pl.DataFrame
    lines: Array
    header: list[str]


@dataclass(frozen=True, slots=True)
class Part:
    """What one section gives to a table: how many rows, and what makes them."""

    rows: int
    make: Callable[[], pl.DataFrame]

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Part:
        """A table that is made."""
        return cls(frame.height, lambda: frame)


@dataclass(frozen=True, slots=True)
class Taken:
    """Which rows became facts, why the others did not, and tables (each without its capture), some made only later."""

    good: Array
    why: str = ""
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    later: dict[str, Part] = field(default_factory=dict)

    def parts(self) -> dict[str, Part]:
        """All tables, made or not."""
        return {**self.later, **{name: Part.of(frame) for name, frame in self.tables.items()}}


@dataclass(frozen=True, slots=True)
class Section:
    """How a section is read: the reader, the columns it needs (none: all), whether they may come as Float64, and the reader of
    one that holds nothing but numbers."""

    take: Callable[[Rows], Taken]
    wanted: tuple[str, ...] = ()
    numeric: bool = False
    later: Callable[[Numbers], Taken | None] | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """The rows of a section as numbers (`asbuilt.parsers.ibdiagnet_numbers`): wanted columns in order, 1-based
    lines, header."""

    told: Array
    columns: list[str]
    lines: Array
    header: list[str]

    def rows(self, real: bool) -> Rows:
        """The same as cells: GUIDs as UInt64, others as Int64, or Float64 where ``real``, null where there is none."""
        import polars as pl

        cells: dict[str, pl.Series] = {}
        for i, name in enumerate(self.columns):
            column = np.ascontiguousarray(self.told[:, i])
            if name in GUIDS:
                cells[name] = pl.Series(column)
                continue
            held = column != ABSENT
            values = pl.Series(column.astype(np.float64 if real and name not in IDENTITY else np.int64))
            cells[name] = values if held.all() else pl.select(pl.when(pl.Series(held)).then(values)).to_series()
        return Rows(pl.DataFrame(cells), self.lines, self.header)

    def named(self, *names: str) -> Array | None:
        """The first of the columns that is there."""
        return next((self.told[:, self.columns.index(name)] for name in names if name in self.columns), None)

    def counters(self, good: Array) -> int:
        """How many counters the good rows have; one that stands there narrow and wide (``…Extended``) counts once."""
        seats = {name: i for i, name in enumerate(self.columns) if name not in IDENTITY}
        held = (self.told != ABSENT) & good[:, None]
        count = 0
        for name, seat in seats.items():
            if name.endswith("extended") and name[:-8] in self.columns:
                continue
            wide = seats.get(f"{name}extended", seat)
            count += int(np.count_nonzero(held[:, seat] | held[:, wide]))
        return count
