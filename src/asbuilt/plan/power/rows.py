"""The tables of circuits, PDUs, cords and busways, from the arrays."""

from __future__ import annotations

import numpy as np
import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_power import BUSWAYS, CIRCUITS, CORDS, PDUS
from asbuilt.physics.cords import rated_amperes
from asbuilt.plan.power.branches import Branches
from asbuilt.plan.power.busways import Busways
from asbuilt.plan.power.devices import Devices
from asbuilt.plan.power.loads import CordLoads
from asbuilt.plan.power.outlets import PHASES, Plugged
from asbuilt.plan.power.parts import BuswayPart, CircuitPart, PduPart
from asbuilt.plan.power.racks import Flags, Floats, Ints, Racks
from asbuilt.plan.power.sharing import Supplies

LETTERS = ["A", "B", "C", "D"]
TO_NEUTRAL = ["L1", "L2", "L3"]
BETWEEN = ["L1-L2", "L2-L3", "L3-L1"]


def feed_keys(feed: Ints) -> pl.Series:
    """``feed:A`` of each number."""
    return ("feed:" + pl.Series(LETTERS).gather(feed.astype(np.int64))).alias("feed")


def known(values: Floats) -> pl.Series:
    """NaN as null."""
    return pl.Series(values, dtype=pl.Float64).fill_nan(None)


def busway_keys(racks: Racks, busways: Busways) -> pl.Series:
    """``busway:A/B``: row and feed letter."""
    rows = pl.Series(racks.rows, dtype=pl.String).gather(busways.row.astype(np.int64))
    return ("busway:" + rows + "/" + pl.Series(LETTERS).gather(busways.feed.astype(np.int64))).alias("busway")


def circuits_table(
    design: Design,
    racks: Racks,
    branches: Branches,
    parts: list[CircuitPart],
    pdu: PduPart,
    busways: Busways | None,
    figures: dict[str, Floats],
    keep: Flags,
) -> pl.DataFrame:
    """Table `CIRCUITS`. ``figures``: load_a, lost_a, drop_percent, fault_ka per circuit."""
    labels = branches.labels(racks)
    pick = pl.Series(branches.part.astype(np.int64))
    shelf_number = pl.Series(branches.shelf + 1).cast(pl.String)
    receptacle = pl.Series([c.receptacle for c in parts]).gather(pick)
    frame = pl.DataFrame(
        {
            "circuit": "circuit:" + labels,
            "rack": racks.ids.gather(branches.rack),
            "feed": feed_keys(branches.feed),
            "busway": pl.Series([None] * len(branches), dtype=pl.String)
            if busways is None
            else busway_keys(racks, busways).gather(busways.of_circuit),
            "tap_m": pl.Series([None] * len(branches), dtype=pl.Float64) if busways is None else busways.tap_m,
            "pdu": "pdu:" + labels,
            "shelf": "shelf:" + racks.names.gather(branches.rack) + "/" + shelf_number,
            "is_shelf": branches.shelf >= 0,
            "breaker_a": pl.Series([c.breaker_a for c in parts]).gather(pick),
            "usable_a": pl.Series([c.usable_a for c in parts]).gather(pick),
            "conductors": pl.Series([c.conductors for c in parts]).gather(pick),
            "part": pl.Series([c.part for c in parts]).gather(pick),
            "receptacle": receptacle,
            "side": branches.side,
            "whip_m": branches.whip_m,
            "door": branches.door,
            "load_a": figures["load_a"],
            "lost_a": figures["lost_a"],
            "drop_percent": figures["drop_percent"],
            "fault_ka": known(figures["fault_ka"]),
            "phase": racks.phase.gather(branches.rack),
        }
    ).filter(pl.Series(keep))
    shelf = pl.col("is_shelf")
    return CIRCUITS.conform(
        frame.with_columns(
            pl.when(shelf).then("shelf").otherwise("pdu").alias("serves"),
            # A shelf's whip ends in what the circuit's receptacle takes; a PDU brings its plug along.
            pl.when(shelf).then("receptacle").otherwise(pl.lit(pdu.plug)).alias("plug"),
            pl.lit(design.power.voltage_v).alias("voltage_v"),
        )
        .drop("pdu", "shelf", "is_shelf")
        .sort("circuit")
    )


def pdus_table(design: Design, racks: Racks, branches: Branches, pdu: PduPart, keep: Flags) -> pl.DataFrame:
    """Table `PDUS`: one at the end of every circuit that serves no shelf."""
    labels = branches.labels(racks)
    frame = pl.DataFrame(
        {
            "pdu": "pdu:" + labels,
            "rack": racks.ids.gather(branches.rack),
            "feed": feed_keys(branches.feed),
            "circuit": "circuit:" + labels,
            "side": branches.side,
            "phase": racks.phase.gather(branches.rack),
        }
    ).filter(pl.Series(keep & (branches.shelf < 0)))
    return PDUS.conform(
        frame.with_columns(
            pl.lit(pdu.part).alias("part"),
            pl.lit(pdu.rating_a).alias("rating_a"),
            pl.lit(pdu.usable_a).alias("usable_a"),
            pl.lit(pdu.basis).alias("rating_basis"),
            pl.lit(pdu.voltage_v).alias("voltage_v"),
            pl.lit(PHASES).alias("conductors"),
            pl.lit(pdu.c13).alias("outlets_c13"),
            pl.lit(pdu.c19).alias("outlets_c19"),
            pl.lit(pdu.banks).alias("banks"),
            pl.lit(pdu.bank_a, pl.Float64).alias("bank_a"),
            pl.lit(pdu.inlet_max_c, pl.Float64).alias("inlet_max_c"),
        ).sort("pdu")
    )


