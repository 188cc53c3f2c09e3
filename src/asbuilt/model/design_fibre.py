"""The cable plant, resolved: every default chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LayingRules:
    """Figures of ``fibre/cabling-rules``: bend radii over the outside diameter, cords in mm, friction, allowances."""

    bend_rest_times: float
    bend_pull_times: float
    bend_copper_times: float
    bend_cord_mm: float
    friction: float
    slack_percent: float
    pair_loss_max_db: float
    splice_loss_max_db: float


@dataclass(frozen=True, slots=True)
class FibreDesign:
    """The requirement's ``fibre`` with every default chosen. ``trays_declared``: the size of the trays was stated."""

    trunks: str
    trunk_legs: int
    spare_percent: int
    loop_m: float
    tray_width_mm: float
    tray_depth_mm: float
    turn_radius_mm: float
    copper_trays: str
    trays_shared_with_power: bool
    trays_declared: bool
    rules: LayingRules
