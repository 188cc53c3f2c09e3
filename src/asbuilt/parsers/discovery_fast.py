"""The lines of a dump as ``ibnetdiscover`` itself prints them, eight bytes at a time.

Each reader takes a strict part of what `discovery_lines` takes and answers -1 for anything else, which then goes there:
a line that lost its tabs costs time, never a fact. Readers look up to `REACH` bytes ahead and never check for the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.machine_words import HIGHS, ONES, byte_at, eight_at, first_byte

#: How far behind its start a line may be read without a look at the end of the data.
REACH = 1024
PORTS = 1000  # port numbers have up to three digits
#: Rows of the table of GUIDs read last: 0 to 999 the peer at that port, the device at hand, its own port.
OWN, OWN_PORT, SEATS = PORTS, PORTS + 1, PORTS + 2
_NAME = 512  # longest node description, or rest of a line, that is read here
_QUOTES, _FEEDS = np.uint64(0x2222222222222222), np.uint64(0x0A0A0A0A0A0A0A0A)
_LOW, ZEROS = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3030303030303030)
_SEVEN, _TEN = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x7676767676767676)
_PAIRS, _FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_CASE, _A, _PAST_F = np.uint64(0x2020202020202020), np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x1919191919191919)
_ALL, _NONE = np.uint64(0xFFFFFFFF), np.uint64(0)
_EIGHT, _BITS = np.uint64(8), np.uint64(64)


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text.ljust(8, b"\0"), "little"))


_VENDOR, _DEVICE, _SYSTEM, _SYSTEM_END = _word(b"vendid=0"), _word(b"devid=0x"), _word(b"sysimggu"), _word(b"gguid=0x")
_SWITCH_GUID, _SWITCH_END, _CA_GUID = _word(b"switchgu"), _word(b"hguid=0x"), _word(b"caguid=0")
_SWITCH, _ENHANCED, _PORT, _LID, _LMC = (
    _word(b"Switch"),
    _word(b"enhanced"),
    _word(b" port 0 "),
    _word(b"lid "),
    _word(b" lmc "),
)
_SIX, _FIVE, _FOUR = np.uint64(0xFFFFFFFFFFFF), np.uint64(0xFFFFFFFFFF), np.uint64(0xFFFFFFFF)
_DR, _SPEED = np.uint64(0x52440000 >> 8), np.uint64(0xFFFF00)
#: Index into `discovery_lines.SPEEDS` by the first letter of ``?DR``.
LETTERS = np.zeros(256, np.uint8)
for _code, _letter in ((1, 83), (2, 68), (3, 81), (5, 70), (6, 69), (7, 72), (8, 78), (9, 88)):
    LETTERS[_letter] = _code


def fast_blanks(data: Any, at: int) -> int:
    """The first position from ``at`` that is neither a space nor a tab."""
    byte = byte_at(data, at)
    while byte == 32 or byte == 9:
        at += 1
        byte = byte_at(data, at)
    return at


def fast_number(data: Any, at: int, most: int) -> tuple[int, int]:
    """A decimal number of 1 to ``most`` (up to 6) digits: (value, next position), next position -1 when there is none."""
    text = eight_at(data, at) ^ ZEROS
    other = (((text & _SEVEN) + _TEN) | text) & HIGHS
    if other == _NONE:
        return 0, -1
    length = first_byte(other)
    if length == 0 or length > most:
        return 0, -1
    text = text << (_BITS - np.uint64(length) * _EIGHT)
    text = (text * np.uint64(10) + (text >> _EIGHT)) & _PAIRS
    text = (text * np.uint64(100) + (text >> np.uint64(16))) & _FOURS
    text = (text * np.uint64(10000) + (text >> np.uint64(32))) & _ALL
    return int(np.int64(text)), at + length


def not_hexadecimal(text: Any) -> Any:
    """The high bit of each of eight bytes that is no hexadecimal digit."""
    plain = text & _SEVEN
    decimal = (plain + np.uint64(0x5050505050505050)) & ~(plain + np.uint64(0x4646464646464646))
    lower = plain | _CASE
    letter = (lower + _A) & ~(lower + _PAST_F)
    return ~((decimal | letter) & ~text) & HIGHS


def eight_digits(text: Any) -> Any:
    """The value of eight hexadecimal digits; zero bytes in front count as the digit 0."""
    text = (text & _LOW) + np.uint64(9) * ((text >> np.uint64(6)) & ONES)
    text = ((text << np.uint64(4)) | (text >> _EIGHT)) & _PAIRS
    text = ((text << _EIGHT) | (text >> np.uint64(16))) & _FOURS
    return ((text << np.uint64(16)) | (text >> np.uint64(32))) & _ALL


def fast_hexadecimal(data: Any, at: int) -> tuple[Any, int]:
    """A hexadecimal number of 1 to 16 digits: (value, next position), next position -1 when there is none."""
    text = eight_at(data, at)
    other = not_hexadecimal(text)
    if other != _NONE:
        length = first_byte(other)
        if length == 0:
            return _NONE, -1
        return eight_digits(text << (_BITS - np.uint64(length) * _EIGHT)), at + length
    high = eight_digits(text)
    text = eight_at(data, at + 8)
    other = not_hexadecimal(text)
    if other == _NONE:
        if not_hexadecimal(eight_at(data, at + 16)) & np.uint64(0x80) == _NONE:
            return _NONE, -1
        return (high << np.uint64(32)) | eight_digits(text), at + 16
    length = first_byte(other)
    if length == 0:
        return high, at + 8
    low = eight_digits(text << (_BITS - np.uint64(length) * _EIGHT))
    return (high << (np.uint64(4) * np.uint64(length))) | low, at + 8 + length


def known_hexadecimal(data: Any, at: int, known: Any, seat: int, keep: bool) -> tuple[Any, int]:
    """As `fast_hexadecimal`, without work when the 16 digits are those in row ``seat`` of ``known`` (their text in two words,
    their value). ``keep`` puts what was read there."""
    one, two = eight_at(data, at), eight_at(data, at + 8)
    if one == known[seat, 0] and two == known[seat, 1] and byte_at(data, at + 16) < 48:
        return known[seat, 2], at + 16
    value, after = fast_hexadecimal(data, at)
    if keep and after == at + 16:
        known[seat, 0], known[seat, 1], known[seat, 2] = one, two, value
    return value, after


def fast_node(data: Any, at: int, known: Any, seat: int) -> tuple[int, Any, int]:
    """``"S-0002c9…"``: (kind, GUID, next position); next position -1 when it is not a node name."""
    if byte_at(data, at) != 34 or byte_at(data, at + 2) != 45:
        return 0, _NONE, -1
    letter = byte_at(data, at + 1)
    kind = 1 if letter == 83 else 2 if letter == 72 else 3 if letter == 82 else 0
    guid, at = known_hexadecimal(data, at + 3, known, seat, True)
    if kind == 0 or at < 0 or byte_at(data, at) != 34:
        return 0, _NONE, -1
    return kind, guid, at + 1


def fast_quote(data: Any, at: int) -> int:
    """The position of the first quote from ``at``, -1 when the line ends before it, it is far, or a byte is no ASCII."""
    stop = at + _NAME
    while at < stop:
        text = eight_at(data, at)
        quotes, feeds = text ^ _QUOTES, text ^ _FEEDS
        quotes = (quotes - ONES) & ~quotes & HIGHS
        feeds = (feeds - ONES) & ~feeds & HIGHS
        if quotes:
            if (feeds | (text & HIGHS)) & ~quotes & (quotes - np.uint64(1)):
                return -1
            return at + first_byte(quotes)
        if feeds | (text & HIGHS):
            return -1
        at += 8
    return -1


def fast_feed(data: Any, at: int) -> int:
    """The position behind the first line feed from ``at``, -1 when it is far."""
    stop = at + _NAME
    while at < stop:
        feeds = eight_at(data, at) ^ _FEEDS
        feeds = (feeds - ONES) & ~feeds & HIGHS
        if feeds:
            return at + first_byte(feeds) + 1
        at += 8
    return -1


def feed_here(data: Any, at: int) -> int:
    """The position behind a line feed that stands at ``at``, with a carriage return before it or not; else -1."""
    byte = byte_at(data, at)
    if byte == 10:
        return at + 1
    return at + 2 if byte == 13 and byte_at(data, at + 1) == 10 else -1


def same_text(data: Any, one: int, two: int, length: int) -> bool:
    """True when the two stretches of ``data``, 8 bytes or longer, are equal."""
    i = 8
    while i < length:
        if eight_at(data, one + i - 8) != eight_at(data, two + i - 8):
            return False
        i += 8
    return bool(eight_at(data, one + length - 8) == eight_at(data, two + length - 8))


def fast_link_tail(data: Any, at: int, tails: Any, seat: int) -> tuple[int, int, int, int, int]:
    """``name" lid 3894 4xHDR`` and the line's end: (start of the next line or -1, length of the name, lid, width, speed).

    Row ``seat`` of ``tails`` is what was read there last (start, length, and the last four answers): equal text reads alike.
    """
    start = at
    if tails[seat, 1] and same_text(data, at, tails[seat, 0], tails[seat, 1]):
        return at + tails[seat, 1], tails[seat, 2], tails[seat, 3], tails[seat, 4], tails[seat, 5]
    close = fast_quote(data, at)
    if close < 0:
        return -1, 0, 0, 0, 0
    at = fast_blanks(data, close + 1)
    if eight_at(data, at) & _FOUR != _LID:
        return -1, 0, 0, 0, 0
    lid, at = fast_number(data, at + 4, 6)
    if at < 0:
        return -1, 0, 0, 0, 0
    width, at = fast_number(data, fast_blanks(data, at), 2)
    if at < 0 or byte_at(data, at) != 120 or eight_at(data, at + 1) & _SPEED != _DR:
        return -1, 0, 0, 0, 0
    speed = int(LETTERS[byte_at(data, at + 1)])
    after = feed_here(data, at + 4)
    if after < 0 or speed == 0:
        return -1, 0, 0, 0, 0
    tails[seat, 0], tails[seat, 1], tails[seat, 2] = start, after - start, close - start
    tails[seat, 3], tails[seat, 4], tails[seat, 5] = lid, width, speed
    return after, close - start, lid, width, speed


def fast_link(data: Any, at: int, known: Any, tails: Any) -> tuple[int, int, int, Any, int, Any, int, int, int, int, int]:
    """``[3] "S-…"[1] # "name" lid 19 4xFDR``: (start of the next line or -1, port, kind, peer, its port, port GUID, lid,
    width, speed, start and length of the name)."""
    none = (-1, 0, 0, _NONE, 0, _NONE, 0, 0, 0, 0, 0)
    port, at = fast_number(data, at + 1, 3)
    if at < 0 or byte_at(data, at) != 93:
        return none
    at += 1
    own = _NONE
    mine = byte_at(data, at) == 40
    if mine:
        own, at = known_hexadecimal(data, at + 1, known, OWN_PORT, True)
        if at < 0 or byte_at(data, at) != 41:
            return none
        at += 1
    kind, peer, at = fast_node(data, fast_blanks(data, at), known, port)
    if at < 0 or byte_at(data, at) != 91:
        return none
    peer_port, at = fast_number(data, at + 1, 3)
    if at < 0 or byte_at(data, at) != 93:
        return none
    at += 1
    if byte_at(data, at) == 40:
        theirs, at = known_hexadecimal(data, at + 1, known, port, False)
        if at < 0 or byte_at(data, at) != 41:
            return none
        at += 1
        own = own if mine else theirs
    at = fast_blanks(data, at)
    if byte_at(data, at) != 35:
        return none
    at = fast_blanks(data, at + 1)
    lid = -1
    if byte_at(data, at) == 108:
        if eight_at(data, at) & _FOUR != _LID:
            return none
        lid, at = fast_number(data, at + 4, 6)
        if at < 0 or eight_at(data, at) & _FIVE != _LMC:
            return none
        _, at = fast_number(data, at + 5, 3)
        if at < 0:
            return none
        at = fast_blanks(data, at)
    if byte_at(data, at) != 34:
        return none
    after, length, _, width, speed = fast_link_tail(data, at + 1, tails, port)
    return after, port, kind, peer, peer_port, own, lid, width, speed, at + 1, length


def fast_header(data: Any, at: int, known: Any) -> tuple[int, int, int, Any, int, int, int]:
    """A device line: (start of the next line or -1, kind, ports, GUID, lid, start and length of the name)."""
    none = (-1, 0, 0, _NONE, 0, 0, 0)
    kind = 2
    if byte_at(data, at) == 83:
        kind = 1
        if eight_at(data, at) & _SIX != _SWITCH:
            return none
        at += 6
    elif byte_at(data, at) == 67 and byte_at(data, at + 1) == 97:
        at += 2
    else:
        return none
    ports, at = fast_number(data, fast_blanks(data, at), 5)
    if at < 0:
        return none
    named, guid, at = fast_node(data, fast_blanks(data, at), known, OWN)
    if at < 0 or named != kind:
        return none
    at = fast_blanks(data, at)
    if byte_at(data, at) != 35:
        return none
    at = fast_blanks(data, at + 1)
    if byte_at(data, at) != 34:
        return none
    start = at + 1
    close = fast_quote(data, start)
    if close < 0:
        return none
    lid = -1
    if kind == 2:
        return feed_here(data, close + 1), kind, ports, guid, lid, start, close - start
    at = fast_blanks(data, close + 1)
    if eight_at(data, at) != _ENHANCED or eight_at(data, at + 8) != _PORT or eight_at(data, at + 16) & _FOUR != _LID:
        return none
    lid, at = fast_number(data, at + 20, 6)
    if at < 0 or eight_at(data, at) & _FIVE != _LMC:
        return none
    _, at = fast_number(data, at + 5, 1)
    if at < 0:
        return none
    return feed_here(data, at), kind, ports, guid, lid, start, close - start


def fast_attribute(data: Any, at: int, known: Any) -> tuple[int, int, Any]:
    """An attribute line: (start of the next line or -1, 1 vendor 2 device 3 system GUID 4 node GUID, value)."""
    text = eight_at(data, at)
    if text == _VENDOR and byte_at(data, at + 8) == 120:
        which = 1
        at += 9
    elif text == _DEVICE:
        which = 2
        at += 8
    elif text == _SYSTEM and eight_at(data, at + 5) == _SYSTEM_END:
        which = 3
        at += 13
    elif text == _SWITCH_GUID and eight_at(data, at + 5) == _SWITCH_END:
        which = 4
        at += 13
    elif text == _CA_GUID and byte_at(data, at + 8) == 120:
        which = 4
        at += 9
    else:
        return -1, 0, _NONE
    value, at = known_hexadecimal(data, at, known, OWN, True) if which > 2 else fast_hexadecimal(data, at)
    if at < 0:
        return -1, 0, _NONE
    return fast_feed(data, at), which, value


#: The functions that a scan needs from here, callees first.
PARTS = (
    fast_blanks,
    fast_number,
    not_hexadecimal,
    eight_digits,
    fast_hexadecimal,
    known_hexadecimal,
    fast_node,
    fast_quote,
    fast_feed,
    feed_here,
    same_text,
    fast_link_tail,
    fast_link,
    fast_header,
    fast_attribute,
)
