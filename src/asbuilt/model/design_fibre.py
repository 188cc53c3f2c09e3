"""The cable plant, resolved: every default chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FibreDesign:
    """The requirement's ``fibre`` with every default chosen."""

    trunks: str
    tray_width_mm: float
    tray_depth_mm: float
