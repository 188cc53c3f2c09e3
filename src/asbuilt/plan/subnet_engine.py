"""Which routing engine a subnet is given, and why."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.plan.shape import GROUPS, PODS, SINGLE
from asbuilt.plan.subnet_scene import Crew, Scene
from asbuilt.plan.wiring import ROLES

_SOURCE = "OpenSM 3.3.23 documentation, current-routing.txt"


@dataclass(frozen=True, slots=True)
class Engine:
    """A routing engine of upstream OpenSM with its reason, and the tier whose switches are the roots."""

    name: str
    root_tier: str
    origin: str
    source: str
    reason: str


def engine_of(scene: Scene) -> Engine:
    """minhop for one switch, ftree for a regular tree, updn for a tree that ftree refuses; dor never.

    ftree wants every leaf at one depth and equal port groups upwards; what breaks that in a plan is known beforehand: uplinks
    dealt unevenly over the spines, planes of different depth in one subnet, and an LMC above 0.
    """
    root = root_tier(scene)
    if scene.wish.routing_engine:
        path = f"subnets.{scene.base}.routing_engine"
        return Engine(scene.wish.routing_engine, root, "declared", path, "the requirement names it")
    if sum(len(c.switches) * c.tier(0).asics for c in scene.crews) == 1:
        return Engine("minhop", root, "derived", _SOURCE, "one switch: every path is one hop, there is nothing to choose")
    if scene.lmc:
        reason = f"OpenSM's ftree routes one LID a port and refuses LMC {scene.lmc}; updn has no such limit"
        return Engine(
            "updn", root, "derived", "OpenSM 3.3.23: ftree falls back where the LMC is not 0 (tried on ibsim)", reason
        )
    uneven = next((c for c in scene.crews if _uneven(c)), None)
    if uneven is not None:
        reason = f"the uplinks of the {uneven.plane.name} leaves do not divide evenly over the spines, which ftree refuses"
        return Engine("updn", root, "derived", _SOURCE, reason)
    depths = {c.shape.kind in (PODS, GROUPS) for c in scene.crews if _own_tree(c)}
    if len(depths) > 1:
        return Engine("updn", root, "derived", _SOURCE, "planes of two and of three tiers in one subnet, which ftree refuses")
    flat = [c for c in scene.crews if c.shape.kind == SINGLE and not c.plane.share]
    if flat:
        reason = f"the {flat[0].plane.name} leaves have no spines of their own"
        return Engine("minhop", root, "derived", _SOURCE, reason)
    reason = "a regular tree: ftree spreads every shift permutation over all spines and needs no virtual lane against deadlock"
    return Engine("ftree", root, "derived", _SOURCE, reason)


def root_tier(scene: Scene) -> str:
    """The highest tier of the subnet: core, spine or leaf."""
    return ROLES[max((int(c.role.max()) for c in scene.crews if len(c.role)), default=0)]


def _own_tree(crew: Crew) -> bool:
    return bool(crew.shape.spines)


def _uneven(crew: Crew) -> bool:
    """Uplinks that are dealt round robin because the number of spines does not divide them."""
    return bool(crew.shape.spines) and crew.shape.leaf_to_spine == 0
