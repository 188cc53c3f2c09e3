"""Ports as numbers: one slot per port of every device, and for each slot the slot at the other end of its link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from asbuilt.base.interning import read_only
from asbuilt.base.kernel import kernel

Array = np.ndarray[Any, Any]


def _widen_at(device: Array, port: Array, width: Array) -> None:
    np.maximum.at(width, device, port + 1)


@kernel(_widen_at, threshold=1 << 20)
def _widen(device: Any, port: Any, width: Any) -> None:
    """Make ``width`` of each device at least its port number and one."""
    for i in range(len(device)):
        if width[device[i]] <= port[i]:
            width[device[i]] = port[i] + 1


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots of ports 0..width-1 of each device, device after device: slot = start[device] + port."""

    start: Array
    device: Array

    @classmethod
    def over(cls, devices: int, *ends: tuple[Array, Array]) -> Slots:
        """Slots for ``devices`` devices wide enough for every (device, port) in ``ends``."""
        width = np.zeros(devices, np.int64)
        for device, port in ends:
            _widen(read_only(device.astype(np.int64, copy=False)), read_only(port.astype(np.int64, copy=False)), width)
        start = np.concatenate(([0], np.cumsum(width)))
        return cls(start[:-1], np.repeat(np.arange(devices), width))

    def __len__(self) -> int:
        return len(self.device)

    def at(self, device: Array, port: Array) -> Array:
        """Slots of (device, port); -1 for a port past the device's last one."""
        slot = self.start[device] + port
        inside = (slot < len(self.device)) & (port >= 0)
        inside &= self.device[np.where(inside, slot, 0)] == device if len(self.device) else False
        found: Array = np.where(inside, slot, -1)
        return found

    def of(self, device: Array, port: Array) -> Array:
        """Slots of (device, port) that are known to exist."""
        found: Array = self.start[device] + port
        return found

    def port(self, slot: Array) -> Array:
        """The port number of each slot."""
        number: Array = slot - self.start[self.device[slot]]
        return number


def far_slots(slots: Slots, a: Array, b: Array) -> Array:
    """For each slot the other end of its link, -1 when it has none: links ``a`` to ``b``, told from both ends.

    The first link that names a slot wins.
    """
    far = np.full(len(slots), -1, np.int64)
    far[b[::-1]] = a[::-1]
    far[a[::-1]] = b[::-1]
    return far
