"""What an engine tells of one node that it asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: How asking a node can end; all but the first leave it not measured.
ANSWERED, UNREACHABLE, HUNG, FAILED = "answered", "unreachable", "hung", "failed"


@dataclass(frozen=True, slots=True)
class Heard:
    """One node's end: ``how`` (a word above; answered means that text came), what it printed, and why it did not answer."""

    name: str
    how: str
    text: str = ""
    why: str = ""


#: Called for each node as soon as it has ended, in the caller's own thread.
Listen = Callable[[Heard], None]

_SHOWN = 200


def short(text: str) -> str:
    """The last telling line of what a program complained, printable and short."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    said = lines[-1] if lines else ""
    return "".join(c if c.isprintable() else "?" for c in said)[:_SHOWN]
