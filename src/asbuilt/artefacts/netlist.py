"""ibsim netlists: one per InfiniBand subnet of the plan, in the full line form that ibsim loads without complaint.

Written straight from the plan's links, one device at a time; ibsim takes the same text that ibnetdiscover prints.
GUIDs are those of the plan's `lids`; every LID is 0, as on new hardware: the subnet manager gives them (guid2lid).
Speeds: Debian's ibsim 0.10 knows none past HDR, so every link is written as ``4xHDR`` and the rate is not rehearsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.artefacts.names import refuse_hostile
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids, hex16

if TYPE_CHECKING:
    import polars as pl

TARGET = "netlist"
WRITES = "ibsim netlist, one file per InfiniBand subnet (netlist/<subnet>.net)"
LOST = (
    "the rate of every link: all are written as 4xHDR, the newest speed that Debian's ibsim loads",
    "the ASICs of a chassis: each switch is one node with all its ports",
    "the node GUID of a NIC whose port GUID is not node GUID + port number: ibsim knows no other rule",
    "spare switches and aggregation nodes: neither has a cable",
)


def netlist(plan: Plan) -> dict[str, bytes]:
    """File name -> text, for each InfiniBand subnet with links. Raises `ProblemError` ART-001 for a name it cannot carry."""
    import polars as pl

    refuse_hostile(plan, '"=', "an ibsim netlist", longest=64)
    found = {}
    subnets = plan.table("subnets").filter(pl.col("technology") == "infiniband")["subnet"].sort()
    for subnet in subnets:
        members = plan.table("switches").filter((pl.col("subnet") == subnet) & ~pl.col("spare"))["switch"]
        links = plan.links.filter(pl.col("a_device").is_in(members.implode()))
        if links.height:
            found[f"netlist/{subnet}.net"] = _text(plan, links)
    return found


def _text(plan: Plan, links: pl.DataFrame) -> bytes:
    """All blocks of one subnet: switches by key, then NIC ports by key."""
    import polars as pl

    a = (pl.col("a_device"), pl.col("a_port"), pl.lit(None, dtype=pl.String).alias("a_nic"), pl.col("a_name"))
    own = links.select(*a, "b_device", "b_port", "b_nic", "b_name")
    back = own.select(pl.all().name.map(lambda c: {"a": "b", "b": "a"}[c[0]] + c[1:])).select(own.columns)
    ends = pl.concat([own, back])
    for side in "ab":
        key = pl.concat_str([f"{side}_device", f"{side}_nic"], separator="/", ignore_nulls=True)
        ends = ends.with_columns(key.alias(f"{side}_key"))
    keys = ends["a_key"].unique().sort()
    chassis = keys.is_in(links["a_device"].implode()) | keys.is_in(
        links.filter(pl.col("b_nic").is_null())["b_device"].implode()
    )
    ports = pl.select(pl.when(chassis).then(keys + "#0").otherwise(keys)).to_series()
    made = _guids(plan, ports)
    table = pl.DataFrame({"key": keys, "value": made, "guid": hex16(made)})
    for side in "ab":
        ends = ends.join(table.rename({c: f"{side}_{c}" for c in table.columns}), on=f"{side}_key", how="left")
        port_guid = hex16(ends[f"{side}_value"].to_numpy() + ends[f"{side}_port"].to_numpy().astype(np.uint64))
        ends = ends.with_columns(port_guid.alias(f"{side}_port_guid"))
    counts = plan.table("switches").select(pl.col("switch").alias("a_key"), pl.col("ports").alias("count"))
    ends = ends.join(counts, on="a_key", how="left").sort(pl.col("a_nic").is_not_null(), "a_key", "a_port")
    ends = ends.with_columns(_line().alias("line"))
    blocks = ends.group_by("a_key", maintain_order=True).agg(
        pl.col("a_nic").first(), pl.col("a_guid").first(), pl.col("a_name").first(), pl.col("count").first(),
        pl.col("a_port").max(), pl.col("line").str.join("\n"),
    )  # fmt: skip
    head = (
        pl.when(pl.col("a_nic").is_null())
        .then(
            pl.format(
                'switchguid=0x{}\nSwitch {} "S-{}"   # "{}" enhanced port 0 lid 0 lmc 0\n',
                "a_guid",
                "count",
                "a_guid",
                "a_name",
            )
        )
        .otherwise(pl.format('caguid=0x{}\nCa {} "H-{}"   # "{}"\n', "a_guid", "a_port", "a_guid", "a_name"))
    )
    body = blocks.select(pl.concat_str([head, pl.col("line")]).alias("text"))["text"]
    return ("\n\n".join(body.to_list()) + "\n").encode()


def _guids(plan: Plan, ports: pl.Series) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Node GUIDs of end ports: those of `lids`, else made ones.

    ibsim answers with port GUID = node GUID + port number. A NIC port whose declared GUIDs are otherwise is written with
    the node GUID that gives its port GUID: partitions, LIDs and managers go by the port GUID.
    """
    import polars as pl

    values = guids(ports, 0)
    if not plan.has("lids"):
        return values
    known = plan.table("lids").select("port", "port_guid", "number")
    rows = pl.DataFrame({"port": ports}).join(known, on="port", how="left", maintain_order="left")
    wide = rows.select(
        pl.col("port_guid").str.slice(0, 8).str.to_integer(base=16, strict=False).alias("high"),
        pl.col("port_guid").str.slice(8).str.to_integer(base=16, strict=False).alias("low"),
        pl.col("number"),
    ).fill_null(0)
    high, low, number = (wide[c].to_numpy().astype(np.uint64) for c in ("high", "low", "number"))
    given = (high << np.uint64(32)) + low - number
    return np.where(rows["port_guid"].is_not_null().to_numpy(), given, values)


def _line() -> pl.Expr:
    """The port line of each end, in the form of its kind."""
    import polars as pl

    far = (
        pl.when(pl.col("b_nic").is_null())
        .then(pl.format('"S-{}"[{}]', "b_guid", "b_port"))
        .otherwise(pl.format('"H-{}"[{}]({})', "b_guid", "b_port", "b_port_guid"))
    )
    from_switch = pl.format('[{}]\t{}\t# "{}" lid 0 4xHDR', "a_port", far, "b_name")
    from_nic = pl.format('[{}]({})\t{}\t# lid 0 lmc 0 "{}" lid 0 4xHDR', "a_port", "a_port_guid", far, "b_name")
    return pl.when(pl.col("a_nic").is_null()).then(from_switch).otherwise(from_nic)
