"""What every power supply carries: all feeds standing, and with each of them lost.

Supplies of a device share its nominal load equally. What is left after a loss carries it all, but never more than the rating
of its supplies: a device that keeps fewer supplies than it needs may slow down or stop, and is counted with what those
supplies can give, the most that the circuits can see. Without any supply it is off and counts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asbuilt.plan.power.devices import Devices
from asbuilt.plan.power.racks import Flags, Floats, Ints

HEALTHY = "healthy"


@dataclass(frozen=True, slots=True)
class Supplies:
    """One entry per power supply with a cord: its device, number from 0, rack, W of its rating, feed as asked and as built."""

    device: Ints
    number: Ints
    rack: Ints
    rating_w: Floats
    asked: Ints
    feed: Ints

    def __len__(self) -> int:
        return len(self.device)


def supplies_of(devices: Devices, cords: tuple[str, ...], feeds: int, moved: dict[tuple[str, int], int]) -> Supplies:
    """Every supply of every device. ``cords``: feed letters of a server's supplies, repeated where they are too few.

    Devices with two cords (and every even number) have one half on each of two feeds: A and B, and with more feeds B and C,
    C and A in turn, so that no feed carries all of them. ``moved`` maps (device, supply) to the feed as built.
    """
    counts = np.array([d.supplies for d in devices.draws], np.int32)[devices.kind]
    device = np.repeat(np.arange(len(devices), dtype=np.int32), counts)
    number = np.arange(len(device), dtype=np.int32) - np.repeat(np.cumsum(counts) - counts, counts).astype(np.int32)
    letters = np.array([ord(c) - ord("A") for c in cords] or [0], np.int32)
    kind = devices.kind[device]
    is_node = kind == 0
    turn = _turns(devices)[device] % feeds
    half = number * 2 // np.maximum(1, counts[device])
    asked = np.where(is_node, letters[number % len(letters)], (turn + half) % feeds).astype(np.int32)
    feed = asked.copy()
    if moved:
        wanted = {name for name, _ in moved}
        ids = devices.ids.to_list()
        first = np.cumsum(counts) - counts
        for at, name in enumerate(ids):
            if name in wanted:
                for (moved_name, supply), letter in moved.items():
                    if moved_name == name and supply < counts[at]:
                        feed[first[at] + supply] = letter
    rating = np.array([d.supply_w for d in devices.draws], np.float64)[kind]
    return Supplies(device, number, devices.rack[device], rating, asked, feed)


def _turns(devices: Devices) -> Ints:
    """Running number of each device that is no server, within its rack."""
    other = devices.kind != 0
    before = np.cumsum(other)
    first = np.searchsorted(devices.rack, devices.rack)
    at_start = np.where(first > 0, before[first - 1], 0)
    return np.asarray((before - 1 - at_start) * other, np.int32)


def shared(devices: Devices, supplies: Supplies, lost: Flags) -> tuple[Floats, Ints]:
    """W of each supply when those of ``lost`` are out, and how many of its device's supplies stand."""
    standing = ~lost
    left = np.bincount(supplies.device[standing], minlength=len(devices)).astype(np.int32)
    nominal = np.array([d.nominal_w for d in devices.draws], np.float64)[devices.kind]
    count = left[supplies.device]
    each = np.divide(nominal[supplies.device], count, out=np.zeros(len(supplies)), where=count > 0)
    return np.where(standing, np.minimum(each, supplies.rating_w), 0.0), count


def skewed(watts: Floats, standing: Ints, rating_w: Floats, skew: float) -> Floats:
    """The most that one supply takes of an unequal sharing: ``skew`` above its share, up to its rating; alone it takes all."""
    above = np.minimum(watts * (1.0 + skew), np.maximum(watts, rating_w))
    return np.where(standing > 1, above, watts)


@dataclass(frozen=True, slots=True)
class Cases:
    """Names of the cases, healthy first, and the feed that each loses (-1: none)."""

    names: tuple[str, ...]
    feed: Ints

    def __len__(self) -> int:
        return len(self.names)


def cases_of(feeds: int) -> Cases:
    """All feeds standing, and each one lost."""
    names = (HEALTHY, *(f"lost:feed:{'ABCD'[i]}" for i in range(feeds)))
    return Cases(names, np.arange(-1, feeds, dtype=np.int32))
