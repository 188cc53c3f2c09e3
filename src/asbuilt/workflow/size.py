"""``size``: GPU count and system to the whole sizing, with the built-in catalogue or the one given. No project needed."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.catalogue.load import Catalogue, load
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.design import Design, Sizing
from asbuilt.model.requirement import Requirement, Site

_SITE_FIELDS = tuple(f.name for f in fields(Site))


def size(system: str, gpus: int, fabric: str | None = None, catalogue: Catalogue | None = None, **site: Any) -> Sizing:
    """Size ``gpus`` GPUs of ``system``.

    ``system`` and ``fabric`` are catalogue ids (``fabric`` None: the first that the system names); ``site`` takes the
    fields of the requirement's site (``pue``, ``power_mw`` in MW, ``rack_power_kw`` in kW, ``cooling``, ...).
    Raises ``ProblemError`` for what cannot be designed, naming the limit.

    >>> size("dgx-h100", 1024).compute.total
    48
    """
    return sized(system, gpus, fabric, catalogue, **site)[1]


def sized(
    system: str, gpus: int, fabric: str | None = None, catalogue: Catalogue | None = None, **site: Any
) -> tuple[Design, Sizing]:
    """The design behind `size`, and the sizing. Arguments and problems are those of `size`."""
    unknown = [name for name in site if name not in _SITE_FIELDS]
    if unknown:
        raise ProblemError(
            Problem("REQ-411", f"site has no field {', '.join(unknown)}", fix=f"one of {', '.join(_SITE_FIELDS)}")
        )
    book = catalogue or load()
    design = resolve(Requirement(name="sizing", system=system, gpus=gpus, fabric=fabric, site=Site(**site)), book)
    return design, sizing(design, book)


def max_gpus_for_power(
    system: str, power_mw: float, fabric: str | None = None, catalogue: Catalogue | None = None, **site: Any
) -> int:
    """Most GPUs whose facility power stays within ``power_mw`` megawatts; 0 when not even the smallest cluster does.

    Exact: power grows in steps with switches, so the answer is found by halving whole nodes or racks.
    """
    book = catalogue or load()
    part = book.get("system", system)
    unit = int(part.value("gpus_per_node")) * int(part.value("nodes_per_unit", 1))
    least = -(-8 // unit)

    def fits(units: int) -> bool:
        return size(system, units * unit, fabric, book, **site).facility_kw <= power_mw * 1000

    if not fits(least):
        return 0
    low, high = least, 1_048_576 // unit
    if fits(high):
        return high * unit
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low * unit
