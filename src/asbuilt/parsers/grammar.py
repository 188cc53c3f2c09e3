"""A tool's lines by rules over shapes, prompts and what they asked, and the account of every line.

A `Rule` is a regular expression over the shape of a line (`asbuilt.parsers.shapes`), written with ``<n>`` for a decimal
number, ``<h>`` for a hexadecimal one; a name makes it a column: ``<n:lid>``. The first rule that matches the whole shape
has the line. A last line without a line feed may be cut: it counts only under a rule that is ``closed`` by its last sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts, in_buckets, texts_at
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts import Facts, LineAccount
from asbuilt.parsers.host_lines import FACT, IGNORABLE, UNREAD, account_of, as_utf8
from asbuilt.parsers.ibnetdiscover import readable
from asbuilt.parsers.prompts import Asked, asked_by, subject_asked
from asbuilt.parsers.shapes import DEC, HEX, LONG, MOST, Shapes, shape_text, shapes

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.base.table import Schema

Array = np.ndarray[Any, Any]
PROMPT = -2
#: No tool prints longer lines: rules are not tried on what somebody made up.
LONGEST_RULED = 1 << 13
_SIGN = re.compile(r"<([nh])(?::(\w+))?>")


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of line: ``name``, what it matches, whether it is a fact, and whether its last sign proves it whole."""

    name: str
    pattern: re.Pattern[str]
    fact: bool = False
    closed: bool = False


def rule(name: str, pattern: str, *, fact: bool = False, closed: bool = False) -> Rule:
    """A rule from its pattern in the notation of this module."""

    def sign(found: re.Match[str]) -> str:
        mark = DEC if found[1] == "n" else HEX
        return f"(?P<{found[2]}>{mark})" if found[2] else mark

    return Rule(name, re.compile(_SIGN.sub(sign, pattern)), fact, closed)


#: Lines that every tool of infiniband-diags may print among its own: libibmad's warnings, and nothing at all.
NOISE = (
    rule("blank", r""),
    rule("warning", r"(?:ibwarn|ibdebug): \[<n>\] .*"),
    rule("failed", r"[\w./-]+: iberror: .*"),
    rule("failed", r"(?:ERROR|WARNING)\b.*"),
    rule("cut by hand", r"\.\.\.|…"),
)


@dataclass(frozen=True, slots=True)
class Columns:
    """A table that is made when somebody looks at it: how many rows it has, and what makes its columns.

    ``make`` leaves the account of lines alone: what is to be refused was refused before.
    """

    rows: int
    make: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Prompts:
    """What was asked: the prompt ``lines`` (0-based), and behind each of them and, first of all, the capture's subject:
    A line that nobody can read counts as a prompt that asked nothing: it may have been one, or a heading.

    ``kind`` (an index into ``kinds``: tool and operation), ``guid`` (0: none), ``lid`` and ``port`` (-1: none).
    """

    lines: Array
    kinds: list[tuple[str, str]]
    kind: Array
    numbers: Callable[[str], Array]

    @cached_property
    def guid(self) -> Array:
        return self.numbers("guid")

    @cached_property
    def lid(self) -> Array:
        return self.numbers("lid")

    @cached_property
    def port(self) -> Array:
        return self.numbers("port")


