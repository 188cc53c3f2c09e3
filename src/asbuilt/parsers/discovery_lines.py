"""How a line of an ``ibnetdiscover`` dump reads, whatever terminals and hands made of it: one byte at a time.

The grammar is that of ``ibnetdiscover.c`` in infiniband-diags (its ``out_ids``, ``out_switch``, ``out_ca``,
``out_switch_port`` and ``out_ca_port`` functions), with blanks optional everywhere, since terminals lose tabs.
`discovery_fast` reads faster what the tool itself prints; `discovery_vector` reads the same with whole arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

IGNORABLE, FACT, UNREAD = 0, 1, 2
LONGEST_LINE = 1 << 20

DIGITS = np.full(256, 255, np.uint8)  # value of each hexadecimal digit, 255 for other bytes
DIGITS[48:58] = np.arange(10)
DIGITS[97:103] = DIGITS[65:71] = np.arange(10, 16)

QUOTE, HASH, OPEN, CLOSE, ROUND, DNUOR = 34, 35, 91, 93, 40, 41
SPACE, TAB, RETURN, NEWLINE, EQUALS, DASH = 32, 9, 13, 10, 61, 45


def blanks(data: Any, at: int, end: int) -> int:
    """The first position from ``at`` that is neither a space nor a tab."""
    while at < end and (data[at] == 32 or data[at] == 9):
        at += 1
    return at


def number(data: Any, at: int, end: int, most: int) -> tuple[int, int]:
    """A decimal number of 1 to ``most`` digits: (value, next position), next position -1 when there is none."""
    value = 0
    first = at
    while at < end and 48 <= data[at] <= 57:
        if at - first == most:
            return 0, -1
        value = value * 10 + data[at] - 48
        at += 1
    if at == first:
        return 0, -1
    return value, at


def hexadecimal(data: Any, at: int, end: int) -> tuple[Any, int]:
    """A hexadecimal number of 1 to 16 digits: (value, next position), next position -1 when there is none."""
    value = np.uint64(0)
    first = at
    while at < end:
        digit = DIGITS[data[at]]
        if digit > 15:
            break
        value = (value << np.uint64(4)) | np.uint64(digit)
        at += 1
    if at == first or at - first > 16:
        return np.uint64(0), -1
    return value, at


def word(data: Any, at: int, end: int, text: Any) -> int:
    """The position after ``text`` (bytes) when it stands at ``at``, else -1."""
    if at < 0 or at + len(text) > end:
        return -1
    for i in range(len(text)):
        if data[at + i] != text[i]:
            return -1
    return at + len(text)


def node_name(data: Any, at: int, end: int) -> tuple[int, Any, int]:
    """``"S-0002c9…"``: (kind, GUID, next position); next position -1 when it is not a node name."""
    none = np.uint64(0)
    if at < 0 or at + 3 >= end or data[at] != 34 or data[at + 2] != 45:
        return 0, none, -1
    letter = data[at + 1]
    kind = 1 if letter == 83 else 2 if letter == 72 else 3 if letter == 82 else 0
    guid, at = hexadecimal(data, at + 3, end)
    if kind == 0 or at < 0 or at >= end or data[at] != 34:
        return 0, none, -1
    return kind, guid, at + 1


def bracketed(data: Any, at: int, end: int) -> tuple[int, int]:
    """``[17]``, with ``[ext 3]`` behind it skipped: (port, next position); next position -1 when it is not there."""
    if at < 0 or at >= end or data[at] != 91:
        return 0, -1
    port, at = number(data, at + 1, end, 3)
    if at < 0 or at >= end or data[at] != 93:
        return 0, -1
    at += 1
    inner = word(data, at, end, b"[ext ")
    if inner >= 0:
        _, inner = number(data, inner, end, 5)
        if 0 <= inner < end and data[inner] == 93:
            at = inner + 1
    return port, at


def guid_in_round(data: Any, at: int, end: int) -> tuple[Any, bool, int]:
    """``(c42a10300a9b026)`` if it is there: (GUID, found, next position); next position -1 when it is broken."""
    none = np.uint64(0)
    if at >= end or data[at] != 40:
        return none, False, at
    guid, at = hexadecimal(data, at + 1, end)
    if at < 0 or at >= end or data[at] != 41:
        return none, False, -1
    return guid, True, at + 1


def speed_word(data: Any, at: int, end: int) -> tuple[int, int]:
    """A speed word that ends at a blank or the line's end: (index into `SPEEDS`, next position); -1 when there is none."""
    stop = at
    while stop < end and data[stop] != 32 and data[stop] != 9:
        stop += 1
    n = stop - at
    if n == 3 and data[at] == 63 and data[at + 1] == 63 and data[at + 2] == 63:
        return 10, stop
    if n == 5 and data[at] == 70 and data[at + 1] == 68 and data[at + 2] == 82 and data[at + 3] == 49 and data[at + 4] == 48:
        return 4, stop
    if n != 3 or data[at + 1] != 68 or data[at + 2] != 82:
        return 0, -1
    c = data[at]
    code = 0
    if c == 83:
        code = 1
    elif c == 68:
        code = 2
    elif c == 81:
        code = 3
    elif c == 70:
        code = 5
    elif c == 69:
        code = 6
    elif c == 72:
        code = 7
    elif c == 78:
        code = 8
    elif c == 88:
        code = 9
    return (code, stop) if code else (0, -1)


