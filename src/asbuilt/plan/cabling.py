"""Jumpers and transceivers: a medium for each class of links, a stock length for each link, a module for each cage.

A class is what must be alike: the links of one kind of one plane, and classes whose links meet in one cage, because both
halves of a twin-port module take the same fibre (NVIDIA 100G-PAM4 transceiver guide). The longest route decides its medium.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design, NicPortDesign, PlaneDesign
from asbuilt.model.tables import JUMPERS, TRANSCEIVERS
from asbuilt.plan.figures import SERVICE_PART
from asbuilt.plan.links import Devices, LinkIndex, key_order, nic_of_port, node_cages, text_order, tier_of
from asbuilt.plan.media import Cage, Medium, Wanted, media
from asbuilt.plan.placement import Hall, Ints
from asbuilt.plan.ports import NODE, SERVICE, SWITCH, LinkGroup
from asbuilt.plan.route import Stands, from_stock, route_m

#: Shown where no part of the catalogue makes the link.
UNKNOWN = "unknown"
_NIC_KIND, _SWITCH_KIND = "nic", "switch"


@dataclass(frozen=True, slots=True)
class Cabling:
    """Per link: route, stock length and jumper (row of ``jumpers`` in link order); per group: its medium."""

    route: NDArray[np.float64]
    length: NDArray[np.float64]
    media: list[Medium | None]
    first: NDArray[np.bool_]
    key_port: Ints
    warnings: tuple[str, ...]


def lay_cables(design: Design, catalogue: Catalogue, hall: Hall, index: LinkIndex, stands: dict[str, Stands]) -> Cabling:
    """Route every link, choose each class's medium, and round lengths up to stock."""
    route = _routes(design, hall, index, stands)
    warnings = _nameless(design, index)
    longest = np.zeros(len(index.groups))
    np.maximum.at(longest, index.group, route)
    chosen: list[Medium | None] = [None] * len(index.groups)
    for members in _classes(index):
        need = max(float(longest[g]) for g in members)
        for g, medium in _choose(design, catalogue, index, members, need, warnings).items():
            chosen[g] = medium
    length = np.zeros(len(index))
    for g, medium in enumerate(chosen):
        at = index.group == g
        length[at] = stock_lengths(route[at], medium)
    first, key_port = _jumper_heads(index, chosen)
    return Cabling(route, length, chosen, first, key_port, tuple(warnings))


def _nameless(design: Design, index: LinkIndex) -> list[str]:
    """A warning for each plane whose card nobody named: its cages are guessed."""
    told = {g.plane.name: g.plane for g in index.groups if g.far == NODE}
    blind = [p.name for p in told.values() if not p.nic and all(n is None or not n.part for n in nic_of_port(design, p))]
    return [f"{name}: no NIC is named; its cages are taken to be those of the switch" for name in blind]


def _routes(design: Design, hall: Hall, index: LinkIndex, stands: dict[str, Stands]) -> NDArray[np.float64]:
    route = np.zeros(len(index))
    kinds = np.array([(NODE, SWITCH, SERVICE).index(g.far) for g in index.groups] or [0])[index.group]
    for code, far in enumerate((NODE, SWITCH, SERVICE)):
        at = np.flatnonzero(kinds == code)
        if len(at):
            route[at] = route_m(design.site, hall, stands[SWITCH], stands[far], index.a_switch[at], index.b_device[at])
    return route


def _classes(index: LinkIndex) -> list[list[int]]:
    """Groups that meet in a cage of the reference side, joined; each group stands in exactly one class."""
    parent = list(range(len(index.groups)))

    def root(g: int) -> int:
        while parent[g] != g:
            g = parent[g]
        return g

    each = np.array([tier_of(g.near_plane, g.near_tier).ports_per_cage for g in index.groups] or [1])
    cage = (index.a_port - 1) // each[index.group]
    key = index.a_switch.astype(np.int64) * 4096 + cage
    order = np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0
    left, right = index.group[order][:-1][same], index.group[order][1:][same]
    for a, b in {(int(a), int(b)) for a, b in zip(*_distinct(left, right), strict=True)}:
        parent[root(a)] = root(b)
    found: dict[int, list[int]] = {}
    for g in range(len(index.groups)):
        found.setdefault(root(g), []).append(g)
    return list(found.values())


