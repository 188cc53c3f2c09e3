"""The pass over ``ibnetdiscover`` dumps with whole arrays, where numba is absent or not worth its start.

It answers exactly as `discovery_pass.scan`, on any bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, line_feeds, same_as_first
from asbuilt.model.discovery import AGGREGATION, CA
from asbuilt.parsers.discovery_lines import IGNORABLE, UNREAD
from asbuilt.parsers.discovery_pass import AGGREGATION_WORDS
from asbuilt.parsers.discovery_vector import PADDING, Cursors, attributes, header_lines, link_lines, remarks

Array = np.ndarray[Any, Any]


def scan(
    data: Array, longest: int, classes: Array, devices: Array, systems: Array, links: Array, ends: Array, port_guids: Array,
    guids: Array, names: Array, odd: Array, *_: Array,
) -> tuple[int, int, int, int, int, bool, bool]:  # fmt: skip
    """Answers exactly as `discovery_pass.scan`, without compiled code."""
    stops = line_feeds(data)
    if len(data) and (not len(stops) or stops[-1] != len(data) - 1):
        stops = np.append(stops, len(data))
    if not len(stops):
        return 0, 0, 0, 0, 0, True, True
    told, heads, head_guids, ports, peers = _lines(data, stops, longest)
    n, m = heads.shape[1], ports.shape[1]
    if n + m > links.shape[1]:
        return -1, 0, 0, 0, 0, False, False
    classes[: len(told)] = told
    order = np.argsort(np.concatenate([heads[0], ports[0]]), kind="stable")
    row, is_link = np.where(order < n, order, order - n), (order >= n).astype(np.int64)
    mentioned = np.concatenate([head_guids[0], peers[0]])[order]
    index, first = distinct_numbers(mentioned)
    start, length = np.concatenate([heads[6], ports[8]])[order], np.concatenate([heads[7], ports[9]])[order]
    number = np.empty(len(order), np.int64)
    number[order] = index
    guids[: len(first)] = mentioned[first]
    names[: len(first), 0], names[: len(first), 1] = start[first], length[first]
    other = np.flatnonzero(~same_as_first(first[index], start, length, data))
    odd[:, : len(other)] = np.stack([is_link[other], row[other], start[other], length[other]])
    devices[:6, :n], devices[6, :n], systems[:n] = heads[:6], number[:n], head_guids[1]
    devices[1, :n][(heads[1] == CA) & _aggregates(data, heads[6], heads[7])] = AGGREGATION
    links[0, :m], links[1, :m], links[2, :m], links[3, :m] = ports[0], ports[1], number[n:], ports[5]
    ends[:, :m], port_guids[:m] = ports[[2, 3, 4, 6, 7]], peers[1]
    seats = ports[1] * 1000 + ports[2]
    orderly = len(np.unique(number[:n])) == n and bool((np.diff(seats) > 0).all())
    return len(told), n, m, len(first), len(other), orderly, not bool((data >= 128).any())


def _aggregates(data: Array, at: Array, length: Array) -> Array:
    """Which of the names ``data[at:at+length]`` (in ascending places) hold the words of SHARP's aggregation nodes."""
    text, places = data.tobytes(), []
    place = text.find(AGGREGATION_WORDS)
    while place >= 0:
        places.append(place)
        place = text.find(AGGREGATION_WORDS, place + 1)
    found = np.array([*places, len(data) + 1])
    next_one = found[np.searchsorted(found, at)] if len(at) else np.zeros(0, np.int64)
    holds: Array = next_one + len(AGGREGATION_WORDS) <= at + length
    return holds


def _lines(data: Array, stops: Array, longest: int) -> tuple[Array, Array, Array, Array, Array]:
    """(class of each line; devices: line, kind, ports, vendor, model, lid, name's start and length; node and system GUIDs;
    links: line, owner, port, peer port, peer kind, lid, width, speed, name's start and length; peer and port GUIDs)."""
    size = len(data)
    padded = np.concatenate([data, np.zeros(PADDING, np.uint8)])
    starts = np.concatenate(([0], stops[:-1] + 1))
    end = _trim(padded, starts, stops)
    first = Cursors(padded, starts, end)
    first.blanks()
    at = first.at
    short = stops - starts <= longest
    closed = stops < size
    classes = np.where(short & remarks(padded, at, end), IGNORABLE, UNREAD).astype(np.uint8)
    rest = short & (classes == UNREAD)
    lead = first.byte()
    quotes = np.flatnonzero(data == 34)
    return _assemble(padded, quotes, at, end, stops, closed, rest, lead, classes)


def _trim(data: Array, starts: Array, ends: Array) -> Array:
    """Line ends without trailing blanks and carriage returns."""
    end = ends.copy()
    live = np.arange(len(ends))
    while len(live):
        live = live[end[live] > starts[live]]
        byte = data[end[live] - 1]
        live = live[(byte == 32) | (byte == 9) | (byte == 13)]
        end[live] -= 1
    return end


def _assemble(
    data: Array, quotes: Array, at: Array, end: Array, ends: Array, closed: Array, rest: Array, lead: Array, classes: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Read each kind of line with its own grammar, then give devices their attributes and links their device."""
    count = len(ends)
    other = np.flatnonzero(rest & (lead != 91))
    which, value = attributes(data, at[other], end[other])
    kinds, values = np.zeros(count, np.int64), np.zeros(count, np.uint64)
    kinds[other], values[other] = which, value
    classes[(kinds > 0) & closed] = 1
    heads = other[which == 0]
    behind, columns, guid = header_lines(data, quotes, at[heads], end[heads])
    taken = (behind >= 0) & (closed[heads] | ((behind < ends[heads]) & (columns[2] >= 0)))
    heads, columns, guid = heads[taken], columns[:, taken], guid[taken]
    classes[heads] = 1
    is_head = np.zeros(count, bool)
    is_head[heads] = True
    index = np.cumsum(is_head) - 1
    # Attributes hold until the next device line or the next vendor line.
    above = np.concatenate(([False], is_head[:-1]))
    new = above | (kinds == 1)
    unsigned = (values & np.uint64(0x7FFFFFFFFFFFFFFF)).astype(np.int64)
    vendor = _last_seen(kinds == 1, unsigned, above, -1)
    model = _last_seen(kinds == 2, unsigned, new, -1)
    system = _last_seen(kinds == 3, values, new, np.uint64(0))
    devices = np.stack([heads + 1, columns[0], columns[1], vendor[heads], model[heads], columns[2], columns[3], columns[4]])
    owner = _last_seen(is_head, index, kinds > 0, -1)
    lines = np.flatnonzero(rest & (lead == 91) & (owner >= 0))
    behind, fields, guids = link_lines(data, quotes, at[lines], end[lines])
    taken = (behind >= 0) & (closed[lines] | (behind < ends[lines]))
    lines, fields, guids = lines[taken], fields[:, taken], guids[:, taken]
    classes[lines] = 1
    links = np.concatenate([(lines + 1)[None], owner[lines][None], fields])
    return classes, devices, np.stack([guid, system[heads]]), links, guids


def _last_seen(flags: Array, values: Array, resets: Array, none: Any) -> Array:
    """For each line, the value of the last flagged line at or above it that no later reset wiped out."""
    n = len(flags)
    index = np.arange(n)
    seen = np.maximum.accumulate(np.where(flags, index, -1))
    wiped = np.maximum.accumulate(np.where(resets, index, -1))
    answer: Array = np.where((seen >= 0) & (seen >= wiped), values[np.maximum(seen, 0)], none)
    return answer
