"""PCIe links of GPUs and NICs: width and speed at both ends and along the whole path, access control, request sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.checks.answers import EVIDENCE, amount, judge, kept, nothing, plan_and, threshold, thresholds, untold
from asbuilt.checks.node_devices import NODE_KEY, devices, machines, paths
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

if TYPE_CHECKING:
    import polars as pl

NEEDS = ("nodes", "gpus", "nics", "hardware", "expectations")
PCI = ("pci_measured",)
_GRACE = "aarch64"


def _rates(plan: Plan) -> pl.DataFrame:
    """gen, gts: the speed of a lane by PCIe generation, from the expectations NOD-021/gen=…"""
    import polars as pl

    rows = thresholds(plan, "NOD-021").filter(pl.col("selector").str.starts_with("gen="))
    return rows.select(pl.col("selector").str.strip_prefix("gen=").cast(pl.Int64).alias("gen"), pl.col("limit").alias("gts"))


def _drawn(facts: Facts, rates: pl.DataFrame) -> pl.DataFrame:
    """node, address, said_gts, busy: the speed that the driver says, and whether the GPU was at work when it was asked."""
    import polars as pl

    empty = {"node": pl.String, "address": pl.String, "said_gts": pl.Float64, "busy": pl.Boolean}
    if not facts.has("gpu_measured"):
        return pl.DataFrame(schema=empty)
    rows = facts.tables["gpu_measured"].filter(pl.col("address").is_not_null())
    rows = rows.join(rates.rename({"gen": "gen_now"}), on="gen_now", how="left")
    return rows.group_by(NODE_KEY).agg(
        pl.col("gts").max().alias("said_gts"), (pl.col("utilisation_percent") > 0).any().alias("busy")
    )


@kept(plan_and("pci_measured", "nic_function_measured", "gpu_measured"))
def _links(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Devices with what their link is planned to be, what the path above them can do and where it is least, and what runs."""
    import polars as pl

    rates = _rates(plan)
    root = threshold(plan, "NOD-022", "root")
    most = pl.lit(root["limit"] if root else None, dtype=pl.Float64)
    path = paths(plan, facts)
    above = path.filter(pl.col("step") > 0)
    least = [_least(above, c, f"path_{c}") for c in ("cap_gts", "cap_width")]
    least += [_least(path, "now_width", "at_now_width"), _least(above.filter(pl.col("step") == 1), "now_gts", "parent_now_gts")]
    least += [_least(above.filter(pl.col("step") > 1), "now_gts", "uplink_gts")]
    rows = devices(plan, facts).join(rates, on="gen", how="left", maintain_order="left")
    rows = rows.with_columns(pl.min_horizontal("gts", most).alias("want_gts"), pl.col("width").alias("want_width"))
    for part in least:
        rows = rows.join(part, on=NODE_KEY, how="left", maintain_order="left")
    rows = rows.join(_drawn(facts, rates), on=NODE_KEY, how="left", maintain_order="left")
    lowest = rates["gts"].min()
    running = pl.max_horizontal("now_gts", "parent_now_gts", "said_gts")
    return rows.with_columns(
        pl.min_horizontal(running, "uplink_gts").alias("gts_now"),
        pl.min_horizontal("want_gts", "path_cap_gts").alias("fit_gts"),
        pl.min_horizontal("want_width", "path_cap_width").alias("fit_width"),
        ((pl.col("kind") == "gpu") & (running <= pl.lit(lowest, dtype=pl.Float64)) & ~pl.col("busy").fill_null(False)).alias(
            "asleep"
        ),
    )


