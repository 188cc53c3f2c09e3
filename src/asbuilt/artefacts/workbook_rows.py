"""Rows of a sheet as XML, columnar: texts and numbers of a whole column become cells at once, in pieces of some thousand rows.

Texts are inline strings (ECMA-376 part 1, 18.3.1.53): a cell of that type is never a formula, whatever it opens with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.artefacts.delimited import RISKY

if TYPE_CHECKING:
    import polars as pl

#: Rows that are made at once: memory is that of one piece, whatever the sheet holds.
PIECE = 16_384
#: Characters of a cell (Microsoft, Excel specifications and limits), and what is kept of a longer text: no character takes
#: more than four bytes, so that the rest is short enough however Excel counts.
CELL_MOST, CELL_KEPT = 32_767, 8_000
CUT = " [cut: longer than a cell]"
#: Control characters, which XML cannot hold, as Excel itself writes them (ECMA-376 part 1, 22.9.2.19 ST_Xstring).
_ILLEGAL = [chr(c) for c in range(0x20) if chr(c) not in "\t\n"] + ["\ufffe", "\uffff"]
_REPLACED = ["&", "<", ">", *_ILLEGAL]
_REPLACEMENTS = ["&amp;", "&lt;", "&gt;", *(f"_x{ord(c):04X}_" for c in _ILLEGAL)]


@dataclass(frozen=True, slots=True)
class CellStyle:
    """Numbers of the cell formats of one column: as it is, and for texts that open like a formula."""

    plain: str
    quoted: str


def rows_xml(frame: pl.DataFrame, styles: Sequence[CellStyle], first: int) -> Iterator[bytes]:
    """The ``<row>`` elements of ``frame``, its first row at number ``first`` (1-based). Null is no cell.

    ``inf`` and ``NaN``, which a spreadsheet has no number for, are written as those words.
    """
    import polars as pl

    if len(styles) != frame.width:
        raise ValueError(f"{frame.width} columns, {len(styles)} styles")
    number = pl.col("__row")
    found = _found(frame)
    cells = [
        _cell(name, kind, letters(at), styles[at], {what for what, there in found.items() if name in there})
        for at, (name, kind) in enumerate(frame.schema.items())
    ]
    row = pl.concat_str([pl.lit('<row r="'), number, pl.lit('">'), *cells, pl.lit("</row>")])
    for start in range(0, frame.height, PIECE):
        piece = frame.slice(start, PIECE)
        count = pl.int_range(first + start, first + start + piece.height, eager=True).cast(pl.String)
        yield "".join(piece.with_columns(count.alias("__row")).select(row).to_series().to_list()).encode()


def letters(column: int) -> str:
    """The letters of a column counted from 0: A, Z, AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


#: What a column of texts may hold that asks for more than quoting it as it is.
_ESCAPE, _MARKUP, _SPACES, _LONG, _NO_NUMBER = "escape", "markup", "spaces", "long", "no number"
_PATTERNS = {
    _ESCAPE: "_x[0-9A-Fa-f]{4}",
    _MARKUP: r"[&<>\x00-\x08\x0b-\x1f\x{fffe}\x{ffff}]",
    _SPACES: r"^\s|\s$|\n",
    RISKY: RISKY,
}


def _found(frame: pl.DataFrame) -> dict[str, set[str]]:
    """Columns with each of these: asked once for all columns, so that most texts are written without a look at them."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    asked = [(what, texts, pl.col(texts).str.contains(pattern)) for what, pattern in _PATTERNS.items() if texts]
    if texts:
        asked.append((_LONG, texts, pl.col(texts).str.len_bytes() > CELL_MOST))
    if floats:
        asked.append((_NO_NUMBER, floats, ~pl.col(floats).is_finite()))
    answers = frame.select(expr.any().name.suffix(f" {at}") for at, (_, _, expr) in enumerate(asked)).row(0, named=True)
    return {what: {n for n in names if answers[f"{n} {at}"]} for at, (what, names, _) in enumerate(asked)}


def _cell(name: str, kind: pl.DataType, column: str, style: CellStyle, found: set[str]) -> pl.Expr:
    """The cell of every row of one column, ``""`` where it is null."""
    import polars as pl

    value = pl.col(name)
    place = [pl.lit(f'<c r="{column}'), pl.col("__row")]
    if kind == pl.String:
        cell = _text(place, value, style, found)
    elif kind == pl.Boolean:
        shown = pl.when(value).then(pl.lit("1")).otherwise(pl.lit("0"))
        cell = pl.concat_str([*place, pl.lit(f'" s="{style.plain}" t="b"><v>'), shown, pl.lit("</v></c>")])
    else:
        cell = pl.concat_str([*place, pl.lit(f'" s="{style.plain}"><v>'), value.cast(pl.String), pl.lit("</v></c>")])
        if _NO_NUMBER in found:
            cell = pl.when(value.is_finite()).then(cell).otherwise(_text(place, value.cast(pl.String), style, {RISKY}))
    return pl.when(value.is_null()).then(pl.lit("")).otherwise(cell)


def _text(place: list[pl.Expr], value: pl.Expr, style: CellStyle, found: set[str]) -> pl.Expr:
    import polars as pl

    number: pl.Expr = pl.lit(style.plain)
    if RISKY in found:
        number = pl.when(value.str.contains(RISKY)).then(pl.lit(style.quoted)).otherwise(number)
    if _LONG in found:
        value = pl.when(value.str.len_bytes() > CELL_MOST).then(value.str.slice(0, CELL_KEPT) + CUT).otherwise(value)
    if _ESCAPE in found:  # what would be read as an escape is escaped itself
        value = value.str.replace_all("_(x[0-9A-Fa-f]{4})", "_x005F_${1}")
    if _MARKUP in found:
        value = value.str.replace_many(_REPLACED, _REPLACEMENTS)
    kept = ' xml:space="preserve"' if _SPACES in found else ""
    return pl.concat_str(
        [*place, pl.lit('" s="'), number, pl.lit(f'" t="inlineStr"><is><t{kept}>'), value, pl.lit("</t></is></c>")]
    )
