"""Table `ETHERNET_PORTS`: both ends of every Ethernet link, by the names that their devices use."""

from __future__ import annotations

import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_roce import ETHERNET_PORTS
from asbuilt.plan.roce_names import interface_names


def switch_dialect(switch: str, asked: str | None) -> str:
    """Whose settings a switch takes: as asked, else Cumulus Linux on NVIDIA Spectrum switches and SONiC on all others."""
    return asked or ("cumulus" if switch.startswith("sn") else "sonic")


def ethernet_ports(design: Design, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The table of a plan with ``links``, ``switches``, ``nodes`` and ``parts``, sorted by device and interface."""
    planes = [p for p in design.planes if p.technology == "ethernet"]
    links = tables["links"].filter(pl.col("plane").is_in([p.name for p in planes]) & (pl.col("kind") != "service"))
    if links.is_empty():
        return ETHERNET_PORTS.empty()
    dialects = {}
    for plane in planes:
        asked = getattr(design.requirement.planes, plane.name, None)
        said = asked.roce.switch_os if asked is not None and asked.roce is not None else None
        dialects[plane.name] = switch_dialect(plane.leaf.switch, said)
    ends = _ends(links, tables).join(_switches(tables), on="device", how="left", maintain_order="left")
    host = pl.col("nic").is_not_null()
    cage = pl.col("label").str.extract(r"^(\d+)")
    ends = ends.with_columns(
        pl.len().over("device", cage).alias("crowd"),
        pl.when(host).then(pl.lit("linux")).otherwise(pl.col("plane").replace(dialects)).alias("dialect"),
        pl.when(host).then(pl.lit("host")).otherwise("role").alias("role"),
    )
    ends = ends.with_columns(pl.when(host).then("nic").otherwise(interface_names()).alias("interface"))
    far = ends.select("link", pl.col("side").replace({"a": "b", "b": "a"}), peer="device", peer_interface="interface")
    return ETHERNET_PORTS.conform(ends.join(far, on=["link", "side"]).select(ETHERNET_PORTS.names).sort("device", "interface"))


def _switches(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Role of each switch, and the rate of its cages unsplit."""
    rates = pl.col("rates_gbps").str.split("+").cast(pl.List(pl.Float64), strict=False)
    top = tables["parts"].filter(pl.col("kind") == "switch").select(model="part", top_gbps=rates.list.max())
    return tables["switches"].join(top, on="model", how="left").select("role", "top_gbps", device="switch")


def _ends(links: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Both ends of each link: side, device, NIC (null for switches), port, label, name, rate, plane, phase."""
    switches = tables["switches"].select(device="switch", name="name")
    nodes = tables["nodes"].select(device="node", name="name")
    sides = []
    for side, nic in (("a", pl.lit(None, dtype=pl.String)), ("b", pl.col("b_nic"))):
        own = {"device": f"{side}_device", "port": f"{side}_port", "label": f"{side}_label", "speed_gbps": "rate_gbps"}
        named = [pl.col(c).alias(n) for n, c in own.items()]
        sides.append(links.select("link", "plane", "phase", pl.lit(side).alias("side"), nic.alias("nic"), *named))
    ends = pl.concat(sides)
    return ends.join(pl.concat([switches, nodes]), on="device", how="left", maintain_order="left")
