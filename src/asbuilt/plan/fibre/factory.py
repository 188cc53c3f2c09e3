"""The copper NVLink of rack-scale systems: built in, never pulled, patched or labelled; and what would cross that line."""

from __future__ import annotations

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import FACTORY_PARTS

#: What of a rack's NVLink spine the catalogue counts, by its key there.
_PARTS = {"spine_cartridges": "NVLink cable cartridge", "spine_cables": "NVLink copper cable in the cartridges"}
NVLINK_SWITCH = "nvlink-switch"


def factory_parts_table(design: Design, catalogue: Catalogue, nodes: pl.DataFrame) -> pl.DataFrame:
    """Table `FACTORY_PARTS`: a row per rack and part, where the systems come as racks and the catalogue counts the parts."""
    if not design.node.units_are_racks:
        return FACTORY_PARTS.empty()
    system = catalogue.get("system", design.node.system)
    racks = nodes.filter(pl.col("role") == "compute").group_by("rack").agg(pl.col("unit").min())
    frames = []
    for key, name in _PARTS.items():
        if not system.has(key):
            continue
        figure = system.cite(key).figure
        frames.append(
            racks.select(
                pl.lit(name).alias("part"),
                "rack",
                pl.format("nvlink:{}", "unit").alias("domain"),
                pl.lit(int(figure.value), dtype=pl.Int64).alias("quantity"),
                pl.lit(figure.source).alias("source"),
                pl.lit(figure.confidence.value).alias("confidence"),
            )
        )
    return FACTORY_PARTS.conform(pl.concat(frames).sort("rack", "part")) if frames else FACTORY_PARTS.empty()


def nvlink_crossings(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Columns subject and device: jumpers, management cords and links with an end at an NVLink switch tray. There must be none.

    Trays are devices of kind ``nvlink-switch`` in ``rack_slots``; a cable that names the slot, or the tray by its name, crosses
    the line. Trunks follow jumpers, and labels follow both.
    """
    trays = tables["rack_slots"].filter(pl.col("kind") == NVLINK_SWITCH)
    inside = pl.concat([trays["device"], trays["slot"]]).unique()
    ends = [
        tables[table].select(pl.col(key).alias("subject"), pl.col(end).alias("device"))
        for table, key, end in (
            ("jumpers", "jumper", "a_device"),
            ("jumpers", "jumper", "b_device"),
            ("links", "link", "a_device"),
            ("links", "link", "b_device"),
            ("management_ports", "device", "switch"),
        )
        if table in tables
    ]
    return pl.concat(ends).filter(pl.col("device").is_in(inside.implode())).unique().sort("subject", "device")