def _distinct(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """The different pairs among ``left`` and ``right``."""
    differs = left != right
    pairs = np.unique(np.stack([left[differs], right[differs]]), axis=1)
    return pairs[0], pairs[1]


def _choose(
    design: Design, catalogue: Catalogue, index: LinkIndex, members: list[int], need_m: float, warnings: list[str]
) -> dict[int, Medium | None]:
    """One medium word and near module for all groups of a class: the first that every one of them can take over ``need_m``."""
    offers = {g: media(catalogue, wanted_of(design, catalogue, index.groups[g])) for g in members}
    able = [g for g in members if offers[g]]  # what nothing makes must not spoil the rest of its class
    picked = _common(able, offers, need_m)
    if picked and len(able) == len(members):
        return picked
    for g in members if not picked else [g for g in members if g not in able]:
        group = index.groups[g]
        wanted = wanted_of(design, catalogue, group)
        reach = max((m.reach_m for m in offers[g]), default=0.0)
        why = f"the longest run is {need_m:.1f} m, the best reaches {reach:g} m" if offers[g] else "none fits both cages"
        warnings.append(
            f"{group.plane.name} {group.kind}: no cable or transceiver pair of the catalogue makes a {wanted.rate_gbps:g} Gb/s "
            f"{group.plane.technology} link from {wanted.near.form} ({wanted.near.links} a cage) to {wanted.far.form}: {why}"
        )
    # Too far is a finding (the reach check names every run), not a cable less: what the design counts on is still counted.
    return dict.fromkeys(members) | (picked or _common(able, offers, 0.0))


def _common(able: list[int], offers: dict[int, list[Medium]], need_m: float) -> dict[int, Medium | None]:
    """For each group its first medium of the first kind and near module that all can take; empty when there is none."""
    for lead in offers[able[0]] if able else ():
        if lead.reach_m < need_m:
            continue
        picked: dict[int, Medium | None] = {}
        for g in able:
            fits = (m for m in offers[g] if m.medium == lead.medium and m.near == lead.near and m.reach_m >= need_m)
            picked[g] = next(fits, None)
        if all(picked.values()):
            return picked
    return {}


def wanted_of(design: Design, catalogue: Catalogue, group: LinkGroup) -> Wanted:
    """What a group of links asks of its cables and modules."""
    cabling = design.requirement.cabling
    up = group.far == SWITCH
    units = group.plane.uplink_units if up and group.near_tier == 0 else 1
    tier = tier_of(group.near_plane, group.near_tier)
    near = _switch_cage(catalogue, tier.switch, max(1, tier.ports_per_cage // units))
    if up:
        above = tier_of(group.far_plane, group.far_tier)
        far = _switch_cage(catalogue, above.switch, above.ports_per_cage)
    elif group.far == NODE:
        far = _node_cage(design, catalogue, group.plane, near)
    else:
        far = _switch_cage(catalogue, SERVICE_PART, 1)
    plane = group.plane
    fixed = plane.switch_fixed_ends if up else plane.node_fixed_ends
    only = plane.name == "compute"
    return Wanted(
        near=near,
        far=far,
        rate_gbps=plane.uplink_gbps if up else plane.link_gbps,
        technology=plane.technology,
        fixed=fixed,
        part=(cabling.switch_link if up else cabling.node_link) if only else None,
        prefer=cabling.prefer,
    )


def _switch_cage(catalogue: Catalogue, switch: str, links: int) -> Cage:
    if not catalogue.has(_SWITCH_KIND, switch):
        return Cage(UNKNOWN, "none", 0.0, links)
    part = catalogue.get(_SWITCH_KIND, switch)
    lane = float(part.value("lane_gbps", 0.0))
    return Cage(str(part.value("cage")), str(part.value("heatsink")), lane, links)


def _node_cage(design: Design, catalogue: Catalogue, plane: PlaneDesign, near: Cage) -> Cage:
    """The node's cages of a plane, taken to be alike: the first NIC port decides. No card known: the switch's kind of cage."""
    nic = next((n for n in nic_of_port(design, plane) if n is not None), None)
    part_id = nic.part if nic is not None else plane.nic
    if not part_id or not catalogue.has(_NIC_KIND, part_id):
        return Cage(near.form, "none", 0.0, 1)
    part = catalogue.get(_NIC_KIND, part_id)
    links = 1 if nic is None else _sharing(design, nic)
    return Cage(str(part.value("cage")), str(part.value("heatsink")), float(part.value("lane_gbps", 0.0)), links)


def _sharing(design: Design, nic: NicPortDesign) -> int:
    """NIC ports that share the cage of ``nic``."""
    return max(1, sum(1 for n in design.node.nics if n.cage and n.cage == nic.cage))


def stock_lengths(route: NDArray[np.float64], medium: Medium | None) -> NDArray[np.float64]:
    """Stock lengths, rounded up; past the longest, made to order."""
    if medium is None or not medium.lengths_m:
        return np.ceil(route)
    return from_stock(route, medium.lengths_m)


def _jumper_heads(index: LinkIndex, chosen: list[Medium | None]) -> tuple[NDArray[np.bool_], Ints]:
    """Which links head a jumper, and for every link the port that names its jumper (the first port that it serves)."""
    split = np.array([m.split if m else 1 for m in chosen] or [1], np.int32)[index.group]
    key_port = index.a_port.copy()
    shared = np.flatnonzero(split > 1)
    if len(shared):
        order = shared[np.lexsort((index.a_port[shared], index.a_switch[shared]))]
        switch, port = index.a_switch[order].astype(np.int64), index.a_port[order]
        jumper = switch * 4096 + (port - 1) // split[order]
        head = np.flatnonzero(np.diff(jumper, prepend=-1))
        key_port[order] = np.repeat(port[head], np.diff(head, append=len(order)))
    return key_port == index.a_port, key_port


def jumper_names(index: LinkIndex, cabling: Cabling, devices: Devices) -> pl.Series:
    """The jumper of every link, in link order."""
    switch = devices.switch_ids.gather(pl.Series(index.a_switch))
    frame = pl.DataFrame({"s": switch, "p": cabling.key_port})
    return frame.select(pl.concat_str([pl.lit("cable:"), "s", pl.lit("/"), "p"]).alias("jumper"))["jumper"]


def jumpers_table(links: pl.DataFrame, index: LinkIndex, cabling: Cabling) -> pl.DataFrame:
    """Table `JUMPERS`, sorted by key. A link over two fibres (``strands`` 2) has a second jumper, its key ending in ``b``."""
    if not len(index):
        return JUMPERS.empty()
    part = pl.Series([m.cable if m else UNKNOWN for m in cabling.media])
    medium = pl.Series([m.medium if m else UNKNOWN for m in cabling.media])
    strands = np.array([m.strands if m else 1 for m in cabling.media], np.int32)[index.group]
    which = pl.Series(index.group)
    frame = links.select("jumper", "a_device", "a_label", "b_device", "b_label", "phase").with_columns(
        part.gather(which).alias("part"),
        medium.gather(which).alias("medium"),
        pl.Series("route_m", cabling.route),
        pl.Series("length_m", cabling.length),
        pl.lit(1, dtype=pl.Int64).alias("links"),
    )
    if not cabling.first.all():
        merged = frame.group_by("jumper", maintain_order=True).agg(
            pl.len().cast(pl.Int64).alias("links"), pl.col("route_m", "length_m").max(), pl.col("phase").first()
        )
        heads = frame.filter(pl.Series(cabling.first)).drop("links", "route_m", "length_m", "phase")
        frame = heads.join(merged, on="jumper", how="left", maintain_order="left").sort("jumper")
        strands = strands[cabling.first]
    if (strands > 1).any():
        second = frame.filter(pl.Series(strands > 1)).with_columns(pl.col("jumper") + "b")
        frame = pl.concat([frame, second]).sort("jumper")
    return JUMPERS.conform(frame)


def transceivers_table(design: Design, index: LinkIndex, cabling: Cabling, devices: Devices) -> pl.DataFrame:
    """Table `TRANSCEIVERS`, sorted by key: one row per cage in use at either end of a link with pluggable modules."""
    parts = [_near_ends(index, cabling), *(_far_ends(design, index, cabling, far) for far in (NODE, SERVICE, SWITCH))]
    sides = [p for p in parts if p is not None]
    if not sides:
        return TRANSCEIVERS.empty()
    frames = []
    for kind in (NODE, SERVICE, SWITCH):
        same = [s for s in sides if s.device_kind == kind]
        if same:
            frames.append(_modules(kind, same, index, cabling, devices, design))
    return TRANSCEIVERS.conform(pl.concat(frames))


@dataclass(frozen=True, slots=True)
class _Side:
    """Ends of links that sit in modules: device number, cage number (from 1), link row and module part number."""

    device_kind: str
    device: Ints
    cage: Ints
    link: NDArray[np.intp]
    module: Ints


def _module_numbers(cabling: Cabling, side: str) -> Ints:
    """Per group, which module part (index into `_module_parts`) its links take at ``side``; -1 for fixed ends."""
    known = module_parts(cabling)
    return np.array([known.index(getattr(m, side)) if m and m.near else -1 for m in cabling.media] or [-1], np.int32)


def module_parts(cabling: Cabling) -> list[str]:
    """Every transceiver part in use, sorted."""
    return sorted({p for m in cabling.media if m and m.near for p in (m.near, m.far)})


def _near_ends(index: LinkIndex, cabling: Cabling) -> _Side | None:
    module = _module_numbers(cabling, "near")[index.group]
    at = np.flatnonzero(module >= 0)
    if not len(at):
        return None
    each = np.array([tier_of(g.near_plane, g.near_tier).ports_per_cage for g in index.groups])[index.group[at]]
    return _Side(SWITCH, index.a_switch[at], ((index.a_port[at] - 1) // each + 1).astype(np.int32), at, module[at])


def _far_ends(design: Design, index: LinkIndex, cabling: Cabling, far: str) -> _Side | None:
    module = _module_numbers(cabling, "far")[index.group]
    kind = np.array([g.far == far for g in index.groups] or [False])[index.group]
    at = np.flatnonzero((module >= 0) & kind)
    if not len(at):
        return None
    group, port = index.group[at], index.b_port[at]
    if far == SWITCH:
        each = np.array([tier_of(g.far_plane, g.far_tier).ports_per_cage if g.far == SWITCH else 1 for g in index.groups])
        cage = (port - 1) // each[group] + 1
    elif far == NODE:
        by_port = node_cages(design)[1]
        lists = [by_port[g.plane.name] if g.far == NODE else np.zeros(1, np.int32) for g in index.groups]
        start = np.cumsum([0, *(len(x) for x in lists[:-1])])
        cage = np.concatenate(lists)[start[group] + port]
    else:
        cage = np.ones(len(at), np.int32)
    return _Side(far, index.b_device[at], cage.astype(np.int32), at, module[at])


def _modules(
    kind: str, sides: list[_Side], index: LinkIndex, cabling: Cabling, devices: Devices, design: Design
) -> pl.DataFrame:
    """One row per cage of the devices of a kind, in key order."""
    ids = {NODE: devices.node_ids, SWITCH: devices.switch_ids, SERVICE: devices.service_ids}[kind]
    labels = pl.Series(["", *node_cages(design)[0]]) if kind == NODE else None
    highest = max(int(s.cage.max()) for s in sides)
    names = labels if labels is not None else pl.Series(np.arange(highest + 1)).cast(pl.String)
    rank = key_order(names) if labels is not None else text_order(highest)
    order = ids.arg_sort()
    width = len(names)
    place = key_order(ids + "/").astype(np.int64)
    size = len(ids) * width
    links, module, phase = np.zeros(size, np.int64), np.zeros(size, np.int32), np.full(size, len(devices.phases), np.int32)
    for side in sides:
        slot = place[side.device] * width + rank[side.cage]
        links += np.bincount(slot, minlength=size)
        module[slot] = side.module
        if len(devices.phases) > 1:
            np.minimum.at(phase, slot, index.phase[side.link])
        else:
            phase[slot] = 0
    used = np.flatnonzero(links)
    device, cage = np.divmod(used, width)
    back = np.empty(width, np.int64)
    back[rank] = np.arange(width)
    parts = module_parts(cabling)
    watts = {p: w for m in cabling.media if m and m.near for p, w in ((m.near, m.near_w), (m.far, m.far_w))}
    which = pl.Series(module[used])
    return pl.DataFrame(
        {
            "device": ids.gather(order.gather(pl.Series(device))),
            "cage": names.gather(pl.Series(back[cage])),
            "part": pl.Series(parts).gather(which),
            "links": links[used],
            "power_w": pl.Series([watts[p] for p in parts], dtype=pl.Float64).gather(which),
            "phase": devices.phases.gather(pl.Series(phase[used])),
        }
    ).with_columns(pl.concat_str([pl.lit("xcvr:"), "device", pl.lit("/"), "cage"]).alias("transceiver"))
