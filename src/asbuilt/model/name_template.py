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
_WHOLE = re.compile(r"^(0?[1-9])?[dxX]?$")
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
        return [
            TemplateFault("syntax", f"the template cannot be read: {error}", "each field is one name in braces: {index:02d}")
        ]
    allowed = NODE_FIELDS if tier == "node" else SWITCH_FIELDS
    found: list[TemplateFault] = []
    for literal, name, spec, conversion in parts:
        found += _literal_faults(literal, template, tier)
        if name is not None:
            found += _field_faults(name, spec or "", conversion, allowed, tier, template)
    if found:
        return found
    used = fields_of(template)
    if not set(used) & set(TELLING[tier]):
        wanted = " or ".join(f"{{{name}}}" for name in TELLING[tier])
        what = (
            f"the template gives every {tier} the same name" if not used else f"the fields do not tell one {tier} from another"
        )
        return [TemplateFault("same", what, f"add {wanted}")]
    return _whole_name_faults(template, tier)


def _literal_faults(literal: str, template: str, tier: str) -> list[TemplateFault]:
    letters = _LETTERS - {"_"} if tier == "node" else _LETTERS
    bad = next((c for c in literal if c not in letters), None)
    if bad is None:
        return []
    shown = f"`{bad}`" if bad.isprintable() else f"the character U+{ord(bad):04X}"
    allowed = "letters, digits, dot and hyphen" if tier == "node" else "letters, digits, dot, underscore and hyphen"
    return [TemplateFault("hostile", f"{shown} may not stand in a name", f"use only {allowed}", template.find(bad), 1)]


def _field_faults(
    name: str, spec: str, conversion: str | None, allowed: tuple[str, ...], tier: str, template: str
) -> list[TemplateFault]:
    start = max(0, template.find("{" + name))
    length = template.find("}", start) - start + 1
    if name not in allowed:
        fix = "fields: " + ", ".join(allowed)
        shown = f"`{{{name}}}`" if name else "`{}` without a name"
        return [TemplateFault("field", f"{shown} is not a field of a {tier} name", fix, start, length)]
    if name in ABSENT.get(tier, ()):
        fix = "fields: " + ", ".join(f for f in allowed if f not in ABSENT[tier])
        return [TemplateFault("field", f"a {tier} has no {name}", fix, start, length)]
    if conversion or not (_WHOLE.match(spec) if name != "plane" else not spec):
        shown = f"{{{name}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}"
        fix = "write {plane}" if name == "plane" else f"write {{{name}}} or, for two digits, {{{name}:02d}}"
        return [TemplateFault("format", f"`{shown}` is not a form that can be used", fix, start, length)]
    return []


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
