"""What the requirement may say of coolant loops and air. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import NAME, spec


@dataclass(frozen=True, slots=True)
class Cooling:
    """Loops from the CDU to the rack. What the hall can cool, and the supply temperature, `site` says."""

    cdu: str | None = spec("catalogue id of the coolant distribution units", pattern=NAME)
    header: str | None = spec("nominal size of the row header", pattern=r"^DN(25|32|40|50|65|80|100|125|150|200|250|300)$")
