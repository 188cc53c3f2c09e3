"""One InfiniBand subnet as integer arrays: what a routing engine sees. No Python object per port or cable.

Switches are rows 0..S-1 in the order of their natural keys (``<switch>#<asic>``); hosts (NIC ports and SHARP aggregation
nodes, all that is no switch) are numbers 0..H-1 in the order of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

NOTHING = -1
HOST = -2
#: The last LID that a packet can carry: 16 bits (IBTA, local route header).
LAST_LID = 0xFFFF
OTHER, COMPUTE, IO = 0, 1, 2
_TIERS = ("leaf", "spine", "core")


@dataclass(frozen=True, slots=True)
class Fabric:
    """A subnet. S switches, P the highest port number, H hosts.

    ``peer`` [S, P+1]: the switch row at the far side of a port, `NOTHING` (-1), or ``HOST - h`` for host h; ``peer_port``
    [S, P+1]: the port number there. ``root`` marks the switches that the root GUID file names. ``host_role``: `COMPUTE` is in
    the compute node file (``cn_guid_file``), `IO` in ``io_guid_file``, `OTHER` in none. GUIDs are plain integers.
    """

    switch_keys: tuple[str, ...]
    guid: Words
    lid: Ints
    root: Flags
    peer: Ints
    peer_port: Ints
    host_keys: pl.Series
    host_node_guid: Words
    host_guid: Words
    host_lid: Ints
    host_lmc: Ints
    host_switch: Ints
    host_port: Ints
    host_role: NDArray[np.uint8]
    engine: str = "ftree"
    connect_roots: bool = False
    reverse_hops: int = 0
    name: str = ""

    @property
    def switches(self) -> int:
        return len(self.lid)

    @property
    def hosts(self) -> int:
        return len(self.host_lid)

    @property
    def top_lid(self) -> int:
        """The highest LID that anything answers to; 0 in an empty fabric."""
        last = self.host_lid + (1 << self.host_lmc) - 1
        return int(max(self.lid.max(initial=0), last.max(initial=0)))

    def row_of_lid(self) -> Ints:
        """For each LID 0..top_lid: switch row, ``HOST - h``, or `NOTHING`."""
        owner = np.full(self.top_lid + 1, NOTHING, np.int32)
        for step in range(int((1 << self.host_lmc).max(initial=1))):
            has = (step < (1 << self.host_lmc)) & (self.host_lid > 0)
            owner[self.host_lid[has] + step] = HOST - np.flatnonzero(has)
        known = self.lid > 0
        owner[self.lid[known]] = np.flatnonzero(known)
        return owner

    def without(self, links: Ints | None = None, switches: Ints | None = None) -> Fabric:
        """The fabric with links down and switches dark. ``links``: [n, 2] of switch row and port, either end."""
        peer, far = self.peer.copy(), self.peer_port.copy()
        cut = np.zeros(peer.shape, bool)
        if links is not None and len(links):
            cut[links[:, 0], links[:, 1]] = True
        if switches is not None and len(switches):
            cut[switches] = True
        rows, ports = np.nonzero(cut & (peer >= 0))
        back = peer[rows, ports], far[rows, ports]
        hosts = HOST - peer[cut & (peer <= HOST)]
        peer[cut] = NOTHING
        peer[back] = NOTHING
        far[peer == NOTHING] = 0
        home = self.host_switch.copy()
        home[hosts] = NOTHING
        return replace(self, peer=peer, peer_port=far, host_switch=home)


def contradiction(fabric: Fabric) -> str:
    """What a fabric says against itself, or an empty text: compiled walks trust it, and a measured one may say anything."""
    rows, ports = np.nonzero(fabric.peer != NOTHING)
    to, back = fabric.peer[rows, ports], fabric.peer_port[rows, ports]
    switch, host = to >= 0, HOST - to
    high = fabric.peer.shape[1]
    if (
        (to >= fabric.switches).any()
        or (host[~switch] >= fabric.hosts).any()
        or (back < 0).any()
        or (back[switch] >= high).any()
    ):
        return "a cable leads to a switch, a host or a port that is not there"
    one, two = (rows[switch], ports[switch]), (to[switch], back[switch])
    if (fabric.peer[two] != one[0]).any() or (fabric.peer_port[two] != one[1]).any():
        return "a cable between switches is known from one end only"
    at = host[~switch]
    if (fabric.host_switch[at] != rows[~switch]).any() or (fabric.host_port[at] != ports[~switch]).any():
        return "a host hangs on another port than the switch says"
    if len(at) != int((fabric.host_switch >= 0).sum()):
        return "a host hangs on a port that leads elsewhere"
    highest = fabric.host_lid.astype(np.int64) + (1 << fabric.host_lmc.astype(np.int64)) - 1
    if min(int(fabric.host_lid.min(initial=0)), int(fabric.lid.min(initial=0))) < 0 or int(highest.max(initial=0)) > LAST_LID:
        return "a LID is none"
    return ""


def fabric_of(plan: Plan, subnet: str, *, aggregation: bool = True) -> Fabric:
    """The planned fabric of one subnet, from the tables `lids`, `links`, `switches` and `subnet_settings`.

    Ports of a chassis with several ASICs are dealt out in equal runs, as `rehearse.twin` answers. End ports without a
    LID row, and links to them, are left out; SHARP aggregation nodes too when ``aggregation`` is false, as in a simulated
    fabric that has none.
    """
    import polars as pl

    lids = plan.table("lids").filter(pl.col("subnet") == subnet)
    if not aggregation:
        lids = lids.filter(pl.col("role") != "aggregation")
    boxes = lids.filter(pl.col("number") == 0).sort("port")
    ends = lids.filter(pl.col("number") > 0).sort("port")
    settings = settings_of(plan, subnet)
    rows = pl.DataFrame({"key": boxes["port"], "row": np.arange(boxes.height, dtype=np.int64)})
    sides = _sides(plan, rows)
    hosts = ends.select(
        pl.col("port").alias("far_key"), pl.col("role").alias("far_role"), (HOST - pl.int_range(pl.len())).alias("number")
    )
    wired = sides.join(rows.rename({"key": "far_key", "row": "far_row"}), on="far_key", how="left")
    wired = wired.join(hosts.select("far_key", "number"), on="far_key", how="left")
    wired = pl.concat([wired, _aggregation(plan, hosts, rows)], how="diagonal").with_columns(
        pl.coalesce("far_row", "number").alias("peer")
    )
    wired = wired.filter(pl.col("peer").is_not_null())
    top = int(plan.table("switches")["ports"].max() or 0) + 1  # type: ignore[arg-type]
    top = max(top, int(wired["port"].max() or 0))  # type: ignore[arg-type]
    peer = np.full((boxes.height, top + 1), NOTHING, np.int32)
    far = np.zeros((boxes.height, top + 1), np.int32)
    at = wired["row"].to_numpy(), wired["port"].to_numpy()
    peer[at], far[at] = wired["peer"].to_numpy(), wired["far_port"].to_numpy()
    home, port = np.full(ends.height, NOTHING, np.int32), np.zeros(ends.height, np.int32)
    reached = wired.filter(pl.col("peer") <= HOST)
    number = HOST - reached["peer"].to_numpy()
    home[number], port[number] = reached["row"].to_numpy(), reached["port"].to_numpy()
    return Fabric(
        tuple(boxes["port"].to_list()), words(boxes["node_guid"]), _ints(boxes["lid"]), _roots(boxes, settings), peer, far,
        ends["port"], words(ends["node_guid"]), words(ends["port_guid"]), _ints(ends["lid"]), _ints(ends["lmc"]), home, port,
        roles(ends), settings.get("routing_engine", "ftree"), settings.get("connect_roots", "").upper() == "TRUE",
        _count(settings.get("max_reverse_hops", "")), subnet,
    )  # fmt: skip


def settings_of(plan: Plan, subnet: str) -> dict[str, str]:
    """Setting -> value of one subnet; empty when the plan has no such table."""
    import polars as pl

    if not plan.has("subnet_settings"):
        return {}
    rows = plan.table("subnet_settings").filter(pl.col("subnet") == subnet).select("setting", "value")
    return dict(rows.rows())


def roles(ends: pl.DataFrame) -> NDArray[np.uint8]:
    """The class of each end port of a subnet for fat-tree routing, uint8 [rows]: `COMPUTE` or `IO`; `OTHER` where no file is.

    Ports of nodes on the compute plane are compute nodes, all other hosts I/O nodes. In a subnet without that plane (storage
    of its own) the ports of its nodes are. Without a node there is neither file, and the engine takes every host for a compute
    node; so it would with an empty list, aggregation nodes on spines among them, and refuse the tree.
    """
    import polars as pl

    node = pl.col("role") == "node"
    first = node & (pl.col("plane") == "compute")
    compute = pl.when(first.any()).then(first).otherwise(node)
    said = pl.when(~node.any()).then(OTHER).when(compute).then(COMPUTE).otherwise(IO).cast(pl.UInt8)
    return ends.select(said.alias("role"))["role"].to_numpy()


def words(guids: pl.Series) -> Words:
    """16 hex digits each -> uint64. Raises ``ValueError`` for other text."""
    return np.frombuffer(bytes.fromhex("".join(guids.to_list())), ">u8").astype(np.uint64)


def network_order(guids: Words) -> Words:
    """GUIDs as OpenSM compares them: it orders the eight bytes of the wire as a number of the host (little endian)."""
    return guids.byteswap()


def _count(text: str) -> int:
    """A setting as a count; 0 for anything that is none."""
    return int(text) if text.isascii() and text.isdigit() else 0


def _ints(column: pl.Series) -> Ints:
    return column.to_numpy().astype(np.int32)


def _sides(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Every link of the subnet once from each switch end: columns row, port, far_key, far_port."""
    import polars as pl

    switches = plan.table("switches").select("switch", "ports", "asics")
    links = plan.links.select("a_device", "a_port", "b_device", "b_port", "b_nic")
    for side in "ab":
        links = links.join(
            switches.rename({"switch": f"{side}_device", "ports": "n", "asics": "k"}), on=f"{side}_device", how="left"
        )
        run = pl.max_horizontal(pl.col("n") // pl.col("k"), 1)
        number = (
            pl.when(pl.col("k") > 1).then(pl.min_horizontal((pl.col(f"{side}_port") - 1) // run, pl.col("k") - 1)).otherwise(0)
        )
        chassis = pl.concat_str([f"{side}_device", pl.lit("#"), number.cast(pl.Int64)])
        nic = pl.concat_str([f"{side}_device", pl.lit("/"), "b_nic"]) if side == "b" else None
        key = chassis if nic is None else pl.when(pl.col("b_nic").is_null()).then(chassis).otherwise(nic)
        links = links.with_columns(key.alias(f"{side}_key")).drop("n", "k")
    both = pl.concat(
        [
            links.select(
                pl.col(f"{own}_key").alias("key"), pl.col(f"{own}_port").alias("port"),
                pl.col(f"{far}_key").alias("far_key"), pl.col(f"{far}_port").alias("far_port"),
            )
            for own, far in ("ab", "ba")
        ]
    )  # fmt: skip
    return both.join(rows, on="key", how="inner")


def _aggregation(plan: Plan, hosts: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """SHARP aggregation nodes: behind the port after the last one of their switch."""
    import polars as pl

    nodes = hosts.filter(pl.col("far_role") == "aggregation").with_columns(
        pl.col("far_key").str.strip_suffix("+agg").alias("key")
    )
    ports = plan.table("switches").select((pl.col("switch") + "#0").alias("key"), (pl.col("ports") + 1).alias("port"))
    joined = nodes.join(rows, on="key", how="inner").join(ports, on="key", how="inner")
    return joined.select("key", "port", "far_key", pl.lit(1, pl.Int64).alias("far_port"), "row", "number")


def _roots(boxes: pl.DataFrame, settings: dict[str, str]) -> Flags:
    """The switches of the root tier: the one that the settings name, else the highest that the subnet has."""
    have = set(boxes["role"].unique().to_list())
    tier = settings.get("root_tier", "")
    if tier not in have:
        tier = next((t for t in reversed(_TIERS) if t in have), "")
    found: Any = (boxes["role"] == tier).to_numpy()
    return np.asarray(found, bool)
