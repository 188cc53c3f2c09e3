"""Table `ETHERNET_PORTS`: both ends of every Ethernet link, by the names that their devices use."""

from __future__ import annotations

import polars as pl

from asbuilt.model.design import Design
from asbuilt.plan.roce_names import interface_names


def switch_dialect(switch: str, asked: str | None) -> str:
    """Whose settings a switch takes: as asked, else Cumulus Linux on NVIDIA Spectrum switches and SONiC on all others."""
    return asked or ("cumulus" if switch.startswith("sn") else "sonic")


def ethernet_ends(design: Design, links: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Rows of `ETHERNET_PORTS` and their ``cable_m``, sorted by device and interface. ``links`` have ``cable_m`` beside."""
    planes = [p for p in design.planes if p.technology == "ethernet"]
    links = links.filter(pl.col("plane").is_in([p.name for p in planes]) & (pl.col("kind") != "service"))
    dialects = {}
    for plane in planes:
        asked = getattr(design.requirement.planes, plane.name, None)
        said = asked.roce.switch_os if asked is not None and asked.roce is not None else None
        dialects[plane.name] = switch_dialect(plane.leaf.switch, said)
    devices = _devices(tables)
    near, far = (_side(links, side, devices, dialects) for side in ("a", "b"))
    beside = [
        end.with_columns(other["device"].alias("peer"), other["interface"].alias("peer_interface"))
        for end, other in ((near, far), (far, near))
    ]
    return _in_order(pl.concat(beside))


def _devices(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """device, name, role and, of switches, the rate of a cage that is not split."""
    rates = pl.col("rates_gbps").str.split("+").cast(pl.List(pl.Float64), strict=False)
    top = tables["parts"].filter(pl.col("kind") == "switch").select(model="part", top_gbps=rates.list.max())
    switches = tables["switches"].join(top, on="model", how="left").select("name", "role", "top_gbps", device="switch")
    nodes = tables["nodes"].select("name", pl.lit("host").alias("role"), device="node")
    return pl.concat([switches, nodes], how="diagonal")


def _side(links: pl.DataFrame, side: str, devices: pl.DataFrame, dialects: dict[str, str]) -> pl.DataFrame:
    """One end of each link, in the order of the links."""
    own = {"device": f"{side}_device", "port": f"{side}_port", "label": f"{side}_label", "speed_gbps": "rate_gbps"}
    nic = pl.col("b_nic") if side == "b" else pl.lit(None, dtype=pl.String)
    named = [pl.col(c).alias(n) for n, c in own.items()]
    ends = links.select("link", "plane", "phase", "cable_m", nic.alias("nic"), *named)
    ends = ends.join(devices, on="device", how="left", maintain_order="left")
    host = pl.col("nic").is_not_null()
    spoken = pl.when(host).then(pl.lit("linux")).otherwise(pl.col("plane").replace(dialects))
    ends = ends.with_columns(spoken.alias("dialect"))
    return ends.with_columns(pl.when(host).then("nic").otherwise(interface_names()).alias("interface")).drop("nic", "top_gbps")


def _in_order(ends: pl.DataFrame) -> pl.DataFrame:
    """Sorted by device and interface: by the numbers of their few names, since a million texts sort slowly."""
    keys = []
    for column in ("device", "interface"):
        names = pl.Enum(ends[column].unique().sort())
        keys.append(ends[column].cast(names).to_physical().alias(f"_{column}"))
    return ends.with_columns(keys).sort("_device", "_interface").drop("_device", "_interface")
