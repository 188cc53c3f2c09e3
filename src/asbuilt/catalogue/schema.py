"""What a part of each kind may say: key, meaning, unit, shape, and whether the key must be there.

The loader holds every file against this, and the reference page is generated from it. A key that is not declared here
is refused with the nearest declared name, unless it starts with ``x_`` (a user's own note, checked for its unit suffix only).
"""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.catalogue import keys, keys_fibre

KINDS = (
    "system",
    "gpu",
    "nic",
    "switch",
    "optic",
    "cable",
    "fibre",
    "rack",
    "power",
    "cooling",
    "storage",
    "software",
    "fabric",
)

KIND_MEANING = {
    "system": "GPU servers and NVL72 compute trays",
    "gpu": "accelerators",
    "nic": "network cards by part, and BMC ports",
    "switch": "switches of every plane, NVLink trays",
    "optic": "pluggable transceivers",
    "cable": "copper and active optical cables, fibre jumpers",
    "fibre": "trunks, panels, loss budgets of physical layers, rules of laying",
    "rack": "racks",
    "power": "rack PDUs, power shelves, busway",
    "cooling": "coolant distribution units, coolants, air classes",
    "storage": "storage performance classes per scalable unit",
    "software": "software limits and versions",
    "fabric": "reference fabric profiles",
}

# Ending of a key -> the only unit that may stand with it. Longer endings are tried first.
SUFFIX_UNITS = {
    "_l_min_per_kw": "L/(min·kW)",
    "_tb_per_gpu": "TB/GPU",
    "_w_per_tb": "W/TB",
    "_mohm_m": "mΩ/m",
    "_gbytes_s": "GB/s",
    "_tbytes_s": "TB/s",
    "_db_km": "dB/km",
    "_m3_h": "m³/h",
    "_l_min": "L/min",
    "_kg_m3": "kg/m³",
    "_kg_m": "kg/m",
    "_kj_kg_k": "kJ/(kg·K)",
    "_mpa_s": "mPa·s",
    "_n_m": "N·m",
    "_tflops": "TFLOPS",
    "_fraction": "fraction",
    "_percent": "%",
    "_gbps": "Gb/s",
    "_tbps": "Tb/s",
    "_kva": "kVA",
    "_ka": "kA",
    "_bar": "bar",
    "_kpa": "kPa",
    "_mw": "MW",
    "_kw": "kW",
    "_kg": "kg",
    "_mm": "mm",
    "_um": "µm",
    "_gb": "GB",
    "_mib": "MiB",
    "_gib": "GiB",
    "_mts": "MT/s",
    "_tb": "TB",
    "_hz": "Hz",
    "_db": "dB",
    "_w": "W",
    "_m": "m",
    "_u": "U",
    "_c": "°C",
    "_k": "K",
    "_v": "V",
    "_a": "A",
    "_n": "N",
    "_l": "L",
}
_QUALIFIERS = ("_max", "_min", "_typical")

SHAPES = {
    "number": "a number",
    "count": "a whole number from 0 to 100,000",
    "some": "a whole number from 1 to 100,000",
    "text": "a text",
    "flag": "true or false",
    "texts": "a list of texts",
    "numbers": "a list of numbers",
    "rows": "a list of mappings",
    "map": "a mapping of numbers",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One figure that a kind of part may hold."""

    name: str
    shape: str
    meaning: str
    required: bool = False

    @property
    def unit(self) -> str:
        """The unit that the key's name demands; empty for counts, names, lists of names and flags."""
        return suffix_unit(self.name) or ""


def suffix_unit(name: str) -> str | None:
    """The unit that the ending of ``name`` demands (``inlet_c_max``: °C), or None where the name carries none."""
    for qualifier in ("", *_QUALIFIERS):  # the whole name first: `flow_l_min` is litres a minute, not a least value
        bare = name.removesuffix(qualifier)
        for ending, unit in SUFFIX_UNITS.items():
            if bare.endswith(ending):
                return unit
    return None


def _keys(required: str, optional: str) -> tuple[Key, ...]:
    """Keys from lines ``name shape meaning…``, the required ones first; an optional line that repeats one is left out."""
    made: dict[str, Key] = {}
    for text, must in ((required, True), (optional, False)):
        for line in filter(str.strip, text.splitlines()):
            name, shape, meaning = line.strip().split(None, 2)
            made.setdefault(name, Key(name, shape, meaning, must))
    return tuple(made.values())


KEYS: dict[str, tuple[Key, ...]] = {
    "system": _keys(keys.SYSTEM, keys.SYSTEM_MAY),
    "gpu": _keys(keys.GPU, keys.GPU_MAY),
    "nic": _keys(keys.NIC, keys.NIC_MAY),
    "switch": _keys(keys.SWITCH, keys.SWITCH_MAY),
    "optic": _keys(keys.OPTIC, keys.MEDIUM_MAY),
    "cable": _keys(keys.CABLE, keys.CABLE_MAY),
    "fibre": _keys(keys_fibre.FIBRE, keys_fibre.FIBRE_MAY),
    "rack": _keys(keys.RACK, keys.RACK_MAY),
    "power": _keys(keys.POWER, keys.POWER_MAY),
    "cooling": _keys(keys.COOLING, keys.COOLING_MAY),
    "storage": _keys(keys.STORAGE, keys.STORAGE_MAY),
    "software": _keys(keys.SOFTWARE, keys.SOFTWARE_MAY),
}
"""Kind -> its keys. ``fabric`` is absent: a profile's figures are free, its ``planes`` follow the requirement's structure."""

# An NVL72 system describes one compute tray; these say what the rack around it is, and must be there.
UNIT_KEYS = (
    "unit_power_max_w",
    "unit_heat_max_w",
    "unit_power_expected_w",
    "unit_weight_kg",
    "unit_liquid_fraction",
    "unit_height_u",
    "unit_airflow_m3_h",
    "nvlink_switch_trays",
    "power_shelves",
    "power_shelf_w",
)

NIC_FIELDS = ("name", "part", "plane", "rail", "socket", "cage", "rate_gbps", "link_type")


def key(kind: str, name: str) -> Key | None:
    """The declared key ``name`` of ``kind``, or None."""
    return _INDEX.get(kind, {}).get(name)


def required(kind: str) -> tuple[str, ...]:
    """Names of the keys that every part of ``kind`` must hold."""
    return _REQUIRED.get(kind, ())


_INDEX = {kind: {k.name: k for k in keys} for kind, keys in KEYS.items()}
_REQUIRED = {kind: tuple(k.name for k in keys if k.required) for kind, keys in KEYS.items()}