@dataclass(slots=True)
class Reading:
    """A text under a grammar: ``which`` rule each line has (-1 none, `PROMPT`), and the class of each line.

    A parser may still turn lines to unread (`refuse`) before it takes the account.
    """

    text: bytes
    shapes: Shapes
    rules: tuple[Rule, ...]
    which: Array
    classes: Array
    groups: list[dict[str, int]]
    matches: list[dict[str, str]]
    prompts: Prompts
    capture_id: str
    order: Array | None = None
    edges: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def count(self) -> int:
        return len(self.which)

    def lines(self, *names: str) -> Array:
        """The lines (0-based) of the rules called by one of ``names``, ascending: as read, also those refused since."""
        if self.order is None:
            self.order, self.edges = in_buckets(self.which, np.int64(len(self.rules)))
        parts = [self.order[self.edges[i] : self.edges[i + 1]] for i, r in enumerate(self.rules) if r.name in names]
        parts = [part for part in parts if len(part)]
        if len(parts) == 1:
            return parts[0]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def named(self, *names: str) -> Array:
        """For each line, whether it is of a rule called by one of ``names``; one entry more, False, for -1: no line."""
        found = np.zeros(self.count + 1, bool)
        found[self.lines(*names)] = True
        return found

    def per_shape(self, group: str) -> Array:
        """For each shape, which number of the line ``group`` is (-1: none)."""
        return np.array([g.get(group, -1) for g in self.groups] or [-1], np.int64)

    def number(self, lines: Array, group: str, absent: int = -1) -> Array:
        """The number ``group`` of each of ``lines`` as int64, ``absent`` where its rule has none (or it is past 2^62)."""
        index = self._index(lines, group)
        if isinstance(index, int):
            return self._signed(lines, index) if index >= 0 else np.full(len(lines), absent, np.int64)
        found = np.full(len(lines), absent, np.int64)
        there = index >= 0
        found[there] = self._signed(lines[there], index[there])
        return found

    def _signed(self, lines: Array, index: Array | int) -> Array:
        return np.minimum(self.shapes.number(lines, index), np.uint64(1 << 62)).view(np.int64)

    def _index(self, lines: Array, group: str) -> Array | int:
        """Which number of each of ``lines`` is ``group`` (-1: none); one answer where it is the same for all of them."""
        per_shape = self.per_shape(group)
        if (per_shape[: len(self.groups)] < 0).all():
            return -1
        index: Array = per_shape[self.shapes.shape[lines]]
        return int(index[0]) if len(index) and (index == index[0]).all() else index

    def unsigned(self, lines: Array, group: str) -> Array:
        """As `number`, for GUIDs: uint64, 0 where there is none."""
        index = self._index(lines, group)
        found = np.zeros(len(lines), np.uint64)
        if isinstance(index, int):
            return self.shapes.number(lines, index) if index >= 0 else found
        found[index >= 0] = self.shapes.number(lines[index >= 0], index[index >= 0])
        return found

    def words(self, lines: Array, group: str, known: dict[str, str]) -> pl.Series:
        """What ``known`` makes of the text that ``group`` matched, as it stands or in lower case; null for other text."""
        import polars as pl

        said = [match.get(group, "") for match in self.matches]
        listed = pl.Series([*(known.get(word, known.get(word.lower())) for word in said), None], dtype=pl.String)
        return listed.gather(pl.Series(self.shapes.shape[lines]))

    def texts(self, lines: Array) -> pl.Series:
        """The whole text of each of ``lines``."""
        s = self.shapes
        return texts_at(s.start[lines], s.end[lines] - s.start[lines], s.data)

    def who(self, lines: Array) -> tuple[Array, Array, Array]:
        """GUID (0: none), LID and port (-1: none) that the prompt above each of ``lines``, or the subject, asked for."""
        said, ordinal = self.prompts, self._ordinal(lines)
        return said.guid[ordinal], said.lid[ordinal], said.port[ordinal]

    def _ordinal(self, lines: Array) -> Array:
        """How many prompts stand above each of ``lines`` (ascending)."""
        return steps(lines, self.prompts.lines)

    def under(self, lines: Array, tool: str, operations: frozenset[str]) -> Array:
        """Which of ``lines`` stand under no prompt, or one of ``tool`` that asked one of ``operations``."""
        fits = self.asked(tool, operations)
        if fits.all():
            return np.ones(len(lines), bool)
        found: Array = fits[self._ordinal(lines)]
        return found

    def asked(self, tool: str, operations: frozenset[str]) -> Array:
        """For what stands above the first prompt, and behind each: whether nothing was asked, or one of ``operations``."""
        fits = np.array([t in ("", tool) and (not t or o in operations) for t, o in self.prompts.kinds])
        found: Array = fits[self.prompts.kind]
        return found

    def last(self, marks: Array, lines: Array) -> Array:
        """For each of ``lines`` the last of ``marks`` (both ascending) at or above it, -1 where none or a prompt is between."""
        if not len(marks):
            return np.full(len(lines), -1, np.int64)
        prompts = self.prompts.lines
        if not len(prompts):
            return np.concatenate(([-1], marks))[steps(lines, marks)]
        both = np.concatenate([marks, prompts])
        order = np.argsort(both, kind="stable")
        told = np.concatenate(([-1], np.concatenate([marks, np.full(len(prompts), -1)])[order]))
        found: Array = told[steps(lines, both[order])]
        return found

    def ignore(self, lines: Array) -> None:
        """Lines that answer something else than what is read here."""
        self.classes[lines] = IGNORABLE

    def refuse(self, lines: Array) -> None:
        """Lines that read well but can't be so: they are unread."""
        self.classes[lines] = UNREAD

    def account(self) -> LineAccount:
        """What became of every line."""
        return account_of(self.classes, self.text, self.shapes.start, self.shapes.end, {})

    def facts(self, tool: str, tables: Sequence[tuple[Schema, Columns | dict[str, Any] | None]]) -> Facts:
        """The `Facts` of this text: tables from columns (arrays, series or one value), those without a row left out."""
        made = {}
        for schema, columns in tables:
            if isinstance(columns, dict):
                columns = Columns(len(columns["line"]), partial(dict, columns))
            if columns is not None and columns.rows:
                made[schema.name] = (columns.rows, partial(_frame, schema, columns, self.capture_id))
        notes = []
        failed = len(self.lines("failed"))
        if failed:
            notes.append(f"{self.capture_id}: {failed} lines of this capture say that a query failed")
        return Facts(FactTables.one_by_one(made), {self.capture_id: self.account()}, tuple(notes), tool)


