"""Power, heat and weight: what stands in each rack, by kind of device, and summed for the rack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from asbuilt.base.row_letters import row_letters
from asbuilt.model.design import Design
from asbuilt.model.tables import LOADS, RACKS
from asbuilt.plan.devices import rack_ids, rack_names
from asbuilt.plan.figures import DeviceFigures
from asbuilt.plan.placement import RACK_ROLES, Floats, Hall, Ints

WATTS = ("nameplate_w", "expected_w", "heat_w", "liquid_w")


def device_loads(
    hall: Hall, rack: Ints, kinds: Ints, figures: Sequence[DeviceFigures], roles: Sequence[str], powered: Sequence[bool]
) -> pl.DataFrame:
    """One row per rack and kind of device: counts and sums, W, kg, m³/h, U. ``kinds[i]`` picks the figures of device i.

    A device that is not powered (a cold spare) takes height and weight and no power.
    """
    on = np.asarray(powered, np.float64)
    columns = {name: np.asarray([getattr(f, name) for f in figures]) * on for name in WATTS}
    kind = pl.DataFrame(
        {
            "kind": np.arange(len(figures), dtype=np.int32),
            "part": [f.part for f in figures],
            "role": list(roles),
            **{f"each_{k}": v for k, v in columns.items()},
            "each_kg": [f.weight_kg for f in figures],
            "each_air": pl.Series(
                [f.airflow_m3_h if p else 0.0 for f, p in zip(figures, powered, strict=True)], dtype=pl.Float64
            ),
            "each_u": [f.height_u for f in figures],
            "confidence": [f.confidence for f in figures],
        },
        schema_overrides={"each_kg": pl.Float64, "each_air": pl.Float64},
    )
    # Sorted before anything is summed: floating sums depend on the order, and the plan's hash on every bit.
    grouped = pl.DataFrame({"at": rack, "kind": kinds}).group_by("at", "kind").len("count").sort("at", "kind")
    counted = grouped.join(kind, on="kind", how="left", maintain_order="left")
    count = pl.col("count").cast(pl.Float64)
    return counted.with_columns(
        [(count * pl.col(f"each_{n}")).alias(n) for n in columns]
        + [
            (count * pl.col("each_kg")).alias("kg"),
            (count * pl.col("each_air")).alias("air"),
            (count * pl.col("each_u")).alias("u"),
        ]
    ).with_columns(rack_ids(hall).gather(counted["at"]).alias("rack"))


def loads_table(devices: pl.DataFrame) -> pl.DataFrame:
    """Table `LOADS` from `device_loads`, cold spares left out."""
    kept = devices.filter(pl.col("role") != "spare")
    merged = kept.group_by("rack", "part", "role", maintain_order=True).agg(
        pl.col("count").sum(),
        *[pl.col(n).sum() for n in WATTS],
        pl.col("confidence").first(),
    )
    return LOADS.conform(merged.sort("rack", "part", "role"))


def racks_table(
    design: Design, hall: Hall, devices: pl.DataFrame, phase: Ints, phases: pl.Series, extra_u: Floats
) -> pl.DataFrame:
    """Table `RACKS`, sorted by key. ``phase`` per rack; ``extra_u`` what an NVL72 rack holds beside its compute trays."""
    site = design.site
    sums = devices.group_by("at", maintain_order=True).agg(
        pl.col("u").sum(),
        *[pl.col(n).sum() for n in WATTS],
        pl.col("kg").sum(),
        # Unknown air of one device makes the rack's figure unknown, never a smaller number.
        pl.when(pl.col("air").is_null().any()).then(None).otherwise(pl.col("air").sum()).alias("air"),
    )
    own = 0.0 if design.node.units_are_racks else (site.rack_own_weight_kg or 0.0)
    letters = pl.Series([row_letters(r) for r in range(int(hall.row.max(initial=-1)) + 1)], dtype=pl.String)
    network_own = site.rack_own_weight_kg or 0.0
    frame = pl.DataFrame(
        {
            "at": np.arange(len(hall), dtype=np.int32),
            "rack": rack_ids(hall),
            "name": rack_names(hall),
            "role": pl.Series(list(RACK_ROLES)).gather(pl.Series(hall.kind)),
            "row": letters.gather(pl.Series(hall.row)),
            "position": hall.position,
            "x_mm": hall.x_mm,
            "y_mm": hall.y_mm,
            "extra": extra_u,
            "own": np.where(hall.kind == 0, own, network_own),
            "phase": phases.gather(pl.Series(phase)),
        }
    ).join(sums, on="at", how="left", maintain_order="left")
    out = frame.select(
        "rack",
        "name",
        "role",
        "row",
        "position",
        "x_mm",
        "y_mm",
        pl.lit(site.rack_height_u).alias("height_u"),
        (pl.col("u").fill_null(0.0) + pl.col("extra")).alias("used_u"),
        *[
            pl.col(n).fill_null(0.0).alias(to)
            for n, to in zip(WATTS, ("power_w", "expected_w", "heat_w", "liquid_w"), strict=True)
        ],
        (pl.col("kg").fill_null(0.0) + pl.col("own")).alias("weight_kg"),
        pl.col("air").alias("airflow_m3_h"),
        "phase",
    )
    return RACKS.conform(out.sort("rack"))
