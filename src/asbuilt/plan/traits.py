"""What the parts of the plan can do, and what was promised of its planes, as tables that checks can join."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from asbuilt.base.origin import Confidence
from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Plane
from asbuilt.model.tables_design import PARTS, PLANES, POWER_SOURCES

if TYPE_CHECKING:
    import polars as pl

#: table -> (column that names a part, kind of part in the catalogue; "" when it may be an optic or a cable)
_PART_COLUMNS = {
    "nodes": ("system", "system"),
    "nics": ("part", "nic"),
    "switches": ("model", "switch"),
    "transceivers": ("part", "optic"),
    "jumpers": ("part", "cable"),
}
#: trait -> catalogue key, where the two have the same form
_PLAIN = {
    "ports": "ports",
    "heatsink": "heatsink",
    "polish": "polish",
    "connector": "connector",
    "medium": "media",
    "downshift": "downshift",
    "reach_m": "reach_m",
    "reach_split_m": "reach_split_m",
    "power_max_w": "power_max_w",
    "cage_power_w": "cage_power_w",
}
_JOINED = {"fits": "fits", "airflow": "airflow"}
_FIBRE = ("multimode", "single-mode")


def parts(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `PARTS`: every part that ``tables`` name and the catalogue knows, sorted by id.

    The polish of fibre cables is the one that the requirement ordered, where it says so.
    """
    import polars as pl

    ordered = design.requirement.cabling.polish
    rows = []
    for kind, part_id in sorted(_named(tables)):
        if catalogue.has(kind, part_id):
            row = _traits(catalogue.get(kind, part_id))
            if ordered and kind == "cable" and row["medium"] in _FIBRE:
                row["polish"] = ordered
            rows.append(row)
    frame = pl.DataFrame(rows, schema=PARTS.polars()) if rows else PARTS.empty()
    return PARTS.conform(frame.unique("part", keep="first").sort("part"))


def _named(tables: dict[str, pl.DataFrame]) -> set[tuple[str, str]]:
    """(kind, id) of every part named in the plan's tables."""
    found = set()
    for table, (column, kind) in _PART_COLUMNS.items():
        if table in tables:
            found |= {(kind, part) for part in tables[table][column].unique().to_list() if part}
    return found


def _traits(part: Part) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(PARTS.names)
    row |= {"part": part.id, "kind": part.kind, "name": part.name}
    used = [key for key in (*_PLAIN.values(), *_JOINED.values()) if part.has(key)]
    for column, key in _PLAIN.items():
        row[column] = part.value(key)
    for column, key in _JOINED.items():
        row[column] = _joined(part.value(key))
    row["heatsink"] = None if row["heatsink"] == "none" else row["heatsink"]
    row["downshift"] = None if row["downshift"] is None else bool(row["downshift"])
    technology = part.value("technology")
    row["link_types"] = technology if technology else _joined(part.value("link_types"))
    row["form_factor"] = part.value("form_factor", part.value("cage"))
    lane = part.value("generation", part.value("lane_gbps"))
    row["lane_gbps"] = None if lane is None else float(lane)
    row["rates_gbps"] = _rates(part)
    if part.kind == "cable" and row["medium"] != "copper" and part.value("rate_gbps") == 0:
        row["lane_gbps"] = None  # a fibre jumper carries any rate
    used += [k for k in ("technology", "link_types", "cage", "form_factor", "generation", "rates_gbps") if part.has(k)]
    row["confidence"] = lowest(part, used)
    row["power_confidence"] = lowest(part, ("power_max_w",)) if part.has("power_max_w") else None
    for name in ("reach_m", "reach_split_m", "power_max_w", "cage_power_w"):
        row[name] = None if row[name] is None else float(row[name])
    return row


def lowest(part: Part, keys: Iterable[str]) -> str:
    """The lowest confidence among ``keys`` of ``part`` (``high`` when it states none of them)."""
    held = [part.figure(key).confidence for key in keys if part.has(key)]
    return min(held, key=lambda c: c.rank, default=Confidence.HIGH).value


