"""YAML bytes to a frozen dataclass, strictly: every mistake is reported, each with its place, reason and repair.

The dataclass is the grammar: names, types, bounds and meanings come from its fields (`base/shape.py`). What the file does
not state keeps the field's default. Nothing is guessed and nothing unknown is dropped.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Any, Generic, Mapping, TypeAlias, TypeVar

from asbuilt.base.fault import Fault
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.base.scalar import Rejection, is_null, named, read_flag, read_number, read_text
from asbuilt.base.shape import Kind, Shape, plainly, shapes
from asbuilt.base.source_text import SourceText, read_source
from asbuilt.base.yaml_tree import Listing, Node, Refused, Scalar, Table, TreeBuilder

R = TypeVar("R")
Path: TypeAlias = tuple[str | int, ...]

MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one kind of document is read: its schema name and version, a problem code for each fault, and where to start."""

    schema: str
    version: int
    codes: Mapping[Fault, str]
    start: str = "`asbuilt new` writes a file to start from"


@dataclass(frozen=True, slots=True)
class Decoded(Generic[R]):
    """A decoded document and where each stated value stands. ``places`` has only values that were read without fault.

    ``apart``: top-level keys that the caller reads itself, with their trees.
    """

    value: R
    source: SourceText
    places: dict[Path, Place]
    problems: tuple[Problem, ...]
    apart: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)


def spelled(path: Path) -> str:
    """A path as people write it: ``node.nics[3].part``."""
    out = ""
    for step in path:
        out += f"[{step}]" if isinstance(step, int) else (f".{step}" if out else step)
    return out


def decode_record(data: bytes, file: str, record: type[R], grammar: Grammar, apart: tuple[str, ...] = ()) -> Decoded[R]:
    """Decode ``data``. Raises ``ProblemError`` when the bytes are no YAML at all; otherwise problems are in the answer.

    ``apart``: top-level keys that are no fields of ``record`` and are handed back as trees.
    """
    source = read_source(data, file, grammar.codes)
    builder = TreeBuilder(source, grammar.codes)
    root = builder.build()
    reader = _Reader(source, grammar, builder.problems, apart)
    if root is None or (isinstance(root, Scalar) and root.plain and is_null(root.text)):
        raise ProblemError([*builder.problems, _empty(source, grammar)])
    value = reader.document(root, record)
    return Decoded(value, source, reader.places, tuple(reader.problems), reader.apart)


def in_order(problems: list[Problem], codes: Mapping[Fault, str], file: str) -> list[Problem]:
    """Problems by place; past ``MOST_PROBLEMS`` only their number is told."""
    ordered = sorted(problems, key=lambda p: (p.place.line, p.place.column) if p.place else (0, 0))
    if len(ordered) > MOST_PROBLEMS:
        more = len(ordered) - MOST_PROBLEMS
        fix = "mend these first"
        ordered = [*ordered[:MOST_PROBLEMS], Problem(codes[Fault.TOO_MANY], f"{more} further problems", Place(file), fix=fix)]
    return ordered


def _empty(source: SourceText, grammar: Grammar) -> Problem:
    what = "the file holds only comments" if source.text.strip() else "the file is empty"
    fix = f"write at least `schema: {grammar.schema}/v{grammar.version}` and the required fields; {grammar.start}"
    return Problem(grammar.codes[Fault.EMPTY], what, Place(source.file), fix=fix)


