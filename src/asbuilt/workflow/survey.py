"""What a measured fabric looks like, without any plan: chassis and tiers, hosts and rails, striping, rates, and what is odd.

Tiers are found by distance from the adapters; rails by which leaves the adapters of one name
share. Everything here is counted from captures; choosing a system or naming a part is `adopt`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.facts import Facts

if TYPE_CHECKING:
    import polars as pl

# A chassis is a leaf when at least this share of its links goes to hosts: one adapter plugged into a spine by
# mistake must not make a leaf of it. Chosen well under the leanest leaf (a few hosts under full uplinks).
LEAF_SHARE = 0.1
# Share of adapters that must sit with their own kind for the wiring to be called rail-optimised.
RAIL_SHARE = 0.8
FACTORY = r"(?i)mellanox technologies|^mt\d+\s|^quantum\b"
TIERS = ("leaf", "spine", "core")
UNKNOWN_TIER = "unknown"


@dataclass(frozen=True, slots=True)
class Survey:
    """A measured fabric as frames.

    ``chassis``: chassis, name, model, factory, device_id, ports, asics, subnet, links (outside the box), host_links,
    node_links (to hosts of the common kind), tier.
    ``adapters``: guid, chassis, port, width, speed, subnet, device_id, factory, host, nic, adapters (of its host), common
    (its host is of the common kind), order (place of the NIC's name among its host's).
    ``trunks``: lower, upper, lower_tier, upper_tier, cables: per pair of boxes, lower tier first.
    ``ends``: every reported port with chassis, kind and name at both ends, width, speed, line.
    ``odd``: loops and one-sided links: odd, name, port, peer_name, peer_port, line.
    """

    chassis: pl.DataFrame
    adapters: pl.DataFrame
    trunks: pl.DataFrame
    ends: pl.DataFrame
    odd: pl.DataFrame


def survey(facts: Facts) -> Survey:
    """Survey of discovery facts (tables ``device_facts`` and ``link_facts``). Raises ``KeyError`` without them."""
    import polars as pl

    devices = facts.tables["device_facts"].filter(pl.col("kind") != "aggregation")
    links = facts.tables["link_facts"]
    places = _places(devices)
    ends = _ends(links, places)
    adapters = _adapters(devices, ends)
    chassis = _chassis(devices, places, ends, adapters)
    trunks = _trunks(ends, chassis)
    return Survey(chassis, adapters, trunks, ends, _odd(ends))


def _places(devices: pl.DataFrame) -> pl.DataFrame:
    """Device guid -> chassis (system GUID of a box with several ASICs, else the device itself), its kind and name."""
    import polars as pl

    switches = devices.filter(pl.col("kind") == "switch")
    system = pl.col("system_guid").fill_null(pl.col("guid"))
    boxes = switches.with_columns(pl.when(pl.len().over(system) > 1).then(system).otherwise("guid").alias("chassis"))
    text = pl.col("description").str.strip_chars()
    managed = text.str.extract(r"^MF0;([^:]+):", 1)
    boxes = boxes.with_columns(
        pl.coalesce(managed, text).alias("name"),
        text.str.extract(r"^MF0;[^:]+:([^/]+)", 1).fill_null("").alias("model"),
        text.str.contains(FACTORY).alias("factory"),
    )
    kept = ["guid", "chassis", "kind", "name", "model", "factory", "device_id", "ports", "capture_id"]
    others = devices.filter(pl.col("kind") != "switch").with_columns(
        pl.col("guid").alias("chassis"),
        text.alias("name"),
        pl.lit("").alias("model"),
        text.str.contains(FACTORY).alias("factory"),
    )
    return pl.concat([boxes.select(kept), others.select(kept)])


def _ends(links: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """Every reported port with the chassis and kind at both ends, and whether the far side reports it back."""
    import polars as pl

    own = places.select("guid", "chassis", "kind", "name", "capture_id")
    far = own.drop("capture_id").select(pl.all().name.prefix("peer_"))
    back = links.select(
        pl.col("peer_guid").alias("guid"),
        pl.col("peer_port").alias("port"),
        pl.col("guid").alias("peer_guid"),
        pl.lit(True).alias("back"),
    ).unique(["guid", "port", "peer_guid"])
    return (
        links.select("guid", "port", "peer_guid", "peer_port", "width", "speed", "line")
        .join(own, on="guid", how="inner")
        .join(far, on="peer_guid", how="inner")
        .join(back, on=["guid", "port", "peer_guid"], how="left")
        .with_columns(pl.col("back").fill_null(False))
    )


def _adapters(devices: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """Every adapter port that a switch reports, with host and NIC name, and whether its host is of the common kind."""
    import polars as pl

    seen = ends.filter((pl.col("kind") == "switch") & (pl.col("peer_kind") == "ca")).select(
        pl.col("peer_guid").alias("guid"), "chassis", "port", "width", "speed", pl.col("capture_id").alias("subnet")
    )
    text = pl.col("description").str.strip_chars()
    named = devices.filter(pl.col("kind") == "ca").select(
        "guid",
        "device_id",
        text.str.contains(FACTORY).alias("factory"),
        text.str.extract(r"^(.*\S)\s+(\S+)$", 1).fill_null(text).alias("host"),
        text.str.extract(r"^(.*\S)\s+(\S+)$", 2).fill_null("").alias("nic"),
    )
    named = named.with_columns(
        pl.when("factory").then(None).otherwise("host").alias("host"),
        pl.when("factory").then(None).otherwise("nic").alias("nic"),
    )
    frame = seen.join(named, on="guid", how="inner")
    sizes = frame.filter(~pl.col("factory")).group_by("host").agg(pl.len().alias("adapters"))
    usual = sizes.group_by("adapters").len().sort(["len", "adapters"], descending=True).head(1)["adapters"].to_list()
    frame = frame.join(sizes, on="host", how="left")
    common = (pl.col("adapters") == usual[0]).fill_null(False) if usual else pl.lit(True)
    return frame.with_columns(common.alias("common"), _order().alias("order"))


def _order() -> pl.Expr:
    """Place of a NIC name among its host's, by the number in it (mlx5_10 after mlx5_9), then by text."""
    import polars as pl

    number = pl.col("nic").str.extract(r"(\d+)", 1).cast(pl.Int64, strict=False).fill_null(-1)
    tail = pl.col("nic").str.extract(r"^\D*\d*(.*)$", 1).fill_null("")
    lead = pl.col("nic").str.extract(r"^(\D*)", 1).fill_null("")
    last = pl.col("nic").str.extract(r"(\d+)\D*$", 1).cast(pl.Int64, strict=False).fill_null(-1)
    rank = pl.struct(lead.alias("l"), number.alias("n"), last.alias("m"), tail.alias("t")).rank("dense").over("host")
    return rank.cast(pl.Int64) - 1


