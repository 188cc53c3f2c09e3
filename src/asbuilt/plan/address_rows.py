"""Rows of table `ADDRESSES` from columns: addresses travel as numbers until here."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.base.ipv4 import dotted
from asbuilt.model.tables_address import ADDRESSES


def address_rows(
    *,
    device: pl.Series,
    interface: str,
    plane: str,
    network: pl.Series,
    address: np.ndarray[Any, Any],
    prefix: int,
    name: pl.Series,
    kind: str,
    phase: pl.Series,
) -> pl.DataFrame:
    """One row per device. ``address`` as IPv4 numbers, -1 for an interface that finds none."""
    frame = pl.DataFrame({"device": device, "network": network, "name": name, "phase": phase, "n": address.astype(np.int64)})
    return ADDRESSES.conform(
        frame.select(
            "device",
            pl.lit(interface).alias("interface"),
            pl.lit(plane).alias("plane"),
            "network",
            dotted(pl.col("n")).alias("address"),
            pl.lit(prefix, dtype=pl.Int64).alias("prefix"),
            "name",
            pl.lit(kind).alias("kind"),
            "phase",
        )
    )


def service_numbers(hosts: pl.DataFrame) -> np.ndarray[Any, Any]:
    """Number of each service host within its plane: the end of its key."""
    return hosts["node"].str.extract(r"-(\d+)$").cast(pl.Int64).to_numpy()
