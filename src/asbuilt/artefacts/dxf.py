"""Hall and rows as DXF in mm, for the drawing office: racks, CDUs and PDUs as blocks with attributes, each kind on its layer.

y runs away from the hall's front, as in the tables. A rack's block has its front at the bottom; in rows that face away from
the hall's front it is inserted turned by 180 degrees, its attributes stay upright. Trays lie at their height (z).
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from asbuilt.artefacts.dxf_blocks import COLOURS, LAYERS, Attribute, block_name, draw_blocks, insert, plain, text
from asbuilt.drawings.hall_parts import Aisle, FloorRow, Ground, Thing, ground
from asbuilt.drawings.sheet import file_stem
from asbuilt.drawings.theme import number
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    from ezdxf.document import Drawing

TARGET = "dxf"
WRITES = "hall and each row as DXF R2010 in mm (dxf/hall.dxf, dxf/row-*.dxf): layers, blocks with attributes, dimensions"
LOST = (
    "devices inside racks: rack elevations are among the drawings",
    "pipes and cables: headers and routes have no drawn way in the plan",
    "above 200 racks: PDUs in the file of the hall; the files of the rows have them",
)
WHY = "no CAD program was asked; ezdxf reads every file back and its audit finds nothing"
FOLDER = "dxf"
VERSION = "R2010"
PDU_WIDTH_MM, PDU_DEPTH_MM = 56.0, 100.0
TITLE_MM, LABEL_MM = 150.0, 60.0
HASH_LETTERS = 12
#: Racks up to which the file of the hall holds the PDUs too: beyond that the files of the rows do.
HALL_PDUS_RACKS = 200
#: Free between a row and its dimension line, mm.
DIMENSION_MM = 400.0


def dxf(plan: Plan) -> dict[str, bytes]:
    """``dxf/hall.dxf`` and one file for each row; nothing for a plan without a floor. Equal plans give equal bytes."""
    floor = ground(plan)
    if floor is None:
        return {}
    pdus, trays = _by(plan, "pdus", "rack"), _by(plan, "trays", "row")
    every = [tray for row in sorted(trays) for tray in trays[row]]
    racks = sum(thing.kind == "rack" for row in floor.rows for thing in row.things)
    in_hall = pdus if racks <= HALL_PDUS_RACKS else {}
    files = {f"{FOLDER}/hall.dxf": _file(plan, floor, floor.rows, floor.aisles, in_hall, every)}
    for row in floor.rows:
        beside = [aisle for aisle in floor.beside(row) if aisle is not None]
        name = f"{FOLDER}/{file_stem('row', row.letters)}.dxf"
        files[name] = _file(plan, floor, (row,), beside, pdus, trays.get(row.letters, []))
    return files


def _by(plan: Plan, table: str, column: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of a table by one of its columns; rows without it under the empty name."""
    out: dict[str, list[dict[str, Any]]] = {}
    if plan.has(table):
        for item in plan.table(table).iter_rows(named=True):
            out.setdefault(item[column] or "", []).append(item)
    return out


def _file(
    plan: Plan,
    floor: Ground,
    rows: Iterable[FloorRow],
    aisles: Iterable[Aisle],
    pdus: dict[str, list[dict[str, Any]]],
    trays: list[dict[str, Any]],
) -> bytes:
    from ezdxf._options import options  # the object that `ezdxf.options` is
    from ezdxf.filemanagement import new

    before = options.write_fixed_meta_data_for_testing
    options.write_fixed_meta_data_for_testing = True  # no clock and no random GUID in the file
    try:
        doc = new(VERSION, setup=["dimstyles"], units=4)  # 4: mm
        doc.header["$MEASUREMENT"] = 1  # metric
        for layer in LAYERS:
            doc.layers.add(layer, color=COLOURS[layer])
        rows = list(rows)
        sizes = {(t.kind, t.w, t.d) for row in rows for t in row.things}
        draw_blocks(doc, sorted(sizes), (PDU_WIDTH_MM, PDU_DEPTH_MM))
        for aisle in aisles:
            _aisle(doc, aisle)
        for row in rows:
            _row(doc, row, floor, pdus)
        for tray in trays:
            _tray(doc, tray)
        words = f"{plan.name or 'plan'}, {'hall' if len(rows) != 1 else 'row ' + rows[0].letters}"
        words += f", plan {plan.plan_hash[:HASH_LETTERS]}" if plan.plan_hash else ""
        low = min(min(row.y for row in rows), *(a.y for a in floor.aisles), 0.0)
        text(doc, words, (min(row.x for row in rows), low - 3 * TITLE_MM), TITLE_MM)
        for kind in sorted(doc.entitydb.dxf_types_in_use()):  # ezdxf adds them in the order of a set
            doc.classes.add_class(kind)
        stream = io.StringIO()
        doc.write(stream)
        return stream.getvalue().encode("utf-8", "replace")
    finally:
        options.write_fixed_meta_data_for_testing = before


def _aisle(doc: Drawing, aisle: Aisle) -> None:
    space = doc.modelspace()
    corners = [
        (aisle.x, aisle.y),
        (aisle.x + aisle.w, aisle.y),
        (aisle.x + aisle.w, aisle.y + aisle.d),
        (aisle.x, aisle.y + aisle.d),
    ]
    space.add_lwpolyline(corners, close=True, dxfattribs={"layer": "AISLES"})
    text(doc, aisle.name, (aisle.x + aisle.w / 2, aisle.y + aisle.d / 2), TITLE_MM, middle=True)
    _dimension(doc, (aisle.x - DIMENSION_MM, aisle.y), (aisle.x - DIMENSION_MM, aisle.y + aisle.d), upright=True)