def link_tail(data: Any, at: int, end: int) -> tuple[int, int, int, int]:
    """``lid 3894 4xHDR`` behind a description: (lid, width, speed, next position); width -1 for ``??``."""
    at = word(data, blanks(data, at, end), end, b"lid")
    if at < 0:
        return 0, 0, 0, -1
    lid, at = number(data, blanks(data, at, end), end, 6)
    if at < 0:
        return 0, 0, 0, -1
    at = blanks(data, at, end)
    if at + 1 < end and data[at] == 63 and data[at + 1] == 63:
        width = -1
        at += 2
    else:
        width, at = number(data, at, end, 2)
        if at < 0 or at >= end or data[at] != 120:
            return 0, 0, 0, -1
        at += 1
    speed, at = speed_word(data, blanks(data, at, end), end)
    return lid, width, speed, at


def switch_tail(data: Any, at: int, end: int) -> tuple[int, int]:
    """``enhanced port 0 lid 13 lmc 0`` behind a description: (lid, next position); next position -1 when it is not there."""
    at = blanks(data, at, end)
    skip = word(data, at, end, b"enhanced")
    if skip < 0:
        skip = word(data, at, end, b"base")
    if skip >= 0:
        at = blanks(data, skip, end)
    at = word(data, at, end, b"port 0 lid ")
    if at < 0:
        return 0, -1
    lid, at = number(data, at, end, 6)
    if at < 0:
        return 0, -1
    at = word(data, at, end, b" lmc ")
    if at < 0:
        return 0, -1
    _, at = number(data, at, end, 1)
    return lid, at


def link_line(data: Any, at: int, end: int) -> tuple[int, int, int, Any, int, Any, int, int, int, int, int]:
    """``[3] "S-…"[1] # "name" lid 19 4xFDR``: (position behind it or -1, port, kind, peer, its port, port GUID, lid, width,
    speed, start and length of the name); lid and width -1 when they are not told, port GUID 0."""
    none = (-1, 0, 0, np.uint64(0), 0, np.uint64(0), 0, 0, 0, 0, 0)
    port, at = bracketed(data, at, end)
    if at < 0:
        return none
    own, mine, at = guid_in_round(data, at, end)
    if at < 0:
        return none
    kind, peer, at = node_name(data, blanks(data, at, end), end)
    peer_port, at = bracketed(data, at, end)
    if at < 0:
        return none
    far, theirs, at = guid_in_round(data, blanks(data, at, end), end)
    if at < 0:
        return none
    at = blanks(data, at, end)
    if at >= end or data[at] != 35:
        return none
    at = blanks(data, at + 1, end)
    lid = -1
    own_lid = word(data, at, end, b"lid ")
    if own_lid >= 0:
        lid, at = number(data, own_lid, end, 6)
        at = word(data, at, end, b" lmc ")
        if at < 0:
            return none
        _, at = number(data, at, end, 3)
        if at < 0:
            return none
        at = blanks(data, at, end)
    if at >= end or data[at] != 34:
        return none
    start = at + 1
    at = start
    while at < end:
        if data[at] == 34:
            _, width, speed, stop = link_tail(data, at + 1, end)
            if stop >= 0:
                guid = own if mine else far if theirs else np.uint64(0)
                return stop, port, kind, peer, peer_port, guid, lid, width, speed, start, at - start
        at += 1
    return none


