"""Which routing engine a subnet is given, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asbuilt.plan.ports import SERVICE
from asbuilt.plan.shape import GROUPS, PODS, SINGLE
from asbuilt.plan.subnet_scene import Crew, Scene
from asbuilt.plan.wiring import ROLES

_SOURCE = "OpenSM 3.3.23 documentation, current-routing.txt"
_TRIED = "OpenSM 3.3.23 on ibsim: with an LMC ftree falls back, with one line in the log"


@dataclass(frozen=True, slots=True)
class Engine:
    """A routing engine of upstream OpenSM with its reason, and the tier whose switches are the roots."""

    name: str
    root_tier: str
    origin: str
    source: str
    reason: str


def engine_of(scene: Scene) -> Engine:
    """minhop for one switch, ftree for a regular tree, updn for a tree that ftree refuses; dor (for meshes) never.

    ftree wants every leaf at one depth and equal port groups upwards; what breaks that in a plan is known beforehand: uplinks
    dealt unevenly over the spines, planes of different depth in one subnet, and an LMC above 0.
    """
    root = root_tier(scene)
    if scene.wish.routing_engine:
        path = f"subnets.{scene.base}.routing_engine"
        return Engine(scene.wish.routing_engine, root, "declared", path, "the requirement names it")
    if sum(len(c.switches) * c.tier(0).asics for c in scene.crews) == 1:
        return Engine("minhop", root, "derived", _SOURCE, "one switch: every path is one hop, there is nothing to choose")
    refused = _refused_by_ftree(scene)
    if refused:
        reason, source = refused
        if _hosts_on_roots(scene, root):
            more = "; hosts on the highest tier reach each other down and up again, which updn forbids: shortest paths instead"
            return Engine("minhop", root, "derived", source, reason + more)
        return Engine("updn", root, "derived", source, f"{reason}; updn keeps every path free of credit loops too")
    flat = [c for c in scene.crews if c.shape.kind == SINGLE and not c.plane.share]
    if flat:
        reason = f"the {flat[0].plane.name} leaves have no spines of their own"
        return Engine("minhop", root, "derived", _SOURCE, reason)
    reason = "a regular tree: ftree spreads every shift permutation over all spines and needs no virtual lane against deadlock"
    return Engine("ftree", root, "derived", _SOURCE, reason)


def _refused_by_ftree(scene: Scene) -> tuple[str, str] | None:
    """(why ftree does not route the subnet, source), or None where it does."""
    if scene.lmc:
        return f"OpenSM's ftree routes one LID a port and refuses LMC {scene.lmc}", _TRIED
    uneven = next((c for c in scene.crews if _uneven(c)), None)
    if uneven is not None:
        return (
            f"the uplinks of the {uneven.plane.name} leaves do not divide evenly over the spines, which ftree refuses",
            _SOURCE,
        )
    if len({c.shape.kind in (PODS, GROUPS) for c in scene.crews if _own_tree(c)}) > 1:
        return "planes of two and of three tiers in one subnet, which ftree refuses", _SOURCE
    return None


def _hosts_on_roots(scene: Scene, root: str) -> bool:
    """Service hosts on several switches of the highest tier, above which nothing joins these."""
    roots = np.concatenate([c.switches[c.role == ROLES.index(root)] for c in scene.crews])
    held = [p.switch[np.isin(p.switch, roots)] for p in scene.ports if p.far == SERVICE]
    return len(np.unique(np.concatenate(held))) > 1 if held else False


def root_tier(scene: Scene) -> str:
    """The highest tier of the subnet: core, spine or leaf."""
    return ROLES[max((int(c.role.max()) for c in scene.crews if len(c.role)), default=0)]


def _own_tree(crew: Crew) -> bool:
    return bool(crew.shape.spines)


def _uneven(crew: Crew) -> bool:
    """Uplinks that are dealt round robin because the number of spines does not divide them."""
    return bool(crew.shape.spines) and crew.shape.leaf_to_spine == 0
