"""Which cable and which transceivers a class of links takes: what fits both cages, carries the rate and reaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asbuilt.catalogue.load import Catalogue, Part

#: Cheaper and simpler first. Single-mode is preferred only where it alone reaches, or where the requirement says so.
_ORDER = ("copper", "active-copper", "aoc", "multimode", "single-mode")
_FIBRE = ("multimode", "single-mode")


@dataclass(frozen=True, slots=True)
class Cage:
    """One end of a class of links. ``links`` share one cage; ``lane_gbps`` 0: nobody knows."""

    form: str
    heatsink: str
    lane_gbps: float
    links: int


@dataclass(frozen=True, slots=True)
class Medium:
    """A way to make a link. ``split`` links share one jumper at the near end; ``strands`` jumpers make one link.

    ``near`` and ``far`` are transceiver parts, empty for a cable with fixed ends. ``reach_m`` holds for the whole channel.
    ``empty`` counts optical ports that stay dark: a twin-port module for a single link where no single-port one fits.
    """

    medium: str
    cable: str
    near: str
    far: str
    split: int
    strands: int
    reach_m: float
    lengths_m: tuple[float, ...]
    near_w: float | None
    far_w: float | None
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A class of links to find a medium for. ``fixed``: the design counts cables with fixed ends."""

    near: Cage
    far: Cage
    rate_gbps: float
    technology: str
    fixed: bool
    part: str | None
    prefer: str | None


def media(catalogue: Catalogue, wanted: Wanted) -> list[Medium]:
    """Every way to make the link, the preferred first. Empty when no part of the catalogue fits."""
    if wanted.part is not None:
        named = [
            m for fixed in (False, True) for m in _all(catalogue, wanted, fixed) if wanted.part in (m.cable, m.near, m.far)
        ]
        return _sorted(named, wanted)
    # The kind that the design counts on comes first; the other stands in where it fits neither cage or does not reach (an
    # HDR card on an NDR switch: no pair of modules speaks, only a cable with fixed ends does).
    return [m for fixed in (wanted.fixed, not wanted.fixed) for m in _sorted(_all(catalogue, wanted, fixed), wanted)]


def _sorted(found: Iterable[Medium], wanted: Wanted) -> list[Medium]:
    def rank(m: Medium) -> tuple[bool, int, int, int, int, float, str, str, str]:
        disliked = wanted.prefer is not None and m.medium != wanted.prefer
        other = sum(wanted.part is not None and end != wanted.part for end in (m.near, m.far))
        return (disliked, other, m.strands, _ORDER.index(m.medium), m.empty, m.reach_m, m.cable, m.near, m.far)

    return sorted(found, key=rank)


def _all(catalogue: Catalogue, wanted: Wanted, fixed: bool) -> list[Medium]:
    if fixed:
        return [m for m in (_fixed(catalogue.get("cable", i), wanted) for i in catalogue.ids("cable")) if m]
    optics = [catalogue.get("optic", i) for i in catalogue.ids("optic")]
    fibres = [p for p in (catalogue.get("cable", i) for i in catalogue.ids("cable")) if p.value("media") in _FIBRE]
    near = [(o, *how) for o in optics if (how := _seat(o, wanted.near, wanted, may_split=True))]
    far = [(o, *how) for o in optics if (how := _seat(o, wanted.far, wanted, may_split=False))]
    out = []
    for a, split, strands in near:
        for b, _, strands_b in far:
            if strands != strands_b or not _speak(a, b):
                continue
            out += [m for f in fibres if not f.value("fixed_ends") and (m := _fibre(f, a, b, split, strands, wanted))]
    return out


def _seat(optic: Part, cage: Cage, wanted: Wanted, *, may_split: bool) -> tuple[int, int] | None:
    """(links per optical port, optical ports per link) of ``optic`` in ``cage``; None when it does not fit or carry them."""
    if cage.form not in optic.value("fits", ()) or wanted.technology not in optic.value("link_types", (wanted.technology,)):
        return None
    if "none" not in (cage.heatsink, optic.value("heatsink")) and cage.heatsink != optic.value("heatsink"):
        return None
    if cage.lane_gbps and float(optic.value("generation", 0)) > cage.lane_gbps:
        return None
    ports, rate = int(optic.value("ports")), float(optic.value("rate_gbps"))
    if cage.links <= ports and wanted.rate_gbps <= rate:
        return 1, 1
    if may_split and cage.links == 2 * ports and 2 * wanted.rate_gbps <= rate:
        return 2, 1
    if cage.links * 2 == ports and wanted.rate_gbps <= 2 * rate:
        return 1, 2
    return None


def _speak(a: Part, b: Part) -> bool:
    """Two transceivers understand each other: same fibre, connector and lane rate."""
    return all(a.value(k) == b.value(k) for k in ("media", "connector", "generation"))


def _fibre(fibre: Part, a: Part, b: Part, split: int, strands: int, wanted: Wanted) -> Medium | None:
    fits = fibre.value("media") == a.value("media") and fibre.value("connector") == a.value("connector")
    if not fits or int(fibre.value("far_ends", 1)) != split:
        return None
    key = "reach_split_m" if split > 1 else "reach_m"
    reach = min(float(p.value(key, p.value("reach_m"))) for p in (a, b))
    return Medium(
        medium=str(fibre.value("media")),
        cable=fibre.id,
        near=a.id,
        far=b.id,
        split=split,
        strands=strands,
        reach_m=min(reach, float(fibre.value("reach_m"))),
        lengths_m=tuple(sorted(float(x) for x in fibre.value("lengths_m"))),
        near_w=a.value("power_max_w"),
        far_w=b.value("power_max_w"),
        empty=sum(max(0, int(o.value("ports")) - c.links * strands) for o, c in ((a, wanted.near), (b, wanted.far))),
    )


def _fixed(cable: Part, wanted: Wanted) -> Medium | None:
    """A cable with fixed ends, when it fits both cages and carries the rate of the links that share it."""
    if not cable.value("fixed_ends") or wanted.technology not in cable.value("link_types", (wanted.technology,)):
        return None
    split = int(cable.value("far_ends", 1))
    links = int(cable.value("ports"))
    near, far = cable.value("fits")[0], cable.value("fits")[-1]
    either = set(cable.value("fits")) if split == 1 else {near}
    if wanted.near.form not in either or wanted.far.form not in (either if split == 1 else {far}):
        return None
    if links != split or wanted.near.links != links or float(cable.value("rate_gbps")) < wanted.rate_gbps:
        return None
    return Medium(
        medium=str(cable.value("media")),
        cable=cable.id,
        near="",
        far="",
        split=split,
        strands=1,
        reach_m=float(cable.value("reach_m")),
        lengths_m=tuple(sorted(float(x) for x in cable.value("lengths_m"))),
        near_w=None,
        far_w=None,
    )
