"""Network cards of a machine: as many functions of each kind as planned, the same set on every node, the link type of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, untold
from asbuilt.checks.node_devices import counted, functions, kinds, machines, usual
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "nics", "hardware", "node_traits")


def _planned(plan: Plan) -> pl.DataFrame:
    """node, id, role (what the functions are for), wanted: planned NIC functions by PCI id and node."""
    import polars as pl

    cards = kinds(plan).filter(pl.col("kind") == "nic").explode("parts").rename({"parts": "part"})
    rows = plan.table("nics").join(cards.select("id", "part"), on="part", how="inner", maintain_order="left")
    roles = rows.group_by("node", "id", "part", "plane", maintain_order=True).agg(pl.len().alias("count"))
    role = pl.format("{} {} {}", "count", "plane", "part")
    return roles.group_by("node", "id", maintain_order=True).agg(
        role.str.join(", ").alias("role"), pl.col("count").sum().cast(pl.Int64).alias("wanted")
    )


def _unnamed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """node, id, missing: planned RDMA devices that no capture of the node names, where captures name any."""
    import polars as pl

    if not facts.has("nic_function_measured"):
        return pl.DataFrame(schema={"node": pl.String, "id": pl.String, "missing": pl.List(pl.String)})
    seen = facts.tables["nic_function_measured"].select("node", pl.col("rdma").alias("device")).drop_nulls().unique()
    cards = kinds(plan).explode("parts").rename({"parts": "part"}).select("id", "part")
    rows = plan.table("nics").join(cards, on="part", how="inner").join(seen.select("node").unique(), on="node", how="semi")
    lost = rows.join(seen, on=["node", "device"], how="anti").sort("node", "nic")
    return lost.group_by("node", "id", maintain_order=True).agg(pl.col("nic").alias("missing"))


@check("NOD-030", layer=Layer.NODE, needs=NEEDS, facts=("pci_measured",), since="0.1")
def card_functions_are_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node shows at least the planned number of functions of each kind of NIC, by PCI id.

    Why: a total hides which card is gone: a dual-port card counts twice, SR-IOV and NVSwitch ports add more. A function beside
    the plan is a stranger, not a fault.
    Measured by: lspci -nn or sysfs (vendor and device), ibdev2netdev or mst status for the names.
    Repair: look for the card in the BIOS and the BMC, reseat it and its riser, see that the slot is enabled; capture again.
    Source: plan table `nics`, column `hardware.pci_ids`.
    """
    import polars as pl

    lines = functions(plan, facts).with_columns(pl.format("{}:{}", "vendor_id", "device_id").str.to_lowercase().alias("id"))
    count = lines.group_by("node", "id").agg(pl.len().cast(pl.Int64).alias("count"))
    whole = lines.group_by("node").agg(*(pl.col(c).first() for c in EVIDENCE), pl.col("id").is_null().all().alias("nameless"))
    rows = machines(plan, facts).join(_planned(plan), on="node", how="inner", maintain_order="left")
    rows = rows.join(whole, on="node", how="left", maintain_order="left")
    rows = rows.join(count, on=["node", "id"], how="left", maintain_order="left")
    rows = rows.join(_unnamed(plan, facts), on=["node", "id"], how="left", maintain_order="left")
    known = pl.col("capture_id").is_not_null() & ~pl.col("nameless")
    rows = rows.with_columns(pl.when(known).then(pl.col("count").fill_null(0)).alias("count"))
    lost = pl.col("wanted") - pl.col("count")
    named = (lost > 0) & (pl.col("missing").list.len() == lost)
    subject = pl.format("{}#{}", "node", "id")
    one_each = rows.with_columns(pl.when(named).then("missing").otherwise(pl.concat_list(subject)).alias("subject"))
    return judge(
        one_each.explode("subject"),
        subject=pl.col("subject"),
        ok=pl.col("count") >= pl.col("wanted"),
        expected=pl.format("{} {} ({})", counted(pl.col("wanted"), "function", "functions"), "id", "role"),
        found=counted(pl.col("count"), "function", "functions").fill_null("no list of its PCI functions"),
        evidence=EVIDENCE,
    )


