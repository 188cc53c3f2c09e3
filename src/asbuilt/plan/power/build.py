"""The power plan step by step: racks, devices, supplies, circuits, outlets, loads, tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.plan.placement import COMPUTE
from asbuilt.plan.power.bonds import bonds_table
from asbuilt.plan.power.branches import Branches, branches_of, moved_cords, pdus_needed
from asbuilt.plan.power.busways import Busways, busway_numbers, plan_busways, whip_drop_percent, whip_end_ka
from asbuilt.plan.power.conductors import FULL, banks, conductor_loads, of_kind
from asbuilt.plan.power.devices import Devices, powered_devices
from asbuilt.plan.power.draws import Draw, draws_table, outlet_volts
from asbuilt.plan.power.loads import (
    CircuitLoads,
    CordLoads,
    Watts,
    circuit_loads,
    cord_loads,
    currents,
    pdu_lost,
    shelf_loads,
)
from asbuilt.plan.power.outlets import PHASES, Plugged, plug_in
from asbuilt.plan.power.parts import (
    BuswayPart,
    CircuitPart,
    PduPart,
    ShelfPart,
    busway_parts,
    circuit_parts,
    pdu_part,
    shelf_part,
)
from asbuilt.plan.power.protections import protections_table
from asbuilt.plan.power.racks import Flags, Floats, Ints, Racks, rows_of
from asbuilt.plan.power.rows import LETTERS, busway_keys, busways_table, circuits_table, cords_table, pdus_table
from asbuilt.plan.power.sharing import Cases, Supplies, cases_of, supplies_of
from asbuilt.plan.power.shelves import busbars_table, shelf_feeds, shelves_table, stacks
from asbuilt.plan.power.site import FeedWatts, feeds_table, per_feed


@dataclass(frozen=True, slots=True)
class Scene:
    """What the tables are written from. ``circuit``: the circuit of each cord; ``keep``: circuits that are planned."""

    design: Design
    racks: Racks
    devices: Devices
    node: Draw
    supplies: Supplies
    cases: Cases
    pdu: PduPart
    shelf: ShelfPart | None
    parts: list[CircuitPart]
    ratings: list[BuswayPart]
    branches: Branches
    circuit: Ints
    plugged: Plugged
    cords: CordLoads
    now: CircuitLoads
    full: CircuitLoads
    keep: Flags


def build(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Every power table that has rows."""
    scene = _scene(design, catalogue, tables)
    racks, branches = scene.racks, scene.branches
    busways = _busways(scene)
    amps = currents(design, scene.now.planned)
    lost_a = _worst(scene, amps)
    load_a = currents(design, scene.now.even)[0, :, :PHASES].max(axis=-1)
    whip = whip_drop_percent(design, branches, scene.parts, lost_a)
    figures = {
        "load_a": load_a,
        "lost_a": lost_a,
        "drop_percent": whip + (0.0 if busways is None else busways.tap_drop_percent),
        "fault_ka": _whip_ka(scene, busways),
    }
    out = {
        "draws": draws_table([scene.node, *scene.devices.draws]),
        "circuits": circuits_table(design, racks, branches, scene.parts, scene.pdu, busways, figures, scene.keep),
        "pdus": pdus_table(design, racks, branches, scene.pdu, scene.keep),
        "cords": cords_table(
            design, racks, scene.devices, scene.supplies, branches, scene.circuit, scene.plugged, scene.pdu, scene.cords
        ),
        "feeds": feeds_table(design, _feed_watts(scene), scene.node),
        "bonds": bonds_table(design, tables),
        "conductor_loads": _conductors(scene, busways, amps),
    }
    if busways is not None:
        now = scene.now.even.add(busways.of_circuit, len(busways.row))
        by_case = currents(design, now)
        out["busways"] = busways_table(racks, branches, busways, scene.ratings, by_case, design.power.busway_entry)
    out["protections"] = _protections(scene, busways, out)
    if scene.shelf is not None:
        stood, feeds = stacks(design, tables, racks, scene.shelf), shelf_feeds(design, racks, branches)
        out["shelves"] = shelves_table(design, racks, feeds, stood, scene.shelf, scene.node)
        out["busbars"] = busbars_table(racks, feeds, stood, scene.shelf, scene.node)
    return out


