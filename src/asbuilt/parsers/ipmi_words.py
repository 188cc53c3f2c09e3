"""Sensors of a BMC: what a name and a unit say of the kind, what a state says in words, and discrete states by sensor type.

Sources: IPMI 2.0 rev. 1.1 tables 42-2 (generic states) and 42-3 (states of sensor types), section 43.15 (units); ipmitool
lib/ipmi_sensor.c, ipmi_sdr.c (forms of output: a discrete state is printed as four digits, its low byte first).
"""

from __future__ import annotations

import re

#: Unit as tools print it, in lower case -> (unit of the fact table, kind). Degrees Fahrenheit are converted by the parser.
UNITS: dict[str, tuple[str, str]] = {
    "degrees c": ("°C", "temperature"),
    "degrees f": ("°C", "temperature"),
    "c": ("°C", "temperature"),
    "volts": ("V", "voltage"),
    "amps": ("A", "current"),
    "watts": ("W", "power"),
    "rpm": ("RPM", "fan"),
    "cfm": ("CFM", "flow"),
    "% rh": ("%", "humidity"),
    "percent": ("%", "discrete"),
    "unspecified": ("", "discrete"),
}
_LEAK = re.compile(r"leak|moisture|(?<![a-z])(?:rope|water)(?:[ _-]?(?:sensor|detect))", re.I)
_SUPPLY = re.compile(
    r"^(?:psu?|power ?supply|pwr ?supply|pws)[ _-]?\d*(?:[ _-]?(?:status|state|sts|stat|presence|present|fault|fail))?$", re.I
)
_PRESENCE = re.compile(r"presen[ct]|_prsnt|installed", re.I)
_HUMIDITY = re.compile(r"humid", re.I)
_FAN = re.compile(r"fan", re.I)
#: State of `ipmitool sensor` -> state of the fact table (nc, cr, nr: non-critical, critical, non-recoverable).
STATES = {
    "ok": "ok", "nc": "warning", "lnc": "warning", "unc": "warning", "cr": "critical", "lcr": "critical", "ucr": "critical",
    "nr": "critical", "lnr": "critical", "unr": "critical", "na": "unreadable", "ns": "unreadable",
}  # fmt: skip
#: Words of `sdr elist` about a supply, a leak or a fan -> state.
_WORDS = (
    (re.compile(r"leak detected|(?<!no )leak(?:age)?$|wet\b", re.I), "leak"),
    (re.compile(r"predictive failure|degraded|redundancy lost", re.I), "warning"),
    (re.compile(r"non-recoverable|critical|(?<!no )\bfail(?:ure|ed)?\b|fault|\blost\b|out[- ]of[- ]range", re.I), "critical"),
    (re.compile(r"absent|not (?:present|installed)|device removed", re.I), "absent"),
    (re.compile(r"no reading|not readable|disabled|unavailable|unknown|not available", re.I), "unreadable"),
    (re.compile(r"presence detected|device present|\bok\b|fully redundant|no leak|\bdry\b|inserted|enabled", re.I), "ok"),
)  # fmt: skip
_QUIET = re.compile(
    r"clock sync|log area|cleared|power (?:off|on|button|cycle|up|down)|soft-off|boot|presence detected|restart|reset|started"
    r"|audit|transition to ok"
)
_NON_CRITICAL = re.compile(r"non-?critical", re.I)
#: Bits of a power supply (type 08h): present; failed; predicted to fail; input lost or out of range; wrong configuration.
_SUPPLY_PRESENT, _SUPPLY_BAD, _SUPPLY_SOON = 0x01, 0x02 | 0x08 | 0x10 | 0x20 | 0x40, 0x04


def unit_and_kind(printed: str, name: str) -> tuple[str | None, str]:
    """Unit and kind of a reading by its printed unit, and by its name where the unit does not say it."""
    unit, kind = UNITS.get(printed.strip().lower(), (printed.strip(), "discrete"))
    if kind == "discrete" and unit == "%":
        kind = "humidity" if _HUMIDITY.search(name) else "fan" if _FAN.search(name) else "discrete"
    return unit or None, kind


def discrete_kind(name: str) -> str:
    """Kind of a sensor without a unit by its name: leak, presence or discrete."""
    if _LEAK.search(name):
        return "leak"
    return "presence" if _SUPPLY.search(name) or _PRESENCE.search(name) else "discrete"


def is_supply(name: str) -> bool:
    """The name is that of a power supply's status."""
    return bool(_SUPPLY.match(name))


def discrete_state(name: str, hexed: str) -> str | None:
    """What the four digits of a discrete sensor say: ``0x0180`` is bit 0. None where the name does not tell the sensor's type.

    A leak detector states a leak by bit 1 or above and no leak by bit 0 (table 42-2: deasserted and asserted, within limits and
    exceeded, OK and worse); where no bit is set the detector says nothing. A supply with bit 0 alone is present and well.
    """
    digits = hexed.removeprefix("0x").rjust(4, "0")
    low = int(digits[:2], 16)
    if discrete_kind(name) == "leak":
        return "leak" if low & 0x7E else "ok" if low & 0x01 else "unreadable"
    if is_supply(name):
        if low & _SUPPLY_BAD:
            return "critical"
        if low & _SUPPLY_SOON:
            return "warning"
        return "ok" if low & _SUPPLY_PRESENT else "absent"
    return None


def worded_state(text: str) -> str | None:
    """State by the words that a tool prints, None where they say none of the table's."""
    if _NON_CRITICAL.search(text) and not re.search(r"non-recoverable", text, re.I):
        return "warning"
    return next((state for pattern, state in _WORDS if pattern.search(text)), None)


def weight(text: str) -> str | None:
    """Weight of an event by its words, for the fact table's severity; None where they do not say it."""
    low = text.lower()
    if "transition to ok" in low:
        return "info"
    if re.search(r"uncorrectable|non-recoverable|fatal|thermal trip|ierr|bus timeout", low):
        return "fatal" if "fatal" in low or "non-recoverable" in low else "uncorrected"
    if re.search(r"correctable", low):
        return "corrected"
    if re.search(r"non-critical|predictive|redundancy (?:lost|degraded)|degraded|throttl", low):
        return "warning"
    if re.search(r"critical|failure|fault|lost|leak|out of range|unrecoverable|fail(?:ed)?\b", low):
        return "critical"
    return "info" if _QUIET.search(low) else None