def _joined(value: Any) -> str | None:
    if value is None:
        return None
    return "+".join(str(v) for v in value) if isinstance(value, (list, tuple)) else str(value)


def _rates(part: Part) -> str | None:
    """Rates that one port can run, rising, as ``100+200``; whole numbers without a point."""
    rates: set[float] = set()
    for key in ("rates_gbps", "rates_ethernet_gbps"):
        rates |= {float(r) for r in part.value(key, ())}
    if part.has("rate_gbps"):
        rates.add(float(part.value("rate_gbps")))
    rates |= {float(r) for r in part.value("splits", {})}
    rates.discard(0.0)
    return "+".join(f"{r:g}" for r in sorted(rates)) or None


def planes(design: Design) -> pl.DataFrame:
    """Table `PLANES`: what was promised of each plane, and whether the requirement said so itself."""
    import polars as pl

    rows = []
    for plane in sorted(design.planes, key=lambda p: p.name):
        asked = getattr(design.requirement.planes, plane.name, None) or Plane()
        rows.append(
            {
                "plane": plane.name,
                "technology": plane.technology,
                "layout": plane.layout,
                "separation": plane.separation,
                "separation_origin": "declared" if asked.separation else "assumed",
                "share": plane.share,
                "subnet": plane.subnet,
                "pkey": plane.pkey,
                "rails": plane.rails,
                "subplanes": plane.subplanes,
                "link_gbps": float(plane.link_gbps),
                "uplink_gbps": float(plane.uplink_gbps),
                "nodes_per_leaf": plane.nodes_per_leaf,
                "uplinks": plane.uplinks,
                "service_ports": plane.service_ports,
            }
        )
    return PLANES.conform(pl.DataFrame(rows, schema=PLANES.polars()) if rows else PLANES.empty())


def power_sources(design: Design, catalogue: Catalogue) -> pl.DataFrame:
    """Table `POWER_SOURCES`: each power supply (or shelf of an NVL72 rack) with its feed and the draw behind it, W.

    Cords go to feeds in the order of ``site.cords``; where that list does not have one word per source, sources are split
    into equal runs, one run a feed. A power cap of the requirement bounds the draw.
    """
    import polars as pl

    node = design.node
    system = catalogue.get("system", node.system)
    shelves = int(system.value("power_shelves", 0))
    if shelves and node.nodes_per_unit > 1:
        kind, count, rating = "shelf", shelves, float(system.value("power_shelf_w"))
        need, keys = float(system.value("unit_power_max_w")), ("power_shelves", "power_shelf_w", "unit_power_max_w")
    elif node.psus:
        kind, count, rating, need = "psu", node.psus, float(node.psu_w), float(node.power_max_w)
        keys = ("psus", "psu_w", "power_max_w")
    else:
        return POWER_SOURCES.empty()
    cap = design.requirement.node.power_cap_w
    rows = [
        {
            "source": f"{kind}:{node.system}/{number:02d}",
            "system": node.system,
            "kind": kind,
            "number": number,
            "feed": feed,
            "rating_w": rating,
            "need_w": need if cap is None else min(need, cap),
            "capped": cap is not None and cap < need,
            "confidence": lowest(system, keys),
        }
        for number, feed in enumerate(design.power.shelf_feeds if kind == "shelf" else feeds_of(design, count))
    ]
    return POWER_SOURCES.conform(pl.DataFrame(rows, schema=POWER_SOURCES.polars()))


def feeds_of(design: Design, count: int) -> list[str]:
    """The feed letter of each of ``count`` power sources."""
    cords = design.site.cords
    if len(cords) == count:
        return list(cords)
    feeds = max(1, design.site.feeds)
    return [chr(ord("A") + number * feeds // count) for number in range(count)]


def plane_rows(design: Design) -> tuple[PlaneDesign, ...]:
    """The planes in the order of the table `PLANES`."""
    return tuple(sorted(design.planes, key=lambda p: p.name))
