"""The links table: integer arrays of all groups in key order, with their strings gathered from small dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from asbuilt.model.design import Design, NicPortDesign, PlaneDesign, TierDesign
from asbuilt.model.tables import LINKS
from asbuilt.plan.ports import NODE, SERVICE, SWITCH, LinkGroup, Network
from asbuilt.plan.wiring import Ints


@dataclass(frozen=True, slots=True)
class Devices:
    """Ids, display names and build phases (ordinals) of everything that a link can end at."""

    switch_ids: pl.Series
    switch_names: pl.Series
    switch_phase: Ints
    node_ids: pl.Series
    node_names: pl.Series
    node_phase: Ints
    service_ids: pl.Series
    service_names: pl.Series
    service_phase: Ints
    phases: pl.Series


@dataclass(frozen=True, slots=True)
class LinkIndex:
    """All links in key order as arrays: the group each came from, both devices and ports, and its phase."""

    groups: tuple[LinkGroup, ...]
    group: Ints
    a_switch: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    rail: Ints
    phase: Ints

    def __len__(self) -> int:
        return len(self.a_switch)

    @property
    def far(self) -> list[str]:
        """What stands at the far end, per group."""
        return [g.far for g in self.groups]


def tier_of(plane: PlaneDesign, tier: int) -> TierDesign:
    """The resolved tier by number: 0 leaf, 1 spine, 2 core."""
    chosen = (plane.leaf, plane.spine, plane.core)[tier]
    assert chosen is not None
    return chosen


def front_labels(tier: TierDesign, technology: str) -> pl.Series:
    """Front-panel label by protocol port number (entry 0 unused): cage, ``cage/half``, ``cage/half/split`` on a twin-port
    InfiniBand cage that is split, else ``cage/lane group``."""
    each = tier.ports_per_cage
    ports = np.arange(tier.ports + tier.reserved_ports + 1, dtype=np.int64)
    cage, within = np.divmod(np.maximum(ports - 1, 0), each)
    frame = pl.DataFrame({"c": cage + 1, "w": within + 1})
    if each == 1:
        return frame.select(pl.col("c").cast(pl.String).alias("label"))["label"]
    if each == 4 and technology == "infiniband":
        half, split = (pl.col("w") - 1) // 2 + 1, (pl.col("w") - 1) % 2 + 1
        return frame.select(pl.format("{}/{}/{}", "c", half, split).alias("label"))["label"]
    return frame.select(pl.format("{}/{}", "c", "w").alias("label"))["label"]


def key_order(strings: pl.Series) -> Ints:
    """Rank of each string in lexicographic order (int32), so that keys sort by integers."""
    order = strings.arg_sort().to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def text_order(highest: int) -> Ints:
    """Rank of each number 0..highest when written as text (``10`` before ``2``), int32."""
    return key_order(pl.Series(np.arange(highest + 1)).cast(pl.String))


def index_links(net: Network, devices: Devices) -> LinkIndex:
    """All groups' links in the order of their keys ``link:<switch>/<port>``."""
    groups = tuple(net.groups)
    if not groups:
        none = np.empty(0, np.int32)
        return LinkIndex((), none, none, none, none, none, none, none)
    joined = [np.concatenate([getattr(g.arrays, n) for g in groups]) for n in ("a_switch", "a_port", "b_device", "b_port")]
    a_switch, a_port, b_device, b_port = joined
    group = np.repeat(np.arange(len(groups), dtype=np.int32), [len(g.arrays) for g in groups])
    rail = np.concatenate([g.rail for g in groups])
    far = {SWITCH: devices.switch_phase, NODE: devices.node_phase, SERVICE: devices.service_phase}
    far_phase = np.concatenate([far[g.far][g.arrays.b_device] for g in groups])
    phase = np.maximum(devices.switch_phase[a_switch], far_phase)
    highest = int(a_port.max())
    key = key_order(devices.switch_ids + "/")[a_switch].astype(np.int64) * (highest + 1) + text_order(highest)[a_port]
    order = np.argsort(key, kind="stable")
    return LinkIndex(groups, *(x[order] for x in (group, a_switch, a_port, b_device, b_port, rail, phase)))


def nic_of_port(design: Design, plane: PlaneDesign) -> list[NicPortDesign | None]:
    """The NIC port behind each node port of a plane (entry 0 is node port 1); None where the node map names none."""
    out: list[NicPortDesign | None] = []
    for sub in range(plane.subplanes):
        for rail in range(plane.rails):
            fits = [n for n in design.node.nics if n.plane == plane.name and n.rail == rail]
            exact = [n for n in fits if n.subplane == sub]
            out.append(next(iter(exact or fits), None))
    return out


def node_cages(design: Design) -> tuple[list[str], dict[str, Ints]]:
    """Cage names of a node, and per plane the cage number (from 1) behind each node port (entry 0 unused)."""
    names: list[str] = []
    by_plane: dict[str, Ints] = {}
    for plane in design.planes:
        numbers = [0]
        for port, nic in enumerate(nic_of_port(design, plane)):
            name = (nic.cage or nic.name) if nic is not None else f"{plane.name}{port % plane.rails}"
            if name not in names:
                names.append(name)
            numbers.append(names.index(name) + 1)
        by_plane[plane.name] = np.asarray(numbers, np.int32)
    return names, by_plane


