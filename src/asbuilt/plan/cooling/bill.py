"""What is bought for the cooling plan: CDUs, header pipe, hoses, couplings, valves, coolant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from asbuilt.model.design import Design
from asbuilt.physics.coolant import pipe_litres

if TYPE_CHECKING:
    import polars as pl

#: Stock length of pipe, m; spare hoses, couplings and valves, and coolant kept for topping up, in percent.
STOCK_M = 6.0
SPARE_PERCENT = 5.0
TOP_UP_PERCENT = 10.0
_CATEGORY = "cooling"


def cooling_parts(design: Design, tables: dict[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Frames with the columns part, role, category, quantity, spares, length_m and rule, for the bill of materials.

    The header is bought and laid whole, with the valves of every position, so that no later rack drains the row; hoses,
    couplings and coolant are those of the racks of now.
    """
    import polars as pl

    loops, cdus, branches = tables["loops"], tables["cdus"], tables["branches"]
    if not loops.height:
        return []
    cooling = design.cooling
    built = branches.filter("built").height
    rule = f"two for every rack of now; spares {SPARE_PERCENT:g} %, rounded up (assumed)"
    hose = f"hose-{cooling.hose_id_mm:g}mm"
    rows: list[tuple[str, str, int, int, float | None, str]] = []
    rows.append((hose, "rack hose", 2 * built, _spare(2 * built), cooling.hose_m, rule))
    coupling = cooling.coupling.part if cooling.coupling else "rack-coupling"
    said = rule if cooling.coupling else f"{rule}; the part is not stated"
    rows.append((coupling, "rack coupling", 2 * built, _spare(2 * built), None, said))
    shut = sum(side in cooling.valves.split("+") for side in ("supply", "return")) * branches.height
    if shut:
        why = f"for every position of the finished row; spares {SPARE_PERCENT:g} %, rounded up (assumed)"
        rows.append((f"ball-valve-{cooling.hose_id_mm:g}mm", "shut-off valve", shut, _spare(shut), None, why))
    rows += _pipes(tables["loop_segments"])
    litres = _litres(design, tables)
    filled = f"litres in the header and the racks of now, CDUs not counted; {TOP_UP_PERCENT:g} % to top up (assumed)"
    rows.append((cooling.coolant, "coolant", litres, -(-litres * int(TOP_UP_PERCENT) // 100), None, filled))
    frame = pl.DataFrame(
        rows,
        schema={
            "part": pl.String,
            "role": pl.String,
            "quantity": pl.Int64,
            "spares": pl.Int64,
            "length_m": pl.Float64,
            "rule": pl.String,
        },
        orient="row",
    )
    units = cdus.group_by("part").agg(
        (~pl.col("standby")).sum().cast(pl.Int64).alias("quantity"), pl.col("standby").sum().cast(pl.Int64).alias("spares")
    )
    units = units.with_columns(
        pl.lit("cdu").alias("role"),
        pl.lit(None, dtype=pl.Float64).alias("length_m"),
        pl.lit("what each loop's finished row asks for; spares are those that stand by").alias("rule"),
    )
    return [f.with_columns(pl.lit(_CATEGORY).alias("category")) for f in (frame, units)]


def _spare(count: int) -> int:
    return -(-count * int(SPARE_PERCENT) // 100)


def _pipes(segments: pl.DataFrame) -> list[tuple[str, str, int, int, float | None, str]]:
    """Lengths of `STOCK_M` for each size of header, whole loops."""
    import polars as pl

    metres = segments.sort("segment").group_by("nominal", maintain_order=True).agg(pl.col("length_m").sum()).sort("nominal")
    rows: list[tuple[str, str, int, int, float | None, str]] = []
    for nominal, length in metres.iter_rows():
        whole = int(-(-round(length, 3) // STOCK_M))
        rule = f"{length:.1f} m of supply and return of the finished rows in lengths of {STOCK_M:g} m, offcuts not counted"
        rows.append((f"pipe-10s-{nominal}", "header pipe", whole, 0, STOCK_M, rule))
    return rows


def _litres(design: Design, tables: dict[str, pl.DataFrame]) -> int:
    """Litres to fill now: the volume of the finished row less the racks and hoses that are not there yet, rounded up."""
    cooling = design.cooling
    inside = cooling.rack.litres if cooling.rack else 0.0
    each = inside + pipe_litres(cooling.hose_id_mm, 2 * cooling.hose_m)
    missing = tables["branches"].filter(~tables["branches"]["built"]).height
    return math.ceil(float(tables["loops"]["volume_l"].sum()) - missing * each - 1e-9)
