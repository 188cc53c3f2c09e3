"""Inside the node: GPUs, sockets, rails and every NIC port, from the catalogue or as the requirement orders it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Ledger
from asbuilt.model.design import NicPortDesign, NodeDesign, PlaneDesign
from asbuilt.model.requirement import NicPort, Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part


def resolve_node(ledger: Ledger, requirement: Requirement, system: Part) -> NodeDesign:
    """`NodeDesign` without its NIC ports, which wait for the planes (`with_ports`)."""

    def figure(key: str, default: Any = None) -> Any:
        return ledger.figure(system, key, default)

    def number(key: str, default: float = 0.0) -> float:
        value = figure(key, default)
        return default if value is None else float(value)

    asked = requirement.node
    per_node = int(figure("gpus_per_node"))
    return NodeDesign(
        system=system.id,
        gpus_per_node=per_node,
        nodes_per_unit=int(figure("nodes_per_unit", 1)),
        gpu_model=str(figure("gpu")),
        gpu_sockets=tuple(asked.gpu_sockets or figure("gpu_sockets") or (0,) * per_node),
        gpu_rails=tuple(asked.gpu_rails or figure("gpu_rails") or range(per_node)),
        nics=(),
        height_u=number("height_u", 1.0),
        weight_kg=figure("weight_kg"),
        power_max_w=number("power_max_w"),
        power_expected_w=number("power_expected_w"),
        heat_max_w=number("heat_max_w"),
        liquid_fraction=number("liquid_fraction"),
        airflow_m3_h=figure("airflow_m3_h"),
        psus=int(figure("psus", 0)),
        psu_w=number("psu_w"),
        psus_needed=int(figure("psus_needed", 0)),
        unit_power_max_w=number("unit_power_max_w"),
        unit_power_expected_w=number("unit_power_expected_w"),
        unit_heat_max_w=number("unit_heat_max_w"),
        unit_liquid_fraction=number("unit_liquid_fraction"),
        unit_weight_kg=figure("unit_weight_kg"),
        unit_airflow_m3_h=figure("unit_airflow_m3_h"),
        nvlink_domain_gpus=int(figure("nvlink_domain_gpus", 0)),
        management_switches=int(figure("management_switches", 0)),
        management_switch=str(figure("management_switch", "")),
        power_cap_w=asked.power_cap_w,
    )


def ports_of(system: Part, plane: str) -> list[dict[str, Any]]:
    """The catalogue's NIC ports of one plane, in PCI order."""
    return [n for n in system.value("nics") or () if n.get("plane") == plane]


def oob_ports(system: Part) -> int:
    """Out-of-band ports of one node as the catalogue lists them: its BMC, and the own port of every DPU. At least 1."""
    return max(1, len(ports_of(system, "oob")))


def rate_of(system: Part, plane: str) -> float | None:
    """Rate of the catalogue's NIC ports of a plane in Gb/s; None when it lists none."""
    rates = [float(n["rate_gbps"]) for n in ports_of(system, plane)]
    return min(rates) if rates else None


def node_ports(
    ledger: Ledger, requirement: Requirement, system: Part, planes: Iterable[PlaneDesign]
) -> tuple[NicPortDesign, ...]:
    """Every NIC port of a node: as ordered, else the catalogue's for the plane, else one per rail and subplane."""
    planes = tuple(planes)
    ordered = requirement.node.nics
    made = [_ordered(ledger, i, nic, planes) for i, nic in enumerate(ordered or ())]
    for plane in planes:
        if any(port.plane == plane.name for port in made) and ordered:
            continue
        if plane.name == "oob":
            made += _bmc(plane, system)
        elif not ordered:
            made += _plane_ports(ledger, plane, system)
    return tuple(made)


def _bmc(plane: PlaneDesign, system: Part | None) -> list[NicPortDesign]:
    """BMC ports of a node, the catalogue's where it lists as many as the plane has rails."""
    listed = ports_of(system, "oob") if system is not None else []
    if len(listed) == plane.rails:
        names = [(str(n["name"]), str(n["part"]), int(n["socket"])) for n in listed]
    else:
        names = [("bmc" if rail == 0 else f"dpu{rail - 1}", "bmc-1gbe", 0) for rail in range(plane.rails)]
    return [
        NicPortDesign(name, part, "oob", rail, socket, plane.technology, name, plane.link_gbps)
        for rail, (name, part, socket) in enumerate(names)
    ]


def _ordered(ledger: Ledger, index: int, nic: NicPort, planes: tuple[PlaneDesign, ...]) -> NicPortDesign:
    """A port as the requirement orders it; unstated: device name in PCI order, socket 0, the link layer of its plane."""
    plane = next((p for p in planes if p.name == nic.plane), None)
    path = f"node.nics[{index}]"
    link = nic.link_type or (plane.technology if plane else "ethernet")
    name = nic.name or ledger.assume(f"{path}.name", f"mlx5_{index}", "device names in PCI order")
    socket = nic.socket if nic.socket is not None else ledger.assume(f"{path}.socket", 0, "nobody said which socket")
    rate = plane.link_gbps if plane else 0.0
    return NicPortDesign(str(name), nic.part, nic.plane, nic.rail, int(socket), link, str(name), rate)


def _plane_ports(ledger: Ledger, plane: PlaneDesign, system: Part) -> list[NicPortDesign]:
    listed = ports_of(system, plane.name)
    wanted = plane.rails * plane.subplanes
    sockets = max(1, int(system.value("sockets", 1)))
    made = []
    whole = len(listed) == wanted
    shared = len(listed) == plane.rails and plane.subplanes > 1
    if not whole and not shared:
        known = f"{len(listed)} ports" if listed else "none"
        ledger.assume(
            f"planes.{plane.name}.nic",
            plane.nic or "one port per rail",
            f"the catalogue lists {known} of {system.id} for this plane",
        )
    for index in range(wanted):
        subplane, rail = (index % plane.subplanes, index // plane.subplanes)
        source = listed[index if whole else rail] if whole or shared else None
        if source is not None:
            base = str(source["name"])
            name = base if plane.subplanes == 1 or whole else f"{base}p{subplane}"
            part, socket, cage = str(plane.nic or source["part"]), int(source["socket"]), str(source["cage"])
            rail = int(source["rail"]) if not whole or plane.subplanes == 1 else rail
        else:
            name, part, cage = f"{plane.name[:3]}{index}", plane.nic, f"{plane.name[:3]}{index}"
            socket = rail * sockets // plane.rails
        made.append(NicPortDesign(name, part, plane.name, rail, socket, plane.technology, cage, plane.link_gbps, subplane))
    return made
