"""The fabric of a plan: every switch, the links between them, and the findings marked where they are.

Works on partial plans too: without a ``switches`` table the tiers follow from the kinds of the links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Sequence

from asbuilt.drawings.theme import PLANES, Canvas, cut, number, plural, text_width
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict

if TYPE_CHECKING:
    import polars as pl

WIDTH, LEFT, RIGHT = 1100.0, 150.0, 1084.0
LYING = 34.0
MOST_APART = 10
MOST_SWITCHES, MOST_PAIRS, MOST_MARKS = 72, 1600, 14
RANK = {"core": 0, "spine": 1, "leaf": 2}
TIER_WORDS = {0: "Core", 1: "Spine", 2: "Leaf"}
MANY = {0: "cores", 1: "spines", 2: "leaves"}
NODE_KINDS = ("node_leaf", "service")


@dataclass(slots=True)
class Box:
    """One switch, or many of one tier when the fabric is too large to draw one by one."""

    id: str
    name: str
    plane: str
    rank: int
    count: int = 1
    nodes: int = 0
    marks: list[int] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding on a link or switch, by its number in the legend."""

    number: int
    a: str
    b: str
    measured: bool


def plan_fabric_svg(plan: Plan, findings: Sequence[Finding] = (), *, standalone: bool = False) -> str:
    """The switches and links of ``plan`` with ``findings`` marked and numbered."""
    return plan_fabric_canvas(plan, findings).render(standalone)


def plan_fabric_canvas(plan: Plan, findings: Sequence[Finding] = ()) -> Canvas:
    """The picture of `plan_fabric_svg` before it is written out.

    Up to 72 switches a tier are drawn each; beyond that one box stands for a tier of a plane. Needs the table ``links``.
    """
    boxes, pairs = switches(plan)
    marks = place_findings(plan, findings, boxes)
    if too_large(boxes, pairs):
        boxes, pairs, marks = merged(boxes, pairs, marks)
    panels = panel_planes(boxes, pairs)
    legend = _legend(findings, marks)
    canvas = Canvas(WIDTH, 0, f"Planned fabric of {plan.name or 'the plan'}", _words(boxes, pairs, findings))
    y = 16.0
    for planes in panels:
        y = _panel(canvas, planes, boxes, pairs, marks, y)
    canvas.height = _draw_legend(canvas, legend, len(findings), y)
    return canvas


def switches(plan: Plan) -> tuple[dict[str, Box], dict[tuple[str, str], int]]:
    """Boxes by switch id and the number of links by (lower switch, upper switch)."""
    import polars as pl

    links = plan.links
    boxes: dict[str, Box] = {}
    if plan.has("switches"):
        table = plan.table("switches").filter(~pl.col("spare"))
        order = [c for c in ("plane", "island", "subplane", "pod", "block", "rail", "index", "switch") if c in table.columns]
        for row in table.sort(order).select("switch", "name", "plane", "role").iter_rows():
            boxes[row[0]] = Box(row[0], row[1], row[2], RANK.get(row[3], 2))
    for device, name, plane, rank in _tiers_from_links(links):
        boxes.setdefault(device, Box(device, name, plane, rank))
    between = links.filter(pl.col("kind").is_in(["leaf_spine", "spine_core"]))
    counted = between.group_by("a_device", "b_device").len().sort("a_device", "b_device")
    pairs = {(a, b): n for a, b, n in counted.iter_rows() if a in boxes and b in boxes}
    hosts = links.filter(pl.col("kind").is_in(NODE_KINDS)).group_by("a_device").len()
    for device, count in hosts.iter_rows():
        if device in boxes:
            boxes[device].nodes = count
    return boxes, pairs


def _tiers_from_links(links: pl.DataFrame) -> list[tuple[str, str, str, int]]:
    import polars as pl

    rank = {"node_leaf": (2, None), "service": (2, None), "leaf_spine": (2, 1), "spine_core": (1, 0)}
    found: list[tuple[str, str, str, int]] = []
    for kind, (low, high) in rank.items():
        part = links.filter(pl.col("kind") == kind)
        ends = [("a", low)] + ([("b", high)] if high is not None else [])
        for end, level in ends:
            names = part.select(f"{end}_device", f"{end}_name", "plane").unique(f"{end}_device", keep="first")
            found += [(d, n or d, p or "compute", int(level or 0)) for d, n, p in names.iter_rows()]
    highest: dict[str, tuple[str, str, str, int]] = {}
    for row in found:  # a switch that is anyone's far end stands above; services may sit on spines
        kept = highest.get(row[0])
        if kept is None or row[3] < kept[3]:
            highest[row[0]] = row
    return sorted(highest.values(), key=lambda r: natural(r[1]))


