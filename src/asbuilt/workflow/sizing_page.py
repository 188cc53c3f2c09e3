"""What the sizing page answers with: the sizing, its design and the two pictures, from the same call as ``size``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asbuilt.catalogue.load import Catalogue, load
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing as size_of
from asbuilt.drawings.fabric import fabric_svg
from asbuilt.drawings.row import row_svg
from asbuilt.model.design import Design, Sizing
from asbuilt.model.requirement import Requirement, Site


@dataclass(frozen=True, slots=True)
class SystemOption:
    """A system to choose: id, friendly name, what it is, GPUs of the smallest unit that can be bought, fabric profiles."""

    id: str
    name: str
    form: str
    unit_gpus: int
    fabrics: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One system, sized and drawn."""

    design: Design
    sizing: Sizing
    fabric: str
    row: str


def systems(catalogue: Catalogue | None = None) -> tuple[SystemOption, ...]:
    """Every system of the catalogue that names a fabric profile, by name."""
    book = catalogue or load()
    return _systems(book)


@functools.lru_cache(maxsize=8)
def _systems(book: Catalogue) -> tuple[SystemOption, ...]:
    options = []
    for id_ in book.ids("system"):
        part = book.get("system", id_)
        fabrics = [str(f) for f in part.value("fabrics", []) or []]
        known = tuple((f, book.get("fabric", f).name) for f in fabrics if book.has("fabric", f))
        if not known:
            continue
        unit = int(part.value("gpus_per_node", 8)) * int(part.value("nodes_per_unit", 1))
        options.append(SystemOption(id_, part.name.split(",")[0], str(part.value("form", "")), unit, known))
    return tuple(sorted(options, key=lambda o: o.name))


def answer(
    system: str,
    gpus: int,
    fabric: str = "",
    site: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
) -> Answer:
    """Size and draw ``gpus`` of ``system``. Raises ``ProblemError`` for what the catalogue or the design refuses."""
    design, result = sized(system, gpus, fabric, site, catalogue)
    return Answer(design, result, fabric_svg(design, result), row_svg(design, result))


def sized(
    system: str,
    gpus: int,
    fabric: str = "",
    site: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
) -> tuple[Design, Sizing]:
    """Design and sizing without pictures; the arguments are those of ``asbuilt size``."""
    book = catalogue or load()
    asked = Requirement(name="sizing", system=system, gpus=gpus, fabric=fabric or None, site=Site(**(site or {})))
    design = resolve(asked, book)
    return design, size_of(design, book)
