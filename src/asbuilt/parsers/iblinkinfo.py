"""``iblinkinfo``: every port, its state, width and speed, what both ends could run, and its far side.

Reads the listing by node (``Switch: 0x… name:``, ``CA: name:``), one line a link (``-l``), down ports only (``-d``) and with
further settings (``-p``). The GUID on the line of a NIC is that of its port: its node GUID is not told; of a switch the two
are the same. With ``-l`` nothing tells the two kinds apart, and the GUID stands in both columns. A port that is down has no far
side, no width and no speed. ``width_could`` and ``speed_could`` are what the tool prints behind the name, whoever is right: a
simulator says "Could be 12X" of every link.

Formats as printed by infiniband-diags 44 (``iblinkinfo.c``) and by older ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import texts_at
from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import PORT_FACTS
from asbuilt.parsers.grammar import Columns, Reading, guid_column, number_column, read, rule
from asbuilt.parsers.smp_records import PHYSICAL, STATES, speed_words

if TYPE_CHECKING:
    import polars as pl

TOOL = "iblinkinfo"
Array = np.ndarray[Any, Any]
_SPEED = r"<n:{0}whole>\.<n:{0}part> Gbps"
_FROM = r'(?:(?:<h:guid>(?P<named> ".*")? )?<n:lid> )?<n:port>\[(?: <n>)? ?\]'
_STATE = r"(?P<state>[A-Za-z]+) ?/ ?(?P<physical>[A-Za-z]+)"
_RUNS = r"(?:(?:<n:width>X )?(?:" + _SPEED.format("") + r"|[A-Za-z<n>. ]+?) )?"
_TO = r'(?:(?:<h:peer_guid> )?<n:peer_lid> <n:peer_port>)?\[(?: <n>)? ?\] (?P<peer>".*")'
_COULD = r"(?:Could be <n:could>X ?)?(?:Could be " + _SPEED.format("could_") + r" ?)?"
_LINK = rf"{_FROM} ==\( ?{_RUNS}{_STATE} ?\)(?: \([^()]*\))?==> ?{_TO}"
_RULES = (
    rule("link", rf"{_LINK} \((?: |{_COULD})\)", fact=True, closed=True),
    rule("link", rf"{_LINK}(?: \( ?(?:{_COULD})?(?P<odd>[^()]*)\))?", fact=True),
    rule("node", r"(?P<kind>CA): .*:"),
    rule("node", r"(?P<kind>Switch|Router|RT): (?:<h:guid> )?.*:"),
)
_KINDS = {"CA": "ca", "Switch": "switch", "Router": "router", "RT": "router"}
#: ibqueryerrors may show a link in the same form, behind words of its own.
_SIGN = re.compile(rb"^(?![ \t]*Link info:)[^\n]{0,200}?\d{1,5}\s+\d{1,3}\[[^\]\n]{0,4}\] ==\(.{1,120}==>", re.M)
_QUOTE, _COLON = 34, 58


def sniff(data: bytes) -> bool:
    """True for a listing of links."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of one listing: ``port_facts``, a row a line."""
    reading = read(data, capture_id, subject, _RULES, places=True)
    lines = reading.lines("link")
    if not len(lines):
        return reading.facts(TOOL, ())
    return reading.facts(TOOL, ((PORT_FACTS, Columns(len(lines), lambda: _columns(reading, lines))),))


