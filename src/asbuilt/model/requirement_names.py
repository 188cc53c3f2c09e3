"""Rules on display-name templates: safe characters, known fields, names that differ, lengths that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from asbuilt.base.decode import Path
from asbuilt.base.problem import Place, Problem
from asbuilt.model.name_template import TemplateFault, faults, fields_of

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

_CODES = {
    "syntax": "REQ-061",
    "field": "REQ-062",
    "format": "REQ-063",
    "same": "REQ-064",
    "hostile": "REQ-065",
    "long": "REQ-066",
}
_WHY = {
    "syntax": "a single brace opens or closes a field",
    "field": "the plan can only fill in what it knows",
    "format": "names are made on many systems; only plain numbers, padded with zeros, come out alike everywhere",
    "same": "a name must lead to one device",
    "hostile": "names pass through shells, host lists, CSV files and spreadsheets, where this is read as something else",
    "long": "InfiniBand carries a name in 64 bytes, and a host name ends at 63; the rest would be cut off",
}


def name_rules(stated: Stated) -> Iterable[Problem]:
    """Problems REQ-061 … REQ-067."""
    found: dict[str, Path] = {}
    for path, template, tier in _templates(stated):
        wrong = faults(template, tier)
        if not wrong and tier == "spine" and "rail" in fields_of(template):
            wrong = _rail_of_spine(stated, path, template)
        for fault in wrong:
            place = _inside(stated, path, template, fault)
            yield Problem(_CODES[fault.kind], fault.what, place, _WHY[fault.kind], fault.fix)
        if not wrong and tier != "node":
            key = template.replace("{plane}", str(path[1]))
            if key in found:
                what = f"two tiers use the same names; the other stands in line {stated.places[found[key]].line}"
                fix = "give each tier its own fixed part, for example LEAF- and SPINE-"
                yield stated.problem("REQ-067", path, what, _WHY["same"], fix)
            found.setdefault(key, path)


def _templates(stated: Stated) -> Iterable[tuple[Path, str, str]]:
    if stated.has("node_names") and stated.value.node_names is not None:
        yield ("node_names",), stated.value.node_names, "node"
    for name, plane in stated.planes():
        for tier in ("leaf", "spine", "core"):
            path: Path = ("planes", name, tier, "names")
            template = getattr(plane, tier).names
            if template is not None and stated.has(*path):
                yield path, template, tier


def _rail_of_spine(stated: Stated, path: Path, template: str) -> list[TemplateFault]:
    """Only in leaf groups has a spine a rail."""
    plane = getattr(stated.value.planes, str(path[1]))
    if plane.layout is None or plane.layout == "leaf-groups":
        return []
    start = template.find("{rail")
    length = template.find("}", start) - start + 1
    what = f"a spine of a {plane.layout} plane serves all rails"
    return [TemplateFault("field", what, "use {index} instead of {rail}", start, length)]


def _inside(stated: Stated, path: Path, template: str, fault: TemplateFault) -> Place:
    """The characters at fault inside the value, where the file spells the value as it is; else the whole value."""
    place = stated.places[path]
    column = place.column + (1 if place.text[place.column - 1 : place.column] in ("'", '"') else 0)
    if not fault.length or place.text[column - 1 : column - 1 + len(template)] != template:
        return place
    return Place(place.file, place.line, column + fault.start, place.text, fault.length)
