"""What the catalogue knows of a cable as a body: diameter, mass, pull; and of a fibre cable's connectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from asbuilt.catalogue.load import Catalogue

if TYPE_CHECKING:
    from asbuilt.catalogue.read import Part

OPTICAL = ("multimode", "single-mode")
#: Media that lie in copper trays.
COPPER = ("copper", "active-copper")
#: A cable of which nobody stated it is planned as the thickest of the catalogue: too full rather than too empty.
_UNKNOWN_OD_MM, _UNKNOWN_KG_M, _UNKNOWN_PULL_N = 9.4, 0.045, 90.0
#: Fibre grade of the catalogue's jumpers by medium, in the words of the loss budgets.
GRADES = {"multimode": "om4", "single-mode": "os2"}


@dataclass(frozen=True, slots=True)
class Fibre:
    """A fibre jumper of the catalogue. ``lanes``: a key of `physics.polarity.BASES`; ``fibres`` of one port."""

    id: str
    medium: str
    connector: str
    lanes: str
    polish: str
    fibres: int
    ends: int
    reach_m: float
    lengths_m: tuple[float, ...]
    attenuation_db_km: float
    pair_db: float | None


def bodies(catalogue: Catalogue, parts: list[str]) -> pl.DataFrame:
    """Columns part, media, od_mm, mass_kg_m, pull_n of cables and trunks; ``parts`` that nobody knows get the thickest."""
    rows = []
    for part_id in parts:
        kind = next((k for k in ("cable", "fibre") if catalogue.has(k, part_id)), None)
        part = catalogue.get(kind, part_id) if kind else None
        rows.append((part_id, str(_of(part, "media", "unknown")), *_body(part)))
    names = ("part", "media", "od_mm", "mass_kg_m", "pull_n")
    schema = {n: pl.String if n in ("part", "media") else pl.Float64 for n in names}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _of(part: Part | None, key: str, default: object) -> object:
    return default if part is None else part.value(key, default)


def _body(part: Part | None) -> tuple[float, float, float]:
    keys = (("od_mm", _UNKNOWN_OD_MM), ("mass_kg_m", _UNKNOWN_KG_M), ("pull_max_n", _UNKNOWN_PULL_N))
    od, mass, pull = (float(str(_of(part, key, default))) for key, default in keys)
    return od, mass, pull


def fibre_jumpers(catalogue: Catalogue, parts: list[str]) -> dict[str, Fibre]:
    """The fibre jumpers with connectors among ``parts``, by id."""
    found = {}
    for part_id in parts:
        if not catalogue.has("cable", part_id):
            continue
        part = catalogue.get("cable", part_id)
        if part.value("media") not in OPTICAL or part.value("fixed_ends"):
            continue
        connector = str(part.value("connector", "LC duplex/UPC"))
        found[part_id] = Fibre(
            id=part_id,
            medium=str(part.value("media")),
            connector=connector,
            lanes=lanes_of(connector),
            polish=str(part.value("polish", "apc" if connector.endswith("APC") else "upc")),
            fibres=int(part.value("strands", 2)),
            ends=int(part.value("far_ends", 1)),
            reach_m=float(part.value("reach_m")),
            lengths_m=tuple(sorted(float(x) for x in part.value("lengths_m"))),
            attenuation_db_km=float(part.value("attenuation_db_km", 0.0)),
            pair_db=part.value("loss_max_db"),
        )
    return found


def lanes_of(connector: str) -> str:
    """Word of the ``lanes`` column for a connector: ``MPO-12/APC`` is ``mpo12``."""
    if connector.startswith("MPO-16"):
        return "mpo16"
    return "mpo12" if connector.startswith("MPO") else "lc"
