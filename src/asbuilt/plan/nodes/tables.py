"""Tables of what a node must show when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_nodes import HARDWARE, MACHINES, NODE_TRAITS
from asbuilt.plan.nodes.hardware import OUT_OF_BAND, gpu_row, nic_row, trait_row
from asbuilt.plan.nodes.nvlink_trays import nvlink_trays_table
from asbuilt.plan.nodes.software import software_table

if TYPE_CHECKING:
    import polars as pl


def node_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables `hardware node_traits software nvlink_trays` from the expanded ``tables``; `machines` is filled by a list.

    `hardware` has a row for each GPU and NIC part of compute nodes that the catalogue knows, but none for ports of BMCs and
    other management controllers: they are no PCI function of the host.
    """
    import polars as pl

    computing = tables["nodes"].filter(pl.col("role") == "compute")
    gpus = tables["gpus"]["model"].unique().sort().to_list()
    nics = tables["nics"].join(computing.select("node"), on="node", how="semi")["part"].unique().sort().to_list()
    rows = [gpu_row(catalogue.get("gpu", part)) for part in gpus if catalogue.has("gpu", part)]
    rows += [nic_row(catalogue.get("nic", part)) for part in nics if part not in OUT_OF_BAND and catalogue.has("nic", part)]
    hardware = pl.DataFrame(rows, schema=HARDWARE.polars()) if rows else HARDWARE.empty()
    traits = pl.DataFrame([trait_row(design, catalogue)], schema=NODE_TRAITS.polars())
    return {
        "hardware": HARDWARE.conform(hardware.sort("part")),
        "node_traits": NODE_TRAITS.conform(traits),
        "software": software_table(design.requirement, catalogue),
        "machines": MACHINES.empty(),
        "nvlink_trays": nvlink_trays_table(catalogue, tables),
    }
