"""Tables as CSV that no spreadsheet mistakes for formulas."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: A cell that opens with one of these is a formula, a command or a second row to some spreadsheet.
RISKY = r"^[=+\-@\t\r\n]"
#: All of them sort before the capital letters: a column whose least text is not before this holds none.
SAFE_FROM = "A"


def write_csv(frame: pl.DataFrame, target: IO[bytes] | Path) -> None:
    """Write ``frame`` as UTF-8 CSV with a header line and ``\\n`` line ends; risky text cells get a ``'`` in front.

    Where no cell is risky the bytes are those of Python's `csv` module with ``lineterminator="\\n"``.
    """
    guarded(frame).write_csv(target)


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with a ``'`` before every text cell that a spreadsheet would take for a formula."""
    import polars as pl

    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    least = frame.select(pl.col(texts).min()).row(0, named=True) if texts and frame.height else {}
    risky = [name for name, text in least.items() if text is not None and text < SAFE_FROM]
    return frame.with_columns(
        pl.when(pl.col(name).str.contains(RISKY)).then(pl.lit("'") + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in risky
    )
