"""Power shelves of rack-scale racks, and the current through each section of their busbars.

Tables `SHELVES` and `BUSBARS`. A section carries what is put in below it and not used there. With one feed's shelves at the
top and the other's at the bottom, half of the rack crosses the middle when all stand, and all of it one section when a feed is
lost; with shelves of both feeds at both ends the halves stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.model.design import Design
from asbuilt.model.tables_power import BUSBARS, SHELVES
from asbuilt.physics.conductors import section_currents, shelf_injection
from asbuilt.plan.power.branches import Branches
from asbuilt.plan.power.draws import Draw
from asbuilt.plan.power.parts import ShelfPart
from asbuilt.plan.power.racks import Flags, Floats, Ints, Racks
from asbuilt.plan.power.rows import LETTERS, feed_keys


@dataclass(frozen=True, slots=True)
class Stack:
    """One rack from the bottom: U of every shelf and tray, which are shelves (their number, -1: a tray), U of its height."""

    u: Floats
    height_u: Floats
    shelf: Ints


def stacks(design: Design, tables: dict[str, pl.DataFrame], racks: Racks, shelf: ShelfPart) -> dict[int, Stack]:
    """The stack of every planned rack-scale rack. Shelves stand where `rack_slots` has them; else half of them below the
    trays and half above, as in an NVL72."""
    trays = tables["nodes"].filter(pl.col("role") == "compute").select("rack", "u", "height_u")
    slots = tables.get("rack_slots")
    stood = slots.filter(pl.col("kind") == "shelf") if slots is not None else None
    by_rack = {key[0]: group.sort("u") for key, group in trays.group_by("rack")}
    given = {} if stood is None else {key[0]: group.sort("u") for key, group in stood.group_by("rack")}
    count = len(design.power.shelf_feeds)
    out: dict[int, Stack] = {}
    for at, rack in enumerate(racks.ids.to_list()):
        held = by_rack.get(rack)
        if racks.server[at] or not racks.planned[at] or held is None:
            continue
        if rack in given and given[rack].height == count:
            shelf_u = given[rack]["u"].to_numpy()
        else:
            below = np.arange(count // 2) * shelf.height_u + 1.0
            top = float((held["u"] + held["height_u"]).max())  # type: ignore[arg-type]
            shelf_u = np.concatenate([below, top + np.arange(count - count // 2) * shelf.height_u])
        u = np.concatenate([shelf_u, held["u"].to_numpy()])
        high = np.concatenate([np.full(count, shelf.height_u), held["height_u"].to_numpy()])
        number = np.concatenate([np.arange(count), np.full(held.height, -1)]).astype(np.int32)
        order = np.argsort(u, kind="stable")
        out[at] = Stack(u[order], high[order], number[order])
    return out


def shelf_feeds(design: Design, racks: Racks, branches: Branches) -> Ints:
    """Feed of each shelf as built (racks, shelves); -1 where a rack has none."""
    out = np.full((len(racks), len(design.power.shelf_feeds)), -1, np.int32)
    mine = branches.shelf >= 0
    out[branches.rack[mine], branches.shelf[mine]] = branches.feed[mine]
    return out


def shelves_table(
    design: Design, racks: Racks, feeds: Ints, stood: dict[int, Stack], shelf: ShelfPart, node: Draw
) -> pl.DataFrame:
    """Table `SHELVES`: the feed that the map asks for, as with cords; what is asked of a shelf follows ``feeds``, as built.

    ``lost_w``: asked of a shelf with the worst feed or other shelf lost, be it over its rating.
    """
    frames = []
    count = len(design.power.shelf_feeds)
    worst: dict[bytes, Floats] = {}
    for at, stack in stood.items():
        key = feeds[at].tobytes()
        if key not in worst:
            worst[key] = _most_asked(feeds[at], node.nominal_w)
        places = np.flatnonzero(stack.shelf >= 0)
        order = places[np.argsort(stack.shelf[places])]
        frames.append((at, stack.u[order], worst[key]))
    rack = np.repeat(np.array([f[0] for f in frames], np.int64), count)
    number = np.tile(np.arange(1, count + 1), len(frames))
    names = racks.names.gather(rack)
    asked = np.array([LETTERS.index(letter) for letter in design.power.shelf_feeds], np.int32)
    frame = pl.DataFrame(
        {
            "shelf": "shelf:" + names + "/" + pl.Series(number).cast(pl.String),
            "rack": racks.ids.gather(rack),
            "number": number,
            "u": np.concatenate([f[1] for f in frames]) if frames else np.zeros(0),
            "height_u": np.full(len(rack), shelf.height_u),
            "part": [shelf.part] * len(rack),
            "feed": feed_keys(asked[number - 1]),
            "supplies": np.full(len(rack), shelf.supplies),
            "rating_w": np.full(len(rack), shelf.rating_w),
            "nominal_w": np.full(len(rack), node.nominal_w / count),
            "lost_w": np.concatenate([f[2] for f in frames]) if frames else np.zeros(0),
            "phase": racks.phase.gather(rack),
        }
    )
    return SHELVES.conform(frame.sort("shelf"))


def _losses(feeds: Ints) -> list[tuple[str, Flags]]:
    """What may be lost, and the shelves that stand then; what takes all shelves down is left out: the rack is off."""
    out = [(f"feed:{LETTERS[f]}", feeds != f) for f in sorted(set(feeds.tolist()))]
    out += [(f"shelf {s + 1}", np.arange(len(feeds)) != s) for s in range(len(feeds))]
    return [(name, standing) for name, standing in out if standing.any()]


def _most_asked(feeds: Ints, rack_w: float) -> Floats:
    """W asked of each shelf in the worst of the losses that leave it standing."""
    asked = np.full(len(feeds), rack_w / len(feeds))
    for _, standing in _losses(feeds):
        asked = np.where(standing, np.maximum(asked, rack_w / standing.sum()), asked)
    return asked


def busbars_table(racks: Racks, feeds: Ints, stood: dict[int, Stack], shelf: ShelfPart, node: Draw) -> pl.DataFrame:
    """Table `BUSBARS`: sections between neighbouring shelves and trays, worked out once for racks that are alike.

    Trays draw alike: nobody publishes how compute trays and NVLink switch trays share the rack's power, so that the switch
    trays' part counts with the compute trays around them.
    """
    if shelf.busbar_v is None:
        return BUSBARS.empty()
    alike: dict[bytes, list[int]] = {}
    for at, stack in stood.items():
        alike.setdefault(stack.u.tobytes() + stack.shelf.tobytes() + feeds[at].tobytes(), []).append(at)
    peak = None if node.peak.watts is None or not node.nominal_w else node.peak.watts / node.nominal_w
    frames = []
    for mine in alike.values():
        stack, count = stood[mine[0]], len(mine)
        healthy, lost, what = _sections(stack, feeds[mine[0]], node.nominal_w / shelf.busbar_v)
        sections = len(healthy)
        frames.append(
            pl.DataFrame(
                {
                    "rack": np.repeat(np.array(mine, np.int64), sections),
                    "number": np.tile(np.arange(1, sections + 1), count),
                    "bottom_u": np.tile(stack.u[:-1], count),
                    "top_u": np.tile(stack.u[1:], count),
                    "healthy_a": np.tile(healthy, count),
                    "lost_a": np.tile(lost, count),
                    "lost": pl.Series(what, dtype=pl.String).gather(np.tile(np.arange(sections), count)),
                }
            )
        )
    if not frames:
        return BUSBARS.empty()
    frame = pl.concat(frames)
    at_rack = frame["rack"]
    frame = frame.with_columns(
        racks.names.gather(at_rack).alias("name"),
        racks.ids.gather(at_rack).alias("rack"),
        racks.phase.gather(at_rack).alias("phase"),
        pl.lit(shelf.section_a, pl.Float64).alias("rating_a"),
        pl.lit(shelf.busbar_v).alias("voltage_v"),
        (pl.col("lost_a") * pl.lit(peak, pl.Float64)).alias("peak_a"),
    ).with_columns(pl.format("busbar:{}/{}", "name", "number").alias("section"))
    return BUSBARS.conform(frame.drop("name").sort("section"))


def _sections(stack: Stack, feeds: Ints, rack_a: float) -> tuple[Floats, Floats, list[str]]:
    """A of each section with all shelves, the most with something lost, and what that is."""
    is_shelf = stack.shelf >= 0
    trays = int((~is_shelf).sum())
    load = np.where(is_shelf, 0.0, rack_a / max(1, trays))
    losses = _losses(feeds)
    standing = np.zeros((len(losses) + 1, len(load)), np.bool_)
    standing[0] = is_shelf
    for i, (_, left) in enumerate(losses):
        standing[i + 1, is_shelf] = left[stack.shelf[is_shelf]]
    amps = section_currents(shelf_injection(np.broadcast_to(load, standing.shape), standing))
    if len(amps) == 1:
        return amps[0], amps[0], ["nothing can be"] * len(amps[0])
    worst = np.round(amps[1:], 6).argmax(axis=0)
    return amps[0], amps[1:].max(axis=0), [losses[i][0] for i in worst.tolist()]
