"""The embedded twin: captures of the planned fabric, as its tools would print them, with the faults that were injected.

InfiniBand subnets give one discovery dump each, Ethernet switches one neighbour table each. Nothing here reads a
capture or judges one: the twin shares no code with the parsers and checks that it exercises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from asbuilt.artefacts import identity
from asbuilt.model.capture import Capture
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import hex16
from asbuilt.rehearse.built import Built, as_planned, technologies
from asbuilt.rehearse.card_guids import numbers
from asbuilt.rehearse.discovery import discovery_text
from asbuilt.rehearse.fault import Fault
from asbuilt.rehearse.faults import apply
from asbuilt.rehearse.neighbours import neighbour_captures

if TYPE_CHECKING:
    import polars as pl

Captures = tuple[Capture, ...]


def render(plan: Plan, faults: tuple[Fault, ...] = (), seed: int = 0) -> Captures:
    """The captures of ``plan`` built with ``faults``. Equal arguments give equal bytes.

    Raises `ProblemError` for a fault that names nothing in the plan.
    """
    built, _ = apply(plan, as_planned(plan), faults)
    return captures(plan, built, seed)


def captures(plan: Plan, built: Built, seed: int = 0) -> Captures:
    """The captures of a built fabric: one dump per InfiniBand subnet, one neighbour table per Ethernet switch."""
    import polars as pl

    found = []
    subnets = plan.table("subnets").filter(pl.col("technology") == "infiniband")
    for subnet in subnets["subnet"].sort():
        devices, links = subnet_facts(plan, built, subnet, seed)
        found.append(Capture(f"ibnetdiscover-{subnet}", discovery_text(devices, links), "ibnetdiscover", subnet))
    return (*found, *neighbour_captures(plan, built, seed))


def render_facts(device_facts: pl.DataFrame, link_facts: pl.DataFrame) -> bytes:
    """A discovery dump from measured facts: the way to hold this writer against real samples."""
    return discovery_text(device_facts, link_facts)


def subnet_facts(plan: Plan, built: Built, subnet: str, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What discovery would see in one InfiniBand subnet: frames of `DEVICE_FACTS` and `LINK_FACTS`.

    A device without a live cable is not seen; nor is a cable between two NICs, which no switch reports. A cable between
    two subnets makes one fabric of them: discovery walks over it, and the dump of either shows both.
    """
    import polars as pl

    places = technologies(plan).filter(pl.col("technology") == "infiniband")
    live = built.live()
    joined = _joined(places, live, subnet) if built.moved else {subnet}
    inside = places.filter(pl.col("subnet").is_in(list(joined)))["switch"]
    cables = live.filter(pl.col("a_device").is_in(inside.implode()) | pl.col("b_device").is_in(inside.implode()))
    cables = cables.filter(pl.col("a_nic").is_null() | pl.col("b_nic").is_null())
    asics = _asics(plan, built, inside, seed)
    hcas = _hcas(plan, built, cables, seed)
    words = _words(plan, cables)
    if built.slow:
        one_lane = pl.col("cable").is_in(list(built.slow))
        words = words.with_columns(pl.when(one_lane).then(1).otherwise("width").cast(pl.Int64).alias("width"))
    sides = [_side(words, own, far) for own, far in (("a", "b"), ("b", "a"))]
    ends = pl.concat(sides)
    known = pl.concat([asics, hcas], how="diagonal")
    ends = _add(known, ends)
    seen = known.filter(pl.col("key").is_in(ends["key"].unique().implode()))
    seen, ends = _aggregation(seen, ends)
    return _finish(seen, ends, _planned_lids(plan, built))


def _planned_lids(plan: Plan, built: Built) -> dict[str, int]:
    """The LID of every end port by its key, as the subnet manager gives it; exchanged ones carry each other's."""
    if not plan.has("lids"):
        return {}
    lids = dict(plan.table("lids").select("port", "lid").rows())
    return lids | {one: lids[two] for one, two in built.lids.items()} | {f"{n}/{d}": 0 for n, d in built.unmanaged}


