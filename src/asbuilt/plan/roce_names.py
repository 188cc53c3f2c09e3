"""What a switch port is called by the system that runs the switch.

Cumulus Linux: ``swp<cage>``, split ``swp<cage>s<part>`` from 0. SONiC: ``Ethernet<first lane>``, lanes numbered through the
cages from 0; a cage of 400 Gb/s and more has eight lanes, others four (QSFP-DD, OSFP; QSFP28).
"""

from __future__ import annotations

import polars as pl

#: A cage from this rate on has eight lanes.
EIGHT_LANES_GBPS = 400.0
EIGHT, FOUR = 8, 4


def interface_names() -> pl.Expr:
    """Interface of switch ports with columns ``label`` (cage, or cage/part), ``speed_gbps``, ``dialect`` and ``top_gbps``, the
    rate of a cage that is not split."""
    cage = pl.col("label").str.extract(r"^(\d+)").cast(pl.Int64)
    part = pl.col("label").str.extract(r"/(\d+)$").cast(pl.Int64).fill_null(1)
    slower = (pl.col("speed_gbps") < pl.col("top_gbps")).fill_null(True)
    split = pl.col("label").str.contains("/", literal=True) & slower
    cumulus = pl.when(split).then(pl.format("swp{}s{}", cage, part - 1)).otherwise(pl.format("swp{}", cage))
    lanes = pl.when(pl.col("top_gbps") >= EIGHT_LANES_GBPS).then(EIGHT).otherwise(FOUR)
    width = (lanes * pl.col("speed_gbps") / pl.col("top_gbps")).cast(pl.Int64).clip(1)
    lane = (cage - 1) * lanes + pl.when(split).then((part - 1) * width).otherwise(0)
    sonic = pl.format("Ethernet{}", lane)
    return pl.when(pl.col("dialect") == "sonic").then(sonic).otherwise(cumulus)
