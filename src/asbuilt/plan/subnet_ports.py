"""The table of end ports with their LIDs, and the table of the ranges that these come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.model.tables_subnet import LID_RANGES, LIDS
from asbuilt.plan.links import Devices
from asbuilt.plan.ports import SERVICE
from asbuilt.plan.subnet_guids import DeclaredGuids, with_guids
from asbuilt.plan.subnet_lids import (
    AGGREGATION,
    NODE_ROLE,
    SERVICE_ROLE,
    Layout,
    node_lids,
    switch_lids,
)
from asbuilt.plan.subnet_scene import Crew, Longs, Ports, Scene, phases
from asbuilt.plan.wiring import ROLES

if TYPE_CHECKING:
    import polars as pl

#: How an aggregation node describes itself: the same text on every switch.
AGGREGATION_NAME = "Mellanox Technologies Aggregation Node"


def lids_table(
    parts: list[tuple[Scene, Layout]],
    devices: Devices,
    declared: DeclaredGuids | None,
) -> pl.DataFrame:
    """Table `LIDS` of all subnets, sorted by port."""
    import polars as pl

    frames = []
    for scene, layout in parts:
        for at, crew in enumerate(scene.crews):
            frames += _switches(scene, crew, *switch_lids(scene, layout, at), devices)
        hosts = 0
        for ports in scene.ports:
            frames.append(_nics(scene, layout, ports, devices, hosts))
            hosts += len(ports.host) if ports.far == SERVICE else 0
    frames = [f for f in frames if f.height]
    if not frames:
        return LIDS.empty()
    frame = with_guids(pl.concat(frames, how="diagonal"), declared)
    return LIDS.conform(frame.select(LIDS.names).sort("port"))


def _switches(scene: Scene, crew: Crew, lid: Longs, node: Longs, devices: Devices) -> list[pl.DataFrame]:
    """End ports of one plane's switches: port 0 of every ASIC, and the aggregation nodes."""
    import polars as pl

    asics = np.array([crew.tier(r).asics for r in range(3)], np.int64)[crew.role]
    at = np.repeat(np.arange(len(crew.role)), asics)
    number = np.arange(len(at)) - np.repeat(np.cumsum(asics) - asics, asics)
    models = [crew.tier(r).switch for r in range(3)]
    role = pl.Series(crew.role[at])
    frame = pl.DataFrame(
        {
            "device": devices.switch_ids.gather(pl.Series(crew.switches[at])),
            "shown": devices.switch_names.gather(pl.Series(crew.switches[at])),
            "model": pl.Series([m.upper() for m in models]).gather(role),
            "asic": number,
            "role": pl.Series(list(ROLES)).gather(role),
            "su": _units(scene, crew)[at],
            "lid": lid[at] + number,
            "node": node[at],
            "phase": devices.phases.gather(pl.Series(devices.switch_phase[crew.switches[at]].astype(np.int64))),
        }
    ).with_columns(
        pl.concat_str(["device", pl.lit("#"), "asic"]).alias("port"),
        pl.lit(scene.name).alias("subnet"),
        pl.lit(crew.plane.name).alias("plane"),
        # What the management of a Quantum switch writes as its node description.
        pl.concat_str([pl.lit("MF0;"), "shown", pl.lit(":M"), "model", pl.lit("/U"), pl.col("asic") + 1]).alias("name"),
        pl.lit(0, dtype=pl.Int64).alias("number"),
        pl.lit(0, dtype=pl.Int64).alias("lmc"),
        pl.lit("switch").alias("kind"),
    )
    frame = frame.with_columns(pl.col("port").alias("host_key"), pl.col("role").alias("range"))
    nodes = frame.filter(pl.col("node") > 0).with_columns(
        (pl.col("port") + "+agg").alias("port"),
        pl.lit(AGGREGATION_NAME).alias("name"),
        pl.lit(AGGREGATION).alias("role"),
        pl.lit(AGGREGATION).alias("range"),
        pl.lit(AGGREGATION).alias("kind"),
        pl.lit(1, dtype=pl.Int64).alias("number"),
        pl.lit(scene.lmc, dtype=pl.Int64).alias("lmc"),
        pl.col("node").alias("lid"),
    )
    return [frame.select(_KEPT), nodes.select(_KEPT)]


