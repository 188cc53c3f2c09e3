"""Units of readings as facilities and Redfish write them: one unit for each kind, and the kind where unit or name is certain.

°C, V, A, W (VA for apparent power), RPM, L/min, kPa, %. Factors: NIST SP 811 appendix B (psi 6.894757 kPa, US gallon
3.785412 L).
"""

from __future__ import annotations

import re

KINDS = (
    "temperature", "voltage", "current", "power", "fan", "flow", "pressure", "humidity", "leak", "presence", "discrete",
)  # fmt: skip
#: Unit in lower case -> (unit, factor, offset added before the factor, kind).
_UNITS: dict[str, tuple[str, float, float, str]] = {
    **dict.fromkeys(("c", "°c", "degc", "deg c", "cel", "celsius", "degrees c", "℃"), ("°C", 1.0, 0.0, "temperature")),
    **dict.fromkeys(("f", "°f", "degf", "deg f", "fahrenheit", "degrees f", "℉"), ("°C", 1 / 1.8, -32.0, "temperature")),
    **dict.fromkeys(("v", "volt", "volts", "vac", "vdc"), ("V", 1.0, 0.0, "voltage")),
    "mv": ("V", 1e-3, 0.0, "voltage"),
    "kv": ("V", 1e3, 0.0, "voltage"),
    **dict.fromkeys(("a", "amp", "amps", "ampere", "amperes"), ("A", 1.0, 0.0, "current")),
    "ma": ("A", 1e-3, 0.0, "current"),
    **dict.fromkeys(("w", "watt", "watts"), ("W", 1.0, 0.0, "power")),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), ("W", 1000.0, 0.0, "power")),
    "mw": ("W", 1e6, 0.0, "power"),
    "va": ("VA", 1.0, 0.0, "power"),
    "kva": ("VA", 1e3, 0.0, "power"),
    "rpm": ("RPM", 1.0, 0.0, "fan"),
    **dict.fromkeys(("l/min", "lpm", "l/m", "litres/min", "liters/min"), ("L/min", 1.0, 0.0, "flow")),
    "l/s": ("L/min", 60.0, 0.0, "flow"),
    **dict.fromkeys(("m3/h", "m³/h"), ("L/min", 1000 / 60, 0.0, "flow")),
    **dict.fromkeys(("gpm", "gal/min"), ("L/min", 3.785412, 0.0, "flow")),
    "kpa": ("kPa", 1.0, 0.0, "pressure"),
    "pa": ("kPa", 1e-3, 0.0, "pressure"),
    "mpa": ("kPa", 1e3, 0.0, "pressure"),
    **dict.fromkeys(("bar", "barg", "bar(g)"), ("kPa", 100.0, 0.0, "pressure")),
    "mbar": ("kPa", 0.1, 0.0, "pressure"),
    **dict.fromkeys(("psi", "psig"), ("kPa", 6.894757, 0.0, "pressure")),
    **dict.fromkeys(("%rh", "% rh", "rh"), ("%", 1.0, 0.0, "humidity")),
}
#: Units whose case decides: milliwatt and megawatt, millipascal and megapascal.
_CASED = {"mW": ("W", 1e-3, 0.0, "power"), "mPa": ("kPa", 1e-6, 0.0, "pressure"), "MA": ("MA", 1.0, 0.0, "current")}
_NAMES = (
    (re.compile(r"leak|moisture", re.I), "leak"),
    (re.compile(r"humid", re.I), "humidity"),
    (re.compile(r"presence|present\b", re.I), "presence"),
)
_PERCENT = ("%", "percent", "pct")


def kind_of_name(name: str) -> str | None:
    """Kind that the name of a sensor says for certain, else None."""
    return next((kind for pattern, kind in _NAMES if pattern.search(name)), None)


def normalised(value: float | None, unit: str, name: str) -> tuple[float | None, str | None, str]:
    """(value, unit, kind) in the table's units; an unknown unit stays as it is printed, its kind is ``discrete``.

    Percent is humidity where the name says so, else ``discrete`` (a valve, a fan's duty, a load).
    """
    printed = " ".join(unit.split())
    known = _CASED.get(printed) or _UNITS.get(printed.lower())
    if known is None:
        if printed.lower() in _PERCENT:
            return value, "%", "humidity" if kind_of_name(name) == "humidity" else "discrete"
        return value, printed or None, kind_of_name(name) or "discrete"
    to, factor, offset, kind = known
    amount = None if value is None else value if factor == 1 and not offset else float(f"{(value + offset) * factor:.9g}")
    return amount, to, kind


def certain(unit: str) -> bool:
    """The unit is one that says its kind."""
    printed = " ".join(unit.split())
    return printed in _CASED or printed.lower() in _UNITS
