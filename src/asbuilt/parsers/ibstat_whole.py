"""The ports of a fleet's ``ibstat`` by whole arrays of its lines, which may come mixed: `asbuilt.parsers.ibstat_pass` without
compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.parsers.ibstat_pass import CARD, CODES, HOST, LAST, LENGTH, OF_CARD, PORT, STATE
from asbuilt.parsers.shapes import Shapes

Array = np.ndarray[Any, Any]
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Fleet:
    """The lines of all hosts, host by host: each with its label, the CA and the port that it belongs to.

    ``lines`` are those with a label, ``label`` has one a line; ``before``, ``tail`` and ``skeleton`` tell of each shape how
    many numbers its prefix has, what stands behind the last of them up to the colon, and which text stands around them.
    """

    def __init__(self, found: Shapes, label: Array, before: Array, tail: Array, skeleton: Array) -> None:
        lines = np.flatnonzero(label)
        shape = found.shape[lines]
        before, tail = before[shape], tail[shape]
        mark = skeleton.astype(np.uint64)[shape]
        colon = found.start[lines] + tail
        for which in range(int(before.max(initial=0))):
            held = np.flatnonzero(before > which)
            at = found.at[lines[held]] + which
            stop = found.stops[at]
            mark[held] = (mark[held] * _MIX + found.values[at]) * _MIX + (stop - found.start[lines[held]]).astype(np.uint64)
            colon[held] = stop + tail[held]
        host, self.first = distinct_numbers(mark)
        self.first = lines[self.first]
        if (host[1:] < host[:-1]).any():  # the lines of hosts come mixed
            order = np.argsort(host, kind="stable")
            lines, host, colon = lines[order], host[order], colon[order]
        self.lines, self.host, self.prefix = lines, host, colon - found.start[lines]
        self.label = label[lines]
        self.card = np.cumsum(self.label == CARD) - 1
        self.port = np.cumsum(self.label == PORT) - 1
        self.cards, self.ports = np.flatnonzero(self.label == CARD), np.flatnonzero(self.label == PORT)

    def regular(self) -> bool:
        """True when every line has its host's CA, every CA a port, every port all that closes it, and no label comes twice."""
        if not len(self.ports) or self.label[0] != CARD:
            return False
        of_port = self.label > OF_CARD
        of_card = (self.label > PORT) & ~of_port
        opened = np.where(self.port >= 0, self.ports[np.maximum(self.port, 0)], -1)
        behind = opened > self.cards[self.card]  # a port of this CA was opened before
        if (self.host != self.host[self.cards[self.card]]).any() or (of_card & behind).any() or (of_port & ~behind).any():
            return False
        whose = np.where(of_port, self.port, self.card) * 64 + self.label
        told = whose[of_port | of_card]
        seen = np.zeros(int(told.max(initial=0)) + 1, bool)
        seen[told] = True
        if np.count_nonzero(seen) != len(told) or np.bincount(self.card[self.ports], minlength=len(self.cards)).min() == 0:
            return False
        ends = np.append(self.ports[1:], len(self.label))
        next_card = np.append(self.cards, len(self.label))[self.card[self.ports] + 1]
        last = self.label[np.minimum(ends, next_card) - 1] == LAST
        return bool(last.all() and np.count_nonzero(self.label == STATE) == len(self.ports))

    def seats(self) -> Array:
        """As `asbuilt.parsers.ibstat_pass.fleet` fills them, a port's rows in the order of hosts."""
        seats = np.full((len(self.ports), CODES + 2), -1, np.int32)
        for code in range(1, CODES):
            places = np.flatnonzero(self.label == code)
            by_card = code == CARD or PORT < code <= OF_CARD
            owner = (self.card if by_card else self.port)[places]
            lines = np.full((len(self.cards) if by_card else len(self.ports)), -1, np.int32)
            lines[owner] = self.lines[places]
            seats[:, code] = lines[self.card[self.ports]] if by_card else lines
        seats[:, LENGTH], seats[:, HOST] = self.prefix[self.ports], self.host[self.ports]
        return seats
