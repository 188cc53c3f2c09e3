"""Service levels and virtual lanes of every port, held against the plan: mapping, arbitration, lanes in use, high limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, once, untold
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl


@once
def planned_ports(plan: Plan) -> pl.DataFrame:
    """Every port that a subnet manager sets up: NIC end ports, and linked external ports of switches.

    Columns port, number, subnet, subject: the end port's key, or ``<switch>#<asic>/<number>``.
    """
    import polars as pl

    ends = plan.table("lids").filter(pl.col("role") != "aggregation")
    nics = ends.filter(pl.col("nic").is_not_null()).select("port", "number", "subnet", pl.col("port").alias("subject"))
    if not plan.has("links") or not plan.has("switches"):
        return nics
    switches = ends.filter(pl.col("nic").is_null()).select("port", "device", "subnet")
    sides = [
        plan.links.select(pl.col(f"{side}_device").alias("device"), pl.col(f"{side}_port").alias("number")) for side in "ab"
    ]
    external = pl.concat(sides).unique(maintain_order=True)
    # A chassis of several ASICs numbers its ports through and deals them out to the ASICs in equal runs.
    chassis = plan.table("switches").select(pl.col("switch").alias("device"), "ports", "asics")
    run = pl.max_horizontal(pl.col("ports") // pl.col("asics"), pl.lit(1))
    asic = pl.min_horizontal((pl.col("number") - 1) // run, pl.col("asics") - 1)
    external = external.join(chassis, on="device", how="inner", maintain_order="left").with_columns(
        pl.format("{}#{}", "device", asic.cast(pl.Int64)).alias("port")
    )
    external = external.join(switches, on=["port", "device"], how="inner", maintain_order="left")
    external = external.select("port", "number", "subnet", pl.format("{}/{}", "port", "number").alias("subject"))
    return pl.concat([nics, external])


def asked(ports: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """``ports`` without those of switches when ``seen`` has none: NIC ports alone were asked, as is common."""
    import polars as pl

    on_switch = pl.col("port").str.contains("#", literal=True)
    external = on_switch & (pl.col("number") > 0) if "number" in ports.columns else on_switch
    return ports if seen.select(external.any()).item() else ports.filter(~on_switch)


def settings(plan: Plan, *names: str) -> pl.DataFrame:
    """subnet and want: the whole number that the first of ``names`` is set to, of subnets that have it."""
    import polars as pl

    if not plan.has("subnet_settings"):
        return pl.DataFrame(schema={"subnet": pl.String, "want": pl.Int64})
    rows = plan.table("subnet_settings").filter(pl.col("setting").is_in(list(names)))
    rows = rows.select("subnet", pl.col("value").cast(pl.Int64, strict=False).alias("want"))
    return rows.drop_nulls().unique("subnet", keep="first", maintain_order=True)


def _weights(rows: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """``keys`` and ``arbitration``: both tables as one text. Rows of weight 0 carry nothing (IBTA vol. 1, 7.6.9)."""
    import polars as pl

    # A table that was read and holds nothing is empty, not absent.
    words = pl.when(pl.col("weight") > 0).then(pl.format("{}:{}", "vl", "weight"))
    rows = rows.sort("priority", "index").with_columns(words.alias("word"))
    rows = rows.unique([*keys, "priority", "index"], keep="first", maintain_order=True)
    told = rows.group_by(*keys, "priority", maintain_order=True).agg(
        pl.col("word").drop_nulls().implode().list.join(",").alias("text"),
        *(pl.col(c).first() for c in EVIDENCE if c in rows.columns),
    )
    return told.with_columns(pl.when(pl.col("text") == "").then(pl.lit("empty")).otherwise("text").alias("text"))


@check("FAB-021", layer=Layer.FABRIC, needs=("lids", "service_levels"), facts=("sl2vl_measured",), since="0.1")
def service_levels_map_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port maps service levels to the virtual lanes that the plan names, for every input port.

    Why: a level on another lane shares buffers and arbitration with traffic that it was to be kept apart from; a level on
    lane 15 is dropped.
    Measured by: smpquery sl2vl of NIC ports and of switch ports.
    Repair: set qos_sl2vl as exported with `qos TRUE`, restart the master, capture again.
    Source: plan table `service_levels`.
    """
    import polars as pl

    want = plan.table("service_levels").sort("subnet", "sl").group_by("subnet", maintain_order=True)
    wanted = want.agg(pl.col("vl").cast(pl.String).implode().list.join(",").alias("want"))
    ports = asked(planned_ports(plan), facts.tables["sl2vl_measured"])
    ports = ports.join(wanted, on="subnet", how="inner", maintain_order="left")
    rows = facts.tables["sl2vl_measured"].join(ports.select("port", "number", "want"), on=["port", "number"], how="inner")
    rows = rows.with_columns((pl.col("lanes") != pl.col("want")).alias("off")).sort("off", descending=True, maintain_order=True)
    seen = rows.group_by("port", "number", maintain_order=True).agg(
        pl.col("off").sum().alias("wrong"),
        pl.len().alias("all"),
        pl.col("lanes").first(),
        *(pl.col(c).first() for c in EVIDENCE),
    )
    frame = ports.join(seen, on=["port", "number"], how="left", maintain_order="left")
    part = pl.when(pl.col("all") > 1).then(pl.format(" in {} of {} rows", "wrong", "all")).otherwise(pl.lit(""))
    return judge(
        frame,
        subject=pl.col("subject"),
        ok=pl.col("wrong") == 0,
        expected=pl.format("SL 0 to 15 on VL {}", "want"),
        found=pl.format("VL {}{}", "lanes", part),
        evidence=EVIDENCE,
    )