def _scene(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> Scene:
    racks = rows_of(design, tables["racks"])
    devices, node = powered_devices(design, catalogue, tables, racks)
    cases = cases_of(design.site.feeds)
    supplies = supplies_of(devices, design.site.cords, design.site.feeds, moved_cords(design.power, devices))
    pdu, parts, shelf = pdu_part(design, catalogue), circuit_parts(catalogue, design.power), shelf_part(design, catalogue)
    needed = pdus_needed(design, racks, devices, supplies, cases, pdu)
    shelf_w = 0.0 if shelf is None else _shelf_most_w(design, shelf, node.nominal_w)
    branches = branches_of(design.power, racks, needed, pdu, parts, shelf_w)
    circuit = _pdu_of(supplies, branches, racks)
    cords = cord_loads(design, devices, supplies, circuit, branches.feed[circuit], cases)
    later = ~devices.planned[supplies.device]
    dense = np.unique(circuit, return_inverse=True)
    _, _, line = busway_numbers(branches, racks)
    large = np.array([d.plug == "C20" for d in devices.draws], np.bool_)[devices.kind[supplies.device]]
    plugged = plug_in(cords.lost_w, dense[1].astype(np.int32), large, pdu.outlets, _dense(line[dense[0]]), later)
    spread = pdu_lost(design, devices, supplies, circuit, branches)
    rating = 0.0 if shelf is None else shelf.rating_w
    shelves = shelf_loads(design, branches, node.nominal_w, rating, cases)
    keep = racks.planned[branches.rack]
    now = circuit_loads(cords, spread, plugged, circuit, shelves, ~later, keep)
    full = circuit_loads(cords, spread, plugged, circuit, shelves, np.ones(len(later), np.bool_), np.ones_like(keep))
    ratings = busway_parts(design, catalogue) if design.power.distribution == "busway" else []
    return Scene(
        design,
        racks,
        devices,
        node,
        supplies,
        cases,
        pdu,
        shelf,
        parts,
        ratings,
        branches,
        circuit,
        plugged,
        cords,
        now,
        full,
        keep,
    )


def _dense(values: Ints) -> Ints:
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _shelf_most_w(design: Design, shelf: ShelfPart, rack_w: float) -> float:
    """The most that one shelf takes with the worst feed or shelf lost, its rating at most, skew included."""
    feeds = design.power.shelf_feeds
    left = min([len(feeds) - 1, *(len(feeds) - feeds.count(f) for f in set(feeds))])
    each = min(rack_w / max(1, left), shelf.rating_w)
    return min(each * (1.0 + design.power.sharing_skew), max(each, shelf.rating_w)) if left > 1 else each


def _pdu_of(supplies: Supplies, branches: Branches, racks: Racks) -> Ints:
    """The circuit of each cord's PDU: the supplies of a rack's feed are dealt to its PDUs in turn."""
    most = int(branches.number.max(initial=0)) + 1
    at = np.full((len(racks), 4, most), -1, np.int32)
    count = np.zeros((len(racks), 4), np.int32)
    pdus = np.flatnonzero(branches.shelf < 0)
    at[branches.rack[pdus], branches.asked[pdus], branches.number[pdus] - 1] = pdus
    np.add.at(count, (branches.rack[pdus], branches.asked[pdus]), 1)
    group = supplies.rack.astype(np.int64) * 4 + supplies.feed
    order = np.argsort(group, kind="stable")
    nth = np.empty(len(group), np.int64)
    nth[order] = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    there = count[supplies.rack, supplies.feed]
    if (there == 0).any():
        first = int(np.flatnonzero(there == 0)[0])
        rack, letter = racks.ids[int(supplies.rack[first])], LETTERS[int(supplies.feed[first])]
        raise ProblemError(
            Problem(
                "PLN-015",
                f"power.cords_as_built: {rack} has no PDU on feed {letter}",
                None,
                "a cord ends in a PDU of its own rack",
                "name a feed that the rack has, or delete the entry",
            )
        )
    return np.asarray(at[supplies.rack, supplies.feed, nth % there], np.int32)


def _busways(scene: Scene) -> Busways | None:
    if not scene.ratings:
        return None
    return plan_busways(scene.design, scene.branches, scene.racks, scene.full.even, scene.cases, scene.ratings)


def _whip_ka(scene: Scene, busways: Busways | None) -> Floats:
    return whip_end_ka(scene.design, scene.branches, scene.parts, busways, scene.ratings)


def _worst(scene: Scene, amps: Floats) -> Floats:
    """A of the most loaded conductor of each circuit with a feed, PDU or shelf lost."""
    part = currents(scene.design, scene.now.part_lost)[..., :PHASES].max(axis=(0, 2))
    return np.asarray(np.maximum(amps[..., :PHASES].max(axis=(0, 2)), part))


def _feed_watts(scene: Scene) -> FeedWatts:
    """W by feed and case; racks that growth asks for beyond the finished rows count like the mean compute rack of these."""
    feeds, feed = scene.design.site.feeds, scene.branches.feed
    now = per_feed(scene.now.even.total, feed, feeds)
    full = per_feed(scene.full.even.total, feed, feeds)
    compute = scene.racks.role[scene.branches.rack] == COMPUTE
    racks = int((scene.racks.role == COMPUTE).sum())
    if scene.racks.later and racks:
        full = full + per_feed(scene.full.even.total * compute, feed, feeds) * (scene.racks.later / racks)
    if scene.shelf is not None:
        return FeedWatts(now, full, per_feed(scene.now.even.total * compute, feed, feeds))
    node = (scene.devices.kind[scene.supplies.device] == 0) & scene.devices.planned[scene.supplies.device]
    of_node = per_feed(scene.cords.case_w * node, feed[scene.circuit], feeds)
    return FeedWatts(now, full, of_node)


def _protections(scene: Scene, busways: Busways | None, out: dict[str, pl.DataFrame]) -> pl.DataFrame:
    labels = ("circuit:" + scene.branches.labels(scene.racks)).alias("circuit")
    at_tap = np.full(len(labels), np.nan) if busways is None else busways.tap_ka
    tap = pl.DataFrame({"circuit": labels, "tap_ka": pl.Series(at_tap).fill_nan(None)})
    tap_ka = out["circuits"].select("circuit").join(tap, on="circuit", how="left", maintain_order="left")["tap_ka"]
    return protections_table(scene.design, out["circuits"], out["pdus"], out.get("busways"), tap_ka, scene.pdu)


def _conductors(scene: Scene, busways: Busways | None, amps: Floats) -> pl.DataFrame:
    design, branches, cases, racks = scene.design, scene.branches, scene.cases, scene.racks
    dead = branches.feed[None, :] == cases.feed[:, None]
    labels = branches.labels(racks)
    usable = np.array([c.usable_a for c in scene.parts])[branches.part]
    keep = scene.keep[None, :] & ~dead
    frames = [of_kind("circuit", "circuit:" + labels, cases.names, amps, usable, keep)]
    pdus = np.broadcast_to(branches.shelf < 0, keep.shape)
    limit = np.full(len(branches), scene.pdu.usable_a)
    frames.append(of_kind("pdu", "pdu:" + labels, cases.names, amps, limit, keep & pdus))
    part = currents(design, scene.now.part_lost).max(axis=0, keepdims=True)
    if part.max(initial=0.0) > 0.0:
        there = scene.keep[None, :] & (part.max(axis=-1) > 0.0)
        frames.append(of_kind("circuit", "circuit:" + labels, ["lost:part"], part, usable, there))
    mine = scene.devices.planned[scene.supplies.device]
    if scene.pdu.banks and mine.any():
        bank_a = scene.cords.skewed_w[:, mine] / (outlet_volts(design) * design.power.power_factor)
        frames.append(
            banks(
                "pdu:" + labels,
                cases.names,
                scene.circuit[mine],
                scene.plugged.bank[mine],
                scene.plugged.conductor[mine],
                bank_a,
                scene.pdu.bank_a,
                dead,
                scene.pdu.between,
            )
        )
    full = [FULL if name == "healthy" else f"{FULL},{name}" for name in cases.names]
    if busways is not None:
        rated = np.array([p.usable_a for p in scene.ratings])[busways.part]
        stands = busways.feed[None, :] != cases.feed[:, None]
        now = currents(design, scene.now.even.add(busways.of_circuit, len(busways.row)))
        keys = busway_keys(racks, busways)
        frames += [
            of_kind("busway", keys, cases.names, now, rated, stands),
            of_kind("busway", keys, full, busways.full_a, rated, stands),
        ]
    return conductor_loads([*frames, *_feed_frames(scene, full)])


def _feed_frames(scene: Scene, full: list[str]) -> list[pl.DataFrame]:
    design, feeds = scene.design, scene.design.site.feeds
    keys = pl.Series([f"feed:{letter}" for letter in LETTERS[:feeds]])
    capacity = design.power.feed_capacity_kw
    whole = Watts(np.zeros((1, PHASES)), np.array([(capacity or np.nan) * 1000.0]))
    limit = np.repeat(currents(design, whole)[:, 0], feeds)
    stands = np.arange(feeds)[None, :] != scene.cases.feed[:, None]
    return [
        of_kind("feed", keys, names, currents(design, loads.even.add(scene.branches.feed, feeds)), limit, stands)
        for names, loads in ((scene.cases.names, scene.now), (full, scene.full))
    ]
