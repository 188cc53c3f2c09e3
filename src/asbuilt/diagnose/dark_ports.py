"""A port that is not where it should be, told apart by both of its sides.

Absent from discovery with the switch port Down are three things: a NIC in Ethernet mode, a cable that is out or dead, a port
that somebody disabled. Only the host's own answer tells them apart; without it the cause stays undecided, and the missing
link fails all the same. One cause is one finding: what is known replaces the words of the finding about the missing link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding

ETHERNET, OUT, HOST_DISABLED, SWITCH_DISABLED = "ethernet", "out", "host disabled", "switch disabled"
UNDECIDED, BETWEEN = "undecided", "between switches"
MISSING_LINK, LINK_LAYER = "FAB-002", "FAB-006"
_CAUSES = {
    ETHERNET: "{who} in Ethernet mode: the host says Link layer: Ethernet, {switch}, and no InfiniBand discovery sees the port",
    OUT: "no light between {who}: the host says InfiniBand and {phys}, {switch}: the cable is out, dead, or not seated",
    HOST_DISABLED: "{who} disabled at the host (physical state Disabled): {switch}",
    SWITCH_DISABLED: "{who} disabled at the switch (physical state Disabled), the other side says {phys}",
    BETWEEN: "no light between {who}: {switch}; the cable is out, dead, or not seated, or the far port is disabled",
    UNDECIDED: "no link between {who}, {switch}: undecided without the host's side (unplugged, a dead end, or Ethernet mode)",
}
_NEXT = {
    ETHERNET: "set the port to InfiniBand on its host (mlxconfig -d DEVICE set LINK_TYPE_P1=1), restart it; then capture again",
    OUT: "reseat both ends of the cable, look at its light, then swap the cable, then the transceiver; then capture again",
    HOST_DISABLED: "enable the port on its host (ibportstate, or reload the driver); then capture again",
    SWITCH_DISABLED: "enable the port on its switch (ibportstate LID PORT enable); then capture again",
    BETWEEN: "reseat both ends of the cable, look at its light, then swap the cable, then the transceivers; then capture again",
    UNDECIDED: "run ibstat on the host and iblinkinfo on the fabric, add both captures and compare again: they tell the cause",
}
_REVERT = {
    ETHERNET: "set LINK_TYPE_P1 back to 2 and restart the host",
    OUT: "put the first cable back",
    HOST_DISABLED: "disable the port again",
    SWITCH_DISABLED: "disable the port again",
    BETWEEN: "put the first cable back",
    UNDECIDED: "nothing is moved",
}


def dark_links(plan: Plan, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """link, why, phys, switch and lines of every planned link that either side speaks of."""
    parts = []
    hosts, ports = tables.get("hcas_measured"), tables.get("ports_measured")
    if hosts is not None:
        parts.append(
            hosts.select("link", "link_layer", pl.col("state").alias("host_state"), pl.col("phys_state").alias("host_phys"),
                         pl.format("{}:{}", "capture_id", "line").alias("host_line"))
        )  # fmt: skip
    if ports is not None:
        # The switch's side alone: a NIC that the fabric sees is not dark.
        far = ports.filter(pl.col("port").str.contains("#"))
        parts.append(
            far.select("link", pl.col("state").alias("switch_state"), pl.col("phys_state").alias("switch_phys"),
                       pl.format("{}:{}", "capture_id", "line").alias("switch_line"))
        )  # fmt: skip
    if not parts:
        return pl.DataFrame(schema={"link": pl.String, "why": pl.String})
    columns = ("link_layer", "host_state", "host_phys", "host_line", "switch_state", "switch_phys", "switch_line")
    rows = pl.concat(parts, how="diagonal").filter(pl.col("link").is_not_null())
    rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in columns if c not in rows.columns)
    rows = rows.group_by("link", maintain_order=True).agg(pl.col(c).drop_nulls().first() for c in columns)
    between = plan.links.filter(pl.col("b_nic").is_null())["link"]
    disabled = (pl.col("switch_phys") == "disabled").fill_null(False)
    why = (
        pl.when(pl.col("link_layer") == "ethernet").then(pl.lit(ETHERNET))
        .when(pl.col("link").is_in(between.implode()) & ~disabled).then(pl.lit(BETWEEN))
        .when(pl.col("link_layer").is_null() & disabled).then(pl.lit(SWITCH_DISABLED))
        .when(pl.col("link_layer").is_null() & pl.col("host_state").is_null()).then(pl.lit(UNDECIDED))
        .when(pl.col("host_phys") == "disabled").then(pl.lit(HOST_DISABLED))
        .when(pl.col("switch_phys") == "disabled").then(pl.lit(SWITCH_DISABLED))
        .otherwise(pl.lit(OUT))
    )  # fmt: skip
    state = pl.concat_str(
        [pl.col("switch_state").str.to_titlecase(), pl.col("switch_phys").str.to_titlecase()], separator="/", ignore_nulls=True
    )
    seen = pl.when(pl.col("switch_state").is_not_null()).then(pl.format("the switch port is {}", state))
    switch = seen.otherwise(pl.lit("the switch port was not read"))
    phys = pl.coalesce("host_phys", "host_state").str.to_titlecase().fill_null("no state")
    return rows.with_columns(why.alias("why"), switch.alias("switch"), phys.alias("phys"))


def explain_dark(plan: Plan, findings: list[Finding], tables: Mapping[str, pl.DataFrame]) -> list[Finding]:
    """``findings`` with those about missing links reworded by what both sides say.

    A finding is reworded when its links all have one and the same explanation; of a node of which some ports have one and
    others another the first words stay.
    """
    dark = dark_links(plan, tables)
    if dark.is_empty():
        return findings
    out = []
    for finding in findings:
        links = dark.filter(pl.col("link").is_in(list(finding.subjects)))
        reasons = links["why"].unique().to_list()
        if finding.id != MISSING_LINK or len(reasons) != 1 or links.height != len(set(finding.subjects)):
            out.append(finding)
            continue
        out.append(_reworded(finding, links, str(reasons[0])))
    return out


def _reworded(finding: Finding, links: pl.DataFrame, why: str) -> Finding:
    first = links.row(0, named=True)
    many = links.height > 1
    pair = (
        finding.expected if not many else f"{links.height} ports of {finding.expected.partition(' links to ')[2] or 'a device'}"
    )
    who = {
        ETHERNET: f"{pair}: {'the NIC ports are' if many else 'the NIC port is'}",
        HOST_DISABLED: f"{pair}: {'the NIC ports are' if many else 'the NIC port is'}",
        SWITCH_DISABLED: f"{pair}: {'the switch ports are' if many else 'the switch port is'}",
    }.get(why, pair)
    cause = _CAUSES[why].format(who="\0", switch=first["switch"], phys=first["phys"]).replace("\0", who)
    told = [links["host_line"].drop_nulls().to_list(), links["switch_line"].drop_nulls().to_list()]
    lines = [line for side in told for line in side[:3]]
    return replace(
        finding,
        id=LINK_LAYER if why == ETHERNET else finding.id,
        cause=cause,
        next=_NEXT[why],
        revert=_REVERT[why],
        evidence=tuple(dict.fromkeys((*finding.evidence, *lines))),
    )
