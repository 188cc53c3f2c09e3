"""The floor and the rack units of a plan: the door of this room."""

from __future__ import annotations

from asbuilt.plan.layout.floor import floor
from asbuilt.plan.layout.panels import place_panels, with_panels
from asbuilt.plan.layout.slots import device_slots

__all__ = ["device_slots", "floor", "place_panels", "with_panels"]
