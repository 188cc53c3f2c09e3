"""What the fabric picture shows of each tier: groups of switches, drawn or standing for others, from design and counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from asbuilt.drawings.theme import plural
from asbuilt.model.design import Design, PlaneDesign, Sizing

MOST = 64


@dataclass(frozen=True, slots=True)
class Group:
    """Switches drawn in one frame: box labels, and what the boxes leave out (``hidden`` boxes, shown as ``+ n``)."""

    label: str
    boxes: tuple[str, ...]
    hidden: int = 0
    stands_for: int = 1
    hint: str = ""
    each: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One tier of the picture."""

    role: str
    title: str
    under: tuple[str, ...]
    groups: tuple[Group, ...]
    css: str


@dataclass(frozen=True, slots=True)
class Shape:
    """How often things repeat within one subplane of one island."""

    blocks: int
    leaves_per_block: int
    pods: int
    spines_per_pod: int
    grouped: bool


def shape(plane: PlaneDesign, sizing: Sizing) -> Shape:
    """Groups of leaves and spines in one subplane of one island, from the counts and the plane's parameters."""
    copies = max(1, plane.subplanes * sizing.islands)
    leaves = max(1, math.ceil(sizing.compute.leaf / copies))
    spines = math.ceil(sizing.compute.spine / copies)
    wide = 1 if plane.layout == "fat-tree" else plane.leaves_per_block
    grouped = plane.layout == "leaf-groups" and plane.group_spines > 0 and plane.su_nodes > 0 and sizing.compute.core > 0
    if grouped:
        units = max(1, math.ceil(math.ceil(sizing.nodes / max(1, sizing.islands)) / plane.su_nodes))
        return Shape(units, math.ceil(leaves / units), units, math.ceil(spines / units), True)
    if sizing.compute.core and plane.pod_leaves:
        pods = max(1, math.ceil(leaves / plane.pod_leaves))
        return Shape(pods, min(leaves, plane.pod_leaves), pods, math.ceil(spines / pods), True)
    if plane.layout == "fat-tree":
        return Shape(1, leaves, 1, spines, False)
    return Shape(max(1, math.ceil(leaves / wide)), min(wide, leaves), 1, spines, False)


def chosen(groups: int, boxes: int) -> list[int]:
    """Which groups are drawn: all when they fit, else the first three and the last; -1 stands for those between."""
    if groups * boxes <= MOST and groups <= 8:
        return list(range(groups))
    if groups <= 4:
        return list(range(groups))
    return [0, 1, -1, groups - 1]