def natural(text: str) -> list[tuple[int, int, str]]:
    """Sort key that reads digits as numbers: leaf 2 before leaf 10."""
    return [(0, int(t), "") if t.isdigit() and t.isascii() else (1, 0, t) for t in re.split(r"(\d+)", text) if t]


def place_findings(plan: Plan, findings: Sequence[Finding], boxes: dict[str, Box]) -> list[Mark]:
    """Marks for findings whose subjects are planned links or switches; the number is the place in ``findings``."""
    import polars as pl

    wanted: dict[str, list[tuple[int, bool]]] = {}
    for index, finding in enumerate(findings, start=1):
        for subject in {finding.subject, *finding.subjects}:
            wanted.setdefault(subject, []).append((index, finding.verdict is not Verdict.NOT_MEASURED))
    rows = plan.links.filter(pl.col("link").is_in(list(wanted))).select("link", "a_device", "b_device", "kind").sort("link")
    marks: set[tuple[int, str, str, bool]] = set()
    for link, a, b, kind in rows.iter_rows():
        far = "" if kind in NODE_KINDS else b
        marks |= {(n, a, far, seen) for n, seen in wanted[link]}
    for subject, uses in wanted.items():
        if subject in boxes:
            marks |= {(n, subject, subject, seen) for n, seen in uses}
    return [Mark(*m) for m in sorted(marks)]


def too_large(boxes: dict[str, Box], pairs: dict[tuple[str, str], int]) -> bool:
    """True when the switches of one tier and plane, or the lines between them, could not be told apart."""
    per_tier: dict[tuple[int, str], int] = {}
    for box in boxes.values():
        per_tier[box.rank, box.plane] = per_tier.get((box.rank, box.plane), 0) + 1
    return max(per_tier.values(), default=0) > MOST_SWITCHES or len(pairs) > MOST_PAIRS


def merged(
    boxes: dict[str, Box], pairs: dict[tuple[str, str], int], marks: list[Mark]
) -> tuple[dict[str, Box], dict[tuple[str, str], int], list[Mark]]:
    """One box per plane and tier, links and marks summed over it; a few switches with findings stay apart."""
    marked = {end for m in marks for end in (m.a, m.b) if end in boxes}
    apart = marked if len(marked) <= MOST_APART else set()
    name = {key: key if key in apart else f"{box.plane}/{box.rank}" for key, box in boxes.items()}
    whole: dict[str, Box] = {key: boxes[key] for key in boxes if key in apart}
    for key, box in boxes.items():
        if key in apart:
            continue
        one = whole.setdefault(name[key], Box(name[key], "", box.plane, box.rank, 0))
        one.count += 1
        one.nodes += box.nodes
    for key, one in whole.items():
        if key not in apart:
            other = "other " if any(boxes[k].plane == one.plane and boxes[k].rank == one.rank for k in apart) else ""
            one.name = plural(one.count, f"{other}{TIER_WORDS[one.rank].lower()}", f"{other}{MANY[one.rank]}")
    lines: dict[tuple[str, str], int] = {}
    for (a, b), n in pairs.items():
        lines[name[a], name[b]] = lines.get((name[a], name[b]), 0) + n
    moved = {(m.number, name[m.a], name.get(m.b, ""), m.measured) for m in marks}
    return whole, lines, [Mark(*m) for m in sorted(moved)]


def panel_planes(boxes: dict[str, Box], pairs: dict[tuple[str, str], int]) -> list[tuple[str, ...]]:
    """Planes that are joined by links share a panel; panels in the order of the planes."""
    home = {box.plane: {box.plane} for box in boxes.values()}
    for a, b in pairs:
        union = home[boxes[a].plane] | home[boxes[b].plane]
        for plane in union:
            home[plane] = union
    order = {p: i for i, p in enumerate(PLANES)}
    unique = {tuple(sorted(group, key=lambda p: (order.get(p, 9), p))) for group in home.values()}
    return sorted(unique, key=lambda group: (order.get(group[0], 9), group))


