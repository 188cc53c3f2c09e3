"""The figures of a sizing as rows of a ledger: label, value, unit, and what opens behind each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from asbuilt.drawings.theme import number
from asbuilt.model.design import Sizing

#: group, label, path in the sizing's JSON object, unit ("" for counts), what it is
ROWS: tuple[tuple[str, str, str, str, str], ...] = (
    ("Compute", "GPUs", "gpus", "", "rounded up to whole servers or racks"),
    ("Compute", "Servers", "nodes", "", "servers, or compute trays of rack-scale systems"),
    ("Compute", "NVLink domains", "nvlink_domains", "", "groups of GPUs joined by NVLink"),
    ("Compute", "Racks", "racks", "", "all roles"),
    ("Compute", "Weight", "weight_kg", "kg", "what stands in the racks, and the racks"),
    ("Compute", "Fullest rack", "rack_kw_max", "kW", "nameplate power of the fullest rack"),
    ("Switches", "Compute leaf", "switches.compute.leaf", "", "nodes plug into these"),
    ("Switches", "Compute spine", "switches.compute.spine", "", "they join the leaves"),
    ("Switches", "Compute core", "switches.compute.core", "", "they join pods of spines"),
    ("Switches", "Storage", "switches.storage", "", "all tiers"),
    ("Switches", "Frontend", "switches.frontend", "", "all tiers"),
    ("Switches", "Management", "switches.management", "", "all tiers"),
    ("Switches", "Out-of-band", "switches.oob", "", "BMC and management ports"),
    ("Switches", "All switches", "switches.total", "", "every plane and tier"),
    ("Cabling", "Node to leaf links", "links.node_leaf", "", "compute plane"),
    ("Cabling", "Leaf to spine links", "links.leaf_spine", "", "compute plane"),
    ("Cabling", "Spine to core links", "links.spine_core", "", "compute plane"),
    ("Cabling", "Cables", "cables", "", "assemblies, all planes"),
    ("Cabling", "Optics", "optics", "", "pluggable modules, all planes"),
    ("Cabling", "Islands", "islands", "", "separate subnets of the compute plane"),
    ("Power", "IT, nameplate", "power.it_kw", "kW", "nodes, switches and storage at maximum"),
    ("Power", "IT, expected", "power.it_expected_kw", "kW", "what they are expected to draw"),
    ("Power", "Facility", "power.facility_kw", "kW", "IT times PUE"),
    ("Power", "PUE", "power.pue", "", "facility power over IT power"),
    ("Cooling", "Heat to liquid", "cooling.liquid_kw", "kW", ""),
    ("Cooling", "Heat to air", "cooling.air_kw", "kW", ""),
    ("Cooling", "Coolant", "cooling.coolant_l_min", "L/min", ""),
    ("Cooling", "Air", "cooling.airflow_m3_h", "m³/h", ""),
    ("Cooling", "CDUs", "cooling.cdus", "", "coolant distribution units"),
    ("Storage", "Read", "storage.read_gbytes_s", "GB/s", ""),
    ("Storage", "Write", "storage.write_gbytes_s", "GB/s", ""),
    ("Storage", "Capacity", "storage.capacity_tb", "TB", ""),
)
GROUPS = ("Compute", "Switches", "Cabling", "Power", "Cooling", "Storage")
HEADLINE = ("nodes", "racks", "switches.total", "power.facility_kw")
SCALES = {"kW": (1000.0, "MW"), "kg": (1000.0, "t"), "GB/s": (1000.0, "TB/s"), "TB": (1000.0, "PB")}
LITRES_A_MINUTE_TO_M3_H = 0.06
UNKNOWN = "not known"
WEIGHT = "weight_kg"
# How the warning begins that names parts whose weight the catalogue does not state (`asbuilt.design.sizing`).
WITHOUT = "weight leaves out "


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of one system, ready to show."""

    text: str
    unit: str
    exact: str
    beside: str = ""
    parts: str = ""
    formula: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    sources: tuple[dict[str, Any], ...] = ()
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: its key in the JSON object, its label and note, and a value per system."""

    key: str
    label: str
    note: str
    values: tuple[Value, ...]

    @property
    def id(self) -> str:
        return "f-" + self.key.replace(".", "-").replace("_", "-")

    @property
    def low(self) -> bool:
        """True when any value hangs on a figure of low confidence."""
        return any(v.confidence == "low" for v in self.values)


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    figures: tuple[Figure, ...] = field(default_factory=tuple)


def pick(document: dict[str, Any], path: str) -> Any:
    """The value at a dotted path, None where it is absent."""
    at: Any = document
    for step in path.split("."):
        if not isinstance(at, dict) or step not in at:
            return None
        at = at[step]
    return at


def shown(value: Any, unit: str) -> tuple[str, str]:
    """``(text, unit)``: three significant digits above a thousand, kilo steps taken into the unit."""
    if value is None:
        return UNKNOWN, ""
    if isinstance(value, str):
        return value, unit
    if unit in SCALES and abs(value) >= SCALES[unit][0]:
        step, larger = SCALES[unit]
        return f"{value / step:,.2f}" if value / step < 100 else f"{value / step:,.1f}", larger
    if isinstance(value, int) or float(value).is_integer():
        return number(value), unit
    return number(value, 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0), unit


def label_of(path: str, label: str, sizings: list[Sizing]) -> str:
    """Rack-scale systems have compute trays where others have servers."""
    if path != "nodes":
        return label
    rack_scale = [s.nvlink_domains < s.nodes for s in sizings]
    return "Compute trays" if all(rack_scale) else "Servers, trays" if any(rack_scale) else "Servers"


def groups(sizings: list[Sizing]) -> list[Group]:
    """The ledger of one or two systems."""
    documents = [s.as_json() for s in sizings]
    out = []
    for title in GROUPS:
        rows = [
            Figure(
                path,
                label_of(path, label, sizings),
                note,
                tuple(value(d, s, path, unit) for d, s in zip(documents, sizings, strict=True)),
            )
            for group, label, path, unit, note in ROWS
            if group == title
        ]
        out.append(Group(title, tuple(rows)))
    return out


def headline(sizing: Sizing) -> list[tuple[str, Value]]:
    """The four figures that a buyer asks first."""
    document = sizing.as_json()
    rows = {path: (label, unit) for _, label, path, unit, _ in ROWS}
    return [(label_of(p, rows[p][0], [sizing]), value(document, sizing, p, rows[p][1])) for p in HEADLINE]


def value(document: dict[str, Any], sizing: Sizing, path: str, unit: str) -> Value:
    """The figure at ``path`` with its derivation and the sources that it names."""
    raw = pick(document, path)
    text, shown_unit = shown(raw, unit)
    exact = f"{raw:,} {unit}".strip() if isinstance(raw, int | float) else text
    if exact == f"{text} {shown_unit}".strip():
        exact = ""  # nothing that the row does not show
    beside = ""
    if path == "cooling.coolant_l_min" and isinstance(raw, int | float) and raw:
        beside = f"{number(raw * LITRES_A_MINUTE_TO_M3_H, 1)} m³/h"
    parts = tiers(sizing, path)
    if path == WEIGHT and (without := _without(sizing)):
        text, parts = f"≥ {text}", f"without {without}"
    return Value(text, shown_unit, exact, beside, parts, **derivation(sizing, path))


def _without(sizing: Sizing) -> str:
    """The parts whose weight nobody states, so that the sum is no more than a lower bound; "" when there are none."""
    said = next((w for w in sizing.warnings if w.startswith(WITHOUT)), "")
    return said.removeprefix(WITHOUT).partition(":")[0].strip()


def derivation(sizing: Sizing, path: str) -> dict[str, Any]:
    """Formula, inputs, sources and lowest confidence of one figure; empty where the sizing says nothing."""
    entry = sizing.derivation.get(path)
    if entry is None:
        return {}
    return {
        "formula": entry["formula"].replace(" x ", " × "),
        "inputs": tuple((str(k), str(v).replace(" x ", " × ")) for k, v in entry["inputs"]),
        "sources": tuple(entry["sources"]),
        "confidence": entry["confidence"],
    }


def tiers(sizing: Sizing, path: str) -> str:
    """Switches of one plane by tier, ``8 leaf, 4 spine``; for a guest the plane whose switches it uses."""
    plane = sizing.planes.get(path.removeprefix("switches."))
    if plane is None or "compute" in path:
        return ""
    if plane["share"] and not plane["total"]:
        return f"on the {plane['share']} switches"
    parts = [f"{plane[tier]:,} {tier}" for tier in ("leaf", "spine", "core") if plane[tier]]
    return ", ".join(parts) if len(parts) > 1 else ""
