"""partitions.conf and qos-policy.conf: who may talk to whom, and on which service level.

The default partition 0x7fff is always written: without a rule OpenSM makes every port a full member of it. One member
a line, so that no line meets the reader's buffer of 4,096 bytes and every line can name its row of the plan; the ``;``
stands behind the last member, for on a line of its own the reader runs past its end. OpenSM answers a bad line with
``PARSE ERROR`` in its log and then runs with the default partition alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from asbuilt.artefacts.names import refuse_texts
from asbuilt.artefacts.opensm_text import comment, mtu_code, rate_code
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

DEFAULT_PKEY = 0x7FFF  # IBTA 10.9.1.2: the default partition key


def of_subnet(plan: Plan, subnet: str) -> pl.DataFrame:
    """The partitions of one subnet, the default one first, then by key. Raises `ProblemError` ART-001 for a bad name."""
    import polars as pl

    rows = plan.table("partitions").filter(pl.col("subnet") == subnet)
    refuse_texts(rows["partition"], ":,;=#'\" \t", "partitions.conf", 64, fix="rename the plane or tenant in cluster.yaml")
    return rows.sort(pl.col("pkey") != DEFAULT_PKEY, "pkey", "partition")


def partitions_conf(plan: Plan, subnet: str) -> bytes:
    """The file of one subnet; membership from `partition_members`, one port a line, sorted by GUID."""
    import polars as pl

    ports = plan.table("lids").filter(pl.col("subnet") == subnet).select("port", "port_guid")
    members = plan.table("partition_members").filter(pl.col("subnet") == subnet)
    members = members.select("port", "partition", "membership").join(ports, on="port", how="left").sort("port_guid", "port")
    lines = comment(f"Partitions of subnet {subnet}. MTU and rate are IBTA codes; a member is a port GUID.")
    rows = of_subnet(plan, subnet)
    if DEFAULT_PKEY not in rows["pkey"]:
        lines += ["", *comment("no row of partitions: OpenSM must not fall back to full membership for every port")]
        lines += [f"Default=0x{DEFAULT_PKEY:04x} : ALL=limited ;"]
    for row in rows.iter_rows(named=True):
        lines += ["", *_partition(row, members.filter(pl.col("partition") == row["partition"]))]
    return ("\n".join(lines) + "\n").encode()


def _partition(row: Mapping[str, Any], members: pl.DataFrame) -> list[str]:
    """One definition. The default partition holds every port, so its commoner membership is one word for all."""
    import polars as pl

    ends: list[tuple[str, str]] = []
    default = row["pkey"] == DEFAULT_PKEY
    name = "Default" if default else row["partition"]
    flags = ["ipoib"] if row["ipoib"] else []
    flags += [f"sl={row['sl']}", f"mtu={mtu_code(row['mtu_bytes'])}", f"rate={rate_code(row['rate_gbps'])}"]
    origin = f"partitions {row['subnet']} {row['partition']} ({row['origin']})"
    lines = comment(f"{origin}: {row['mtu_bytes']} bytes, {row['rate_gbps']:g} Gb/s, {members.height} members")
    head = f"{name}=0x{row['pkey']:04x}, {', '.join(flags)}"
    if default:
        limited = members["membership"].eq("limited").any() or not members.height
        listed = members.filter(pl.col("membership") == "full") if limited else members.clear()
        ends = [(f"ALL={'limited' if limited else 'full'}", "")]
    else:
        listed = members
    entries = listed.select(pl.format("0x{}={}", "port_guid", "membership"), pl.format(" # partition_members {}", "port"))
    ends += [(entry, key) for entry, key in entries.iter_rows()]
    if not ends:
        return [*lines, f"{head} : ;"]
    body = [f"  {entry},{key}" for entry, key in ends[:-1]] + [f"  {entry} ;{key}" for entry, key in ends[-1:]]
    return [*lines, f"{head} :", *body]


def qos_policy(plan: Plan, subnet: str) -> bytes:
    """The simple form (qos-ulps): one rule per partition with a service level of its own, the default level for the rest."""
    lines = comment(f"Service levels of subnet {subnet}: a rule of a partition key that OpenSM does not know is ERR AC14.")
    rows = of_subnet(plan, subnet).to_dicts()
    base = next((row for row in rows if row["pkey"] == DEFAULT_PKEY), None)
    lines.append("qos-ulps")
    lines += [f"  {line}" for line in comment(f"partitions {subnet} {base['partition']}" if base else "no default partition")]
    lines.append(f"  default : {base['sl'] if base else 0}")
    for row in rows:
        if row["pkey"] != DEFAULT_PKEY:
            lines += [f"  {line}" for line in comment(f"partitions {subnet} {row['partition']}")]
            lines.append(f"  any, pkey 0x{row['pkey']:04x} : {row['sl']}")
    return ("\n".join([*lines, "end-qos-ulps"]) + "\n").encode()