def _joined(places: pl.DataFrame, live: pl.DataFrame, subnet: str) -> set[str]:
    """The subnets that live cables between switches join with ``subnet``, itself among them."""
    of = dict(places.select("switch", "subnet").rows())
    pairs = {(of.get(a), of.get(b)) for a, b in live.select("a_device", "b_device").unique().rows()}
    found = {subnet}
    while True:
        more = {two for one, two in (*pairs, *((b, a) for a, b in pairs)) if one in found and two is not None} - found
        if not more:
            return found
        found |= more


def _asics(plan: Plan, built: Built, inside: pl.Series, seed: int) -> pl.DataFrame:
    """One row per switch ASIC: key ``switch#n``, GUIDs, description, ports. The system GUID is that of ASIC 0."""
    import polars as pl

    switches = plan.table("switches").filter(pl.col("switch").is_in(inside.implode()) & ~pl.col("spare")).sort("switch")
    rows = switches.select("switch", "name", "model", "ports", "asics").with_columns(
        pl.int_ranges(0, pl.col("asics")).alias("number")
    )
    rows = rows.explode("number").with_columns(pl.concat_str(["switch", pl.lit("#"), "number"]).alias("key"))
    value, base = numbers(plan, rows["key"], seed)
    chassis, _ = numbers(plan, rows["switch"] + "#0", seed)
    factory = pl.lit(identity.FACTORY_SWITCH)
    named = pl.concat_str(
        [pl.lit("MF0;"), "name", pl.lit(":M"), pl.col("model").str.to_uppercase(), pl.lit("/U"), pl.col("number") + 1]
    )
    models = {m: identity.device_id(m) for m in rows["model"].unique().to_list()}
    return rows.with_columns(
        pl.Series("value", value),
        pl.Series("base", base),
        hex16(value).alias("guid"),
        hex16(chassis).alias("system_guid"),
        pl.lit("switch").alias("kind"),
        (factory if built.noname else named).alias("description"),
        pl.col("model").replace_strict(models, return_dtype=pl.Int64, default=0).alias("device_id"),
        (pl.col("ports") + pl.when(pl.col("asics") == 1).then(1).otherwise(0)).alias("ports"),
    ).select("key", "kind", "value", "base", "guid", "system_guid", "description", "ports", "device_id", "asics")


def _hcas(plan: Plan, built: Built, cables: pl.DataFrame, seed: int) -> pl.DataFrame:
    """One row per NIC port that a cable reaches: key ``node/nic``. A clone carries the identity of its original."""
    import polars as pl

    ends = pl.concat(
        [
            cables.select(pl.col(f"{s}_device").alias("node"), pl.col(f"{s}_nic").alias("nic"), f"{s}_port").rename(
                {f"{s}_port": "port"}
            )
            for s in "ab"
        ]
    ).filter(pl.col("nic").is_not_null())
    rows = (
        ends.group_by("node", "nic").agg(pl.col("port").max()).with_columns((pl.col("node") + "/" + pl.col("nic")).alias("key"))
    )
    rows = rows.join(plan.table("nodes").select("node", "name"), on="node", how="left").sort("key")
    if plan.has("nics"):
        parts = plan.table("nics").select("node", pl.col("device").alias("nic"), "part")
        rows = rows.join(parts, on=["node", "nic"], how="left", maintain_order="left")
    else:
        rows = rows.with_columns(pl.lit("").alias("part"))
    rows = rows.with_columns(pl.col("part").fill_null(""))
    originals = {f"{b}/{n}": f"{a}/{m}" for (b, n), (a, m) in built.clones.items()}
    called = dict(plan.table("nodes").select("node", "name").rows()) if originals else {}
    names = {f"{a}/{m}": f"{called[a]} {m}" for a, m in built.clones.values()}
    rows = rows.with_columns(pl.col("key").replace(originals).alias("identity"))
    value, base = numbers(plan, rows["identity"], seed)
    own = pl.col("name") + " " + pl.col("nic")
    # The original may be behind a dark switch: its name is the plan's, not that of a device that is seen.
    named = pl.col("identity").replace_strict(names, default=own) if originals else own
    factory = {
        p: identity.FACTORY_HCA.get(identity.generation(p) or "NDR", identity.FACTORY_HCA["NDR"]) for p in rows["part"].unique()
    }
    ids = {p: identity.device_id(p) for p in rows["part"].unique()}
    described = pl.col("part").replace_strict(factory, return_dtype=pl.String) if built.noname else named
    return rows.with_columns(
        pl.Series("value", value),
        pl.Series("base", base),
        hex16(value).alias("guid"),
        pl.lit("ca").alias("kind"),
        described.alias("description"),
        pl.col("part").replace_strict(ids, return_dtype=pl.Int64, default=0).alias("device_id"),
        pl.col("port").alias("ports"),
    ).select("key", "kind", "value", "base", "guid", pl.col("guid").alias("system_guid"), "description", "ports", "device_id")


