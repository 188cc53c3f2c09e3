"""The fabric as it is sized: tiers, rails, pods, subplanes and islands, with counts, rates and oversubscription.

Up to 64 switches a tier are drawn one by one; above that a few groups stand for all and say for how many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from asbuilt.drawings.planned_fabric import plan_fabric_svg
from asbuilt.drawings.theme import Canvas, number, plural, text_width
from asbuilt.model.design import Design, PlaneDesign, Sizing

__all__ = ["fabric_svg", "plan_fabric_svg"]

WIDTH = 1100.0
LEFT, RIGHT = 214.0, 1084.0
MOST = 64
TECHNOLOGY = {"infiniband": "InfiniBand", "ethernet": "Ethernet"}
PANEL_H, GAP_H = 62.0, 84.0


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


@dataclass(slots=True)
class Placed:
    """Where the groups and boxes of a row came to lie: centre x of each box by group, left and right of each group."""

    y: float
    boxes: list[list[float]] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)


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
    if groups * boxes <= MOST and groups <= 16:
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


def place(canvas: Canvas, row: Row, y: float) -> Placed:
    """Draw a row at ``y`` over the whole width and say where its boxes lie."""
    placed = Placed(y)
    canvas.text(16, y + 24, row.title, "big")
    canvas.text(16, y + 42, row.under[0], "quiet")
    if len(row.under) > 1 and row.under[1]:
        canvas.text(16, y + 58, row.under[1], "small", LEFT - 30, 11.5)
    weights = [max(1.2, len(g.boxes) + (1 if g.hidden else 0)) if g.boxes else 1.0 for g in row.groups]
    gap = 14.0 if len(row.groups) <= 8 else 6.0
    room = RIGHT - LEFT - gap * (len(row.groups) - 1)
    biggest = max(weights)
    even = [biggest if g.boxes else min(biggest, biggest * 0.45 + 0.6) for g in row.groups]
    x = LEFT
    for group, weight in zip(row.groups, even, strict=True):
        w = room * weight / sum(even)
        placed.boxes.append(_group(canvas, row, group, x, y, w))
        placed.spans.append((x, x + w))
        x += w + gap
    return placed


def _group(canvas: Canvas, row: Row, group: Group, x: float, y: float, w: float) -> list[float]:
    if not group.boxes:
        canvas.box(x, y, w, PANEL_H, "frame")
        text = group.label or f"{group.stands_for:,} more"
        canvas.text(x + w / 2, y + PANEL_H / 2 - 2, "⋯", "mid big")
        canvas.text(x + w / 2, y + PANEL_H / 2 + 15, text, "mid small", w - 6, 11.5)
        return []
    canvas.box(x, y, w, PANEL_H, "panel", group.hint)
    top = y + 10
    height = PANEL_H - 20
    if group.label:
        canvas.text(x + w / 2, y + 16, group.label, "mid small", w - 8, 11.5)
        top, height = y + 23 + (3 if group.each > 1 else 0), PANEL_H - 32 - (3 if group.each > 1 else 0)
    count = len(group.boxes) + (1 if group.hidden else 0)
    widest = w if row.role == "node" else 110.0
    pitch = min((w - 12) / (count + (0.7 if group.hidden else 0)), widest)
    start = x + (w - pitch * (count + (0.7 if group.hidden else 0))) / 2
    centres = []
    for i in range(count):
        left = start + i * pitch
        last = i == len(group.boxes)
        label = f"+{group.hidden:,}" if last else group.boxes[i]
        inset = 1.0 if pitch < 14 else 2.5
        wide = pitch * 1.7 if last else pitch
        css = "frame" if last else f"t-{row.css}"
        for shift in (3.0, 0.0) if group.each > 1 and not last else (0.0,):
            if group.each > 1:
                canvas.box(left + inset + shift, top - shift, wide - 2 * inset - 3, height, f"b-{row.css}")
            canvas.box(left + inset + shift, top - shift, wide - 2 * inset - (3 if group.each > 1 else 0), height, css)
        if wide >= 17:
            canvas.text(left + wide / 2, top + height / 2 + 4, label, "mid num", wide - 2, 10.5)
        centres.append(left + wide / 2)
    return centres


def connect(canvas: Canvas, low: Placed, high: Placed, pairs: list[tuple[int, int]], label: str, alike: bool) -> None:
    """Links between two rows: single lines while they can be told apart, else one band per pair of groups.

    ``alike``: the i-th box below meets only the i-th box above (rails, spine indices).
    """
    y0, y1 = low.y, high.y + PANEL_H
    lines = [
        (xa, xb)
        for a, b in pairs
        for i, xa in enumerate(low.boxes[a])
        for k, xb in enumerate(high.boxes[b])
        if not alike or i == k
    ]
    if len(lines) <= 1100:
        css = "link l-compute" + (" faint" if len(lines) > 140 else "")
        path = " ".join(f"M{xa:.1f},{y0:.1f}L{xb:.1f},{y1:.1f}" for xa, xb in lines)
        canvas.add(f'<path d="{path}" class="{css}"/>')
    else:
        for a, b in pairs:
            if low.boxes[a] and high.boxes[b]:
                (a0, a1), (b0, b1) = low.spans[a], high.spans[b]
                path = f"M{a0 + 6:.1f},{y0:.1f}L{a1 - 6:.1f},{y0:.1f}L{b1 - 6:.1f},{y1:.1f}L{b0 + 6:.1f},{y1:.1f}Z"
                canvas.add(f'<path d="{path}" class="p-compute" fill-opacity=".10"/>')
    middle, width = (LEFT + RIGHT) / 2, text_width(label, 13) + 22
    canvas.box(middle - width / 2, (y0 + y1) / 2 - 13, width, 26, "sheet", radius=13)
    canvas.text(middle, (y0 + y1) / 2 + 4.5, label, "mid")


def _pairs(low: Row, high: Row) -> list[tuple[int, int]]:
    if len(low.groups) == len(high.groups) and len(low.groups) > 1:
        return [(i, i) for i in range(len(low.groups))]
    return [(a, b) for a in range(len(low.groups)) for b in range(len(high.groups))]


def _rate(gbps: float) -> str:
    return f"{number(gbps)}G"


def ratio(plane: PlaneDesign) -> float:
    """Leaf oversubscription of a full leaf as built: downlink over uplink bandwidth; 0 without uplinks."""
    up = plane.uplinks * plane.uplink_gbps
    return plane.nodes_per_leaf * plane.rails_per_leaf * plane.link_gbps / up if up else 0.0


def ratio_words(value: float) -> str:
    """``non-blocking`` or ``1.5 : 1 oversubscribed``."""
    if not value:
        return ""
    return "non-blocking" if value <= 1 else f"{number(value, 2)} : 1 oversubscribed"


def fabric_svg(design: Design, sizing: Sizing, *, standalone: bool = False) -> str:
    """The compute fabric of ``design`` with the counts of ``sizing``, and a line of blocks for the other planes.

    One subplane of one island is drawn; the text says how many there are. Deterministic: equal input, equal bytes.
    """
    plane = design.plane("compute") or design.planes[0]
    form = shape(plane, sizing)
    leaf = leaf_row(plane, sizing, form)
    rows = [leaf]
    if sizing.compute.spine:
        rows.insert(0, spine_row(plane, sizing, form))
    if sizing.compute.core:
        rows.insert(0, core_row(plane, sizing, form, rows[0]))
    rows.append(node_row(design, plane, sizing, form, leaf))
    others = _others(sizing)
    head = 74.0
    height = head + len(rows) * PANEL_H + (len(rows) - 1) * GAP_H + (86 if others else 20)
    words = description(design, plane, sizing)
    canvas = Canvas(WIDTH, height, f"Compute fabric for {sizing.gpus:,} GPUs", words)
    canvas.text(16, 26, f"Compute fabric: {TECHNOLOGY.get(plane.technology, plane.technology)}, {plane.layout}", "big")
    canvas.text(16, 46, _copies(plane, sizing), "quiet")
    placed = [place(canvas, row, head + i * (PANEL_H + GAP_H)) for i, row in enumerate(rows)]
    labels = _labels(plane, sizing, rows)
    for i in range(len(rows) - 1):
        high, low = placed[i], placed[i + 1]
        last = i == len(rows) - 2
        pairs = [(k, k) for k in range(len(low.boxes))] if last else _pairs(rows[i + 1], rows[i])
        by_rail = plane.layout == "leaf-groups"
        alike = (rows[i].role == "core" and not by_rail) or (rows[i].role == "spine" and by_rail and form.grouped)
        connect(canvas, low, high, pairs, labels[i], alike)
    if others:
        _draw_others(canvas, others, height - 62)
    return canvas.render(standalone)


def _copies(plane: PlaneDesign, sizing: Sizing) -> str:
    parts = []
    if plane.subplanes > 1:
        parts.append(f"{plane.subplanes} identical subplanes, one is drawn")
    if sizing.islands > 1:
        parts.append(f"{sizing.islands} islands (separate subnets), one is drawn")
    tail = "; counts at the left are totals" if parts else ""
    return "; ".join(parts) + tail if parts else "Every switch of the compute plane is in these counts"


def _labels(plane: PlaneDesign, sizing: Sizing, rows: list[Row]) -> list[str]:
    words = []
    roles = [r.role for r in rows]
    if "core" in roles:
        words.append(f"{sizing.links.spine_core:,} links × {_rate(plane.uplink_gbps)}")
    if "spine" in roles:
        told = ratio_words(ratio(plane))
        words.append(f"{sizing.links.leaf_spine:,} links × {_rate(plane.uplink_gbps)}" + (f", {told}" if told else ""))
    words.append(f"{sizing.links.node_leaf:,} links × {_rate(plane.link_gbps)}, {plural(plane.rails, 'rail')} a node")
    return words


def description(design: Design, plane: PlaneDesign, sizing: Sizing) -> str:
    """The picture in one paragraph, for those who cannot see it."""
    c = sizing.compute
    tiers = f"{plural(c.leaf, 'leaf', 'leaves')}"
    if c.spine:
        tiers += f", {plural(c.spine, 'spine')}"
    if c.core:
        tiers += f", {plural(c.core, 'core')}"
    told = ratio_words(ratio(plane)) or "a single tier"
    return (
        f"{plane.layout} {plane.technology} fabric: {plural(sizing.nodes, 'node')} with {plural(plane.rails, 'rail')} of "
        f"{_rate(plane.link_gbps)} each; {tiers}; {told}; {plural(plane.subplanes, 'subplane')}, "
        f"{plural(sizing.islands, 'island')}."
    )


def _others(sizing: Sizing) -> list[tuple[str, str]]:
    counts = {
        "storage": sizing.storage_switches,
        "frontend": sizing.frontend_switches,
        "management": sizing.management_switches,
        "oob": sizing.oob_switches,
    }
    told = []
    for name, count in counts.items():
        plane = sizing.planes.get(name, {})
        word = "out-of-band" if name == "oob" else name
        if count:
            told.append((name, f"{word}: {plural(count, 'switch')}"))
        elif plane.get("share"):
            told.append((name, f"{word}: on {plane['share']}"))
    return told


def _draw_others(canvas: Canvas, others: list[tuple[str, str]], y: float) -> None:
    canvas.text(16, y + 20, "Other planes", "strong")
    x = LEFT
    for name, text in others:
        canvas.box(x, y, 204, 32, f"t-{name}", text)
        canvas.text(x + 102, y + 21, text, "mid", 194)
        x += 222
