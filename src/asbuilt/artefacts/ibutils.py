"""ibutils: the planned topology of each InfiniBand subnet (``.topo``), and one type file (``.ibnl``) per kind of device.

`ibdmchk -t` checks the plan for credit loops before any hardware is there, `ibtopodiff` compares it with what OpenSM
found. Both find the types in the folder that ``IBDM_IBNL_PATH`` names. A host is one system with its adapters in the
subnet as ``U1``, ``U2``, …; ``<subnet>.names.tsv`` says which device each is, for the tools know only ``<host> HCA-<n>``.
Grammar: ibdm-topo-file(1), ibdm-ibnl-file(1) of ibutils 1.5.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import identity
from asbuilt.artefacts.names import refuse_texts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "topo"
WRITES = "ibutils topology per InfiniBand subnet (ibutils/<subnet>.topo), with the type of each device (.ibnl)"
LOST = (
    "width and rate of every link: all are 4x 10G, for ibutils knows no speed past 10G a lane and no width of 2x",
    "the ASICs of a chassis: each switch is one node with all its ports",
    "spare switches and aggregation nodes: neither has a cable",
)
LINK = "-4x-10G->"


def topo(plan: Plan) -> dict[str, bytes]:
    """File name -> text: topology and names of each subnet with links, and the types of all. Equal plans, equal bytes.

    Raises `ProblemError` ART-001 for a name that the grammar cannot carry (blank, slash, comment sign).
    """
    import polars as pl

    files: dict[str, bytes] = {}
    if not plan.has("subnets"):
        return files
    subnets = plan.table("subnets").filter(pl.col("technology") == "infiniband")["subnet"].sort()
    for subnet in subnets:
        switches = plan.table("switches").filter((pl.col("subnet") == subnet) & ~pl.col("spare"))
        links = plan.links.filter(pl.col("a_device").is_in(switches["switch"].implode()))
        if links.height:
            files |= _subnet(plan, subnet, switches, links)
    return files


def _subnet(plan: Plan, subnet: str, switches: pl.DataFrame, links: pl.DataFrame) -> dict[str, bytes]:
    """One subnet: every link stands once, below its reference end."""
    import polars as pl

    chips = switches.select(
        pl.col("switch").alias("device"),
        pl.col("name").alias("system"),
        "model",
        "ports",
        pl.format("{}_{}", pl.col("model").str.to_uppercase().str.replace_all("[^A-Z0-9]", "_"), "ports").alias("type"),
    )
    adapters = _adapters(plan, links)
    refuse_texts(pl.concat([chips["system"], adapters["system"]]), "/ #\"'\\<>", "an ibutils topology", 64, "-")
    hosts = adapters.select("device", "nic", "system", "type", "unit")
    ends = links.join(chips.select("device", "system", "type"), left_on="a_device", right_on="device")
    far = pl.concat(
        [
            hosts.rename({"system": "b_system", "type": "b_type"}),
            chips.select("device", nic=pl.lit(None, dtype=pl.String), b_system="system", b_type="type",
                         unit=pl.lit(None, dtype=pl.Int64)),
        ]
    )  # fmt: skip
    ends = ends.join(
        far, left_on=["b_device", "b_nic"], right_on=["device", "nic"], how="left", nulls_equal=True
    ).sort("system", "a_port")  # fmt: skip
    unit = pl.when(pl.col("b_nic").is_null()).then(pl.format("P{}", "b_port")).otherwise(pl.format("U{}/P{}", "unit", "b_port"))
    ends = ends.with_columns(pl.format("   P{} " + LINK + " {} {} {}", "a_port", "b_type", "b_system", unit).alias("line"))
    blocks = ends.group_by("system", "type", maintain_order=True).agg(pl.col("line").str.join("\n"))
    text = blocks.select(pl.format("{} {}\n{}\n", "type", "system", "line")).to_series().to_list()
    files = {f"ibutils/{subnet}.topo": ("\n".join(text)).encode()}
    names = hosts.sort("system", "unit").select(pl.format("{}\tU{}\t{} {}", "system", "unit", "system", "nic")).to_series()
    files[f"ibutils/{subnet}.names.tsv"] = ("\n".join(["host\tunit\tname", *names.to_list()]) + "\n").encode()
    for kind, model, ports in chips.select("type", "model", "ports").unique().sort("type").iter_rows():
        files[f"ibutils/{kind}.ibnl"] = _switch_type(kind, model, ports)
    types = adapters.group_by("type").agg(pl.col("part_name", "ports").first(), pl.col("unit").max()).sort("type")
    for kind, part, ports, count in types.iter_rows():
        files[f"ibutils/{kind}.ibnl"] = _host_type(kind, part, ports, count)
    return files


def _adapters(plan: Plan, links: pl.DataFrame) -> pl.DataFrame:
    """One row per NIC with a link: device, nic, system (host), type, unit (from 1 by device name), part name, ports."""
    import polars as pl

    nics = plan.table("nics").select(pl.col("node").alias("device"), pl.col("device").alias("nic"), "part")
    rows = links.filter(pl.col("b_nic").is_not_null()).select(
        pl.col("b_device").alias("device"),
        pl.col("b_nic").alias("nic"),
        pl.col("b_name").str.strip_suffix(pl.concat_str([pl.lit(" "), "b_nic"])).alias("system"),
        pl.col("b_port").alias("ports"),
    )
    rows = rows.group_by("device", "nic", "system").agg(pl.col("ports").max())
    rows = rows.join(nics.unique(["device", "nic"]), on=["device", "nic"], how="left")
    known = {part: f"MT{identity.device_id(part)}" for part in rows["part"].drop_nulls().unique().to_list()}
    number = pl.col("nic").str.extract(r"(\d+)$", 1).cast(pl.Int64)
    rows = rows.with_columns(
        pl.col("part").replace_strict(known, default="MT0", return_dtype=pl.String).fill_null("MT0").alias("part_name"),
        pl.col("ports").max().over("device").alias("ports"),
    ).sort("device", pl.col("nic").str.replace(r"\d+$", ""), number, "nic")
    rows = rows.with_columns(
        pl.int_range(1, pl.len() + 1).over("device").alias("unit"),
        pl.col("part_name").first().over("device").alias("part_name"),
    )
    count = pl.col("unit").max().over("device")
    return rows.with_columns(pl.format("HOST{}_{}_{}", count, "part_name", "ports").alias("type"))


def _switch_type(kind: str, model: str, ports: int) -> bytes:
    """One switch of ``ports`` ports, each with a plug of its number."""
    lines = [f"TOPSYSTEM {kind}", "", f"NODE SW {ports} MT{identity.device_id(model)} U1"]
    lines += [f"{port} {LINK} P{port}" for port in range(1, ports + 1)]
    return ("\n".join(lines) + "\n").encode()


def _host_type(kind: str, part: str, ports: int, adapters: int) -> bytes:
    """A host with ``adapters`` adapters of ``ports`` ports each."""
    lines = [f"TOPSYSTEM {kind}"]
    for unit in range(1, adapters + 1):
        lines += ["", f"NODE CA {ports} {part} U{unit}"]
        lines += [f"{port} {LINK} U{unit}/P{port}" for port in range(1, ports + 1)]
    return ("\n".join(lines) + "\n").encode()