def node_ports(design: Design, plane: PlaneDesign) -> pl.DataFrame:
    """Per node port of a plane (row 0 unused): ``nic`` device name, ``port`` number on it and front ``label``.

    The label is the cage; where several ports share one cage, cage and half.
    """
    nics = nic_of_port(design, plane)
    every = [(p.name, i) for p in design.planes for i in range(p.rails * p.subplanes)]
    names, by_plane = node_cages(design)
    cage_of = {(p.name, i): int(by_plane[p.name][i + 1]) for p in design.planes for i in range(p.rails * p.subplanes)}
    rows: list[tuple[str, int, str]] = [("", 0, "")]
    for number, nic in enumerate(nics):
        sub, rail = divmod(number, plane.rails)
        cage = cage_of[plane.name, number]
        mates = [key for key in every if cage_of[key] == cage]
        label = names[cage - 1]
        if len(mates) > 1:
            label = f"{label}/{mates.index((plane.name, number)) + 1}"
        twins = [i for i, other in enumerate(nics) if nic is not None and other is nic]
        device = nic.name if nic is not None else f"{plane.name}{rail}"
        rows.append((device, twins.index(number) + 1 if len(twins) > 1 else (sub + 1 if nic is None else 1), label))
    return pl.DataFrame(rows, schema={"nic": pl.String, "port": pl.Int64, "label": pl.String}, orient="row")


def links_table(design: Design, net: Network, index: LinkIndex, devices: Devices, jumper: pl.Series | None) -> pl.DataFrame:
    """Table `LINKS`, sorted by key. ``jumper`` names the cable of each row; None where cabling is not planned."""
    if not len(index):
        return LINKS.empty()
    a = pl.Series(index.a_switch)
    a_device = devices.switch_ids.gather(a)
    far = _far_columns(design, index, devices)
    spread = {name: pl.Series(net.spread(name)[index.a_switch]) for name in ("island", "subplane")}
    by_group: dict[str, list[Any]] = {
        "plane": [g.plane.name for g in index.groups],
        "kind": [g.kind for g in index.groups],
        "rate_gbps": [g.plane.uplink_gbps if g.far == SWITCH else g.plane.link_gbps for g in index.groups],
    }
    which = pl.Series(index.group)
    frame = pl.DataFrame(
        {
            **{name: pl.Series(values).gather(which) for name, values in by_group.items()},
            "a_device": a_device,
            "a_port": pl.Series(index.a_port),
            "a_label": _near_labels(index),
            "a_name": devices.switch_names.gather(a),
            **far,
            "rail": pl.Series(index.rail),
            **spread,
            "phase": devices.phases.gather(pl.Series(index.phase)),
            "jumper": jumper if jumper is not None else pl.Series([None] * 1, dtype=pl.String).new_from_index(0, len(index)),
        }
    ).with_columns(pl.concat_str([pl.lit("link:"), "a_device", pl.lit("/"), "a_port"]).alias("link"))
    return LINKS.conform(frame)


def _near_labels(index: LinkIndex) -> pl.Series:
    """Front-panel labels of the reference ends: each group's tier has its own list, laid end to end."""
    lists = [front_labels(tier_of(g.near_plane, g.near_tier), g.near_plane.technology) for g in index.groups]
    start = np.cumsum([0, *(len(x) for x in lists[:-1])])
    return pl.concat(lists).gather(pl.Series(start[index.group] + index.a_port))


def _far_columns(design: Design, index: LinkIndex, devices: Devices) -> dict[str, pl.Series]:
    """``b_device b_port b_nic b_label b_name``: one dictionary over all kinds of far end, one gather per column."""
    nodes, switches = len(devices.node_ids), len(devices.switch_ids)
    offset = {NODE: 0, SWITCH: nodes, SERVICE: nodes + switches}
    ids = pl.concat([devices.node_ids, devices.switch_ids, devices.service_ids])
    names = pl.concat([devices.node_names, devices.switch_names, devices.service_names])
    ports = [_far_ports(design, g) for g in index.groups]
    start = np.cumsum([0, *(p.height for p in ports[:-1])])
    table = pl.concat(ports)[pl.Series(start[index.group] + index.b_port).cast(pl.UInt32)]
    shift = np.array([offset[g.far] for g in index.groups])
    device = pl.Series(shift[index.group] + index.b_device)
    name = names.gather(device)
    nic = table["nic"]
    full = pl.DataFrame({"n": name, "d": nic}).select(
        pl.when(pl.col("d").is_null()).then("n").otherwise(pl.concat_str(["n", pl.lit(" "), "d"])).alias("name")
    )["name"]
    return {"b_device": ids.gather(device), "b_port": table["port"], "b_nic": nic, "b_label": table["label"], "b_name": full}


def _far_ports(design: Design, group: LinkGroup) -> pl.DataFrame:
    """``nic port label`` by far port number of one group."""
    if group.far == NODE:
        return node_ports(design, group.plane)
    if group.far == SERVICE:
        schema = {"nic": pl.String, "port": pl.Int64, "label": pl.String}
        # A service host is a host: its link ends in an adapter, which discovery names like any other.
        return pl.DataFrame([(None, 0, ""), ("mlx5_0", 1, "1")], schema=schema, orient="row")
    labels = front_labels(tier_of(group.far_plane, group.far_tier), group.far_plane.technology)
    return pl.DataFrame(
        {
            "nic": pl.Series([None], dtype=pl.String).new_from_index(0, len(labels)),
            "port": np.arange(len(labels)),
            "label": labels,
        }
    )