def _chassis(devices: pl.DataFrame, places: pl.DataFrame, ends: pl.DataFrame, adapters: pl.DataFrame) -> pl.DataFrame:
    """Every switch box with its tier: leaves carry hosts, spines meet leaves, cores meet spines."""
    import polars as pl

    boxes = (
        places.filter(pl.col("kind") == "switch")
        .sort("name")
        .group_by("chassis", maintain_order=True)
        .agg(
            pl.col("name").first(), pl.col("model").first(), pl.col("factory").first(), pl.col("device_id").first(),
            pl.col("ports").max(), pl.len().alias("asics"), pl.col("capture_id").first().alias("subnet"),
        )
    )  # fmt: skip
    outside = ends.filter((pl.col("kind") == "switch") & (pl.col("chassis") != pl.col("peer_chassis")))
    total = outside.group_by("chassis").agg(pl.len().alias("links"))
    hosts = adapters.group_by("chassis").agg(pl.len().alias("host_links"), pl.col("common").sum().alias("node_links"))
    boxes = boxes.join(total, on="chassis", how="left").join(hosts, on="chassis", how="left")
    boxes = boxes.with_columns(pl.col("links", "host_links", "node_links").fill_null(0))
    is_leaf = (pl.col("host_links") > 0) & (pl.col("host_links") >= LEAF_SHARE * pl.col("links"))
    pairs = outside.filter(pl.col("peer_kind") == "switch").select("chassis", "peer_chassis").unique()
    tiers = dict.fromkeys(boxes.filter(is_leaf)["chassis"], 0)
    edge = set(tiers)
    while edge:
        beyond = pairs.filter(pl.col("chassis").is_in(list(edge)))["peer_chassis"].unique()
        reached = set(beyond.to_list()) - set(tiers)
        depth = max(tiers[c] for c in edge) + 1
        tiers.update(dict.fromkeys(reached, depth))
        edge = reached
    tiers.update(dict.fromkeys(_bare_leaves(pairs, tiers), 0))
    words = {c: TIERS[d] if d < len(TIERS) else UNKNOWN_TIER for c, d in tiers.items()}
    return boxes.with_columns(
        pl.col("chassis").replace_strict(words, default=UNKNOWN_TIER, return_dtype=pl.String).alias("tier")
    )


