"""Layers and blocks of the DXF files, and the insertion of a block with its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ezdxf.document import Drawing

#: Layer and AutoCAD colour index: one kind of thing each, so that a layer can be switched off.
COLOURS = {
    "RACKS": 5,
    "POSITIONS": 8,
    "CDUS": 4,
    "AISLES": 9,
    "TRAYS-FIBRE": 6,
    "TRAYS-COPPER": 30,
    "TRAYS-POWER": 1,
    "PDUS": 3,
    "DIMENSIONS": 8,
    "TEXT": 7,
}
LAYERS = tuple(COLOURS)
LAYER_OF = {"rack": "RACKS", "cdu": "CDUS", "position": "POSITIONS", "pdu": "PDUS"}
APPLICATION = "ASBUILT"
TAGS = {
    "rack": ("NAME", "ROLE", "POWER_KW", "WEIGHT_KG", "HEIGHT_MM", "PHASE"),
    "cdu": ("NAME", "ROLE", "POWER_KW", "WEIGHT_KG", "HEIGHT_MM", "PHASE"),
    "position": ("NAME", "ROLE", "POWER_KW", "WEIGHT_KG", "HEIGHT_MM", "PHASE"),
    "pdu": ("NAME", "FEED", "RATING_A", "PART"),
}
#: Thickness of the line at the front of a rack, mm.
FRONT_MM = 25.0


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an inserted block: tag, value, middle of its text, height in mm, whether it is shown."""

    tag: str
    value: str
    middle: tuple[float, float]
    tall: float
    shown: bool


def plain(words: object) -> str:
    """Text for a DXF string: one line, and nothing in it that CAD programs read as a code (``%%u``, ``^J``, ``\\U+``)."""
    clean = "".join(c if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c != "\x7f" else " " for c in str(words))
    return clean.replace("%%", "% %").replace("^", "^ ").replace("\\", "/")


def block_name(kind: str, width_mm: float, depth_mm: float) -> str:
    """Name of the block of a kind and size: letters, digits and underscores."""
    return f"{kind}_{width_mm:.1f}x{depth_mm:.1f}".upper().replace(".0", "").replace(".", "_")


def draw_blocks(doc: Drawing, sizes: Iterable[tuple[str, float, float]], pdu: tuple[float, float]) -> None:
    """One block for each kind and size: outline, front line, attribute definitions. Origin at its left front corner."""
    doc.appids.add(APPLICATION)
    for kind, width, depth in (*sizes, ("pdu", *pdu)):
        name = block_name(kind, width, depth)
        if name in doc.blocks:
            continue
        block = doc.blocks.new(name)
        layer = {"layer": LAYER_OF.get(kind, "RACKS")}
        block.add_lwpolyline([(0, 0), (width, 0), (width, depth), (0, depth)], close=True, dxfattribs=layer)
        if kind == "rack":
            block.add_lwpolyline([(0, 0), (width, 0)], dxfattribs=layer | {"const_width": FRONT_MM})
        if kind == "position":
            block.add_line((0, 0), (width, depth), dxfattribs=layer)
            block.add_line((0, depth), (width, 0), dxfattribs=layer)
        for at, tag in enumerate(TAGS[kind]):
            block.add_attdef(tag, (width / 2, depth / 2 - at), dxfattribs=layer | {"height": 50.0, "flags": 1})


def insert(
    doc: Drawing, name: str, place: tuple[float, float, float, float], turned: bool, attributes: Sequence[Attribute]
) -> None:
    """Insert a block at the rectangle ``place`` (x, y, width, depth; lowest corner first), turned by 180 degrees or not."""
    from ezdxf.enums import TextEntityAlignment

    x, y, width, depth = place
    kind = name.partition("_")[0].lower()
    layer = LAYER_OF.get(kind, "RACKS")
    at = (x + width, y + depth) if turned else (x, y)
    made = doc.modelspace().add_blockref(name, at, dxfattribs={"layer": layer, "rotation": 180.0 if turned else 0.0})
    for item in attributes:
        attribute = made.add_attrib(item.tag, plain(item.value), dxfattribs={"layer": layer, "height": item.tall})
        attribute.set_placement(item.middle, align=TextEntityAlignment.MIDDLE_CENTER)
        attribute.is_invisible = not item.shown


def text(doc: Drawing, words: str, at: tuple[float, float], tall: float, middle: bool = False) -> None:
    """A line of text on the layer of texts."""
    from ezdxf.enums import TextEntityAlignment

    align = TextEntityAlignment.MIDDLE_CENTER if middle else TextEntityAlignment.LEFT
    made = doc.modelspace().add_text(plain(words), height=tall, dxfattribs={"layer": "TEXT"})
    made.set_placement(at, align=align)
