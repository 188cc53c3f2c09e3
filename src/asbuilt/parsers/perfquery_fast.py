"""A large transcript of ``perfquery``, whole columns at a time (`asbuilt.parsers.shapes`): a hundred thousand ports a file.

It reads a strict part of what `perfquery` reads line by line, with equal facts and an equal account, and answers None for any
other text: terminals' marks, prefixes of a fleet, gathered blocks, a command without a target, counters of 19 digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts, read_only, texts_at
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import COUNTER_FACTS
from asbuilt.parsers import perfquery
from asbuilt.parsers.host_lines import FACT, PREFIX, TIME, TIMED, UNREAD, Speaker, account_of, prompted
from asbuilt.parsers.perfquery_pass import BLANK, COUNTER, HEAD, OTHER, PROMPT, SELECTOR, walk
from asbuilt.parsers.perfquery_pass import TIME as TIME_LINE
from asbuilt.parsers.shapes import LONG, Shapes, shape_text, shapes
from asbuilt.parsers.shapes_seen import plain_shapes, without_returns
from asbuilt.parsers.tools import command

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
#: So many texts are made one by one.
_FEW = 1000


@dataclass(slots=True)
class _Kinds:
    """What each shape is: kind, index into ``names``, which numbers of the line are value, port and LID or GUID (-1: none)."""

    kind: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)
    second: list[int] = field(default_factory=list)
    offset: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)

    def add(self, kind: int, name: int = -1, value: int = -1, second: int = -1, offset: int = 0) -> None:
        for column, item in zip(
            (self.kind, self.name, self.value, self.second, self.offset), (kind, name, value, second, offset), strict=True
        ):
            column.append(item)

    def told(self) -> bool:
        """True when the value of every counter is a number of its shape."""
        return all(value >= 0 for kind, value in zip(self.kind, self.value, strict=True) if kind in (COUNTER, SELECTOR))

    def named(self) -> list[int]:
        """How many numbers stand in the name of each shape's counter."""
        return [value if kind in (COUNTER, SELECTOR) else 0 for kind, value in zip(self.kind, self.value, strict=True)]


def parse(data: bytes, capture_id: str, host: str | None, guid: str | None, time: str | None) -> Facts | None:
    """As `perfquery.parse` of UTF-8 text without its mark; None when the text is not of the plain kind."""
    plain = without_returns(data)
    if plain is None:
        return None
    found = shapes(plain, places=False)
    if found.shape.min(initial=0) < 0 or not plain_shapes(found):
        return None
    kinds = _kinds(found)
    if kinds is None or not kinds.told():
        return None
    classes, events = np.empty(len(found.shape), np.uint8), np.empty(len(found.shape), np.int64)
    kind, named = np.array(kinds.kind, np.uint8), np.array(kinds.named(), np.int64)
    cut = np.int64(len(classes) - 1 if found.cut else -1)
    starts, shape, at, values = (read_only(a) for a in (found.start, found.shape, found.at, found.values))
    count = walk(found.data, starts, shape, at, values, kind, named, read_only(found.first), cut, classes, events)
    blocks = _blocks(found, kinds, classes, kind, events[:count]) if count >= 0 else None
    unread = np.flatnonzero(classes == UNREAD) if blocks is not None else events[:0]
    others = unread[kind[found.shape[unread]] == OTHER].tolist()
    if blocks is None or any(_known(found.line(line).decode("ascii").rstrip()) for line in others):
        return None  # (the first line of its shape had too many digits, this one has not)
    account = account_of(classes, plain, found.start, found.end, {})

    def frames() -> dict[str, pl.DataFrame]:
        return {COUNTER_FACTS.name: blocks.columns().frame(capture_id, host, guid, time)}

    rows = {COUNTER_FACTS.name: account.facts} if account.facts else {}
    return Facts(FactTables(rows, frames), {capture_id: account}, (), perfquery.TOOL)


def _kinds(found: Shapes) -> _Kinds | None:
    """The kind of each shape by its first line; None when a line needs the long way."""
    kinds = _Kinds()
    for line in found.first.tolist():
        text = found.line(line).decode("ascii").rstrip()
        form, spans = shape_text(found.line(line))
        if LONG in form or text[:1] in (" ", "\t", "-"):
            return None
        if not text:
            kinds.add(BLANK)
        elif head := perfquery.HEAD.match(text):
            lid = -1 if head[1] is None else _number(spans, head.start(1))
            kinds.add(HEAD, value=_number(spans, head.start(2)), second=lid)
        elif counter := perfquery.COUNTER.match(text):
            name = perfquery.OLD_NAMES.get(counter[1], counter[1])
            kind = SELECTOR if counter[1] in perfquery.SELECTORS else COUNTER
            kinds.add(kind, kinds.names.setdefault(name, len(kinds.names)), _number(spans, counter.start(2)), counter.end(1))
        elif timed := TIMED.match(text):
            kinds.add(TIME_LINE, offset=timed.start(1))
        elif (asked := prompted(text, Speaker((None,), (), None, 0), None)) is not None:
            if not _prompt(kinds, asked, text, spans):
                return None
        elif perfquery.OWN.match(text) or _prefixed(text):
            return None  # a counter that is none, or what a host says
        else:
            kinds.add(OTHER)
    return kinds


def _known(text: str) -> bool:
    """True for a line that perfquery, a prompt or a time may be."""
    pattern = perfquery.OWN.match(text) or perfquery.COUNTER.match(text) or TIMED.match(text)
    return pattern is not None or _prefixed(text) or command(text.encode()) is not None


