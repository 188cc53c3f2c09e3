"""What a machine's BMC says: sensors, leaks, its event log, power supplies; and PCIe errors in the kernel's log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, nothing, threshold, untold
from asbuilt.checks.event_window import in_window
from asbuilt.checks.node_devices import counted, devices, machines
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "node_traits")
SENSORS = ("sensor_measured",)
_GOOD = ["ok", "absent"]
_UNREAD = ["unreadable"]
_SUPPLY = r"(?i)^(?:PSU?|POWER ?SUPPLY|PWR ?SUPPLY)[ _-]?(\d+)"
_AT_FAULT = ["absent", "critical", "warning", "unreadable"]
_WEIGHTY = ["fatal", "uncorrected", "critical", "warning"]
_PCIE = ["aer", "pcie"]


@check("NOD-025", layer=Layer.NODE, needs=(*NEEDS, "expectations", "gpus", "nics", "hardware"), facts=(), since="0.1")
def pcie_reports_no_errors(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within the window before the log was taken the kernel logged no PCIe error, corrected or not.

    Why: corrected errors are replays: a marginal contact that costs bandwidth today and drops the card tomorrow. Errors of an
    earlier test or boot are not laid to this one; a log without dates counts as a whole, and the finding says so.
    Measured by: dmesg as root (AER), with dates.
    Repair: reseat card and riser, update firmware of retimers and switches, swap with a good slot; run the load again.
    Source: the plan's expectations NOD-025 (errors, window); requirement nodes.event_window_h.
    """
    import polars as pl

    limit = threshold(plan, "NOD-025")
    if limit is None:
        return nothing("the plan states no limit of PCIe errors")
    rows = machines(plan, facts).select("node").join(logged(facts), on="node", how="left", maintain_order="left")
    if not rows["read"].any():
        return untold("the kernel's log of a planned node")
    bad = pl.DataFrame(schema={"node": pl.String, "device": pl.String})
    if facts.has("event_measured"):
        events = facts.tables["event_measured"]
        kept = in_window(plan, facts, events.filter(pl.col("source") != "sel"), "NOD-025")
        bad = kept.filter(pl.col("source").is_in(_PCIE)).group_by("node", "device", maintain_order=True).agg(
            pl.len().alias("count"), pl.col("severity").drop_nulls().first(), pl.col("placed").first(),
            *(pl.col(c).first() for c in EVIDENCE),
        )  # fmt: skip
    if bad.is_empty():
        return judge(
            rows,
            subject=pl.col("node"),
            ok=pl.when("read").then(True),
            expected=_no_errors(),
            found=pl.lit("no log of the kernel"),
        )
    if facts.has("pci_measured"):
        called = devices(plan, facts).select("node", pl.col("address").alias("device"), pl.col("subject").alias("called"))
        bad = bad.join(called, on=["node", "device"], how="left", maintain_order="left")
    else:
        bad = bad.with_columns(pl.lit(None, dtype=pl.String).alias("called"))
    rows = rows.join(bad, on="node", how="left", maintain_order="left")
    place = pl.when(pl.col("device").is_not_null()).then(pl.format("{}#{}", "node", "device")).otherwise("node")
    number = pl.col("count").fill_null(0)
    return judge(
        rows,
        subject=pl.coalesce("called", place),
        ok=pl.when("read").then(number <= pl.lit(limit["limit"])),
        expected=_no_errors(),
        found=pl.format(
            "{}, {} ({})",
            counted(pl.col("count"), "PCIe error", "PCIe errors"),
            pl.col("severity").fill_null("weight unknown"),
            "placed",
        ).fill_null("no log of the kernel"),
        evidence=EVIDENCE,
    )


def _no_errors() -> pl.Expr:
    import polars as pl

    return pl.lit("no PCIe error within the window")


def logged(facts: Facts) -> pl.DataFrame:
    """node, read: the kernel's log of the node was captured: the command ran, or lines of it are there."""
    import polars as pl

    parts = []
    if facts.has("command_measured"):
        rows = facts.tables["command_measured"].filter((pl.col("command") == "dmesg") & (pl.col("outcome") == "ran"))
        parts.append(rows.select("node"))
    if facts.has("event_measured"):
        parts.append(facts.tables["event_measured"].filter(pl.col("source") != "sel").select("node"))
    nodes = pl.concat(parts).unique() if parts else pl.DataFrame(schema={"node": pl.String})
    return nodes.with_columns(pl.lit(True).alias("read"))