def cords_table(
    design: Design,
    racks: Racks,
    devices: Devices,
    supplies: Supplies,
    branches: Branches,
    circuit: Ints,
    plugged: Plugged,
    pdu: PduPart,
    loads: CordLoads,
) -> pl.DataFrame:
    """Table `CORDS`: every planned supply with its outlet, bank and conductor, and the parts of its cord."""
    kinds = pl.Series(devices.kind[supplies.device].astype(np.int64))
    plug, connector, inlet = (
        pl.Series([getattr(d, n) for d in devices.draws]).gather(kinds) for n in ("plug", "connector", "inlet")
    )
    names = BETWEEN if pdu.between else TO_NEUTRAL
    frame = pl.DataFrame(
        {
            "device": devices.ids.gather(supplies.device),
            "supply": supplies.number,
            "rack": racks.ids.gather(supplies.rack),
            "feed": feed_keys(supplies.asked),
            "pdu": ("pdu:" + branches.labels(racks)).gather(circuit),
            "outlet": plugged.outlet + 1,
            "large": plugged.large,
            "bank": plugged.bank + 1,
            "conductor": pl.Series(names).gather(plugged.conductor.astype(np.int64)),
            "inlet": inlet,
            "plug": plug,
            "connector": connector,
            "nominal_w": loads.healthy_w,
            "lost_w": loads.lost_w,
            "phase": devices.phase.gather(supplies.device),
        }
    ).filter(pl.Series(devices.planned[supplies.device]))
    frame = frame.with_columns(
        pl.format("cord:{}/{}", "device", "supply").alias("cord"),
        pl.when("large").then(pl.lit("C19")).otherwise(pl.lit("C13")).alias("outlet_type"),
        # A small plug in a large outlet is a cord with a C20 plug and a C13 (C15) connector.
        pl.when("large").then(pl.lit("C20")).otherwise("plug").alias("plug"),
        pl.lit(design.power.cord_m).alias("length_m"),
    ).drop("large")
    ends = frame.select("plug", "connector").unique().sort("plug", "connector")
    rated = rated_amperes(ends["plug"].to_list(), ends["connector"].to_list(), design.power.basis)
    frame = frame.join(ends.with_columns(pl.Series("rating_a", rated)), on=["plug", "connector"], how="left")
    return CORDS.conform(frame.sort("cord"))


def busways_table(
    racks: Racks, branches: Branches, busways: Busways, parts: list[BuswayPart], now: Floats, entry: str
) -> pl.DataFrame:
    """Table `BUSWAYS`. ``now``: A (cases, n, 4) of the planned racks, healthy first; ``busways`` has the finished row's."""
    planned = racks.planned[branches.rack]
    pick = pl.Series(busways.part.astype(np.int64))
    first = pl.DataFrame({"busway": busways.of_circuit[planned], "phase": racks.phase.gather(branches.rack[planned])})
    phase = first.group_by("busway").agg(pl.col("phase").first())  # circuits stand in the order of the row
    frame = pl.DataFrame(
        {
            "at": np.arange(len(busways.row), dtype=np.int32),
            "busway": busway_keys(racks, busways),
            "row": pl.Series(racks.rows, dtype=pl.String).gather(busways.row.astype(np.int64)),
            "feed": feed_keys(busways.feed),
            **{
                to: pl.Series([getattr(p, name) for p in parts]).gather(pick)
                for name, to in (
                    ("part", "part"),
                    ("rating_a", "rating_a"),
                    ("usable_a", "usable_a"),
                    ("r_mohm_m", "r_mohm_m"),
                    ("x_mohm_m", "x_mohm_m"),
                )
            },
            "entry": [entry] * len(busways.row),
            "length_m": racks.row_m[busways.row],
            "taps": np.bincount(busways.of_circuit[planned], minlength=len(busways.row)),
            "taps_full": np.bincount(busways.of_circuit, minlength=len(busways.row)),
            "load_a": now[0, :, :PHASES].max(axis=-1),
            "lost_a": now[..., :PHASES].max(axis=(0, 2)),
            "full_a": busways.full_a[..., :PHASES].max(axis=(0, 2)),
            "neutral_a": busways.full_a[..., PHASES].max(axis=0),
            "drop_percent": busways.drop_percent,
            "fault_ka": known(busways.far_ka),
        }
    ).join(phase, left_on="at", right_on="busway", how="left")
    return BUSWAYS.conform(frame.drop("at").with_columns(pl.col("phase").fill_null("")).sort("busway"))
