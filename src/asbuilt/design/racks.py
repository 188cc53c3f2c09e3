"""Racks by role: nodes by the number that one rack carries, switches packed in order by U, W and kg."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asbuilt.model.design import Design, SiteDesign

# BCM, login and provisioning servers: 4 to 7 in the DGX H100 and B200 bills for 127 nodes, one rack of them.
NODES_PER_MANAGEMENT_RACK = 1024
# A rack of flash arrays cooled by air.
STORAGE_RACK_KW = 15.0
STORAGE_SHARES_RACK_KW = 3.0


@dataclass(frozen=True, slots=True)
class Device:
    """What one device takes of a rack: U, nameplate W, kg (0 where nobody knows). A cold spare has its place, but draws
    nothing: it is not ``live``."""

    height_u: float
    power_w: float
    weight_kg: float
    live: bool = True


@dataclass(frozen=True, slots=True)
class Packing:
    """Network racks, and the nameplate power of the fullest of them in kW."""

    racks: int
    fullest_kw: float


def pack(runs: Iterable[tuple[Device, int]], site: SiteDesign) -> Packing:
    """Pack runs of equal devices into racks one after another; a rack is full when the next device passes its U, W or kg.

    The same answer as packing device by device, without a step per device.
    """
    limit_w = site.rack_power_kw * 1000.0
    limit_kg = site.rack_weight_kg - (site.rack_own_weight_kg or 0.0)
    racks, used_u, used_w, used_kg, fullest = 0, 0.0, 0.0, 0.0, 0.0
    drawn = 0.0

    def fits(device: Device, u: float, w: float, kg: float) -> bool:
        return (
            u + device.height_u <= site.switch_u_per_rack
            and w + device.power_w <= limit_w
            and kg + device.weight_kg <= limit_kg
        )

    for device, count in runs:
        left = count
        while left and racks and used_u > 0 and fits(device, used_u, used_w, used_kg):
            used_u, used_w, used_kg = used_u + device.height_u, used_w + device.power_w, used_kg + device.weight_kg
            drawn += device.power_w * device.live
            left -= 1
        fullest = max(fullest, drawn)
        if not left:
            continue
        per_rack, u, w, kg = 1, device.height_u, device.power_w, device.weight_kg
        while fits(device, u, w, kg):
            per_rack, u, w, kg = per_rack + 1, u + device.height_u, w + device.power_w, kg + device.weight_kg
        new = -(-left // per_rack)
        last = left - (new - 1) * per_rack
        racks += new
        fullest = max(fullest, min(left, per_rack) * device.power_w * device.live)
        drawn = last * device.power_w * device.live
        used_u, used_w, used_kg = last * device.height_u, last * device.power_w, last * device.weight_kg
    return Packing(racks, fullest / 1000.0)


def compute_racks(design: Design) -> int:
    """Racks of nodes; a rack-scale system is its own rack."""
    per_rack = design.node.nodes_per_unit if design.node.units_are_racks else design.site.nodes_per_rack
    return -(-design.nodes // per_rack)


def management_racks(design: Design) -> int:
    """Racks of management servers; a cluster of up to one SU has them in its network rack."""
    if design.nodes <= int(design.extra.get("su_nodes", 0)):
        return 0
    return -(-design.nodes // NODES_PER_MANAGEMENT_RACK)


def storage_racks(storage_kw: float) -> int:
    """Racks of storage arrays by their power; a small one stands in a network rack."""
    if storage_kw <= STORAGE_SHARES_RACK_KW:
        return 0
    return -(-int(storage_kw * 1000) // int(STORAGE_RACK_KW * 1000))
