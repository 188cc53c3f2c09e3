"""Ethernet ports as their own devices see them, held against the planned links: up, and at the planned rate."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import amount, judge, nothing, untold
from asbuilt.checks.registry import check
from asbuilt.checks.roce_hops import beside, interfaces, scoped
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

_PLAN = ("ethernet_ports",)
_NONE = "the plan has no Ethernet link"
_SEEN = ("capture_id", "line")


def _ends(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Planned ports of switches, with what these told of each, and whether the switch told anything of an interface.

    A host's end is not judged: its link is the same, and the switch's end tells it for every host alike."""
    rows = interfaces(plan, facts)
    ports = scoped(plan, "ethernet_ports").filter(pl.col("role") != "host")
    return beside(ports, rows).with_columns(pl.col("device").is_in(rows["device"].unique().implode()).alias("asked"))


@check("NET-020", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def planned_ports_are_up(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned port of an Ethernet switch that was asked is up.

    Why: a port that is down is a rail or an uplink less than was bought; routing hides it, and only speed shows it.
    Measured by: nv show interface, show interfaces status. A configuration tells nothing of this.
    Repair: enable the port; look at both ends of the cable, the transceivers and the error correction; capture again.
    Source: plan table `ethernet_ports`.
    """
    if plan.table("ethernet_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("interface_facts"):
        return untold("any interface")
    rows = _ends(plan, facts)
    off = pl.when(pl.col("admin") == "down").then(pl.lit("down, and told to be")).otherwise("oper")
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("oper") == "up",
        applies=pl.col("asked"),
        expected=pl.lit("up"),
        found=off.fill_null("no state"),
        evidence=_SEEN,
    )


@check("NET-021", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def planned_ports_run_at_their_rate(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned port of an Ethernet switch that is up runs at the planned rate.

    Why: a port that trained down slows every flow across it, and alarms nobody.
    Measured by: nv show interface, show interfaces status, config_db.json. A port that is down has no rate: not applicable.
    Repair: check split, speed and error correction of both ends, and that cable and optics are the planned parts.
    Source: plan column `ethernet_ports.speed_gbps`.
    """
    if plan.table("ethernet_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("interface_facts"):
        return untold("any interface")
    rows = _ends(plan, facts)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("speed_found") == pl.col("speed_gbps"),
        applies=pl.col("asked") & (pl.col("oper") == "up").fill_null(True),
        expected=amount(pl.col("speed_gbps"), "Gb/s"),
        found=amount(pl.col("speed_found"), "Gb/s"),
        evidence=_SEEN,
    )
