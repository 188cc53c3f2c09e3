"""One scalar to one value: only spellings that every YAML reader understands alike.

YAML 1.1 and 1.2 read some plain scalars differently (``yes``, ``0100``, ``1:30``, ``1e3``, ``1_000``); those are refused
with the spelling to use instead. A value that was refused comes back as ``Rejection``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from asbuilt.base.fault import Fault
from asbuilt.base.shape import Kind, Shape


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a scalar is not a value: the fault, what is wrong, and what to write."""

    fault: Fault
    what: str
    fix: str = ""
    why: str = ""


_NULL = re.compile(r"^(~|null|Null|NULL|)$")
_TRUE_FALSE = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_OLD_TRUE_FALSE = {"yes": True, "on": True, "y": True, "no": False, "off": False, "n": False}
_DECIMAL = re.compile(r"^[+-]?(0|[1-9][0-9]*)$")
_HEX = re.compile(r"^0x[0-9A-Fa-f]+$")
_FLOAT = re.compile(r"^[+-]?((0|[1-9][0-9]*)?\.[0-9]+|(0|[1-9][0-9]*)\.)([eE][+-][0-9]+)?$")
_EXPONENT = re.compile(r"^[+-]?[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+$")
_OCTAL = re.compile(r"^[+-]?0[oO]?[0-7]+$")
_LEADING_ZERO = re.compile(r"^[+-]?0[0-9]+$")
_BINARY = re.compile(r"^[+-]?0[bB][01]+$")
_SEXAGESIMAL = re.compile(r"^[+-]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?$")
_GROUPED = re.compile(r"^[+-]?[0-9]{1,3}([_, '][0-9]{3})+$")
_COMMA = re.compile(r"^[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})$")
_NOT_FINITE = re.compile(r"^[+-]?\.?(nan|inf|infinity)$", re.IGNORECASE)
#: Units in which a hundred per cent are 1.
_OF_ONE = ("share", "ratio")
_WITH_UNIT = re.compile(r"^([+-]?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z°%/][\w°%/^]*)$")
_DATE = re.compile(r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$")


def is_null(text: str) -> bool:
    """True for a plain scalar that YAML reads as null."""
    return bool(_NULL.match(text))


def plain_type(text: str) -> str:
    """What a YAML 1.1 or 1.2 reader makes of plain ``text`` other than text, in words; empty when it is text in both."""
    if is_null(text):
        return "an empty value"
    if text.lower() in ("true", "false", *_OLD_TRUE_FALSE):
        return "true/false"
    number = (_DECIMAL, _HEX, _FLOAT, _EXPONENT, _OCTAL, _LEADING_ZERO, _BINARY, _NOT_FINITE)
    if any(form.match(text) for form in number) or re.match(r"^[+-]?[0-9][0-9_]*(\.[0-9_]*)?$", text):
        return "a number"
    if _SEXAGESIMAL.match(text):
        return "a number to base 60"
    if _DATE.match(text):
        return "a date"
    return "a special value" if text in ("=", "<<") else ""


def read_text(text: str, plain: bool) -> str | Rejection:
    """Text: quoted, or plain when no reader takes it for something else."""
    taken_for = plain_type(text) if plain else ""
    if taken_for:
        shown = _shown(text)
        return Rejection(
            Fault.UNQUOTED,
            f"`{shown}` is read as {taken_for}, but text is wanted",
            f'write it in quotes: "{shown}"',
            "without quotes other YAML readers change the value (yes becomes true, 550.90 becomes 550.9)",
        )
    return text


def read_flag(text: str, plain: bool) -> bool | Rejection:
    """True or false, spelt so and without quotes."""
    if plain and text in _TRUE_FALSE:
        return _TRUE_FALSE[text]
    low = text.lower()
    if not plain and low in ("true", "false"):
        return Rejection(Fault.WRONG_TYPE, f"{_quoted(text)} is text, because of the quotes", f"write {low} without quotes")
    if low in _OLD_TRUE_FALSE:
        why = f"old YAML reads `{_shown(text)}` as true/false, new YAML as text"
        return Rejection(
            Fault.WRONG_TYPE, f"`{_shown(text)}` is not a clear yes or no", f"write {str(_OLD_TRUE_FALSE[low]).lower()}", why
        )
    return Rejection(Fault.WRONG_TYPE, f"{_named(text, plain)} is neither true nor false", "write true or false")


def read_number(text: str, plain: bool, shape: Shape) -> int | float | Rejection:
    """A whole number or a number, decimal (or 0x… for whole numbers), within what a float or 64 bits can hold."""
    if not plain:
        return _quoted_number(text, shape)
    if shape.kind is Kind.WHOLE and _HEX.match(text):
        return int(text, 16) if len(text) <= 18 else _oversize(text, shape)
    if _DECIMAL.match(text):
        if len(text) > 19:
            return _oversize(text, shape)
        return int(text) if shape.kind is Kind.WHOLE else float(text)
    if _FLOAT.match(text) and len(text) <= 40:
        number = float(text)
        if not math.isfinite(number):
            return _oversize(text, shape)
        if shape.kind is Kind.NUMBER:
            return number
        fix = f"write {int(number)}" if number.is_integer() and abs(number) < 1e15 else "round it to a whole number"
        return Rejection(Fault.WRONG_TYPE, f"`{_shown(text)}` has a decimal point, but a whole number is wanted", fix)
    return _odd_number(text, shape)


def _oversize(text: str, shape: Shape) -> Rejection:
    return Rejection(Fault.OUT_OF_RANGE, f"`{_shown(text)}` is far too large", f"write {shape.expected()}")


def _quoted_number(text: str, shape: Shape) -> Rejection:
    inner = read_number(text, True, shape)
    fix = inner.fix if isinstance(inner, Rejection) else f"write {text.strip()} without quotes"
    return Rejection(Fault.WRONG_TYPE, f"{_quoted(text)} is text, because of the quotes; a {shape.kind} is wanted", fix)


def _odd_number(text: str, shape: Shape) -> Rejection:
    """Numbers that two readers understand differently, or that are no numbers."""
    wanted = f"write {shape.expected()}"
    shown = _shown(text)
    if _NOT_FINITE.match(text):
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` is not a quantity that can be planned with", wanted)
    if len(text) > 40:
        return Rejection(Fault.WRONG_TYPE, f"`{shown}` is not a {shape.kind}", wanted)
    if _EXPONENT.match(text):
        fix = f"write {_spelt(float(text))}" if math.isfinite(float(text)) and abs(float(text)) < 1e15 else wanted
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` is a number to some YAML readers and text to others", fix)
    if _OCTAL.match(text) or _LEADING_ZERO.match(text):
        digits = text.lstrip("+-").lower().removeprefix("0o").lstrip("0") or "0"
        meant = f"; some YAML readers take it for octal, {int(digits, 8)}" if _OCTAL.match(text) else ""
        fix = f"write {digits} if the decimal number is meant"
        fix += f", 0x{digits} if the hexadecimal one" if shape.kind is Kind.WHOLE else ""
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` has a leading zero{meant}", fix)
    if _HEX.match(text):
        return Rejection(
            Fault.NUMBER_FORM, f"`{shown}` is hexadecimal, which only whole numbers may be", f"write {int(text, 16)}"
        )
    if _COMMA.match(text):
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` has a decimal comma", f"write {text.replace(',', '.')}")
    if _BINARY.match(text):
        value = int(text, 2)
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` is a number to some YAML readers and text to others", f"write {value}")
    if _SEXAGESIMAL.match(text):
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` is read as a number to base 60 by old YAML and as text by new", wanted)
    if _GROUPED.match(text):
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` has signs between its digits", f"write {re.sub('[^0-9+-]', '', text)}")
    unit = _WITH_UNIT.match(text)
    if unit:
        known = f"the unit of this field is {shape.unit}" if shape.has_unit else "this field has no unit"
        fix = f"write {unit[1]} if that is the value in {shape.unit}" if shape.has_unit else f"write {unit[1]}"
        if unit[2] == "%" and shape.unit in _OF_ONE:
            fix = f"write {_spelt(float(unit[1]) / 100)}"
        return Rejection(Fault.NUMBER_FORM, f"`{shown}` has letters behind the number; {known}", fix)
    return Rejection(Fault.WRONG_TYPE, f"`{shown}` is not a {shape.kind}", wanted)


def _spelt(number: float) -> str:
    return str(int(number)) if number.is_integer() else format(number, ".12g")


def _shown(text: str, most: int = 60) -> str:
    clean = "".join(c if c.isprintable() else "\N{MIDDLE DOT}" for c in text[: most + 1])
    return clean if len(text) <= most else clean[:most] + "…"


def _quoted(text: str) -> str:
    return f'"{_shown(text)}"'


def _named(text: str, plain: bool) -> str:
    return f"`{_shown(text)}`" if plain else _quoted(text)


def named(value: Any) -> str:
    """A value for a message: shortened, with invisible characters shown as dots."""
    return f"`{_shown(str(value))}`"
