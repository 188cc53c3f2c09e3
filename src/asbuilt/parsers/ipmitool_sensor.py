"""``ipmitool sensor`` (ten columns) and ``ipmitool sdr [list|elist]`` (three or five): readings, states, critical limits.

A sensor that could not be read has no value; a discrete one says what its name and its bits say (`ipmi_words`), else nothing.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SENSOR_FACTS
from asbuilt.parsers import fact_rows, ipmi_words
from asbuilt.parsers.ipmi_refusals import WORDS, refused
from asbuilt.parsers.told_rows import Told

TOOL = "ipmitool-sensor"
_OWN = re.compile(rf"^(?:[^|:]{{1,80}}\||{WORDS.pattern[1:]})", re.I)
_STATE = r"(?:ok|nc|cr|nr|na|ns|lnc|unc|lcr|ucr|lnr|unr|0x[0-9a-f]{4})"
_SIGN = re.compile(
    (
        rf"^[^|\n]{{1,80}}\|[^|\n]{{1,24}}\|[^|\n]{{1,24}}\| {_STATE} *(?:\|[^|\n]{{1,16}}){{6}}$"
        r"|^[^|\n]{1,80}\| [0-9A-F]{2}h \| (?:ok|ns|nc|cr|nr|lnc|unc|lcr|ucr|lnr|unr) *\| *\d{1,3}\.\d{1,3} \|.*$"
        r"|^[^|\n]{1,80}\| [^|\n]{1,40} \| (?:ok|ns|nc|cr|nr)[ \r]*$"
    ).encode(),
    re.M,
)
_HEXED = re.compile(r"^0x[0-9a-fA-F]{1,4}$")
_UNITS = "degrees [CF]|Volts|Amps|Watts|RPM|CFM|percent|unspecified|% RH"
_READING = re.compile(rf"^([+-]?\d{{1,12}}(?:\.\d{{1,6}})?) ({_UNITS})(?:, (.*))?$", re.I)
_ENTITY = re.compile(r"^\d{1,3}\.\d{1,3}$")


def sniff(data: bytes) -> bool:
    """True for a line in one of the forms, with one of the tool's states."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``sensor_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed or refused(told, said):
            continue
        cells = [cell.strip() for cell in said.text.split("|")]
        if not cells[0] or len(cells) not in (3, 5, 10):
            continue
        row = _sensor(cells) if len(cells) == 10 else _record(cells)
        if row is not None:
            told.add(SENSOR_FACTS, said, {"sensor": cells[0], "time": said.speaker.time, **row})
    return told.facts()


def _sensor(cells: list[str]) -> dict[str, object] | None:
    """A line of ``ipmitool sensor``: value, unit, state, then limits: lower (nr, cr, nc), upper (nc, cr, nr)."""
    name, reading, unit, state = cells[:4]
    if unit.lower() == "discrete":
        kind = ipmi_words.discrete_kind(name)
        said = ipmi_words.discrete_state(name, state) if _HEXED.match(state) else ipmi_words.STATES.get(state.lower())
        return {"kind": kind, "state": said}
    value = fact_rows.real(reading)
    if value is None and reading.lower() not in ("na", "") and not _HEXED.match(reading):
        return None
    told, kind = ipmi_words.unit_and_kind(unit, name)
    return {
        "kind": kind,
        "value": _celsius(value, unit),
        "unit": told,
        "state": ipmi_words.STATES.get(state.lower()) if value is not None else "unreadable",
        "low": _celsius(fact_rows.real(cells[5]), unit),
        "high": _celsius(fact_rows.real(cells[8]), unit),
    }


def _record(cells: list[str]) -> dict[str, object] | None:
    """A line of ``sdr list`` (name, reading, state) or ``sdr elist`` (name, number, state, entity, reading)."""
    name = cells[0]
    reading, state = (cells[1], cells[2]) if len(cells) == 3 else (cells[4], cells[2])
    if state.lower() not in ipmi_words.STATES or (len(cells) == 5 and not _ENTITY.match(cells[3])):
        return None
    found = _READING.match(reading)
    general = ipmi_words.STATES[state.lower()]
    if found is None:
        kind = ipmi_words.discrete_kind(name)
        if _HEXED.match(reading) or not reading:
            said = None if general == "ok" else general
        else:
            said = ipmi_words.worded_state(reading) or (None if general in ("ok", "unreadable") else general)
        if general == "unreadable" and said is None:
            said = "unreadable"
        return {"kind": kind, "state": said}
    unit, kind = ipmi_words.unit_and_kind(found[2], name)
    said = ipmi_words.worded_state(found[3]) if found[3] else None
    return {"kind": kind, "value": _celsius(fact_rows.real(found[1]), found[2]), "unit": unit, "state": said or general}


def _celsius(value: float | None, unit: str) -> float | None:
    """Degrees Fahrenheit become Celsius; everything else stays."""
    return (value - 32) / 1.8 if value is not None and unit.strip().lower() == "degrees f" else value
