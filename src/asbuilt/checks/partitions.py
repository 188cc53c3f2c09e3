"""Partition tables of end ports, entry by entry, held against the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, kept, once
from asbuilt.checks.lanes import asked
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl


@once
def _planned(plan: Plan) -> pl.DataFrame:
    """port, partition, pkey, membership, want (index), entry, tag: the words for an entry."""
    import polars as pl

    keys = plan.table("partitions").select("subnet", "partition", "pkey")
    members = plan.table("partition_members").join(keys, on=["subnet", "partition"], how="left", maintain_order="left")
    tag = pl.format("{} member of {}", "membership", "partition").alias("tag")
    return members.select("port", "partition", "pkey", "membership", pl.col("index").alias("want"), "entry", tag)


@kept(lambda facts: {"pkeys_measured": facts.tables["pkeys_measured"]})
def _read(facts: Facts) -> pl.DataFrame:
    """port, table (its entries as text), capture_id, line of every port whose table was read."""
    import polars as pl

    rows = facts.tables["pkeys_measured"].sort("index", maintain_order=True)
    text = pl.col("text").filter(pl.col("entry") != 0).unique(maintain_order=True).implode().list.join(" ")
    told = rows.group_by("port", maintain_order=True).agg(text.alias("table"), *(pl.col(c).first() for c in EVIDENCE))
    return told.with_columns(pl.when(pl.col("table") == "").then(pl.lit("empty")).otherwise("table").alias("table"))


def _by_port(plan: Plan, facts: Facts, bad: pl.DataFrame, found: pl.Expr, expected: str = "tag") -> pl.DataFrame:
    """One verdict per planned port: ``bad`` rows (port, and what ``expected`` and ``found`` are made of) make it fail."""
    import polars as pl

    told = bad.with_columns(found.alias("told")).group_by("port", maintain_order=True)
    wrong = told.agg(
        pl.col(expected).unique(maintain_order=True).implode().list.join(", ").alias("expected"),
        pl.col("told").unique(maintain_order=True).implode().list.join(", ").alias("found"),
    )
    ports = _planned(plan).select("port").unique(maintain_order=True)
    ports = asked(ports, facts.tables["pkeys_measured"])
    frame = ports.join(_read(facts), on="port", how="left", maintain_order="left")
    frame = frame.join(wrong, on="port", how="left", maintain_order="left")
    # An aggregation node is planned as a member; whether it answers for itself is the switch's business.
    mute = (
        plan.table("lids").filter(pl.col("role") == "aggregation")["port"] if plan.has("lids") else pl.Series(dtype=pl.String)
    )
    return judge(
        frame,
        subject=pl.col("port"),
        ok=pl.when(pl.col("table").is_not_null()).then(pl.col("found").is_null()),
        expected=pl.col("expected").fill_null("its partition table"),
        found=pl.col("found").fill_null("not read"),
        applies=pl.col("table").is_not_null() | ~pl.col("port").is_in(mute.implode()),
        evidence=EVIDENCE,
    )


def _both(plan: Plan, facts: Facts, how: str) -> pl.DataFrame:
    """Planned entries beside the measured ones of the same port and key, for ports that were read."""
    import polars as pl

    seen = facts.tables["pkeys_measured"].select("port", "pkey", "index", "text", pl.col("entry").alias("has"))
    planned = _planned(plan).join(_read(facts).select("port", "table"), on="port", how="inner", maintain_order="left")
    return planned.join(seen, on=["port", "pkey"], how=how, maintain_order="left")  # type: ignore[arg-type]


@check("FAB-016", layer=Layer.FABRIC, needs=("partition_members", "partitions"), facts=("pkeys_measured",), since="0.1")
def planned_partitions_are_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port has an entry of every partition that the plan makes it a member of.

    Why: without the key a port talks to nobody of that partition, and jobs hang without an error; where the default
    partition is missing, even the subnet manager is out of reach.
    Measured by: smpquery pkeys of each end port.
    Repair: look in the subnet manager's log for PARSE ERROR, correct partitions.conf, let it sweep, capture again.
    Source: plan table `partition_members`; partition 0x7fff is always planned (IBTA vol. 1, 10.9).
    """
    import polars as pl

    bad = _both(plan, facts, "anti").sort("port", "want")
    return _by_port(plan, facts, bad, pl.format("no such entry; the table holds {}", "table"))


@check("FAB-017", layer=Layer.FABRIC, needs=("partition_members", "partitions"), facts=("pkeys_measured",), since="0.1")
def membership_is_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port is a full or a limited member of its partitions, as planned.

    Why: two limited members cannot talk to each other (bit 15 of the entry is the membership); a full member where a limited
    one is planned opens a wall that tenants rely on.
    Measured by: smpquery pkeys of each end port.
    Repair: correct the member's word in partitions.conf (full or limited), let the manager sweep, capture again.
    Source: plan column `partition_members.membership`; IBTA vol. 1, 10.9.1.1.
    """
    import polars as pl

    rows = _both(plan, facts, "inner")
    right = (pl.col("has") == pl.col("entry")).any().over("port", "pkey")
    other = pl.when(pl.col("membership") == "full").then(pl.lit("limited")).otherwise(pl.lit("full"))
    found = pl.format("a {} member of {} ({})", other, "partition", "text")
    return _by_port(plan, facts, rows.filter(~right).sort("port", "want"), found)


@check(
    "FAB-018",
    layer=Layer.FABRIC,
    severity=Severity.MINOR,
    needs=("partition_members", "partitions"),
    facts=("pkeys_measured",),
    since="0.1",
)
def partition_indices_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every entry of a partition table stands at the index that the plan says.

    Why: applications that take a partition by index (NCCL_IB_PKEY, UCX_IB_PKEY by index) open another partition after a move.
    Measured by: smpquery pkeys of each end port.
    Repair: let the manager fill the table in planned order (restart it, or reload the port's driver), or set the index anew
    in the job environment.
    Source: plan column `partition_members.index`: the order in which upstream OpenSM fills a table.
    """
    import polars as pl

    rows = _both(plan, facts, "inner").filter((pl.col("has") == pl.col("entry")) & pl.col("index").is_not_null())
    right = (pl.col("index") == pl.col("want")).any().over("port", "pkey")
    moved = rows.filter(~right).sort("port", "want").with_columns(pl.format("{} at index {}", "partition", "want").alias("tag"))
    return _by_port(plan, facts, moved, pl.format("{} at index {}", "partition", "index"))


@check("FAB-019", layer=Layer.FABRIC, needs=("partition_members", "partitions"), facts=("pkeys_measured",), since="0.1")
def no_partition_beside_the_plan(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No end port has an entry of a partition that the plan does not give it.

    Why: an entry too many joins networks that should be apart; two tenants then share what was to be walled off.
    Measured by: smpquery pkeys of each end port.
    Repair: take the port out of that partition in partitions.conf, or put it into the plan; let the manager sweep.
    Source: plan table `partition_members`.
    """
    import polars as pl

    planned = _planned(plan)
    seen = facts.tables["pkeys_measured"].filter(pl.col("entry") != 0)
    extra = seen.join(planned.select("port", "pkey"), on=["port", "pkey"], how="anti")
    extra = extra.join(planned.select("port").unique(), on="port", how="semi").sort("port", "index")
    extra = extra.with_columns(pl.lit("no entry beside the planned ones").alias("tag"))
    return _by_port(plan, facts, extra, pl.format("{} in the table", "text"))