def _panel(
    canvas: Canvas,
    planes: tuple[str, ...],
    boxes: dict[str, Box],
    pairs: dict[tuple[str, str], int],
    marks: list[Mark],
    y: float,
) -> float:
    mine = [b for b in boxes.values() if b.plane in planes]
    tiers = sorted({b.rank for b in mine})
    canvas.text(16, y + 16, " + ".join("out-of-band" if p == "oob" else p for p in planes), "big")
    y += 30
    gap = 116.0 if len(mine) > 8 or len(tiers) > 1 else 30.0
    for rank in tiers:
        row = [b for b in mine if b.rank == rank]
        height = _lay(row, y)
        canvas.text(16, y + 22, TIER_WORDS[rank], "strong")
        canvas.text(16, y + 40, plural(sum(b.count for b in row), "switch"), "small")
        held = sorted({b.nodes for b in row})
        if held[-1] and min(b.w for b in row) < 18:
            each = f"{held[0]:,}" if len(held) == 1 else f"{held[0]:,} to {held[-1]:,}"
            canvas.text(16, y + 56, f"{each} node links each", "small")
        y += height + gap
    y -= gap
    heights = {rank: _height([b for b in mine if b.rank == rank]) for rank in tiers}
    _draw_links(canvas, boxes, pairs, planes, heights)
    for box in mine:
        _draw_box(canvas, box, heights[box.rank], [m.measured for m in marks if m.a == box.id == m.b])
    _draw_marks(canvas, boxes, marks, planes, heights)
    return y + (40 if any(b.nodes for b in mine) else 16) + 22


def _pitch(count: int) -> float:
    return min((RIGHT - LEFT) / max(1, count), 240.0)


def _height(row: list[Box]) -> float:
    """Wide boxes carry their name lying; narrow ones standing, as tall as the longest name needs."""
    if _pitch(len(row)) >= 96:
        return LYING
    return min(150.0, max(72.0, *(text_width(b.name, 10.5) + 16 for b in row)))


def _lay(row: list[Box], y: float) -> float:
    pitch = _pitch(len(row))
    start = LEFT + ((RIGHT - LEFT) - pitch * len(row)) / 2
    for i, box in enumerate(row):
        inset = 5.0 if pitch > 60 else max(0.8, pitch * 0.08)
        box.x, box.y, box.w = start + i * pitch + inset, y, pitch - 2 * inset
    return _height(row)


def _draw_box(canvas: Canvas, box: Box, height: float, judged: list[bool]) -> None:
    plane = box.plane if box.plane in PLANES else "none"
    tint = f"t-{plane}" if not judged else ("t-fail" if any(judged) else "t-warn")
    canvas.box(box.x, box.y, box.w, height, f"b-{plane}", f"{box.name} ({box.id})")
    canvas.box(box.x, box.y, box.w, height, tint, f"{box.name} ({box.id})")
    middle = box.x + box.w / 2
    if height == LYING:
        small = text_width(box.name, 13) > box.w - 8
        canvas.text(middle, box.y + height / 2 + 4, box.name, "mid num" if small else "mid", box.w - 6, 10.5 if small else 13)
    elif box.w >= 10:
        canvas.add(f'<g transform="translate({middle + 3.5:.1f} {box.y + height - 7:.1f}) rotate(-90)">')
        canvas.text(0, 0, box.name, "num", height - 12, 10.5)
        canvas.add("</g>")
    if box.nodes and box.rank < RANK["leaf"]:
        # Hosts of a fabric service on a spine: above it, clear of the links to the leaves.
        words = plural(box.nodes, "service link")
        canvas.line(((middle, box.y), (middle, box.y - 7)), f"l-{plane}", 1.5, words)
        if box.w >= 76:
            canvas.text(middle, box.y - 10, words, "mid small")
    elif box.nodes:
        words = plural(box.nodes, "node link")
        short = words if box.w >= 92 else f"{box.nodes:,}"
        canvas.line(((middle, box.y + height), (middle, box.y + height + 12)), f"l-{plane}", 1.5, words)
        if box.w >= 18:
            canvas.text(middle, box.y + height + 26, short, "mid small")


