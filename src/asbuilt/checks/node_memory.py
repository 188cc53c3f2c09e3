"""Memory of a machine: modules, their speed, and how they lie over channels and sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge
from asbuilt.checks.node_devices import counted, machines, usual
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits")
DIMMS = ("dimm_measured",)
#: How makers name a memory socket: processor, then channel (P1-DIMMA1, CPU2_DIMM_B1, P0 CHANNEL A, Node0_Channel3).
_SOCKET = r"(?i)(?:P|CPU|PROC|NODE|SOCKET)[ _]?(\d+)"
_CHANNEL = r"(?i)CHANNEL[ _]?([A-Z0-9]+)"
_LETTER = r"(?i)DIMM[ _]?([A-Z])"
_AS_MOST = " as on most nodes of the system"


def _modules(facts: Facts) -> pl.DataFrame:
    """One row per memory socket and node: the last report of it."""
    return facts.tables["dimm_measured"].unique(["node", "locator", "bank"], keep="last", maintain_order=True)


def _of_nodes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Machines with count, sizes and speeds of their modules, and the sockets that are empty."""
    import polars as pl

    full = pl.col("size_gib") > 0
    # The least first: evidence is then the socket that is empty, or its smallest module.
    modules = _modules(facts).sort("size_gib", maintain_order=True)
    rows = modules.group_by("node", maintain_order=True).agg(
        full.sum().cast(pl.Int64).alias("count"),
        pl.col("size_gib").filter(full).min().alias("smallest"),
        pl.col("size_gib").filter(full).max().alias("largest"),
        pl.col("configured_mts").filter(full).min().alias("slowest"),
        pl.col("configured_mts").filter(full).null_count().alias("unread"),
        pl.col("size_gib").null_count().alias("unsized"),
        *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    every = machines(plan, facts).join(rows, on="node", how="left", maintain_order="left")
    return usual(every, "count", "largest", "slowest").with_columns(pl.col("dimms").alias("planned"))


@check("NOD-010", layer=Layer.NODE, needs=NEEDS, facts=DIMMS, since="0.1")
def memory_modules_are_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node has the memory modules that are planned, all of the planned size.

    Why: a module that is missing, or that the BIOS mapped out, takes a channel with it: less memory, and less of its bandwidth.
    Measured by: dmidecode -t memory as root.
    Repair: reseat the module of the named socket, swap it with its neighbour, look at the BIOS's memory log; capture again.
    Source: plan columns `node_traits.dimms`, `node_traits.dimm_gib`; where the plan is silent, most nodes of the system.
    """
    import polars as pl

    rows = _of_nodes(plan, facts).join(_gone(facts), on="node", how="left", maintain_order="left")
    want, size = pl.coalesce("planned", "most_count"), pl.coalesce("dimm_gib", "most_largest")
    soldered = pl.col("planned") == 0
    same = (pl.col("count") == want) & ((pl.col("smallest") == size) & (pl.col("largest") == size) | size.is_null())
    origin = pl.when(pl.col("planned").is_null()).then(pl.lit(_AS_MOST)).otherwise(pl.lit(""))
    empty = pl.when(pl.col("gone").is_not_null()).then(pl.format(", none in {}", "gone")).otherwise(pl.lit(""))
    sizes = pl.when(pl.col("smallest") < pl.col("largest")).then(
        pl.format("{} to {}", amount(pl.col("smallest")), amount(pl.col("largest"), "GiB"))
    )
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(pl.col("unsized") == 0).then(same),
        applies=~soldered.fill_null(False) & want.is_not_null(),
        expected=pl.format("{} of {}{}", counted(want, "module", "modules"), amount(size, "GiB"), origin),
        found=pl.when(pl.col("unsized") > 0)
        .then(pl.lit("no sizes in the report of its memory"))
        .otherwise(
            pl.format(
                "{} of {}{}",
                counted(pl.col("count"), "module", "modules"),
                sizes.fill_null(amount(pl.col("largest"), "GiB")),
                empty,
            )
        ),
        evidence=EVIDENCE,
    )


def _gone(facts: Facts) -> pl.DataFrame:
    """node, gone: sockets that are empty there and full on most nodes that have them."""
    import polars as pl

    rows = _modules(facts).with_columns((pl.col("size_gib") > 0).alias("full"))
    mostly = pl.col("full").mean().over("locator", "bank") > pl.lit(1) / pl.lit(2)
    lost = rows.with_columns(mostly.alias("mostly")).filter(~pl.col("full") & pl.col("mostly"))
    return lost.group_by("node", maintain_order=True).agg(pl.col("locator").str.join(", ").alias("gone"))


@check("NOD-011", layer=Layer.NODE, needs=NEEDS, facts=DIMMS, since="0.1")
def memory_runs_at_speed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every memory module runs at the planned speed.

    Why: one slow or odd module pulls all modules of its processor down to its speed, and staging data with them.
    Measured by: dmidecode -t memory as root (Configured Memory Speed).
    Repair: look for a module of another kind, and for a memory speed or power-saving option in the BIOS; capture again.
    Source: plan column `node_traits.dimm_mts`; where the plan is silent, most nodes of the system.
    """
    import polars as pl

    rows = _of_nodes(plan, facts)
    want = pl.coalesce("dimm_mts", "most_slowest")
    origin = pl.when(pl.col("dimm_mts").is_null()).then(pl.lit(_AS_MOST)).otherwise(pl.lit(""))
    slow = pl.col("slowest") < want
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(slow).then(False).when((pl.col("unread") == 0) & (pl.col("count") > 0)).then(~slow),
        applies=(pl.col("planned") != 0).fill_null(True) & want.is_not_null(),
        expected=pl.format("{}{}", amount(want, "MT/s"), origin),
        found=pl.when(pl.col("slowest").is_not_null())
        .then(amount(pl.col("slowest"), "MT/s"))
        .otherwise(pl.lit("no configured speed in the report")),
        evidence=EVIDENCE,
    )