def _listed(rows: pl.DataFrame) -> pl.DataFrame:
    """node, worst (the first sensor in words), more, with where it stands; of sensors that are not as they should be."""
    import polars as pl

    value = pl.format(", {} {}", amount(pl.col("value")), pl.col("unit"))
    value = pl.when(pl.col("value").is_not_null() & pl.col("unit").is_not_null()).then(value).otherwise(pl.lit(""))
    said = pl.format("{}: {}{}", "sensor", "state", value)
    return (
        rows.with_columns(said.alias("said"))
        .group_by("node", maintain_order=True)
        .agg(pl.col("said").first().alias("worst"), (pl.len() - 1).alias("more"), *(pl.col(c).first() for c in EVIDENCE))
    )


def _sensor_verdicts(plan: Plan, facts: Facts, leak: bool, expected: str, applies: pl.Expr) -> pl.DataFrame:
    import polars as pl

    every = facts.tables["sensor_measured"].filter((pl.col("kind") == "leak") == leak)
    told = every.group_by("node", maintain_order=True).agg(
        pl.len().alias("sensors"), pl.col("state").is_in(_GOOD).any().alias("good")
    )
    unread = pl.col("state").is_null() | pl.col("state").is_in(_UNREAD)
    bad = every.filter(~unread & ~pl.col("state").is_in(_GOOD)).sort(pl.col("state") != "critical", maintain_order=True)
    bad = pl.concat([bad, every.filter(unread)]) if leak else bad
    rows = machines(plan, facts).join(told, on="node", how="left", maintain_order="left")
    rows = rows.join(
        _listed(bad.with_columns(pl.col("state").fill_null("unread"))), on="node", how="left", maintain_order="left"
    )
    failing = bad.filter(~pl.col("state").fill_null("unreadable").is_in(_UNREAD))["node"].unique()
    broken = pl.col("node").is_in(failing.implode())
    more = pl.when(pl.col("more") > 0).then(pl.format(" and {} more", "more")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(broken).then(False).when(pl.col("good") & (pl.col("worst").is_null() if leak else True)).then(True),
        applies=applies,
        expected=pl.lit(expected),
        found=pl.format("{}{}", "worst", more).fill_null("no sensor that could be read"),
        evidence=EVIDENCE,
    )


