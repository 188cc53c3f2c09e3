"""What a field may hold, read once from a dataclass: type hint plus the metadata given at its declaration.

The decoder, the encoder, the JSON Schema and the reference page all work from these shapes, so they cannot disagree.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    RECORD = "record"
    LIST = "list"
    WORDS = "words"
    NAMED = "named groups"


@dataclass(frozen=True, slots=True)
class Shape:
    """One field: its kind, bounds and meaning. ``item`` for lists and named groups, ``record`` for nested dataclasses.

    ``optional`` says that None (not stated) is a legal value in memory; in a file the line is simply absent.
    """

    name: str
    kind: Kind
    meaning: str = ""
    unit: str = ""
    optional: bool = False
    required: bool = False
    default: Any = None
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    shortest: int | None = None
    longest: int | None = None
    record: type[Any] | None = None
    item: Shape | None = None

    @property
    def has_unit(self) -> bool:
        """False for counts, words and ratios."""
        return self.unit not in ("", "ratio")

    def told(self) -> str:
        """The meaning with the unit, where the meaning does not name it already."""
        return self.meaning + (f", in {self.unit}" if self.has_unit and self.unit not in self.meaning else "")

    def expected(self) -> str:
        """What to write, in words: ``a whole number from 8 to 1048576, in GPUs``."""
        if self.kind is Kind.LIST and self.item:
            count = _span(self.shortest, self.longest)
            inner = "groups of fields" if self.item.record else f"items, each {self.item.expected()}"
            return f"a list of {count + ' ' if count else ''}{inner}"
        if self.kind is Kind.RECORD:
            return "a group of fields"
        if self.kind is Kind.WORDS:
            return "a group of `name: text` lines"
        if self.kind is Kind.NAMED:
            return "groups of fields, each under its name"
        if self.choices:
            return "one of: " + ", ".join(self.choices)
        if self.kind is Kind.FLAG:
            return "true or false"
        if self.kind is Kind.TEXT:
            return "text on one line" + (f", at most {self.longest} characters" if self.longest else "")
        words = f"a {self.kind}"
        bounds = _span(self.least, self.most)
        if bounds:
            words += f" from {bounds}" if self.least is not None and self.most is not None else f", {bounds}"
        return words + (f", in {self.unit}" if self.has_unit else "")


def plainly(value: float) -> str:
    """A bound as a person writes it: no exponent, no ``.0``."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _span(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f"{plainly(least)} to {plainly(most)}"
    if least is not None:
        return f"at least {plainly(least)}"
    if most is not None:
        return f"at most {plainly(most)}"
    return ""


def shapes(record: type[Any]) -> tuple[Shape, ...]:
    """The shapes of a dataclass's fields, in declaration order. Raises ``TypeError`` for a hint the decoder can't read."""
    hashable: Any = record  # a class is; mypy cannot see it through the metaclass
    return _shapes(hashable)


@functools.cache
def _shapes(record: Any) -> tuple[Shape, ...]:
    hints = typing.get_type_hints(record)
    found = []
    for field in dataclasses.fields(record):
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        found.append(_shape(field.name, hints[field.name], dict(field.metadata), default))
    return tuple(found)


_PLAIN = {str: Kind.TEXT, int: Kind.WHOLE, float: Kind.NUMBER, bool: Kind.FLAG}
_META = ("meaning", "unit", "required", "least", "most", "choices", "pattern", "shortest", "longest")


def _shape(name: str, hint: Any, meta: dict[str, Any], default: Any) -> Shape:
    optional = False
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [p for p in typing.get_args(hint) if p is not type(None)]
        optional = len(parts) < len(typing.get_args(hint))
        if len(parts) != 1:
            raise TypeError(f"field {name}: a union of several types cannot be decoded")
        hint = parts[0]
    given: dict[str, Any] = {key: meta[key] for key in _META if meta.get(key) is not None}
    given |= {"name": name, "optional": optional, "default": None if default is dataclasses.MISSING else default}
    if hint in _PLAIN:
        return Shape(kind=_PLAIN[hint], **given)
    if dataclasses.is_dataclass(hint):
        return Shape(kind=Kind.RECORD, record=typing.cast("type[Any]", hint), **given)
    if typing.get_origin(hint) is tuple and typing.get_args(hint)[1:] == (Ellipsis,):
        inner: dict[str, Any] = {key: given.pop(key) for key in ("least", "most", "choices", "pattern", "unit") if key in given}
        inner["meaning"] = given.get("meaning", "")
        return Shape(kind=Kind.LIST, item=_shape(name, typing.get_args(hint)[0], inner, None), **given)
    if hint == dict[str, str]:
        return Shape(kind=Kind.WORDS, **given)
    if typing.get_origin(hint) is dict and dataclasses.is_dataclass(typing.get_args(hint)[1]):
        named = typing.get_args(hint)[1]
        return Shape(kind=Kind.NAMED, item=_shape(name, named, {"meaning": given.get("meaning", "")}, None), **given)
    raise TypeError(f"field {name}: {hint!r} cannot be decoded")
