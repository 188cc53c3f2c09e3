"""The hall from above, to scale, and the front of one rack of each role, by U."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.base.row_letters import row_letters
from asbuilt.drawings.theme import Canvas, number, plural
from asbuilt.model.design import Design, Sizing
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

WIDTH, LEFT, RIGHT, FRONT_PX = 1100.0, 64.0, 1084.0, 264.0
MOST_ROWS, SHOWN_ROWS = 5, 4
SCALE_MOST = 0.058
U_PX, U_PX_SMALL = 11.5, 8.6
ROLE_CSS = {"compute": "compute", "network": "frontend", "management": "management", "storage": "storage"}
ROLES = ("compute", "network", "storage", "management")
RACK_WIDTH_MM, RACK_DEPTH_MM, AISLE_MM = 600.0, 1200.0, 1200.0
MM_PER_M = W_PER_KW = 1000.0


@dataclass(frozen=True, slots=True)
class Rack:
    """One rack position from above. ``kw`` None when not known for this rack; ``x_mm`` is its left edge in the row."""

    name: str
    role: str
    x_mm: float
    kw: float | None


@dataclass(frozen=True, slots=True)
class RackRow:
    """One row of racks, from position 1."""

    label: str
    racks: tuple[Rack, ...]


@dataclass(frozen=True, slots=True)
class Device:
    """A device at its lowest U."""

    label: str
    u: float
    height_u: float
    css: str


@dataclass(frozen=True, slots=True)
class Front:
    """The front of a rack: what stands in it, by U."""

    title: str
    under: str
    height_u: int
    devices: tuple[Device, ...]
    role: str


@dataclass(frozen=True, slots=True)
class Hall:
    """What is drawn: the rows shown, how many there are, and rack and aisle sizes in mm."""

    rows: tuple[RackRow, ...]
    row_count: int
    rack_count: int
    width_mm: float
    depth_mm: float
    aisle_mm: float
    fronts: tuple[Front, ...]
    note: str


def rows_svg(plan: Plan, *, standalone: bool = False) -> str:
    """Rows and racks of a plan; needs the table ``racks``. Large halls show their first rows and the last."""
    return _draw(hall_of_plan(plan), standalone)


def row_svg(design: Design, sizing: Sizing, *, standalone: bool = False) -> str:
    """Rows and racks as sized, before anything is placed: racks by role side by side in rows of the site's length."""
    return _draw(hall_of_sizing(design, sizing), standalone)