@check("NOD-060", layer=Layer.NODE, needs=NEEDS, facts=SENSORS, since="0.1")
def sensors_are_in_range(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No sensor of a node's BMC is in warning or critical, by the limits that the sensor itself has.

    Why: a fan, an inlet or a supply at its limit throttles GPUs under load and looks like a slow node.
    Measured by: ipmitool sensor as root, or the BMC's Redfish service.
    Repair: see the named sensor: air path, fans, supply, coolant; wait for the load that the limit is about; capture again.
    Source: the sensor's own thresholds.
    """
    import polars as pl

    return _sensor_verdicts(plan, facts, False, "every sensor ok", pl.col("bmc"))


@check("NOD-061", layer=Layer.NODE, severity=Severity.BLOCKER, needs=NEEDS, facts=SENSORS, since="0.1")
def trays_are_dry(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every leak detector of a node is dry, and a node that must have one shows it.

    Why: a leak that goes on costs the tray below as well.
    Measured by: ipmitool sensor, or the BMC's Redfish service (LeakDetection).
    Repair: close the tray's valves or pull its couplings, power it off, look for the place, dry it, and test the joint again.
    Source: state of the detector itself; plan column `node_traits.nvlink`: trays of an NVL72 rack are cooled by liquid.
    """
    import polars as pl

    detected = facts.tables["sensor_measured"].filter(pl.col("kind") == "leak")["node"].unique()
    has = pl.col("node").is_in(detected.implode()) | (pl.col("nvlink") == "domain")
    return _sensor_verdicts(plan, facts, True, "every leak detector dry", has)


@check(
    "NOD-062", layer=Layer.NODE, severity=Severity.MINOR, needs=(*NEEDS, "expectations"), facts=("event_measured",), since="0.1"
)
def bmc_logged_nothing_serious(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Within the window the BMC's event log holds nothing of weight.

    Why: the BMC sees what the operating system does not: a supply that dropped, a processor's error, a cover.
    Measured by: ipmitool sel elist as root, with the BMC's clock set.
    Repair: read the entry, mend its cause, keep the log, then clear it so that the next entry is new.
    Source: the log's own weights; the plan's expectation NOD-062 (window).
    """
    import polars as pl

    rows = facts.tables["event_measured"].filter(pl.col("source") == "sel")
    asked = rows.select("node").unique()
    if facts.has("command_measured"):
        ran = facts.tables["command_measured"].filter((pl.col("command") == "ipmi-sel") & (pl.col("outcome") == "ran"))
        asked = pl.concat([asked, ran.select("node")]).unique()
    if asked.is_empty():
        return untold("the event log of a BMC")
    kept = in_window(plan, facts, rows, "NOD-062", "ipmi-sel")
    kept = kept.filter(pl.col("severity").is_in(_WEIGHTY) | pl.col("severity").is_null())
    kept = kept.sort(pl.col("severity").is_null(), maintain_order=True).group_by("node", maintain_order=True).agg(
        pl.col("severity").is_not_null().any().alias("weighty"), pl.len().alias("count"),
        pl.col("message").first(), pl.col("placed").first(), *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    every = machines(plan, facts).join(kept, on="node", how="left", maintain_order="left")
    read = pl.col("node").is_in(asked["node"].implode())
    quiet = read & pl.col("count").is_null()
    return judge(
        every,
        subject=pl.col("node"),
        ok=pl.when(pl.col("weighty")).then(False).when(quiet).then(True),
        applies=pl.col("bmc"),
        expected=pl.lit("no entry of weight"),
        found=pl.format("{} ({}), first: {}", counted(pl.col("count"), "entry", "entries"), "placed", "message").fill_null(
            "no event log of its BMC"
        ),
        evidence=EVIDENCE,
    )


@check("NOD-063", layer=Layer.NODE, needs=(*NEEDS, "expectations"), facts=SENSORS, since="0.1")
def power_supplies_are_there(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every node shows the planned number of power supplies, present and without fault.

    Why: with one supply gone the node runs on, and falls with the next feed; some systems cut the power of their GPUs.
    Measured by: sensors of the power supplies (ipmitool sensor, Redfish).
    Repair: seat the supply, look at its cord and feed; swap it; capture again.
    Source: the plan's expectation NOD-063: power supplies of the system.
    """
    import polars as pl

    limit = threshold(plan, "NOD-063")
    if limit is None:
        return nothing("the nodes have no power supplies of their own")
    rows = facts.tables["sensor_measured"].with_columns(pl.col("sensor").str.extract(_SUPPLY).alias("supply"))
    rows = rows.filter(pl.col("supply").is_not_null())
    each = rows.group_by("node", "supply", maintain_order=True).agg(
        pl.col("state").fill_null("unreadable").is_in(_AT_FAULT).any().alias("fault"), *(pl.col(c).first() for c in EVIDENCE)
    )
    told = each.group_by("node", maintain_order=True).agg(
        (~pl.col("fault")).sum().cast(pl.Int64).alias("count"),
        pl.col("supply").filter("fault").str.join(", ").alias("faulty"), *(pl.col(c).first() for c in EVIDENCE),
    )  # fmt: skip
    every = machines(plan, facts).join(told, on="node", how="left", maintain_order="left")
    odd = pl.when(pl.col("faulty") != "").then(pl.format(" (not {})", "faulty")).otherwise(pl.lit(""))
    return judge(
        every,
        subject=pl.col("node"),
        ok=pl.col("count") >= pl.lit(limit["limit"]),
        applies=pl.col("bmc"),
        expected=pl.lit(f"{limit['value']} power supplies"),
        found=pl.format("{} power supplies without fault{}", "count", odd).fill_null("no sensor of a power supply"),
        evidence=EVIDENCE,
    )
