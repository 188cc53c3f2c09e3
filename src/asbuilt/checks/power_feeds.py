"""What is not fed as the map of cords asks. Other checks of loads leave it alone: its feed is the fault, the load follows."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import once
from asbuilt.model.plan import Plan


def asked_of_circuit() -> pl.Expr:
    """The feed that a circuit is planned on: its key names it, ``circuit:<rack>/<feed letter><number>``; else null."""
    return "feed:" + pl.col("circuit").str.extract(r"/([A-D])[0-9]+$", 1)


@once
def misfed_parts(plan: Plan) -> pl.DataFrame:
    """PDUs and shelves with a cord or a circuit of another feed, ``serves circuit rack``: PWR-010 and PWR-011 name them."""
    empty = pl.DataFrame(schema=dict.fromkeys(("serves", "circuit", "rack"), pl.String))
    if not plan.has("circuits"):
        return empty
    fed = plan.table("circuits").select("circuit", "serves", fed="feed", asked=asked_of_circuit())
    found = [empty]
    for table, key in (("pdus", "pdu"), ("shelves", "shelf")):
        if plan.has(table):
            things = plan.table(table).select("rack", own="feed", serves=key).join(fed, on="serves", how="left")
            moved = pl.col("serves").is_in(_with_moved_cords(plan, things).implode())
            elsewhere = (pl.col("fed") != pl.col("own")) | (pl.col("fed") != pl.col("asked"))
            wrong = things.filter(moved | elsewhere.fill_null(False))
            found.append(wrong.select("serves", "circuit", "rack"))
    return pl.concat(found)


@once
def lone_racks(plan: Plan) -> pl.DataFrame:
    """Racks whose shelves, two or more, all hang on one feed of a site with others that stand in for it: ``rack shelves feed``.

    By the circuits, as built. PWR-010 names the rack; its shelves, each on the wrong feed or not, say no more.
    """
    empty = pl.DataFrame(schema={"rack": pl.String, "shelves": pl.UInt32, "feed": pl.String})
    if not (plan.has("circuits") and plan.has("shelves") and redundant(plan)):
        return empty
    shelves = plan.table("shelves").select("rack", serves="shelf")
    fed = shelves.join(plan.table("circuits").select("serves", "feed"), on="serves")
    racks = fed.group_by("rack").agg(
        pl.col("serves").n_unique().alias("shelves"), pl.col("feed").min(), feeds=pl.col("feed").n_unique()
    )
    return racks.filter((pl.col("shelves") > 1) & (pl.col("feeds") == 1)).select(empty.columns).sort("rack")


def lone_by_map(plan: Plan) -> list[str]:
    """Nodes, and racks of nodes, whose system has all its supplies or shelves on one feed by the map: DES-060 says so."""
    if not (plan.has("power_sources") and plan.has("nodes")):
        return []
    systems = plan.table("power_sources").group_by("system").agg(pl.col("feed").n_unique(), pl.len())
    mapped = systems.filter((pl.col("feed") == 1) & (pl.col("len") > 1))
    nodes = plan.table("nodes").join(mapped, on="system", how="semi")
    return [*nodes["node"], *nodes["rack"].drop_nulls().unique().sort()]


def redundant(plan: Plan) -> bool:
    """Whether the site has more feeds than one, each of which others stand in for."""
    if not plan.has("feeds"):
        return False
    feeds = plan.table("feeds")
    return feeds.height > 1 and bool((feeds["redundancy"] != "N").all())


def _with_moved_cords(plan: Plan, things: pl.DataFrame) -> pl.Series:
    if not plan.has("cords"):
        return pl.Series(dtype=pl.String)
    plugged = plan.table("cords").select("feed", serves="pdu").unique()
    return plugged.join(things.select("serves", "own"), on="serves").filter(pl.col("feed") != pl.col("own"))["serves"]


def misfed(plan: Plan) -> list[str]:
    """Keys of these PDUs and shelves and of their circuits."""
    rows = misfed_parts(plan)
    return [*rows["serves"].unique().sort(), *rows["circuit"].drop_nulls().unique().sort()]


def rightly_fed(plan: Plan) -> pl.Expr:
    """Whether the row's rack has no such part."""
    return ~pl.col("rack").is_in(misfed_parts(plan)["rack"].unique().sort().to_list())