def _draw_links(
    canvas: Canvas,
    boxes: dict[str, Box],
    pairs: dict[tuple[str, str], int],
    planes: tuple[str, ...],
    heights: dict[int, float],
) -> None:
    few = len(pairs) <= 120
    faint = " faint" if len(pairs) > 200 else ""
    for (a, b), count in pairs.items():
        low, high = boxes[a], boxes[b]
        if low.plane not in planes:
            continue
        plane = low.plane if low.plane in PLANES else "none"
        ends = ((low.x + low.w / 2, low.y), (high.x + high.w / 2, high.y + heights[high.rank]))
        hint = f"{low.name} – {high.name}: {plural(count, 'link')}" if few else ""
        canvas.line(ends, f"link l-{plane}{faint}", min(1 + count / 8, 3.5) if few else 0.8, hint)


def _draw_marks(
    canvas: Canvas, boxes: dict[str, Box], marks: list[Mark], planes: tuple[str, ...], heights: dict[int, float]
) -> None:
    used: dict[tuple[str, str], int] = {}
    for mark in marks:
        low = boxes.get(mark.a)
        if low is None or low.plane not in planes:
            continue
        turn = used.get((mark.a, mark.b), 0)
        used[mark.a, mark.b] = turn + 1
        css = "fault" if mark.measured else "warnline"
        high = boxes.get(mark.b)
        if high is not None and high is not low:
            x0, y0, x1, y1 = low.x + low.w / 2, low.y, high.x + high.w / 2, high.y + heights[high.rank]
            canvas.line(((x0, y0), (x1, y1)), css)
            at = 0.24 + 0.16 * (turn % 4) + 0.05 * (mark.number % 3)
            _dot(canvas, x0 + (x1 - x0) * at, y0 + (y1 - y0) * at, mark)
        elif high is low:
            _dot(canvas, min(low.x + low.w, RIGHT + 4) - turn * 20, low.y, mark)
        else:
            bottom = low.y + heights[low.rank]
            wide = low.w >= 92
            x = low.x + low.w / 2 + (56 if wide else 14 if low.w >= 18 else 0) + turn * 21
            if x < RIGHT + 8:
                canvas.line(((x, bottom), (x, bottom + 14)), css)
                _dot(canvas, x, bottom + 22 if wide else bottom + 14, mark)


def _dot(canvas: Canvas, x: float, y: float, mark: Mark) -> None:
    if mark.number > 99:
        return
    tone = "fail" if mark.measured else "warn"
    canvas.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" class="b-{tone}" stroke-width="1.5"/>')
    canvas.text(x, y + 3.8, mark.number, f"mid num strong c-{tone}")


def _legend(findings: Sequence[Finding], marks: list[Mark]) -> list[tuple[int, str, bool]]:
    placed = {m.number for m in marks}
    rows = []
    for index, finding in enumerate(findings, start=1):
        if index in placed:
            rows.append(
                (index, f"{finding.id}  {finding.cause or finding.subject}", finding.verdict is not Verdict.NOT_MEASURED)
            )
    return rows


def _draw_legend(canvas: Canvas, rows: list[tuple[int, str, bool]], findings: int, y: float) -> float:
    for index, text, measured in rows[:MOST_MARKS]:
        _dot(canvas, 28, y + 8, Mark(index, "", "", measured))
        canvas.text(48, y + 12.5, cut(text, WIDTH - 80))
        y += 25
    left = findings - min(len(rows), MOST_MARKS)
    if left > 0:
        canvas.text(48, y + 12, f"{plural(left, 'more finding')} below, not marked here", "quiet")
        y += 24
    return y + 8


def _words(boxes: dict[str, Box], pairs: dict[tuple[str, str], int], findings: Sequence[Finding]) -> str:
    tiers: dict[Any, int] = {}
    for box in boxes.values():
        tiers[box.plane, box.rank] = tiers.get((box.plane, box.rank), 0) + box.count
    parts = [f"{number(n)} {plane} {TIER_WORDS[rank].lower()}" for (plane, rank), n in sorted(tiers.items())]
    return f"Switches: {', '.join(parts)}. Links between switches: {sum(pairs.values()):,}. Findings: {len(findings)}."
