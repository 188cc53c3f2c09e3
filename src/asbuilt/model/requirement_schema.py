"""The requirement as JSON Schema (draft 2020-12) for editors, and as a reference page. Both are made from the dataclasses."""

from __future__ import annotations

import functools
from typing import Any, Iterator

from asbuilt.base.shape import Kind, Shape, plainly, shapes
from asbuilt.model.requirement import CIDR, DOMAIN, HOST, NAME, Requirement
from asbuilt.model.requirement_problems import MEANINGS

#: Patterns in words, for the page.
_FORMS = {
    NAME: "name",
    HOST: "name or id of a node",
    CIDR: "range: `10.0.0.0/16`",
    DOMAIN: "DNS domain",
    r"^[A-D]$": "`A` · `B` · `C` · `D`",
}
_TYPES = {Kind.TEXT: "string", Kind.WHOLE: "integer", Kind.NUMBER: "number", Kind.FLAG: "boolean"}


@functools.cache
def _schema() -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    body = _object(Requirement, definitions)
    properties = {"schema": {"const": "requirement/v1", "description": "how this file is to be read"}, **body["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "asbuilt requirement (cluster.yaml)",
        **body,
        "properties": properties,
        "required": ["schema", *body.get("required", [])],
        "$defs": definitions,
    }


def schema() -> dict[str, Any]:
    """JSON Schema of `cluster.yaml`: names, types, bounds, words and meanings. Rules between fields are not in it."""
    return dict(_schema())


def _object(record: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    fields = shapes(record)
    out: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {shape.name: _property(shape, definitions) for shape in fields},
    }
    required = [shape.name for shape in fields if shape.required]
    return {**out, "required": required} if required else out


def _property(shape: Shape, definitions: dict[str, Any]) -> dict[str, Any]:
    told = shape.meaning + (f" [{shape.unit}]" if shape.unit else "")
    out: dict[str, Any] = {"description": told} if told else {}
    if shape.kind is Kind.RECORD and shape.record is not None:
        name = shape.record.__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _object(shape.record, definitions)
        return {"$ref": f"#/$defs/{name}", **out}
    if shape.kind is Kind.LIST and shape.item is not None:
        item = {key: value for key, value in _property(shape.item, definitions).items() if key != "description"}
        bounds = {"minItems": shape.shortest, "maxItems": shape.longest}
        return {"type": "array", **out, "items": item, **{k: v for k, v in bounds.items() if v is not None}}
    if shape.kind is Kind.NAMED and shape.item is not None:
        inner = {key: value for key, value in _property(shape.item, definitions).items() if key != "description"}
        return {"type": "object", **out, "propertyNames": {"pattern": shape.pattern}, "additionalProperties": inner}
    if shape.kind is Kind.WORDS:
        keys = {"propertyNames": {"pattern": shape.pattern}} if shape.pattern else {}
        return {"type": "object", **out, **keys, "additionalProperties": {"type": "string", "minLength": 1, "maxLength": 200}}
    out = {"type": _TYPES[shape.kind], **out}
    if shape.kind is Kind.TEXT:
        out |= {"minLength": shape.shortest or 1}
    limits = {
        "minimum": _bound(shape.least),
        "maximum": _bound(shape.most),
        "enum": list(shape.choices) or None,
        "pattern": shape.pattern or None,
        "maxLength": shape.longest if shape.kind is Kind.TEXT else None,
    }
    return {**out, **{key: value for key, value in limits.items() if value is not None}}


def _bound(value: float | None) -> float | int | None:
    return int(value) if value is not None and float(value).is_integer() else value


def reference_markdown() -> str:
    """The text of `docs/requirement.md`: every field with its meaning, what may be written, and its unit."""
    lines = [
        "# The requirement: `cluster.yaml`",
        "",
        "<!-- Made from src/asbuilt/model/requirement.py by `make docs`; do not edit. -->",
        "",
        "One YAML file says what is asked. The first line is `schema: requirement/v1`; `name`, `system` and `gpus` must be",
        "stated, all else may be. What is not stated is chosen by the design and listed as *assumed* wherever a result hangs",
        "on it.",
        "",
        "`asbuilt new` writes commented files to start from; `asbuilt new --schema` prints the JSON Schema, with which an",
        "editor completes and checks while you type. `asbuilt explain REQ-nnn` explains a problem.",
        "",
        "Only plain YAML is read: UTF-8, no tabs in the indentation, no anchors, tags or second documents; at most 1 MiB. A",
        "value that two YAML readers understand differently (`yes`, `0100`, `1:30`, `1e3`, an unquoted `550.90` where text is",
        "wanted) is refused with the spelling to use. Whole numbers may be hexadecimal (`0x100`).",
        "",
        "A *name* below has letters, digits, dot, underscore and hyphen, starts with a letter or digit, and has at most 63",
        "characters. A display-name template holds the same characters and fields in braces, such as `{index:04d}`.",
    ]
    for path, shape in _groups():
        lines += ["", f"## {_title(path)}", ""]
        lines += [_introduction(path, shape), ""] if shape.meaning else []
        lines += ["| field | meaning | write | unit |", "|---|---|---|---|"]
        assert shape.record is not None  # _groups yields records only
        lines += [_row(field) for field in shapes(shape.record)]
    lines += ["", "## Problems", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(lines) + "\n"


def _introduction(path: str, shape: Shape) -> str:
    """The group's meaning; for planes and tiers, which stand for several groups, what their class says."""
    told = str(shape.record.__doc__).split("\n")[0].rstrip(".").replace("``", "`") if "<" in path else shape.meaning
    return f"{told[0].upper()}{told[1:]}."


def _title(path: str) -> str:
    return f"`{path}`" if path else "Top level"


def _groups() -> Iterator[tuple[str, Shape]]:
    """Every group of fields once, with the path to it; planes and tiers, which are alike, under one heading each."""
    seen: set[type[Any]] = set()

    def walk(path: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
        record = shape.record
        if record is None or record in seen:
            return
        seen.add(record)
        yield path, shape
        for field in shapes(record):
            inner = field.item if field.kind in (Kind.LIST, Kind.NAMED) else field
            if inner is not None and inner.record is not None:
                yield from walk(_joined(path, field), inner)

    yield from walk("", Shape("", Kind.RECORD, record=Requirement))


def _joined(path: str, field: Shape) -> str:
    name = field.name
    if path == "planes":
        name = "<plane>"
    elif path == "planes.<plane>":
        name = "<leaf, spine or core>"
    elif path.endswith((".lid_ranges", ".lanes")):
        name = "<role>" if path.endswith(".lid_ranges") else "<plane>"
    name += {Kind.LIST: "[]", Kind.NAMED: ".<name>"}.get(field.kind, "")
    return f"{path}.{name}" if path else name


def _row(field: Shape) -> str:
    must = " **(required)**" if field.required else ""
    unit = field.item.unit if field.item else field.unit
    return f"| `{field.name}` | {field.meaning}{must} | {_write(field)} | {unit} |"


def _write(field: Shape) -> str:
    if field.kind is Kind.LIST and field.item is not None:
        count = f"{field.shortest or 0} to {field.longest}" if field.longest else "any number of"
        return f"list of {count} groups, see below" if field.item.record else f"list of {count}: {_write(field.item)}"
    if field.kind is Kind.RECORD:
        return "group, see below"
    if field.kind is Kind.NAMED:
        return "groups by name, see below"
    if field.kind is Kind.WORDS:
        return "`name: text` lines"
    if field.choices:
        return " · ".join(f"`{word}`" for word in field.choices)
    words = str(field.kind)
    if field.pattern:
        return _FORMS.get(field.pattern, f"text of the form `{field.pattern}`")
    if field.least is not None and field.most is not None:
        words += f", {plainly(field.least)} to {plainly(field.most)}"
    if field.kind is Kind.TEXT and field.longest:
        words += f", at most {field.longest} characters"
    return words
