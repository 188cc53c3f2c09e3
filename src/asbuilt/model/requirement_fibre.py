"""What the requirement may say of trays, trunks and panels. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import spec


@dataclass(frozen=True, slots=True)
class Fibre:
    """The cable plant. Media and spares of cords `cabling` says, the height of the trays `site`."""

    trunks: str | None = spec(
        "which optical links go over trunks and panels", choices=("none", "between-rows", "between-racks")
    )
    trunk_legs: int | None = spec("legs of a trunk, each carries one port of four or eight lanes", least=1, most=12)
    spare_percent: int | None = spec("spare trunks between two racks, at least one", unit="%", least=0, most=100)
    loop_m: float | None = spec("service loop of a trunk at each end", unit="m", least=0, most=10)
    tray_width_mm: float | None = spec("width of the trays", unit="mm", least=50, most=1200)
    tray_depth_mm: float | None = spec("usable depth of the trays", unit="mm", least=25, most=300)
    turn_radius_mm: float | None = spec("radius of the trays' turns and drop-outs", unit="mm", least=10, most=1000)
    copper_trays: str | None = spec("where copper between racks lies", choices=("own", "shared"))
    trays_shared_with_power: bool | None = spec("the fibre trays hold power cables as well")
