"""``systemctl``: ``show`` of units, ``status``, ``list-units``, ``list-unit-files`` and ``is-active`` of a list of units.

A row needs all that its form says: a block of ``show`` counts when a blank line or the next unit follows, or when it has all
of the five properties that the capture set asks for; a unit of ``status`` when its line ``Active:`` is there. Answers of
``is-active`` and ``is-enabled`` belong to the units of the prompt before them, one line each, in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SERVICE_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "systemctl"
_UNIT = r"[A-Za-z0-9][\w@:.\\-]{0,254}\.(?:service|socket|target|timer|mount|path|slice|scope|device|swap|automount)"
_DOT = "[●○×↻*]"
_SHOW = re.compile(r"^([A-Z][A-Za-z0-9]{1,60})=(.*)$")
_LOADS = "loaded|not-found|masked|error|bad-setting|stub|merged"
_LISTED = re.compile(rf"^\s{{0,8}}(?:{_DOT} )?\s{{0,8}}({_UNIT})\s+({_LOADS})\s+(\w+)\s+([\w-]+)\b.*$")
_FILES = "enabled-runtime|enabled|disabled|static|masked|indirect|generated|alias|linked|transient"
_FILE = re.compile(rf"^({_UNIT})\s+({_FILES})(?:\s.*)?$")
_STATUS = re.compile(rf"^{_DOT} ({_UNIT})(?: - .*)?$")
_LOADED = re.compile(r"^\s+Loaded: ([\w-]+)(?: \((.*)\))?$")
_ACTIVE = re.compile(r"^\s+Active: (\w+)(?: \(([\w-]+)\))?.*$")
_MISSING = re.compile(
    rf"^(?:Unit ({_UNIT}) could not be found\.|(?:Failed to .*: )?Unit ({_UNIT}) (?:not loaded|not found)\.?)$"
)
_WORD = re.compile(r"^(?:active|inactive|failed|activating|deactivating|reloading|maintenance|unknown)$")
_ENABLED = re.compile(r"^(?:enabled|disabled|static|masked|indirect|generated|alias|linked|enabled-runtime|not-found)$")
_AROUND = re.compile(
    r"^(?:\s*UNIT\s+LOAD\s+ACTIVE\s+SUB|UNIT FILE\s+|\s*LOAD +=|\s*ACTIVE +=|\s*SUB +=|\d+ loaded units listed|\d+ unit files"
    r"|To show all installed unit files|Legend: |Warning: |Failed to |System has not been booted|Hint: |Pass --all)"
)
_OWN = re.compile(
    rf"^(?:[A-Z][A-Za-z0-9]{{1,60}}=|\s+\S|{_DOT} |{_UNIT}\s|Unit \S+ (?:could not|not )|{_WORD.pattern[1:-1]}$"
    rf"|{_ENABLED.pattern[1:-1]}$|{_AROUND.pattern[1:]})"
)
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:Id=[\w@:.\\-]+\.service\r?$|\s*UNIT\s+LOAD\s+ACTIVE\s+SUB|UNIT FILE\s+STATE"
    rb"|(?:\xe2\x97[\x8f\x8b]|\xc3\x97|\*) [\w@:.\\-]+\.service - )",
    re.M,
)
_PROPERTIES = {"LoadState": "load", "ActiveState": "active", "SubState": "sub", "UnitFileState": "enabled"}


@dataclass(slots=True)
class _Unit:
    """A unit as far as it is read: the line with its name, its columns, the lines that they stand on."""

    said: Said
    row: dict[str, str | None] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Speech:
    """What one speaker's text is about: the unit of a block of ``show``, that of ``status``, units still to be answered."""

    shown: _Unit | None = None
    status: _Unit | None = None
    asked: list[str] | None = None
    turn: int = -1
    last: int = 0


