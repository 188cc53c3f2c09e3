"""Verdicts on fibre end faces by the zone tables of IEC 61300-3-35 (2015 edition, as reprinted in Panduit FS061, 2018).

A zone is a ring around the core, given by its inner and outer diameter in micrometres. For each kind of end face and each
zone the tables say which scratches (by width) and which defects (by diameter) may be there: so many without limit, so many
counted, none above. Of array ferrules (MPO) only zones A and B are judged; the cleanliness of the whole ferrule is a matter
of the 2022 edition, whose numbers are not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

#: Single-mode with a return loss of 45 dB and more, physical contact (PC, UPC); angled (APC); multimode PC.
SM_PC, SM_APC, MM_PC = "SM_PC", "SM_APC", "MM_PC"
SCRATCH, DEFECT = "scratch", "defect"
#: Zones of an array ferrule that are judged.
ARRAY_ZONES = ("A", "B")

_ANY = float("inf")

#: Inner and outer diameter of each zone, micrometres.
_ZONES_UM: dict[str, dict[str, tuple[float, float]]] = {
    "SM": {"A": (0, 25), "B": (25, 115), "C": (115, 135), "D": (135, 250)},
    "MM": {"A": (0, 65), "B": (65, 115), "C": (115, 135), "D": (135, 250)},
}


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a zone may hold: any number of sizes up to ``free_um`` (below it, where ``edge_counts``), ``count`` of those
    up to ``most_um``, nothing larger. Sizes in micrometres."""

    free_um: float
    count: int
    most_um: float
    edge_counts: bool = False

    def holds(self, sizes_um: Iterable[float]) -> bool:
        """True when features of these sizes may all be there. Raises ``ValueError`` for a size that is no size."""
        counted = 0
        for size in sizes_um:
            if not size >= 0 or size == _ANY:
                raise ValueError(f"{size} is not the size of a feature in micrometres")
            if size > self.most_um:
                return False
            counted += size >= self.free_um if self.edge_counts else size > self.free_um
        return counted <= self.count


_NONE = Allowed(0.0, 0, 0.0, edge_counts=True)
_UNLIMITED = Allowed(_ANY, 0, _ANY)
_SMALL_DEFECTS = Allowed(2.0, 5, 5.0, edge_counts=True)

_TABLES: dict[tuple[str, str, str], Allowed] = {
    (SM_PC, "A", SCRATCH): _NONE,
    (SM_PC, "A", DEFECT): _NONE,
    (SM_PC, "B", SCRATCH): Allowed(3.0, 0, 3.0),
    (SM_PC, "B", DEFECT): _SMALL_DEFECTS,
    (SM_PC, "C", SCRATCH): _UNLIMITED,
    (SM_PC, "C", DEFECT): _UNLIMITED,
    (SM_PC, "D", SCRATCH): _UNLIMITED,
    (SM_PC, "D", DEFECT): Allowed(10.0, 0, 10.0),
    (SM_APC, "A", SCRATCH): Allowed(0.0, 4, 3.0),
    (SM_APC, "A", DEFECT): _NONE,
    (SM_APC, "B", SCRATCH): _UNLIMITED,
    (SM_APC, "B", DEFECT): _SMALL_DEFECTS,
    (MM_PC, "A", SCRATCH): Allowed(3.0, 0, 3.0),
    (MM_PC, "A", DEFECT): Allowed(0.0, 4, 5.0),
    (MM_PC, "B", SCRATCH): Allowed(5.0, 0, 5.0),
    (MM_PC, "B", DEFECT): Allowed(5.0, 5, 10.0, edge_counts=True),
    (MM_PC, "D", SCRATCH): _UNLIMITED,
    (MM_PC, "D", DEFECT): Allowed(20.0, 5, 30.0, edge_counts=True),
}


@dataclass(frozen=True, slots=True)
class Feature:
    """One scratch (``size_um``: its width) or defect (its diameter) in a zone."""

    zone: str
    kind: str
    size_um: float


def zone_um(kind: str, zone: str) -> tuple[float, float]:
    """Inner and outer diameter of a zone, micrometres. Raises ``ValueError`` for a zone that nobody tabled."""
    zones = _ZONES_UM.get(kind[:2], {})
    if zone not in zones:
        raise ValueError(f"no zone {zone!r} of {kind!r}; there are {', '.join(zones) or 'none'}")
    return zones[zone]


def zone_of(kind: str, distance_um: float) -> str | None:
    """The zone at this distance from the centre of the core, micrometres; the inner one on an edge, None beyond the last."""
    for zone in _ZONES_UM[kind[:2]]:
        if 2 * distance_um <= zone_um(kind, zone)[1]:
            return zone
    return None


def allowed(kind: str, zone: str, feature: str) -> Allowed:
    """The table's entry. Raises ``ValueError`` where the tables say nothing: silence is no permission."""
    entry = _TABLES.get((kind, zone, feature))
    if entry is None:
        raise ValueError(f"IEC 61300-3-35 (2015) as reprinted says nothing of a {feature} in zone {zone} of {kind}")
    return entry


def fibre_passes(kind: str, features: Sequence[Feature], zones: Sequence[str] = ARRAY_ZONES) -> bool:
    """True when every judged zone of one fibre holds no more than it may; features of other zones are left out."""
    return all(
        allowed(kind, zone, what).holds(f.size_um for f in features if (f.zone, f.kind) == (zone, what))
        for zone in zones
        for what in (SCRATCH, DEFECT)
    )


def array_passes(kind: str, fibres: Sequence[Sequence[Feature] | None], zones: Sequence[str] = ARRAY_ZONES) -> bool | None:
    """True when every fibre of the array passes, False when one fails, None while one is not inspected (given as None)."""
    verdicts = [None if features is None else fibre_passes(kind, features, zones) for features in fibres]
    if False in verdicts:
        return False
    return None if None in verdicts or not verdicts else True
