"""Natural ids and display names of switches and nodes, as whole columns.

Ids are built from role and coordinates with fixed widths and never from a running count, so that a larger target keeps
them. Numbers in display names are those of the tables; ``rack`` is the rack's number in the hall, ``row`` its row letter.
"""

from __future__ import annotations

import string
from collections.abc import Mapping

import numpy as np
import polars as pl

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import PlaneDesign
from asbuilt.plan.shape import GROUPS
from asbuilt.plan.wiring import CORE, LEAF, SPINE, SwitchArrays, WiredFabric

NODE_WIDTH = 4


def padded(numbers: pl.Series | np.ndarray, width: int) -> pl.Series:
    """Whole numbers as text, zero-filled to at least ``width`` digits."""
    return pl.Series(numbers).cast(pl.String).str.zfill(width)


def node_ids(count: int) -> pl.Series:
    """``node:0000`` and on."""
    return ("node:" + padded(np.arange(count), NODE_WIDTH)).alias("node")


def service_id(plane: str, index: int) -> str:
    """The id of a host that serves a fabric (UFM, subnet manager)."""
    return f"svc:{plane}-{index}"


def switch_ids(wired: WiredFabric) -> pl.Series:
    """``sw:<plane>/<role>-[i<island>-][s<subplane>-]<coordinates>``; island 0 is not written.

    Leaves: block and column (rail); spines: pod or SU-and-rail group, and place; cores: group and place.
    """
    if not len(wired.switches):
        return pl.Series("switch", [], dtype=pl.String)
    parts = [_tier_ids(wired, role) for role in (LEAF, SPINE, CORE)]
    return pl.concat(parts).alias("switch")


def _zero(column: str, width: int) -> pl.Expr:
    return pl.col(column).cast(pl.String).str.zfill(width)


def _tier_ids(wired: WiredFabric, role: int) -> pl.Series:
    plane, at = wired.plane, wired.switches.role == role
    s = wired.switches
    frame = pl.DataFrame(
        {"i": s.island[at], "s": s.subplane[at], "b": s.block[at], "c": s.column[at], "p": s.place[at], "d": s.pod[at]}
    )
    island = pl.when(pl.col("i") > 0).then(pl.format("i{}-", pl.col("i"))).otherwise(pl.lit(""))
    sub = pl.format("s{}-", pl.col("s")) if plane.subplanes > 1 else pl.lit("")
    if role == LEAF:
        # One letter for the column: r names the rail it serves; l a leaf of a pair that serves several.
        letter = "r" if plane.rails_per_leaf == 1 and plane.layout != "fat-tree" else "l"
        where = pl.format("leaf-{}{}b{}-" + letter + "{}", island, sub, _zero("b", 3), pl.col("c"))
    elif role == SPINE:
        grouped = any(shape.kind == GROUPS for shape in wired.shapes)
        columns = plane.leaves_per_block
        pod = pl.format("g{}-r{}", (pl.col("b") // columns).cast(pl.String).str.zfill(3), pl.col("b") % columns)
        where = pl.format("spine-{}{}{}-{}", island, sub, pod if grouped else pl.format("p{}", _zero("b", 2)), _zero("p", 2))
    else:
        where = pl.format("core-{}{}g{}-{}", island, sub, _zero("b", 3), _zero("p", 2))
    return frame.select((pl.lit(f"sw:{plane.name}/") + where).alias("switch"))["switch"]


def leaf_rails(plane: PlaneDesign, switches: SwitchArrays) -> np.ndarray:
    """The rail that each switch serves, -1 where it serves several."""
    single = plane.rails_per_leaf == 1 and plane.layout != "fat-tree"
    return np.where((switches.role == LEAF) & single, switches.column, -1)


def default_template(plane: PlaneDesign, role: str, kind: str, *, islands: bool) -> str:
    """The display-name template of a tier when the requirement gives none."""
    parts = [] if plane.name == "compute" else ["{plane}"]
    parts.append(role)
    if islands:
        parts.append("i{island}")
    if plane.subplanes > 1:
        parts.append("s{subplane}")
    if role == "leaf":
        parts.append("b{block:03d}")
        parts.append("r{rail}" if plane.rails_per_leaf == 1 and plane.layout != "fat-tree" else "{place}")
    elif role == "spine":
        parts += [] if kind == "two-tier" else ["p{block:02d}"]
        parts.append("{place:02d}")
    else:
        parts.append("g{block:02d}-{place:02d}")
    return "-".join(parts)


def fill_template(template: str, columns: Mapping[str, pl.Series], where: str) -> pl.Series:
    """``template`` (Python format fields, ``{rail:02d}``) filled for every row at once.

    Raises ``ProblemError`` PLN-003 for an unknown field or a format that the field cannot take.
    """
    pieces: list[pl.Expr] = []
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError as error:
        raise _bad_template(template, where, str(error), columns) from None
    for literal, field, spec, conversion in parsed:
        if literal:
            pieces.append(pl.lit(literal))
        if field is None:
            continue
        if field not in columns or conversion:
            raise _bad_template(template, where, f"there is no field {field!r}", columns)
        try:
            pieces.append(_formatted(columns[field].rename(field), spec or ""))
        except ValueError:
            raise _bad_template(template, where, f"{field} cannot be written as {spec!r}", columns) from None
    frame = pl.DataFrame({name: column.rename(name) for name, column in columns.items()})
    return frame.select(pl.concat_str(pieces or [pl.lit("")]).alias("name"))["name"]


def _formatted(column: pl.Series, spec: str) -> pl.Expr:
    """The field as text. Zero-filled widths in bulk; any other format word by word over the different values."""
    text = pl.col(column.name) if not column.is_empty() else pl.lit("")
    text = text.cast(pl.String)
    digits = spec.removesuffix("d")
    if not spec or spec == "d":
        return text
    if digits.isdigit() and digits.startswith("0"):
        return text.str.zfill(int(digits))
    written = {str(v): format(v, spec) for v in column.unique().to_list()}
    return text.replace_strict(written, return_dtype=pl.String)


def _bad_template(template: str, where: str, what: str, columns: Mapping[str, pl.Series]) -> ProblemError:
    fields = ", ".join(sorted(columns))
    return ProblemError(
        Problem(
            "PLN-003", f"{where}: name template {template!r}: {what}", why="names are made from it", fix=f"fields: {fields}"
        )
    )


def told_apart(names: pl.Series, ids: pl.Series) -> tuple[pl.Series, int]:
    """``names`` with repeats made unique by the id's own coordinates, and how many rows that touched."""
    repeated = names.is_duplicated()
    count = int(repeated.sum())
    if not count:
        return names, 0
    tail = ids.str.split("/").list.last().str.replace("node:", "")
    joined = pl.DataFrame({"n": names, "t": tail, "r": repeated}).select(
        pl.when("r").then(pl.format("{}.{}", "n", "t")).otherwise(pl.col("n")).alias(names.name)
    )
    return joined[names.name], count
