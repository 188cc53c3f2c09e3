"""Planes of a measured fabric: which adapters of a host belong together, over which leaves, spines and cores they meet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.workflow.survey import RAIL_SHARE, TIERS, Survey

if TYPE_CHECKING:
    import polars as pl

# Data rate of one lane in Gb/s by speed word (IBTA signalling rates; FDR 14.0625 Gb/s).
LANE_GBPS = {
    "SDR": 2.5,
    "DDR": 5.0,
    "QDR": 10.0,
    "FDR10": 10.0,
    "FDR": 14.0625,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
# Switch models as their descriptions or device ids give them -> (catalogue id, ports at the full rate).
SWITCHES = {"QM8700": ("qm8700", 40), "QM9700": ("qm9700", 64), "QM9790": ("qm9790", 64), "Q3400": ("q3400-ra", 144)}
SWITCH_DEVICES = {0xD2F0: "QM8700", 0xD2F2: "QM9700", 0xD2F4: "Q3400"}
# (adapter device id, Gb/s) -> a part that fits. Several cards share one id: always assumed.
ADAPTERS = {
    (0x101B, 200.0): "connectx-6-vpi",
    (0x1021, 200.0): "connectx-7-ndr200",
    (0x1021, 400.0): "connectx-7-400",
    (0x1023, 800.0): "connectx-8-osfp",
}
# Uplinks of one leaf over another's from which the two count as different kinds of leaf.
UPLINK_STEP = 1.5
NAMES = ("compute", "storage", "frontend", "management", "oob")
# What leaves and ports of a plane are usually called, where the wiring alone does not tell.
HINTS = {
    "storage": r"(?i)stor",
    "oob": r"(?i)oob|bmc|ipmi",
    "management": r"(?i)mgmt|manage",
    "frontend": r"(?i)front",
}


@dataclass(frozen=True, slots=True)
class MeasuredTier:
    """One tier of a plane as seen. ``pinned``: its count is worth dictating (the spines of a two-tier plane)."""

    role: str
    count: int
    model: str
    switch: str
    split: bool
    uplinks: int
    pinned: bool
    names: str


@dataclass(frozen=True, slots=True)
class MeasuredPlane:
    """One plane as seen; empty text, 0 or None where the captures do not tell. Rates in Gb/s."""

    name: str
    technology: str
    layout: str
    layout_why: str
    named_by: str
    nodes: int
    rails: int
    subplanes: int
    link_gbps: float | None
    link_word: str
    uplink_gbps: float | None
    uplink_word: str
    nic: str
    nic_device_id: int
    nodes_per_leaf: int
    tiers: tuple[MeasuredTier, ...]
    share: str
    oversubscription: float | None
    orders: tuple[int, ...] = ()
    nics: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


def measured_planes(survey: Survey, technology: str, taken: list[str]) -> tuple[MeasuredPlane, ...]:
    """The planes of one kind of network, the one with most adapters a host first. ``taken`` names are not given again."""
    import polars as pl

    common = survey.adapters.filter("common")
    if not common.height:
        return ()
    planes: list[MeasuredPlane] = []
    spines: dict[str, str] = {}
    for orders in _groups(survey, common):
        mine = common.filter(pl.col("order").is_in(orders))
        name = _plane_name(survey, mine, [*taken, *(p.name for p in planes)])
        if not name:
            break
        plane, above = _plane(survey, mine, name, technology, orders, spines)
        planes.append(plane)
        spines.update({} if plane.share else dict.fromkeys(above, name))
    return tuple(planes)


def _plane_name(survey: Survey, mine: pl.DataFrame, taken: list[str]) -> str:
    """The plane that leaves and ports are named after, else the first that is free; "" when none is left."""
    import polars as pl

    leaves = survey.chassis.filter(pl.col("chassis").is_in(mine["chassis"].unique().implode()))["name"]
    words = " ".join([*leaves.to_list(), *mine["nic"].drop_nulls().unique().sort().to_list()])
    hinted = next((plane for plane, hint in HINTS.items() if re.search(hint, words)), "")
    free = [n for n in NAMES if n not in taken]
    return hinted if hinted in free else next((n for n in free if n not in HINTS or n != "oob"), "")


def _groups(survey: Survey, common: pl.DataFrame) -> list[list[int]]:
    """Orders (places of a NIC among its host's) that share rate, card, uplinks and name of their leaf; largest first."""
    import polars as pl

    up = survey.trunks.filter(pl.col("lower_tier") == "leaf").group_by("lower").agg(pl.col("cables").sum().alias("up"))
    named = survey.chassis.select("chassis", pl.col("name").str.replace_all(r"\d+", "#").alias("called"))
    frame = common.join(up, left_on="chassis", right_on="lower", how="left").join(named, on="chassis", how="left")
    keys = ("width", "speed", "device_id", "called")
    usual = frame.group_by("order").agg(*(pl.col(k).mode().sort().last() for k in (*keys, "up")))
    # Within a kind, leaves of another design differ in uplinks by far more than a few cables that are down.
    ranked = usual.sort(*keys, "up", "order", nulls_last=True).with_columns(pl.col("up").fill_null(0))
    step = pl.any_horizontal(pl.col(k).ne_missing(pl.col(k).shift()) for k in keys) | (
        pl.col("up") > UPLINK_STEP * pl.col("up").shift()
    )
    groups = ranked.with_columns(step.fill_null(True).cum_sum().alias("group")).group_by("group").agg(pl.col("order").sort())
    ordered = groups.sort(pl.col("order").list.len() * -1, pl.col("order").list.first())
    return [list(o) for o in ordered["order"].to_list()]


def _plane(
    survey: Survey, mine: pl.DataFrame, name: str, technology: str, orders: list[int], taken: dict[str, str]
) -> tuple[MeasuredPlane, list[str]]:
    """One plane and the spines it meets. ``taken`` spines belong to the plane they name."""
    import polars as pl

    hosts = mine["host"].n_unique()
    subnets = mine.group_by("host").agg(pl.col("subnet").n_unique().alias("n"))["n"]
    subplanes = _usual(subnets) if technology == "infiniband" else 1
    leaves = mine["chassis"].unique().sort().to_list()
    up = survey.trunks.filter(pl.col("lower").is_in(leaves) & (pl.col("upper_tier") == "spine"))
    spines = up["upper"].unique().sort().to_list()
    cores = survey.trunks.filter(pl.col("lower").is_in(spines) & (pl.col("upper_tier") == "core"))["upper"].unique().to_list()
    layout, why = _layout(mine, up, bool(cores))
    link, word = _rate(mine)
    trunk, trunk_word = _rate(
        survey.ends.filter((pl.col("kind") == "switch") & pl.col("chassis").is_in(leaves) & (pl.col("peer_kind") == "switch"))
    )
    share = next((taken[s] for s in spines if s in taken), "")
    tiers = _tiers(survey, mine, {"leaf": leaves, "spine": [] if share else spines, "core": [] if share else cores}, link)
    # On a fat tree all ports of a node count as on one leaf, however the crew spread them over two.
    ends = mine.group_by("chassis").agg(pl.col("host").n_unique().alias("hosts"), pl.len().alias("ends"))
    fullest = -(-int(ends["ends"].max()) // max(1, len(orders) // subplanes))  # type: ignore[arg-type]
    per_leaf = fullest if layout == "fat-tree" else int(ends["hosts"].max())  # type: ignore[arg-type]
    device = _usual(mine["device_id"])
    over = None
    uplinks = tiers[0].uplinks if tiers else 0
    if link and trunk and uplinks:
        over = max(1.0, round(int(ends["ends"].max()) * link / (uplinks * trunk), 2))  # type: ignore[arg-type]
    names = mine.drop_nulls("nic").unique("nic").sort("order", "nic")["nic"].to_list()
    ports = ", ".join(names[:8])
    plane = MeasuredPlane(
        name=name,
        technology=technology,
        layout=layout,
        layout_why=why,
        named_by=f"{len(orders)} adapters of each host: {ports}",
        nodes=hosts,
        rails=max(1, len(orders) // subplanes),
        subplanes=subplanes,
        link_gbps=link,
        link_word=word,
        uplink_gbps=trunk,
        uplink_word=trunk_word,
        nic=ADAPTERS.get((device, link or 0.0), ""),
        nic_device_id=device,
        nodes_per_leaf=per_leaf,
        tiers=tiers,
        share=share,
        oversubscription=over,
        orders=tuple(orders),
        nics=tuple(names),
        leaves=tuple(leaves),
    )
    return plane, spines


def _usual(numbers: pl.Series) -> int:
    """The most frequent number, the larger of two that are as frequent; 0 when there is none."""
    import polars as pl

    known = numbers.drop_nulls().cast(pl.Int64)
    return max(known.mode().to_list()) if known.len() else 0


def _layout(mine: pl.DataFrame, up: pl.DataFrame, cores: bool) -> tuple[str, str]:
    """How hosts meet leaves, and the figures that say so."""
    import polars as pl

    counts = (
        mine.group_by("chassis", "order").len().group_by("chassis").agg(pl.col("len").max(), pl.col("len").sum().alias("all"))
    )
    share = float(counts["len"].sum()) / float(counts["all"].sum())
    if mine["order"].n_unique() == 1 or share < RAIL_SHARE:
        return "fat-tree", f"{share:.0%} of the adapters sit with their own kind on a leaf"
    rails = mine.select("chassis", "order").unique("chassis").join(up, left_on="chassis", right_on="lower")
    single = rails.group_by("upper").agg(pl.col("order").n_unique())["order"]
    if cores and len(single) and float((single == 1).mean() or 0.0) >= RAIL_SHARE:  # type: ignore[arg-type]
        return "leaf-groups", f"{share:.0%} of the adapters sit with their own rail, and each spine serves one rail"
    return "rail-optimised", f"{share:.0%} of the adapters sit with their own rail on a leaf"


def _rate(ports: pl.DataFrame) -> tuple[float | None, str]:
    """Gb/s and link word of most of these ports; (None, "") when none says."""
    import polars as pl

    words = ports.filter(pl.col("width").is_not_null()).group_by("width", "speed").len().sort("len", descending=True)
    if not words.height:
        return None, ""
    width, speed = words.row(0)[:2]
    lane = LANE_GBPS.get(speed)
    return (width * lane if lane else None), f"{width}x{speed} on {words.row(0)[2]} of {words['len'].sum()} ports"


def _tiers(survey: Survey, mine: pl.DataFrame, members: dict[str, list[str]], link: float | None) -> tuple[MeasuredTier, ...]:
    import polars as pl

    found = []
    for role in TIERS:
        boxes = survey.chassis.filter(pl.col("chassis").is_in(members[role]))
        if not boxes.height:
            continue
        model, switch, full = _model(boxes)
        up = survey.trunks.filter(pl.col("lower").is_in(members[role]) & (pl.col("upper_tier") != role))
        counts = up.group_by("lower").agg(pl.col("cables").sum())["cables"]
        most = _usual(counts) if role == "leaf" else 0
        ports = _usual(boxes["ports"])
        split = bool(full and ports > full + 1)
        pinned = bool(switch) and role == "spine" and not members["core"]
        names = _tier_names(boxes, mine, role)
        found.append(MeasuredTier(role, boxes.height, model, switch, split, most, pinned, names))
    return tuple(found)


def _model(boxes: pl.DataFrame) -> tuple[str, str, int]:
    """(model as printed, catalogue id or "", ports unsplit or 0) of most boxes of a tier."""
    said = str(boxes["model"].mode().sort().last() or "")
    device = _usual(boxes["device_id"])
    known = next((SWITCHES[key] for key in SWITCHES if key in said.upper()), None)
    if known is None and not said and device in SWITCH_DEVICES:
        known = SWITCHES[SWITCH_DEVICES[device]]
    return said or f"device id {device}", *(known or ("", 0))


def _tier_names(boxes: pl.DataFrame, mine: pl.DataFrame, role: str) -> str:
    """A name template in fields that a requirement knows, when one makes every name of the tier."""
    import polars as pl

    ordered = boxes.sort("name")
    columns: dict[str, pl.Series] = {}
    if role == "leaf":
        rail = mine.group_by("chassis").agg(pl.col("order").mode().sort().first())
        joined = ordered.join(rail, on="chassis", how="left")
        columns["rail"] = joined["order"].rank("dense").cast(pl.Int64) - 1
        columns["block"] = joined.select(pl.col("name").rank("ordinal").over("order").cast(pl.Int64) - 1)["name"]
    columns["index"] = pl.Series(range(ordered.height), dtype=pl.Int64)
    return name_template(ordered["name"], columns)


def name_pattern(names: list[str]) -> str:
    """``node-<0001 to 0560>`` when all names are one literal around changing numbers; else ""."""
    parts = [re.split(r"(\d+)", name) for name in names]
    if not parts or len({tuple(p[::2]) for p in parts}) != 1:
        return ""
    shown = []
    for place, sample in enumerate(parts[0]):
        words = sorted({p[place] for p in parts}, key=lambda w: (len(w), w))
        shown.append(sample if len(words) == 1 else f"<{words[0]} to {words[-1]}>")
    return "".join(shown)


def name_template(names: pl.Series, columns: dict[str, pl.Series]) -> str:
    """``leaf-{block:02d}-{rail:02d}`` when the numbers in all names are, place by place, one of ``columns``; else "".

    A number that never changes stays as it is; one that no column explains means that there is no template.
    """
    import polars as pl

    if not names.len() or names.null_count():
        return ""
    parts = [re.split(r"(\d+)", name) for name in names.to_list()]
    if len({tuple(p[::2]) for p in parts}) != 1:
        return ""
    text = ""
    for place, sample in enumerate(parts[0]):
        words = [p[place] for p in parts]
        if len(set(words)) == 1:
            text += sample.replace("{", "{{").replace("}", "}}")
            continue
        width = min(len(w) for w in words)
        numbers = pl.Series([int(w) for w in words], dtype=pl.Int64)
        field = next((f for f, values in columns.items() if values.equals(numbers)), None)
        padded = all(w == str(int(w)).zfill(width) for w in words)
        if field is None or not padded:
            return ""
        text += f"{{{field}:0{width}d}}" if width > 1 else f"{{{field}}}"
    return text if "{" in text else ""
