"""The subnet tables of a plan made by hand, for tests of what comes after them: they share no code with the plan's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence

import polars as pl

from asbuilt.base.table import Schema
from asbuilt.model.plan import Plan
from asbuilt.model.tables_subnet import (
    LIDS,
    PARTITION_MEMBERS,
    PARTITIONS,
    SERVICE_LEVELS,
    SUBNET_MANAGERS,
    SUBNET_SETTINGS,
    VL_ARBITRATION,
)
from asbuilt.plan.guids import guids, hex16

SETTINGS = (
    ("routing_engine", "ftree", "", "a tree of two tiers"),
    ("root_tier", "spine", "", "the top tier"),
    ("max_reverse_hops", "1", "", "the managers are on spines: without it ftree gives them no way to each other"),
    ("lmc", "0", "", "one LID a port"),
    ("honor_guid2lid_file", "TRUE", "", "LIDs stay after a failover"),
    ("sminfo_polling_timeout", "1000", "ms", "the master is dead after 3 s"),
    ("polling_retry_number", "3", "", "the master is dead after 3 s"),
    ("sweep_interval", "10", "s", "default of OpenSM"),
    ("qos", "TRUE", "", "two planes share the subnet"),
    ("qos_max_vls", "4", "", "lanes in use"),
    ("qos_high_limit", "255", "", "compute first"),
    ("sharp", "FALSE", "", "not in upstream OpenSM"),
    ("adaptive_routing", "TRUE", "", "the switches do it, upstream OpenSM does not"),
)


def with_subnet(plan: Plan, subnet: str = "ib0") -> Plan:
    """The plan with subnet tables for one subnet: LIDs from 100 on, managers on the service hosts or the first two NICs."""
    switches = plan.table("switches").filter((pl.col("subnet") == subnet) & ~pl.col("spare")).sort("switch")
    links = plan.links.filter(pl.col("a_device").is_in(switches["switch"].implode()))
    ports = links.filter(pl.col("b_nic").is_not_null()).sort("b_device", "b_nic")
    rows = []
    for row in switches.iter_rows(named=True):
        key = f"{row['switch']}#0"
        name = f"MF0;{row['name']}:M{row['model'].upper()}/U1"
        rows.append((key, row["switch"], None, 0, row["role"], row["plane"], name))
    for row in ports.iter_rows(named=True):
        role = "service" if row["kind"] == "service" else "node"
        rows.append(
            (
                f"{row['b_device']}/{row['b_nic']}",
                row["b_device"],
                row["b_nic"],
                row["b_port"],
                role,
                row["plane"],
                row["b_name"],
            )
        )
    made = guids(pl.Series([r[0] for r in rows]))
    numbers = pl.Series([r[3] for r in rows]).to_numpy().astype("uint64")
    lids = pl.DataFrame(rows, schema=["port", "device", "nic", "number", "role", "plane", "name"], orient="row").with_columns(
        hex16(made).alias("node_guid"), hex16(made + numbers).alias("port_guid"), pl.lit(subnet).alias("subnet"),
        pl.int_range(100, 100 + len(rows)).alias("lid"), pl.lit(0).alias("lmc"), pl.lit(0).alias("su"),
        pl.lit("assumed").alias("guid_origin"), pl.lit("all").alias("range"), pl.lit("1").alias("phase"),
    )  # fmt: skip
    hosts = lids.filter(pl.col("nic").is_not_null()).sort(pl.col("role") != "service", "port").head(2)
    managers: list[tuple[object, ...]] = [
        (subnet, ("master", "standby")[n], n, r["port"], r["device"], r["device"], r["nic"], r["port_guid"], (14, 10)[n])
        for n, r in enumerate(hosts.iter_rows(named=True))
    ]
    levels: list[tuple[object, ...]] = [(subnet, sl, sl if sl < 4 else 0, "") for sl in range(16)]
    lanes: list[tuple[object, ...]] = [(subnet, "high", 0, 1, 192), (subnet, "high", 1, 2, 128)]
    lanes += [(subnet, "low", vl, vl, 64) for vl in range(4)]
    tables: list[tuple[Schema, pl.DataFrame]] = [
        (LIDS, lids),
        (SUBNET_MANAGERS, _frame(SUBNET_MANAGERS, managers)),
        (SUBNET_SETTINGS, _frame(SUBNET_SETTINGS, [(subnet, n, v, unit, "derived", "", why) for n, v, unit, why in SETTINGS])),
        (SERVICE_LEVELS, _frame(SERVICE_LEVELS, levels)),
        (VL_ARBITRATION, _frame(VL_ARBITRATION, lanes)),
        *_partitions(lids, set(hosts["port"].to_list()), subnet),
    ]
    shaped = {schema.name: schema.conform(frame).sort(schema.order) for schema, frame in tables}
    return replace(plan, tables={**plan.tables, **shaped})


def _frame(schema: Schema, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Rows without the nullable columns at the end, which are then null."""
    width = max((len(row) for row in rows), default=len(schema.columns))
    return pl.DataFrame(rows, schema=[c.name for c in schema.columns][:width], orient="row")


def _partitions(lids: pl.DataFrame, managers: set[str], subnet: str) -> list[tuple[Schema, pl.DataFrame]]:
    """0x7fff for all (managers full), one partition per plane that has NIC ports, all of them full in it."""
    planes = lids.filter(pl.col("nic").is_not_null() & (pl.col("role") == "node"))["plane"].unique().sort().to_list()
    partitions: list[tuple[object, ...]] = [(subnet, "default", 0x7FFF, "", "", True, 4096, 200.0, 0, "derived")]
    partitions += [(subnet, p, 0x100 * (n + 1), p, "", True, 4096, 200.0, n + 1, "declared") for n, p in enumerate(planes)]
    members: list[tuple[object, ...]] = []
    for row in lids.iter_rows(named=True):
        full = row["port"] in managers
        members.append((row["port"], 0, subnet, "default", "full" if full else "limited", 0xFFFF if full else 0x7FFF))
        if row["nic"] and row["role"] == "node":
            pkey = 0x100 * (planes.index(row["plane"]) + 1)
            members.append((row["port"], 1, subnet, row["plane"], "full", 0x8000 | pkey))
    return [(PARTITIONS, _frame(PARTITIONS, partitions)), (PARTITION_MEMBERS, _frame(PARTITION_MEMBERS, members))]
