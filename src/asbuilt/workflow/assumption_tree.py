"""Trees of assumptions as they stand in YAML: groups in groups, and leaves with a low, a likely and a high value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from asbuilt.base.fault import Fault
from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem
from asbuilt.base.scalar import Rejection, is_null, named, read_number
from asbuilt.base.shape import Kind, Shape, plainly
from asbuilt.base.yaml_tree import Listing, Node, Refused, Scalar, Table
from asbuilt.model.assumption import Spread

ENDS = ("low", "likely", "high")
#: What stands beside groups holds for everything below that does not say it itself.
INHERITED = ("unit", "origin", "confidence", "source", "meaning", "least", "above", "most")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a value may be; ``above``: a lower bound that is itself excluded; ``whole``: people and shifts are not cut."""

    unit: str
    least: float | None = None
    above: float | None = None
    most: float | None = None
    whole: bool = False

    def broken(self, value: float) -> str:
        """Empty, or what is wanted in words."""
        if self.above is not None and value <= self.above:
            return f"more than {plainly(self.above)}"
        if self.least is not None and value < self.least:
            return f"at least {plainly(self.least)}"
        if self.most is not None and value > self.most:
            return f"at most {plainly(self.most)}"
        return "a whole number of" if self.whole and not float(value).is_integer() else ""

    def words(self) -> str:
        """``a number, more than 0, at most 1, in share``."""
        parts = [
            f"{word} {plainly(bound)}"
            for word, bound in (("more than", self.above), ("at least", self.least), ("at most", self.most))
            if bound is not None
        ]
        return ", ".join(["a whole number" if self.whole else "a number", *parts, f"in {self.unit}"])


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf before it is read: its id, the table that it stands in, and what groups above it say."""

    id: str
    place: Place
    node: Table
    above: Mapping[str, Scalar]

    def scalar(self, key: str) -> Scalar | None:
        """What the leaf says for ``key``, else what a group above it says."""
        for name, child in self.node.entries:
            if name.text == key:
                return child if isinstance(child, Scalar) else None
        return self.above.get(key)

    def table(self, key: str) -> Table | None:
        return next((c for k, c in self.node.entries if k.text == key and isinstance(c, Table)), None)


@dataclass(slots=True)
class Ledger:
    """Problems found so far; one code for each kind of fault."""

    codes: Mapping[Fault, str]
    problems: list[Problem] = field(default_factory=list)

    def note(self, fault: Fault, place: Place, what: str, why: str = "", fix: str = "") -> None:
        self.problems.append(Problem(self.codes[fault], what, place, why, fix))


def leaves(node: Table, ledger: Ledger, path: str = "", above: Mapping[str, Scalar] | None = None) -> Iterator[Leaf]:
    """Every leaf below ``node``, in file order. What is neither group nor leaf is reported."""
    said = dict(above or {})
    for key, child in node.entries:
        if key.text in INHERITED and isinstance(child, Scalar):
            said[key.text] = child
    for key, child in node.entries:
        if key.text in said and isinstance(child, Scalar):
            continue
        here = f"{path}.{key.text}" if path else key.text
        if isinstance(child, Table):
            if any(name.text in ENDS for name, _ in child.entries):
                yield Leaf(here, key.place, child, said)
            else:
                yield from leaves(child, ledger, here, said)
        elif not isinstance(child, Refused):
            what = f"`{here}` is neither a group nor a value with {', '.join(ENDS)}"
            ledger.note(Fault.WRONG_TYPE, key.place, what, fix="write `{low: …, likely: …, high: …}`")


def read_value(node: Node, at: Scalar, key: str, meaning: str, limits: Limits, ledger: Ledger) -> float | None:
    """One number within its limits, or None after the problem is noted."""
    if isinstance(node, Refused):
        return None
    why = f"`{key}` means: {meaning}" if meaning else ""
    if not isinstance(node, Scalar) or node.lines > 1:
        given = "a list" if isinstance(node, Listing) else "a group" if isinstance(node, Table) else "text over several lines"
        ledger.note(Fault.WRONG_TYPE, node.place, f"{given} stands where a number is wanted", why, f"write {limits.words()}")
        return None
    if node.plain and is_null(node.text):
        place = node.place if node.text else at.place
        fix = "give a value, or delete the line: then the built-in value holds"
        ledger.note(Fault.NO_VALUE, place, f"`{key}` has no value", why, fix)
        return None
    shape = Shape(key, Kind.NUMBER, meaning, limits.unit, least=limits.least, most=limits.most)
    value = read_number(node.text, node.plain, shape)
    if isinstance(value, Rejection):
        reason = ". ".join(part for part in (why, value.why[:1].upper() + value.why[1:]) if part)
        ledger.note(value.fault, node.place, value.what, reason, value.fix or f"write {limits.words()}")
        return None
    broken = limits.broken(value)
    if broken:
        unit = "" if limits.unit in ("share", "ratio") else f" {limits.unit}"
        what = f"{named(node.text)} is absurd here: {broken}{unit}"
        ledger.note(Fault.OUT_OF_RANGE, node.place, what, why, f"write {limits.words()}")
        return None
    return float(value)


def read_spread(node: Table, key: str, meaning: str, limits: Limits, ledger: Ledger) -> Spread | None:
    """``low``, ``likely`` and ``high`` of a table, in this order or equal. None after problems are noted."""
    found: dict[str, float] = {}
    places: dict[str, Place] = {}
    stated = set()
    for name, child in node.entries:
        if name.text in ENDS:
            stated.add(name.text)
            value = read_value(child, name, f"{key}.{name.text}", meaning, limits, ledger)
            if value is not None:
                found[name.text], places[name.text] = value, child.place
    for end in ENDS:
        if end not in stated:
            what = f"`{key}` does not state `{end}`"
            why = "a spread has three points; a single number is written without them"
            ledger.note(Fault.MISSING, node.place, what, why, f"add `{end}: …`")
    if len(found) < len(ENDS):
        return None
    for lower, upper in (("low", "likely"), ("likely", "high")):
        if found[lower] > found[upper]:
            what = f"{lower} {plainly(found[lower])} of `{key}` lies above {upper} {plainly(found[upper])}"
            ledger.note(Fault.OUT_OF_RANGE, places[lower], what, "", "write them in rising order: low, likely, high")
            return None
    return Spread(found["low"], found["likely"], found["high"])


def unknown(key: Scalar, known: tuple[str, ...], inside: str, ledger: Ledger) -> None:
    """Report a key that nothing reads."""
    near = nearest(key.text, known, "did you mean ") if len(key.text) <= 64 else ""
    fix = near or "fields here: " + ", ".join(known)
    ledger.note(Fault.UNKNOWN_KEY, key.place, f"unknown field {named(key.text)}", f"`{inside}` has no such field", fix)
