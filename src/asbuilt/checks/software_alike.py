"""What machines tell of their versions, one row per machine and component, and who of them differs from most.

Nothing is looped over: 10,000 machines with 800 packages each are 8 million rows, of which only the components that differ
somewhere are looked at machine by machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, nothing, untold
from asbuilt.checks.node_devices import counted, machines
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

VERSIONS = ("version_measured",)
#: Differences of one machine, and versions of one component, that are named; the rest is counted.
_SHOWN = 2
_GROUP = ["group", "component"]
_GONE = "missing"


def readings(plan: Plan, facts: Facts, which: pl.Expr) -> pl.DataFrame:
    """node, component, version, capture_id, line of the rows ``which`` of compute nodes: one row per node and component.

    A component with several versions on one node (two reports that contradict each other) has them joined by `` and ``.
    """

    rows = facts.tables["version_measured"].filter(which).select("node", "component", "version", *EVIDENCE)
    rows = rows.join(machines(plan, facts).select("node"), on="node", how="semi", maintain_order="left")
    return one_each(rows.unique(["node", "component", "version"], keep="first", maintain_order=True))


def one_each(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` (each version once) with one row per node and component."""
    import polars as pl

    if not rows.select("node", "component").is_duplicated().any():
        return rows
    others = [pl.col(c).first() for c in rows.columns if c not in ("node", "component", "version")]
    joined = pl.col("version").sort().str.join(" and ")
    return rows.group_by("node", "component", maintain_order=True).agg(joined, *others).select(rows.columns)


def unlike(rows: pl.DataFrame, nouns: tuple[str, str] = ("node", "nodes"), absent: bool = False) -> pl.DataFrame:
    """The cells of ``rows`` (node, group, component, version) that are not as most in their group, or where there is no most.

    Columns: node, group, component, version (null: it is missing there), settled (more than half agree), most, expected, found
    in words with how many show it, evidence. ``absent``: a component that a node of the group does not tell is missing there;
    otherwise nothing is known of it.
    """
    import polars as pl

    tellers = rows.select("node", "group").unique(maintain_order=True)
    counts = rows.group_by(*_GROUP, "version").agg(pl.len().cast(pl.Int64).alias("n"))
    if absent:
        size = tellers.group_by("group").agg(pl.len().cast(pl.Int64).alias("size"))
        told = counts.group_by(_GROUP).agg(pl.col("n").sum()).join(size, on="group")
        gone = told.select(*_GROUP, pl.lit(None, dtype=pl.String).alias("version"), n=pl.col("size") - pl.col("n"))
        counts = pl.concat([counts, gone.filter(pl.col("n") > 0)])
    counts = counts.filter(pl.len().over(_GROUP) > 1).with_columns(pl.col("n").sum().over(_GROUP).alias("all"))
    if counts.is_empty():
        return _cells(tellers, rows, counts, nouns).clear()
    cells = _cells(tellers, rows, counts, nouns)
    return cells.filter(
        ~pl.col("settled") & (pl.col("version").is_not_null() | absent)
        | pl.col("settled") & pl.col("version").ne_missing(pl.col("most")) & (pl.col("version").is_not_null() | absent)
    )