def header_line(data: Any, at: int, end: int) -> tuple[int, int, int, Any, int, int, int]:
    """``Switch 41 "S-…" # "name" … lid 13 lmc 0`` or ``Ca 1 "H-…" # "name"``: (position behind it or -1, kind, ports, GUID,
    lid, start and length of the name); lid -1 when it is not told."""
    none = (-1, 0, 0, np.uint64(0), 0, 0, 0)
    kind = 1
    begin = word(data, at, end, b"Switch")
    if begin < 0:
        kind = 2
        begin = word(data, at, end, b"Ca")
    if begin < 0:
        kind = 3
        begin = word(data, at, end, b"Rt")
    if begin < 0:
        return none
    ports, at = number(data, blanks(data, begin, end), end, 5)
    if at < 0:
        return none
    named, guid, at = node_name(data, blanks(data, at, end), end)
    if at < 0 or named != kind:
        return none
    at = blanks(data, at, end)
    if at >= end or data[at] != 35:
        return none
    at = blanks(data, at + 1, end)
    if at >= end or data[at] != 34:
        return none
    start = at + 1
    close, stop, lid = -1, -1, -1
    at = start
    while at < end:
        if data[at] == 34:
            close, stop = at, end
            if kind == 1:
                lid, stop = switch_tail(data, at + 1, end)
                if stop >= 0:
                    break
                lid, stop = -1, end
        at += 1
    return (stop, kind, ports, guid, lid, start, close - start) if close >= 0 else none


def attribute(data: Any, at: int, end: int) -> tuple[int, Any]:
    """``sysimgguid=0xc42a1030…``: (1 vendor, 2 device, 3 system GUID, 4 node GUID, 0 not one; value)."""
    letter = data[at]
    which, begin = 0, -1
    if letter == 118:
        which, begin = 1, word(data, at, end, b"vendid=0x")
    elif letter == 100:
        which, begin = 2, word(data, at, end, b"devid=0x")
    elif letter == 115:
        which, begin = 3, word(data, at, end, b"sysimgguid=0x")
        if begin < 0:
            which, begin = 4, word(data, at, end, b"switchguid=0x")
    elif letter == 99:
        which, begin = 4, word(data, at, end, b"caguid=0x")
    elif letter == 114:
        which, begin = 4, word(data, at, end, b"rtguid=0x")
    if begin < 0:
        return 0, np.uint64(0)
    value, at = hexadecimal(data, begin, end)
    return (which, value) if at >= 0 else (0, np.uint64(0))


def remark(data: Any, at: int, end: int) -> bool:
    """True for lines that carry nothing: blank, ``#``, chassis headings of ``-g``, a PuTTY log mark."""
    if at >= end or data[at] == 35:
        return True
    if data[at] == 61:
        return word(data, at, end, b"=~=~") >= 0
    if data[at] == 78:
        return word(data, at, end, b"Non-Chassis Nodes") >= 0
    return data[at] == 67 and word(data, at, end, b"Chassis ") >= 0


#: The functions that a scan needs from here, callees first.
PARTS = (
    blanks,
    number,
    hexadecimal,
    word,
    node_name,
    bracketed,
    guid_in_round,
    speed_word,
    link_tail,
    switch_tail,
    link_line,
    header_line,
    attribute,
    remark,
)
