"""Coolant loops and air, resolved: every default chosen, every catalogue figure that the plan of the loops rests on."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_cooling import JointFigures


@dataclass(frozen=True, slots=True)
class CoolantPoint:
    """What one rack asks for at a supply temperature: L/min, and the pressure in kPa that it loses then."""

    supply_c: float
    flow_l_min: float
    drop_kpa: float | None


@dataclass(frozen=True, slots=True)
class RackCoolant:
    """One rack of a system: heat and share of the liquid, published points, how its loss follows the flow.

    No ``points``: flow by a rise of ``rise_k``, or ``flow_l_min`` where a design flow is known. ``other_fraction``: the
    liquid's share by a second source, carried and not used.
    """

    system: str
    heat_w: float
    liquid_fraction: float
    other_fraction: float | None
    points: tuple[CoolantPoint, ...]
    flow_l_min: float | None
    drop_kpa: float
    rise_k: float
    exponent: float
    litres: float
    working_kpa: float | None
    source: str
    other_source: str
    confidence: str


@dataclass(frozen=True, slots=True)
class CduDesign:
    """A CDU. ``points``: (pumps, L/min, kPa) as published, pumps 0 where not said; ``working_kpa`` of its secondary side."""

    part: str
    capacity_kw: float
    approach_k: float | None
    points: tuple[tuple[int, float, float], ...]
    flow_l_min: float | None
    working_kpa: float | None
    width_mm: float
    depth_mm: float
    height_mm: float | None


@dataclass(frozen=True, slots=True)
class CouplingDesign:
    """A quick disconnect: flow factor, rated flow, working pressure; None: not published."""

    part: str
    cv: float | None
    rated_l_min: float | None
    working_kpa: float | None
    source: str


@dataclass(frozen=True, slots=True)
class CoolingDesign:
    """The requirement's ``cooling`` with every default chosen. ``header`` empty: the plan chooses the smallest that passes.

    ``rack`` None: the system is cooled by air and has no loops. Lengths in m, widths and heights in mm, pressures in kPa.
    """

    cdu: str
    header: str
    header_first: str
    header_first_racks: int
    coolant: str
    topology: str
    racks_per_loop: int | None
    cdus_standby: int
    feed_m: float
    hose_m: float
    hose_id_mm: float
    hose_bend_mm: float | None
    hose_working_kpa: float | None
    coupling: CouplingDesign | None
    valves: str
    materials: tuple[str, ...]
    rack_top_mm: float
    header_underside_mm: float
    connection_mm: float
    viscosity_factor: float
    filter_dirty_kpa: float
    fill_kpa: float
    dew_point_c: float
    velocity_m_s: float
    margin_percent: float
    spread_percent: float
    clamp_torque_nm: float | None
    flange_torque_nm: float | None
    torque_percent: float | None
    joints: tuple[JointFigures, ...]
    room_kw_per_rack: float | None
    air_rise_k: float
    rack: RackCoolant | None
    unit: CduDesign | None
