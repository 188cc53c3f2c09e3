"""What the requirement may say of trays, trunks and panels. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import spec


@dataclass(frozen=True, slots=True)
class Fibre:
    """The cable plant. Media and spares `cabling` says, the height of the trays `site`."""

    trunks: str | None = spec(
        "which optical links go over trunks and panels", choices=("none", "between-rows", "between-racks")
    )
    tray_width_mm: float | None = spec("width of the fibre trays", unit="mm", least=50, most=1200)
    tray_depth_mm: float | None = spec("usable depth of the fibre trays", unit="mm", least=25, most=300)
