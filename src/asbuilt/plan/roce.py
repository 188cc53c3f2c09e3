"""Tables `ROCE_PORTS` and `ROCE_BUFFERS`: what is set on every port end that RDMA over Ethernet crosses, host and switch.

Both ends of every link of the plane are rows, so that a frame's whole way (host, leaf, spine, core, leaf, host) can be held
against the plan hop by hop. All of it is arithmetic on whole columns.
"""

from __future__ import annotations

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_roce import ROCE_BUFFERS, ROCE_PORTS
from asbuilt.plan.fabric_choice import choice_table
from asbuilt.plan.roce_classes import RoceDesign, classes_table, roce_designs
from asbuilt.plan.roce_headroom import headroom_bytes
from asbuilt.plan.roce_names import interface_names

#: Thresholds that grow with the rate hold at this one.
REFERENCE_GBPS = 100.0
BYTES_PER_GB = 1e9


def roce_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The four tables of a plan whose other tables are there already; empty but for the choice where no plane carries RDMA."""
    designs = roce_designs(design)
    classes = classes_table(designs)
    ports = ports_table(designs, tables)
    return {
        "roce_classes": classes,
        "roce_ports": ports,
        "roce_buffers": _buffers(catalogue, ports, tables["switches"]),
        "fabric_choice": choice_table(design, tables),
    }


def ports_table(designs: list[RoceDesign], tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `ROCE_PORTS`, sorted by device and interface."""
    links = tables["links"].filter(pl.col("plane").is_in([d.plane.name for d in designs]) & (pl.col("kind") != "service"))
    if links.is_empty():
        return ROCE_PORTS.empty()
    settings = pl.DataFrame([_setting(d) for d in designs])
    switches = _switches(tables)
    ends = _ends(links, tables).join(settings, on="plane", maintain_order="left").join(switches, on="device", how="left")
    cage = pl.col("label").str.extract(r"^(\d+)")
    crowd = ends.select(pl.len().over("device", cage).alias("crowd"))["crowd"]
    host = pl.col("nic").is_not_null()
    ends = ends.with_columns(crowd).with_columns(
        pl.when(host).then("nic").otherwise(interface_names(ends)).alias("interface"),
        pl.when(host).then(pl.lit("host")).otherwise("role").alias("role"),
    )
    factor = pl.when("by_rate").then(pl.col("speed_gbps") / REFERENCE_GBPS).otherwise(1.0)
    marked = [pl.when(~host).then((pl.col(c) * factor).cast(pl.Int64)).alias(c) for c in ("ecn_min_bytes", "ecn_max_bytes")]
    room = headroom_bytes(
        ends["speed_gbps"].to_numpy(), ends["cable_m"].cast(pl.Float64).to_numpy(), ends["mtu_bytes"].to_numpy()
    )
    ends = ends.with_columns(
        *marked,
        pl.Series("headroom_bytes", room).fill_nan(None).cast(pl.Int64),
        pl.when(host).then(pl.lit("linux")).otherwise("dialect").alias("dialect"),
        pl.lit("dscp").alias("trust"),
    )
    far = ends.select("link", pl.col("side").replace({"a": "b", "b": "a"}), peer="device", peer_interface="interface")
    ends = ends.join(far, on=["link", "side"])
    return ROCE_PORTS.conform(ends.select(ROCE_PORTS.names).sort("device", "interface"))


def _setting(d: RoceDesign) -> dict[str, object]:
    return {
        "plane": d.plane.name,
        "dialect": d.dialect,
        "mtu_bytes": d.mtu_bytes,
        "pfc": str(d.priority),
        "ecn_min_bytes": d.ecn_min_bytes,
        "ecn_max_bytes": d.ecn_max_bytes,
        "by_rate": d.ecn_by_rate,
    }


def _switches(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Role of each switch, and the rate of its cages unsplit."""
    parts = tables["parts"].filter(pl.col("kind") == "switch")
    top = parts.select(
        model="part", top_gbps=pl.col("rates_gbps").str.split("+").cast(pl.List(pl.Float64), strict=False).list.max()
    )
    return tables["switches"].join(top, on="model", how="left").select("role", "top_gbps", device="switch")


def _ends(links: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Both ends of each link: side, device, NIC (null for switches), label, name, and what the link says."""
    lengths = tables["jumpers"].select("jumper", cable_m="length_m")
    common = links.join(lengths, on="jumper", how="left", maintain_order="left")
    kept = ("link", "plane", "cable_m", "phase")
    switches = tables["switches"].select(device="switch", known="name")
    nodes = tables["nodes"].select(device="node", known="name")
    names = pl.concat([switches, nodes])
    sides = []
    for side, nic in (("a", pl.lit(None, dtype=pl.String)), ("b", pl.col("b_nic"))):
        sides.append(
            common.select(
                *kept,
                pl.lit(side).alias("side"),
                pl.col(f"{side}_device").alias("device"),
                nic.alias("nic"),
                pl.col(f"{side}_label").alias("label"),
                pl.col("rate_gbps").alias("speed_gbps"),
            )
        )
    ends = pl.concat(sides).join(names, on="device", how="left", maintain_order="left")
    return ends.rename({"known": "name"})


def _buffers(catalogue: Catalogue, ports: pl.DataFrame, switches: pl.DataFrame) -> pl.DataFrame:
    """Table `ROCE_BUFFERS`: one row per switch with lossless ports."""
    live = ports.filter(pl.col("role") != "host")
    sums = live.group_by("device").agg(
        pl.len().cast(pl.Int64).alias("ports"),
        pl.when(pl.col("headroom_bytes").null_count() == 0).then(pl.col("headroom_bytes").sum()).alias("headroom_bytes"),
    )
    frame = sums.join(switches.select("switch", "model"), left_on="device", right_on="switch").rename({"device": "switch"})
    rows = []
    for model in frame["model"].unique():
        figure = catalogue.get("switch", model) if catalogue.has("switch", model) else None
        known = figure.figure("packet_buffer_gb") if figure is not None and figure.has("packet_buffer_gb") else None
        size = round(float(known.value) * BYTES_PER_GB) if known is not None else None
        rows.append((model, size, known.confidence.value if known is not None else None))
    schema = {"model": pl.String, "buffer_bytes": pl.Int64, "confidence": pl.String}
    sizes = pl.DataFrame(rows, schema=schema, orient="row")
    return ROCE_BUFFERS.conform(frame.join(sizes, on="model", how="left").select(ROCE_BUFFERS.names).sort("switch"))
