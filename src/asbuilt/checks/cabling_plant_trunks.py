"""Trunks and panels: enough of them, spares on every route, one trunk to a position, lengths and service loops."""

from __future__ import annotations

import polars as pl

from asbuilt.base.units import MM_PER_M
from asbuilt.checks.answers import amount, judge, threshold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.trunk_count import spare_trunks, trunks_needed
from asbuilt.plan.route import U_MM

SIDES = ("a", "b")


def bundles_with_trunks(plan: Plan) -> pl.DataFrame:
    """Table `bundles` with ``working`` and ``standby``: trunks of the list that carry ports, and those that carry none."""
    listed = (
        plan.table("trunks")
        .group_by("bundle")
        .agg(working=(pl.col("ports") > 0).sum().cast(pl.Int64), standby=(pl.col("ports") == 0).sum().cast(pl.Int64))
    )
    return (
        plan.table("bundles")
        .join(listed, on="bundle", how="left", maintain_order="left")
        .with_columns(pl.col("working", "standby").fill_null(0))
    )


def trunk_ends(plan: Plan) -> pl.DataFrame:
    """One row per end of each trunk: ``trunk panel position``."""
    trunks = plan.table("trunks")
    return pl.concat(trunks.select("trunk", panel=pl.col(f"{s}_panel"), position=pl.col(f"{s}_position")) for s in SIDES)


