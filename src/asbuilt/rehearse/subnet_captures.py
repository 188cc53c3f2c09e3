"""The embedded twin's answers of a subnet beyond its cables: ports, LIDs, partitions, lanes, routes, managers, hosts.

By the rules that the plan gives its subnet manager, with whatever the faults made of them: no subnet manager runs here, and
`rehearse --engine opensm` holds the same against a real one. Equal arguments give equal bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.card_guids import answered
from asbuilt.rehearse.forwarding_answers import route_text
from asbuilt.rehearse.host_answers import ibstat_text
from asbuilt.rehearse.link_answers import link_text
from asbuilt.rehearse.port_answers import arbitration_texts, lane_texts, partition_texts, state_texts
from asbuilt.rehearse.port_states import ACTIVE, nic_states
from asbuilt.rehearse.sminfo_answers import manager_text
from asbuilt.rehearse.twin import subnet_facts

if TYPE_CHECKING:
    import polars as pl

Captures = tuple[Capture, ...]


def subnet_captures(plan: Plan, built: Built, seed: int = 0) -> Captures:
    """Captures of every InfiniBand subnet that the plan gives LIDs: iblinkinfo, smpquery, sminfo, ibstat, ibroute."""
    import polars as pl

    if not plan.has("lids"):
        return ()
    plan = answered(plan, seed)
    found: list[Capture] = []
    for subnet in plan.table("lids")["subnet"].unique().sort():
        devices, links = subnet_facts(plan, built, subnet, seed)
        managers = plan.table("subnet_managers").filter(pl.col("subnet") == subnet).sort("number")
        lids = plan.table("lids").select("port", "lid")
        managers = managers.join(lids, on="port", how="left", maintain_order="left")
        master = managers.filter(~pl.col("node").is_in(list(built.idle_managers)))["lid"].head(1).to_list()
        states = nic_states(plan, built, subnet)
        asics = _asic_ports(plan, subnet)
        texts = {
            "iblinkinfo": link_text(devices, links, asics),
            "smpquery": _port_text(plan, built, subnet, states, devices, links, (master or [0])[0]),
            "sminfo": manager_text(managers, built.idle_managers),
            "ibstat": _host_text(plan, states, (master or [0])[0]),
        }
        if asics.is_empty():  # the planes of such chassis do not meet: what a manager would route there is not known
            texts["ibroute"] = route_text(plan, built, subnet, devices)
        found += [Capture(f"{tool}-{subnet}", text, tool, subnet) for tool, text in texts.items()]
    return tuple(found)


def _asic_ports(plan: Plan, subnet: str) -> pl.DataFrame:
    """guid, first, last: the ports of each ASIC of chassis with several, which are dealt out in equal runs."""
    import polars as pl

    ends = plan.table("lids").filter((pl.col("subnet") == subnet) & (pl.col("number") == 0))
    chassis = plan.table("switches").filter(pl.col("asics") > 1).select(pl.col("switch").alias("device"), "ports", "asics")
    number = pl.col("port").str.extract(r"#(\d+)$", 1).cast(pl.Int64)
    run = pl.col("ports") // pl.col("asics")
    last = pl.when(number == pl.col("asics") - 1).then("ports").otherwise((number + 1) * run)
    found = ends.join(chassis, on="device", how="inner")
    return found.select(pl.col("node_guid").alias("guid"), (number * run + 1).alias("first"), last.alias("last"))


def _port_text(
    plan: Plan, built: Built, subnet: str, states: pl.DataFrame, devices: pl.DataFrame, links: pl.DataFrame, master: int
) -> bytes:
    """State, partitions, lanes and arbitration of every port that answers, port after port."""
    import polars as pl

    rows = {
        t: plan.table(t).filter(pl.col("subnet") == subnet) for t in ("service_levels", "vl_arbitration", "subnet_settings")
    }
    told = dict(rows["subnet_settings"].select("setting", "value").rows())
    settings = {
        "manager_lid": master,
        "lanes": int(told.get("qos_max_vls", "1")),
        "high_limit": int(told.get("qos_high_limit", "0")),
        "mtu_bytes": int(told.get("mtu_bytes", "4096")),
    }
    nics, external = _nic_ports(states, links), _switch_ports(devices, links)
    ports = pl.concat([nics.select(external.columns), external])
    ends = pl.concat([nics.select("port", "lid", "number"), _switch_ends(plan, devices)])
    limited = [f"{node}/{nic}" for node, nic in built.limited]
    parts = [
        state_texts(ports, settings),
        partition_texts(ends, plan.table("partition_members"), limited),
        lane_texts(ports, rows["service_levels"]),
        arbitration_texts(ports, rows["vl_arbitration"]),
    ]
    answers = pl.concat([p.with_columns(pl.lit(i).alias("turn")) for i, p in enumerate(parts)])
    return "".join(answers.sort("lid", "number", "turn")["text"].to_list()).encode()


def _nic_ports(states: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """NIC ports that answer to their LID: port, lid, number, inputs (0), lmc, state, width, speed."""
    import polars as pl

    shown = links.select("port_guid", "width", "speed").drop_nulls("port_guid").unique("port_guid", keep="first")
    ports = states.filter(pl.col("state") == ACTIVE).join(shown, on="port_guid", how="left")
    return ports.select(
        "port", "lid", "number", pl.lit(0, dtype=pl.Int64).alias("inputs"), "lmc", "state", pl.col("width").fill_null(4),
        pl.col("speed").fill_null(""),
    )  # fmt: skip


def _switch_ports(devices: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """External ports of switches with a link, without those of aggregation nodes: lid, number, inputs (ports of the switch)."""
    import polars as pl

    inner = devices.filter(pl.col("kind") == "aggregation")["guid"]
    known = devices.filter(pl.col("kind") == "switch").select(
        "guid", pl.col("lid").alias("own"), pl.col("ports").alias("inputs")
    )
    ports = links.filter(~pl.col("peer_guid").is_in(inner.implode())).join(known, on="guid", how="inner")
    return ports.select(
        pl.col("own").alias("lid"), pl.col("port").alias("number"), "inputs", pl.lit(0, dtype=pl.Int64).alias("lmc"),
        pl.lit(ACTIVE).alias("state"), "width", "speed",
    )  # fmt: skip


def _switch_ends(plan: Plan, devices: pl.DataFrame) -> pl.DataFrame:
    """Port 0 of every switch that is seen: port, lid, number."""
    import polars as pl

    seen = devices.filter(pl.col("kind") == "switch")["lid"]
    return (
        plan.table("lids").filter((pl.col("number") == 0) & pl.col("lid").is_in(seen.implode())).select("port", "lid", "number")
    )


def _host_text(plan: Plan, states: pl.DataFrame, master: int) -> bytes:
    """``ibstat`` of every host with a port in the subnet."""
    import polars as pl

    hosts = plan.table("nodes").select(pl.col("node").alias("device"), pl.col("name").alias("host"))
    parts = plan.table("nics").select(pl.col("node").alias("device"), pl.col("device").alias("nic"), "part")
    return ibstat_text(states.join(hosts, on="device", how="left"), parts, master)
