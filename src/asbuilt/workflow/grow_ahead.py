"""Requirements that growth asks for: a pilot at another size, freed of what it dictates for its own, planned for its target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Plane, Requirement
from asbuilt.predict.reading import Reading

#: Sizes that are bought: widths of trays in steps of mm, feeds in steps of kW.
_TRAY_STEP_MM = 50.0
_FEED_STEP_KW = 50.0
_LEFT = "left to the plan"


@dataclass(frozen=True, slots=True)
class Choices:
    """A requirement, and in words what it states otherwise than the pilot's."""

    requirement: Requirement
    stated: tuple[str, ...]


def at_size(requirement: Requirement, gpus: int) -> Requirement:
    """The requirement at another size: no build phases, and no growth target that the size has passed.

    A target that is just reached stays: what was kept for it (LIDs, addresses) is what is used now.
    """
    growth = requirement.growth
    if growth.gpus is not None and growth.gpus < gpus:
        growth = replace(growth, gpus=None)
    return replace(requirement, gpus=gpus, growth=growth, phases=())


def freed(requirement: Requirement) -> Iterator[tuple[str, Requirement]]:
    """The requirement with ever less dictated for one size, and in words what was left out."""
    piped = replace(requirement.cooling, header=None, header_first=None, header_first_racks=None)
    if requirement.cooling.header is not None:
        yield "the header's size", replace(requirement, cooling=piped)
    counts = _changed_planes(requirement, _uncounted)
    yield "the counts of switches and uplinks", counts
    guests = _changed_planes(counts, _own_switches)
    yield "the counts of switches and uplinks, and services and guest planes on spines", guests
    words = "the header's size, the counts of switches and uplinks, and services and guest planes on spines"
    yield words, replace(guests, cooling=piped)


def _changed_planes(requirement: Requirement, change: Callable[[Plane], Plane]) -> Requirement:
    planes = requirement.planes
    changed = {f.name: change(plane) for f in fields(planes) if (plane := getattr(planes, f.name)) is not None}
    return replace(requirement, planes=replace(planes, **changed))


def _uncounted(plane: Plane) -> Plane:
    leaf = replace(plane.leaf, uplinks=None, count=None)
    return replace(plane, leaf=leaf, spine=replace(plane.spine, uplinks=None, count=None), core=replace(plane.core, count=None))


def _own_switches(plane: Plane) -> Plane:
    """Services on leaves, and a plane that joins another's spines on switches of its own."""
    plane = replace(plane, service_at=None)
    if plane.share_tier != "spine":
        return plane
    return replace(plane, share=None, share_tier=None, separation=None, subnet=None, pkey=None)


def planned_ahead(pilot: Requirement, target: Plan, broken: Mapping[str, Reading]) -> Iterator[Choices]:
    """The pilot's requirement with each broken decision taken for ``target``: with the target's spines first, then without."""
    assert target.design is not None
    gpus = target.design.gpus
    made = Choices(replace(pilot, growth=replace(pilot.growth, gpus=gpus)), (f"growth.gpus: {gpus}",))
    for step in (_power, _cooling, _fibre):
        made = step(made, broken)
    if "spine-striping" in broken:
        wider = _spines(made, target)
        if wider is not None:
            yield wider
    yield made


def _power(made: Choices, broken: Mapping[str, Reading]) -> Choices:
    power, stated = made.requirement.power, list(made.stated)
    if {"busway-rating", "busway-drop"} & set(broken) and power.busway_a is not None:
        power = replace(power, busway_a=None)
        stated.append(f"power.busway_a: {_LEFT}")
    if "shelf-feeds" in broken and power.shelf_feeds is not None:
        feeds = sorted(set(power.shelf_feeds))
        turns = tuple(feeds[i % len(feeds)] for i in range(len(power.shelf_feeds)))
        power = replace(power, shelf_feeds=turns)
        stated.append(f"power.shelf_feeds: [{', '.join(turns)}]")
    asked = broken["feed-capacity"].asked if "feed-capacity" in broken else None
    if isinstance(asked, float):
        capacity = _up(asked, _FEED_STEP_KW)
        power = replace(power, feed_capacity_kw=capacity)
        stated.append(f"power.feed_capacity_kw: {capacity:g}")
    return Choices(replace(made.requirement, power=power), tuple(stated))


def _cooling(made: Choices, broken: Mapping[str, Reading]) -> Choices:
    cooling, stated = made.requirement.cooling, list(made.stated)
    if {"header-diameter", "header-spread", "cdu-head", "cdu-flow"} & set(broken) and cooling.header is not None:
        cooling = replace(cooling, header=None, header_first=None, header_first_racks=None)
        stated.append(f"cooling.header: {_LEFT}")
    if "branch-valves" in broken:
        cooling = replace(cooling, valves="supply+return")
        stated.append("cooling.valves: supply+return")
    return Choices(replace(made.requirement, cooling=cooling), tuple(stated))


def _fibre(made: Choices, broken: Mapping[str, Reading]) -> Choices:
    reading, fibre = broken.get("tray-fill"), made.requirement.fibre
    if reading is None or fibre.tray_width_mm is None or not isinstance(reading.asked, float):
        return made
    assert isinstance(reading.has, float)
    width = min(1200.0, _up(fibre.tray_width_mm * reading.asked / reading.has, _TRAY_STEP_MM))
    wider = replace(made.requirement, fibre=replace(fibre, tray_width_mm=width))
    return Choices(wider, (*made.stated, f"fibre.tray_width_mm: {width:g}"))


def _spines(made: Choices, target: Plan) -> Choices | None:
    """The compute plane with as many spines as the target's from the start; None where that is not one number."""
    assert target.design is not None
    plane = made.requirement.planes.compute
    switches = target.table("switches")
    tiers = switches.filter((switches["plane"] == "compute") & ~switches["spare"])["role"].to_list()
    if "core" in tiers or "spine" not in tiers:
        return None
    plane = plane or Plane()
    wider = replace(plane, spine=replace(plane.spine, count=tiers.count("spine")))
    planes = replace(made.requirement.planes, compute=wider)
    stated = (*made.stated, f"planes.compute.spine.count: {tiers.count('spine')}")
    return Choices(replace(made.requirement, planes=planes), stated)


def _up(value: float, step: float) -> float:
    return math.ceil(value / step - 1e-9) * step