@check("NOD-012", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=DIMMS, since="0.1")
def channels_are_filled_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every memory channel of every processor holds as much as every other.

    Why: memory is interleaved over channels that are alike; the rest is slower, and so is what is pinned to that processor.
    Measured by: dmidecode -t memory as root: name and bank of every socket, full or empty.
    Repair: move modules as the maker's population table says; capture again.
    Source: makers' population rules: channels of a processor alike, processors alike.
    """
    import polars as pl

    name = pl.concat_str(pl.col("locator"), pl.col("bank").fill_null(""), separator=" ")
    bank = pl.col("bank").fill_null("")
    rows = _modules(facts).with_columns(
        pl.coalesce(bank.str.extract(_SOCKET), pl.col("locator").str.extract(_SOCKET)).alias("cpu"),
        pl.coalesce(name.str.extract(_CHANNEL), pl.col("locator").str.extract(_LETTER)).alias("channel"),
    )
    lanes = rows.group_by("node", "cpu", "channel", maintain_order=True).agg(
        pl.col("size_gib").sum(), pl.col("size_gib").null_count().alias("unsized"), *(pl.col(c).first() for c in EVIDENCE)
    )
    lanes = lanes.sort("node", "size_gib", "cpu", "channel", maintain_order=True)
    spot = pl.format("channel {} of processor {}", "channel", "cpu")
    told = lanes.group_by("node", maintain_order=True).agg(
        pl.col("size_gib").min().alias("least"), pl.col("size_gib").max().alias("most"), spot.first().alias("where"),
        (pl.col("cpu").is_null() | pl.col("channel").is_null()).any().alias("nameless"),
        (pl.col("unsized") > 0).any().alias("open"), *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    every = machines(plan, facts).join(told, on="node", how="left", maintain_order="left")
    known = ~pl.col("nameless") & ~pl.col("open")
    return judge(
        every,
        subject=pl.col("node"),
        ok=pl.when(known).then(pl.col("least") == pl.col("most")),
        applies=(pl.col("dimms") != 0).fill_null(True),
        expected=pl.format("{} on every channel", amount(pl.col("most"), "GiB")),
        found=pl.when(known)
        .then(pl.format("{} on {}", amount(pl.col("least"), "GiB"), "where"))
        .otherwise(pl.lit("the names of the memory sockets tell no channel")),
        evidence=EVIDENCE,
    )
