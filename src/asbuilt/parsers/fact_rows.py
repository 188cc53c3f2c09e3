"""Rows of facts into tables, and the words and numbers that several tools of one host print alike."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from asbuilt.base.table import Schema
from asbuilt.model.discovery import FactTables

if TYPE_CHECKING:
    import polars as pl

#: Rows up to which plain Python is faster than a frame's own sorting.
_FEW = 400
_WHOLE = re.compile(r"^(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$")
_GUID = re.compile(r"^(?:0[xX])?([0-9a-fA-F]{1,16})$")
#: Logical states of a port as tools spell them (IBTA vol. 1, PortInfo:PortState) -> the word of the fact tables.
STATES = {"initializing": "init", "initialize": "init", "active_defer": "active", "active defer": "active"}
#: Physical states (IBTA vol. 1, PortInfo:PortPhysicalState).
PHYSICAL = {
    "linkup": "linkup",
    "portconfigurationtraining": "training",
    "configuration training": "training",
    "linkerrorrecovery": "recovery",
    "link error recovery": "recovery",
    "phy test": "phytest",
    "phytest": "phytest",
    "nop": "",
}


class RowTables(FactTables):
    """Tables whose frames are made when somebody looks at them: ``told`` holds the rows as they were told, by table.

    A reader of many captures makes one frame of the rows of all of them, which costs a tenth of many small frames.
    """

    __slots__ = ("capture_id", "told")

    def __init__(self, told: Mapping[str, tuple[Schema, list[dict[str, Any]]]], capture_id: str) -> None:
        self.told = {name: (schema, rows) for name, (schema, rows) in told.items() if rows}
        self.capture_id = capture_id
        super().__init__({name: len(rows) for name, (_, rows) in self.told.items()}, dict)
        for name, (schema, rows) in self.told.items():
            self._makers[name] = partial(table, schema, rows, capture_id)

    def height(self, name: str) -> int:
        """Rows of a table without those that say a thing again."""
        return self[name].height if name in self else 0


def table(schema: Schema, rows: Sequence[Mapping[str, Any]], capture_id: str) -> dict[str, pl.DataFrame]:
    """``{schema.name: frame}`` of ``rows`` (columns that a row leaves out are null), in the schema's order; {} for no rows.

    Of rows with equal keys the first stands: a capture that says a thing twice says it once.
    """
    import polars as pl

    if not rows:
        return {}
    if len(rows) <= _FEW:
        return {schema.name: _small(schema, rows, capture_id)}
    names = [n for n in schema.names if n != "capture_id"]
    columns = {n: [row.get(n) for row in rows] for n in names}
    types = schema.polars()
    frame = pl.DataFrame(columns, schema={n: types[n] for n in names}, strict=False)
    frame = frame.select(*(pl.lit(capture_id).alias(n) if n == "capture_id" else pl.col(n) for n in schema.names))
    return {schema.name: frame.unique(schema.key, keep="first", maintain_order=True).sort(schema.order)}


def _small(schema: Schema, rows: Sequence[Mapping[str, Any]], capture_id: str) -> pl.DataFrame:
    """The same for few rows, sorted and told apart before the frame is made: each step on a frame costs more than they do."""
    import polars as pl

    types = schema.polars()
    keys = [n for n in schema.key if n != "capture_id"]
    first: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in rows:
        first.setdefault(tuple(row.get(n) for n in keys), row)
    order = [n for n in schema.order if n != "capture_id"]
    kept = sorted(first.values(), key=lambda row: [_rank(row.get(n)) for n in order])
    columns = [
        pl.Series(n, [capture_id] * len(kept), pl.String)
        if n == "capture_id"
        else pl.Series(n, [r.get(n) for r in kept], t, strict=False)
        for n, t in types.items()
    ]
    return pl.DataFrame(columns)


def _rank(value: Any) -> tuple[bool, Any]:
    """Nulls first, as frames sort them."""
    return (value is not None, value if value is not None else 0)


def whole(text: str, most: int = (1 << 63) - 1) -> int | None:
    """A decimal or 0x number from 0 to ``most``, else None."""
    text = text.strip()
    if not _WHOLE.match(text):
        return None
    value = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
    return value if value <= most else None


def real(text: str) -> float | None:
    """A finite decimal number, else None (``N/A``, ``inf``, words)."""
    if not re.match(r"^\s*[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?\s*$", text):
        return None
    value = float(text)
    return value if abs(value) < float("inf") else None


def guid(text: str) -> str | None:
    """16 lower-case digits; None for no GUID, and for 0, which tools print where there is none."""
    found = _GUID.match(text.strip())
    return found[1].lower().zfill(16) if found and int(found[1], 16) else None


def state(text: str) -> str | None:
    """Logical state in the words of the fact tables; a word that we do not know is kept in lower case."""
    word = " ".join(text.lower().split())
    return STATES.get(word, word) or None


def physical(text: str) -> str | None:
    """Physical state in the words of the fact tables."""
    word = " ".join(text.lower().split())
    return PHYSICAL.get(word, word) or None
