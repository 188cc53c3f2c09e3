"""One change at one node: what a fault did to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """``kind`` is the fault's; ``target`` the device or slot that it is at, ``value`` what it needs besides."""

    node: str
    kind: str
    target: str = ""
    value: str = ""