def sniff(data: bytes) -> bool:
    """True for blocks of ``show`` with their Id, a list of units, or the head of a status."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``service_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    speeches: dict[tuple[str | None, ...], _Speech] = {}
    for said in told:
        speech = speeches.setdefault(said.speaker.hosts, _Speech())
        if said.speaker.turn != speech.turn:
            _end_shown(told, speech, _blank_after(told, speech, said))
            speech.asked, speech.turn, speech.status = None, said.speaker.turn, None
        _hear(told, speech, said)
        speech.last = said.number
    for speech in speeches.values():
        _end_shown(told, speech, _blank_after(told, speech, None))
    return told.facts()


def _blank_after(told: Told, speech: _Speech, said: Said | None) -> bool:
    """An empty line follows the last line of this speaker, before ``said``."""
    whole = told.listener.lines if told.listener.ends else told.listener.lines[:-1]
    lines = whole[speech.last : said.number - 1 if said else None][:4096]
    host = speech.shown.said.speaker.hosts[0] if speech.shown and speech.shown.said.speaker.hosts else None
    return any(not line.strip() or (host is not None and line.strip() == f"{host}:".encode()) for line in lines)


def _hear(told: Told, speech: _Speech, said: Said) -> None:
    if not said.closed:
        return
    text = said.text
    show = _SHOW.match(text)
    if show is not None:
        _shown(told, speech, said, show[1], show[2].strip())
    elif found := _LISTED.match(text):
        told.add(SERVICE_FACTS, said, _row(found[1], load=found[2], active=found[3], sub=found[4]))
    elif found := _STATUS.match(text):
        speech.status = _Unit(said, {"service": _name(found[1])})
        told.ignore(said)
    elif found := _MISSING.match(text):
        told.add(SERVICE_FACTS, said, _row(found[1] or found[2], load="not-found", active="inactive"))
    elif _AROUND.match(text):
        told.ignore(said)
    elif found := _FILE.match(text):
        told.add(SERVICE_FACTS, said, _row(found[1], enabled=found[2]))
    elif _WORD.match(text) or _ENABLED.match(text):
        _answered(told, speech, said)
    elif speech.status is not None:
        _status(told, speech, said)


def _shown(told: Told, speech: _Speech, said: Said, name: str, value: str) -> None:
    """A property of a block of ``show``; properties may stand before the unit's name."""
    told.ignore(said)
    if speech.shown is not None and (name in speech.shown.seen or _blank_after(told, speech, said)):
        _end_shown(told, speech, True)
    if speech.shown is None:
        speech.shown = _Unit(said)
    unit = speech.shown
    unit.seen.add(name)
    if name == "Id":
        unit.said = said
        unit.row["service"] = _name(value)
    elif name in _PROPERTIES:
        unit.row[_PROPERTIES[name]] = value or None
    else:
        return
    unit.lines.append(said.number)


def _end_shown(told: Told, speech: _Speech, whole: bool) -> None:
    """The open block of ``show`` ends: a row when it is whole and names its unit, else its lines are unread."""
    unit, speech.shown = speech.shown, None
    if unit is None:
        return
    whole = whole or {"Id", *_PROPERTIES} <= unit.seen
    if whole and unit.row.get("service") and len(unit.row) > 1:
        told.add(SERVICE_FACTS, unit.said, unit.row, *unit.lines)
    else:
        for line in unit.lines:
            told.account.unread(
                line, "a block that is cut" if not whole else "a block that names no unit or says nothing of it"
            )


def _status(told: Told, speech: _Speech, said: Said) -> None:
    """A line below the head of ``status``: load state, state, or what stands with them (process, memory, journal)."""
    unit = speech.status
    assert unit is not None
    if found := _LOADED.match(said.text):
        unit.row["load"] = found[1]
        parts = [p.strip() for p in (found[2] or "").split(";")]
        unit.row["enabled"] = next((p for p in parts[:2] if _ENABLED.match(p)), None)
        unit.lines.append(said.number)
        told.ignore(said)
    elif (found := _ACTIVE.match(said.text)) and "active" not in unit.row:
        unit.row["active"] = found[1]
        unit.row["sub"] = found[2] or ("failed" if found[1] == "failed" else None)
        told.add(SERVICE_FACTS, unit.said, unit.row, said.number, *unit.lines)
    else:
        told.ignore(said)


def _answered(told: Told, speech: _Speech, said: Said) -> None:
    """One line of ``is-active`` or ``is-enabled``: it belongs to the next unit of the command."""
    words = list(said.speaker.command)
    verb = next((w for w in words if w in ("is-active", "is-enabled", "is-failed")), None)
    if verb is None:
        return
    if speech.asked is None:
        speech.asked = [w for w in words[words.index(verb) + 1 :] if not w.startswith("-") and w not in ("|", ";", "&&")]
    if not speech.asked:
        return
    name = speech.asked.pop(0)
    if verb == "is-enabled":
        if said.text == "not-found":
            told.add(SERVICE_FACTS, said, _row(name, load="not-found"))
        elif _ENABLED.match(said.text):
            told.add(SERVICE_FACTS, said, _row(name, enabled=said.text))
    elif _WORD.match(said.text):
        told.add(SERVICE_FACTS, said, _row(name, active=said.text if said.text != "unknown" else "inactive"))


def _name(unit: str) -> str:
    return unit.removesuffix(".service")


def _row(unit: str, **columns: str) -> dict[str, str]:
    return {"service": _name(unit), **columns}