def _row(doc: Drawing, row: FloorRow, floor: Ground, pdus: dict[str, list[dict[str, Any]]]) -> None:
    for thing in row.things:
        _thing(doc, thing, row.front_low)
        if thing.kind == "rack":
            _pdus(doc, thing, row.front_low, pdus.get(f"rack:{thing.name}", []))
    edge = row.y - DIMENSION_MM if row.front_low else row.y + row.d + DIMENSION_MM
    _dimension(doc, (row.x, edge), (row.right, edge))
    _dimension(doc, (row.x - DIMENSION_MM, row.y), (row.x - DIMENSION_MM, row.y + row.d), upright=True)
    end = max([row.right, *(aisle.x + aisle.w for aisle in floor.beside(row) if aisle is not None)])
    text(doc, f"Row {row.letters}", (end + DIMENSION_MM, row.y + row.d / 2), TITLE_MM)


def _thing(doc: Drawing, thing: Thing, front_low: bool) -> None:
    rack = thing.kind == "rack"
    power = "" if thing.kw is None else number(thing.kw, 1).replace(",", "")
    role = "kept" if thing.kind == "position" else thing.role
    values = [("NAME", thing.name), ("ROLE", role), ("POWER_KW", power)]
    values.append(("WEIGHT_KG", "" if thing.kg is None else number(thing.kg).replace(",", "")))
    values.append(("HEIGHT_MM", "" if thing.h is None else number(thing.h).replace(",", "")))
    values.append(("PHASE", thing.phase or ""))
    shown = {"NAME": LABEL_MM * 1.4, "ROLE": LABEL_MM, "POWER_KW": LABEL_MM} if rack else {"NAME": LABEL_MM, "ROLE": LABEL_MM}
    level = thing.y + thing.d / 2 + 1.5 * LABEL_MM
    attributes = []
    for tag, value in values:
        tall = shown.get(tag, LABEL_MM)
        attributes.append(Attribute(tag, value, (thing.x + thing.w / 2, level), tall, tag in shown))
        level -= 1.6 * LABEL_MM if tag in shown else 0.0
    insert(doc, block_name(thing.kind, thing.w, thing.d), (thing.x, thing.y, thing.w, thing.d), not front_low, attributes)


def _pdus(doc: Drawing, rack: Thing, front_low: bool, items: list[dict[str, Any]]) -> None:
    """PDUs at the rear corners of their rack; left and right are as seen from the rear."""
    beside = {"left": 0, "right": 0}
    for item in items:
        side = "left" if item["side"] == "left" else "right"
        deep = beside[side] * PDU_DEPTH_MM
        beside[side] += 1
        # From behind a rack whose front is at the lower y one looks towards lower y: left is where x is larger.
        larger_x = (side == "left") == front_low
        x = rack.right - PDU_WIDTH_MM if larger_x else rack.x
        y = rack.y + rack.d - PDU_DEPTH_MM - deep if front_low else rack.y + deep
        middle = (x + PDU_WIDTH_MM / 2, y + PDU_DEPTH_MM / 2)
        values = (
            ("NAME", str(item["pdu"]).removeprefix("pdu:")),
            ("FEED", str(item["feed"]).removeprefix("feed:")),
            ("RATING_A", number(float(item["rating_a"])).replace(",", "")),
            ("PART", str(item["part"])),
        )
        attributes = [Attribute(tag, value, middle, 0.4 * LABEL_MM, tag == "FEED") for tag, value in values]
        place = (x, y, PDU_WIDTH_MM, PDU_DEPTH_MM)
        insert(doc, block_name("pdu", PDU_WIDTH_MM, PDU_DEPTH_MM), place, not front_low, attributes)


def _tray(doc: Drawing, tray: dict[str, Any]) -> None:
    """A tray segment as a rectangle around its middle line, at the height of its floor."""
    x1, y1, x2, y2, half = tray["x1_mm"], tray["y1_mm"], tray["x2_mm"], tray["y2_mm"], tray["width_mm"] / 2
    along = abs(x2 - x1) >= abs(y2 - y1)
    wide, deep = (0.0, half) if along else (half, 0.0)
    low_x, high_x, low_y, high_y = min(x1, x2) - wide, max(x1, x2) + wide, min(y1, y2) - deep, max(y1, y2) + deep
    if high_x - low_x <= 0 or high_y - low_y <= 0:
        return
    corners = [(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)]
    layer = {"fibre": "TRAYS-FIBRE", "copper": "TRAYS-COPPER"}.get(tray["kind"], "TRAYS-POWER")
    attributes = {"layer": layer, "elevation": float(tray["z_mm"])}
    line = doc.modelspace().add_lwpolyline(corners, close=True, dxfattribs=attributes)
    line.set_xdata("ASBUILT", [(1000, plain(tray["tray"]))])


def _dimension(doc: Drawing, a: tuple[float, float], b: tuple[float, float], upright: bool = False) -> None:
    override = {"dimtxt": LABEL_MM, "dimasz": LABEL_MM, "dimexe": LABEL_MM / 2, "dimexo": 0.0, "dimgap": LABEL_MM / 3,
                "dimdec": 0, "dimlfac": 1.0, "dimtad": 1, "dimrnd": 1.0}  # fmt: skip
    attributes = {"layer": "DIMENSIONS"}
    dimension = doc.modelspace().add_linear_dim(
        base=a, p1=a, p2=b, angle=90 if upright else 0, dimstyle="EZDXF", override=override, dxfattribs=attributes
    )
    dimension.render()
