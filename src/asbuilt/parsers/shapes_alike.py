"""The compiled scan of `asbuilt.parsers.shapes`: lines laid out like earlier ones are compared, not read.

A listing repeats a few layouts: the same text around other numbers. The scan remembers one layout of each shape and which
shapes came behind it lately; the next line is held against those, eight bytes at a time, and only its numbers are read. Equal
text around numbers of equal kinds is the same shape, so the hash is known. Any other line is read in full
(`shapes_pass.line_read`) and becomes the layout of its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.machine_words import byte_at, eight_at
from asbuilt.parsers import shapes_pass
from asbuilt.parsers.shapes_pass import (
    BASE_AT,
    BRIEF,
    COUNT,
    END,
    NUMBERS,
    PLACES,
    PUT,
    feed_from,
    line_read,
    number_at,
    tail_mark,
)

#: How many shapes are remembered, and how many that came behind each.
KEPT, BEHIND = 512, 3
_PROBES = 4 * KEPT
_EIGHT, _BITS = np.uint64(8), np.uint64(64)


def memory() -> tuple[Any, Any, Any, Any, Any]:
    """Room for a scan: layouts, two hashes of each (of the line, and of what stands before a rest in short), which shapes came
    behind each, where to look for a hash, and the first line of each shape.

    The last row of layouts is the line at hand, the last one of followers the start.
    """
    return (
        np.full((KEPT + 1, PLACES + 3 * NUMBERS), -1, np.int64),
        np.zeros((KEPT + 1, 2), np.uint64),
        np.full((KEPT + 1, BEHIND), -1, np.int64),
        np.full(_PROBES, -1, np.int64),
        np.full(KEPT, -1, np.int64),
    )


def same_stretch(data: Any, one: int, two: int, length: int) -> bool:
    """True when two stretches are equal. Reads up to 8 bytes behind them."""
    while length >= 8:
        if eight_at(data, one) != eight_at(data, two):
            return False
        one, two, length = one + 8, two + 8, length - 8
    if length == 0:
        return True
    return bool((eight_at(data, one) ^ eight_at(data, two)) << (_BITS - _EIGHT * np.uint64(length)) == np.uint64(0))


def repeated(i: int, most: int, values: Any, stops: Any, count: int, forms: Any, form: int) -> int:
    """Put the numbers of a remembered layout down again, for the same line at ``i``: how many numbers there are then."""
    kept, put = int(min(most, forms[form, COUNT])), forms[form, PUT]
    for number in range(kept):
        values[count + number] = values[put + number]
        if len(stops) > 0:
            stops[count + number] = i + forms[form, PLACES + 3 * number + 1]
    return count + kept


def alike(
    data: Any, i: int, size: int, most: int, values: Any, stops: Any, count: int, forms: Any, marks: Any, form: int
) -> tuple[int, Any, int]:
    """The line at ``i`` by a remembered layout: (position of its end, hash, numbers so far), position -1 when it has another.

    The hash of a line with its rest in short may still be that of another shape.
    """
    start, base, numbers, place = i, forms[form, BASE_AT], forms[form, COUNT], 0
    if numbers < 0 or count + numbers >= len(values):
        return -1, marks[form, 0], count
    whole = forms[form, END]
    if i + whole + 9 <= size and same_stretch(data, i, base, whole + 1):
        return i + whole, marks[form, 0], repeated(i, most, values, stops, count, forms, form)
    for number in range(numbers):
        layout = PLACES + 3 * number
        length = forms[form, layout] - place
        if i + length + 8 > size or not same_stretch(data, i, base + place, length):
            return -1, marks[form, 0], count
        i += length
        byte = byte_at(data, i)
        if byte < 48 or byte > 57:
            return -1, marks[form, 0], count
        code, value, i = number_at(data, i, start, size)
        if np.int64(code) != forms[form, layout + 2]:
            return -1, marks[form, 0], count
        if number < most:
            values[count] = value
            if len(stops) > 0:
                stops[count] = i
            count += 1
        place = forms[form, layout + 1]
    if forms[form, BRIEF] == 1:
        end = feed_from(data, i, size)
        return end, tail_mark(data, marks[form, 1], i, end), count
    length = forms[form, END] - place
    if i + length + 9 > size or not same_stretch(data, i, base + place, length + 1):
        return -1, marks[form, 0], count
    return i + length, marks[form, 0], count


def known_form(mark: Any, forms: Any, marks: Any, probes: Any, kept: int) -> tuple[int, int]:
    """(the shape with this hash, how many are kept now); the next free one when it is new, -1 when there is no room."""
    slot = np.int64(mark >> np.uint64(40)) & (len(probes) - 1)
    while probes[slot] >= 0 and marks[probes[slot], 0] != mark:
        slot = (slot + 1) & (len(probes) - 1)
    if probes[slot] >= 0:
        return probes[slot], kept
    if kept >= len(forms) - 1:
        return -1, kept
    probes[slot] = kept
    return kept, kept + 1


def remembered(forms: Any, marks: Any, form: int) -> None:
    """The layout of the line at hand as that of its shape."""
    here = len(forms) - 1
    numbers = max(forms[here, COUNT], 0)
    for i in range(PLACES + 3 * numbers):
        forms[form, i] = forms[here, i]
    marks[form, 0], marks[form, 1] = marks[here, 0], marks[here, 1]


def follows(behind: Any, last: int, form: int) -> None:
    """Put ``form`` in front of what came behind ``last``."""
    if behind[last, 0] == form:
        return
    if behind[last, 1] != form:
        behind[last, 2] = behind[last, 1]
    behind[last, 1], behind[last, 0] = behind[last, 0], form


def told_hashes(hashes: Any, shape: Any, marks: Any, lines: int) -> None:
    """The hash of each line whose shape is known."""
    for line in range(lines):
        if shape[line] >= 0:
            hashes[line] = marks[shape[line], 0]


def scan(
    data: Any, most: Any, short: Any, starts: Any, hashes: Any, at: Any, values: Any, stops: Any, shape: Any, forms: Any,
    marks: Any, behind: Any, probes: Any, first: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Fill the arrays: (lines, numbers, shapes), or (-1, 0, 0) when ``starts`` or ``values`` are too short.

    ``shape`` gets the shape of each line, in order of appearance; shapes are -1 when there were more than can be kept: only
    then are ``hashes`` told.
    """
    size, i, line, count, kept, last = len(data), 0, 0, 0, 0, len(forms) - 1
    overflow = False
    while i < size:
        if line >= len(starts) or count + 1 >= len(values):
            return -1, 0, 0
        starts[line], at[line] = i, count
        end, mark, form, before = -1, np.uint64(0), -1, count
        for follower in range(BEHIND):
            form = behind[last, follower]
            if form < 0:
                break
            end, mark, count = alike(data, i, size, most, values, stops, before, forms, marks, form)
            if end >= 0:
                break
        if end < 0:
            end, mark, count = line_read(data, i, size, most, short, values, stops, before, forms, marks)
            if end < 0:
                return -1, 0, 0
            form, kept = known_form(mark, forms, marks, probes, kept)
            if form >= 0:
                remembered(forms, marks, form)
        elif marks[form, 0] != mark:
            form, kept = known_form(mark, forms, marks, probes, kept)
            if form >= 0 and marks[form, 0] != mark:
                marks[form, 0], forms[form, COUNT] = mark, -1
        overflow = overflow or form < 0
        shape[line] = form
        if form < 0:
            hashes[line] = mark
        else:
            if first[form] < 0:
                first[form] = line
            follows(behind, last, form)
            last = form
        line += 1
        i = end + 1
    at[line] = count
    if overflow:
        told_hashes(hashes, shape, marks, line)
    return line, count, -1 if overflow else kept


#: The functions that the scan needs, callees first.
PARTS = (*shapes_pass.PARTS, same_stretch, repeated, alike, known_form, remembered, follows, told_hashes)
