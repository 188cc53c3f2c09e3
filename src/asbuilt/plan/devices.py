"""The tables of nodes, GPUs, NIC ports, switches and ASICs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from asbuilt.base.row_letters import row_letters
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.tables import ASICS, GPUS, NICS, NODES
from asbuilt.plan.figures import SERVICE_PART, DeviceFigures
from asbuilt.plan.links import Devices, tier_of
from asbuilt.plan.names import (
    NODE_WIDTH,
    default_template,
    fill_template,
    leaf_rails,
    node_ids,
    padded,
    service_id,
    switch_ids,
    told_apart,
)
from asbuilt.plan.placement import Hall
from asbuilt.plan.ports import Network
from asbuilt.plan.shape import TWO_TIER
from asbuilt.plan.wiring import ROLES, Ints, WiredFabric

DEFAULT_NODE_NAME = "node-{index:04d}"


def phase_names(design: Design) -> list[str]:
    """The build phases in order; one phase ``1`` where the requirement names none."""
    return [p.name for p in design.requirement.phases] or ["1"]


def node_phases(design: Design) -> Ints:
    """Phase ordinal of each node: the first phase whose GPU count covers it; nodes past the last phase join the last."""
    phases = design.requirement.phases
    if not phases:
        return np.zeros(design.nodes, np.int32)
    reach = np.maximum.accumulate([-(-p.gpus // design.node.gpus_per_node) for p in phases])
    at = np.searchsorted(reach, np.arange(design.nodes), side="right")
    return np.minimum(at, len(phases) - 1).astype(np.int32)


def switch_phases(net: Network, nodes: Ints) -> Ints:
    """A leaf is built with its first node, any other switch with the first switch below it."""
    last = int(nodes.max(initial=0))
    phase = np.full(net.count, last, np.int32)
    for kind in ("node_leaf", "leaf_spine", "spine_core"):
        for group in net.groups:
            if group.kind != kind:
                continue
            if kind == "node_leaf":
                np.minimum.at(phase, group.arrays.a_switch, nodes[group.arrays.b_device])
            else:
                np.minimum.at(phase, group.arrays.b_device, phase[group.arrays.a_switch])
    return phase


def rack_names(hall: Hall) -> pl.Series:
    """``A-01``: row letters and position, per rack."""
    letters = pl.Series([row_letters(r) for r in range(int(hall.row.max(initial=-1)) + 1)], dtype=pl.String)
    return (letters.gather(pl.Series(hall.row)) + "-" + padded(hall.position, 2)).alias("rack")


def rack_ids(hall: Hall) -> pl.Series:
    """``rack:A-01`` per rack."""
    return ("rack:" + rack_names(hall)).alias("rack")


def _rows(hall: Hall, racks: Ints) -> pl.Series:
    letters = pl.Series([row_letters(r) for r in range(int(hall.row.max(initial=-1)) + 1)], dtype=pl.String)
    return letters.gather(pl.Series(hall.row[racks]))


def name_devices(design: Design, net: Network, hall: Hall) -> tuple[Devices, list[str]]:
    """Ids and display names of switches, nodes and service hosts, and warnings about names that had to be told apart."""
    warnings: list[str] = []
    phase = node_phases(design)
    ids = node_ids(design.nodes)
    template = design.requirement.node_names or DEFAULT_NODE_NAME
    at = np.arange(design.nodes)
    su = at // max(1, _su_nodes(design))
    columns = {
        "index": pl.Series(at),
        "rack": pl.Series(hall.node_rack + 1),
        "row": _rows(hall, hall.node_rack),
        "su": pl.Series(su),
    }
    names, repeats = told_apart(fill_template(template, columns, "node_names"), ids)
    if repeats:
        warnings.append(f"node_names {template!r} gives {repeats} nodes a name that others have; the index was added to these")
    parts = [switch_ids(f) for f in net.fabrics]
    switches = pl.concat(parts).alias("switch") if parts else pl.Series("switch", [], dtype=pl.String)
    shown = [_switch_names(f, hall, hall.network_rack[net.first[f.plane.name] :][: len(f.switches)]) for f in net.fabrics]
    switch_names = pl.concat(shown) if shown else pl.Series("name", [], dtype=pl.String)
    switch_names, repeats = told_apart(switch_names, switches)
    if repeats:
        warnings.append(f"the switch name templates give {repeats} switches a name that others have; coordinates were added")
    services = pl.Series("node", [service_id(plane, i) for plane, i in net.services], dtype=pl.String)
    devices = Devices(
        switch_ids=switches,
        switch_names=switch_names,
        switch_phase=switch_phases(net, phase),
        node_ids=ids,
        node_names=names,
        node_phase=phase,
        service_ids=services,
        service_names=pl.Series("name", [f"ufm-{plane}-{i}" for plane, i in net.services], dtype=pl.String),
        service_phase=np.zeros(len(services), np.int32),
        phases=pl.Series("phase", phase_names(design), dtype=pl.String),
    )
    return devices, warnings


def _su_nodes(design: Design) -> int:
    compute = design.plane("compute")
    return compute.su_nodes if compute else design.nodes


def _switch_names(fabric: WiredFabric, hall: Hall, racks: Ints) -> pl.Series:
    """Display names of one plane's switches, by the template of their tier."""
    plane, s = fabric.plane, fabric.switches
    kind = fabric.shapes[0].kind if fabric.shapes else TWO_TIER
    out = []
    for role in range(len(ROLES)):
        at = s.role == role
        if not at.any():
            continue
        template = tier_of(plane, role).names or default_template(plane, ROLES[role], kind, islands=len(fabric.shapes) > 1)
        rail = np.maximum(leaf_rails(plane, s)[at], 0) if plane.rails_per_leaf == 1 else s.column[at]
        columns = {
            "rail": pl.Series(np.maximum(rail, 0)),
            "block": pl.Series(s.block[at]),
            "place": pl.Series(s.place[at]),
            "pod": pl.Series(np.maximum(s.pod[at], 0)),
            "index": pl.Series(s.index[at]),
            "island": pl.Series(s.island[at]),
            "subplane": pl.Series(s.subplane[at]),
            "rack": pl.Series(racks[at] + 1),
            "row": _rows(hall, racks[at]),
        }
        constant: dict[str, str] = {"plane": plane.name, "role": ROLES[role]}
        columns |= {k: pl.Series([v], dtype=pl.String).new_from_index(0, int(at.sum())) for k, v in constant.items()}
        out.append(fill_template(template, columns, f"planes.{plane.name}.{ROLES[role]}.names"))
    return pl.concat(out)