def _columns(reading: Reading, lines: Array) -> dict[str, Any]:
    import polars as pl

    quotes = np.flatnonzero(reading.shapes.data == _QUOTE)
    heads = _headings(reading)
    own = reading.unsigned(lines, "guid")
    opened = reading.last(reading.lines("node"), lines)
    row = np.where(opened >= 0, np.searchsorted(heads["line"], opened), len(heads["line"]))
    guid = np.where(own > 0, own, heads["guid"][row])
    width, could = reading.number(lines, "width"), reading.number(lines, "could")
    numbered = reading.per_shape("guid")[reading.shapes.shape[lines]] >= 0
    is_nic = (heads["kind"].gather(pl.Series(row)) == "ca").fill_null(False).to_numpy()
    headed = opened >= 0
    peer = pl.Series(reading.number(lines, "peer_port") >= 0)
    return {
        "guid": guid_column(np.where(is_nic, np.uint64(0), guid)),
        "lid": number_column(reading.number(lines, "lid")),
        "port": number_column(reading.number(lines, "port")),
        "port_guid": guid_column(np.where(numbered & (is_nic | ~headed), own, np.uint64(0))),
        "kind": heads["kind"].gather(pl.Series(row)),
        "description": pl.select(
            pl.coalesce(pl.Series(_own_names(reading, lines, quotes)), heads["name"].gather(pl.Series(row)))
        ).to_series(),
        "state": reading.words(lines, "state", STATES),
        "phys_state": reading.words(lines, "physical", PHYSICAL),
        "width": number_column(width),
        "speed": speed_words(reading.number(lines, "whole"), reading.number(lines, "part")),
        "width_could": number_column(could),
        "speed_could": speed_words(reading.number(lines, "could_whole"), reading.number(lines, "could_part")),
        "peer_guid": guid_column(reading.unsigned(lines, "peer_guid")),
        "peer_lid": number_column(reading.number(lines, "peer_lid")),
        "peer_port": number_column(reading.number(lines, "peer_port")),
        "peer_description": pl.select(pl.when(peer).then(pl.Series(_peer_names(reading, lines, quotes)))).to_series(),
        "line": lines + 1,
    }


def _headings(reading: Reading) -> dict[str, Any]:
    """Line, kind, GUID and name of each heading, and one row more that says nothing."""
    import polars as pl

    lines, s = reading.lines("node"), reading.shapes
    colons = np.flatnonzero(s.data == _COLON)
    index = reading.per_shape("guid")[s.shape[lines]]
    guided = index >= 0
    begin = colons[np.searchsorted(colons, s.start[lines])] if len(lines) else lines  # a sign before the blank, as below
    begin[guided] = s.stops[s.at[lines[guided]] + index[guided]] - 1
    last = colons[np.searchsorted(colons, s.end[lines]) - 1] if len(lines) else lines
    none = pl.Series([None], dtype=pl.String)
    return {
        "line": lines,
        "guid": np.append(reading.unsigned(lines, "guid"), np.uint64(0)),
        "kind": reading.words(lines, "kind", _KINDS).append(none),
        "name": texts_at(begin + 2, np.maximum(last - begin - 2, 0), s.data).append(none),
    }


def _between(reading: Reading, opening: Array, closing: Array) -> pl.Series:
    """The text between two places, null where the first is negative."""
    import polars as pl

    there = opening >= 0
    texts = texts_at(opening[there] + 1, np.maximum(closing[there] - opening[there] - 1, 0), reading.shapes.data)
    index = np.full(len(opening), len(texts), np.int64)
    index[there] = np.arange(len(texts))
    return texts.append(pl.Series([None], dtype=pl.String)).gather(pl.Series(index))


def _peer_names(reading: Reading, lines: Array, quotes: Array) -> pl.Series:
    """The name of the far side: from the first quote behind the last ``[`` of a number, to the last quote of the line."""
    s = reading.shapes
    last = quotes[np.searchsorted(quotes, s.end[lines]) - 1]
    index = reading.per_shape("peer_port")[s.shape[lines]]
    opening = np.full(len(lines), -1, np.int64)
    there = index >= 0
    opening[there] = quotes[np.searchsorted(quotes, s.stops[s.at[lines[there]] + index[there]])]
    return _between(reading, opening, last)


def _own_names(reading: Reading, lines: Array, quotes: Array) -> pl.Series:
    """In line mode the node's own name, padded in front: from the first quote to the last one before the LID."""
    s = reading.shapes
    named = np.array([m.get("named") is not None for m in reading.matches] + [False])[s.shape[lines]]
    index = reading.per_shape("lid")[s.shape[lines]]
    opening, closing = np.full(len(lines), -1, np.int64), np.full(len(lines), -1, np.int64)
    some = lines[named]
    opening[named] = quotes[np.searchsorted(quotes, s.start[some])] if len(some) else 0
    closing[named] = quotes[np.searchsorted(quotes, s.stops[s.at[some] + index[named]]) - 1] if len(some) else 0
    return _between(reading, opening, closing).str.strip_chars_start(" ")
