"""One catalogue file: bytes to a `Part`, or every problem in it with its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import yaml

from asbuilt.base.nearest import nearest
from asbuilt.base.origin import Citation, Confidence, Figure, Origin
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.catalogue import schema

BYTES_MAX = 1 << 20
DEPTH_MAX = 12
COUNT_MOST = 100_000
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FIGURE_MUST = ("value", "unit", "source", "confidence")
_FIGURE_MAY = ("note", "origin")
_HOW = "see docs/catalogue.md for a complete file"
_FIGURE_HOW = "write value, unit, source and confidence"


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of hardware: its figures, and the file that they were read from.

    ``file`` is ``catalogue/<kind>/<id>.yaml`` for a built-in part and the path as given for a user's own.
    ``detail`` holds what stands in the file beside the figures (the ``planes`` of a fabric profile), as plain values.
    """

    id: str
    kind: str
    name: str
    figures: Mapping[str, Figure]
    file: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """True when the part states ``key``."""
        return key in self.figures

    def value(self, key: str, default: Any = None) -> Any:
        """The bare value of ``key``; ``default`` where the part does not state it."""
        figure = self.figures.get(key)
        return default if figure is None else figure.value

    def figure(self, key: str) -> Figure:
        """The figure ``key`` with unit, source, confidence and origin. ``ProblemError`` CAT-003 when it is not stated."""
        try:
            return self.figures[key]
        except KeyError:
            raise ProblemError(
                Problem(
                    "CAT-003",
                    f"{self.kind} {self.id} does not state {key}{nearest(key, self.figures)}",
                    Place(self.file),
                    why="a figure that nobody stated is unknown, not zero",
                    fix=f"add {key} to a catalogue file of your own for {self.id}; {_HOW}",
                )
            ) from None

    def cite(self, key: str) -> Citation:
        """The figure ``key`` as a citation ``kind/id key``. ``ProblemError`` CAT-003 when it is not stated."""
        return Citation(f"{self.kind}/{self.id} {key}", self.figure(key))


def read_part(data: bytes, file: str, kind: str, part_id: str) -> Part:
    """The part in ``data``. ``file`` names it in problems; ``kind`` and ``part_id`` are what folder and file name say.

    Raises ``ProblemError`` with every problem of the file: CAT-004 to CAT-012.
    """
    return _Reader(data, file, kind, part_id).part()


