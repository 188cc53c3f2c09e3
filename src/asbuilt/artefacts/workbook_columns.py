"""How a column of a table looks in a sheet: words of its header with the unit, number format, width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.table import Column

if TYPE_CHECKING:
    import polars as pl

#: Tail of a column's name that says its unit, and the unit as it is printed.
_UNITS = {
    "A": ("_a", "A"), "Gb/s": ("_gbps", "Gb/s"), "K": ("_k", "K"), "L": ("_l", "L"), "L/min": ("_l_min", "L/min"),
    "N": ("_n", "N"), "N·m": ("_nm", "N·m"), "U": ("_u", "U"), "V": ("_v", "V"), "W": ("_w", "W"), "dB": ("_db", "dB"),
    "kA": ("_ka", "kA"), "kN": ("_kn", "kN"), "kPa": ("_kpa", "kPa"), "kW": ("_kw", "kW"), "kg": ("_kg", "kg"),
    "kg/m": ("_kg_m", "kg/m"), "m": ("_m", "m"), "m/s": ("_m_s", "m/s"), "m3/h": ("_m3_h", "m³/h"), "mV": ("_mv", "mV"),
    "mm": ("_mm", "mm"), "mΩ": ("_mohm", "mΩ"), "mΩ/m": ("_mohm_m", "mΩ/m"), "s": ("_s", "s"), "%": ("_percent", "%"),
    "°C": ("_c", "°C"),
}  # fmt: skip
#: Digits behind the point that a figure of that unit is read with; all digits stay in the cell.
_DIGITS = {
    "A": 1, "Gb/s": 0, "K": 1, "L": 1, "L/min": 1, "N": 1, "N·m": 1, "V": 1, "W": 0, "dB": 2, "kA": 2, "kN": 2, "kPa": 1,
    "kW": 1, "kg": 1, "kg/m": 2, "m": 2, "m/s": 2, "m3/h": 0, "mV": 0, "mm": 0, "mΩ": 3, "mΩ/m": 4, "s": 1, "%": 1, "°C": 1,
}  # fmt: skip
#: Narrowest and widest column in characters; longer texts are wrapped.
NARROW, WIDE = 6.0, 48.0
#: Room for the arrow of the filter.
_ARROW = 3.0
#: A width counts digits of the body type; keys and labels have capitals, which are wider.
_CAPITALS = 1.15
_SPELLED = {"pdu": "PDU", "cdu": "CDU", "u": "U", "id": "ID", "ip": "IP", "dns": "DNS", "vlan": "VLAN", "nic": "NIC"}


def header(column: Column) -> str:
    """``whip_m`` in metres is ``whip (m)``; a bare ``u`` is ``U``."""
    tail, unit = _UNITS.get(column.unit, ("", column.unit))
    name = column.name.removesuffix(tail) if tail and column.name != tail.lstrip("_") else column.name
    words = " ".join(_SPELLED.get(word, word) for word in name.split("_") if word)
    if unit == "U" and len(name) == 1:  # the rack unit of one end of a cable
        return "U" if name == "u" else f"{words} U"
    return words if not unit else f"{words} ({unit})"


def number_format(column: Column) -> str:
    """The number format of a figure; empty for texts and flags. Whole numbers have no thousands sign: many are names."""
    if column.dtype in ("str", "bool"):
        return ""
    if column.dtype != "f64":
        return "0"
    digits = _DIGITS.get(column.unit)
    if digits is None:  # a rack unit may be a half one
        return "General"
    return "#,##0" + (f".{'0' * digits}" if digits else "")


def width(column: Column, held: pl.Series) -> tuple[float, bool]:
    """Width in characters, and whether texts are wrapped. A header may take two lines."""
    least = max(NARROW, _two_lines(header(column).split()) + _ARROW)
    if column.dtype == "str":
        longest = _CAPITALS * float(held.str.len_chars().max() or 0) + 2.0  # type: ignore[arg-type]
    elif column.dtype == "bool":
        longest = 6.0
    else:
        extremes = [float(v) for v in (held.min(), held.max()) if isinstance(v, int | float)]
        digits = (_DIGITS.get(column.unit) if column.dtype == "f64" else 0) or 0
        longest = max((len(f"{v:,.{digits}f}") for v in extremes), default=0) + 2.0
    return min(max(least, longest), WIDE), longest > WIDE


def _two_lines(words: list[str]) -> float:
    """Characters of the longer line when a header stands on two lines, cut where that is shortest."""
    joined = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1)]
    return float(min(max(len(first), len(second)) for first, second in joined))
