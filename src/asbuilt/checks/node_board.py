"""Processors, NUMA nodes, kernel command line and BIOS settings of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, judge, nothing, threshold, thresholds, untold
from asbuilt.checks.node_devices import counted, machines, usual
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits", "expectations")
SETTINGS = ("setting_measured",)
#: Words of the kernel command line that say how devices' addresses are translated.
_OFF = r"^(?:intel_iommu=off|amd_iommu=off|iommu=off)$"
_THROUGH = r"^(?:iommu=pt|iommu\.passthrough=1)$"
_ON = r"^(?:intel_iommu=on|amd_iommu=on|iommu=on|iommu\.passthrough=0)$"


@check("NOD-013", layer=Layer.NODE, needs=NEEDS, facts=("processor_measured",), since="0.1")
def processors_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node has the planned processors, with as many logical processors as the other nodes of its system.

    Why: a processor that was mapped out, or hyper-threading switched on by one BIOS, shifts every list of processors that
    affinity and Slurm hold.
    Measured by: lscpu (sockets, threads, logical processors).
    Repair: compare the BIOS settings with a good node's (sockets, cores, hyper-threading); capture again.
    Source: plan columns `node_traits.sockets`, `node_traits.architecture`; requirement nodes.hyperthreading; most nodes.
    """
    import polars as pl

    fields = ("architecture", "sockets", "threads", "cpus", "online", "model")
    seen = (
        facts.tables["processor_measured"]
        .group_by("node", maintain_order=True)
        .agg(*(pl.col(c).drop_nulls().first().alias(f"has_{c}") for c in fields), *(pl.col(c).first() for c in EVIDENCE))
    )
    rows = usual(machines(plan, facts).join(seen, on="node", how="left", maintain_order="left"), "has_cpus", "has_threads")
    asked = threshold(plan, "NOD-013", "threads")
    threads = pl.lit(asked["limit"] if asked else None, dtype=pl.Float64).cast(pl.Int64)
    want = {
        "sockets": (pl.col("sockets"), "socket"), "architecture": (pl.col("architecture"), ""),
        "threads": (pl.coalesce(threads, "most_has_threads"), "thread a core"),
        "cpus": (pl.col("most_has_cpus"), "logical processor"),
    }  # fmt: skip
    wrong = {c: (w != pl.col(f"has_{c}")).fill_null(False) for c, (w, _) in want.items()}
    asked_for = [pl.when(wrong[c]).then(_said(w, text)) for c, (w, text) in want.items()]
    shown = [pl.when(wrong[c]).then(_said(pl.col(f"has_{c}"), text)) for c, (_, text) in want.items()]
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(pl.any_horizontal(*wrong.values())).then(False).when(pl.col("has_cpus").is_not_null()).then(True),
        expected=pl.concat_str(*asked_for, separator=", ", ignore_nulls=True),
        found=pl.when(pl.col("has_cpus").is_null())
        .then(pl.lit("no report of its processors"))
        .otherwise(pl.concat_str(*shown, separator=", ", ignore_nulls=True)),
        evidence=EVIDENCE,
    )


def _said(value: pl.Expr, thing: str) -> pl.Expr:
    """``1 socket``, ``2 threads a core``; a word stays as it is."""
    noun, _, rest = thing.partition(" a ")
    tail = f" a {rest}" if rest else ""
    return counted(value, f"{noun}{tail}", f"{noun}s{tail}") if thing else value


