"""What captures of a subnet that is exactly as planned would tell, as fact tables: tests break single rows of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from asbuilt.model.facts import SUBJECT, Facts
from asbuilt.model.facts_subnet import (
    HCA_FACTS,
    NAME_FACTS,
    PKEY_FACTS,
    PORT_FACTS,
    SL2VL_FACTS,
    SM_FACTS,
    SM_LOG_FACTS,
    VLARB_FACTS,
)
from asbuilt.model.plan import Plan

WORDS = {100.0: "EDR", 200.0: "HDR", 400.0: "NDR", 800.0: "XDR"}
c_subnet = pl.col("subnet")
INFINIBAND = pl.col("role") != "aggregation"


def perfect(plan: Plan) -> Facts:
    """Facts of every kind, as if each port of the plan had been asked and had answered as planned.

    Of a plan with several subnets each has captures of its own, that say which.
    """
    subnets = plan.table("lids")["subnet"].unique().sort().to_list()
    frames: dict[str, list[pl.DataFrame]] = {}
    details: dict[str, Any] = {}
    for subnet in subnets:
        of = {n: f.filter(c_subnet == subnet) for n, f in plan.tables.items() if "subnet" in f.columns and n != "switches"}
        for maker in (_ports, _hcas, _names, _pkeys, _sl2vl, _vlarb, _managers, _log):
            for name, frame in maker(replace(plan, tables={**plan.tables, **of})).items():
                if len(subnets) > 1:
                    frame = frame.with_columns((pl.col("capture_id") + f"-{subnet}").alias("capture_id"))
                    details |= {f"{SUBJECT}{frame['capture_id'][0]}": subnet}
                frames.setdefault(name, []).append(frame)
    return Facts({name: pl.concat(parts) for name, parts in frames.items()}, details=details)


def changed(facts: Facts, table: str, where: pl.Expr, **values: Any) -> Facts:
    """``facts`` with ``values`` in the rows of ``table`` that ``where`` hits; it must hit some."""
    frame = facts.tables[table]
    assert frame.filter(where).height
    new = [pl.when(where).then(pl.lit(v, dtype=frame.schema[c])).otherwise(pl.col(c)).alias(c) for c, v in values.items()]
    return Facts({**facts.tables, table: frame.with_columns(new)})


def without(facts: Facts, *tables: str) -> Facts:
    """``facts`` without captures of these kinds."""
    return Facts({name: frame for name, frame in facts.tables.items() if name not in tables})


def only(facts: Facts, *tables: str) -> Facts:
    """``facts`` with captures of these kinds alone."""
    return Facts({name: facts.tables[name] for name in tables})


def dropped(facts: Facts, table: str, where: pl.Expr) -> Facts:
    """``facts`` without the rows of ``table`` that ``where`` hits; it must hit some."""
    frame = facts.tables[table]
    assert frame.filter(where).height
    return Facts({**facts.tables, table: frame.filter(~where)})


def _lined(frame: pl.DataFrame, capture: str) -> pl.DataFrame:
    return frame.with_columns(pl.lit(capture).alias("capture_id"), pl.int_range(1, pl.len() + 1).alias("line"))


def external(plan: Plan) -> pl.DataFrame:
    """Every port of the subnet: guid, lid, port, and what its link is planned to be."""
    ends = plan.table("lids").filter(INFINIBAND)
    who = pl.when(pl.col("nic").is_null()).then("device").otherwise(pl.format("{}/{}", "device", "nic"))
    ends = ends.select(who.alias("who"), "node_guid", "port_guid", "lid", "name", "lmc", "nic", "subnet")
    links = plan.links.with_columns(
        pl.when(pl.col("b_nic").is_null()).then("b_device").otherwise(pl.format("{}/{}", "b_device", "b_nic")).alias("b_who"),
        pl.col("a_device").alias("a_who"),
    )
    sides = []
    for mine, other in (("a", "b"), ("b", "a")):
        side = links.select(
            pl.col(f"{mine}_who").alias("who"), pl.col(f"{mine}_port").alias("port"), "rate_gbps",
            pl.col(f"{other}_who").alias("far"), pl.col(f"{other}_port").alias("peer_port"),
        )  # fmt: skip
        sides.append(side.join(ends, on="who", how="inner"))
    far = ends.select(pl.col("who").alias("far"), pl.col("node_guid").alias("peer_guid"), pl.col("lid").alias("peer_lid"),
                      pl.col("name").alias("peer_description"))  # fmt: skip
    return pl.concat(sides).join(far, on="far", how="left").sort("who", "port")


def _ports(plan: Plan) -> dict[str, pl.DataFrame]:
    rows = external(plan)
    mtu = int(plan.table("partitions")["mtu_bytes"].max())  # type: ignore[arg-type]
    settings = dict(plan.table("subnet_settings").select("setting", "value").rows())
    frame = rows.select(
        pl.col("node_guid").alias("guid"), "lid", "port", "port_guid",
        pl.when(pl.col("nic").is_null()).then(pl.lit("switch")).otherwise(pl.lit("ca")).alias("kind"),
        pl.col("name").alias("description"), pl.lit("active").alias("state"), pl.lit("linkup").alias("phys_state"),
        pl.lit(4).alias("width"), pl.col("rate_gbps").replace_strict(WORDS, default=None).alias("speed"),
        "peer_guid", "peer_lid", "peer_port", "peer_description", pl.lit(mtu).alias("mtu_bytes"), "lmc",
        pl.lit(int(settings["qos_max_vls"])).alias("vls"), pl.lit(int(settings["qos_high_limit"])).alias("high_limit"),
    )  # fmt: skip
    return {"port_facts": PORT_FACTS.conform(_lined(frame, "ports"))}


def _hcas(plan: Plan) -> dict[str, pl.DataFrame]:
    nics = plan.table("lids").filter(pl.col("nic").is_not_null())
    hosts = plan.table("nodes").select(pl.col("node").alias("device"), pl.col("name").alias("host"))
    frame = nics.join(hosts, on="device").select(
        "host", pl.col("nic").alias("device"), pl.col("number").alias("port"), "node_guid", "port_guid",
        pl.lit("infiniband").alias("link_layer"), pl.lit("active").alias("state"), pl.lit("linkup").alias("phys_state"),
        "lid", "lmc",
    )  # fmt: skip
    return {"hca_facts": HCA_FACTS.conform(_lined(frame, "hosts"))}


def _names(plan: Plan) -> dict[str, pl.DataFrame]:
    ends = plan.table("lids").filter(INFINIBAND)
    frame = ends.select(pl.col("node_guid").alias("guid"), "lid", pl.col("name").alias("description"), "port_guid")
    return {"name_facts": NAME_FACTS.conform(_lined(frame, "names"))}


def _pkeys(plan: Plan) -> dict[str, pl.DataFrame]:
    ends = plan.table("lids").filter(INFINIBAND).select("port", "lid")
    frame = plan.table("partition_members").join(ends, on="port").select("lid", "index", "entry")
    return {"pkey_facts": PKEY_FACTS.conform(_lined(frame, "pkeys"))}


def _sl2vl(plan: Plan) -> dict[str, pl.DataFrame]:
    lanes = ",".join(str(vl) for vl in plan.table("service_levels").sort("sl")["vl"])
    frame = external(plan).select(pl.col("node_guid").alias("guid"), "lid", "port", pl.lit(0).alias("in_port"))
    return {"sl2vl_facts": SL2VL_FACTS.conform(_lined(frame.with_columns(pl.lit(lanes).alias("lanes")), "sl2vl"))}


def _vlarb(plan: Plan) -> dict[str, pl.DataFrame]:
    table = plan.table("vl_arbitration").select("priority", "index", "vl", "weight")
    frame = external(plan).select(pl.col("node_guid").alias("guid"), "lid", "port").join(table, how="cross")
    return {"vlarb_facts": VLARB_FACTS.conform(_lined(frame, "vlarb"))}


def _managers(plan: Plan) -> dict[str, pl.DataFrame]:
    lids = plan.table("lids").select("port", "lid")
    frame = plan.table("subnet_managers").join(lids, on="port").select(
        "lid", pl.col("port_guid").alias("guid"), "priority", pl.col("role").alias("state"), pl.lit(True).alias("listed")
    )  # fmt: skip
    return {"sm_facts": SM_FACTS.conform(_lined(frame, "managers"))}


def _log(plan: Plan) -> dict[str, pl.DataFrame]:
    frame = pl.DataFrame({"code": ["SUBNET UP"], "what": ["subnet_up"], "message": ["SUBNET UP"]})
    return {"sm_log_facts": SM_LOG_FACTS.conform(_lined(frame, "log"))}
