"""Management ports of switches and service hosts, patched to the out-of-band plane.

They take the ports that the out-of-band leaves keep for them (``reserved_ports``, behind the nodes' BMCs); what is left there
is for rack PDUs or power shelves. They are not links of a plane: no data crosses them, and no discovery shows them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables import MANAGEMENT_PORTS
from asbuilt.plan.cabling import stock_lengths
from asbuilt.plan.links import Devices, front_labels
from asbuilt.plan.media import Cage, Wanted, media
from asbuilt.plan.placement import Hall, Ints
from asbuilt.plan.ports import Network, pulls
from asbuilt.plan.route import Stands, route_m
from asbuilt.plan.wiring import LEAF


@dataclass(frozen=True, slots=True)
class Patched:
    """Per device (numbered over switches, then service hosts): its out-of-band leaf and port; -1 where none was left."""

    device: Ints
    leaf: Ints
    port: Ints


def patch(net: Network, node_rack: Ints) -> Patched | None:
    """A port of a near out-of-band leaf for every other switch and every service host; None without such a plane.

    ``node_rack``: compute rack of each node. What finds no port is said in ``net.warnings``.
    """
    fabric = next((f for f in net.fabrics if f.plane.name == "oob"), None)
    if fabric is None:
        return None
    plane, first = fabric.plane, net.first["oob"]
    pull, _ = pulls(net, node_rack, net.count + len(net.services))
    own = np.arange(first, first + len(fabric.switches))
    devices = np.setdiff1d(np.arange(net.count + len(net.services)), own)
    devices = devices[np.argsort(pull[devices], kind="stable")]
    leaves = first + np.flatnonzero(fabric.switches.role == LEAF)
    leaves = leaves[np.argsort(pull[leaves], kind="stable")]
    fits = min(len(devices), plane.leaf.reserved_ports * len(leaves))
    if fits < len(devices):
        net.warnings.append(f"oob: {len(devices) - fits} management ports of switches and service hosts find no port")
    # Equal shares for the leaves in order, so that near devices meet near leaves and none runs full before the others.
    share = np.arange(fits) * len(leaves) // max(1, fits)
    within = np.arange(fits) - np.searchsorted(share, share)
    leaf, port = np.full(len(devices), -1, np.int32), np.full(len(devices), -1, np.int32)
    leaf[:fits], port[:fits] = leaves[share], plane.leaf.ports + within + 1
    return Patched(devices.astype(np.int32), leaf, port)


def management_table(
    design: Design, catalogue: Catalogue, net: Network, hall: Hall, devices: Devices, every: Stands, patched: Patched | None
) -> pl.DataFrame:
    """Table `MANAGEMENT_PORTS`, sorted by device. ``every``: where switches and then service hosts stand."""
    plane = design.plane("oob")
    if patched is None or plane is None or not len(patched.device):
        return MANAGEMENT_PORTS.empty()
    ids = pl.concat([devices.switch_ids, devices.service_ids])
    names = pl.concat([devices.switch_names.rename("name"), devices.service_names.rename("name")])
    phase = np.concatenate([devices.switch_phase, devices.service_phase])
    switch = catalogue.get("switch", plane.leaf.switch)
    cage = Cage(str(switch.value("cage")), str(switch.value("heatsink")), 0.0, 1)
    route: NDArray[np.float64] = route_m(design.site, hall, every, every, patched.leaf, patched.device)
    wanted = Wanted(cage, cage, plane.link_gbps, plane.technology, True, None, None)
    longest = float(route.max())
    cord = next((m for m in media(catalogue, wanted) if m.reach_m >= longest), None)
    there = pl.Series(patched.leaf >= 0)
    leaf = pl.Series(np.maximum(patched.leaf, 0))
    frame = pl.DataFrame(
        {
            "device": ids.gather(pl.Series(patched.device)),
            "name": names.gather(pl.Series(patched.device)),
            "switch": ids.gather(leaf),
            "switch_name": names.gather(leaf),
            "port": patched.port,
            "label": front_labels(plane.leaf, plane.technology).gather(pl.Series(np.maximum(patched.port, 0))),
            "part": pl.Series([cord.cable if cord else None], dtype=pl.String).new_from_index(0, len(leaf)),
            "route_m": route,
            "length_m": stock_lengths(route, cord),
            "phase": devices.phases.gather(pl.Series(phase[patched.device])),
        }
    )
    absent = pl.col("switch", "switch_name", "port", "label", "part", "route_m", "length_m")
    return MANAGEMENT_PORTS.conform(frame.with_columns(pl.when(there).then(absent).name.keep()).sort("device"))
