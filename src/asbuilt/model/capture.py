"""Raw output of a tool, kept as it came, with what is needed to read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capture:
    """One capture: ``id`` (unique in its set), the ``tool`` that wrote it, what it was taken of, and its bytes.

    ``tool`` is empty when nobody said; the reader then sniffs. ``subject`` is a subnet for a discovery dump, the
    switch for a neighbour table (whose text does not name its own switch). ``file`` is where it was read from.
    """

    id: str
    data: bytes
    tool: str = ""
    subject: str = ""
    file: str = ""
