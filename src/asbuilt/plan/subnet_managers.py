"""Where the subnet managers run: two service hosts of the subnet, or hosts that the requirement names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.tables_subnet import SUBNET_MANAGERS
from asbuilt.plan.subnet_scene import Scene

if TYPE_CHECKING:
    import polars as pl

#: The higher number is master (IBTA vol. 1, 14.4.1; 0 to 15). Both leave room above and below for a third.
PRIORITIES = (14, 10)


def managers_table(
    scenes: list[Scene], lids: pl.DataFrame, nodes: pl.DataFrame, links: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """Table `SUBNET_MANAGERS` and warnings. Raises ``ProblemError`` PLN-013 for named hosts without a port in the subnet.

    Default: the first two service hosts. Without these the first node and one in another rack and on another switch stand
    in, with a warning: a compute node is rebooted with every job problem, and takes the subnet's master with it.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    problems: list[Problem] = []
    for scene in scenes:
        ports = lids.filter((pl.col("subnet") == scene.name) & pl.col("nic").is_not_null())
        ports = ports.join(nodes.select("node", "rack", shown="name"), left_on="device", right_on="node", how="left")
        if scene.wish.sm_hosts:
            chosen, lacking = _named(scene, ports)
            problems += lacking
        else:
            chosen = _chosen(ports, links)
            if chosen and chosen[0]["role"] != "service":
                names = " and ".join(c["shown"] for c in chosen)
                warnings.append(
                    f"subnet {scene.name}: no service host is planned; its subnet managers stand on {names} (assumed): "
                    "plan `service_ports`, or name `sm_hosts`"
                )
        wanted = scene.wish.sm_priorities or PRIORITIES
        for number, port in enumerate(chosen):
            rows.append(
                {
                    "subnet": scene.name,
                    "role": "master" if number == 0 else "standby",
                    "number": number,
                    "port": port["port"],
                    "node": port["device"],
                    "name": port["shown"],
                    "device": port["nic"],
                    "port_guid": port["port_guid"],
                    "priority": wanted[number] if number < len(wanted) else max(0, wanted[-1] - number + len(wanted) - 1),
                }
            )
    if problems:
        raise ProblemError(problems)
    frame = pl.DataFrame(rows, schema=SUBNET_MANAGERS.polars()) if rows else SUBNET_MANAGERS.empty()
    return SUBNET_MANAGERS.conform(frame.sort("subnet", "number")), warnings


#: Racks among whose first nodes a stand-in for a second host is looked for.
_RACKS = 64


def _chosen(ports: pl.DataFrame, links: pl.DataFrame) -> list[dict[str, Any]]:
    """The two service hosts, or two nodes as far apart as the first racks allow."""
    import polars as pl

    services = ports.filter(pl.col("role") == "service").sort("lid")
    if services.height:
        return services.head(2).to_dicts()
    racks = ports.sort("lid")["rack"].unique(maintain_order=True).head(_RACKS)
    near = ports.filter(pl.col("rack").is_in(racks.implode())).sort("lid").unique(["rack", "nic"], keep="first")
    ends = links.filter(pl.col("b_device").is_in(near["device"].unique().implode()))
    ends = ends.select(device="b_device", nic="b_nic", switch="a_device").unique(["device", "nic"], keep="first")
    rows = near.join(ends, on=["device", "nic"], how="left").sort("lid").to_dicts()
    if not rows:
        return []
    first = rows[0]

    def apart(row: dict[str, Any]) -> tuple[bool, ...]:
        return tuple(row[what] == first[what] for what in ("device", "switch", "rack"))

    other = min(rows, key=lambda row: (apart(row), row["lid"]))
    if other["device"] != first["device"]:
        return [first, other]
    more = ports.filter(pl.col("device") != first["device"]).sort("lid").head(1)
    return [first, *more.to_dicts()]


def _named(scene: Scene, ports: pl.DataFrame) -> tuple[list[dict[str, Any]], list[Problem]]:
    """The first port in the subnet of each host that the requirement names."""
    import polars as pl

    chosen, problems = [], []
    for name in scene.wish.sm_hosts or ():
        mine = ports.filter((pl.col("device") == name) | (pl.col("shown") == name)).sort("lid").head(1)
        if mine.height:
            chosen += mine.to_dicts()
            continue
        fix = nearest(name, ports["shown"].unique().to_list()[:20_000], "did you mean ") or "`asbuilt show lids` lists them"
        why = "a subnet manager reaches its subnet through a port in it"
        what = f"subnets.{scene.base}.sm_hosts: {name} has no port in subnet {scene.name}"
        problems.append(Problem("PLN-013", what, why=why, fix=fix))
    return chosen, problems
