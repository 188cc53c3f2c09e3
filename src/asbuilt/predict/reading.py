"""One decision of a pilot held against a larger plan: what it has, what is asked of it, whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

POWER, COOLING, FIBRE, FABRIC, FLOOR = "power", "cooling", "fibre", "fabric", "floor"
AREAS = (POWER, COOLING, FIBRE, FABRIC, FLOOR)


@dataclass(frozen=True, slots=True)
class Reading:
    """A decision of the pilot at one size.

    ``has`` and ``asked`` are in ``unit`` (texts where the decision is no number). ``holds`` None: nobody stated what it has.
    ``subject``: the pilot's part that is pressed hardest, ``items`` all of its parts that do not hold. ``number``: where both
    numbers are from. ``instead``: what to build in the pilot, with the difference that it makes; empty where it holds.
    """

    id: str
    area: str
    decision: str
    subject: str
    has: float | str | None
    asked: float | str | None
    unit: str
    holds: bool | None
    source: str
    instead: str = ""
    items: tuple[str, ...] = ()


def worst(
    id: str, area: str, decision: str, rows: pl.DataFrame, unit: str, source: str, instead: str = "", slack: float = 1e-9
) -> list[Reading]:
    """The reading of ``rows`` (``subject, has, asked``): the part with the largest share asked of what it has.

    Nothing for no rows. Rows whose ``has`` is null make the reading undecided unless another part fails.
    """
    import polars as pl

    if rows.is_empty():
        return []
    known = rows.drop_nulls(["has", "asked"]).sort("subject")
    if known.is_empty():
        one = rows.sort(pl.col("asked").fill_null(0.0), "subject", descending=[True, False]).row(0, named=True)
        words = "" if one["asked"] is None else instead.format(**one)
        return [Reading(id, area, decision, one["subject"], None, one["asked"], unit, None, source, words)]
    share = pl.col("asked") / pl.max_horizontal(pl.col("has"), pl.lit(1e-12))
    held = known.with_columns(share.alias("share"), (pl.col("asked") > pl.col("has") * (1 + slack) + slack).alias("over"))
    failing = held.filter("over")
    pressed = held.sort("share", "subject", descending=[True, False]).row(0, named=True)
    holds = failing.is_empty()
    if holds and known.height < rows.height:
        holds_known = (pressed["subject"], pressed["has"], pressed["asked"])
        return [Reading(id, area, decision, *holds_known, unit, None, source)]
    return [
        Reading(
            id,
            area,
            decision,
            pressed["subject"],
            pressed["has"],
            pressed["asked"],
            unit,
            holds,
            source,
            "" if holds else instead.format(**pressed),
            tuple(failing["subject"].to_list()),
        )
    ]


def counted(
    id: str, area: str, decision: str, moved: pl.Series, total: int, unit: str, source: str, instead: str
) -> list[Reading]:
    """The reading of a decision that holds when nothing moves: ``moved`` are the pilot's keys that do, of ``total``.

    Nothing when the pilot has none of them.
    """
    if not total:
        return []
    keys = tuple(sorted(moved.to_list()))
    text = f"{len(keys):,} of {total:,} {unit}"
    first = keys[0] if keys else ""
    return [
        Reading(id, area, decision, first, f"0 of {total:,} {unit}", text, "", not keys, source, instead if keys else "", keys)
    ]


def limit(plan: Plan, expectation: str) -> float | None:
    """The threshold called ``expectation`` in a plan; None when it has none."""
    import polars as pl

    found = plan.table("expectations").filter(pl.col("id") == expectation)["value"].to_list()
    return float(found[0]) if found else None


def both(pilot: Plan, grown: Plan, table: str, *columns: str) -> pl.DataFrame:
    """Rows of ``table`` that both plans have, by its key; the larger plan's ``columns`` carry ``_then``."""
    from asbuilt.model.tables import PLAN_TABLES

    key = list(PLAN_TABLES[table].key)
    left = pilot.table(table).select(*key, *columns)
    return left.join(grown.table(table).select(*key, *columns), on=key, how="inner", suffix="_then", nulls_equal=True)