@check("FAB-022", layer=Layer.FABRIC, needs=("lids", "vl_arbitration"), facts=("vlarb_measured",), since="0.1")
def lanes_are_arbitrated_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port arbitrates its virtual lanes with the weights that the plan gives.

    Why: with other weights, or none, storage and compute traffic slow each other down where they share a link.
    Measured by: smpquery vlarb of NIC ports and of switch ports.
    Repair: set qos_vlarb_high and qos_vlarb_low as exported with `qos TRUE`, restart the master, capture again.
    Source: plan table `vl_arbitration`; rows of weight 0 carry no traffic and are not compared.
    """
    import polars as pl

    both = plan.table("vl_arbitration")
    wanted = _weights(both, "subnet").rename({"text": "want"})
    # A subnet with a plan for one priority has an empty table of the other.
    pairs = both.select("subnet").unique().join(pl.DataFrame({"priority": ["high", "low"]}), how="cross")
    wanted = pairs.join(wanted, on=["subnet", "priority"], how="left").with_columns(pl.col("want").fill_null("empty"))
    ports = asked(planned_ports(plan), facts.tables["vlarb_measured"])
    ports = ports.join(wanted, on="subnet", how="inner", maintain_order="left")
    seen = _weights(facts.tables["vlarb_measured"], "port", "number")
    frame = ports.join(seen, on=["port", "number", "priority"], how="left", maintain_order="left")
    said = frame.with_columns(
        (pl.col("text") != pl.col("want")).alias("off"),
        pl.format("{} {}", "priority", "want").alias("wants"),
        pl.format("{} {}", "priority", pl.col("text").fill_null("not read")).alias("has"),
    )
    one = (
        said.sort("subject", "priority")
        .group_by("subject", maintain_order=True)
        .agg(
            pl.col("off").any().alias("off"),
            pl.col("off").is_null().any().alias("open"),
            pl.col("wants").implode().list.join("; "),
            pl.col("has").implode().list.join("; "),
            *(pl.col(c).drop_nulls().first() for c in EVIDENCE),
        )
    )
    return judge(
        one,
        subject=pl.col("subject"),
        ok=pl.when(pl.col("off").fill_null(False)).then(False).when(~pl.col("open")).then(True),
        expected=pl.col("wants"),
        found=pl.col("has"),
        evidence=EVIDENCE,
    )


def _setting(plan: Plan, facts: Facts, column: str, wanted: pl.DataFrame, ok: pl.Expr, words: tuple[str, str]) -> pl.DataFrame:
    """A number that every port has, against ``want`` of its subnet. Reports without it (iblinkinfo) say nothing of it."""
    import polars as pl

    said = facts.tables["ports_measured"].filter(pl.col(column).is_not_null())
    if said.is_empty():
        return untold(words[1].replace("{}", "").strip())
    ports = asked(planned_ports(plan), said).join(wanted, on="subnet", how="inner", maintain_order="left")
    rows = ports.join(
        said.select("port", "number", column, *EVIDENCE), on=["port", "number"], how="left", maintain_order="left"
    )
    rows = rows.with_columns(ok.alias("ok")).sort("ok", nulls_last=True, maintain_order=True)
    return judge(
        rows.unique("subject", keep="first", maintain_order=True),
        subject=pl.col("subject"),
        ok=pl.col("ok"),
        expected=pl.format(words[0], "want"),
        found=pl.format(words[1], pl.col(column).cast(pl.String).fill_null("unread")),
        evidence=EVIDENCE,
    )


@check("FAB-023", layer=Layer.FABRIC, needs=("lids", "service_levels"), facts=("ports_measured",), since="0.1")
def ports_have_the_lanes_in_use(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port runs as many data lanes as the planned service levels use.

    Why: a port with fewer operational lanes folds two levels onto one lane, and what was kept apart shares buffers again.
    Measured by: smpquery portinfo (OperVLs) of NIC ports and of switch ports.
    Repair: raise qos_max_vls, check what the part supports (VLCap), restart the master, capture again.
    Source: plan table `service_levels`: the highest lane that carries traffic, and one.
    """
    import polars as pl

    used = plan.table("service_levels").filter(pl.col("traffic") != "")
    wanted = used.group_by("subnet").agg((pl.col("vl").max() + 1).alias("want"))
    return _setting(plan, facts, "vls", wanted, pl.col("vls") >= pl.col("want"), ("at least {} data VLs", "{} operational VLs"))


@check("FAB-024", layer=Layer.FABRIC, needs=("lids", "subnet_settings"), facts=("ports_measured",), since="0.1")
def high_limit_is_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port has the planned limit of high-priority traffic.

    Why: with limit 0 one high-priority packet lets a low one through, with 255 none ever: starvation, or no priority at all.
    Measured by: smpquery portinfo (VLHighLimit) of NIC ports and of switch ports.
    Repair: set qos_high_limit as exported with `qos TRUE`, restart the master, capture again.
    Source: plan table `subnet_settings`, setting qos_high_limit; IBTA vol. 1, 7.6.9.
    """
    import polars as pl

    wanted = settings(plan, "qos_high_limit")
    return _setting(
        plan, facts, "high_limit", wanted, pl.col("high_limit") == pl.col("want"), ("VL high limit {}", "VL high limit {}")
    )
