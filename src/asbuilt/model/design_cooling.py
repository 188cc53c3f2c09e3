"""Coolant loops and air, resolved: every default chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CoolingDesign:
    """The requirement's ``cooling`` with every default chosen. ``header`` empty: the plan chooses the smallest that passes."""

    cdu: str
    header: str
