"""A frozen dataclass to canonical YAML text and to the bytes that are hashed. Only stated values are written."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator

from asbuilt.base.scalar import plain_type
from asbuilt.base.shape import Kind, Shape, shapes

_SAFE = re.compile(r"^[A-Za-z0-9]([A-Za-z0-9._/+-]*[A-Za-z0-9])?$")


def encode_record(value: Any, schema: str) -> str:
    """YAML text that decodes to ``value``: field order of the dataclass, two spaces a level, defaults left out."""
    return "\n".join([f"schema: {schema}", *_lines(value, "")]) + "\n"


def canonical_record(value: Any, schema: str) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces: equal for equal documents, whatever their comments and spelling."""
    document = {"schema": schema, **_stated(value)}
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")


def _stated(value: Any) -> dict[str, Any]:
    return {shape.name: _plain(inner, shape) for shape, inner in _fields(value)}


def _plain(value: Any, shape: Shape) -> Any:
    if shape.kind is Kind.RECORD:
        return _stated(value)
    if shape.kind is Kind.LIST and shape.item is not None:
        return [_plain(item, shape.item) for item in value]
    if shape.kind is Kind.NAMED and shape.item is not None:
        return {name: _plain(item, shape.item) for name, item in value.items()}
    if shape.kind is Kind.NUMBER:
        return float(value)
    return value


def _fields(value: Any) -> Iterator[tuple[Shape, Any]]:
    """The stated fields of a record: those that differ from their default, and every required one."""
    for shape in shapes(type(value)):
        inner = getattr(value, shape.name)
        if inner is not None and (shape.required or inner != shape.default):
            yield shape, inner


def _lines(value: Any, indent: str) -> Iterator[str]:
    for shape, inner in _fields(value):
        yield from _field(f"{indent}{shape.name}:", shape, inner, indent + "  ")


def _field(head: str, shape: Shape, value: Any, indent: str) -> Iterator[str]:
    if shape.kind is Kind.RECORD:
        body = list(_lines(value, indent))
        yield head if body else f"{head} {{}}"
        yield from body
    elif shape.kind is Kind.WORDS:
        yield head if value else f"{head} {{}}"
        yield from (f"{indent}{_text(key)}: {_text(word)}" for key, word in value.items())
    elif shape.kind is Kind.NAMED and shape.item is not None:
        yield head if value else f"{head} {{}}"
        for name, item in value.items():
            yield from _field(f"{indent}{_text(name)}:", shape.item, item, indent + "  ")
    elif shape.kind is Kind.LIST and shape.item is not None:
        if value and shape.item.kind is Kind.RECORD:
            yield head
            for item in value:
                body = list(_lines(item, indent + "  ")) or [f"{indent}  {{}}"]
                yield f"{indent}- {body[0].lstrip()}"
                yield from body[1:]
        else:
            yield f"{head} [{', '.join(_scalar(item, shape.item) for item in value)}]"
    else:
        yield f"{head} {_scalar(value, shape)}"


def _scalar(value: Any, shape: Shape) -> str:
    if shape.kind is Kind.TEXT:
        return _text(value)
    if shape.kind is Kind.FLAG:
        return "true" if value else "false"
    if shape.kind is Kind.WHOLE:
        return str(int(value))
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else _number(number)


def _number(number: float) -> str:
    """A float in the one spelling that all YAML readers take for a number: a dot in the mantissa, a sign in the exponent."""
    mantissa, exponent, power = repr(number).partition("e")
    mantissa += "" if "." in mantissa else ".0"
    return mantissa + (f"e{int(power):+d}" if exponent else "")


def _text(value: str) -> str:
    """Plain where every YAML reader agrees that it is text; else double-quoted."""
    if _SAFE.match(value) and not plain_type(value):
        return value
    return json.dumps(value, ensure_ascii=False)