def _least(path: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """node, address, the least of ``column`` along the path, and where that is (the nearest one to the device)."""
    import polars as pl

    known = path.filter(pl.col(column).is_not_null()).sort(column, "step", maintain_order=True)
    return known.unique(NODE_KEY, keep="first", maintain_order=True).select(
        *NODE_KEY, pl.col(column).alias(name), pl.col("at").alias(f"{name}_at")
    )


@check("NOD-020", layer=Layer.NODE, needs=NEEDS, facts=PCI, since="0.1")
def links_have_all_lanes(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned GPU and NIC runs on all lanes that the plan and its path give it, at both ends and in every link above.

    Why: a card that came up on half its lanes works, alarms nobody, and halves the bandwidth of its rail for the whole job.
    Measured by: lspci -vv (LnkSta of the device and of the bridges above it), sysfs current_link_width.
    Repair: reseat card or riser, look at the gold fingers and the slot, swap it with another: a fault that moves is the card's.
    Source: plan column `hardware.pcie_width`.
    """
    import polars as pl

    rows = _links(plan, facts)
    if rows.is_empty():
        return untold("a PCI function of a planned part")
    there = (
        pl.when(pl.col("at_now_width_at") != pl.col("address"))
        .then(pl.format(" at {}", "at_now_width_at"))
        .otherwise(pl.lit(""))
    )
    bridge = pl.when(pl.col("parent").is_not_null()).then(pl.format(", {} below {}", "address", "parent")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.col("at_now_width") >= pl.col("fit_width"),
        applies=pl.col("want_width").is_not_null(),
        expected=pl.format("x{}", "fit_width"),
        found=pl.format("x{}{}{}", "at_now_width", there, bridge).fill_null("no report of its width"),
        evidence=EVIDENCE,
    )


@check("NOD-021", layer=Layer.NODE, needs=NEEDS, facts=PCI, since="0.1")
def links_run_at_speed(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every planned GPU and NIC runs at the PCIe speed that the plan and its path give it.

    Why: a link trained one generation lower halves the bandwidth. An idle GPU at the lowest speed saves power and is no fault:
    it must be read again under load; of several readings the fastest decides.
    Measured by: lspci -vv (LnkSta), sysfs current_link_speed, nvidia-smi (pcie.link.gen.current) while the GPU works.
    Repair: reseat card or riser, update BIOS and firmware of retimers and switches, take out a forced speed in the BIOS;
    capture again under load.
    Source: plan column `hardware.pcie_gen`; rates of the generations: the plan's expectations NOD-021.
    """
    import polars as pl

    rows = _links(plan, facts)
    if rows.is_empty():
        return untold("a PCI function of a planned part")
    full = pl.col("gts_now") >= pl.col("fit_gts")
    asleep = pl.format("{} at idle, which is power saving: re-read under load", amount(pl.col("gts_now"), "GT/s"))
    higher = pl.when(pl.col("gts_now") == pl.col("uplink_gts")).then(pl.format(" at {}", "uplink_gts_at")).otherwise(pl.lit(""))
    known = pl.col("parent").is_not_null()
    below = pl.when(known).then(pl.format("{}, {} below {}", higher, "address", "parent")).otherwise(pl.lit(""))
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(full).then(True).when(~pl.col("asleep")).then(full),
        applies=pl.col("want_gts").is_not_null(),
        expected=amount(pl.col("fit_gts"), "GT/s"),
        found=pl.when(pl.col("asleep"))
        .then(asleep)
        .otherwise(pl.format("{}{}", amount(pl.col("gts_now"), "GT/s"), below))
        .fill_null("no report of its speed"),
        evidence=EVIDENCE,
    )


@check("NOD-022", layer=Layer.NODE, needs=NEEDS, facts=PCI, since="0.1")
def paths_carry_the_device(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No bridge between a planned GPU or NIC and its root port can do less than the device is planned with.

    Why: a Gen4 root port below a Gen5 card is the board's or the BIOS's fault, not the card's: swapping the card mends nothing.
    Measured by: lspci -vv (LnkCap) or sysfs max_link_speed and max_link_width of every bridge above the device.
    Repair: look at the slot, the riser and the BIOS's speed and bifurcation of the named bridge; if the board can do no more,
    state `nodes.pcie_gen` in the requirement.
    Source: plan columns `hardware.pcie_gen`, `hardware.pcie_width`; requirement nodes.pcie_gen.
    """
    import polars as pl

    rows = _links(plan, facts)
    if rows.is_empty():
        return untold("a PCI function of a planned part")
    slow, narrow = pl.col("path_cap_gts") < pl.col("want_gts"), pl.col("path_cap_width") < pl.col("want_width")
    speed = pl.format("{} can do {}", "path_cap_gts_at", amount(pl.col("path_cap_gts"), "GT/s"))
    width = pl.format("{} can do x{}", "path_cap_width_at", "path_cap_width")
    known = pl.col("path_cap_gts").is_not_null() & pl.col("path_cap_width").is_not_null()
    found = pl.when(slow & narrow).then(pl.format("{} and {}", speed, width)).when(slow).then(speed).when(narrow).then(width)
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=pl.when(slow.fill_null(False) | narrow.fill_null(False)).then(False).when(known).then(True),
        applies=pl.col("want_gts").is_not_null() & pl.col("want_width").is_not_null(),
        expected=pl.format("{} x{} along the whole path", amount(pl.col("want_gts"), "GT/s"), "want_width"),
        found=found.fill_null("no report of what the bridges above it can do"),
        evidence=EVIDENCE,
    )


@check("NOD-023", layer=Layer.NODE, needs=(*NEEDS, "node_traits"), facts=PCI, since="0.1")
def bridges_let_peers_talk(plan: Plan, facts: Facts) -> pl.DataFrame:
    """On bare metal, access control (ACS) is off on every bridge above a planned GPU or NIC.

    Why: with ACS a bridge sends traffic between two devices below it up to the root complex: GPUDirect works, at half the rate
    or less. Virtual machines need it; where the plan says so this check does not apply.
    Measured by: lspci -vv as root (ACSCtl of the bridges).
    Repair: switch it off in the BIOS (it often follows the IOMMU), or with `setpci` at every boot; capture again.
    Source: requirement nodes.acs; NCCL user guide, troubleshooting: PCI access control services.
    """
    import polars as pl

    wanted = threshold(plan, "NOD-023")
    if wanted is None or wanted["value"] != "disabled":
        return nothing("the plan is for virtual machines, which need access control")
    assumed = wanted["origin"] == "assumed"
    bridges = paths(plan, facts).filter(pl.col("step") > 0).unique(["node", "at"], keep="first", maintain_order=True)
    on = pl.col("acs").is_not_null() & (pl.col("acs") != "none")
    told = bridges.group_by("node", maintain_order=True).agg(
        on.sum().alias("count"), pl.col("acs").is_not_null().any().alias("told"),
        pl.col("acs").filter(on).first().alias("controls"), pl.col("at").filter(on).first().alias("first"),
    )  # fmt: skip
    rows = machines(plan, facts).join(told, on="node", how="left", maintain_order="left")
    rows = rows.join(_first_line(facts), on="node", how="left", maintain_order="left")
    return judge(
        rows,
        subject=pl.col("node"),
        ok=pl.when(pl.col("told")).then(pl.col("count") == 0),
        applies=~((pl.col("architecture") == _GRACE).fill_null(False) & pl.lit(assumed)) & pl.col("count").is_not_null(),
        expected=pl.lit("ACS off on the bridges above GPUs and NICs"),
        found=pl.format("{} on {} bridges, {} first", "controls", "count", "first").fill_null(
            "no ACSCtl in the report: lspci -vv needs root"
        ),
        evidence=EVIDENCE,
    )


def _first_line(facts: Facts) -> pl.DataFrame:
    import polars as pl

    rows = facts.tables["pci_measured"]
    best = rows.sort(pl.col("acs").is_null() | (pl.col("acs") == "none"), maintain_order=True)
    return best.unique("node", keep="first", maintain_order=True).select("node", *EVIDENCE)


@check("NOD-024", layer=Layer.NODE, severity=Severity.MINOR, needs=NEEDS, facts=PCI, since="0.1")
def cards_ask_in_large_requests(plan: Plan, facts: Facts) -> pl.DataFrame:
    """MaxReadReq (and MaxPayload, where the plan states it) of every planned NIC is as planned.

    Why: a NIC that asks memory for 512 bytes at a time does not fill a 400 Gb/s link; the default after boot is often 512.
    Measured by: lspci -vv as root (DevCtl: MaxPayload, MaxReadReq).
    Repair: `setpci` of the device control register at every boot, or the BIOS's PCIe option; capture again.
    Source: requirement nodes.read_request_bytes, nodes.payload_bytes.
    """
    import polars as pl

    read, payload = threshold(plan, "NOD-024", "read_request"), threshold(plan, "NOD-024", "payload")
    if read is None:
        return nothing("the plan states no MaxReadReq")
    rows = devices(plan, facts).filter(pl.col("kind") == "nic")
    if rows.is_empty():
        return untold("a PCI function of a planned NIC")
    least = pl.lit(payload["limit"] if payload else None, dtype=pl.Float64)
    off = pl.col("read_request_bytes") != pl.lit(read["limit"])
    small = (pl.col("payload_bytes") < least) if payload else pl.lit(False)
    unread = pl.col("read_request_bytes").is_null() | (pl.col("payload_bytes").is_null() if payload else pl.lit(False))
    bad = (off | small).fill_null(False)
    said = pl.format(
        "MaxReadReq {}, MaxPayload {}",
        pl.col("read_request_bytes"),
        pl.col("payload_bytes").cast(pl.String).fill_null("unread"),
    )
    rows = rows.with_columns(bad.alias("bad"), unread.alias("unread"), said.alias("said"))
    nodes = rows.group_by("node", maintain_order=True).agg(
        pl.col("bad").sum().alias("count"), pl.len().alias("all"), pl.col("unread").any().alias("open"),
        pl.col("said").filter("bad").first(), *(pl.col(c).filter("bad").first().fill_null(pl.col(c).first()) for c in EVIDENCE),
    )  # fmt: skip
    most = f" and MaxPayload of at least {payload['value']} bytes" if payload else ""
    return judge(
        nodes,
        subject=pl.col("node"),
        ok=pl.when(pl.col("count") > 0).then(False).when(~pl.col("open")).then(True),
        expected=pl.lit(f"MaxReadReq {read['value']} bytes{most}"),
        found=pl.format("{} on {} of {} NIC functions", "said", "count", "all").fill_null(
            "no DevCtl in the report: lspci -vv needs root"
        ),
        evidence=EVIDENCE,
    )