def _cells(tellers: pl.DataFrame, rows: pl.DataFrame, counts: pl.DataFrame, nouns: tuple[str, str]) -> pl.DataFrame:
    """Every machine of a group times the components that differ in it, with what most show and both in words."""
    import polars as pl

    if "all" not in counts.columns:
        counts = counts.with_columns(pl.col("n").alias("all"))
    shown = pl.when(pl.col("version").is_null()).then(pl.lit(_GONE)).otherwise(pl.col("version"))
    counts = counts.with_columns(shown.alias("shown")).sort(*_GROUP, "n", "shown", descending=[False, False, True, False])
    first = pl.format("{} on {}", "shown", counted(pl.col("n"), *nouns)).head(_SHOWN).str.join(", ")
    more = pl.when(pl.len() > _SHOWN).then(pl.format(" and {} more", pl.len() - _SHOWN)).otherwise(pl.lit(""))
    most = counts.group_by(_GROUP, maintain_order=True).agg(
        (pl.col("n").first() * 2 > pl.col("all").first()).alias("settled"),
        pl.col("version").first().alias("most"),
        pl.col("n").first().alias("most_n"),
        pl.col("all").first(),
        pl.concat_str(first, more).alias("spread"),
    )
    cells = most.join(tellers, on="group", how="inner", maintain_order="left")
    cells = cells.join(rows.drop("group"), on=["node", "component"], how="left", maintain_order="left")
    cells = cells.join(
        counts.select(*_GROUP, "version", "n"), on=[*_GROUP, "version"], how="left", nulls_equal=True, maintain_order="left"
    )
    name = pl.col("component")
    stands = pl.format("{} {} ({} of {} {})", name, pl.col("most").fill_null(_GONE), "most_n", "all", pl.lit(nouns[1]))
    here = pl.format("{} {} ({} of {} {})", name, pl.col("version").fill_null(_GONE), "n", "all", pl.lit(nouns[1]))
    return cells.with_columns(
        pl.when("settled").then(stands).otherwise(pl.format("one {} on all {}", name, pl.lit(nouns[1]))).alias("expected"),
        pl.when("settled").then(here).otherwise(pl.format("{} {}", name, "spread")).alias("found"),
    )


def per_node(cells: pl.DataFrame) -> pl.DataFrame:
    """One row per node of ``cells``: the first of its differences in words, how many there are, and their evidence."""
    import polars as pl

    more = pl.when(pl.len() > _SHOWN).then(pl.format(" and {} more", pl.len() - _SHOWN)).otherwise(pl.lit(""))
    return cells.group_by("node", maintain_order=True).agg(
        *(pl.concat_str(pl.col(c).head(_SHOWN).str.join(", "), more).alias(c) for c in ("expected", "found")),
        pl.len().alias("differing"),
        *(pl.col(c).drop_nulls().first() for c in EVIDENCE),
    )


def judged_alike(
    plan: Plan,
    facts: Facts,
    rows: pl.DataFrame,
    what: str,
    alone: str = "",
    absent: bool = False,
    known: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Verdicts of every machine: whether ``rows`` (of `readings`, some with ``group``) say there what they say on most.

    Without a column ``group`` nodes of one system are compared. ``known`` (node, words) are versions that another check names
    there already: a component that carries one of them in its name or version is not told again. A node that tells none of it
    is not measured; one that has nobody to be compared with, is not applicable.
    """
    import polars as pl

    if rows.is_empty():
        return untold(alone or what)
    every = machines(plan, facts)
    if "group" not in rows.columns:
        rows = rows.join(every.select("node", pl.col("system").alias("group")), on="node", how="left", maintain_order="left")
    told = rows.group_by("node", maintain_order=True).agg(pl.col("group").first(), *(pl.col(c).first() for c in EVIDENCE))
    told = told.with_columns((pl.len().over("group") > 1).alias("company"))
    cells = unlike(rows, absent=absent)
    if known is not None:
        cells = _told_once(cells, known)
    differ = per_node(cells)
    every = every.select("node").join(told, on="node", how="left", maintain_order="left")
    every = every.join(differ, on="node", how="left", maintain_order="left", suffix="_differing")
    if every.is_empty():
        return nothing("no machine told anything of itself")
    return judge(
        every.with_columns(*(pl.coalesce(f"{c}_differing", c).alias(c) for c in EVIDENCE)),
        subject=pl.col("node"),
        ok=pl.when(pl.col("group").is_not_null()).then(pl.col("differing").is_null()),
        applies=pl.col("company").fill_null(True),
        expected=pl.col("expected").fill_null(f"{what} as on the other nodes"),
        found=pl.col("found").fill_null(f"no report of {what}"),
        evidence=EVIDENCE,
    )


def _told_once(cells: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """``cells`` without those in whose name or versions a word of ``known`` stands."""
    import polars as pl

    cells = cells.with_row_index("cell")
    told = pl.concat_str(pl.col("component"), pl.col("version").fill_null(""), pl.col("most").fill_null(""), separator=" ")
    hit = cells.select("cell", "node", told.alias("told")).join(known, on="node", how="inner")
    hit = hit.filter(pl.col("told").str.contains(pl.col("words"), literal=True))
    return cells.join(hit, on="cell", how="anti", maintain_order="left").drop("cell")
