"""Partitions of a subnet and the partition table of every end port, in the order that upstream OpenSM fills it.

The default partition 0x7fff is always there: every end port is a limited member, the subnet managers' hosts are full ones.
Two limited members do not reach each other, so the default partition carries management and nothing between nodes. Each plane
has a partition with its ports as full members. Ports of a tenant's nodes are full members of the tenant's partition and leave
those of its planes, but for storage, where they stay as limited members: they reach the storage servers, not each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.requirement import Tenant
from asbuilt.model.tables_subnet import PARTITION_MEMBERS, PARTITIONS
from asbuilt.plan.subnet_lanes import Lanes
from asbuilt.plan.subnet_scene import Scene

if TYPE_CHECKING:
    import polars as pl

#: IBTA vol. 1, 10.9.1.2: the partition that every port belongs to when it is switched on.
DEFAULT_PKEY = 0x7FFF
FULL_BIT = 0x8000
DEFAULT = "default"
#: Keys of planes that name none.
PLANE_PKEYS = {"compute": 0x100, "storage": 0x200, "frontend": 0x300, "management": 0x400, "oob": 0x500}
#: 4096 bytes is what Quantum switches and ConnectX cards run; IPoIB groups of a smaller MTU would cap every member.
MTU_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition of one subnet."""

    name: str
    pkey: int
    plane: str
    tenant: str
    sl: int
    rate_gbps: float
    origin: str
    exclusive: bool | None = None


def partitions(design: Design, scene: Scene, lanes: Lanes) -> list[Partition]:
    """The partitions of a subnet: default, one a plane, one a tenant with ports in it."""
    slowest = min((float(p.link_gbps) for p in scene.planes), default=0.0)
    out = [Partition(DEFAULT, DEFAULT_PKEY, "", "", 0, slowest, "derived")]
    tenants = [t for t in design.requirement.tenants if tenant_planes(t, scene)]
    taken = {p.pkey for p in scene.planes if p.pkey} | {t.pkey for t in tenants} | {DEFAULT_PKEY}
    for plane in scene.planes:
        key = plane.pkey or _free(PLANE_PKEYS[plane.name], taken)
        taken.add(key)
        origin = "declared" if plane.pkey else "assumed"
        out.append(Partition(plane.name, key, plane.name, "", lanes.sl_of(plane.name), float(plane.link_gbps), origin))
    for tenant in tenants:
        planes = tenant_planes(tenant, scene)
        rate = min(float(p.link_gbps) for p in planes)
        one = planes[0].name if len(planes) == 1 else ""
        sl = lanes.sl_of(planes[0].name)
        out.append(Partition(tenant.name, tenant.pkey, one, tenant.name, sl, rate, "declared", tenant.exclusive))
    return out


def tenant_planes(tenant: Tenant, scene: Scene) -> list[PlaneDesign]:
    """The planes of a subnet that a tenant has ports in; every one where it names none."""
    return [p for p in scene.planes if tenant.planes is None or p.name in tenant.planes]


def _free(key: int, taken: set[int]) -> int:
    while key in taken:
        key += 1
    return key


def partitions_table(parts: list[tuple[Scene, list[Partition]]]) -> pl.DataFrame:
    """Table `PARTITIONS`."""
    import polars as pl

    rows = [
        {
            "subnet": scene.name,
            "partition": p.name,
            "pkey": p.pkey,
            "plane": p.plane,
            "tenant": p.tenant,
            "ipoib": True,
            "mtu_bytes": scene.wish.mtu_bytes or MTU_BYTES,
            "rate_gbps": p.rate_gbps,
            "sl": p.sl,
            "origin": p.origin,
            "exclusive": p.exclusive,
        }
        for scene, held in parts
        for p in held
    ]
    frame = pl.DataFrame(rows, schema=PARTITIONS.polars()) if rows else PARTITIONS.empty()
    return PARTITIONS.conform(frame.sort("subnet", "partition"))