def _bare_leaves(pairs: pl.DataFrame, tiers: dict[str, int]) -> list[str]:
    """Boxes two steps from the leaves that meet exactly the spines of some leaf: leaves that no host is on yet."""
    import polars as pl

    spines = [c for c, depth in tiers.items() if depth == 1]
    sets = (
        pairs.filter(pl.col("peer_chassis").is_in(spines)).group_by("chassis").agg(pl.col("peer_chassis").sort().alias("above"))
    )
    all_sets = pairs.group_by("chassis").agg(pl.col("peer_chassis").sort().alias("above"))
    leaves = sets.filter(pl.col("chassis").is_in([c for c, depth in tiers.items() if depth == 0])).select("above").unique()
    beyond = all_sets.filter(pl.col("chassis").is_in([c for c, depth in tiers.items() if depth == 2]))
    return beyond.join(leaves, on="above", how="semi")["chassis"].sort().to_list()


def _trunks(ends: pl.DataFrame, chassis: pl.DataFrame) -> pl.DataFrame:
    """Cables between two boxes, counted per pair, from the lower tier to the upper."""
    import polars as pl

    rank = {word: i for i, word in enumerate((*TIERS, UNKNOWN_TIER))}
    tier = chassis.select("chassis", "tier")
    between = ends.filter(
        (pl.col("kind") == "switch") & (pl.col("peer_kind") == "switch") & (pl.col("chassis") != pl.col("peer_chassis"))
    )
    frame = between.join(tier, on="chassis").join(tier.select(pl.all().name.prefix("peer_")), on="peer_chassis")
    order = pl.col("tier").replace_strict(rank, return_dtype=pl.Int64)
    far = pl.col("peer_tier").replace_strict(rank, return_dtype=pl.Int64)
    up = frame.filter((order < far) | ((order == far) & (pl.col("chassis") < pl.col("peer_chassis"))))
    return (
        up.group_by("chassis", "peer_chassis", "tier", "peer_tier")
        .agg(pl.len().alias("cables"))
        .select(
            pl.col("chassis").alias("lower"), pl.col("peer_chassis").alias("upper"), pl.col("tier").alias("lower_tier"),
            pl.col("peer_tier").alias("upper_tier"), "cables",
        )
        .sort("lower", "upper")
    )  # fmt: skip


def _odd(ends: pl.DataFrame) -> pl.DataFrame:
    """Cables that start and end on one switch, and ports whose far side does not report them (where both were read)."""
    import polars as pl

    loops = ends.filter((pl.col("guid") == pl.col("peer_guid")) & (pl.col("port") < pl.col("peer_port"))).with_columns(
        pl.lit("loop").alias("odd")
    )
    both = ends.filter((pl.col("kind") == "switch") & (pl.col("peer_kind") == "switch") & ~pl.col("back")).with_columns(
        pl.lit("one-sided").alias("odd")
    )
    return pl.concat([loops, both]).select("odd", "name", "port", "peer_name", "peer_port", "line").sort("name", "port")