class _Reader:
    """Reads one file; collects problems instead of stopping at the first."""

    def __init__(self, data: bytes, file: str, kind: str, part_id: str) -> None:
        self.file, self.kind, self.id = file, kind, part_id
        self.problems: list[Problem] = []
        self.text = self._decoded(data)
        self._lines: list[str] | None = None

    def part(self) -> Part:
        top = self._pairs(self._root(), "a catalogue file")
        if self.problems:
            raise ProblemError(self.problems)
        self._names(top)
        figures: dict[str, Figure] = {}
        if "figures" in top:
            for key, (key_node, node) in self._pairs(top["figures"][1], "figures").items():
                figure = self._figure(key, key_node, node)
                if figure is not None:
                    figures[key] = figure
            self._complete(figures, top["figures"][0])
        name = self._text(top, "name")
        known = {"kind", "id", "name", "figures"}
        detail = {k: self._plain(v[1]) for k, v in top.items() if k not in known}
        if self.problems:
            raise ProblemError(self.problems)
        return Part(self.id, self.kind, name, MappingProxyType(figures), self.file, MappingProxyType(detail))

    # ---- the text and its tree
    def _decoded(self, data: bytes) -> str:
        if len(data) > BYTES_MAX:
            self._stop("CAT-004", f"the file is larger than {BYTES_MAX} bytes", "a part is one small file")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            place = Place(self.file, line, error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1)
            self._stop("CAT-004", f"byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8", place)
        return text

    def _root(self) -> yaml.Node:
        try:
            self._sane()
            node = yaml.compose(self.text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            if error.context_mark is not None and (mark is None or mark.line >= self.text.count("\n")):
                mark = error.context_mark  # the end of the file tells nobody where the bracket was opened
            what = " ".join(part for part in (error.context, error.problem) if part)
            self._stop("CAT-005", f"not YAML: {what}", _HOW, self._at(mark))
        except yaml.YAMLError as error:  # a character that YAML bans
            self._stop("CAT-005", f"not YAML: {str(error).splitlines()[0]}", "remove the character")
        if node is None:
            self._stop("CAT-005", "the file is empty", _HOW)
        assert node is not None
        return node

    def _sane(self) -> None:
        """Refuse aliases and deep nesting before any tree is built: both can blow up a small file."""
        if not _suspicious(self.text):
            return
        depth = 0
        for event in yaml.parse(self.text, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self._stop("CAT-005", "anchors and aliases are not allowed", "write the value out", self._at(event.start_mark))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEPTH_MAX:
                    self._stop("CAT-005", f"nested deeper than {DEPTH_MAX} levels", _HOW, self._at(event.start_mark))
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _pairs(self, node: yaml.Node, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """Key -> (key node, value node) of a mapping; a repeated key is a problem."""
        if not isinstance(node, yaml.MappingNode):
            figure = what.startswith("figure ")
            self._problem("CAT-006", f"{what} must be a mapping", node, _FIGURE_HOW if figure else _HOW)
            return {}
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
            if key in found:
                self._problem("CAT-006", f"{key} stands twice in {what}", key_node, "keep one of them")
            found[key] = (key_node, value_node)
        return found

    # ---- the head of the file
    def _names(self, top: dict[str, tuple[yaml.Node, yaml.Node]]) -> None:
        known = ("kind", "id", "name", "figures")
        for key, (key_node, _) in top.items():
            if key not in known and self.kind != "fabric":
                self._problem("CAT-006", f"unknown key {key}{nearest(key, known)}", key_node, f"allowed: {', '.join(known)}")
        for key in known:
            if key not in top and not (key == "figures" and self.kind == "fabric"):
                self._problem("CAT-006", f"{key} is missing", None, _HOW)
        for key, wanted, says in (("kind", self.kind, "folder"), ("id", self.id, "file name")):
            stated = self._text(top, key)
            if key in top and stated != wanted:
                self._problem(
                    "CAT-010",
                    f"{key} is {stated}, but the {says} says {wanted}",
                    top[key][1],
                    f"write {key}: {wanted}, or move the file",
                    why="a part is found by its folder and file name",
                )

    def _text(self, top: dict[str, tuple[yaml.Node, yaml.Node]], key: str) -> str:
        if key not in top:
            return ""
        node = top[key][1]
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            self._problem("CAT-006", f"{key} must be a text", node, _HOW)
            return ""
        return str(node.value)

    def _complete(self, figures: dict[str, Figure], node: yaml.Node) -> None:
        wanted = schema.required(self.kind)
        if self.kind == "system" and "nodes_per_unit" in figures and figures["nodes_per_unit"].value != 1:
            wanted += schema.UNIT_KEYS
        missing = [k for k in wanted if k not in figures]
        if missing and not self.problems:
            self._problem(
                "CAT-011",
                f"a {self.kind} must state {', '.join(missing)}",
                node,
                "add the figures; a value that nobody publishes is origin: assumed, confidence: low, with the reason as source",
                why="sizing and planning read them",
            )

    # ---- one figure
    def _figure(self, key: str, key_node: yaml.Node, node: yaml.Node) -> Figure | None:
        before = len(self.problems)
        declared = schema.key(self.kind, key)
        if declared is None and self.kind in schema.KEYS and not key.startswith("x_"):
            names = [k.name for k in schema.KEYS[self.kind]]
            hint = nearest(key, names)
            self._problem("CAT-012", f"a {self.kind} has no figure {key}{hint}", key_node, "start an own key with x_")
            return None
        fields = self._pairs(node, f"figure {key}")
        if not fields:
            if isinstance(node, yaml.MappingNode):
                self._problem("CAT-007", f"figure {key} is empty", key_node, _FIGURE_HOW)
            return None
        for name, (name_node, _) in fields.items():
            if name not in _FIGURE_MUST + _FIGURE_MAY:
                hint = nearest(name, _FIGURE_MUST + _FIGURE_MAY)
                self._problem("CAT-006", f"figure {key} has an unknown field {name}{hint}", name_node, _HOW)
        lacks = [n for n in _FIGURE_MUST if n not in fields or (n != "unit" and _empty(fields[n][1]))]
        if lacks:
            self._problem(
                "CAT-007",
                f"figure {key} has no {', no '.join(lacks)}",
                key_node,
                _FIGURE_HOW,
                why="no number without unit and origin",
            )
            if "unit" in fields:
                self._unit(key, str(self._plain(fields["unit"][1]) or ""), fields["unit"][1])
            return None
        plain = {name: self._plain(pair[1]) for name, pair in fields.items()}
        if len(self.problems) > before:
            return None
        unit, source = str(plain["unit"] or ""), str(plain["source"])
        confidence = self._word(Confidence, "confidence", plain["confidence"], fields["confidence"][1])
        origin = Origin.PUBLISHED
        if "origin" in fields:
            origin = self._word(Origin, "origin", plain["origin"], fields["origin"][1]) or origin
        guessed = source.startswith("assumed: ")
        if (origin is Origin.ASSUMED) != guessed or (guessed and confidence is not Confidence.LOW):
            at = fields["origin" if "origin" in fields else "source"][1]
            what = f"{key} is assumed: origin, confidence and source must all say so"
            self._problem("CAT-008", what, at, "write origin: assumed, confidence: low and source: 'assumed: <reason>'")
        self._unit(key, unit, fields["unit"][1])
        if declared is not None:
            self._shape(key, declared.shape, plain["value"], fields["value"][1])
        if len(self.problems) > before:
            return None
        assert confidence is not None
        return Figure(plain["value"], unit, source, confidence, origin, str(plain.get("note") or ""))

    def _word(self, words: type[Any], what: str, value: Any, node: yaml.Node) -> Any:
        try:
            return words(value)
        except ValueError:
            known = [w.value for w in words]
            hint = nearest(str(value), known)
            self._problem("CAT-008", f"{what} is {_short(node.value)}{hint}", node, f"one of {', '.join(known)}")
            return None

    def _unit(self, key: str, unit: str, node: yaml.Node) -> None:
        wanted = schema.suffix_unit(key)
        if wanted is not None and unit != wanted:
            self._problem("CAT-009", f"{key} has unit {unit or 'none'}, its name says {wanted}", node, f"write unit: {wanted}")
        elif wanted is None and unit and schema.key(self.kind, key) is not None:
            what = f"{key} is a count, a name or a list and has no unit, not {unit}"
            self._problem("CAT-009", what, node, 'write unit: ""')

    def _shape(self, key: str, shape: str, value: Any, node: yaml.Node) -> None:
        if not _fits(shape, value):
            wanted = schema.SHAPES[shape]
            self._problem("CAT-012", f"{key} is {_short(value)}, not {wanted}", node, f"write {wanted}")
        elif _negative(value) and schema.suffix_unit(key) != "°C":
            self._problem("CAT-012", f"{key} is {_short(value)}, below zero", node, "write a value of 0 or more")
        elif key == "nics":
            for row in value:
                missing = [name for name in schema.NIC_FIELDS if name not in row]
                if missing:
                    self._problem("CAT-012", f"a row of nics has no {', no '.join(missing)}", node, _HOW)

    def _plain(self, node: yaml.Node, depth: int = 0) -> Any:
        """The node as plain Python values, by YAML's own rules; a value that is none of them is a problem."""
        if depth > DEPTH_MAX:
            self._stop("CAT-005", f"nested deeper than {DEPTH_MAX} levels", _HOW, self._at(node.start_mark))
        if isinstance(node, yaml.MappingNode):
            pairs = [(k, v) for k, v in node.value if isinstance(k, yaml.ScalarNode)]
            if len(pairs) < len(node.value):
                self._problem("CAT-006", "a key must be a text or a number", node, _HOW)
            return {self._plain(k): self._plain(v, depth + 1) for k, v in pairs}
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(v, depth + 1) for v in node.value]
        try:
            return _scalar(node)
        except (ValueError, KeyError):
            self._problem("CAT-006", f"{_short(node.value)} is not a value", node, "quote it if it is a text")
            return None

    # ---- problems
    def _at(self, mark: Any, length: int = 1) -> Place:
        if mark is None:
            return Place(self.file)
        if self._lines is None:
            self._lines = self.text.splitlines()
        text = self._lines[mark.line] if mark.line < len(self._lines) else ""
        return Place(self.file, mark.line + 1, mark.column + 1, text, length)

    def _problem(self, code: str, what: str, node: yaml.Node | None, fix: str, why: str = "") -> None:
        if node is None:
            place = Place(self.file, 1, 1, self.text.split("\n", 1)[0])
        else:
            same_line = node.end_mark.line == node.start_mark.line
            place = self._at(node.start_mark, max(1, node.end_mark.column - node.start_mark.column) if same_line else 1)
        self.problems.append(Problem(code, what, place, why, fix))

    def _stop(self, code: str, what: str, fix: str, place: Place | None = None) -> None:
        raise ProblemError([*self.problems, Problem(code, what, place or Place(self.file), fix=fix)])


def _suspicious(text: str) -> bool:
    """True for a text that may hold aliases or deep nesting, both of which cost memory; plain part files are neither."""
    if any(c in text for c in "*&") or "- - -" in text or text.count("[") + text.count("{") > 400:
        return True
    return len(text) > 20_000 and max(map(len, text.splitlines())) > 2_000


def _scalar(node: yaml.Node) -> Any:
    """A YAML scalar as str, bool, int, float or None. ``KeyError`` for dates and other tags, which no figure needs."""
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    text = str(node.value)
    if kind == "str":
        return text
    if kind == "int":
        return int(text.replace("_", ""), 0)
    if kind == "float":
        return float(text.replace("_", ""))  # .inf and .nan are no figures
    if kind == "bool":
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}[text.lower()]
    if kind == "null":
        return None
    raise KeyError(kind)


def _empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and (not node.value.strip() or node.tag.endswith(":null"))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _fits(shape: str, value: Any) -> bool:
    if shape == "number":
        return _number(value)
    if shape in ("count", "some"):
        # Below zero is told apart, in words of its own.
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and value <= COUNT_MOST and (shape == "count" or value != 0)
    if shape == "text":
        return isinstance(value, str)
    if shape == "flag":
        return isinstance(value, bool)
    if shape == "map":
        return isinstance(value, dict) and all(_number(v) for v in value.values())
    if not isinstance(value, list) or not value:
        return False
    if shape == "numbers":
        return all(_number(v) for v in value)
    return all(isinstance(v, str if shape == "texts" else dict) for v in value)


def _negative(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(_number(v) and v < 0 for v in values)


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
