"""The object of ``asbuilt size``, counted from the plan's tables.

Counted here: nodes, racks, switches, links, cables, modules, power, heat, weight. Not counted but taken from the closed form,
because no table holds them: storage rates, limits, assumptions, sources and derivations, and coolant and air flows, which
follow from the heat counted here by the same physics.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.design.heat import air_m3_h, coolant_l_min, return_c
from asbuilt.design.sizing import sizing
from asbuilt.model.design import Design, LinkCounts, Sizing, TierCounts
from asbuilt.model.plan import Plan

_ROLES = ("leaf", "spine", "core")
_LINKS = ("node_leaf", "leaf_spine", "spine_core", "service")
#: Loads that count as IT power: what the owner bought it for. Service hosts stand in `loads` as well, under their own role.
_IT = ("node", "switch", "storage")


def counts(plan: Plan, catalogue: Catalogue) -> Sizing:
    """`Sizing` of a plan, its counts taken from its tables.

    Raises ``ValueError`` for a partial plan without a design.
    """
    if plan.design is None:
        raise ValueError("a partial plan has no design to size")
    design = plan.design
    by_plane = plane_counts(plan)
    none = dict.fromkeys((*_ROLES, *_LINKS), 0)
    compute = by_plane.get("compute", none)
    own = {name: sum(c[r] for r in _ROLES) for name, c in by_plane.items()}
    roles = dict(plan.table("racks").group_by("role").len().sort("role").rows())
    nodes = plan.table("nodes").filter(pl.col("role") == "compute")
    closed = sizing(design, catalogue)
    return replace(
        closed,
        gpus=plan.table("gpus").height,
        nodes=nodes.height,
        racks=plan.table("racks").height,
        racks_by_role={role: int(roles.get(role, 0)) for role in closed.racks_by_role},
        nvlink_domains=_domains(design, nodes),
        compute=TierCounts(*(compute[r] for r in _ROLES)),
        storage_switches=own.get("storage", 0),
        frontend_switches=own.get("frontend", 0),
        management_switches=own.get("management", 0),
        oob_switches=own.get("oob", 0),
        links=LinkCounts(*(compute[k] for k in _LINKS)),
        cables=plan.table("jumpers").height,
        optics=plan.table("transceivers").height,
        islands=nodes["island"].n_unique(),
        warnings=tuple(dict.fromkeys((*closed.warnings, *plan.warnings))),
        planes={name: _plane(value, by_plane.get(name, none)) for name, value in closed.planes.items()},
        **_power(plan, design),
    )


def plane_counts(plan: Plan) -> dict[str, dict[str, int]]:
    """Per plane: its own linked switches by role, and its links by kind."""
    found: dict[str, dict[str, int]] = {}
    live = plan.table("switches").filter(~pl.col("spare"))
    for plane, role, count in live.group_by("plane", "role").len().rows():
        found.setdefault(plane, dict.fromkeys((*_ROLES, *_LINKS), 0))[role] = count
    for plane, kind, count in plan.links.group_by("plane", "kind").len().rows():
        if kind in _LINKS:
            found.setdefault(plane, dict.fromkeys((*_ROLES, *_LINKS), 0))[kind] = count
    return found


def _domains(design: Design, nodes: pl.DataFrame) -> int:
    """NVLink domains: racks of a rack-scale system, else servers whose GPUs share NVLink."""
    if design.node.nvlink_domain_gpus <= 1:
        return 0
    return nodes["unit"].n_unique()


def _plane(closed: dict[str, Any], counted: dict[str, int]) -> dict[str, Any]:
    """One plane of the object, its counts replaced by those of the tables."""
    return closed | {k: counted[k] for k in (*_ROLES, *_LINKS)} | {"total": sum(counted[r] for r in _ROLES)}


def _power(plan: Plan, design: Design) -> dict[str, Any]:
    """Power, heat, flows and weight from `loads` and `racks`; kW, L/min, m³/h, kg."""
    loads, racks = plan.table("loads").filter(pl.col("role").is_in(_IT)), plan.table("racks")
    watts = loads.select(pl.col("nameplate_w", "expected_w", "heat_w", "liquid_w").sum()).row(0)
    it_kw, expected_kw, heat_kw, liquid_kw = (w / 1000.0 for w in watts)
    node = loads.filter(pl.col("role") == "node").select(pl.col("heat_w").sum(), pl.col("liquid_w").sum()).row(0)
    node_air_kw = (node[0] - node[1]) / 1000.0
    air_kw = heat_kw - liquid_kw
    units = int(loads.filter(pl.col("role") == "node")["count"].sum()) / design.node.nodes_per_unit
    published = design.node.unit_airflow_m3_h if design.node.units_are_racks else design.node.airflow_m3_h
    air = air_m3_h(air_kw) if published is None else published * units + air_m3_h(max(0.0, air_kw - node_air_kw))
    supply = design.site.coolant_supply_c
    flow = coolant_l_min(liquid_kw, supply, return_c(supply, design.node.units_are_racks)) if liquid_kw else 0.0
    most = racks["power_w"].max()
    return {
        "it_kw": round(it_kw, 1),
        "it_expected_kw": round(expected_kw, 1),
        "facility_kw": round(it_kw * design.site.pue, 1),
        "liquid_kw": round(liquid_kw, 1),
        "air_kw": round(air_kw, 1),
        "coolant_l_min": round(flow, 1),
        "airflow_m3_h": round(air, 0),
        "weight_kg": round(float(racks["weight_kg"].sum()), 0),
        "rack_kw_max": round((float(most) if isinstance(most, (int, float)) else 0.0) / 1000.0, 1),
    }