def hall_of_sizing(design: Design, sizing: Sizing) -> Hall:
    """Compute racks first, then the other roles, in rows of ``racks_per_row``. Only compute racks get a power figure."""
    site = design.site
    rack_kw = compute_rack_kw(design)
    roles = [(role, sizing.racks_by_role.get(role, 0)) for role in ROLES]
    roles += [(role, count) for role, count in sorted(sizing.racks_by_role.items()) if role not in ROLES]
    ends, total = [], 0
    for role, count in roles:
        total += count
        ends.append((total, role))
    per_row = max(1, site.racks_per_row)
    count = -(-total // per_row)
    rows = []
    for index in _shown(count):
        here = range(index * per_row, min(total, (index + 1) * per_row))
        racks = []
        for place in here:
            role = next(r for end, r in ends if place < end)
            kw = rack_kw if role == "compute" else None
            name = f"{row_letters(index)}-{place - index * per_row + 1:02d}"
            racks.append(Rack(name, role, (place - index * per_row) * site.rack_width_mm, kw))
        rows.append(RackRow(row_letters(index), tuple(racks)))
    fronts = (_typical_front(design, sizing),) if sizing.racks_by_role.get("compute") else ()
    note = "Positions are typical: the plan places every device."
    if design.node.units_are_racks:
        note += " NVLink switch trays and power shelves are not drawn."
    return Hall(tuple(rows), count, total, site.rack_width_mm, site.rack_depth_mm, site.aisle_mm, fronts, note)


def compute_rack_kw(design: Design) -> float:
    """Nameplate power of a full rack of nodes, in kW."""
    node = design.node
    if node.units_are_racks:
        return node.unit_power_max_w / W_PER_KW
    return min(design.site.nodes_per_rack, design.nodes) * node.power_max_w / W_PER_KW


def _typical_front(design: Design, sizing: Sizing) -> Front:
    node, site = design.node, design.site
    per_rack = node.nodes_per_unit if node.nodes_per_unit > 1 else max(1, site.nodes_per_rack)
    per_rack = min(per_rack, sizing.nodes)
    word = "tray" if node.nodes_per_unit > 1 else "server"
    devices, u = [], 1.0
    tall = node.height_u > 1
    for index in range(per_rack):
        one = f"{word} {index + 1}, {plural(node.gpus_per_node, 'GPU')}"
        devices.append(Device(one if tall else "", u, node.height_u, "compute"))
        u += node.height_u
    height = max(site.rack_height_u, int(u - 1))
    held = "" if tall else f"{plural(per_rack, word)} of {plural(node.gpus_per_node, 'GPU')}, "
    return Front(
        "Typical compute rack", f"{held}up to {number(compute_rack_kw(design), 1)} kW", height, tuple(devices), "compute"
    )


def hall_of_plan(plan: Plan) -> Hall:
    """The racks of a plan in their places, and the front of the fullest rack of each role."""
    import polars as pl

    table = plan.table("racks")
    y_of = table.group_by("row").agg(pl.col("y_mm").min()).sort("y_mm", "row")
    order, depths = y_of["row"].to_list(), y_of["y_mm"].to_list()
    rows = []
    for index in _shown(len(order)):
        part = table.filter(pl.col("row") == order[index]).sort("position")
        racks = tuple(
            Rack(name, role, x, watts / W_PER_KW)
            for name, role, x, watts in part.select("name", "role", "x_mm", "power_w").iter_rows()
        )
        rows.append(RackRow(order[index], racks))
    site = plan.design.site if plan.design else None
    depth = site.rack_depth_mm if site else RACK_DEPTH_MM
    aisle = max(0.0, depths[1] - depths[0] - depth) if len(depths) > 1 else (site.aisle_mm if site else AISLE_MM)
    width = site.rack_width_mm if site else RACK_WIDTH_MM
    fronts = tuple(_fronts(plan, table))
    return Hall(tuple(rows), len(order), table.height, width, depth, aisle, fronts, "")


def _fronts(plan: Plan, racks: pl.DataFrame) -> list[Front]:
    import polars as pl

    fronts = []
    roles = [r for r in ROLES if r in racks["role"].to_list()]
    for role in roles:
        part = racks.filter(pl.col("role") == role).sort("used_u", "rack", descending=[True, False])
        rack, name, height, watts, used = part.select("rack", "name", "height_u", "power_w", "used_u").row(0)
        devices = []
        for source, css in (("nodes", ""), ("switches", "")):
            if not plan.has(source):
                continue
            columns = ["name", "u", "height_u", "plane" if source == "switches" else "role"]
            held = plan.table(source).filter(pl.col("rack") == rack).sort("u").select(columns)
            for label, u, tall, kind in held.iter_rows():
                css = kind if source == "switches" else ("compute" if kind == "compute" else "management")
                devices.append(Device(label, u, tall, css))
        if not devices:
            continue
        under = f"{number(watts / W_PER_KW, 1)} kW, {number(used, 1)} of {height} U"
        fronts.append(Front(f"{role.capitalize()} rack {name}", under, height, tuple(devices), role))
    return fronts


def _shown(count: int) -> list[int]:
    return list(range(count)) if count <= MOST_ROWS else [*range(SHOWN_ROWS - 1), count - 1]


def _draw(hall: Hall, standalone: bool) -> str:
    roles = [r for r in (*ROLES, *sorted({k.role for w in hall.rows for k in w.racks})) if _has(hall, r)]
    roles = list(dict.fromkeys(roles))
    longest = max((len(w.racks) * hall.width_mm for w in hall.rows), default=hall.width_mm)
    longest = max([longest, *(k.x_mm + hall.width_mm for w in hall.rows for k in w.racks)])
    scale = min(SCALE_MOST, (RIGHT - LEFT) / longest)
    words = f"{plural(hall.rack_count, 'rack')} in {plural(hall.row_count, 'row')}. {hall.note}".strip()
    canvas = Canvas(WIDTH, 0, "Rows and racks", words)
    canvas.text(16, 26, f"{plural(hall.rack_count, 'rack')} in {plural(hall.row_count, 'row')}", "big")
    _legend(canvas, roles, 40)
    y = 74.0
    room = FRONT_PX * len(hall.fronts[:4]) - 38
    left = WIDTH - 26 - room
    beside = bool(hall.fronts) and LEFT + longest * scale + 50 <= left
    hidden = hall.row_count - len(hall.rows)
    for index, row in enumerate(hall.rows):
        if hidden and index == len(hall.rows) - 1:
            canvas.text(LEFT, y + 6, f"⋯  {plural(hidden, 'more row')}", "quiet")
            y += 26
        y = _row(canvas, hall, row, y, scale)
        if index + 1 < len(hall.rows):
            space = min(max(hall.aisle_mm * scale, 20), 44) if not hidden else 20.0
            if not hidden:
                canvas.text(LEFT, y + space / 2 + 4, f"aisle {number(hall.aisle_mm)} mm", "tiny")
            y += space
    y = _scale_bar(canvas, y + 14, scale)
    if beside:
        y = max(y, _draw_fronts(canvas, hall.fronts, 20, left, U_PX_SMALL if hall.note else U_PX) - 12)
    elif hall.fronts:
        y = _draw_fronts(canvas, hall.fronts, y + 30, LEFT, U_PX)
    if hall.note:
        canvas.text(16, y + 14, hall.note, "small")
        y += 22
    canvas.height = y + 12
    return canvas.render(standalone)


def _has(hall: Hall, role: str) -> bool:
    return any(k.role == role for w in hall.rows for k in w.racks)


def _css(role: str) -> str:
    return ROLE_CSS.get(role, "none")


def _legend(canvas: Canvas, roles: list[str], y: float) -> None:
    x = 16.0
    for role in roles:
        canvas.box(x, y, 14, 14, f"t-{_css(role)}")
        canvas.text(x + 20, y + 12, f"{role} ({role[:1].upper()})", "small")
        x += 128


def _row(canvas: Canvas, hall: Hall, row: RackRow, y: float, scale: float) -> float:
    depth = max(34.0, hall.depth_mm * scale)
    canvas.text(16, y + depth / 2 + 5, row.label, "big", LEFT - 22)
    width = hall.width_mm * scale
    for rack in row.racks:
        x = LEFT + rack.x_mm * scale
        power = f", {number(rack.kw, 1)} kW" if rack.kw is not None else ""
        inset = 1.2 if width > 12 else 0.3
        canvas.box(x + inset, y, width - 2 * inset, depth, f"t-{_css(rack.role)}", f"{rack.name}: {rack.role}{power}", 2)
        if width >= 14:
            canvas.text(x + width / 2, y + 15, rack.role[:1].upper(), "mid num")
        if rack.kw is not None and width >= 30:
            canvas.text(x + width / 2, y + depth - 9, number(rack.kw, 1 if rack.kw < 100 else 0), "mid num")
        canvas.line(((x + inset, y + depth), (x + width - inset, y + depth)), f"l-{_css(rack.role)}", 2.5)
    return y + depth


def _scale_bar(canvas: Canvas, y: float, scale: float) -> float:
    metres = next((m for m in (1, 2, 5, 10, 20, 50) if m * MM_PER_M * scale >= 60), 100)
    length = metres * MM_PER_M * scale
    canvas.line(((LEFT, y), (LEFT, y + 6), (LEFT + length, y + 6), (LEFT + length, y)), "line")
    canvas.text(LEFT + length + 10, y + 9, f"{metres} m; thick edge: front; figure: nameplate kW", "small")
    return y + 14


def _draw_fronts(canvas: Canvas, fronts: tuple[Front, ...], y: float, left: float, pitch: float) -> float:
    width = FRONT_PX - 38
    tallest = max(f.height_u for f in fronts)
    top = y + 40
    for index, front in enumerate(fronts[:4]):
        x = left + index * FRONT_PX
        canvas.text(x, y + 6, front.title, "strong", width + 20)
        canvas.text(x, y + 24, front.under, "small")
        bottom = top + tallest * pitch
        upper = bottom - front.height_u * pitch
        canvas.box(x, upper - 3, width, front.height_u * pitch + 6, "sheet")
        for u in range(1, front.height_u + 1):
            level = bottom - u * pitch
            if u % 5 == 0 or u == 1:
                canvas.text(x - 6, level + pitch - 2, u, "tiny end")
                canvas.line(((x + 4, level), (x + width - 4, level)), "hair")
        for device in front.devices:
            level = bottom - (device.u - 1 + device.height_u) * pitch
            tall = device.height_u * pitch
            css = device.css if device.css in ("compute", "storage", "frontend", "management", "oob") else "none"
            hint = f"{device.label}, U{number(device.u, 1)}"
            for shade in (f"b-{css}", f"t-{css}"):
                canvas.box(x + 6, level + 0.6, width - 12, tall - 1.2, shade, hint, 2)
            if device.label and (tall >= 11 or device.height_u <= 1):
                canvas.text(
                    x + 14,
                    level + tall / 2 + (3.6 if tall > 14 else 3.2),
                    device.label,
                    "num" if tall > 14 else "one",
                    width - 28,
                    10.5,
                )
    return top + tallest * pitch + 20
