"""The ports of a fleet's ``ibstat`` in one compiled pass over its lines, where each host's lines stand together.

Lines come with a code each, from their shapes (`asbuilt.parsers.ibstat_fast`): 0 for none of the tool's, `CARD` and `PORT` for
what opens a block, higher ones for what stands in it.
"""

from __future__ import annotations

from typing import Any

from asbuilt.base.kernel import kernel
from asbuilt.base.machine_words import byte_at
from asbuilt.parsers.shapes_alike import same_stretch

CARD, PORT, OF_CARD, STATE, LAST, CODES = 1, 2, 8, 9, 17, 18
LONGEST_PREFIX = 253
#: Rows of what the pass tells of each port, behind the line of each code: length of its prefix, number of its host.
LENGTH, HOST = CODES, CODES + 1


def prefix_length(data: Any, start: int, size: int) -> int:
    """The bytes before the first colon of a line, -1 where that is far."""
    at = start
    while at < size and at - start <= LONGEST_PREFIX:
        if byte_at(data, at) == 58:
            return at - start
        at += 1
    return -1


def same_prefix(data: Any, start: int, before: int, length: int, size: int) -> bool:
    """True when the line at ``start`` has the prefix, and the colon behind it, of the line at ``before``."""
    if start + length + 9 < size:
        return same_stretch(data, start, before, length + 1)
    if start + length >= size:
        return False
    i = 0
    while i <= length and byte_at(data, start + i) == byte_at(data, before + i):
        i += 1
    return i > length


def placed(seats: Any, now: Any, label: int, line: int, port: int) -> int:
    """Put a line into its block: the port at hand, -2 where the line is out of place or its label came before.

    ``now`` holds the lines of the CA at hand by code, and in its first place how far it is: -1 no CA, 0 no port of it yet, else
    the code of the last line of its port.
    """
    state = now[0]
    ended = state == LAST and seats[port, STATE] >= 0
    if label == CARD:
        if state >= 0 and not ended:
            return -2
        for code in range(CODES):
            now[code] = -1
        now[CARD], now[0] = line, 0
        return port
    if label == PORT:
        if state != 0 and not ended:
            return -2
        port += 1
        for code in range(OF_CARD + 1):
            seats[port, code] = now[code]
        seats[port, PORT], now[0] = line, PORT
        return port
    if label <= OF_CARD:
        if state != 0 or now[label] >= 0:
            return -2
        now[label] = line
        return port
    if state <= 0 or seats[port, label] >= 0:
        return -2
    seats[port, label], now[0] = line, label
    return port


def _not_here(data: Any, starts: Any, labels: Any, seats: Any, now: Any) -> tuple[int, int]:
    """Without compiled code nothing is read this way."""
    return -1, 0


@kernel(_not_here, threshold=3 << 20, parts=(same_stretch, prefix_length, same_prefix, placed))
def fleet(data: Any, starts: Any, labels: Any, seats: Any, now: Any) -> tuple[int, int]:
    """Fill ``seats`` (ports, `CODES` + 2; -1 at first): (ports, runs of lines with one prefix).

    Ports are -1 where a line is out of place, a label comes twice, a block lost its end or a line begins with a blank. ``now``
    (`CODES`, -1 at first) is room to work in.
    """
    size, port, run, length, before = len(data), -1, -1, 0, 0
    for line in range(len(labels)):
        start, label = int(starts[line]), int(labels[line])
        byte = byte_at(data, start)
        if byte == 32 or byte == 9:
            return -1, 0
        if label == 0:
            continue
        if run < 0 or not same_prefix(data, start, before, length, size):
            length = prefix_length(data, start, size)
            if label != CARD or length < 1:
                return -1, 0
            run += 1
        before = start
        port = placed(seats, now, label, line, port)
        if port < -1:
            return -1, 0
        if label == PORT:
            seats[port, LENGTH], seats[port, HOST] = length, run
    if now[0] != LAST or seats[port, STATE] < 0:
        return -1, 0
    return port + 1, run + 1
