"""The measured topology of machines as tables (`model.measured_nodes`), from what their tools said apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asbuilt.base.table import Schema
from asbuilt.diagnose.topology import gpu_functions, matrix, network_functions, once, relations
from asbuilt.model.measured_nodes import GPU_PLACES, NEAR, PORT_PLACES

if TYPE_CHECKING:
    import polars as pl

#: What `topology_tables` looks at.
TOPOLOGY_OF = (
    "topology_measured", "pci_measured", "nic_function_measured", "numa_measured", "processor_measured", "affinity_measured",
)  # fmt: skip


def topology_tables(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """`GPU_PLACES PORT_PLACES NEAR` as far as ``tables`` (``pci_measured`` and others, see `node_tables`) tell them."""
    import polars as pl

    made: dict[str, pl.DataFrame] = {}
    after = matrix(tables["topology_measured"]) if "topology_measured" in tables else None
    if "pci_measured" in tables:
        pci = tables["pci_measured"]
        numa = _numa(tables)
        origin = once(pci).select("node", "address", "capture_id", "line")
        gpus = gpu_functions(pci).with_columns(pl.when(pl.col("numa_node") >= 0).then("numa_node").alias("numa"))
        driver = _driver(tables)
        places = gpus.join(numa, on=["node", "numa"], how="left").join(driver, on=["node", "gpu"], how="left")
        made[GPU_PLACES.name] = _conformed(GPU_PLACES, places.join(origin, on=["node", "address"], how="left"))
        functions = tables.get("nic_function_measured")
        if functions is not None:
            ports = network_functions(pci, functions)
            place = ports.with_columns(pl.when(pl.col("numa_node") >= 0).then("numa_node").alias("numa"))
            place = place.join(numa, on=["node", "numa"], how="left").join(origin, on=["node", "address"], how="left")
            made[PORT_PLACES.name] = _conformed(PORT_PLACES, place)
            before = relations(pci, gpu_functions(pci), ports)
            made[NEAR.name] = _near(before, after, gpus)
    if NEAR.name not in made and after is not None:
        none = [pl.lit(None, dtype=pl.String).alias("before"), pl.lit(None, dtype=pl.Boolean).alias("same_numa")]
        alone = after.rename({"relation": "after"}).with_columns(*none, pl.lit(True).alias("one_domain"))
        made[NEAR.name] = _conformed(NEAR, alone.unique(NEAR.key, keep="first", maintain_order=True))
    return made


def _near(before: pl.DataFrame, after: pl.DataFrame | None, gpus: pl.DataFrame) -> pl.DataFrame:
    """Both views of every pair; a pair that only the driver names (a port without a legend) has no row."""
    import polars as pl

    # Every GPU on a PCI domain of its own: Grace. There the driver finds no way that is not over the system.
    domains = gpus.group_by("node").agg(pl.col("address").str.slice(0, 4).n_unique().alias("domains"), pl.len().alias("count"))
    one = domains.select("node", ((pl.col("domains") < pl.col("count")) | (pl.col("count") < 2)).alias("one_domain"))
    found = before.rename({"relation": "before"}).join(one, on="node", how="left")
    if after is None:
        none = [
            pl.lit(None, dtype=t).alias(c) for c, t in (("after", pl.String), ("capture_id", pl.String), ("line", pl.Int64))
        ]
        return _conformed(NEAR, found.with_columns(none))
    cells = after.rename({"relation": "after"}).unique(NEAR.key, keep="first", maintain_order=True)
    return _conformed(NEAR, found.join(cells, on=["node", "gpu", "device"], how="left"))


def _conformed(schema: Schema, frame: pl.DataFrame) -> pl.DataFrame:
    return schema.conform(frame.select(c for c in schema.names if c in frame.columns))


def _numa(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """node, numa, socket, cpus of NUMA nodes with processors."""
    import polars as pl

    empty = pl.DataFrame(schema={"node": pl.String, "numa": pl.Int64, "socket": pl.Int64, "cpus": pl.String})
    if "numa_measured" not in tables:
        return empty
    rows = tables["numa_measured"].filter(pl.col("cpus").fill_null("") != "")
    rows = rows.unique(["node", "numa"], keep="first", maintain_order=True).sort("node", "numa")
    sockets = empty.select("node", pl.lit(0).alias("sockets"))
    if "processor_measured" in tables:
        told = tables["processor_measured"].filter(pl.col("sockets").is_not_null())
        sockets = told.group_by("node").agg(pl.col("sockets").first())
    rows = rows.join(sockets, on="node", how="left")
    rank = pl.int_range(pl.len()).over("node")
    return rows.select("node", "numa", (rank * pl.col("sockets") // pl.len().over("node")).alias("socket"), "cpus")


def _driver(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """node, gpu, driver_cpus: the processors that the driver calls near to each GPU."""
    import polars as pl

    if "affinity_measured" not in tables:
        return pl.DataFrame(schema={"node": pl.String, "gpu": pl.Int64, "driver_cpus": pl.String})
    rows = tables["affinity_measured"].with_columns(pl.col("device").str.extract(r"^GPU(\d+)$", 1).cast(pl.Int64).alias("gpu"))
    rows = rows.filter(pl.col("gpu").is_not_null() & pl.col("cpus").is_not_null())
    return rows.group_by("node", "gpu").agg(pl.col("cpus").first().alias("driver_cpus"))
