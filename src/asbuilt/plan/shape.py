"""The shape of one fabric: how many leaves, pods, groups, spines and cores its parameters lead to.

Found constructively: candidates are tried in order and the first that has a port for every cable is taken. The closed
form in `design` reaches its counts another way; a property test holds the two against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import PlaneDesign

SINGLE, TWO_TIER, PODS, GROUPS = "single", "two-tier", "pods", "groups"
Made = Callable[..., "FabricShape"]


@dataclass(frozen=True, slots=True)
class FabricShape:
    """One island of one subplane. Every count is per subplane.

    ``kind``: ``single`` (leaves without spines of their own), ``two-tier``, ``pods`` (leaf, spine, core) or ``groups``
    (the same with the spines of each rail and SU apart). ``leaf_columns`` is the number of leaves side by side in a block
    (rails over rails per leaf); leaf ordinal = block * leaf_columns + column. ``spine_sets`` pods or groups hold
    ``set_spines`` spines each; ``set_leaves`` is the leaf capacity of one. ``leaf_to_spine`` and ``spine_to_core`` are
    parallel links per pair; 0 when links are dealt round robin because a dictated count does not divide them.
    """

    kind: str
    island: int
    first_node: int
    nodes: int
    blocks: int
    leaf_columns: int
    leaves: int
    spine_sets: int
    set_spines: int
    set_leaves: int
    leaf_to_spine: int
    core_groups: int
    group_cores: int
    spine_to_core: int

    @property
    def spines(self) -> int:
        return self.spine_sets * self.set_spines

    @property
    def cores(self) -> int:
        return self.core_groups * self.group_cores


def island_shapes(plane: PlaneDesign) -> tuple[FabricShape, ...]:
    """The shapes of a plane's islands, in order. A plane that shares another's leaves has none.

    Raises ``ProblemError`` PLN-001 when a tier that the size calls for is missing or too small.
    """
    if plane.share and plane.share_tier == "leaf":
        return ()
    shapes: list[FabricShape] = []
    size = plane.island_nodes or plane.nodes
    first = 0
    while first < plane.nodes:
        shapes.append(_shape(plane, len(shapes), first, min(size, plane.nodes - first)))
        first += size
    return tuple(shapes)


def _shape(plane: PlaneDesign, island: int, first: int, nodes: int) -> FabricShape:
    columns = plane.leaves_per_block
    blocks = -(-nodes // plane.nodes_per_leaf)
    leaves = blocks * columns

    def made(kind: str, **counts: int) -> FabricShape:
        none = dict.fromkeys(
            ("spine_sets", "set_spines", "set_leaves", "leaf_to_spine", "core_groups", "group_cores", "spine_to_core"), 0
        )
        return FabricShape(
            kind=kind,
            island=island,
            first_node=first,
            nodes=nodes,
            blocks=blocks,
            leaf_columns=columns,
            leaves=leaves,
            **{**none, **counts},
        )

    if plane.share or plane.spine is None or not plane.uplinks:
        return made(SINGLE)
    if plane.layout == "leaf-groups" and nodes > plane.su_nodes:
        return _grouped(plane, made, blocks, columns)
    count = plane.spine.fixed_count
    if count:
        even = plane.uplinks // count if plane.uplinks % count == 0 else 0
        if -(-leaves * plane.uplinks // count) + -(-plane.guest_uplinks // count) > plane.spine.ports:
            raise _unreachable(plane, f"{leaves} leaves with {plane.uplinks} uplinks do not fit the {count} spines dictated")
        return made(TWO_TIER, spine_sets=1, set_spines=count, set_leaves=leaves, leaf_to_spine=even)
    for spines in range(1, plane.uplinks + 1):
        guests = -(-plane.guest_uplinks // spines)
        if plane.uplinks % spines == 0 and leaves * (plane.uplinks // spines) + guests <= plane.spine.ports:
            return made(TWO_TIER, spine_sets=1, set_spines=spines, set_leaves=leaves, leaf_to_spine=plane.uplinks // spines)
    return _podded(plane, made, leaves)


def _podded(plane: PlaneDesign, made: Made, leaves: int) -> FabricShape:
    """Three tiers: pods with one spine per leaf uplink, cores in one group per spine index."""
    pods = -(-leaves // plane.pod_leaves) if plane.pod_leaves else 0
    if plane.core is None or not pods or not plane.spine_uplinks:
        raise _unreachable(plane, f"{leaves} leaves are more than one layer of spines reaches, and no core tier is given")
    group, parallel = _group_of_cores(plane, pods)
    return made(
        PODS,
        spine_sets=pods,
        set_spines=plane.uplinks,
        set_leaves=plane.pod_leaves,
        leaf_to_spine=1,
        core_groups=plane.uplinks,
        group_cores=group,
        spine_to_core=parallel,
    )


def _grouped(plane: PlaneDesign, made: Made, blocks: int, columns: int) -> FabricShape:
    """Three tiers with the leaves of one rail and SU on spines of their own (NVL72 over NDR)."""
    per_group = plane.su_nodes // plane.nodes_per_leaf
    groups = -(-blocks // per_group) * columns
    if plane.core is None or not plane.group_spines or plane.uplinks % plane.group_spines:
        raise _unreachable(plane, f"{groups} leaf groups need cores and spines that divide the {plane.uplinks} leaf uplinks")
    cores, parallel = _group_of_cores(plane, groups)
    return made(
        GROUPS,
        spine_sets=groups,
        set_spines=plane.group_spines,
        set_leaves=per_group,
        leaf_to_spine=plane.uplinks // plane.group_spines,
        core_groups=plane.group_spines,
        group_cores=cores,
        spine_to_core=parallel,
    )


def _group_of_cores(plane: PlaneDesign, sets: int) -> tuple[int, int]:
    """Cores behind one spine index, and links from each spine to each of them, for ``sets`` pods or groups."""
    assert plane.core is not None
    for cores in range(1, plane.spine_uplinks + 1):
        if plane.spine_uplinks % cores == 0 and sets * (plane.spine_uplinks // cores) <= plane.core.ports:
            return cores, plane.spine_uplinks // cores
    raise _unreachable(plane, f"{sets} pods or groups are more than the {plane.core.ports} ports of one core reach")


def _unreachable(plane: PlaneDesign, what: str) -> ProblemError:
    return ProblemError(
        Problem(
            "PLN-001",
            f"plane {plane.name}: {what}",
            why="every link needs a port at both ends",
            fix="choose a switch with more ports, allow a further tier, or make islands smaller",
        )
    )
