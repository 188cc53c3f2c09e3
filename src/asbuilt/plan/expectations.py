"""The thresholds of the plan: one row for a class of subjects, with tolerance, origin and source. Checks hold no numbers.

`design_tables` is what the expansion calls; it returns the tables `planes parts power_sources growth expectations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Plane
from asbuilt.model.tables import EXPECTATIONS
from asbuilt.plan.expectation import expectation
from asbuilt.plan.expectations_addresses import address_rows
from asbuilt.plan.expectations_cooling import cooling_rows
from asbuilt.plan.expectations_fibre import fibre_rows
from asbuilt.plan.expectations_floor import floor_rows
from asbuilt.plan.expectations_gpus import gpu_rows
from asbuilt.plan.expectations_lids import lid_rows
from asbuilt.plan.expectations_nodes import node_rows
from asbuilt.plan.expectations_performance import performance_rows
from asbuilt.plan.expectations_power import power_rows
from asbuilt.plan.expectations_roce import roce_rows
from asbuilt.plan.expectations_routing import routing_rows
from asbuilt.plan.expectations_subnet import subnet_rows
from asbuilt.plan.growth import growth
from asbuilt.plan.traits import parts, plane_rows, planes, power_sources

if TYPE_CHECKING:
    import polars as pl

#: Lanes of 200 Gb/s run over single-mode fibre or active copper only.
_XDR_SOURCE = "NVIDIA 800G and 200G-PAM4 product list: no passive copper, multimode or AOC at 200 Gb/s a lane"
#: A promised ratio is written by hand to two decimals; 4:3 is then 1.33.
_RATIO_TOLERANCE = 0.005
#: Watts and kilowatts differ in the last binary digit: 40,800 W is 40.8 kW and no more.
_ROUNDING = 1e-9
_LID_SOURCE = "OpenSM IB_LID_UCAST_END_HO = 0xBFFF"


def design_tables(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """What design checks need beside the expanded ``tables``: `planes parts power_sources growth expectations`."""
    return {
        "planes": planes(design),
        "parts": parts(design, catalogue, tables),
        "power_sources": power_sources(design, catalogue),
        "growth": growth(design, catalogue, tables),
        "expectations": expectations(design, catalogue),
    }


def expectations(design: Design, catalogue: Catalogue) -> pl.DataFrame:
    """Table `EXPECTATIONS` of a design, sorted by id."""
    import polars as pl

    rows = [*_promises(design), *_site_limits(design), *_physics(catalogue), *subnet_rows()]
    rows += [*address_rows(), *roce_rows(design), *routing_rows()]
    rows += [*power_rows(design), *cooling_rows(design, catalogue), *fibre_rows(design, catalogue), *floor_rows(design)]
    rows += [*node_rows(design, catalogue), *gpu_rows(design), *performance_rows(design, catalogue)]
    frame = pl.DataFrame(rows, schema=EXPECTATIONS.polars())
    return EXPECTATIONS.conform(frame.sort("id"))


def _row(
    check_id: str, kind: str, selector: str, op: str, value: object, unit: str, origin: str, source: str
) -> dict[str, Any]:
    tolerance = _ROUNDING if op in ("le", "ge") else 0.0
    return expectation(check_id, kind, selector, op, value, unit, origin, source, tol_rel=tolerance)


def _promises(design: Design) -> list[dict[str, Any]]:
    """Oversubscription promised of each plane that has switches of its own."""
    rows = []
    for plane in plane_rows(design):
        if plane.share:
            continue
        for role, field, value in _ratios(plane):
            asked = getattr(design.requirement.planes, plane.name, None) or Plane()
            said = getattr(asked, field) is not None
            source = f"planes.{plane.name}.{field}" if said else "default of the design"
            origin = "declared" if said else "assumed"
            row = _row("DES-032", "switch", f"plane={plane.name},role={role}", "le", value, "ratio", origin, source)
            rows.append(row | {"tol_rel": _RATIO_TOLERANCE})
    return rows


def _ratios(plane: PlaneDesign) -> list[tuple[str, str, float]]:
    """(role, field of the requirement, promised downlink to uplink bandwidth) of the tiers that have uplinks."""
    found = []
    if plane.spine is not None and plane.uplinks:
        found.append(("leaf", "oversubscription", float(plane.oversubscription)))
    if plane.core is not None and plane.spine_uplinks:
        found.append(("spine", "spine_oversubscription", float(plane.spine_oversubscription)))
    return found


def _site_limits(design: Design) -> list[dict[str, Any]]:
    """What one rack position and the hall can carry."""
    asked, site = design.requirement.site, design.site

    def said(field: str) -> tuple[str, str]:
        return ("declared", f"site.{field}") if getattr(asked, field) is not None else ("assumed", "default of the design")

    rows = [
        _row("DES-051", "rack", "*", "le", float(site.rack_power_kw), "kW", *said("rack_power_kw")),
        _row("DES-052", "rack", "*", "le", float(site.rack_weight_kg), "kg", *said("rack_weight_kg")),
        _row("DES-055", "rack", "*", "in", site.cooling, "", *said("cooling")),
    ]
    if site.power_mw is not None:
        rows.append(_row("DES-053", "site", "*", "le", float(site.power_mw), "MW", *said("power_mw")))
        rows.append(_row("DES-053", "site", "pue", "eq", float(site.pue), "ratio", *said("pue")))
    if asked.airflow is not None:
        rows.append(_row("DES-048", "switch", "*", "eq", asked.airflow, "", "declared", "site.airflow"))
    if asked.switch_ports_face is not None:
        rows.append(_row("DES-049", "switch", "*", "eq", asked.switch_ports_face, "", "declared", "site.switch_ports_face"))
    return rows


def _physics(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Limits that no requirement can move."""
    lids, source, confidence = _unicast_lids(catalogue)
    limits = lid_rows(lids, source, confidence)
    lid_row = _row("DES-034", "subnet", "technology=infiniband", "le", lids, "LIDs", "published", source)
    media = "single-mode+active-copper"
    xdr = _row("DES-043", "jumper", "lane_gbps=200", "in", media, "", "published", _XDR_SOURCE)
    return [lid_row | {"confidence": confidence}, xdr | {"confidence": "high"}, *limits]


def _unicast_lids(catalogue: Catalogue) -> tuple[int, str, str]:
    """Unicast LIDs of one subnet, with source and confidence, from the catalogue's fabric limits."""
    for part_id in catalogue.ids("software"):
        part = catalogue.get("software", part_id)
        if part.has("unicast_lids"):
            figure = part.figure("unicast_lids")
            return int(figure.value), figure.source, figure.confidence.value
    return 0xBFFF, _LID_SOURCE, "high"
