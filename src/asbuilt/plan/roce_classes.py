"""Table `ROCE_CLASSES`: marking, queues and thresholds of each Ethernet plane that carries RDMA, with where each is from.

An Ethernet compute plane carries RDMA unless the requirement says no; any other Ethernet plane only when it states ``roce``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Roce
from asbuilt.model.tables_roce import ROCE_CLASSES

_CUMULUS = "NVIDIA Cumulus Linux user guide, RDMA over Converged Ethernet: default lossless configuration"
_ECN = "NVIDIA Cumulus Linux user guide, `nv show qos roce`: min-threshold 146.48 KB, max-threshold 1.43 MB"
_PROBABILITY = "NVIDIA Cumulus Linux user guide, Quality of Service: default congestion-control profile"

#: What every hop must agree on where the requirement says nothing, each with its source.
DEFAULTS: dict[str, tuple[int, str]] = {
    "priority": (3, _CUMULUS),
    "dscp": (26, _CUMULUS),
    "cnp_priority": (6, _CUMULUS),
    "cnp_dscp": (48, _CUMULUS),
    "mtu_bytes": (9216, "NVIDIA Cumulus Linux user guide: default MTU of switch ports; for hosts assumed equal"),
    "rdma_mtu_bytes": (4096, "InfiniBand architecture specification vol. 1: the largest MTU"),
    "ecn_min_kb": (150, _ECN),
    "ecn_max_kb": (1500, _ECN),
    "ecn_probability": (100, _PROBABILITY),
    "weight": (50, _CUMULUS),
}


@dataclass(frozen=True, slots=True)
class RoceDesign:
    """One plane's settings, resolved. ``stated`` names those that the requirement gives."""

    plane: PlaneDesign
    priority: int
    dscp: int
    cnp_priority: int
    cnp_dscp: int
    mtu_bytes: int
    rdma_mtu_bytes: int
    ecn_min_bytes: int
    ecn_max_bytes: int
    ecn_probability: int
    ecn_by_rate: bool
    weight: int
    stated: tuple[str, ...]


def roce_designs(design: Design) -> list[RoceDesign]:
    """The planes that carry RDMA over Ethernet, in plane order."""
    made = []
    for plane in design.planes:
        asked = getattr(design.requirement.planes, plane.name, None)
        said = asked.roce if asked is not None else None
        carries = plane.name == "compute" if said is None else said.enabled is not False
        if plane.technology == "ethernet" and plane.name != "oob" and carries:
            made.append(_resolved(plane, said or Roce()))
    return made


def _resolved(plane: PlaneDesign, said: Roce) -> RoceDesign:
    stated = tuple(name for name in DEFAULTS if getattr(said, name) is not None)
    value = {name: getattr(said, name) if name in stated else default for name, (default, _) in DEFAULTS.items()}
    return RoceDesign(
        plane=plane,
        ecn_min_bytes=value.pop("ecn_min_kb") * 1000,
        ecn_max_bytes=value.pop("ecn_max_kb") * 1000,
        ecn_by_rate=bool(said.ecn_by_rate),
        stated=stated,
        **value,
    )


def classes_table(designs: list[RoceDesign]) -> pl.DataFrame:
    """Table `ROCE_CLASSES`, sorted by plane and traffic. A class takes the queue of its priority's number."""
    rows = [
        {**row, "mtu_bytes": d.mtu_bytes, "rdma_mtu_bytes": d.rdma_mtu_bytes}
        for d in designs
        for row in (_roce(d), _cnp(d), _default(d))
    ]
    return ROCE_CLASSES.conform(pl.DataFrame(rows, schema=ROCE_CLASSES.polars()).sort("plane", "traffic"))


def _origin(d: RoceDesign, names: tuple[str, ...]) -> dict[str, str]:
    """Declared when the requirement states any of ``names``; the source then names both parts."""
    said = [n for n in names if n in d.stated]
    sources = list(dict.fromkeys(DEFAULTS[n][1] for n in names if n not in d.stated))
    if said:
        sources.insert(0, f"planes.{d.plane.name}.roce: {', '.join(said)}")
    return {"origin": "declared" if said else "published", "source": "; ".join(sources)}


def _roce(d: RoceDesign) -> dict[str, Any]:
    return {
        "plane": d.plane.name,
        "traffic": "roce",
        "priority": d.priority,
        "dscp": d.dscp,
        "traffic_class": d.priority,
        "pfc": True,
        "ecn": True,
        "ecn_min_bytes": d.ecn_min_bytes,
        "ecn_max_bytes": d.ecn_max_bytes,
        "ecn_probability": d.ecn_probability,
        "scheduling": "dwrr",
        "weight": d.weight,
        **_origin(
            d, ("priority", "dscp", "ecn_min_kb", "ecn_max_kb", "ecn_probability", "weight", "mtu_bytes", "rdma_mtu_bytes")
        ),
    }


def _cnp(d: RoceDesign) -> dict[str, Any]:
    return {
        "plane": d.plane.name,
        "traffic": "cnp",
        "priority": d.cnp_priority,
        "dscp": d.cnp_dscp,
        "traffic_class": d.cnp_priority,
        "pfc": False,
        "ecn": False,
        "scheduling": "strict",
        **_origin(d, ("cnp_priority", "cnp_dscp")),
    }


def _default(d: RoceDesign) -> dict[str, Any]:
    return {
        "plane": d.plane.name,
        "traffic": "default",
        "priority": 0,
        "traffic_class": 0,
        "pfc": False,
        "ecn": False,
        "scheduling": "dwrr",
        "weight": 100 - d.weight,
        **_origin(d, ("weight",)),
    }