def _prefixed(text: str) -> bool:
    """True for a line of perfquery, or an empty one, behind the prefix of a host."""
    prefix = PREFIX.match(text)
    return prefix is not None and (not prefix[2] or bool(perfquery.OWN.match(prefix[2]) or TIMED.match(prefix[2])))


def _prompt(kinds: _Kinds, asked: Speaker, text: str, spans: list[tuple[int, int]]) -> bool:
    """A prompt that asks a port by GUID or LID; False for one that asks the host's own, or another command."""
    said = perfquery.asked(asked.command)
    if not said.target or (said.by_guid and said.guid is None):
        return False
    at = -1
    if said.guid is not None:
        word = next((w for w in asked.command if w.lower().startswith("0x") and int(w, 16) == int(said.guid, 16)), "")
        at = _number(spans, text.rfind(word)) if word else -1
        if at < 0:
            return False
    kinds.add(PROMPT, value=at)
    return True


def _number(spans: list[tuple[int, int]], start: int) -> int:
    """Which number of the line starts here, -1 for none."""
    return next((i for i, span in enumerate(spans) if span[0] == start), -1)


@dataclass(slots=True)
class _Columns:
    """Counter lines that have a block (0-based), and what is known of each."""

    rows: Array
    name: Array
    names: list[str]
    value: Array
    lid: Array
    port: Array
    prompt: Array
    guids: Array
    time: Array
    times: pl.Series

    def frame(self, capture_id: str, host: str | None, guid: str | None, time: str | None) -> pl.DataFrame:
        """`COUNTER_FACTS` of the rows."""
        import polars as pl

        index, first = distinct_numbers(self.guids)
        texts = guid_texts(self.guids[first])
        texts = texts.zip_with(
            pl.Series(self.guids[first] != 0), pl.Series([guid], dtype=pl.String).new_from_index(0, len(first))
        )
        whose = pl.Series([guid], dtype=pl.String).append(texts.gather(pl.Series(index)))
        when = pl.Series([time], dtype=pl.String).append(self.times)
        rows = {"lid": self.lid, "port": self.port, "value": self.value, "line": self.rows + 1}
        seats = {"whose": self.prompt, "name": self.name, "when": self.time}
        return pl.DataFrame({**rows, **seats}).select(  # in one step, so that columns are made side by side
            pl.lit(whose).gather("whose").alias("guid"),
            pl.when(pl.col("lid") >= 0).then("lid").alias("lid"),
            "port",
            pl.when(pl.col("whose") == 0).then(pl.lit(host, dtype=pl.String)).alias("host"),
            pl.lit(None, dtype=pl.String).alias("device"),
            pl.lit(pl.Series(self.names)).gather("name").alias("counter"),
            "value",
            pl.lit(when).gather("when").alias("time"),
            pl.lit(capture_id).alias("capture_id"),
            "line",
        )


def _texts(found: Shapes, at: Array, end: Array) -> pl.Series:
    """The texts from ``at`` to ``end``, without blanks at their ends."""
    import polars as pl

    if len(at) > _FEW:
        return texts_at(at, end - at, found.data).str.strip_chars()
    few = [found.data[a:b].tobytes().decode("ascii").strip() for a, b in zip(at.tolist(), end.tolist(), strict=True)]
    return pl.Series(few, dtype=pl.String)


@dataclass(slots=True)
class _Blocks:
    """The headers, prompts and times of a transcript (0-based lines, ascending) and what they say; the class of every line."""

    found: Shapes
    kinds: _Kinds
    classes: Array
    heads: Array
    prompts: Array
    times: Array
    port: Array
    lid: Array
    guids: Array
    said: pl.Series

    def columns(self) -> _Columns:
        """Each counter that has a block, with its header, prompt and time."""
        rows = np.flatnonzero(self.classes == FACT)
        shape = self.found.shape[rows]
        numbers = self.found.number(rows, np.array(self.kinds.value, np.int64)[shape]).astype(np.float64)
        name = np.array(self.kinds.name, np.int64)[shape]
        head = np.searchsorted(self.heads, rows) - 1
        prompt, time = np.searchsorted(self.prompts, rows), np.searchsorted(self.times, rows)
        return _Columns(
            rows, name, list(self.kinds.names), numbers, self.lid[head], self.port[head], prompt, self.guids, time, self.said
        )


def _blocks(found: Shapes, kinds: _Kinds, classes: Array, kind: Array, events: Array) -> _Blocks | None:
    """The blocks that ``events`` open; None where a header or a time is out of bounds."""
    value, second = np.array(kinds.value, np.int64), np.array(kinds.second, np.int64)
    which = kind[found.shape[events]]
    heads, prompts, times = (events[which == k] for k in (HEAD, PROMPT, TIME_LINE))
    port = found.number(heads, value[found.shape[heads]]).astype(np.int64)
    lid = np.full(len(heads), -1, np.int64)
    told = second[found.shape[heads]] >= 0
    lid[told] = found.number(heads[told], second[found.shape[heads[told]]]).astype(np.int64)
    if (port > 255).any() or (lid > 0xFFFF).any():
        return None
    guids = np.zeros(len(prompts), np.uint64)
    by_guid = value[found.shape[prompts]] >= 0
    guids[by_guid] = found.number(prompts[by_guid], value[found.shape[prompts[by_guid]]])
    at = found.start[times] + np.array(kinds.offset, np.int64)[found.shape[times]]
    said = _texts(found, at, found.end[times])
    if not said.str.contains(f"^{TIME}$").all():
        return None
    return _Blocks(found, kinds, classes, heads, prompts, times, port, lid, guids, said)
