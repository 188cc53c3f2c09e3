"""Everything with a power cord, rack by rack from the bottom: servers, switches, service hosts, storage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.plan.figures import SERVICE_PART
from asbuilt.plan.placement import COMPUTE
from asbuilt.plan.power.draws import Draw, node_draw, other_draw, storage_draw
from asbuilt.plan.power.racks import Flags, Ints, Racks

_COLUMNS = ("device", "rack", "u", "kind", "phase")


@dataclass(frozen=True, slots=True)
class Devices:
    """One entry per device with cords, in the order of racks and, inside, of U; ``kind`` numbers ``draws``.

    Devices that are not ``planned`` fill the finished row; they have no key.
    """

    ids: pl.Series
    rack: Ints
    kind: Ints
    planned: Flags
    phase: pl.Series
    draws: list[Draw]

    def __len__(self) -> int:
        return len(self.rack)


def powered_devices(
    design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame], racks: Racks
) -> tuple[Devices, Draw]:
    """All devices with cords, and the figures of a node (or rack-scale rack)."""
    node = node_draw(design, catalogue)
    draws: list[Draw] = [node]
    frames = []
    nodes = tables["nodes"]
    if not design.node.units_are_racks:
        frames.append(_placed(nodes.filter(pl.col("role") == "compute"), "node", 0))
    hosts = nodes.filter(pl.col("role") == "service")
    if hosts.height:
        draws.append(other_draw(design, catalogue, SERVICE_PART, "service"))
        frames.append(_placed(hosts, "node", len(draws) - 1))
    inside = tables["racks"].filter(pl.col("role") == "compute")["rack"] if design.node.units_are_racks else None
    switches = tables["switches"].filter(~pl.col("spare"))
    if inside is not None:  # what a rack-scale rack brings along hangs on its own supply
        switches = switches.filter(~pl.col("rack").is_in(inside.implode()))
    for model in sorted(switches["model"].unique().to_list()):
        draws.append(other_draw(design, catalogue, model, "switch"))
        frames.append(_placed(switches.filter(pl.col("model") == model), "switch", len(draws) - 1))
    for rack, part, watts in (
        tables["loads"].filter(pl.col("role") == "storage").select("rack", "part", "nameplate_w").sort("rack").iter_rows()
    ):
        draw = storage_draw(design, catalogue, part, watts)
        if draw not in draws:
            draws.append(draw)
        frames.append(_storage(rack, tables["racks"], draws.index(draw)))
    later = _later(design, tables, racks)
    if later.height:
        frames.append(later)
    return _sorted(frames, racks, draws), node


def _placed(frame: pl.DataFrame, key: str, kind: int) -> pl.DataFrame:
    return frame.select(
        pl.col(key).alias("device"), "rack", pl.col("u").cast(pl.Float64), pl.lit(kind, pl.Int32).alias("kind"), "phase"
    )


def _storage(rack: str, racks: pl.DataFrame, kind: int) -> pl.DataFrame:
    phase = racks.filter(pl.col("rack") == rack)["phase"].item()
    name = "storage:" + rack.removeprefix("rack:")
    row = {"device": [name], "rack": [rack], "u": [0.0], "kind": [kind], "phase": [phase]}
    return pl.DataFrame(row, schema_overrides={"kind": pl.Int32})


def _later(design: Design, tables: dict[str, pl.DataFrame], racks: Racks) -> pl.DataFrame:
    """Servers that the finished row holds beyond those of the plan; keys are null."""
    per_rack = design.site.nodes_per_rack
    at = racks.ids.gather(np.flatnonzero((racks.role == COMPUTE) & racks.server))
    held = tables["nodes"].filter(pl.col("role") == "compute").group_by("rack").agg(pl.len().alias("held"))
    lacking = (
        pl.DataFrame({"rack": at})
        .join(held, on="rack", how="left", maintain_order="left")
        .with_columns((per_rack - pl.col("held").fill_null(0)).clip(0).alias("lacking"))
    )
    return (
        lacking.select(pl.col("rack").repeat_by("lacking").explode())
        .drop_nulls()
        .select(
            pl.lit(None, pl.String).alias("device"),
            "rack",
            pl.lit(float(design.site.rack_height_u)).alias("u"),
            pl.lit(0, pl.Int32).alias("kind"),
            pl.lit("").alias("phase"),
        )
    )


def _sorted(frames: list[pl.DataFrame], racks: Racks, draws: list[Draw]) -> Devices:
    order = pl.DataFrame({"rack": racks.ids, "at": np.arange(len(racks), dtype=np.int32)})
    empty = pl.DataFrame(schema={"device": pl.String, "rack": pl.String, "u": pl.Float64, "kind": pl.Int32, "phase": pl.String})
    every = pl.concat([empty, *(f.select(_COLUMNS) for f in frames)]).join(order, on="rack", how="inner")
    every = every.sort("at", pl.col("device").is_null(), "u", "device")
    return Devices(
        ids=every["device"],
        rack=every["at"].to_numpy(),
        kind=every["kind"].to_numpy(),
        planned=every["device"].is_not_null().to_numpy(),
        phase=every["phase"],
        draws=draws,
    )