@check("CAB-001", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("bundles", "trunks"), since="0.1")
def trunks_carry_all_ports(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Between two racks there are as many working trunks as their ports ask for, in whole trunks.

    Why: a trunk missing is a trunk pulled again over a tray that is full by then; counted in fractions, 720 ports round to one
    trunk too many.
    Measured by: plan table `bundles` (ports, fibres per port, usable fibres of a trunk) against the list `trunks`.
    Repair: plan the trunks that are missing, at the next free positions of both panels.
    Source: ceil(ports x fibres per port / usable fibres), in integers; ANSI/TIA-568.3 for what a trunk holds.
    """
    rows = bundles_with_trunks(plan)
    usable = rows["usable_fibres"].clip(1).to_numpy()
    need = trunks_needed(rows["ports"].to_numpy(), rows["fibres_per_port"].to_numpy(), usable)
    rows = rows.with_columns(pl.Series("need", need, dtype=pl.Int64))
    told = pl.format("{} for {} ports of {} fibres, {} usable a trunk", "need", "ports", "fibres_per_port", "usable_fibres")
    return judge(
        rows,
        subject=pl.col("bundle"),
        ok=(pl.col("working") == pl.col("need")) & (pl.col("trunks") == pl.col("need")),
        expected=told,
        found=pl.format("{} working trunks listed, {} counted", "working", "trunks"),
    )


@check("CAB-002", layer=Layer.FACILITY, needs=("bundles", "trunks", "expectations"), since="0.1")
def every_route_has_spare_trunks(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Between any two racks joined by trunks, spare trunks stand by, at least one.

    Why: a trunk that fails behind other cables is not pulled out again; a spare that is terminated, tested and labelled
    beside it takes over in minutes, one in the store after a night.
    Measured by: trunks without ports in plan table `trunks`, against the share of `bundles.trunks` in `expectations`.
    Repair: plan the spares: `fibre.spare_percent`.
    Source: share stated or assumed by the site; counted in integers, rounded up.
    """
    limit = threshold(plan, "CAB-002")
    rows = bundles_with_trunks(plan)
    if limit is None or limit["limit"] is None:
        need = pl.Series("least", [None] * rows.height, dtype=pl.Int64)
    else:
        need = pl.Series("least", spare_trunks(rows["trunks"].to_numpy(), round(float(str(limit["limit"])))), dtype=pl.Int64)
    return judge(
        rows.with_columns(need),
        subject=pl.col("bundle"),
        ok=pl.col("standby") >= pl.col("least"),
        expected=pl.format("{} spare trunks beside {}", "least", "trunks"),
        found=pl.format("{} spare", "standby"),
    )


@check("CAB-003", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("trunks",), since="0.1")
def one_trunk_to_a_position(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No two trunks are planned on one position of a panel.

    Why: the second one has no place to go, and the ports behind it are patched to the first one's fibres.
    Measured by: panel and position of both ends in plan table `trunks`.
    Repair: give one of the two a free position.
    Source: plan tables `trunks` and `panels`.
    """
    taken = trunk_ends(plan).sort("trunk").group_by("panel", "position", maintain_order=True)
    rows = taken.agg(count=pl.len(), held=pl.col("trunk").str.join(", "))
    return judge(
        rows,
        subject=pl.format("{}#{}", "panel", "position"),
        ok=pl.col("count") == 1,
        expected=pl.lit("one trunk"),
        found=pl.col("held"),
    )


@check("CAB-004", layer=Layer.FACILITY, needs=("panels", "trunks"), since="0.1")
def panels_have_the_positions(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every panel has the positions that its trunks are planned on, spares among them.

    Why: a panel too few is found when the racks are full.
    Measured by: plan table `panels` against the ends in `trunks`.
    Repair: add a panel in the same rack, or take the larger one.
    Source: positions from the catalogue.
    """
    ends = trunk_ends(plan).group_by("panel")
    held = ends.agg(landing=pl.len().cast(pl.Int64), first=pl.col("position").min(), last=pl.col("position").max())
    rows = plan.table("panels").join(held, on="panel", how="left", maintain_order="left")
    inside = (pl.col("landing") <= pl.col("positions")) & (pl.col("last") <= pl.col("positions")) & (pl.col("first") >= 1)
    return judge(
        rows,
        subject=pl.col("panel"),
        ok=inside,
        applies=pl.col("landing").is_not_null(),
        expected=pl.format("positions 1 to {} of {}", "positions", "part"),
        found=pl.format("{} trunks on positions {} to {}", "landing", "first", "last"),
    )


@check("CAB-005", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("panels",), since="0.1")
def panels_have_a_rack_unit(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every panel found free rack units.

    Why: trunks are ordered to the length of their panel's place; a panel without one is put where it fits, and they are short.
    Measured by: plan table `panels`: a panel that found no room has no unit.
    Repair: keep units free for panels, or plan a rack for them.
    Source: plan table `rack_slots`.
    """
    return judge(
        plan.table("panels"),
        subject=pl.col("panel"),
        ok=pl.col("u").is_not_null(),
        expected=pl.format("{} free in {}", amount(pl.col("height_u"), "U"), "rack"),
        found=pl.lit("no room"),
    )


@check("CAB-006", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("trunks",), since="0.1")
def trunks_are_long_enough(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every trunk is ordered at least as long as its way, service loops and slack included.

    Why: a terminated trunk cannot be lengthened; one that is a metre short is bought again.
    Measured by: plan table `trunks`: stock length against the length of the way.
    Repair: order the next stock length.
    Source: sum of the legs with slack, next stock length.
    """
    return judge(
        plan.table("trunks"),
        subject=pl.col("trunk"),
        ok=pl.col("length_m") >= pl.col("route_m").round(2),
        expected=pl.format("at least {}", amount(pl.col("route_m"), "m")),
        found=amount(pl.col("length_m"), "m"),
    )


@check(
    "CAB-007",
    layer=Layer.FACILITY,
    severity=Severity.MINOR,
    needs=("trunks", "panels", "bundles", "routes", "route_trays", "trays", "expectations"),
    since="0.1",
)
def trunks_have_service_loops(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The length of every trunk's way leaves a service loop at both of its ends.

    Why: without a loop a panel cannot be drawn out, nor a trunk terminated again.
    Measured by: the way in plan table `trunks` less its slack, the trays of its route and the drops to its panels.
    Repair: state the loop: `fibre.loop_m`, and order the trunks by it.
    Source: loop stated or assumed by the site; 2 to 3 m both ends together are usual.
    """
    least, slack = (threshold(plan, "CAB-007", selector) for selector in ("*", "slack"))
    rows = _ways_of_trunks(plan).with_columns(
        least=pl.lit(None if least is None else least["limit"], dtype=pl.Float64),
        slack=pl.lit(None if slack is None else slack["limit"], dtype=pl.Float64),
    )
    drops = [(pl.col("z_mm") - (pl.col(f"{s}_u") - 1 + pl.col(f"{s}_height_u") / 2) * U_MM).clip(0) / MM_PER_M for s in SIDES]
    bare = pl.col("route_m") / (1 + pl.col("slack"))
    rows = rows.with_columns(loops=(bare - pl.col("tray_m") - drops[0] - drops[1]).round(1))
    return judge(
        rows,
        subject=pl.col("trunk"),
        ok=pl.col("loops") >= pl.col("least").round(1),
        applies=pl.col("a_u").is_not_null() & pl.col("b_u").is_not_null(),
        expected=pl.format("at least {}, both ends together", amount(pl.col("least"), "m")),
        found=amount(pl.col("loops"), "m"),
    )


def _ways_of_trunks(plan: Plan) -> pl.DataFrame:
    """Table `trunks` with ``tray_m`` and ``z_mm`` of its route, and ``a_u a_height_u b_u b_height_u`` of its panels."""
    heights = plan.table("route_trays").join(plan.table("trays").select("tray", "z_mm"), on="tray")
    ways = plan.table("routes").select("route", "tray_m").join(
        heights.group_by("route").agg(pl.col("z_mm").max()), on="route", how="left"
    )  # fmt: skip
    rows = plan.table("trunks").join(plan.table("bundles").select("bundle", "route"), on="bundle", how="left")
    rows = rows.join(ways, on="route", how="left")
    for side in SIDES:
        held = plan.table("panels").select(
            pl.col("panel").alias(f"{side}_panel"), pl.col("u").alias(f"{side}_u"), pl.col("height_u").alias(f"{side}_height_u")
        )
        rows = rows.join(held, on=f"{side}_panel", how="left")
    return rows
