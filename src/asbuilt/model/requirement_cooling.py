"""What the requirement may say of coolant loops and air. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import NAME, spec

SIZE = r"^DN(25|32|40|50|65|80|100|125|150|200|250|300)$"
TOPOLOGIES = ("direct-return", "reverse-return")
VALVES = ("supply+return", "supply", "return", "none")


JOINTS = ("coupling", "valve", "clamp", "flange", "vent", "drain", "strainer", "gauge")


@dataclass(frozen=True, slots=True)
class JointFigures:
    """What the maker of one kind of fitting states."""

    kind: str = spec("kind of fitting", choices=JOINTS, required=True, default="")
    torque_nm: float | None = spec("tightening torque", unit="N·m", least=0.1, most=2000)
    torque_percent: float | None = spec("tolerance of the torque", unit="%", least=0, most=50)
    working_kpa: float | None = spec("highest working pressure", unit="kPa", least=50, most=10_000)


@dataclass(frozen=True, slots=True)
class Cooling:
    """Loops from the CDU to the rack. What the hall can cool, and the supply temperature, `site` says."""

    cdu: str | None = spec("catalogue id of the coolant distribution units", pattern=NAME)
    header: str | None = spec("nominal size of the row header", pattern=SIZE)
    header_first: str | None = spec("nominal size of the header's first segments, where they are wider", pattern=SIZE)
    header_first_racks: int | None = spec("racks from the CDU that these first segments lead to", least=1, most=200)
    coolant: str | None = spec("coolant of the loops", choices=("pg25", "water"))
    topology: str | None = spec(
        "direct return: the rack next to the CDU gives back first; reverse return: it gives back last", choices=TOPOLOGIES
    )
    racks_per_loop: int | None = spec("racks on one loop when the row is finished", least=1, most=200)
    cdus_standby: int | None = spec("CDUs of each loop that stand by for another one", least=0, most=4)
    feed_m: float | None = spec("pipe from the CDU to the first rack, one way", unit="m", least=0.5, most=200)
    hose_m: float | None = spec("length of a hose between header and rack", unit="m", least=0.2, most=20)
    hose_id_mm: float | None = spec("inside diameter of these hoses", unit="mm", least=8, most=100)
    hose_bend_mm: float | None = spec("least bend radius of these hoses", unit="mm", least=10, most=1000)
    hose_working_kpa: float | None = spec("highest working pressure of these hoses", unit="kPa", least=50, most=5000)
    coupling: str | None = spec("catalogue id of the quick disconnects between hose and rack", pattern=NAME)
    valves: str | None = spec("shut-off valves of each rack", choices=VALVES)
    header_underside_mm: float | None = spec("underside of the header above the floor", unit="mm", least=500, most=6000)
    connection_mm: float | None = spec(
        "width that the two connections of a rack take, with valves", unit="mm", least=20, most=1200
    )
    materials: tuple[str, ...] | None = spec(
        "wetted materials of all parts of the loops: 316l, copper, epdm-peroxide", pattern=NAME, shortest=1, longest=32
    )
    rack_l_min: float | None = spec("coolant of one rack, in place of the catalogue's", unit="L/min", least=1, most=2000)
    rack_kpa: float | None = spec("pressure drop of one rack at that flow", unit="kPa", least=1, most=1000)
    viscosity_factor: float | None = spec("viscosity of the real fluid over that of the pure mixture", least=1, most=3)
    filter_dirty_kpa: float | None = spec("what a dirty filter loses more than a clean one", unit="kPa", least=0, most=300)
    fill_kpa: float | None = spec("static pressure of the filled loop", unit="kPa", least=10, most=1000)
    humidity_percent: float | None = spec("highest relative humidity of the room", unit="%", least=1, most=100)
    velocity_m_s: float | None = spec("highest velocity in the header", unit="m/s", least=0.2, most=10)
    margin_percent: float | None = spec("head that the CDU must have over the need", unit="%", least=0, most=200)
    spread_percent: float | None = spec("flow of the nearest rack over the farthest, less one", unit="%", least=0.5, most=100)
    clamp_torque_nm: float | None = spec("tightening torque of the clamps, from their maker", unit="N·m", least=0.1, most=500)
    flange_torque_nm: float | None = spec(
        "tightening torque of flange bolts, from their maker", unit="N·m", least=0.1, most=2000
    )
    torque_percent: float | None = spec("tolerance of these torques", unit="%", least=0, most=50)
    joints: tuple[JointFigures, ...] = spec("torque and working pressure by kind of fitting", default=(), longest=20)
    room_kw_per_rack: float | None = spec("heat that the room's air takes from each rack", unit="kW", least=0.1, most=200)
    air_rise_k: float | None = spec("temperature rise of the air through the racks", unit="K", least=3, most=40)