_KEPT = (
    "port",
    "subnet",
    "device",
    "number",
    "role",
    "plane",
    "su",
    "name",
    "lid",
    "lmc",
    "range",
    "phase",
    "kind",
    "host_key",
)


def _units(scene: Scene, crew: Crew) -> Longs:
    """The scalable unit that each switch serves alone: leaves whose node slots lie in one unit, else -1."""
    slots = crew.plane.nodes_per_leaf
    block = crew.place // max(1, crew.shape.leaf_columns)
    first = scene.first_node + block * slots
    unit = first // scene.su_nodes
    alone = (crew.role == 0) & ((first + slots - 1) // scene.su_nodes == unit)
    return np.where(alone, unit, -1)


def _nics(scene: Scene, layout: Layout, ports: Ports, devices: Devices, hosts: int) -> pl.DataFrame:
    """End ports of nodes or service hosts."""
    import polars as pl

    host = pl.Series(ports.host)
    service = ports.far == SERVICE
    which = pl.Series(ports.which)
    ids, names = (devices.service_ids, devices.service_names) if service else (devices.node_ids, devices.node_names)
    if service:
        first = layout.first(SERVICE_ROLE)
        lid = first + ((hosts + np.arange(len(ports.host))) << scene.lmc)
        unit = np.full(len(ports.host), -1, np.int64)
    else:
        lid = node_lids(scene, layout, ports.host, ports.ordinal)
        unit = ports.host // scene.su_nodes
    columns: dict[str, Any] = {
        "device": ids.gather(host).alias("device"),
        "shown": names.gather(host).alias("shown"),
        "nic": pl.Series(list(ports.nics), dtype=pl.String).gather(which),
        "number": pl.Series(list(ports.numbers), dtype=pl.Int64).gather(which),
        "su": unit,
        "lid": lid,
        "phase": devices.phases.gather(pl.Series(phases(devices, ports))),
    }
    frame = pl.DataFrame(columns)
    key = pl.concat_str(["device", pl.lit("/"), "nic"])
    unit_range = pl.format("node/su-{}", pl.col("su").cast(pl.String).str.zfill(3))
    return frame.with_columns(
        # A second port of a card is told apart by its number.
        pl.when(pl.col("number") > 1).then(pl.concat_str([key, pl.lit(":"), "number"])).otherwise(key).alias("port"),
        key.alias("host_key"),
        pl.lit(scene.name).alias("subnet"),
        pl.lit(ports.plane).alias("plane"),
        pl.lit(SERVICE_ROLE if service else NODE_ROLE).alias("role"),
        pl.concat_str(["shown", pl.lit(" "), "nic"]).alias("name"),
        pl.lit(scene.lmc, dtype=pl.Int64).alias("lmc"),
        (pl.lit(SERVICE_ROLE) if service else unit_range).alias("range"),
        pl.lit("nic").alias("kind"),
    ).select(*_KEPT, "nic")


def ranges_table(parts: list[tuple[Scene, Layout]], lids: pl.DataFrame) -> pl.DataFrame:
    """Table `LID_RANGES`: every range with what the plan gives out of it."""
    import polars as pl

    rows = [(scene.name, r.name, r.role, r.su, r.first, r.last) for scene, layout in parts for r in layout.ranges]
    schema = {n: t for n, t in LID_RANGES.polars().items() if n != "used"}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    used = lids.group_by("subnet", "range").agg(
        (pl.lit(1, pl.Int64) * pl.lit(2, pl.Int64).pow(pl.col("lmc"))).sum().alias("used")
    )
    frame = frame.join(used, on=["subnet", "range"], how="left").with_columns(pl.col("used").fill_null(0).cast(pl.Int64))
    return LID_RANGES.conform(frame.select(LID_RANGES.names).sort("subnet", "range"))
