"""Readings of racks, power shelves and cooling units around a symptom: the first and the last of each sensor, in words."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    from asbuilt.model.facts import Facts

_SHOWN = 4


def readings(plan: Plan, facts: Facts, things: Collection[str], kinds: Collection[str]) -> str:
    """What sensors of ``kinds`` say in the racks of ``things`` (nodes) and of what serves them: "A-01 inlet 415 V, then 398 V".

    A reading is of a rack (``rack:A-01``, ``A-01``), of a cooling unit of the rack's loop, or of a whole row. Empty when there
    is none: nothing was measured.
    """
    import polars as pl

    if not facts.has("sensor_facts") or not plan.has("nodes"):
        return ""
    racks = plan.table("nodes").filter(pl.col("node").is_in(list(things)))["rack"].unique().to_list()
    subjects = {s.lower() for rack in racks for s in (rack, rack.removeprefix("rack:"))} | _units(plan, racks)
    rows = facts.tables["sensor_facts"].filter(pl.col("kind").is_in(list(kinds)) & pl.col("value").is_not_null())
    rows = rows.filter(pl.col("host").str.to_lowercase().is_in(list(subjects)))
    if rows.is_empty():
        return ""
    rows = (
        rows.sort("time", "line", nulls_last=True)
        .group_by("host", "sensor", "unit", maintain_order=True)
        .agg(pl.col("value").first().alias("before"), pl.col("value").last().alias("after"), pl.len().alias("count"))
    )
    told = [
        f"{host} {sensor} {before:g} {unit}" + (f", then {after:g} {unit}" if count > 1 else "")
        for host, sensor, unit, before, after, count in rows.head(_SHOWN).iter_rows()
    ]
    return "; ".join(told) + (f"; and {rows.height - _SHOWN} more" if rows.height > _SHOWN else "")


def _units(plan: Plan, racks: Collection[str]) -> set[str]:
    """Names of the loops and cooling units of the rows that ``racks`` stand in, as far as the plan has them."""
    import polars as pl

    found: set[str] = set()
    if not plan.has("racks"):
        return found
    rows = plan.table("racks").filter(pl.col("rack").is_in(list(racks)))["row"].unique().to_list()
    for table, key in (("loops", "loop"), ("cdus", "cdu")):
        if plan.has(table) and "row" in plan.table(table).columns:
            found |= {str(x).lower() for x in plan.table(table).filter(pl.col("row").is_in(rows))[key]}
    return found | {f"row:{row}".lower() for row in rows}