def _frame(schema: Schema, columns: Columns, capture_id: str) -> pl.DataFrame:
    import polars as pl

    said = columns.make()
    frame = pl.DataFrame({k: v for k, v in said.items() if isinstance(v, np.ndarray | pl.Series)})
    rest = [pl.lit(v).alias(k) for k, v in said.items() if not isinstance(v, np.ndarray | pl.Series)]
    return schema.conform(frame.with_columns(rest, capture_id=pl.lit(capture_id)))


def read(
    data: bytes,
    capture_id: str,
    subject: str,
    rules: Sequence[Rule],
    *,
    most: int = MOST,
    places: bool = False,
    short: bool = False,
) -> Reading:
    """Every line of ``data`` by the first of ``rules`` (then `NOISE`) that matches its whole shape.

    ``most``, ``places`` and ``short`` as for `asbuilt.parsers.shapes.shapes`. Prompt lines are told apart before any rule.
    """
    text = readable(as_utf8(data))
    found = shapes(text, most, places=places, short=short)
    ruled = (*rules, *NOISE)
    by_shape = np.full(len(found.first) + 1, -1, np.int16)
    groups: list[dict[str, int]] = []
    matches: list[dict[str, str]] = []
    asked: dict[int, Asked] = {}
    for shape, line in enumerate(_examples(found)):
        groups.append({})
        matches.append({})
        if line < 0 or found.end[line] - found.start[line] > LONGEST_RULED:
            continue
        raw = found.line(line)
        said = asked_by(raw)
        if said is not None:
            by_shape[shape], asked[shape] = PROMPT, said
            continue
        form, _ = shape_text(raw, most, short=short)
        for number, one in enumerate(ruled):
            match = one.pattern.fullmatch(form)
            if match is not None:
                by_shape[shape] = number
                groups[shape] = _numbers(match, form)
                matches[shape] = {k: v for k, v in match.groupdict().items() if v is not None}
                break
    which = by_shape[found.shape]
    class_of = np.array([*(FACT if r.fact else IGNORABLE for r in ruled), IGNORABLE, UNREAD], np.uint8)
    classes = class_of[by_shape][found.shape]
    if found.cut and len(which):
        last = int(which[-1])
        if last >= 0 and ruled[last].fact and not ruled[last].closed:
            which[-1], classes[-1] = -1, UNREAD
    return Reading(text, found, ruled, which, classes, groups, matches, _prompts(found, which, asked, subject), capture_id)