def members_table(
    design: Design,
    parts: list[tuple[Scene, list[Partition]]],
    lids: pl.DataFrame,
    managers: pl.DataFrame,
    names: pl.DataFrame,
) -> pl.DataFrame:
    """Table `PARTITION_MEMBERS`: for each end port its entries in table order. ``names`` is the table of nodes.

    Order as upstream OpenSM 3.3.23 fills an empty table, found by trying: the default partition first, then rising keys with
    their two bytes swapped (0x0100 before 0x0200 before 0x0050).
    """
    import polars as pl

    if lids.is_empty():
        return PARTITION_MEMBERS.empty()
    of_tenant = _tenant_nodes(design, lids, names)
    frames = []
    numbered = lids.select("port", "subnet", "device", "role", "plane").with_row_index("row")
    for scene, held in parts:
        ports = numbered.filter(pl.col("subnet") == scene.name).drop("subnet")
        for order, partition in enumerate(sorted(held, key=_table_order)):
            mine = _members(scene, partition, ports, of_tenant, managers)
            frames.append(
                mine.select(
                    "row",
                    pl.lit(order, dtype=pl.Int64).alias("order"),
                    pl.lit(scene.name).alias("subnet"),
                    pl.lit(partition.name).alias("partition"),
                    pl.when("full").then(pl.lit("full")).otherwise(pl.lit("limited")).alias("membership"),
                    (pl.lit(partition.pkey, pl.Int64) + pl.col("full").cast(pl.Int64) * FULL_BIT).alias("entry"),
                )
            )
    frame = pl.concat(frames).sort("row", "order")  # end ports are sorted by key: their row is its rank
    first = pl.col("row").search_sorted(pl.col("row")).cast(pl.Int64)
    frame = frame.with_columns(
        lids["port"].gather(frame["row"]).alias("port"), (pl.int_range(pl.len(), dtype=pl.Int64) - first).alias("index")
    )
    return PARTITION_MEMBERS.conform(frame.select(PARTITION_MEMBERS.names))


def _table_order(partition: Partition) -> int:
    swapped = (partition.pkey & 0xFF) << 8 | partition.pkey >> 8
    return -1 if partition.pkey == DEFAULT_PKEY else swapped


def _members(
    scene: Scene, partition: Partition, ports: pl.DataFrame, of_tenant: dict[str, pl.DataFrame], managers: pl.DataFrame
) -> pl.DataFrame:
    """The member ports of a partition: ``row`` in the table of end ports, and whether it is a full member."""
    import polars as pl

    if partition.pkey == DEFAULT_PKEY:
        hosts = managers.filter(pl.col("subnet") == scene.name)["port"]
        return ports.select("row", pl.col("port").is_in(hosts.implode()).alias("full"))
    nics = ports.filter(pl.col("role") == "node")
    if partition.tenant:
        own = of_tenant[partition.tenant]
        return nics.join(own, on=["device", "plane"], how="semi").select("row", pl.lit(True).alias("full"))
    mine = nics.filter(pl.col("plane") == partition.plane)
    if not of_tenant:
        return mine.select("row", pl.lit(True).alias("full"))
    let = pl.concat(of_tenant.values()).unique()
    held = mine.join(let.with_columns(pl.lit(False).alias("full")), on=["device", "plane"], how="left", maintain_order="left")
    held = held.with_columns(pl.col("full").fill_null(True))
    if partition.plane != "storage":
        held = held.filter("full")
    return held.select("row", "full")


def _tenant_nodes(design: Design, lids: pl.DataFrame, names: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Per tenant its (device, plane) pairs. Raises ``ProblemError`` PLN-012 for nodes that the plan does not have."""
    import polars as pl

    tenants = design.requirement.tenants
    if not tenants:
        return {}
    nodes = lids.filter(pl.col("role") == "node").select("device", "plane")
    nodes = nodes.join(names.select(device="node", called="name"), on="device", how="left")
    known: dict[str, str] = dict(nodes.select("called", "device").unique().rows())
    known |= {device: device for device in known.values()}
    out: dict[str, pl.DataFrame] = {}
    problems: list[Problem] = []
    for at, tenant in enumerate(tenants):
        asked = _hosts(tenant)
        found = {known[name] for name in asked if name in known}
        lacking = [name for name in asked if name not in known]
        if lacking:
            shown = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
            what = f"tenants[{at}].nodes: {shown}: not nodes of this plan with a port in an InfiniBand subnet"
            fix = "`asbuilt show nodes` lists the names"
            problems.append(Problem("PLN-012", what, why="a tenant is made of planned nodes", fix=fix))
        mine = nodes.filter(pl.col("device").is_in(list(found)))
        if tenant.planes is not None:
            mine = mine.filter(pl.col("plane").is_in(list(tenant.planes)))
        out[tenant.name] = mine.select("device", "plane").unique()
    if problems:
        raise ProblemError(problems)
    return out


def _hosts(tenant: Tenant) -> list[str]:
    try:
        return list(Hosts.parse(tenant.nodes))
    except HostNameError:  # the requirement's own rule says so with its line
        return [tenant.nodes]
