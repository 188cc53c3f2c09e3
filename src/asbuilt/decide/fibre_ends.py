"""Cords and connector ends of the plan, where each is handled. Takes the plan's tables by name, gives frames of pieces.

A channel (`channels`) is a jumper with connectors of its own. It is one cord from module to module, or two cords with a trunk
between two panels. Cables with fixed ends (``aoc``, copper) have no end face that anybody could look at.
"""

from __future__ import annotations

import polars as pl

_COPPER = ("copper", "active-copper")


def fibre_cords(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A row for each fibre cord with its ``rack``.

    A cord from end to end is laid with the rack of the node, or of the lower tier's switch; over a trunk there is one in the
    rack of either panel. Active optical cables are laid as cords.
    """
    fibre = tables["jumpers"].filter(~pl.col("medium").is_in(_COPPER))
    over = _over_trunks(tables)
    whole = fibre.join(over.select("jumper"), on="jumper", how="anti")
    return pl.concat([_hung(tables, whole), _at_panels(tables, over)])


def copper_cables(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A row for each copper cable with its ``rack``, patch cords of management ports among them."""
    copper = tables["jumpers"].filter(pl.col("medium").is_in(_COPPER))
    managed = tables["management_ports"].filter(pl.col("part").is_not_null()).select("device")
    return pl.concat([_hung(tables, copper), _placed(tables, managed)])


def connector_mates(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A row for each plug of a cord that is pushed home, with the ``rack`` where that happens: at a module or at a panel."""
    return pl.concat([_at_modules(tables), _at_panels(tables, _over_trunks(tables))])


def connector_faces(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A row with ``rack`` and ``pieces`` for the end faces that are looked at before anything is mated.

    Of each plug at a module: the plug and the module's own face. Of each plug at a panel: the plug; the face behind it is a
    leg of the trunk. Of every trunk, spares too, all its legs at both ends, used or not: a fouled one passes its dirt on.
    """
    modules = _at_modules(tables).select("rack", pieces=pl.lit(2.0))
    panels = _at_panels(tables, _over_trunks(tables)).select("rack", pieces=pl.lit(1.0))
    legs = pl.col("usable_fibres") // pl.col("fibres_per_port")
    bundles = tables["bundles"].select("bundle", pieces=legs.cast(pl.Float64))
    ends = _at_panels(tables, tables["trunks"].join(bundles, on="bundle", how="left"))
    return pl.concat([modules, panels, ends.select("rack", "pieces")])


def _over_trunks(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Channels over a trunk, with ``a_panel`` and ``b_panel``."""
    panels = tables["trunks"].select("trunk", "a_panel", "b_panel")
    return tables["channels"].filter(pl.col("trunk").is_not_null()).join(panels, on="trunk", how="left")


def _at_panels(tables: dict[str, pl.DataFrame], frame: pl.DataFrame) -> pl.DataFrame:
    """Each row of ``frame`` twice, with the ``rack`` of its ``a_panel`` and of its ``b_panel``."""
    racks = tables["panels"].select("panel", "rack")
    kept = [name for name in ("pieces",) if name in frame.columns]
    sides = [frame.select(pl.col(side).alias("panel"), *kept) for side in ("a_panel", "b_panel")]
    return pl.concat(sides).join(racks, on="panel", how="left").select("rack", *kept)


def _at_modules(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Each plug at a module with its ``rack``: one at the reference end, at the far end as many as the cable has there."""
    jumpers = tables["jumpers"].join(tables["channels"].select("jumper"), on="jumper", how="semi")
    jumpers = jumpers.join(tables["parts"].select("part", "ports"), on="part", how="left")
    near = jumpers.select(pl.col("a_device").alias("device"))
    split = pl.col("ports").fill_null(1) > 1
    single = jumpers.filter(~split).select(pl.col("b_device").alias("device"))
    links = tables["links"].join(jumpers.filter(split).select("jumper"), on="jumper", how="semi")
    several = links.unique(["jumper", "b_device", "b_label"], maintain_order=True).select(pl.col("b_device").alias("device"))
    return _placed(tables, pl.concat([near, single, several]))


def _hung(tables: dict[str, pl.DataFrame], jumpers: pl.DataFrame) -> pl.DataFrame:
    """The ``rack`` where each jumper hangs: that of the node or service host, between switches the lower tier's."""
    between = pl.col("b_device").str.starts_with("sw:")
    hung = pl.when(between).then(pl.col("a_device")).otherwise(pl.col("b_device"))
    return _placed(tables, jumpers.select(device=hung))


def _placed(tables: dict[str, pl.DataFrame], devices: pl.DataFrame) -> pl.DataFrame:
    nodes = tables["nodes"].select(pl.col("node").alias("device"), "rack")
    racks = pl.concat([nodes, tables["switches"].select(pl.col("switch").alias("device"), "rack")])
    return devices.join(racks, on="device", how="left").select("rack")