class _Reader:
    """Walks the tree along the shapes. A value at fault is replaced by its default, so that the rest is read too."""

    def __init__(self, source: SourceText, grammar: Grammar, problems: list[Problem], apart: tuple[str, ...] = ()) -> None:
        self.source = source
        self.grammar = grammar
        self.problems = problems
        self.places: dict[Path, Place] = {}
        self.known_apart = apart
        self.apart: dict[str, tuple[Scalar, Node]] = {}

    def document(self, root: Node, record: type[R]) -> R:
        if isinstance(root, Table):
            first = next(((k, v) for k, v in root.entries if k.text == "schema"), None)
            self._schema(first)
            self.apart = {key.text: (key, child) for key, child in root.entries if key.text in self.known_apart}
            return self._record(root, record, (), ("schema", *self.known_apart))
        if not isinstance(root, Refused):
            kind = "a list" if isinstance(root, Listing) else "a single value"
            what = f"the file holds {kind}, but `name: value` lines are wanted"
            self._note(Fault.WRONG_TYPE, root.place, what, fix=self.grammar.start)
        return record()

    def _schema(self, entry: tuple[Scalar, Node] | None) -> None:
        wanted = f"{self.grammar.schema}/v{self.grammar.version}"
        if entry is None:
            what = f"the first line `schema: {wanted}` is missing"
            why = "it tells every program, now and in years, how to read this file"
            self._note(Fault.NO_SCHEMA, Place(self.source.file), what, why, f"add the line `schema: {wanted}` at the top")
            return
        node = entry[1]
        if isinstance(node, Refused) or (isinstance(node, Scalar) and node.text == wanted):
            return
        text = node.text if isinstance(node, Scalar) else ""
        match = re.match(r"^([a-z][a-z-]*)/v([0-9]{1,9})$", text)
        if match and match[1] == self.grammar.schema and int(match[2]) > self.grammar.version:
            what = f"{named(text)} is newer than this program, which reads up to {wanted}"
            fix = "install a newer asbuilt; do not change the number, the meaning of fields may differ"
            self._note(Fault.OTHER_SCHEMA, node.place, what, "a newer file may state things that would be lost here", fix)
            return
        what = f"{named(text)} is not the schema of this kind of file" if text else "the schema is missing its value"
        self._note(Fault.OTHER_SCHEMA, node.place, what, f"this file is read as {wanted}", f"write `schema: {wanted}`")

    def _record(self, node: Table, record: type[R], path: Path, also: tuple[str, ...] = ()) -> R:
        known = {shape.name: shape for shape in shapes(record)}
        values: dict[str, Any] = {}
        present = set(also)
        for key, child in node.entries:
            shape = known.get(key.text)
            if shape is None:
                if key.text not in also:
                    self._unknown(key, (*known, *also), path)
                continue
            present.add(key.text)
            ok, value = self._field(child, shape, (*path, key.text), key)
            if ok:
                values[key.text] = value
        for shape in known.values():
            if shape.required and shape.name not in present:
                self._missing(node, shape, path)
        return record(**values)

    def _unknown(self, key: Scalar, known: tuple[str, ...], path: Path) -> None:
        inside = f"`{spelled(path)}`" if path else "the top level"
        near = self._near(key.text, known)
        fix = f"did you mean `{near}`?" if near else "fields here: " + ", ".join(sorted(known))
        why = f"{inside} has no such field; it would be ignored"
        self._note(Fault.UNKNOWN_KEY, key.place, f"unknown field {named(key.text)}", why, fix)

    def _near(self, word: str, known: tuple[str, ...]) -> str:
        if len(word) > 64 or len(self.problems) > MOST_PROBLEMS:
            return ""
        match = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
        return match[0] if match else ""

    def _missing(self, node: Table, shape: Shape, path: Path) -> None:
        name = spelled((*path, shape.name))
        place = node.place if path else Place(self.source.file)
        why = f"{shape.meaning}; nothing can be assumed for it"
        self._note(Fault.MISSING, place, f"`{name}` is missing", why, f"add `{shape.name}: …` ({shape.expected()})")

    def _field(self, node: Node, shape: Shape, path: Path, at: Scalar | None = None) -> tuple[bool, Any]:
        """(read without fault, value). For a record or list the value is usable even when parts of it were refused."""
        if isinstance(node, Refused):
            return False, None
        if isinstance(node, Scalar) and node.plain and is_null(node.text):
            self._no_value(node, shape, path, at)
            return False, None
        if shape.kind in (Kind.RECORD, Kind.WORDS, Kind.NAMED):
            return self._group(node, shape, path, at)
        if shape.kind is Kind.LIST:
            return self._list(node, shape, path, at)
        if not isinstance(node, Scalar):
            given = "a list" if isinstance(node, Listing) else "a group of fields"
            bracket = node.place.text[node.place.column - 1 : node.place.column]
            quotes = "put the value in double quotes; without them a bracket or brace starts a list or group"
            fix = quotes if shape.kind is Kind.TEXT and bracket in ("{", "[") else ""
            what = f"{given} stands where a single value is wanted"
            self._value_note(Fault.WRONG_TYPE, node.place, what, shape, path, fix)
            return False, None
        return self._scalar(node, shape, path)

    def _no_value(self, node: Scalar, shape: Shape, path: Path, at: Scalar | None) -> None:
        place = at.place if at and not node.text else node.place
        fix = "give a value, or delete the line"
        if shape.kind in (Kind.RECORD, Kind.WORDS, Kind.NAMED):
            fix = "write the fields below it, indented by two more spaces, or delete the line"
        elif shape.required or at is None:
            fix = f"give a value: {shape.expected()}"
        self._value_note(Fault.NO_VALUE, place, f"`{spelled(path)}` has no value", shape, path, fix)

    def _group(self, node: Node, shape: Shape, path: Path, at: Scalar | None) -> tuple[bool, Any]:
        if not isinstance(node, Table):
            given = "a list" if isinstance(node, Listing) else named(node.text if isinstance(node, Scalar) else "")
            fix = "write the fields below it, one `name: value` on each line, indented by two more spaces"
            what = f"{given} stands where a group of fields is wanted"
            self._value_note(Fault.WRONG_TYPE, node.place, what, shape, path, fix)
            return False, None
        self.places[path] = at.place if at else node.place
        if shape.record is not None:
            return True, self._record(node, shape.record, path)
        words: dict[str, Any] = {}
        for key, child in node.entries:
            if shape.pattern and not re.fullmatch(shape.pattern, key.text):
                fix = f"use {_pattern_words(shape.pattern)}"
                self._value_note(Fault.PATTERN, key.place, f"{named(key.text)} cannot be a name here", shape, path, fix)
                continue
            inner = shape.item or Shape(key.text, Kind.TEXT, shape.meaning, longest=200)
            ok, value = self._field(child, inner, (*path, key.text), key)
            if ok:
                words[key.text] = value
        return True, words

    def _list(self, node: Node, shape: Shape, path: Path, at: Scalar | None) -> tuple[bool, Any]:
        if not isinstance(node, Listing):
            given = "a group of fields" if isinstance(node, Table) else named(node.text if isinstance(node, Scalar) else "")
            fix = "start each item with `- `" if shape.item and shape.item.record else "write a list, for example [0, 1]"
            self._value_note(Fault.WRONG_TYPE, node.place, f"{given} stands where a list is wanted", shape, path, fix)
            return False, None
        if not self._length_fits(len(node.items), "items", node.place, shape, path) or shape.item is None:
            return False, None
        before = len(self.problems)
        items = [self._field(child, shape.item, (*path, index)) for index, child in enumerate(node.items)]
        if len(self.problems) == before:
            self.places[path] = at.place if at else node.place
        return all(ok for ok, _ in items), tuple(value for _, value in items)

    def _scalar(self, node: Scalar, shape: Shape, path: Path) -> tuple[bool, Any]:
        value: Any
        if node.lines > 1:
            fix = "keep the value on one line; if the next line is a field of its own, align it with this one"
            self._value_note(Fault.WRONG_TYPE, node.place, "the value runs over several lines", shape, path, fix)
            return False, None
        if shape.kind is Kind.TEXT:
            value = read_text(node.text, node.plain)
        elif shape.kind is Kind.FLAG:
            value = read_flag(node.text, node.plain)
        else:
            value = read_number(node.text, node.plain, shape)
        if isinstance(value, Rejection):
            if shape.choices and value.fault is Fault.UNQUOTED:
                value = Rejection(Fault.NOT_A_CHOICE, f"{named(node.text)} is not a known word", self._choice(node.text, shape))
            self._value_note(value.fault, node.place, value.what, shape, path, value.fix, value.why)
            return False, None
        if not self._allowed(value, node, shape, path):
            return False, None
        self.places[path] = node.place
        return True, value

    def _allowed(self, value: Any, node: Scalar, shape: Shape, path: Path) -> bool:
        if isinstance(value, str):
            return self._text_allowed(value, node, shape, path)
        if isinstance(value, bool):
            return True
        for bound, broken, word in (
            (shape.least, shape.least is not None and value < shape.least, "least"),
            (shape.most, shape.most is not None and value > shape.most, "most"),
        ):
            if broken and bound is not None:
                unit = f" {shape.unit}" if shape.has_unit else ""
                unit += f" (0x{int(bound):X})" if node.text.startswith("0x") else ""
                what = f"{named(node.text)} is out of range: at {word} {plainly(bound)}{unit}"
                self._value_note(Fault.OUT_OF_RANGE, node.place, what, shape, path, f"write {shape.expected()}")
                return False
        return True

    def _text_allowed(self, value: str, node: Scalar, shape: Shape, path: Path) -> bool:
        if shape.choices and value not in shape.choices:
            what = f"{named(value)} is not a known word"
            self._value_note(Fault.NOT_A_CHOICE, node.place, what, shape, path, self._choice(value, shape))
            return False
        hidden = next((c for c in value if not c.isprintable()), None)
        if hidden is not None:
            what = f"the text holds the invisible character U+{ord(hidden):04X}"
            self._value_note(Fault.CONTROL_CHARACTER, node.place, what, shape, path, "delete the character")
            return False
        if not value.strip():
            self._value_note(
                Fault.NO_VALUE, node.place, f"`{spelled(path)}` is empty text", shape, path, "give a value, or delete the line"
            )
            return False
        if not self._length_fits(len(value), "characters", node.place, shape, path):
            return False
        if shape.pattern and not re.fullmatch(shape.pattern, value):
            what = f"{named(value)} has a form that is not allowed here"
            self._value_note(Fault.PATTERN, node.place, what, shape, path, f"use {_pattern_words(shape.pattern)}")
            return False
        return True

    def _choice(self, text: str, shape: Shape) -> str:
        near = self._near(text, shape.choices)
        allowed = ", ".join(shape.choices)
        return f"did you mean `{near}`? Allowed: {allowed}" if near else f"write one of: {allowed}"

    def _length_fits(self, length: int, what: str, place: Place, shape: Shape, path: Path) -> bool:
        low, high = shape.shortest or 0, shape.longest
        if length >= low and (high is None or length <= high):
            return True
        wanted = f"at least {low}" if length < low else f"at most {high}"
        said = f"`{spelled(path)}` has {length} {what}; {wanted} are wanted"
        self._value_note(Fault.LENGTH, place, said, shape, path)
        return False

    def _value_note(
        self, fault: Fault, place: Place, what: str, shape: Shape, path: Path, fix: str = "", why: str = ""
    ) -> None:
        told = f"`{spelled(path)}` means: {shape.told()}" if shape.meaning else ""
        reason = f"{told}. {why[:1].upper()}{why[1:]}" if why and told else why or told
        self._note(fault, place, what, reason, fix or f"write {shape.expected()}")

    def _note(self, fault: Fault, place: Place, what: str, why: str = "", fix: str = "") -> None:
        self.problems.append(Problem(self.grammar.codes[fault], what, place, why, fix))


#: Patterns in words, so that nobody has to read a regular expression in an error.
PATTERN_WORDS: dict[str, str] = {}


def _pattern_words(pattern: str) -> str:
    return PATTERN_WORDS.get(pattern, f"the form {pattern}")