def _words(plan: Plan, cables: pl.DataFrame) -> pl.DataFrame:
    """The cables with width and speed, decided once per distinct (rate, part, part)."""
    import polars as pl

    parts = pl.concat(
        [
            plan.table("switches").select(pl.col("switch").alias("place"), pl.col("model").alias("part")),
            plan.table("nics").select((pl.col("node") + "/" + pl.col("device")).alias("place"), "part")
            if plan.has("nics")
            else pl.DataFrame(schema={"place": pl.String, "part": pl.String}),
        ]
    )
    for side in "ab":
        place = pl.concat_str([f"{side}_device", f"{side}_nic"], separator="/", ignore_nulls=True)
        cables = cables.with_columns(place.alias("place")).join(parts, on="place", how="left").drop("place")
        cables = cables.rename({"part": f"{side}_part"}).with_columns(pl.col(f"{side}_part").fill_null(""))
    kinds = cables.select("rate_gbps", "a_part", "b_part").unique()
    words = [identity.link_word(rate, (a, b)).split("x", 1) for rate, a, b in kinds.rows()]
    kinds = kinds.with_columns(
        pl.Series("width", [int(w) for w, _ in words], dtype=pl.Int64),
        pl.Series("speed", [s for _, s in words], dtype=pl.String),
    )
    return cables.join(kinds, on=["rate_gbps", "a_part", "b_part"], how="left", nulls_equal=True)


def _side(cables: pl.DataFrame, own: str, far: str) -> pl.DataFrame:
    """One row per cable as its ``own`` end reports it; ends are named by device, port and NIC."""
    import polars as pl

    ends = [
        *(pl.col(f"{own}_{n}").alias(n) for n in ("device", "port", "nic")),
        *(pl.col(f"{far}_{n}").alias(f"peer_{n}") for n in ("device", "port", "nic")),
    ]
    return cables.select(*ends, "width", "speed")


