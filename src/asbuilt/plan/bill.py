"""The bill of materials, counted from the tables, with spares by a stated rule."""

from __future__ import annotations

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables import BOM
from asbuilt.plan.cooling.bill import cooling_parts
from asbuilt.plan.fibre.bill import direct_jumpers, fibre_parts
from asbuilt.plan.power.bill import power_parts

#: Spare cables and modules where the requirement does not say: five in a hundred, at least one of each part and length.
SPARE_PERCENT = 5.0
_KINDS = ("system", "switch", "nic", "optic", "cable", "fibre", "rack", "power", "cooling", "gpu")


def bill_table(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `BOM`, sorted by category, part, role and length.

    NICs, and GPUs inside systems, are part of the systems and not bought apart; NIC cards that the requirement orders by
    part are listed so that the order can be checked. Spares: `cabling.spare_percent` of each part and length, rounded up.
    """
    stated = design.requirement.cabling.spare_percent
    percent = SPARE_PERCENT if stated is None else stated
    rule = f"counted; spares {percent:g} % of each part and length, rounded up" + (" (assumed)" if stated is None else "")
    frames = [
        _systems(design, tables["nodes"]),
        _switches(tables["switches"]),
        _racks(design, tables["racks"]),
        _optics(tables["transceivers"], percent, rule),
        _cables(direct_jumpers(tables), percent, rule),
        _cords(tables["management_ports"], percent, rule),
        _nics(design, catalogue, tables["nics"]),
        *power_parts(design, tables),
        *cooling_parts(design, tables),
        *fibre_parts(design, catalogue, tables, percent, rule),
    ]
    whole = pl.col("quantity", "spares").cast(pl.Int64)
    frame = pl.concat([f.select(_COLUMNS).with_columns(whole) for f in frames])
    named = frame.join(_names(catalogue, frame), on=["category", "part"], how="left")
    return BOM.conform(named.select(BOM.names).sort(BOM.order))


_COLUMNS = ("part", "role", "category", "quantity", "spares", "length_m", "rule")


def _whole(frame: pl.DataFrame, category: str, rule: str) -> pl.DataFrame:
    return frame.with_columns(
        pl.lit(category).alias("category"), pl.lit(None, dtype=pl.Float64).alias("length_m"), pl.lit(rule).alias("rule")
    )


def _systems(design: Design, nodes: pl.DataFrame) -> pl.DataFrame:
    unit = design.node.nodes_per_unit
    counted = nodes.group_by(pl.col("system").alias("part"), "role").agg(pl.col("unit").n_unique().alias("quantity"))
    rule = f"one for every {unit} compute trays: they come as one rack" if unit > 1 else "one for every node"
    return _whole(counted.with_columns(pl.lit(0).alias("spares")), "system", rule)


def _switches(switches: pl.DataFrame) -> pl.DataFrame:
    role = pl.format("{} {}", "plane", "role")
    counted = switches.group_by(pl.col("model").alias("part"), role.alias("role")).agg(
        (~pl.col("spare")).sum().alias("quantity"), pl.col("spare").sum().alias("spares")
    )
    return _whole(counted, "switch", "one for every chassis; spares are the cold spares asked for")


def _racks(design: Design, racks: pl.DataFrame) -> pl.DataFrame:
    """Racks to buy; NVL72 racks come with the system."""
    bought = racks.filter(pl.col("role") != "compute") if design.node.units_are_racks else racks
    counted = bought.group_by("role").agg(pl.len().alias("quantity"))
    part = design.site.rack_part if not design.node.units_are_racks else "rack-48u"
    return _whole(
        counted.with_columns(pl.lit(part or "rack").alias("part"), pl.lit(0).alias("spares")), "rack", "one for every position"
    )


def _spares(percent: float) -> pl.Expr:
    return (pl.col("quantity") * percent / 100.0 - 1e-9).ceil().cast(pl.Int64).alias("spares")


def _optics(modules: pl.DataFrame, percent: float, rule: str) -> pl.DataFrame:
    where = (
        pl.when(pl.col("device").str.starts_with("node:"))
        .then(pl.lit("node"))
        .otherwise(pl.when(pl.col("device").str.starts_with("svc:")).then(pl.lit("service")).otherwise(pl.lit("switch")))
    )
    counted = modules.group_by("part", where.alias("role")).agg(pl.len().alias("quantity")).with_columns(_spares(percent))
    return _whole(counted, "optic", rule)


def _cables(jumpers: pl.DataFrame, percent: float, rule: str) -> pl.DataFrame:
    counted = jumpers.group_by("part", pl.col("medium").alias("role"), "length_m").agg(pl.len().alias("quantity"))
    return counted.with_columns(_spares(percent), pl.lit("cable").alias("category"), pl.lit(rule).alias("rule"))


def _cords(management: pl.DataFrame, percent: float, rule: str) -> pl.DataFrame:
    known = management.filter(pl.col("part").is_not_null())
    counted = known.group_by("part", "length_m").agg(pl.len().alias("quantity")).with_columns(_spares(percent))
    return counted.with_columns(
        pl.lit("management port").alias("role"), pl.lit("cable").alias("category"), pl.lit(rule).alias("rule")
    )


def _nics(design: Design, catalogue: Catalogue, nics: pl.DataFrame) -> pl.DataFrame:
    """Cards behind the NIC ports: ports of a part over the ports of one card. Only where the requirement orders them."""
    ordered = design.requirement.node.nics is not None
    counted = nics.filter(pl.col("plane") != "oob") if ordered else nics.clear()
    grouped = counted.group_by("part", pl.col("plane").alias("role")).agg(pl.len().alias("ports"))
    each = {p: int(catalogue.get("nic", p).value("ports", 1)) for p in grouped["part"].unique() if catalogue.has("nic", p)}
    cards = pl.col("part").replace_strict(each, default=1, return_dtype=pl.Int64)
    quantity = (pl.col("ports").cast(pl.Int64) + cards - 1) // cards
    rule = "ports over ports of one card; ordered with the systems"
    return _whole(grouped.with_columns(quantity.alias("quantity"), pl.lit(0).alias("spares")), "nic", rule)


def _names(catalogue: Catalogue, frame: pl.DataFrame) -> pl.DataFrame:
    """Description and lowest confidence of each part; a service appliance is a switch entry of the catalogue."""
    rows = []
    for category, part in frame.select("category", "part").unique().sort("category", "part").rows():
        kind = next((k for k in (category, *_KINDS) if catalogue.has(k, part)), None)
        if kind is None:
            rows.append((category, part, part, "low"))
            continue
        entry = catalogue.get(kind, part)
        least = min((f.confidence for f in entry.figures.values()), key=lambda c: c.rank, default=None)
        rows.append((category, part, entry.name, least.value if least else "low"))
    schema = ["category", "part", "description", "confidence"]
    return pl.DataFrame(rows, schema=dict.fromkeys(schema, pl.String), orient="row")