@check("NOD-031", layer=Layer.NODE, needs=NEEDS, facts=("nic_function_measured",), since="0.1")
def card_sets_are_equal(plan: Plan, facts: Facts) -> pl.DataFrame:
    """All nodes of a system show the same set of NIC functions: type, link layer and how many of each.

    Why: NCCL pairs NICs by their order; where the sets differ jobs hang at their start, all GPUs busy and nothing moving.
    Measured by: ibdev2netdev, mst status, sysfs (hca_type, link_layer) of every node.
    Repair: find the odd card or port in the classes told here, swap or set it as on the other nodes; capture again.
    Source: most nodes of the system; NVIDIA/nccl issues 2428, 234 and 733.
    """
    import polars as pl

    # A report of where a device sits says nothing of its ports.
    rows = facts.tables["nic_function_measured"].filter(pl.col("rdma").is_not_null() & pl.col("port").is_not_null())
    ports = rows.group_by("node", "rdma", "port", maintain_order=True).agg(
        pl.col("type").drop_nulls().first(), pl.col("link_layer").drop_nulls().first(), *(pl.col(c).first() for c in EVIDENCE)
    )
    kind = pl.format("{} {}", pl.col("type").fill_null("card"), "link_layer")
    classes = (
        ports.with_columns(kind.alias("class"))
        .group_by("node", "class", maintain_order=True)
        .agg(pl.len().alias("count"), *(pl.col(c).first() for c in EVIDENCE))
    )
    known = pl.col("class").is_not_null().all()
    sets = classes.sort("node", "class").group_by("node", maintain_order=True).agg(
        pl.when(known).then(pl.format("{} {}", "count", "class").str.join(", ")).first().alias("set"),
        *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    every = usual(machines(plan, facts).join(sets, on="node", how="left", maintain_order="left"), "set")
    return judge(
        every,
        subject=pl.col("node"),
        ok=pl.col("set") == pl.col("most_set"),
        applies=pl.col("most_set").is_not_null(),
        expected=pl.format("{} as on most nodes of the system", "most_set"),
        found=pl.col("set").fill_null("no report of the link layer of its NICs"),
        evidence=EVIDENCE,
    )


@check("NOD-032", layer=Layer.NODE, needs=NEEDS, facts=("setting_measured",), since="0.1")
def ports_are_set_to_their_link_type(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every port of a card that can run InfiniBand and Ethernet is set to the planned one, now and from the next boot on.

    Why: a port set to Ethernet is absent from the fabric, and its node hangs every job; one that is set for the next boot fails
    on the day of the next reboot.
    Measured by: mlxconfig -e query (LINK_TYPE_P1, LINK_TYPE_P2) of every card by its PCI address.
    Repair: `mlxconfig -d DEVICE set LINK_TYPE_P1=1` (InfiniBand) or 2 (Ethernet), then reset the card or reboot; capture again.
    Source: plan column `nics.link_type`; NVIDIA mlxconfig: LINK_TYPE_P1 is IB(1) or ETH(2).
    """
    import polars as pl

    seen = _link_types(facts)
    if seen.is_empty():
        return untold("the link type of a planned card")
    ports = _ports(plan, facts).join(seen, on=["node", "card", "number"], how="left", maintain_order="left")
    ports = ports.filter(pl.col("node").is_in(seen["node"].unique().implode()))
    cards = seen.select("node", "card", pl.lit(True).alias("asked")).unique()
    ports = ports.join(cards, on=["node", "card"], how="left", maintain_order="left")
    same_now, same_next = pl.col("now") == pl.col("link_type"), pl.col("next") == pl.col("link_type")
    said = (
        pl.when(pl.col("now").is_null())
        .then(pl.format("{} from the next boot on", "next"))
        .otherwise(
            pl.when(pl.col("next") != pl.col("now"))
            .then(pl.format("{} now, {} from the next boot on", "now", "next"))
            .otherwise("now")
        )
    )
    ok = pl.when((same_now & same_next.fill_null(True)) | (pl.col("now").is_null() & same_next)).then(True)
    return judge(
        ports,
        subject=pl.col("nic"),
        ok=ok.when(pl.col("now").is_not_null() | pl.col("next").is_not_null()).then(False),
        applies=~pl.col("gone")
        & (~pl.col("asked").fill_null(False) | pl.col("number").is_null() | pl.col("told").fill_null(False)),
        expected=pl.col("link_type"),
        found=said.fill_null("no setting of its link type in the report"),
        evidence=EVIDENCE,
    )


def _link_types(facts: Facts) -> pl.DataFrame:
    """node, card (address without function), number, now, next, told: LINK_TYPE of every port; a row without number of a card
    that was asked, whatever it has: one without LINK_TYPE runs one link type alone.
    """
    import polars as pl

    rows = facts.tables["setting_measured"].filter(pl.col("domain") == "nic")
    rows = rows.with_columns(pl.col("name").str.strip_prefix("LINK_TYPE_P").cast(pl.Int64, strict=False).alias("number"))
    if facts.has("nic_function_measured"):
        by_mst = facts.tables["nic_function_measured"].select("node", pl.col("mst").alias("device"), "address").drop_nulls()
        rows = rows.join(
            by_mst.unique(["node", "device"], keep="first", maintain_order=True),
            on=["node", "device"],
            how="left",
            maintain_order="left",
        )
    else:
        rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias("address"))
    rows = rows.with_columns(
        pl.coalesce("address", "device").str.to_lowercase().str.extract(r"([0-9a-f:]+)\.[0-9]$").alias("card")
    )
    word = {c: pl.col(c).str.to_uppercase() for c in ("value", "next_boot")}
    layer = {
        c: pl.when(w.str.contains(r"^IB")).then(pl.lit("infiniband")).when(w.str.contains(r"^ETH")).then(pl.lit("ethernet"))
        for c, w in word.items()
    }
    rows = rows.with_columns(layer["value"].alias("now"), layer["next_boot"].alias("next"))
    rows = rows.filter(pl.col("card").is_not_null()).with_columns(pl.col("number").is_not_null().alias("told"))
    return rows.unique(["node", "card", "number"], keep="last", maintain_order=True).select(
        "node", "card", "number", "now", "next", "told", *EVIDENCE
    )


def _ports(plan: Plan, facts: Facts) -> pl.DataFrame:
    """nic, node, link_type, card, number, gone of planned ports; card and number null where no capture tells the address.

    ``gone``: captures name the cards of the node, but not this one: NOD-030 tells.
    """
    import polars as pl

    nics = plan.table("nics").join(plan.table("hardware").select("part"), on="part", how="semi", maintain_order="left")
    nics = nics.select("nic", "node", "device", "link_type")
    if not facts.has("nic_function_measured"):
        empty = pl.lit(None, dtype=pl.String)
        return nics.with_columns(
            empty.alias("card"), pl.lit(None, dtype=pl.Int64).alias("number"), pl.lit(False).alias("fixed")
        )
    seen = facts.tables["nic_function_measured"].select("node", "address", pl.col("rdma").alias("device")).drop_nulls()
    rows = nics.join(
        seen.unique(["node", "device"], keep="first", maintain_order=True),
        on=["node", "device"],
        how="left",
        maintain_order="left",
    )
    address = pl.col("address").str.to_lowercase()
    return rows.with_columns(
        address.str.extract(r"^([0-9a-f:]+)\.[0-9]$").alias("card"),
        (address.str.extract(r"\.([0-9])$").cast(pl.Int64) + 1).alias("number"),
        (pl.col("address").is_null() & pl.col("node").is_in(seen["node"].unique().implode())).alias("gone"),
    )