def _examples(found: Shapes) -> list[int]:
    """The first line of each shape that is not too long, -1 where all are."""
    lines: list[int] = found.first.tolist()
    for shape in np.flatnonzero(found.shape[found.first] < 0).tolist() if len(lines) else []:
        alike = np.flatnonzero(found.shape == shape)
        lines[shape] = int(alike[0]) if len(alike) else -1
    return lines


def _numbers(match: re.Match[str], form: str) -> dict[str, int]:
    """Group name -> which number of the line it is."""
    found = {}
    for name, index in match.re.groupindex.items():
        start = match.start(index)
        if start >= 0 and form[start : start + 1] in (DEC, HEX):
            found[name] = sum(form.count(sign, 0, start) for sign in (DEC, HEX, LONG))
    return found


def _prompts(found: Shapes, which: Array, asked: dict[int, Asked], subject: str) -> Prompts:
    lines = np.flatnonzero(which < 0)
    kinds = list(asked)
    kind_of = np.full(len(found.first) + 1, len(kinds), np.int64)
    kind_of[kinds] = np.arange(len(kinds))
    kind = kind_of[found.shape[lines]]
    said = dict(zip(("guid", "lid", "port"), subject_asked(subject), strict=True))

    def numbers(role: str) -> Array:
        none = 0 if role == "guid" else -1
        index = np.array([*(getattr(asked[s], role) for s in kinds), -1], np.int64)[kind]
        values = np.full(len(lines), none, np.uint64 if role == "guid" else np.int64)
        kept = found.at[lines] + index < found.at[lines + 1]
        there = np.flatnonzero((index >= 0) & kept)
        values[there] = found.number(lines[there], index[there]).astype(values.dtype)
        for row in np.flatnonzero((index >= 0) & ~kept).tolist():  # past the numbers that were kept of each line
            raw = found.line(int(lines[row]))
            start, stop = shape_text(raw)[1][int(index[row])]
            values[row] = int(raw[start:stop], 16 if raw[start : start + 2] == b"0x" else 10) if stop - start <= 18 else none
        return np.concatenate((np.array([said[role]], values.dtype), values))

    return Prompts(
        lines,
        [("", ""), *((asked[s].tool, asked[s].operation) for s in kinds), ("", "")],
        np.concatenate(([0], kind + 1)),
        numbers,
    )


def steps(lines: Array, marks: Array) -> Array:
    """How many of ``marks`` are at or above each of ``lines``, both ascending."""
    if not len(marks):
        return np.zeros(len(lines), np.int64)
    if len(marks) > len(lines):
        return np.searchsorted(marks, lines, side="right")
    bounds = np.concatenate(([0], np.searchsorted(lines, marks), [len(lines)]))
    return np.repeat(np.arange(len(marks) + 1), np.diff(bounds))


def guid_column(values: Array) -> pl.Series:
    """uint64 GUIDs as text, null where 0."""
    import polars as pl

    if not len(values):
        return pl.Series([], dtype=pl.String)
    index, first = distinct_numbers(values)
    distinct = values[first]
    texts = guid_texts(distinct)
    if (distinct == 0).any():
        texts = texts.to_frame("t").select(pl.when(pl.Series(distinct != 0)).then(pl.col("t"))).to_series()
    return texts.gather(pl.Series(index))


def number_column(values: Array) -> pl.Series:
    """int64 as a column, null where negative."""
    import polars as pl

    if not len(values) or values.min() >= 0:
        return pl.Series(values, dtype=pl.Int64)
    if values.max() < 0:
        return pl.Series([None], dtype=pl.Int64).new_from_index(0, len(values))
    return pl.select(pl.when(pl.Series(values >= 0)).then(pl.Series(values))).to_series()
