"""The fabric as it is sized: tiers, rails, pods, subplanes and islands, with counts, rates and oversubscription.

Up to 64 switches a tier are drawn one by one; above that a few groups stand for all and say for how many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asbuilt.drawings.fabric_rows import Group, Row, core_row, leaf_row, node_row, shape, spine_row
from asbuilt.drawings.planned_fabric import plan_fabric_svg
from asbuilt.drawings.theme import Canvas, number, plural, text_width
from asbuilt.model.design import Design, PlaneDesign, Sizing

__all__ = ["fabric_svg", "plan_fabric_svg"]

WIDTH = 1100.0
LEFT, RIGHT = 214.0, 1084.0
TECHNOLOGY = {"infiniband": "InfiniBand", "ethernet": "Ethernet"}
PANEL_H, GAP_H = 62.0, 84.0


@dataclass(slots=True)
class Placed:
    """Where the groups and boxes of a row came to lie: centre x of each box by group, left and right of each group."""

    y: float
    boxes: list[list[float]] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)


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
        width = max(204.0, text_width(text, 13) + 20)
        canvas.box(x, y, width, 32, f"t-{name}", text)
        canvas.text(x + width / 2, y + 21, text, "mid", width - 10)
        x += width + 18
