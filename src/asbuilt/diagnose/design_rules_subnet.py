"""Findings of the design checks on the InfiniBand subnet: see `design_rule.Rule`."""

from __future__ import annotations

import polars as pl

from asbuilt.diagnose import design_context as context
from asbuilt.diagnose.design_rule import Rule
from asbuilt.model.plan import Plan

_AGAIN = "put the old value back in cluster.yaml and run `asbuilt plan`"


def of_subnet(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is ``<kind>:<subnet>`` or ``<kind>:<subnet>/<what>``: adds ``subnet`` and ``what``."""
    return rows.with_columns(
        pl.col("subject").str.extract(r"^[a-z-]+:([^/]+)").alias("subnet"),
        pl.col("subject").str.extract(r"^[a-z-]+:[^/]+/(.*)$").fill_null("").alias("what"),
    )


def of_port(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is an end port: adds ``subnet role range``."""
    ports = plan.table("lids").select("subnet", "role", "range", subject="port")
    return rows.join(ports, on="subject", how="left", maintain_order="left")


SUBNET_RULES: dict[str, Rule] = {
    "DES-080": Rule(
        of_subnet,
        ("subnet",),
        "lid-ranges:{subnet}",
        "LIDs of subnet {subnet} do not fit: {what} has {found}, and needs {expected}",
        ("a lower LMC: `subnets.{subnet}.lmc`", "a wider range: `subnets.{subnet}.lid_ranges`", "smaller islands"),
        _AGAIN,
    ),
    "DES-081": Rule(
        of_subnet,
        ("subnet",),
        "lid-ranges:{subnet}",
        "ranges of LIDs of subnet {subnet} overlap: {what} has {found}, and needs {expected}",
        ("move one of the ranges: `subnets.{subnet}.lid_ranges`",),
        _AGAIN,
    ),
    "DES-082": Rule(
        of_port,
        ("subnet", "range"),
        "lids:{subnet}/{range}",
        "end ports of subnet {subnet} have no LIDs of their own in {range}: {found}, not {expected}",
        ("move or widen the range: `subnets.{subnet}.lid_ranges`",),
        _AGAIN,
    ),
    "DES-083": Rule(
        of_port,
        ("subnet",),
        "guids:{subnet}",
        "end ports share a GUID: {found}",
        ("correct the rows of `guids.csv`",),
        "put the old rows back in guids.csv and run `asbuilt plan`",
    ),
    "DES-084": Rule(
        of_subnet,
        ("subnet", "what"),
        "partition-table:{subnet}/{what}",
        "the partition table of a {what} port of subnet {subnet} is too small: {found}, {expected}",
        ("fewer tenants on one node", "one partition for several tenants"),
        _AGAIN,
    ),
    "DES-085": Rule(
        of_subnet,
        ("subnet", "what"),
        "lanes:{subnet}/{what}",
        "subnet {subnet} asks for {found}; a {what} port has {expected}",
        ("fewer lanes: `subnets.{subnet}.lanes`", "a lower `subnets.{subnet}.max_vls`"),
        _AGAIN,
    ),
    "DES-086": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "planes of subnet {subnet} that are to be kept apart share a lane: {found}",
        (
            "a service level and a lane for each: `subnets.{subnet}.lanes`",
            "service levels at all: `subnets.{subnet}.qos: true`",
        ),
        _AGAIN,
    ),
    "DES-087": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "the managers of subnet {subnet} would fail together: {found}",
        (
            "two service hosts: `planes.<plane>.service_ports`",
            "two hosts on different switches: `subnets.{subnet}.sm_hosts`",
        ),
        _AGAIN,
    ),
    "DES-088": Rule(
        of_subnet,
        ("subnet",),
        "managers:{subnet}",
        "priorities do not say which host is master of subnet {subnet}: {found}, {expected} is wanted",
        ("the master's first and highest: `subnets.{subnet}.sm_priorities`",),
        _AGAIN,
    ),
    "DES-089": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "a manager of subnet {subnet} is bound elsewhere: {found}",
        ("hosts with a port in the subnet: `subnets.{subnet}.sm_hosts`",),
        _AGAIN,
    ),
    "DES-090": Rule(
        context.as_is,
        ("found",),
        "nodes:{found}",
        "a node belongs to {found}, and one of them is to be alone on its nodes",
        ("take the node out of one tenant's `nodes`", "let them share: `exclusive: false`"),
        _AGAIN,
    ),
    "DES-091": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "ports of subnet {subnet} are planned with {found}; OpenSM has one for all",
        ("state it once: `subnets.{subnet}.lmc`",),
        _AGAIN,
    ),
    "DES-092": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "{what} is asked of subnet {subnet}, and {found}",
        ("do without: `subnets.{subnet}.{what}: false`", "switches that all have it"),
        _AGAIN,
    ),
    "DES-093": Rule(
        of_port,
        ("subnet", "role", "found"),
        "ports:{subnet}/{role}",
        "{role} ports of subnet {subnet} are {found} of the default partition: {expected} is wanted",
        ("plan the subnet again: `asbuilt plan`",),
        "nothing was changed",
    ),
    "DES-094": Rule(
        of_subnet,
        ("subnet", "found"),
        "partitions:{subnet}",
        "partitions of subnet {subnet} have one key: {found}",
        ("a key for each: `planes.<plane>.pkey`, `tenants[].pkey`",),
        _AGAIN,
    ),
    "DES-096": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "OpenSM cannot route subnet {subnet} as planned: {found}",
        ("one LID a port: `subnets.{subnet}.lmc: 0`", "another engine: `subnets.{subnet}.routing_engine: updn`"),
        _AGAIN,
    ),
    "DES-095": Rule(
        of_subnet,
        ("subject",),
        "{subject}",
        "virtual lane {what} of subnet {subnet} carries traffic and is never sent: {found}",
        ("a weight: `subnets.{subnet}.lanes.<plane>.low_weight`",),
        _AGAIN,
    ),
}
