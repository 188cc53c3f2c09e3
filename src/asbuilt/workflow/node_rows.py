"""Answers of many nodes as tables: each text's rows for every node that gave it, made into frames in bulk.

A fleet of 10,000 nodes has 350,000 answers. A frame for each would cost more than reading them, so the rows of all texts of
one table become one frame, column by column; what many nodes told alike is made once and repeated by whole columns. Names of
hosts and captures are taken from one list, so that a row holds a reference and no text of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from asbuilt.base.table import Schema
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.fact_rows import RowTables

if TYPE_CHECKING:
    import polars as pl

#: Answers that more nodes than these gave alike are made once and repeated; for fewer, rows are cheaper than frames.
_ALIKE = 4
#: Asked by PCI address, a card's settings name no port; `setting_facts` hold the same.
_TOLD_ELSEWHERE = {"mlxconfig": ("module_facts",)}


@dataclass(slots=True)
class Answer:
    """One text, parsed once: its tables, and the nodes that gave it with the id of each one's capture."""

    facts: Facts
    command: str
    said_by: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Rows:
    """Rows of one table from many texts: how many of them each (host, capture) told, in their order."""

    schema: Schema
    rows: list[dict[str, Any]] = field(default_factory=list)
    said_by: list[tuple[str, str, int]] = field(default_factory=list)


def frames(answers: Sequence[Answer]) -> dict[str, pl.DataFrame]:
    """Every table of ``answers``, in its schema's order; of rows with equal keys the first told stands."""
    import polars as pl

    told: dict[str, _Rows] = {}
    parts: dict[str, list[pl.DataFrame]] = {}
    for answer in answers:
        tables = answer.facts.tables
        hidden = _TOLD_ELSEWHERE.get(answer.command, ())
        for name in tables:
            if name in hidden:
                continue
            if isinstance(tables, RowTables) and len(answer.said_by) <= _ALIKE:
                schema, rows = tables.told[name]
                runs = "run" in schema.names and len(answer.said_by) > 1
                if not runs and all(row.get("host") is None for row in rows):
                    of_table = told.setdefault(name, _Rows(schema))
                    for host, capture in answer.said_by:
                        of_table.rows += rows
                        of_table.said_by.append((host, capture, len(rows)))
                    continue
            parts.setdefault(name, []).append(_repeated(tables[name], answer.said_by))
    for name, of_table in told.items():
        parts.setdefault(name, []).append(_framed(of_table))
    made = {}
    for schema in FACT_TABLES:
        if schema.name in parts:
            frame = pl.concat(parts.pop(schema.name))
            made[schema.name] = frame.unique(schema.key, keep="first", maintain_order=True).sort(schema.order)
    return made


def _framed(told: _Rows) -> pl.DataFrame:
    """One frame of the rows of many texts."""
    import numpy as np
    import polars as pl

    whose = pl.Series(np.repeat(np.arange(len(told.said_by)), [n for _, _, n in told.said_by]))
    columns = []
    for name, dtype in told.schema.polars().items():
        if name == "host":
            columns.append(pl.Series(name, [host for host, _, _ in told.said_by], pl.String).gather(whose))
        elif name == "capture_id":
            columns.append(pl.Series(name, [capture for _, capture, _ in told.said_by], pl.String).gather(whose))
        else:
            columns.append(pl.Series(name, [row.get(name) for row in told.rows], dtype, strict=False))
    return pl.DataFrame(columns)


def _repeated(frame: pl.DataFrame, said_by: list[tuple[str, str]]) -> pl.DataFrame:
    """The rows of one text for each node that gave it."""
    import polars as pl

    if len(said_by) == 1:
        host, capture = said_by[0]
        frame = frame.with_columns(pl.lit(capture).alias("capture_id"))
        return frame.with_columns(pl.col("host").fill_null(host)) if "host" in frame.columns else frame
    hosts = pl.DataFrame(said_by, schema={"host_": pl.String, "capture_": pl.String}, orient="row")
    spread = frame.join(hosts, how="cross").with_columns(pl.col("capture_").alias("capture_id"))
    if "host" in frame.columns:
        spread = spread.with_columns(pl.col("host").fill_null(pl.col("host_")))
    if "run" in frame.columns:  # a run is of the machine that printed it, however many printed the same
        spread = spread.with_columns(pl.concat_str("capture_", pl.col("run").str.extract("(#.*)$", 1)).alias("run"))
    return spread.select(frame.columns)


def together(chunks: list[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """The tables of all chunks (each in its schema's order) as one each; ``chunks`` are emptied on the way.

    Rows with equal keys of two chunks (one machine in two archives) are one, the first. Where chunks follow one another in the
    table's order, as archives in the order of their names do, nothing is sorted again.
    """
    import polars as pl

    tables = {}
    for schema in FACT_TABLES:
        parts = [chunk.pop(schema.name) for chunk in chunks if schema.name in chunk]
        if not parts:
            continue
        apart = _follow(parts, schema.order[0])
        frame = pl.concat(parts, rechunk=True)  # in one piece, so that a column beside it needs no copy
        parts.clear()
        if not apart:
            frame = frame.unique(schema.key, keep="first", maintain_order=True).sort(schema.order)
        tables[schema.name] = frame
    return tables


def _follow(parts: list[pl.DataFrame], first: str) -> bool:
    """True when each part ends, by the ``first`` column of the order, before the next begins: no row of two can be equal."""
    ends = [(part[first][0], part[first][-1]) for part in parts]
    known = all(value is not None for pair in ends for value in pair)
    return known and all(before[1] < after[0] for before, after in pairwise(ends))
