"""Identifiers and labels of cable ends: ``[site.]room.cabinet-U12:port``, and ``near/far`` on each end of a cable.

The signs follow ANSI/TIA-606-C and ISO/IEC TR 14763-2-1: ``.`` between space and cabinet, ``:`` before the port, ``/``
between the ends of a cable. Which words stand between them is the syntax of this project. A label names its own end first;
the other end of the same cable shows the two halves swapped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: What ends an identifier's part, and may therefore not stand inside one.
SIGNS = "/:"
BETWEEN_ENDS = "/"
_END = re.compile(
    r"^(?:(?P<space>(?:(?!-U\d)[^/:])+)\.)?(?P<cabinet>[^/:.]+?)(?:-U(?P<u>\d+(?:\.\d+)?))?(?::(?P<port>[^/:]+))?$"
)


@dataclass(frozen=True, slots=True)
class End:
    """One end: ``space`` (site and room, may be empty), cabinet, rack unit and port (None: the label names none)."""

    space: str
    cabinet: str
    u: float | None = None
    port: str | None = None

    def __str__(self) -> str:
        space = f"{self.space}." if self.space else ""
        u = "" if self.u is None else f"-U{self.u:02g}" if self.u == int(self.u) else f"-U{self.u:g}"
        return f"{space}{self.cabinet}{u}" + ("" if self.port is None else f":{self.port}")


def end_of(text: str) -> End | None:
    """The end that an identifier names; None for a text that is none."""
    read = _END.match(text)
    if not read:
        return None
    u = read["u"]
    return End(read["space"] or "", read["cabinet"], None if u is None else float(u), read["port"])


def ends_of(label: str) -> tuple[End, End] | None:
    """Own and far end of a label; None unless it is exactly two identifiers with one ``/`` between."""
    halves = label.split(BETWEEN_ENDS)
    if len(halves) != 2:
        return None
    own, far = end_of(halves[0]), end_of(halves[1])
    return None if own is None or far is None else (own, far)


def swapped(label: str) -> str:
    """The label of the other end: the halves of ``own/far`` exchanged. Raises ``ValueError`` for a text without two halves."""
    own, between, far = label.partition(BETWEEN_ENDS)
    if not between or BETWEEN_ENDS in far:
        raise ValueError(f"{label!r} is not a label of two ends with one {BETWEEN_ENDS!r} between")
    return f"{far}{BETWEEN_ENDS}{own}"


def are_pair(near: str, far: str) -> bool:
    """True when both are labels and each is the other with its halves swapped."""
    return ends_of(near) is not None and ends_of(far) is not None and swapped(near) == far
