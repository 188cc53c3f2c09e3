"""Display-name templates (``IBLEAF-{rail:02d}-{rack:02d}``): which are safe, and what they make.

A name travels through shells, host lists, CSV files and spreadsheets, and InfiniBand carries it in 64 bytes
(NodeDescription, IBTA vol. 1, 14.2.5.2). So a template may hold letters, digits, dot, underscore and hyphen, and known fields.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

NODE_FIELDS = ("index", "rack", "row", "su")
SWITCH_FIELDS = ("plane", "subplane", "rail", "block", "pod", "index", "rack", "island")
#: Fields that tell the members of a tier apart; a template needs one of them.
TELLING = {
    "node": ("index",),
    "leaf": ("index", "rail", "block", "rack"),
    "spine": ("index", "rack"),
    "core": ("index", "rack"),
}
#: Fields that have no value in a tier.
ABSENT = {"leaf": ("pod",), "spine": ("block",), "core": ("block", "pod", "rail")}

NODE_NAME_MOST = 63  # a DNS label (RFC 1035, 2.3.4)
SWITCH_NAME_MOST = 64  # bytes of an InfiniBand NodeDescription

_LARGEST = {"index": 99_999, "rack": 99_999, "row": 9_999, "su": 999, "rail": 15, "block": 9_999, "pod": 999, "subplane": 3}
_WHOLE = re.compile(r"^(0[1-9]d|d)?$")
_LETTERS = frozenset(string.ascii_letters + string.digits + "._-")


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """What is wrong with a template: a word for the kind, the message, the repair, and the characters at fault."""

    kind: str
    what: str
    fix: str
    start: int = 0
    length: int = 0


def fields_of(template: str) -> tuple[str, ...]:
    """Names of the fields in a template, in order. Raises ``ValueError`` for unbalanced braces."""
    return tuple(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)


def faults(template: str, tier: str) -> list[TemplateFault]:
    """What is wrong with ``template`` for ``tier`` (node, leaf, spine, core); empty when it can be used."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        what = "a `{` is not closed" if "expected" in str(error) else "a `{` or `}` stands alone"
        return [TemplateFault("syntax", what, "each field is one name in braces: {index:02d}")]
    found: list[TemplateFault] = []
    cursor = 0
    for literal, name, spec, conversion in parts:
        found += _literal_faults(literal, cursor, tier)
        if name is None:
            continue
        start = template.index("{", cursor + len(literal))
        cursor = _end_of_field(template, start)
        fault = _field_fault(name, spec or "", conversion, tier)
        if fault:
            found.append(TemplateFault(*fault, start, cursor - start))
    if found:
        return found
    used = fields_of(template)
    if not set(used) & set(TELLING[tier]):
        wanted = " or ".join(f"{{{name}}}" for name in TELLING[tier])
        what = f"the template gives every {tier} the same name"
        if used:
            what = f"the fields do not tell one {tier} from another"
        return [TemplateFault("same", what, f"add {wanted}")]
    return _whole_name_faults(template, tier)


def _end_of_field(template: str, start: int) -> int:
    """The index behind the brace that closes the field opened at ``start``; fields may be nested in a format."""
    depth = 0
    for index in range(start, len(template)):
        depth += {"{": 1, "}": -1}.get(template[index], 0)
        if depth == 0:
            return index + 1
    return len(template)


def _literal_faults(literal: str, at: int, tier: str) -> list[TemplateFault]:
    letters = _LETTERS - {"_"} if tier == "node" else _LETTERS
    bad = next((i for i, c in enumerate(literal) if c not in letters), None)
    if bad is None:
        return []
    character = literal[bad]
    shown = f"`{character}`" if character.isprintable() else f"the character U+{ord(character):04X}"
    shown = "a space" if character == " " else shown
    name = "host name" if tier == "node" else "name"
    allowed = "letters, digits, dot and hyphen" if tier == "node" else "letters, digits, dot, underscore and hyphen"
    return [TemplateFault("hostile", f"{shown} may not stand in a {name}", f"use only {allowed}", at + bad, 1)]


def _field_fault(name: str, spec: str, conversion: str | None, tier: str) -> tuple[str, str, str] | None:
    """Kind, message and repair of a field that cannot be used; None for a good one."""
    every = NODE_FIELDS if tier == "node" else SWITCH_FIELDS
    allowed = [field for field in every if field not in ABSENT.get(tier, ())]
    fix = "the fields are: " + ", ".join(allowed)
    if name in ABSENT.get(tier, ()):
        return "field", f"a {tier} has no {name}", fix
    if name not in allowed:
        shown = f"`{{{name}}}`" if name else "`{}` without a name"
        return "field", f"{shown} is not a field of a {tier} name", fix
    if conversion or not (_WHOLE.match(spec) if name != "plane" else not spec):
        shown = f"{{{name}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}"
        fix = "write {plane}" if name == "plane" else f"write {{{name}}} or, for two digits, {{{name}:02d}}"
        return "format", f"the format of `{shown}` cannot be used", fix
    return None


def _whole_name_faults(template: str, tier: str) -> list[TemplateFault]:
    """Faults of the finished name, made with the largest numbers that a site can have."""
    name = longest_name(template)
    most = NODE_NAME_MOST if tier == "node" else SWITCH_NAME_MOST
    if len(name) > most:
        what = f"names grow to {len(name)} characters (`{name}`); at most {most} fit"
        return [TemplateFault("long", what, "shorten the fixed part")]
    if not name[0].isalnum() or not name[-1].isalnum():
        what = "a name may not begin or end with a dot, hyphen or underscore"
        return [TemplateFault("hostile", what, "begin and end with a letter, a digit or a field")]
    return []


def longest_name(template: str) -> str:
    """The name with the largest value of each field: rack 99999, rail 15, the longest plane name, …"""
    return template.format(plane="management", island=99, **_LARGEST)
