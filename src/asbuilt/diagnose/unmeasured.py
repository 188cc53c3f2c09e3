"""Planned links about which the captures cannot speak: no data is neither a pass nor a fail of the cabling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.model.facts import MADE_GUID
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.diagnose.as_measured import Measured

Array = np.ndarray[Any, Any]


def unmeasured(plan: Plan, measured: Measured, number: Array, ends: list[Array], seen: Array) -> Array:
    """Planned links about which the captures cannot speak: a cut capture without the device, a subnet without capture."""
    import polars as pl

    recorded = np.zeros(len(seen), bool)
    recorded[number[measured.has_record]] = True
    open_ = np.zeros(len(ends[0]), bool)
    if measured.incomplete:
        # The last device of each capture may be the one at which it was cut.
        turns = measured.links["capture_id"].rle_id().to_numpy()
        last = np.flatnonzero(np.append(np.diff(turns) != 0, True)) if len(turns) else np.zeros(0, np.int64)
        open_ |= ~recorded[ends[0]] | np.isin(ends[0], number[measured.own[last]])
    if plan.has("switches"):
        subnets = plan.table("switches").select(pl.col("switch").alias("a_device"), "subnet")
        where = plan.links.select("a_device").join(subnets, on="a_device", how="left", maintain_order="left")
        heard = where.with_columns(pl.Series("seen", seen[ends[0]])).select(
            pl.col("seen").any().over(pl.col("subnet").fill_null(""))
        )
        open_ |= ~heard["seen"].to_numpy()
    elif not seen[np.concatenate([ends[0], ends[2]])].any():
        open_[:] = True
    return open_


def tableless(plan: Plan, names: pl.DataFrame, measured: Measured, number: Array) -> Array:
    """Switches that only their own neighbour table could speak for (LLDP), and of which no capture shows a neighbour."""
    import polars as pl

    made = measured.devices["guid"].str.starts_with(MADE_GUID).to_numpy()[measured.own]
    told = np.zeros(names.height, bool)
    told[number[measured.own]] = True
    if plan.has("switches") and plan.has("subnets"):
        joined = plan.table("switches").join(plan.table("subnets").select("subnet", "technology"), on="subnet", how="left")
        ethernet = joined.filter(pl.col("technology") == "ethernet")["switch"]
        alone = names["key"].is_in(ethernet.implode()).to_numpy()
    else:
        alone = np.full(names.height, bool(len(made) and made.all()))
    found: Array = alone & names["is_switch"].to_numpy() & ~told
    return found


def blind(mute: Array, seen: Array, is_switch: Array, ends: list[Array]) -> Array:
    """Planned links that no captured table could show: those of a switch without one, unless its neighbours' tables, where
    it should stand, show nothing of it. Then it is off, and so are its links."""
    a, b = ends[0], ends[2]
    told = is_switch & ~mute
    beside_told = np.zeros(len(seen), bool)
    beside_told[a[told[b]]] = beside_told[b[told[a]]] = True
    dark = beside_told & ~seen
    found: Array = mute[a] & ~told[b] & ~dark[a] & ~(dark[b] & is_switch[b])
    return found
