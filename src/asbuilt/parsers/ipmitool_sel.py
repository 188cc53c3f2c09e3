"""``ipmitool sel list`` and ``elist``: number, date, time, sensor, event, direction, and what a newer form prints behind it.

The date is month/day/year; a zone other than UTC is not known to be anything and is left out; an entry from before the clock
was set has no time. An empty log is a row too (code ``empty``): it was read.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers import ipmi_words
from asbuilt.parsers.ipmi_refusals import WORDS, refused
from asbuilt.parsers.told_rows import Told

TOOL = "ipmitool-sel"
_OWN = re.compile(rf"^(?: *[0-9a-f]{{1,8}} *\||SEL has no entries|{WORDS.pattern[1:]})", re.I)
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?: *[0-9a-f]{1,8} \| (?:(?:\d\d/\d\d/\d{2,4}|\d{4}-\d\d-\d\d) *\| \d\d:\d\d:\d\d|Pre-Init *\|)"
    rb"|SEL has no entries)",
    re.M,
)
_DATE = re.compile(r"^(?:(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{4}|\d\d)|(?P<iso>\d{4}-\d\d-\d\d))$")
_CLOCK = re.compile(r"^(?P<hour>\d\d):(?P<rest>\d\d:\d\d)(?: (?P<half>[AP]M))?(?: (?P<zone>[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?))?$")
_UNSET = re.compile(r"^(?:Pre-Init|Unspecified|Unknown)", re.I)
#: What is bad when it ends.
_THERE = re.compile(r"presence detected|device present|fully redundant", re.I)
_LONGEST = 500


def sniff(data: bytes) -> bool:
    """True for an entry with its number, date and time, or the words of an empty log."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``event_facts``, source ``sel``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed or refused(told, said):
            continue
        if said.text.strip().lower() == "sel has no entries":
            row = {"source": "sel", "code": "empty", "severity": "info", "message": said.text.strip()}
            told.add(EVENT_FACTS, said, row)
            continue
        cells = [cell.strip() for cell in said.text.split("|")]
        entry = _entry(cells)
        if entry is not None:
            told.add(EVENT_FACTS, said, entry)
    return told.facts()


def _entry(cells: list[str]) -> dict[str, str | None] | None:
    """The row of one entry; None for what is none."""
    if len(cells) < 5 or not re.match(r"^[0-9a-fA-F]{1,8}$", cells[0]):
        return None
    unset = bool(_UNSET.match(cells[1]))
    time = None if unset else _time(cells[1], cells[2])
    if time is None and not unset:
        return None
    sensor, event, rest = cells[3], cells[4], cells[5:]
    off = any(cell.lower().startswith("deassert") for cell in rest)
    message = " | ".join((sensor, event, *rest))
    weight = ipmi_words.weight(f"{sensor} {event}") if not off else "warning" if _THERE.search(event) else "info"
    return {
        "source": "sel", "code": event or None, "device": sensor or None, "time": time, "severity": weight,
        "message": message[:_LONGEST],
    }  # fmt: skip


def _time(day: str, clock: str) -> str | None:
    """ISO 8601 of a date and a time of day; None where either is none."""
    date, at = _DATE.match(day), _CLOCK.match(clock)
    if date is None or at is None:
        return None
    hour = int(at["hour"])
    if at["half"]:
        hour = hour % 12 + (12 if at["half"] == "PM" else 0)
    year = date["year"] or ""
    iso = date["iso"] or f"{year if len(year) == 4 else '20' + year}-{date['month']}-{date['day']}"
    zone = at["zone"] or ""
    offset = "+00:00" if zone in ("UTC", "GMT") else zone if zone[:1] in ("+", "-") else ""
    if len(offset) == 3:
        offset += ":00"
    return f"{iso}T{hour:02d}:{at['rest']}{offset}"
