"""Tables of RDMA over Ethernet: what is set on every port end that it crosses, host and switch, and what that takes.

Both ends of every link of the plane are rows, so that a frame's whole way (host, leaf, spine, core, leaf, host) can be held
against the plan hop by hop. All of it is arithmetic on whole columns.
"""

from __future__ import annotations

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_roce import ETHERNET_PORTS, ROCE_BUFFERS, ROCE_PORTS
from asbuilt.plan.ethernet_ports import ethernet_ends
from asbuilt.plan.fabric_choice import choice_table
from asbuilt.plan.roce_classes import RoceDesign, classes_table, roce_designs
from asbuilt.plan.roce_headroom import headroom_bytes

#: Thresholds that grow with the rate hold at this one.
REFERENCE_GBPS = 100.0
BYTES_PER_GB = 1e9


def roce_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables of a plan whose other tables are there already; those of RDMA are empty where no plane carries it."""
    designs = roce_designs(design)
    lengths = tables["jumpers"].select("jumper", cable_m="length_m")
    links = tables["links"].join(lengths, on="jumper", how="left", maintain_order="left")
    ends = ethernet_ends(design, links, tables)
    ports = ports_table(designs, ends)
    return {
        "ethernet_ports": ETHERNET_PORTS.conform(ends.select(ETHERNET_PORTS.names)),
        "roce_classes": classes_table(designs),
        "roce_ports": ports,
        "roce_buffers": _buffers(catalogue, ports, tables["switches"]),
        "fabric_choice": choice_table(design, links, tables),
    }


def ports_table(designs: list[RoceDesign], ends: pl.DataFrame) -> pl.DataFrame:
    """Table `ROCE_PORTS`: those of ``ends`` (`ethernet_ends`) on planes with RDMA, with their settings."""
    ends = ends.filter(pl.col("plane").is_in([d.plane.name for d in designs]))
    if ends.is_empty():
        return ROCE_PORTS.empty()
    settings = pl.DataFrame([_setting(d) for d in designs])
    ends = ends.join(settings, on="plane", how="left", maintain_order="left")
    factor = pl.when("by_rate").then(pl.col("speed_gbps") / REFERENCE_GBPS).otherwise(1.0)
    host = pl.col("role") == "host"
    marked = [pl.when(~host).then((pl.col(c) * factor).cast(pl.Int64)).alias(c) for c in ("ecn_min_bytes", "ecn_max_bytes")]
    room = headroom_bytes(
        ends["speed_gbps"].to_numpy(), ends["cable_m"].cast(pl.Float64).to_numpy(), ends["mtu_bytes"].to_numpy()
    )
    ends = ends.with_columns(
        *marked, pl.Series("headroom_bytes", room).fill_nan(None).cast(pl.Int64), pl.lit("dscp").alias("trust")
    )
    return ROCE_PORTS.conform(ends.select(ROCE_PORTS.names))


def _setting(d: RoceDesign) -> dict[str, object]:
    return {
        "plane": d.plane.name,
        "mtu_bytes": d.mtu_bytes,
        "pfc": str(d.priority),
        "ecn_min_bytes": d.ecn_min_bytes,
        "ecn_max_bytes": d.ecn_max_bytes,
        "by_rate": d.ecn_by_rate,
    }


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