@check("NOD-014", layer=Layer.NODE, needs=NEEDS, facts=("numa_measured",), since="0.1")
def sockets_have_the_planned_numa_nodes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every socket is split into as many NUMA nodes as planned (NPS, SNC), counting those that have processors.

    Why: with four NUMA nodes to a socket a GPU and the NIC beside it lie in different nodes, and affinity that was right for
    one node a socket pins work far from its card.
    Measured by: numactl -H, or lscpu.
    Repair: set NUMA nodes per socket (AMD NPS) or sub-NUMA clustering (Intel SNC) in the BIOS, reboot, capture again.
    Source: requirement nodes.nps.
    """
    import polars as pl

    limit = threshold(plan, "NOD-014")
    if limit is None:
        return nothing("the plan states no number of NUMA nodes")
    peopled = (
        facts.tables["numa_measured"]
        .filter((pl.col("cpus") != "").fill_null(True))
        .unique(["node", "numa"], keep="first", maintain_order=True)
    )
    seen = peopled.group_by("node", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("count"), *(pl.col(c).first() for c in EVIDENCE)
    )
    rows = machines(plan, facts).join(seen, on="node", how="left", maintain_order="left")
    want = (pl.lit(limit["limit"]) * pl.col("sockets")).cast(pl.Int64)
    each = pl.lit(f"{limit['value']} a socket")
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.col("count") == want,
        expected=pl.format("{} NUMA nodes with processors ({})", want, each),
        found=pl.format("{} NUMA nodes with processors", "count").fill_null("no report of its NUMA nodes"),
        evidence=EVIDENCE,
    )


def _words(facts: Facts) -> pl.DataFrame:
    """node, words (list) of the kernel command line, as settings or as one text, with where it stands."""
    import polars as pl

    parts = []
    if facts.has("setting_measured"):
        rows = facts.tables["setting_measured"].filter(pl.col("domain") == "cmdline")
        value = pl.col("value").fill_null("")
        word = pl.when(value == "").then("name").otherwise(pl.format("{}={}", "name", value))
        parts.append(
            rows.group_by("node", maintain_order=True).agg(word.alias("words"), *(pl.col(c).first() for c in EVIDENCE))
        )
    if facts.has("version_measured"):
        rows = (
            facts.tables["version_measured"]
            .filter(pl.col("component") == "cmdline")
            .unique("node", keep="first", maintain_order=True)
        )
        parts.append(rows.select("node", pl.col("version").str.split(" ").alias("words"), *EVIDENCE))
    return (
        pl.concat(parts).unique("node", keep="first", maintain_order=True)
        if parts
        else pl.DataFrame(schema={"node": pl.String})
    )


@check("NOD-015", layer=Layer.NODE, needs=NEEDS, facts=(), since="0.1")
def kernel_is_started_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """The kernel command line of every node holds the planned options, and an IOMMU setting that is allowed.

    Why: an IOMMU that translates sends traffic between devices through the root complex and switches access control on; an
    option that one node lacks is a drift that no package list shows.
    Measured by: /proc/cmdline of every node.
    Repair: put the option into the boot loader's configuration, rebuild it, reboot, capture again.
    Source: requirement nodes.iommu, nodes.kernel_options.
    """
    import polars as pl

    words = _words(facts)
    if words.is_empty():
        return untold("the kernel command line of a planned node")
    rows = machines(plan, facts).join(words, on="node", how="left", maintain_order="left")
    one = pl.col("words").list.eval(pl.element().str.contains(_OFF)).list.any()
    through = pl.col("words").list.eval(pl.element().str.contains(_THROUGH)).list.any()
    on = pl.col("words").list.eval(pl.element().str.contains(_ON)).list.any()
    state = pl.when(one).then(pl.lit("disabled")).when(through).then(pl.lit("passthrough")).when(on).then(pl.lit("enabled"))
    rows = rows.with_columns(state.alias("iommu"))
    limits = thresholds(plan, "NOD-015")
    made = []
    for limit in limits.iter_rows(named=True):
        if limit["selector"] == "iommu":
            allowed = str(limit["value"]).split("+")
            assumed = limit["origin"] == "assumed"
            made.append(
                rows.select(
                    pl.format("{}#kernel command line", "node").alias("subject"),
                    pl.col("iommu").is_in(allowed).alias("ok"),
                    ((pl.col("architecture") != "aarch64").fill_null(True) | pl.lit(not assumed)).alias("applies"),
                    pl.lit(f"IOMMU {' or '.join(allowed)}").alias("expected"),
                    pl.format("IOMMU {}", "iommu")
                    .fill_null("the command line does not say: the kernel's default")
                    .alias("found"),
                    *EVIDENCE,
                )
            )
        else:
            word = str(limit["value"])
            made.append(
                rows.select(
                    pl.format(f"{{}}#kernel option {word.partition('=')[0]}", "node").alias("subject"),
                    pl.col("words").list.contains(word).alias("ok"),
                    pl.lit(True).alias("applies"),
                    pl.lit(word).alias("expected"),
                    pl.lit("not on the command line").alias("found"),
                    *EVIDENCE,
                )
            )
    if not made:
        return nothing("the plan states nothing of the kernel command line")
    return _judged(pl.concat(made))


def _judged(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows that hold subject, ok, applies, expected and found already."""
    import polars as pl

    columns = {c: pl.col(c) for c in ("subject", "ok", "expected", "found", "applies")}
    return judge(frame, evidence=EVIDENCE, **columns)


@check("NOD-016", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=SETTINGS, since="0.1")
def firmware_is_set_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every BIOS setting that the requirement states has that value on every node.

    Why: NPS, SNC, power profiles and IOMMU are set by hand or by a profile that one node missed, and show only as a slow node.
    Measured by: the BMC's Redfish BIOS attributes, or the maker's tool.
    Repair: set it through the BMC, reboot, capture again.
    Source: requirement nodes.bios.
    """
    import polars as pl

    limits = thresholds(plan, "NOD-016").select(pl.col("selector").str.strip_prefix("setting=").alias("setting"), "value")
    if limits.is_empty():
        return nothing("the requirement states no BIOS setting")
    seen = facts.tables["setting_measured"].filter(pl.col("domain") == "bios")
    if seen.is_empty():
        return untold("a BIOS setting of a planned node")
    seen = seen.select("node", pl.col("name").str.to_lowercase().alias("key"), pl.col("value").alias("has"), *EVIDENCE)
    limits = limits.with_columns(pl.col("setting").str.to_lowercase().alias("key"))
    rows = (
        machines(plan, facts)
        .join(limits, how="cross")
        .join(
            seen.unique(["node", "key"], keep="last", maintain_order=True),
            on=["node", "key"],
            how="left",
            maintain_order="left",
        )
    )
    return judge(
        rows,
        subject=pl.format("{}#BIOS {}", "node", "setting"),
        ok=pl.col("has").str.to_lowercase() == pl.col("value").str.to_lowercase(),
        expected=pl.format("{} = {}", "setting", "value"),
        found=pl.format("{} = {}", "setting", "has").fill_null("no report of this setting"),
        evidence=EVIDENCE,
    )
