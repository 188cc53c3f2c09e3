"""A line as `asbuilt.parsers.shapes` sees it: eight bytes at a time through plain text, SWAR through long numbers.

The hash of a shape is a polynomial over codes: a small number for each kind of number and for a run of blanks, and eight
bytes (or what is left) of each stretch of text between those. `shapes_whole` computes the same with whole arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.machine_words import HIGHS, byte_at, eight_at, first_byte
from asbuilt.parsers.discovery_fast import eight_digits, fast_hexadecimal, not_hexadecimal

#: Codes of what is no text. A control byte is a stretch of its own with the code 256 + byte; no other stretch has one that low.
DEC_CODE, HEX_CODE, LONG_CODE, GAP_CODE, TAIL_CODE = (np.uint64(n) for n in (1, 2, 3, 4, 5))
BASE, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
CONTROL = np.uint64(256)
DIGITS_READ = 18
#: What `line_read` remembers of a layout: where the line starts, how many numbers it has (-1: not to be used), whether the
#: rest behind them is in short, where it ends, where its numbers were put, and from `PLACES` on start, stop (both from the
#: line's start) and code of each.
BASE_AT, COUNT, BRIEF, END, PUT, PLACES = range(6)
NUMBERS, LONGEST_LAYOUT = 40, 4096
_SEVEN = np.uint64(0x7F7F7F7F7F7F7F7F)
_PAST_BLANK, _FROM_ZERO, _PAST_NINE = (np.uint64(n * 0x0101010101010101) for n in (0x5F, 0x50, 0x46))
_FEEDS, _ONES = np.uint64(0x0A0A0A0A0A0A0A0A), np.uint64(0x0101010101010101)
_ZERO, _ONE, _EIGHT, _TEN, _HALF = (np.uint64(n) for n in (0, 1, 8, 10, 32))
_AHEAD = 32


def mixed(code: Any) -> Any:
    """A code, spread over 64 bits."""
    code = (code ^ (code >> _HALF)) * MIX
    return code ^ (code >> _HALF)


def wordy(byte: int) -> bool:
    """True for an ASCII letter or digit."""
    return 48 <= byte <= 57 or 97 <= (byte | 32) <= 122


def stretch(data: Any, at: int, size: int) -> tuple[Any, int]:
    """The next up to eight bytes of text: (code, how many); 0 at a digit, a blank, a control byte or the end."""
    if at + 8 <= size:
        text = eight_at(data, at)
        low = text & _SEVEN
        stops = ~((low + _PAST_BLANK) | text)
        stops = (stops | ((low + _FROM_ZERO) & ~(low + _PAST_NINE) & ~text)) & HIGHS
        if stops == _ZERO:
            return text, 8
        length = first_byte(stops)
        return text & ((_ONE << (_EIGHT * np.uint64(length))) - _ONE), length
    code, length = _ZERO, 0
    while at + length < size:
        byte = byte_at(data, at + length)
        if byte <= 32 or 48 <= byte <= 57:
            break
        code = code | (np.uint64(byte) << (_EIGHT * np.uint64(length)))
        length += 1
    return code, length


def hexadecimal_word(data: Any, at: int, start: int, size: int) -> tuple[Any, int]:
    """A word ``0x`` and 1 to 16 digits: (value, position behind it), position -1 where there is none."""
    if at + 2 >= size or byte_at(data, at + 1) != 120 or (at > start and wordy(byte_at(data, at - 1))):
        return _ZERO, -1
    if at + _AHEAD <= size:
        value, behind = fast_hexadecimal(data, at + 2)
        return (value, -1) if behind < 0 or wordy(byte_at(data, behind)) else (value, behind)
    value, behind = _ZERO, at + 2
    while behind < size and behind < at + 19 and wordy(byte_at(data, behind)):
        byte = byte_at(data, behind)
        if byte > 57 and (byte | 32) > 102:
            return _ZERO, -1
        value = (value << np.uint64(4)) | np.uint64(byte - 48 if byte < 58 else (byte & 7) + 9)
        behind += 1
    return (value, -1) if behind == at + 2 or behind == at + 19 else (value, behind)


def decimal_run(data: Any, at: int, size: int) -> tuple[Any, int]:
    """A run of digits: (value, position behind it)."""
    value, i = _ZERO, at
    while i < size:
        digit = byte_at(data, i) - 48
        if digit < 0 or digit > 9:
            break
        if i - at < DIGITS_READ:
            value = value * _TEN + np.uint64(digit)
        i += 1
    return value, i


def feed_from(data: Any, at: int, size: int) -> int:
    """The position of the first line feed from ``at``, or the size of the data."""
    while at + 8 <= size:
        feeds = eight_at(data, at) ^ _FEEDS
        feeds = (feeds - _ONES) & ~feeds & HIGHS
        if feeds:
            return at + first_byte(feeds)
        at += 8
    while at < size and byte_at(data, at) != 10:
        at += 1
    return at


def tail_mark(data: Any, mark: Any, at: int, end: int) -> Any:
    """The hash with the rest of a line in short: its first and last sign, where they are neither letter nor digit."""
    while at < end and (byte_at(data, at) == 32 or byte_at(data, at) == 9 or byte_at(data, at) == 13):
        at += 1
    while end > at and (byte_at(data, end - 1) == 32 or byte_at(data, end - 1) == 9 or byte_at(data, end - 1) == 13):
        end -= 1
    if at == end:
        return mark
    mark = mark * BASE + mixed(TAIL_CODE)
    if not wordy(byte_at(data, at)):
        mark = mark * BASE + mixed(CONTROL + np.uint64(byte_at(data, at)))
    if end - 1 > at and not wordy(byte_at(data, end - 1)):
        mark = mark * BASE + mixed(CONTROL + np.uint64(byte_at(data, end - 1)))
    return mark


def number_at(data: Any, i: int, start: int, size: int) -> tuple[Any, Any, int]:
    """The number that starts at a digit: (code, value, position behind it)."""
    behind = -1
    value = _ZERO
    if byte_at(data, i) == 48:
        value, behind = hexadecimal_word(data, i, start, size)
    if behind >= 0:
        return HEX_CODE, value, behind
    value, behind = decimal_run(data, i, size)
    if behind - i > DIGITS_READ:
        return LONG_CODE, _ZERO, behind
    return DEC_CODE, value, behind


def line_read(
    data: Any, i: int, size: int, most: int, short: Any, values: Any, stops: Any, count: int, forms: Any, marks: Any
) -> tuple[int, Any, int]:
    """One line in full: (position of its end, hash, numbers so far), position -1 when ``values`` is too short.

    Its layout goes into the last row of ``forms`` and of ``marks`` (`asbuilt.parsers.shapes_alike`).
    """
    mark, seen, gap, start, brief, here, numbers = _ZERO, 0, False, i, False, len(forms) - 1, 0
    forms[here, BASE_AT], forms[here, BRIEF], forms[here, PUT] = i, 0, count
    while i < size:
        code, length = stretch(data, i, size)
        if length == 0:
            byte = byte_at(data, i)
            if byte == 10:
                break
            if byte == 32 or byte == 9 or byte == 13:
                gap = mark != _ZERO
                i += 1
                continue
        if gap:
            mark, gap = mark * BASE + mixed(GAP_CODE), False
        if length > 0:
            mark = mark * BASE + mixed(code)
            i += length
            continue
        if byte < 48:
            mark = mark * BASE + mixed(CONTROL + np.uint64(byte))
            i += 1
            continue
        begin = i
        code, value, i = number_at(data, i, start, size)
        brief = brief or (short and mark == _ZERO and code == HEX_CODE)
        mark = mark * BASE + mixed(code)
        if numbers < NUMBERS:
            layout = PLACES + 3 * numbers
            forms[here, layout], forms[here, layout + 1], forms[here, layout + 2] = begin - start, i - start, np.int64(code)
        numbers += 1
        if seen < most:
            if count >= len(values):
                return -1, mark, count
            values[count] = value
            if len(stops) > 0:
                stops[count] = i
            count += 1
            seen += 1
            if brief and seen == most:
                marks[here, 1], forms[here, BRIEF] = mark, 1
                end = feed_from(data, i, size)
                mark, i = tail_mark(data, mark, i, end), end
                break
    usable = numbers <= NUMBERS and i < size and i - start <= LONGEST_LAYOUT
    forms[here, COUNT], forms[here, END] = numbers if usable else -1, i - start
    marks[here, 0] = mark
    return i, mark, count


#: The functions that the scan needs, callees first.
PARTS = (
    mixed,
    wordy,
    stretch,
    not_hexadecimal,
    eight_digits,
    fast_hexadecimal,
    hexadecimal_word,
    decimal_run,
    feed_from,
    tail_mark,
    number_at,
    line_read,
)
