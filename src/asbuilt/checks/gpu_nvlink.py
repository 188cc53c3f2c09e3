"""NVLinks of GPUs: how many are active and how fast, their errors, the fabric and the domain that GPUs are registered with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, nothing, threshold, thresholds, untold
from asbuilt.checks.gpu_links import behind_dark_chips, links, states
from asbuilt.checks.gpu_reports import joined, of_model, shown, told
from asbuilt.checks.node_devices import counted, machines, usual
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "node_traits", "hardware")
GPUS = ("gpu_measured",)
_NO_CLUSTER = "0"
_COUNTERS = {"replay": "replay_errors", "recovery": "recovery_errors", "crc": "crc_errors"}
_GOOD = {"imex_domain": "up", "imex_node": "ready", "connection": "connected"}


@check("GPU-005", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=(), since="0.1")
def nvlinks_are_active(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU has as many active NVLinks as planned, each at its rate.

    Why: one dead link takes its share of bandwidth from every collective in the node, and no program reports it. Variants with
    fewer links are as planned where the plan's part says so. A GPU that lacks only links that all GPUs of its NVLink domain
    lack in the same place is not judged here: a switch chip is dark, and GPU-020 fails.
    Measured by: nvidia-smi nvlink -s.
    Repair: reset the GPUs, look for XID 74 and at the fabric manager's log; swap the GPU: what stays is the baseboard's.
    Source: plan columns `hardware.nvlinks`, `hardware.nvlink_gbytes_s`, less what printing rounds off (GPU-005).
    """
    import polars as pl

    limit = threshold(plan, "GPU-005", "share")
    told = states(plan, facts)
    if told.is_empty():
        has = plan.table("hardware").filter(pl.col("kind") == "gpu")["nvlinks"].fill_null(1) > 0
        return untold("the NVLinks of a GPU") if has.any() else nothing("no planned GPU has NVLinks")
    off = ~pl.col("active")
    seen = told.group_by("subject", maintain_order=True).agg(
        pl.col("slot_gpu").first().alias("gpu"), pl.col("active").sum().cast(pl.Int64).alias("up"),
        pl.col("link").filter(off).sort().cast(pl.String).str.join(", ").alias("down"),
        pl.col("gbytes_s").filter("active").min().alias("slowest"),
        *(pl.coalesce(pl.col(c).filter(off).first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    rows = of_model(plan, _with_gpus(plan, facts, seen.join(behind_dark_chips(plan, facts), on="subject", how="left")))
    if limit is None:
        return nothing("the plan states no rate of an NVLink")
    slow = pl.col("slowest") < pl.col("nvlink_gbytes_s") * pl.lit(limit["limit"])
    few = pl.col("up") != pl.col("nvlinks")
    inactive = pl.when(pl.col("down") != "").then(pl.format(", inactive: {}", "down")).otherwise(pl.lit(""))
    said = pl.format("{} active at {}{}", "up", amount(pl.col("slowest"), "GB/s"), inactive)
    chips = pl.col("dark").fill_null(0)
    of_chips = (chips > 0) & (pl.col("up") + chips == pl.col("nvlinks")) & ~slow.fill_null(False)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(few | slow.fill_null(False)).then(False).when(pl.col("up") == pl.col("nvlinks")).then(True),
        applies=(pl.col("nvlinks").fill_null(1) > 0) & ~of_chips.fill_null(False),
        expected=pl.format("{} active at {}", "nvlinks", amount(pl.col("nvlink_gbytes_s"), "GB/s")),
        found=pl.when(pl.col("up") == 0).then(pl.lit("no NVLink active")).otherwise(said).fill_null("no report of its NVLinks"),
        evidence=EVIDENCE,
    )


def _with_gpus(plan: Plan, facts: Facts, seen: pl.DataFrame) -> pl.DataFrame:
    """``seen`` and the GPUs that the driver shows of the nodes in it, and of all others, with nulls for what is not told."""
    import polars as pl

    if not facts.has("gpu_measured"):
        return seen
    rest = (
        shown(plan, facts).filter("driver").select("subject", "gpu").join(seen, on="subject", how="anti", maintain_order="left")
    )
    return pl.concat([seen, rest], how="diagonal")


@check("GPU-006", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=(), since="0.1")
def nvlinks_have_no_errors(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No NVLink has counted more replay, recovery or CRC errors than it may.

    Why: a replay is data sent twice, a recovery a link that trained anew under load: marginal contacts show so first.
    Measured by: nvidia-smi nvlink -e.
    Repair: reset the GPUs, which clears the counters, run the load and read them again; then reseat or swap the GPU.
    Source: the plan's expectations GPU-006.
    """
    import polars as pl

    limits = {row["selector"]: row["limit"] for row in thresholds(plan, "GPU-006").iter_rows(named=True)}
    if set(limits) != set(_COUNTERS):
        return nothing("the plan states no limit of NVLink errors")
    gpus = plan.table("hardware").filter(pl.col("kind") == "gpu")
    if gpus.height and not (gpus["nvlinks"].fill_null(1) > 0).any():
        return nothing("no planned GPU has NVLinks")
    if not facts.has("nvlink_measured"):
        return untold("the errors of an NVLink")
    counters = list(_COUNTERS.values())
    errors = links(plan, facts).filter(pl.any_horizontal(pl.col(c).is_not_null() for c in counters))
    over = {name: pl.col(column) > pl.lit(limits[name]) for name, column in _COUNTERS.items()}
    bad = pl.any_horizontal(o.fill_null(False) for o in over.values())
    said = joined([pl.when(over[n]).then(pl.format("{} {}", amount(pl.col(c)), pl.lit(n))) for n, c in _COUNTERS.items()])
    errors = errors.with_columns(bad.alias("bad"), pl.format("{} on link {}", said, "link").alias("said"))
    seen = errors.group_by("subject", maintain_order=True).agg(
        pl.col("slot_gpu").first().alias("gpu"), pl.col("bad").any(), pl.col("said").filter("bad").str.join("; "),
        *(pl.col(c).max() for c in counters),
        *(pl.coalesce(pl.col(c).filter("bad").first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    if seen.is_empty():
        has = of_model(plan, shown(plan, facts))["nvlinks"].fill_null(1) > 0
        return untold("the errors of an NVLink") if has.any() or not has.len() else nothing("no planned GPU has NVLinks")
    rows = of_model(plan, seen)
    known = pl.any_horizontal(pl.col(c).is_not_null() for c in counters)
    limited = ", ".join(f"{limits[n]:g} {n}" for n in _COUNTERS)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when("bad").then(False).when(known).then(True),
        applies=pl.col("nvlinks").fill_null(1) > 0,
        expected=pl.lit(f"errors of a link at most: {limited}"),
        found=pl.col("said"),
        evidence=EVIDENCE,
    )


def _of_fabric(plan: Plan, facts: Facts, columns: tuple[str, ...]) -> pl.DataFrame | None:
    """`told` of these columns with the traits of the node's system and its `unit`; None when no report tells any."""
    import polars as pl

    rows = told(plan, facts, columns, pl.lit(False))
    if rows is None:
        return None
    nodes = plan.table("nodes").select("node", "system", "unit").join(plan.table("node_traits"), on="system", how="left")
    return rows.join(nodes, on="node", how="left", maintain_order="left")


@check("GPU-007", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def gpus_are_registered(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every GPU of an NVLink fabric has registered with it: state Completed, status Success.

    Why: while registration is in progress CUDA does not start on that GPU (error 802), though nvidia-smi shows it whole.
    Measured by: nvidia-smi -q (Fabric).
    Repair: see that the fabric manager (in an NVL72 rack, that of the switch trays) runs, reset the GPUs, read its log.
    Source: plan column `node_traits.nvlink`; NVIDIA fabric manager guide.
    """
    import polars as pl

    rows = _of_fabric(plan, facts, ("fabric_state",))
    if rows is None:
        return _silent(plan, ["switch", "domain"], "the fabric state of a GPU")
    done = (pl.col("fabric_state").str.to_lowercase() == "completed") & (
        pl.col("fabric_status").str.to_lowercase() == "success"
    ).fill_null(True)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=done,
        applies=pl.col("nvlink") != "none",
        expected=pl.lit("Completed, Success"),
        found=pl.concat_str("fabric_state", "fabric_status", separator=", ", ignore_nulls=True),
        evidence=EVIDENCE,
    )


def _silent(plan: Plan, kinds: list[str], what: str) -> pl.DataFrame:
    """Nobody told ``what``: not measured where a planned system has such an NVLink fabric, else not applicable."""
    has = plan.table("node_traits")["nvlink"].is_in(kinds).any()
    return untold(what) if has else nothing("no planned system has such an NVLink fabric")


@check("GPU-008", layer=Layer.NODE, needs=NEEDS, facts=GPUS, since="0.1")
def domain_is_one(plan: Plan, facts: Facts) -> pl.DataFrame:
    """All GPUs of an NVLink domain of several nodes have one ClusterUUID and one CliqueId.

    Why: GPUs of different cliques do not reach each other over NVLink: a job over the rack falls back on the network.
    Measured by: nvidia-smi -q (Fabric: ClusterUUID, CliqueId).
    Repair: compare the partitions of the NVLink management (NMX) with the plan; reset the GPUs of the tray that differs.
    Source: plan columns `nodes.unit`, `node_traits.nvlink`; most GPUs of the domain.
    """
    import polars as pl

    rows = _of_fabric(plan, facts, ("cluster_uuid", "clique_id"))
    if rows is None:
        return _silent(plan, ["domain"], "the NVLink domain of a GPU")
    rows = rows.filter(pl.col("nvlink") == "domain")
    pair = pl.when(pl.col("cluster_uuid").is_not_null() & pl.col("clique_id").is_not_null()).then(
        pl.format("cluster {}, clique {}", "cluster_uuid", "clique_id")
    )
    rows = usual(rows.with_columns(pair.alias("pair"), pl.col("unit").alias("system")), "pair")
    if rows.is_empty():
        return nothing("no planned system has such an NVLink fabric")
    same = (pl.col("pair") == pl.col("most_pair")).fill_null(pl.lit(False))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(pl.col("cluster_uuid") == _NO_CLUSTER).then(False).when(pl.col("pair").is_not_null()).then(same),
        expected=pl.format("{} as most GPUs of its domain", "most_pair").fill_null("one cluster and clique in the domain"),
        found=pl.when(pl.col("cluster_uuid") == _NO_CLUSTER)
        .then(pl.lit("no cluster"))
        .otherwise("pair")
        .fill_null("no cluster in the report"),
        evidence=EVIDENCE,
    )


@check("GPU-009", layer=Layer.NODE, needs=NEEDS, facts=(), since="0.1")
def domain_is_whole(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node of an NVLink domain sees all its nodes ready and connected, and the domain up.

    Why: memory is shared over NVLink between nodes only while IMEX holds the domain together; one node that it lost ends jobs.
    Measured by: nvidia-imex-ctl -N.
    Repair: see that nvidia-imex runs on every node with the same list of nodes and the same version; restart it on all of them.
    Source: plan columns `node_traits.domain_gpus`, `node_traits.gpus`; NVIDIA IMEX service guide.
    """
    import polars as pl

    if not (plan.table("node_traits")["nvlink"] == "domain").any():
        return nothing("no planned node is in an NVLink domain of several nodes")
    if not facts.has("nvlink_fabric_measured"):
        return untold("an NVLink domain")
    rows = machines(plan, facts)
    told = facts.tables["nvlink_fabric_measured"]
    kind = pl.when(pl.col("peer").is_not_null()).then(pl.lit("connection")).otherwise("kind")
    told = told.with_columns(kind.alias("kind")).filter(pl.col("kind").is_in(list(_GOOD)))
    want = pl.col("kind").replace_strict(_GOOD, default=None, return_dtype=pl.String)
    off = (pl.col("state") != want).fill_null(False)
    what = (
        pl.when(pl.col("peer").is_not_null())
        .then(pl.format("{} to {}: {}", "name", "peer", "state"))
        .otherwise(pl.format("{}: {}", "name", "state"))
    )
    seen = told.with_columns(off.alias("off"), what.alias("what")).group_by("node", maintain_order=True).agg(
        pl.col("off").sum().alias("count"), pl.col("what").filter("off").first(),
        pl.col("name").filter((pl.col("kind") == "imex_node") & (pl.col("name") != "self")).n_unique().alias("nodes"),
        *(pl.coalesce(pl.col(c).filter("off").first(), pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    rows = rows.join(seen, on="node", how="left", maintain_order="left")
    planned = pl.col("domain_gpus") // pl.col("gpus")
    more = pl.when(pl.col("count") > 1).then(pl.format(" and {} more", pl.col("count") - 1)).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("node"),
        ok=(pl.col("count") == 0) & (pl.col("nodes") == planned),
        applies=pl.col("nvlink") == "domain",
        expected=pl.format("{} nodes ready and connected, the domain up", planned),
        found=pl.when(pl.col("count") > 0)
        .then(pl.format("{}{}", "what", more))
        .otherwise(pl.format("{} in the domain", counted(pl.col("nodes"), "node", "nodes")))
        .fill_null("no report of IMEX"),
        evidence=EVIDENCE,
    )