def _add(known: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """The ends with the identity of both sides. A chassis of several ASICs deals its ports out in equal runs."""
    import polars as pl

    chassis = known.filter((pl.col("kind") == "switch") & pl.col("key").str.ends_with("#0")).select(
        pl.col("key").str.head(-2).alias("device"), pl.col("asics"), (pl.col("ports") // pl.col("asics")).alias("run")
    )
    for prefix in ("", "peer_"):
        device, nic, port = (pl.col(f"{prefix}{n}") for n in ("device", "nic", "port"))
        ends = ends.join(chassis.rename({c: prefix + c for c in chassis.columns}), on=f"{prefix}device", how="left")
        asics, run = pl.col(f"{prefix}asics"), pl.col(f"{prefix}run")
        number = pl.when(asics > 1).then(pl.min_horizontal((port - 1) // run, asics - 1)).otherwise(0)
        ends = ends.with_columns(
            pl.when(nic.is_null())
            .then(pl.concat_str([device, pl.lit("#"), number]))
            .otherwise(device + "/" + nic)
            .alias(f"{prefix}key")
        )
        columns = known.select("key", "guid", "base", "kind", "description")
        ends = ends.join(columns.rename({c: prefix + c for c in columns.columns}), on=f"{prefix}key", how="inner")
    return ends.unique(["guid", "port"], keep="first", maintain_order=True)


def _aggregation(seen: pl.DataFrame, ends: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The SHARP aggregation node behind the port after the last one of every single-ASIC switch (GUID + 8)."""
    import polars as pl

    hosts = seen.filter((pl.col("kind") == "switch") & (pl.col("asics") == 1))
    if not hosts.height:
        return seen, ends
    speed = ends.group_by("guid").agg(pl.col("speed").first())
    value = hosts["value"].to_numpy() + np.uint64(8)
    nodes = hosts.with_columns(
        pl.concat_str(["key", pl.lit("+agg")]).alias("key"),
        pl.lit("ca").alias("kind"),
        pl.Series("value", value),
        pl.Series("base", value),
        hex16(value).alias("guid"),
        pl.lit(identity.AGGREGATION_DESCRIPTION).alias("description"),
        pl.lit(1, dtype=pl.Int64).alias("ports"),
        pl.lit(identity.AGGREGATION_DEVICE_ID, dtype=pl.Int64).alias("device_id"),
    )
    columns = ["key", "guid", "base", "kind", "description"]
    host = hosts.select(columns).rename({c: f"peer_{c}" for c in columns})
    up = pl.concat(
        [nodes.select(columns), host, hosts.select(pl.col("ports").alias("peer_port"), "guid").rename({"guid": "host"})],
        how="horizontal",
    )
    up = up.with_columns(pl.lit(1, dtype=pl.Int64).alias("port"), pl.lit(4, dtype=pl.Int64).alias("width"))
    up = up.join(speed.rename({"guid": "host"}), on="host", how="left").drop("host")
    turn = {**{c: f"peer_{c}" for c in (*columns, "port")}, **{f"peer_{c}": c for c in (*columns, "port")}}
    down = up.rename(turn)
    return pl.concat([seen, nodes], how="diagonal"), pl.concat([ends, up, down], how="diagonal")


def _finish(seen: pl.DataFrame, ends: pl.DataFrame, lids: dict[str, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames in fact form: LIDs as planned (else by device order), port GUIDs, device order."""
    import polars as pl

    devices = seen.unique("guid", keep="first", maintain_order=True).sort(pl.col("kind") != "switch", "key")
    devices = devices.with_columns(
        (pl.int_range(pl.len(), dtype=pl.Int64) + 1).alias("line"),
        pl.lit(identity.VENDOR_ID, dtype=pl.Int64).alias("vendor_id"),
    )
    planned = pl.col("key").replace_strict(lids, default=None, return_dtype=pl.Int64) if lids else pl.lit(None, dtype=pl.Int64)
    devices = devices.with_columns(planned.fill_null(pl.col("line")).alias("lid"))
    far_base = pl.when(pl.col("kind") == "switch").then("peer_base").otherwise("base")
    far_port = pl.when(pl.col("kind") == "switch").then("peer_port").otherwise("port")
    ends = ends.join(devices.select("guid", "lid"), on="guid", how="left")
    printed = ends.select((far_base + far_port.cast(pl.UInt64)).alias("n"))["n"].to_numpy()
    both_switches = (pl.col("kind") == "switch") & (pl.col("peer_kind") == "switch")
    ends = ends.with_columns(hex16(printed).alias("port_guid")).with_columns(
        pl.when(both_switches).then(None).otherwise("port_guid").alias("port_guid")
    )
    order = devices.select("guid", pl.col("line").alias("rank"))
    ends = (
        ends.join(order, on="guid", how="left")
        .sort("rank", "port")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("line"))
    )
    empty = pl.lit("twin").alias("capture_id")
    device_facts = DEVICE_FACTS.conform(devices.with_columns(empty).select(DEVICE_FACTS.names))
    return device_facts, LINK_FACTS.conform(ends.with_columns(empty).select(LINK_FACTS.names))
