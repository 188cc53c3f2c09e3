"""From the resolved design to the plan's tables. Everything is index arithmetic; strings come from small dictionaries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.design.ledger import Ledger
from asbuilt.design.storage import Storage, storage_of
from asbuilt.model.design import Design
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PORT_BUDGET, SWITCHES
from asbuilt.plan.addresses import address_tables
from asbuilt.plan.bill import bill_table
from asbuilt.plan.cabling import jumper_names, jumpers_table, lay_cables, transceivers_table
from asbuilt.plan.devices import (
    asics_table,
    gpus_table,
    name_devices,
    nics_table,
    nodes_table,
    rack_ids,
    switches_table,
)
from asbuilt.plan.expectations import design_tables
from asbuilt.plan.figures import (
    DeviceFigures,
    node_figures,
    service_figures,
    storage_figures,
    switch_figures,
    without_draw,
)
from asbuilt.plan.links import Devices, index_links, links_table, tier_of
from asbuilt.plan.loads import device_loads, loads_table, racks_table
from asbuilt.plan.management import management_table, patch
from asbuilt.plan.nodes.tables import node_tables
from asbuilt.plan.physical import physical_tables
from asbuilt.plan.placement import (
    NETWORK,
    STORAGE,
    Hall,
    Ints,
    build_in,
    built_in_racks,
    draw_near,
    lay_out,
    management_racks,
    pack_network,
    place_nodes,
    rack_extra_u,
    storage_racks,
)
from asbuilt.plan.ports import NODE, SERVICE, SWITCH, Network, budget, network, pulls
from asbuilt.plan.roce import roce_tables
from asbuilt.plan.route import Stands
from asbuilt.plan.subnet_guids import DeclaredGuids
from asbuilt.plan.subnet_tables import subnet_tables
from asbuilt.plan.subnets import subnets_table
from asbuilt.plan.wiring import ROLES

#: Switches and then service hosts together: everything with a management port.
EVERY = "every"


@dataclass(frozen=True, slots=True)
class NetworkDevices:
    """What stands in the network racks, in packing order: linked switches, service hosts, cold spares.

    ``own_rack``: the compute rack that a switch is built into, -1 for all others.
    """

    kinds: Ints
    figures: list[DeviceFigures]
    roles: list[str]
    powered: list[bool]
    alike: Ints
    spares: list[tuple[str, str, str]]
    own_rack: Ints


def expand(design: Design, catalogue: Catalogue, guids: DeclaredGuids | None = None) -> Plan:
    """The plan of a design: every table of `PLAN_TABLES`, without a hash (see `plan.canonical`). ``guids`` are those declared.

    Raises ``ProblemError`` PLN-001 (a tier is missing or too small), PLN-003 (a name template that cannot be filled), and
    those of `subnet_tables`.
    """
    net = network(design.planes)
    inside = network_devices(net, catalogue, design)
    nodes = place_nodes(design)
    patched = patch(net, nodes.rack)
    stored = storage_of(design, Ledger(catalogue))
    packed = pack_network(inside.figures, inside.kinds, design.site, inside.own_rack)
    pull, serves = pulls(net, nodes.rack, len(inside.kinds))
    packed = draw_near(design, nodes, packed, inside.alike, pull)
    packed = build_in(design, packed, inside.own_rack)
    hall = lay_out(
        design, nodes, packed, pull, serves, management_racks(design), storage_racks(stored.power_kw), inside.own_rack
    )
    devices, warnings = name_devices(design, net, hall)
    index = index_links(net, devices)
    tables: dict[str, pl.DataFrame] = {}
    tables["nodes"] = nodes_table(design, net, hall, devices, service_figures(catalogue).height_u)
    tables["gpus"] = gpus_table(design, devices)
    tables["nics"] = nics_table(design, devices)
    linked = switches_table(net, hall, devices, inside.figures, inside.kinds)
    tables["switches"] = SWITCHES.conform(pl.concat([linked, _spares(net, hall, inside, linked)]).sort("switch"))
    tables["asics"] = asics_table(linked)
    tables["port_budget"] = _port_budget(net, devices)
    stands = _stands(design, net, hall, inside)
    cabling = lay_cables(design, catalogue, hall, index, stands)
    tables["links"] = links_table(design, net, index, devices, jumper_names(index, cabling, devices))
    tables["jumpers"] = jumpers_table(tables["links"], index, cabling)
    tables["transceivers"] = transceivers_table(design, index, cabling, devices)
    tables["management_ports"] = management_table(design, catalogue, net, hall, devices, stands[EVERY], patched)
    tables |= _racks(design, catalogue, net, hall, inside, devices, stored)
    tables["subnets"] = subnets_table(design, tables["switches"], tables["links"])
    subnets, told = subnet_tables(design, catalogue, net, devices, tables["nodes"], tables["links"], guids)
    tables |= subnets
    tables |= physical_tables(design, catalogue, tables)
    tables |= node_tables(design, catalogue, tables)
    tables["bom"] = bill_table(design, catalogue, tables)
    tables |= design_tables(design, catalogue, tables)
    tables |= address_tables(design, tables)
    tables |= roce_tables(design, catalogue, tables)
    return Plan(
        name=design.requirement.name,
        tables=tables,
        design=design,
        source="expanded from the requirement",
        warnings=(*design.warnings, *net.warnings, *warnings, *cabling.warnings, *told),
    )


def _stands(design: Design, net: Network, hall: Hall, inside: NetworkDevices) -> dict[str, Stands]:
    """Where nodes, switches and service hosts stand, by kind of device."""
    heights = np.asarray([f.height_u for f in inside.figures])[inside.kinds]
    switches = slice(0, net.count)
    services = slice(net.count, net.count + len(net.services))
    every = slice(0, net.count + len(net.services))
    return {
        NODE: Stands(hall.node_rack, hall.node_u, np.full(design.nodes, design.node.height_u)),
        SWITCH: Stands(hall.network_rack[switches], hall.network_u[switches], heights[switches]),
        EVERY: Stands(hall.network_rack[every], hall.network_u[every], heights[every]),
        SERVICE: Stands(hall.network_rack[services], hall.network_u[services], heights[services]),
    }


def network_devices(net: Network, catalogue: Catalogue, design: Design) -> NetworkDevices:
    """Kinds and figures of everything that network racks hold."""
    figures: list[DeviceFigures] = []
    roles: list[str] = []
    powered: list[bool] = []
    kinds: list[Ints] = []
    own: list[Ints] = []
    spares: list[tuple[str, str, str]] = []
    spare_kinds: list[int] = []
    for fabric in net.fabrics:
        offset = len(figures)
        for tier in (fabric.plane.leaf, fabric.plane.spine, fabric.plane.core):
            figures.append(switch_figures(catalogue, (tier or fabric.plane.leaf).switch))
            roles.append("switch")
            powered.append(True)
        kinds.append(fabric.switches.role + np.int32(offset))
        own.append(built_in_racks(design, fabric.plane, fabric.switches.role))
        if (own[-1] >= 0).any():  # height of their own, power and weight in those of the rack
            kinds[-1] = np.where(own[-1] >= 0, np.int32(len(figures)), kinds[-1])
            figures.append(without_draw(figures[offset]))
            roles.append("switch")
            powered.append(True)
    service = len(figures)
    figures.append(service_figures(catalogue))
    roles.append("service")
    powered.append(True)
    for fabric in net.fabrics:
        for role, tier in enumerate((fabric.plane.leaf, fabric.plane.spine, fabric.plane.core)):
            if tier and tier.spares:
                spare_kinds += [len(figures)] * tier.spares
                figures.append(switch_figures(catalogue, tier.switch))
                roles.append("spare")
                powered.append(False)
                spares += [(fabric.plane.name, ROLES[role], f"{i}") for i in range(tier.spares)]
    every = [*kinds, np.full(len(net.services), service, np.int32), np.asarray(spare_kinds, np.int32)]
    seen = np.concatenate(every)
    models = [(f.part, r) for f, r in zip(figures, roles, strict=True)]
    alike = np.asarray([models.index(m) for m in models], np.int32)[seen]
    loose = np.full(len(net.services) + len(spare_kinds), -1, np.int32)
    return NetworkDevices(seen, figures, roles, powered, alike, spares, np.concatenate([*own, loose]))


def _spares(net: Network, hall: Hall, inside: NetworkDevices, like: pl.DataFrame) -> pl.DataFrame:
    """Rows of `SWITCHES` for cold spares: racked, powered off, without links."""
    rows = []
    racks = rack_ids(hall)
    first = net.count + len(net.services)
    for at, (plane, role, number) in enumerate(inside.spares):
        tier = tier_of(net.fabric(plane).plane, ROLES.index(role))
        row = dict.fromkeys(("rail", "block", "pod"), -1) | dict.fromkeys(("island", "subplane"), 0)
        rows.append(
            row
            | {
                "switch": f"sw:{plane}/{role}-spare-{number}",
                "name": f"spare-{plane}-{role}-{number}",
                "plane": plane,
                "role": role,
                "model": tier.switch,
                "index": int(number),
                "ports": tier.ports + tier.reserved_ports,
                "asics": tier.asics,
                "subnet": "",
                "rack": racks[int(hall.network_rack[first + at])],
                "u": float(hall.network_u[first + at]),
                "height_u": inside.figures[inside.kinds[first + at]].height_u,
                "phase": "",
                "spare": True,
            }
        )
    return pl.DataFrame(rows, schema=like.schema) if rows else like.clear()


def _port_budget(net: Network, devices: Devices) -> pl.DataFrame:
    frame = pl.DataFrame({"switch": devices.switch_ids, **budget(net)})
    return PORT_BUDGET.conform(frame.sort("switch"))


def _racks(
    design: Design,
    catalogue: Catalogue,
    net: Network,
    hall: Hall,
    inside: NetworkDevices,
    devices: Devices,
    stored: Storage,
) -> dict[str, pl.DataFrame]:
    """Tables `LOADS` and `RACKS`."""
    node_kind = len(inside.figures)
    arrays = np.flatnonzero(hall.kind == STORAGE).astype(np.int32)
    if not len(arrays):  # a small array stands in the last network rack
        arrays = np.flatnonzero(hall.kind == NETWORK).astype(np.int32)[-1:]
    rack = np.concatenate([hall.network_rack, hall.node_rack, arrays])
    kinds = np.concatenate([inside.kinds, np.repeat([node_kind, node_kind + 1], [design.nodes, len(arrays)])]).astype(np.int32)
    shelf = storage_figures(catalogue, stored.tier, stored.power_kw * 1000.0 / max(1, len(arrays)))
    figures = [*inside.figures, node_figures(design, catalogue), shelf]
    held = device_loads(hall, rack, kinds, figures, [*inside.roles, "node", "storage"], [*inside.powered, True, True])
    phase = np.full(len(hall), len(devices.phases) - 1, np.int32)
    np.minimum.at(phase, hall.node_rack, devices.node_phase)
    np.minimum.at(phase, hall.network_rack[: net.count], devices.switch_phase)
    return {
        "loads": loads_table(held),
        "racks": racks_table(design, hall, held, phase, devices.phases, rack_extra_u(design, hall)),
    }
