"""Table `PROTECTIONS`: breakers in series, whether the lower one clears a fault alone."""

from __future__ import annotations

import numpy as np
import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_power import BUSWAYS, PROTECTIONS
from asbuilt.physics.protection import NOT_PROVEN, SELECTIVE, coordination, earliest_pickup
from asbuilt.plan.power.parts import PduPart

_AMPERES_PER_KA = 1000.0


def protections_table(
    design: Design, circuits: pl.DataFrame, pdus: pl.DataFrame, busways: pl.DataFrame | None, tap_ka: pl.Series, pdu: PduPart
) -> pl.DataFrame:
    """Tap-off breaker against the busway's, and one bank of each PDU (they are alike) against its circuit's. What stands above
    the breakers of a panel is the site's, and not known.

    ``tap_ka`` per circuit, in the table's order: the fault right behind the tap-off breaker is the largest that it sees.
    Upper breakers act at once from `power.pickup_multiple` times their rating, 20 % earlier at worst (IEC 60947-2). What stays
    unproven counts as selective where the site names the makers' table or study that proves it.
    """
    power = design.power
    rated = (BUSWAYS.empty() if busways is None else busways).select("busway", pl.col("rating_a").alias("upstream_a"))
    above = circuits.with_columns(tap_ka.alias("tap_ka")).join(rated, on="busway", how="inner", maintain_order="left")
    upper = above.select(
        pl.col("circuit").alias("downstream"),
        pl.col("busway").alias("upstream"),
        pl.col("breaker_a").alias("downstream_a"),
        "upstream_a",
        pl.col("tap_ka").alias("fault_ka"),
        pl.lit(power.icu_ka, pl.Float64).alias("icu_ka"),
    )
    behind = pdus.join(circuits.select("circuit", "breaker_a", "fault_ka"), on="circuit", how="inner", maintain_order="left")
    lower = behind.select(
        pl.format("bank:{}/1", "pdu").alias("downstream"),
        pl.col("circuit").alias("upstream"),
        pl.lit(pdu.bank_breaker_a, pl.Float64).alias("downstream_a"),
        pl.col("breaker_a").alias("upstream_a"),
        "fault_ka",
        pl.lit(power.bank_icu_ka, pl.Float64).alias("icu_ka"),
    )
    frame = pl.concat([upper, lower]) if pdu.banks and pdu.bank_breaker_a is not None else upper
    setting = frame["upstream_a"].to_numpy() * (power.pickup_multiple if power.pickup_multiple is not None else np.nan)
    pickup = earliest_pickup(setting)
    fault = frame["fault_ka"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    below, up = frame["downstream_a"].to_numpy(), frame["upstream_a"].to_numpy()
    verdict, reason = coordination(below, up, pickup, fault * _AMPERES_PER_KA)
    if power.selectivity_study is not None:
        shown = verdict == NOT_PROVEN
        verdict = np.where(shown, SELECTIVE, verdict)
        reason = np.where(shown, f"declared: {power.selectivity_study}", reason)
    out = frame.with_columns(
        (pl.col("upstream_a") / pl.col("downstream_a")).alias("ratio"),
        pl.Series("pickup_ka", pickup / _AMPERES_PER_KA).fill_nan(None),
        pl.Series("verdict", verdict.astype(str).tolist(), dtype=pl.String),
        pl.Series("reason", reason.astype(str).tolist(), dtype=pl.String),
    )
    return PROTECTIONS.conform(out.sort(PROTECTIONS.order))
