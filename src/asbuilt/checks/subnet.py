"""LIDs as the subnet gave them out, held against the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl


def _lid_text(lid: str, lmc: str) -> pl.Expr:
    import polars as pl

    more = pl.when(pl.col(lmc) > 0).then(pl.format(", LMC {}", lmc)).otherwise(pl.lit(""))
    return pl.format("LID {}{}", lid, more)


@check("FAB-010", layer=Layer.FABRIC, needs=("lids",), facts=("lids_measured",), since="0.1")
def lids_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port has the LID, and the LID mask control, that the plan gives it.

    Why: forwarding tables, address maps and the persistence of a failover hang on stable LIDs; another LID says that the
    subnet manager does not read the planned guid2lid file, or that another card or another manager is at work.
    Measured by: iblinkinfo, smpquery portinfo, smpquery nodeinfo, ibstat, or lists of nodes with LIDs.
    Repair: give the master the planned guid2lid file with `honor_guid2lid_file TRUE`, restart it, capture again.
    Source: plan table `lids`. A port without a LID is FAB-011's; a port that no capture speaks of is not measured.
    """
    import polars as pl

    said = facts.tables["lids_measured"].filter(pl.col("lid") > 0)
    planned = plan.table("lids").select("port", "role", pl.col("lid").alias("want"), pl.col("lmc").alias("want_lmc"))
    rows = said.join(planned, on="port", how="inner")
    off = (pl.col("lid") != pl.col("want")) | (pl.col("lmc") != pl.col("want_lmc")).fill_null(False)
    # Of several reports the one that differs is told.
    seen = rows.with_columns(off.alias("off")).sort("off", descending=True, maintain_order=True)
    seen = seen.unique("port", keep="first", maintain_order=True).select("port", "lid", "lmc", "off", *EVIDENCE)
    all_said = facts.tables["lids_measured"]
    if all_said["own"].all():  # hosts speak for themselves alone
        planned = planned.join(all_said.select("port"), on="port", how="semi")
    elif not all_said["port"].str.contains("#", literal=True).any():  # NIC ports alone were asked
        planned = planned.filter(~pl.col("port").str.contains("#", literal=True))
    none = all_said.filter(pl.col("lid") == 0)["port"]
    frame = planned.join(seen, on="port", how="left", maintain_order="left")
    unassigned = pl.col("lid").is_null() & pl.col("port").is_in(none.implode())
    unseen_aggregation = pl.col("lid").is_null() & (pl.col("role") == "aggregation")
    return judge(
        frame,
        subject=pl.col("port"),
        ok=~pl.col("off"),
        expected=_lid_text("want", "want_lmc"),
        found=_lid_text("lid", "lmc"),
        applies=~unassigned & ~unseen_aggregation,
        evidence=EVIDENCE,
    )


@check("FAB-011", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=("lids",), facts=("lids_measured",), since="0.1")
def ports_have_a_lid(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every end port that answers has been given a LID by a subnet manager.

    Why: a port that is up with LID 0 stays in state Initializing: no subnet manager reaches it, and no traffic passes.
    Measured by: ibstat, smpquery portinfo, iblinkinfo, or lists of nodes with LIDs.
    Repair: see whether a subnet manager runs on this subnet and what its log says of this port; then capture again.
    Source: IBTA Architecture Specification vol. 1, 14.4: initialisation by the subnet manager; 0 is no unicast LID.
    """
    import polars as pl

    rows = facts.tables["lids_measured"].join(plan.table("lids").select("port"), on="port", how="semi")
    rows = rows.filter((pl.col("state") != "down").fill_null(True))  # a port without a link has no LID to be given
    rows = rows.sort("lid", maintain_order=True).unique("port", keep="first", maintain_order=True)
    state = pl.when(pl.col("state").is_not_null()).then(pl.format(", state {}", "state")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("port"),
        ok=pl.col("lid") > 0,
        expected=pl.lit("a LID from the subnet manager"),
        found=pl.format("LID {}{}", "lid", state),
        evidence=EVIDENCE,
    )