def nodes_table(design: Design, net: Network, hall: Hall, devices: Devices, service_height_u: float) -> pl.DataFrame:
    """Table `NODES`: compute nodes, then service hosts."""
    compute = design.plane("compute")
    at = np.arange(design.nodes)
    racks = rack_ids(hall)
    services = len(net.services)
    island = at // compute.island_nodes if compute and compute.island_nodes else np.zeros_like(at)
    stands = np.concatenate([hall.node_rack, hall.network_rack[net.count : net.count + services]])
    frame = pl.DataFrame(
        {
            "node": pl.concat([devices.node_ids, devices.service_ids]),
            "name": pl.concat([devices.node_names.rename("name"), devices.service_names]),
            "role": pl.Series(["compute", "service"]).gather(pl.Series(np.repeat([0, 1], [design.nodes, services]))),
            "index": np.concatenate([at, np.arange(services)]),
            "system": pl.Series([design.node.system, SERVICE_PART]).gather(np.repeat([0, 1], [design.nodes, services])),
            "unit": np.concatenate([at // max(1, design.node.nodes_per_unit), np.arange(services)]),
            "su": np.concatenate([at // max(1, _su_nodes(design)), np.zeros(services, np.int64)]),
            "island": np.concatenate([island, np.zeros(services, np.int64)]),
            "rack": racks.gather(pl.Series(stands)),
            "u": np.concatenate([hall.node_u, hall.network_u[net.count : net.count + services]]),
            "height_u": np.repeat([design.node.height_u, service_height_u], [design.nodes, services]),
            "phase": devices.phases.gather(pl.Series(np.concatenate([devices.node_phase, devices.service_phase]))),
        }
    )
    return NODES.conform(frame.sort("node"))


def gpus_table(design: Design, devices: Devices) -> pl.DataFrame:
    """Table `GPUS`, sorted by key."""
    node, each = design.node, design.node.gpus_per_node
    slot = np.argsort([str(i) for i in range(each)], kind="stable").astype(np.int64)
    slots = np.tile(slot, design.nodes)
    at = _each_node(devices, each)
    sockets = np.asarray(node.gpu_sockets or (0,) * each, np.int64)
    rails = np.asarray(node.gpu_rails or (0,) * each, np.int64)
    frame = pl.DataFrame(
        {
            "n": padded(np.arange(design.nodes), NODE_WIDTH).gather(at),
            "node": devices.node_ids.gather(at),
            "slot": slots,
            "model": pl.Series([node.gpu_model], dtype=pl.String).new_from_index(0, len(slots)),
            "socket": sockets[slots],
            "rail": rails[slots],
        }
    ).with_columns(pl.concat_str([pl.lit("gpu:"), "n", pl.lit("/"), "slot"]).alias("gpu"))
    return GPUS.conform(frame.drop("n"))


def _each_node(devices: Devices, times: int) -> pl.Series:
    """Node indices in the order of their ids as text, each repeated: rows of per-node tables in key order."""
    return pl.Series(np.repeat(devices.node_ids.arg_sort().to_numpy(), times))


def nics_table(design: Design, devices: Devices) -> pl.DataFrame:
    """Table `NICS`: every NIC port of every node, as the node map names them, sorted by key."""
    ports = sorted(design.node.nics, key=lambda n: n.name)
    if not ports:
        return NICS.empty()
    count = len(ports)
    at = _each_node(devices, count)
    which = np.tile(np.arange(count), design.nodes)
    columns: dict[str, list[Any]] = {
        "device": [p.name for p in ports],
        "part": [p.part for p in ports],
        "plane": [p.plane for p in ports],
        "rail": [p.rail for p in ports],
        "socket": [p.socket for p in ports],
        "link_type": [p.link_type for p in ports],
        "rate_gbps": [float(p.rate_gbps) for p in ports],
        "cage": [p.cage for p in ports],
    }
    frame = pl.DataFrame(
        {
            "n": padded(np.arange(design.nodes), NODE_WIDTH).gather(at),
            "node": devices.node_ids.gather(at),
            **{k: pl.Series(v).gather(pl.Series(which)) for k, v in columns.items()},
        }
    ).with_columns(pl.concat_str([pl.lit("nic:"), "n", pl.lit("/"), "device"]).alias("nic"))
    return NICS.conform(frame.drop("n"))


def switches_table(net: Network, hall: Hall, devices: Devices, figures: list[DeviceFigures], kinds: Ints) -> pl.DataFrame:
    """Table `SWITCHES` without cold spares, in wiring order (sorted by the caller once the spares are in)."""
    s = {name: net.spread(name) for name in ("role", "island", "subplane", "block", "pod", "index")}
    rail = np.concatenate([leaf_rails(f.plane, f.switches) for f in net.fabrics]) if net.fabrics else s["role"]
    by_tier: dict[str, list[Any]] = {"plane": [], "model": [], "ports": [], "asics": []}
    number = []
    for n, fabric in enumerate(net.fabrics):
        number.append(fabric.switches.role + 3 * n)
        for tier in (fabric.plane.leaf, fabric.plane.spine, fabric.plane.core):
            by_tier["plane"].append(fabric.plane.name)
            by_tier["model"].append(tier.switch if tier else "")
            by_tier["ports"].append(tier.ports + tier.reserved_ports if tier else 0)
            by_tier["asics"].append(tier.asics if tier else 0)
    which = pl.Series(np.concatenate(number) if number else s["role"])
    heights = np.asarray([f.height_u for f in figures])
    return pl.DataFrame(
        {
            "switch": devices.switch_ids,
            "name": devices.switch_names.rename("name"),
            **{k: pl.Series(v).gather(which) for k, v in by_tier.items()},
            "role": pl.Series(list(ROLES)).gather(pl.Series(s["role"])),
            **{k: s[k] for k in ("island", "subplane", "block", "pod", "index")},
            "rail": rail,
            "subnet": _subnets(net),
            "rack": rack_ids(hall).gather(pl.Series(hall.network_rack[: net.count])),
            "u": hall.network_u[: net.count],
            "height_u": heights[kinds[: net.count]],
            "phase": devices.phases.gather(pl.Series(devices.switch_phase)),
            "spare": np.zeros(net.count, bool),
        }
    )


def subnet_name(plane: PlaneDesign, island: int, subplane: int, islands: int) -> str:
    """The subnet of an island and subplane of a plane: the plane's own name for it, numbered where there are several."""
    parts = [plane.subnet or plane.name]
    if islands > 1 and island:
        parts.append(f"i{island}")
    if plane.subplanes > 1:
        parts.append(f"s{subplane}")
    return "-".join(parts)


def _subnets(net: Network) -> pl.Series:
    out = []
    for fabric in net.fabrics:
        plane, s = fabric.plane, fabric.switches
        many = len(fabric.shapes)
        names = [subnet_name(plane, i, p, many) for i in range(many) for p in range(plane.subplanes)]
        out.append(pl.Series(names, dtype=pl.String).gather(pl.Series(s.island * plane.subplanes + s.subplane)))
    return pl.concat(out).alias("subnet") if out else pl.Series("subnet", [], dtype=pl.String)


def asics_table(switches: pl.DataFrame) -> pl.DataFrame:
    """Table `ASICS`: one row per switch ASIC of every chassis that is linked."""
    frame = (
        switches.select("switch", number=pl.int_ranges(0, pl.col("asics")))
        .explode("number")
        .with_columns(pl.format("{}#{}", "switch", "number").alias("asic"))
    )
    return ASICS.conform(frame.sort("asic"))
