"""How every end port of a built fabric stands: active, waiting for a subnet manager, dark, or running the wrong link layer.

One row per NIC port and switch port of a subnet, from the cables as they are. Nothing here writes or reads a capture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built

if TYPE_CHECKING:
    import polars as pl

ACTIVE, INIT, POLLING, ETHERNET = "active", "init", "polling", "ethernet"


def nic_states(plan: Plan, built: Built, subnet: str) -> pl.DataFrame:
    """NIC ports of a subnet: port (end port key), device, nic, name, node_guid, port_guid, lid, lmc, rate_gbps, state.

    ``state``: `ACTIVE` behind a live cable, `INIT` behind one that no subnet manager configures, `ETHERNET` when the port runs
    the other link layer, else `POLLING`. ``rate_gbps`` is that of the live cable, null where there is none.
    """
    import polars as pl

    ports = plan.table("lids").filter((pl.col("subnet") == subnet) & pl.col("nic").is_not_null())
    if built.lids:
        lids = dict(plan.table("lids").select("port", "lid").rows())
        carried = {one: lids[two] for one, two in built.lids.items()}
        ports = ports.with_columns(pl.col("port").replace_strict(carried, default=pl.col("lid")).cast(pl.Int64).alias("lid"))
    live = built.live()
    ends = pl.concat(
        [
            live.select(
                pl.concat_str([f"{s}_device", f"{s}_nic"], separator="/").alias("end"),
                pl.col("rate_gbps"),
                pl.col(f"{o}_device").alias("far_device"),
                pl.col(f"{o}_port").alias("far_port"),
                pl.col(f"{o}_nic").alias("far_nic"),
            ).drop_nulls("end")
            for s, o in ("ab", "ba")
        ]
    ).unique("end", keep="first", maintain_order=True)
    frame = ports.with_columns((pl.col("device") + "/" + pl.col("nic")).alias("end")).join(
        ends, on="end", how="left", maintain_order="left"
    )
    wrong = [f"{node}/{nic}" for node, nic in built.ethernet]
    waiting = [f"{node}/{nic}" for node, nic in built.unmanaged]
    state = (
        pl.when(pl.col("end").is_in(wrong))
        .then(pl.lit(ETHERNET))
        .when(pl.col("rate_gbps").is_null())
        .then(pl.lit(POLLING))
        .when(pl.col("end").is_in(waiting))
        .then(pl.lit(INIT))
        .otherwise(pl.lit(ACTIVE))
    )
    return frame.with_columns(state.alias("state")).sort("lid")
