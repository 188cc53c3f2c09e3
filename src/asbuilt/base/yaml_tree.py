"""YAML text to a tree of marked nodes: the plain part of YAML only (mappings, lists, scalars), nothing executed or shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Mapping, TypeAlias

from asbuilt.base.fault import Fault
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.base.source_text import SourceText
from asbuilt.base.yaml_syntax import syntax_problems

DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value as written: ``text`` without quotes; ``plain`` when it had none; ``lines`` that it spans."""

    place: Place
    text: str
    plain: bool
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Listing:
    place: Place
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; ``entries`` in file order, keys are unique (the first one counts)."""

    place: Place
    entries: tuple[tuple[Scalar, Node], ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A node that was already reported (alias, tag): nothing more is said about it."""

    place: Place


Node: TypeAlias = Scalar | Listing | Table | Refused


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read yet."""

    place: Place
    mapping: bool
    refused: bool
    items: list[Node]


class TreeBuilder:
    """Builds the tree from parser events with its own stack, so that no depth of nesting can exhaust Python's."""

    def __init__(self, source: SourceText, codes: Mapping[Fault, str]) -> None:
        self.source = source
        self.codes = codes
        self.problems: list[Problem] = []
        self._open: list[_Open] = []
        self._root: Node | None = None
        self._documents = 0

    def build(self) -> Node | None:
        """The root node, or None for a file without content. Raises ``ProblemError`` when the YAML cannot be parsed."""
        import yaml

        for event in self._events():
            name = type(event).__name__
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    self._note(Fault.SEVERAL_DOCUMENTS, self._place(event))
                    break
            elif isinstance(event, yaml.AliasEvent):
                self._note(Fault.ALIAS, self._place(event))
                self._add(Refused(self._place(event)))
            elif isinstance(event, yaml.ScalarEvent):
                self._add(self._scalar(event))
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._start(event)
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                self._end()
        return self._root

    def _events(self) -> Iterator[Any]:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from yaml.parse(self.source.text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            raise ProblemError([*self.problems, *syntax_problems(self.source, error, self.codes, self._bracket())]) from None
        except yaml.YAMLError as error:
            problem = Problem(self.codes[Fault.SYNTAX], f"the YAML cannot be read: {error}", Place(self.source.file))
            raise ProblemError([*self.problems, problem]) from None

    def _bracket(self) -> Place | None:
        """The innermost `[` or `{` that is still open."""
        places = (opened.place for opened in reversed(self._open))
        return next((place for place in places if place.text[place.column - 1 : place.column] in ("[", "{")), None)

    def _place(self, event: Any) -> Place:
        start, end = event.start_mark, event.end_mark
        if start.line == end.line:
            length = end.column - start.column
        else:
            line = self.source.lines[start.line] if start.line < len(self.source.lines) else ""
            length = len(line.rstrip()) - start.column
        return self.source.place(start.line + 1, start.column + 1, length)

    def _scalar(self, event: Any) -> Node:
        place = self._place(event)
        if self._marked(event, place, bare_tag=event.tag is None or (event.tag == "!" and not event.implicit[0])):
            return Refused(place)
        plain = not event.style
        return Scalar(place, event.value, plain, event.end_mark.line - event.start_mark.line + 1)

    def _start(self, event: Any) -> None:
        place = self._place(event)
        mapping = type(event).__name__ == "MappingStartEvent"
        refused = self._marked(event, place, bare_tag=event.tag is None)
        if len(self._open) >= DEEPEST:
            self._note(Fault.TOO_DEEP, place)
            raise ProblemError(self.problems)
        self._open.append(_Open(place, mapping, refused, []))

    def _end(self) -> None:
        done = self._open.pop()
        if done.refused:
            self._add(Refused(done.place))
        elif done.mapping:
            self._add(Table(done.place, tuple(self._entries(done.items))))
        else:
            self._add(Listing(done.place, tuple(done.items)))

    def _entries(self, items: list[Node]) -> Iterator[tuple[Scalar, Node]]:
        seen: dict[str, Scalar] = {}
        for key, value in zip(items[::2], items[1::2], strict=True):
            if isinstance(key, Refused):
                continue
            if not isinstance(key, Scalar) or key.lines > 1:
                self._note(Fault.KEY_NOT_TEXT, key.place)
            elif key.text == "<<" and key.plain:
                self._note(Fault.ALIAS, key.place)
            elif key.text in seen:
                self._note(Fault.DUPLICATE_KEY, key.place, key=key.text, line=seen[key.text].place.line)
            else:
                seen[key.text] = key
                yield key, value

    def _add(self, node: Node) -> None:
        if self._open:
            self._open[-1].items.append(node)
        else:
            self._root = node

    def _marked(self, event: Any, place: Place, *, bare_tag: bool) -> bool:
        """True when the node has an anchor or a tag, which is reported here."""
        if event.anchor is not None:
            self._note(Fault.ALIAS, place)
        if not bare_tag:
            self._note(Fault.TAG, place, tag=str(event.tag).replace("tag:yaml.org,2002:", "!!"))
        return event.anchor is not None or not bare_tag

    def _note(self, fault: Fault, place: Place, **words: Any) -> None:
        what, why, fix = _TEXTS[fault]
        self.problems.append(Problem(self.codes[fault], what.format(**words), place, why.format(**words), fix))


_TEXTS: dict[Fault, tuple[str, str, str]] = {
    Fault.SEVERAL_DOCUMENTS: (
        "a second document starts here",
        "one file states one thing; what follows the `---` would be ignored silently by other tools",
        "delete the `---` line, or put the second document into a file of its own",
    ),
    Fault.ALIAS: (
        "anchors (&), aliases (*) and merge keys (<<) are not allowed",
        "a value that stands somewhere else is easily changed by accident, and nested aliases can fill the memory",
        "write the value out here",
    ),
    Fault.TAG: (
        "the tag `{tag}` is not allowed",
        "the type of a value follows from its field; tags can make other YAML readers run code",
        "delete the tag and write the plain value",
    ),
    Fault.TOO_DEEP: (
        f"more than {DEEPEST} levels of nesting",
        "no field lies that deep; reading stops here",
        "check the brackets and the indentation",
    ),
    Fault.KEY_NOT_TEXT: (
        "a key must be one word on one line",
        "fields are found by their names",
        "write `name: value`; if this was meant to be text, put it in quotes",
    ),
    Fault.DUPLICATE_KEY: (
        "`{key}` is given a second time",
        "the first one stands in line {line}; only one of them can be meant",
        "delete one of the two lines",
    ),
}
