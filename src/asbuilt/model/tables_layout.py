"""Plan tables of the floor: what stands on it and what is in every rack unit."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

RACK_SLOTS = Schema(
    "rack_slots",
    "Every device in its place: nodes, switches, NVLink trays, power shelves, panels, storage.",
    (
        C("slot", "str", "natural key: slot:<rack>/<lowest U>, with /rear for what is mounted from behind"),
        C("rack", "str", "rack"),
        C("u", "f64", "lowest U it takes", "U"),
        C("height_u", "f64", "height", "U"),
        C("face", "str", "front, rear or both (full depth)"),
        C("device", "str", "key of the device; for what has no table of its own the slot's key"),
        C("kind", "str", "node, switch, nvlink-switch, shelf, panel, storage, service or management"),
        C("name", "str", "display name"),
        C("part", "str", "catalogue id", nullable=True),
        C("liquid", "bool", "has coolant connections"),
        C("phase", "str", "build phase"),
    ),
    ("slot",),
    {"rack": "racks.rack"},
)
FLOOR = Schema(
    "floor",
    "What stands on the floor, and what must stay free of it.",
    (
        C("object", "str", "natural key: floor:<what>"),
        C("kind", "str", "rack, cdu, panelboard, position (kept for a later rack) or aisle"),
        C("name", "str", "display name"),
        C("row", "str", "row", nullable=True),
        C("x_mm", "f64", "left front corner along the row", "mm"),
        C("y_mm", "f64", "left front corner across the rows", "mm"),
        C("width_mm", "f64", "along the row", "mm"),
        C("depth_mm", "f64", "across the rows", "mm"),
        C("height_mm", "f64", "height", "mm", nullable=True),
        C("weight_kg", "f64", "weight with contents and coolant", "kg", nullable=True),
        C("load_kpa", "f64", "load on its footprint", "kPa", nullable=True),
        C("shared_kpa", "f64", "load with half of the aisles beside it", "kPa", nullable=True),
        C("caster_kn", "f64", "largest load of one caster or foot", "kN", nullable=True),
        C("phase", "str", "build phase; null: later than the plan", nullable=True),
    ),
    ("object",),
)

LAYOUT_TABLES = (RACK_SLOTS, FLOOR)
