"""The quick road for the built-in files: they are written in one regular form, which needs no YAML machine.

A file that departs from the form is answered with None and read by `read`, which checks everything. A contract test reads
every built-in file both ways and demands equal parts, so this road may skip the checks; a user's file never takes it.
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import Any

from asbuilt.base.origin import Confidence, Figure, Origin
from asbuilt.catalogue.read import Part

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|: ?|[^\[\]{},":]+')
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)$")
_REAL = re.compile(r"-?[0-9]+\.[0-9]+$")
_KEY = re.compile(r"  ([a-z][a-z0-9_]*):$")
_WORD = re.compile(r"[A-Za-z/]")
_FIELDS = frozenset(("value", "unit", "source", "confidence", "origin", "note"))
_RESERVED = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


class _OtherFormError(Exception):
    """The text is not in the regular form."""


def plain_part(text: str, file: str, kind: str, part_id: str) -> Part | None:
    """The part in ``text``, equal to what `read_part` gives for it; None where the text is not in the regular form."""
    try:
        head, figures = _figures(text)
    except _OtherFormError:
        return None
    if head.get("kind") != kind or head.get("id") != part_id or not head.get("name"):
        return None
    return Part(part_id, kind, head["name"], MappingProxyType(figures), file, MappingProxyType({}))


def _figures(text: str) -> tuple[dict[str, str], dict[str, Figure]]:
    head: dict[str, str] = {}
    raw: dict[str, dict[str, Any]] = {}
    fields: dict[str, Any] = {}
    started = False
    pending = ""  # the field whose value stands on the lines below it
    for line in text.splitlines():
        if line.startswith("      "):
            _continue(fields, pending, line[6:])
        elif line.startswith("    "):
            pending = _field(fields, line[4:])
        elif key := _KEY.match(line):
            if key[1] in raw or not started:
                raise _OtherFormError
            fields = raw[key[1]] = {}
        elif line and not line.startswith("#"):
            name, colon, rest = line.partition(": ")
            if line == "figures:" and not started:
                started = True
                continue
            if started or not colon or name not in ("kind", "id", "name") or name in head:
                raise _OtherFormError
            head[name] = str(_scalar(rest))
    return head, {key: _figure(value) for key, value in raw.items()}


def _field(fields: dict[str, Any], text: str) -> str:
    """Note one field; returns its name where its value follows on the next lines, else an empty text."""
    name, colon, rest = text.partition(":")
    if name not in _FIELDS or name in fields or not colon or (rest and rest[0] != " ") or rest[-1:] == " ":
        raise _OtherFormError
    rest = rest[1:]
    if rest == ">-":
        fields[name] = ""
        return name
    if not rest:
        fields[name] = []
        return name
    fields[name] = _flow(rest) if rest[0] in "[{" else _scalar(rest)
    return ""


def _continue(fields: dict[str, Any], pending: str, text: str) -> None:
    held = fields.get(pending)
    if isinstance(held, str) and text == text.strip():
        fields[pending] = f"{held} {text}" if held else text
    elif isinstance(held, list) and text.startswith("- {"):
        held.append(_flow(text[2:]))
    else:
        raise _OtherFormError


def _figure(fields: dict[str, Any]) -> Figure:
    if fields.get("value") in ("", []) or not all(isinstance(v, str) for k, v in fields.items() if k != "value"):
        raise _OtherFormError
    try:
        confidence, origin = Confidence(fields["confidence"]), Origin(fields.get("origin", "published"))
        return Figure(fields["value"], fields["unit"], fields["source"], confidence, origin, fields.get("note", ""))
    except (KeyError, ValueError):
        raise _OtherFormError from None


def _scalar(text: str) -> Any:
    if not text or text != text.strip():
        raise _OtherFormError
    if text[0] == '"':
        try:
            return json.loads(text)
        except ValueError:
            raise _OtherFormError from None
    if _INTEGER.match(text):
        return int(text)
    if _REAL.match(text):
        return float(text)
    low = text.lower()
    if low in _RESERVED:
        if text not in ("true", "false"):
            raise _OtherFormError
        return text == "true"
    if not _WORD.match(text) or ": " in text or " #" in text or text.endswith(":"):
        raise _OtherFormError
    return text


def _flow(text: str) -> Any:
    """A flow list or mapping of scalars, as ``[a, b]`` or ``{a: 1, b: 2}``."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text or text[-1] != {"[": "]", "{": "}"}[text[0]]:
        raise _OtherFormError
    inner = [token.strip() for token in tokens[1:-1]]
    if text[0] == "[":
        if any(mark != "," for mark in inner[1::2]) or len(inner) % 2 == 0:
            raise _OtherFormError
        return [_item(token) for token in inner[::2]]
    if len(inner) % 4 != 3 or any(t != ":" for t in inner[1::4]) or any(t != "," for t in inner[3::4]):
        raise _OtherFormError
    return {_item(k): _item(v) for k, v in zip(inner[::4], inner[2::4], strict=True)}


def _item(token: str) -> Any:
    if not token or token[0] in "[]{},:":
        raise _OtherFormError
    return _scalar(token)