def _boxes(labels: list[str], groups_shown: int) -> tuple[tuple[str, ...], int]:
    room = max(4, MOST // max(1, groups_shown))
    if len(labels) <= room:
        return tuple(labels), 0
    keep = min(room, 12) - 1
    return tuple(labels[:keep]), len(labels) - keep


def _leaf_labels(plane: PlaneDesign, form: Shape) -> list[str]:
    if plane.layout == "fat-tree":
        return [f"{i + 1}" for i in range(form.leaves_per_block)]
    rails = plane.leaves_per_block
    if plane.rails_per_leaf > 1:
        step = plane.rails_per_leaf
        ends = [min(plane.rails, i * step + step) - 1 for i in range(rails)]
        return [f"r{i * step}–{end}" if end > i * step else f"r{end}" for i, end in enumerate(ends)]
    return [f"r{i}" for i in range(rails)]


def _leaves_each(plane: PlaneDesign, form: Shape) -> int:
    return math.ceil(form.leaves_per_block / len(_leaf_labels(plane, form))) if form.grouped else 1


def _group_word(plane: PlaneDesign, form: Shape) -> str:
    if form.grouped:
        return "SU" if plane.layout == "leaf-groups" else "pod"
    return "block"


def leaf_row(plane: PlaneDesign, sizing: Sizing, form: Shape) -> Row:
    """The leaves, in blocks, SUs or pods."""
    labels = _leaf_labels(plane, form)
    word = _group_word(plane, form)
    shown = chosen(form.blocks, len(labels))
    groups = []
    for index in shown:
        if index < 0:
            groups.append(Group(f"{form.blocks - 3:,} more", (), stands_for=form.blocks - 3))
            continue
        boxes, hidden = _boxes(labels, len(shown))
        name = f"{word} {index + 1}" if form.blocks > 1 else ("leaf" if len(labels) == 1 else "leaves")
        each = _leaves_each(plane, form)
        label = f"{name}, {each} a rail" if each > 1 else name
        hint = f"{name}: {plural(form.leaves_per_block, 'leaf', 'leaves')}"
        groups.append(Group(label, boxes, hidden, hint=hint, each=each))
    return Row("leaf", "Leaf", _under(sizing.compute.leaf, plane.leaf.switch), tuple(groups), "compute")


def spine_row(plane: PlaneDesign, sizing: Sizing, form: Shape) -> Row:
    """The spines: one set, or one set per pod or SU."""
    model = plane.spine.switch if plane.spine else ""
    if not form.grouped:
        labels = [f"s{i + 1}" for i in range(form.spines_per_pod)]
        boxes, hidden = _boxes(labels, 1)
        return Row("spine", "Spine", _under(sizing.compute.spine, model), (Group("spines", boxes, hidden),), "compute")
    by_rail = plane.layout == "leaf-groups"
    each = plane.group_spines if by_rail else 1
    labels = [f"r{i}" if by_rail else f"s{i + 1}" for i in range(plane.rails if by_rail else form.spines_per_pod)]
    shown = chosen(form.pods, len(_leaf_labels(plane, form)))
    groups = []
    for index in shown:
        if index < 0:
            groups.append(Group(f"{form.pods - 3:,} more", (), stands_for=form.pods - 3))
            continue
        boxes, hidden = _boxes(labels, max(len(shown), 6))
        name = f"{_group_word(plane, form)} {index + 1}" if form.pods > 1 else "spines"
        groups.append(Group(f"{name}, {each} a rail" if each > 1 else name, boxes, hidden, each=each))
    return Row("spine", "Spine", _under(sizing.compute.spine, model), tuple(groups), "compute")


def core_row(plane: PlaneDesign, sizing: Sizing, form: Shape, spine: Row) -> Row:
    """The cores of one subplane of one island, in groups: the i-th spine of every pod or SU meets the i-th group."""
    copies = max(1, plane.subplanes * sizing.islands)
    cores = math.ceil(sizing.compute.core / copies)
    by_rail = plane.layout == "leaf-groups"
    count = max(1, min(cores, plane.group_spines if by_rail else form.spines_per_pod))
    shown = count if by_rail or not spine.groups[0].hidden else len(spine.groups[0].boxes)
    each = math.ceil(cores / count)
    label = f"core groups, {plural(each, 'core')} each" if each > 1 else "cores"
    boxes = tuple(f"{'g' if each > 1 else 'c'}{i + 1}" for i in range(shown))
    model = plane.core.switch if plane.core else ""
    group = Group(label, boxes, count - shown, each=each)
    return Row("core", "Core", _under(sizing.compute.core, model), (group,), "compute")


def node_row(design: Design, plane: PlaneDesign, sizing: Sizing, form: Shape, leaf: Row) -> Row:
    """The servers (or compute trays) below the leaf groups that they plug into."""
    word = "tray" if design.node.nodes_per_unit > 1 else "server"
    per_island = math.ceil(sizing.nodes / max(1, sizing.islands))
    each = math.ceil(per_island / form.blocks)
    if not form.grouped and plane.layout != "fat-tree":
        each = min(plane.nodes_per_leaf, per_island)
    elif form.grouped:
        per_pod = plane.su_nodes if plane.layout == "leaf-groups" else plane.nodes_per_leaf * form.leaves_per_block
        wide = plane.leaves_per_block if plane.layout == "rail-optimised" else 1
        each = min(per_island, max(1, per_pod // wide))
    groups: list[Group] = []
    shown = chosen(form.blocks, len(leaf.groups[0].boxes) + (1 if leaf.groups[0].hidden else 0))
    if len(shown) != len(leaf.groups):
        shown = [-1 if not g.boxes else i for i, g in enumerate(leaf.groups)]
        shown[-1] = form.blocks - 1 if len(leaf.groups) > 1 else 0
    for index in shown:
        if index < 0:
            groups.append(Group("", (), stands_for=form.blocks - 3))
            continue
        here = max(1, min(each, per_island - index * each))
        groups.append(Group("", (plural(here, word),)))
    gpus = f"{sizing.gpus:,} GPUs"
    return Row("node", word.capitalize() + "s", (f"{sizing.nodes:,}", gpus), tuple(groups), "none")


def _under(count: int, model: str) -> tuple[str, ...]:
    return (f"{count:,}", model)
