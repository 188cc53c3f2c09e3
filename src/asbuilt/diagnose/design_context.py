"""What stands around the subject of a design verdict: the columns that causes and ways out are worded with."""

from __future__ import annotations

import re

import polars as pl

from asbuilt.model.plan import Plan

Rows = pl.DataFrame


def of_switch(plan: Plan, rows: Rows) -> Rows:
    """Subject is a switch: adds ``plane role model rail name`` and its port budget, and whether its ports are unsplit."""
    switches = plan.table("switches").select("plane", "role", "model", "rail", "name", subject="switch")
    joined = rows.join(switches, on="subject", how="left")
    if plan.has("port_budget"):
        joined = joined.join(plan.table("port_budget").rename({"switch": "subject"}), on="subject", how="left")
        joined = joined.join(_left_out(plan), on="plane", how="left")
        wired = pl.sum_horizontal("node_links", "shared_links", "uplinks", "downlinks", "service", "reserved")
        joined = joined.with_columns(pl.max_horizontal("short", wired - pl.col("ports")).alias("short"))
    if plan.has("parts"):
        many = pl.col("rates_gbps").str.contains("+", literal=True)
        parts = plan.table("parts").select(model="part", whole_ports="ports", splits=many)
        joined = joined.join(parts, on="model", how="left")
    return joined


def _left_out(plan: Plan) -> Rows:
    """Per plane: ``guests``, the planes that share its switches, and ``hosts``, service hosts asked for and not planned."""
    if not plan.has("planes"):
        return pl.DataFrame(schema={"plane": pl.String, "guests": pl.String, "hosts": pl.Int64})
    planes = plan.table("planes")
    sharing = planes.filter(pl.col("share").is_not_null()).group_by("share")
    guests = sharing.agg(pl.col("plane").sort().str.join(", ").alias("guests")).rename({"share": "plane"})
    planned = pl.DataFrame(schema={"plane": pl.String, "planned": pl.Int64})
    if plan.has("links"):
        service = plan.table("links").filter(pl.col("kind") == "service")
        planned = service.group_by("plane").agg(pl.len().cast(pl.Int64).alias("planned"))
    left = pl.col("service_ports") * pl.col("subplanes") - pl.col("planned").fill_null(0)
    rows = planes.select("plane", "service_ports", "subplanes").join(guests, on="plane", how="left")
    rows = rows.join(planned, on="plane", how="left")
    return rows.select("plane", pl.col("guests").fill_null(""), left.clip(0).alias("hosts"))


def of_nic(plan: Plan, rows: Rows) -> Rows:
    """Subject is a NIC port: adds ``node device part plane link_type rate_gbps``."""
    nics = plan.table("nics").select("node", "device", "part", "plane", "link_type", "rate_gbps", subject="nic")
    return rows.join(nics, on="subject", how="left")


def of_gpu(plan: Plan, rows: Rows) -> Rows:
    """Subject is a GPU: adds ``node slot socket rail`` and ``map``, a GPU to rail map true to the sockets (or empty)."""
    gpus = plan.table("gpus").select("node", "slot", "socket", "rail", subject="gpu")
    joined = rows.join(gpus, on="subject", how="left")
    node = joined["node"].drop_nulls().first() if joined.height else None
    return joined.with_columns(pl.lit(_socket_true_map(plan, str(node)) if node else "").alias("map"))


def _socket_true_map(plan: Plan, node: str) -> str:
    """A rail for each GPU of ``node`` on its own socket, rails of a socket in turn, as a YAML list; empty if there is none."""
    nics = plan.table("nics").filter((pl.col("node") == node) & (pl.col("plane") == "compute")).sort("rail")
    by_socket: dict[int, list[int]] = {}
    for rail, socket in nics.select("rail", "socket").unique(maintain_order=True).rows():
        by_socket.setdefault(socket, []).append(rail)
    taken: dict[int, int] = {}
    rails = []
    for socket in plan.table("gpus").filter(pl.col("node") == node).sort("slot")["socket"].to_list():
        if socket not in by_socket:
            return ""
        choices, turn = by_socket[socket], taken.get(socket, 0)
        rails.append(choices[turn % len(choices)])
        taken[socket] = turn + 1
    return f"[{', '.join(map(str, rails))}]"


def of_node(plan: Plan, rows: Rows) -> Rows:
    """Subject is a node: adds ``system``."""
    return (
        rows.join(plan.table("nodes").select("system", subject="node"), on="subject", how="left") if plan.has("nodes") else rows
    )


def of_rack(plan: Plan, rows: Rows) -> Rows:
    """Subject is a rack: adds ``role``."""
    return rows.join(plan.table("racks").select("role", subject="rack"), on="subject", how="left")


def of_jumper(plan: Plan, rows: Rows) -> Rows:
    """Subject is a jumper, or one end of it (``#a``): adds ``part medium length_m route_m``, of links ``plane rate_gbps``."""
    jumpers = plan.table("jumpers").select("part", "medium", "length_m", "route_m", whole="jumper")
    joined = rows.with_columns(pl.col("subject").str.replace(r"#[ab]$", "").alias("whole")).join(
        jumpers, on="whole", how="left"
    )
    if not plan.has("links"):
        return joined.with_columns(pl.lit("").alias("plane"), pl.lit(None, dtype=pl.Float64).alias("rate_gbps"))
    carried = plan.table("links").group_by(whole="jumper").agg(pl.col("plane").first(), pl.col("rate_gbps").first())
    return joined.join(carried, on="whole", how="left")


def of_transceiver(plan: Plan, rows: Rows) -> Rows:
    """Subject is a module: adds ``device part cage`` and ``host``, the model of the switch or the word node."""
    optics = plan.table("transceivers").select("device", "part", "cage", subject="transceiver")
    joined = rows.join(optics, on="subject", how="left")
    if not plan.has("switches"):
        return joined.with_columns(pl.lit("node").alias("host"))
    models = plan.table("switches").select(device="switch", host="model")
    return joined.join(models, on="device", how="left").with_columns(pl.col("host").fill_null("node"))


def of_link(plan: Plan, rows: Rows) -> Rows:
    """Subject is a link, or one end of it (``#a``): adds ``plane kind rail a_device b_device``."""
    links = plan.table("links").select("plane", "kind", "rail", "a_device", "b_device", whole="link")
    return rows.with_columns(pl.col("subject").str.replace(r"#[ab]$", "").alias("whole")).join(links, on="whole", how="left")


def of_pair(plan: Plan, rows: Rows) -> Rows:
    """Subject is a pair of planes: adds ``plane`` (the one declared physical, else the one that shares) and ``other``."""
    planes = plan.table("planes").select("plane", "separation", "separation_origin", "share").rows()
    weight = {p: (s == "physical" and o == "declared", share is not None) for p, s, o, share in planes}
    pairs = [tuple(subject.removeprefix("planes:").split("+")) for subject in rows["subject"].to_list()]
    firsts = [max(reversed(pair), key=lambda p: weight.get(p, (False, False))) for pair in pairs]
    others = [next(p for p in pair if p != first) for pair, first in zip(pairs, firsts, strict=True)]
    return rows.with_columns(pl.Series("plane", firsts, dtype=pl.String), pl.Series("other", others, dtype=pl.String))


def of_words(plan: Plan, rows: Rows) -> Rows:
    """Subject is ``kind:one/two``: adds ``one`` and ``two``."""
    split = pl.col("subject").str.replace(r"^[a-z]+:", "").str.split_exact("/", 1)
    return rows.with_columns(split.struct.field("field_0").alias("one"), split.struct.field("field_1").alias("two"))


def of_source(plan: Plan, rows: Rows) -> Rows:
    """Subject is a feed of a system: adds ``system feed kind sources feeds_used rating_kw need_kw``, and ``assumed``: words
    for feeds that nobody stated."""
    table = plan.table("power_sources")
    systems = table.group_by("system").agg(
        pl.len().alias("sources"),
        pl.col("feed").n_unique().alias("feeds_used"),
        pl.when(pl.col("kind").first() == "shelf").then(pl.lit("shelves")).otherwise(pl.lit("supplies")).alias("kind"),
    )
    assumed = plan.design is not None and any(a.path == "site.feeds" for a in plan.design.assumptions)
    words = " (nobody stated the feeds of the site: an A and a B feed are assumed)" if assumed else ""
    named = of_words(plan, rows).rename({"one": "system", "two": "feed"})
    return named.join(systems, on="system", how="left").with_columns(pl.lit(words).alias("assumed"))


def as_is(plan: Plan, rows: Rows) -> Rows:
    """Nothing to add."""
    return rows


def place(plan: Plan, subject: str) -> str:
    """Where a person finds the subject: display name, rack, U and front-panel label, as far as the plan knows."""
    bare = re.sub(r"#[ab]$", "", subject)
    kind = bare.partition(":")[0]
    if kind == "sw":
        return _stands(plan, "switches", "switch", bare)
    if kind in ("node", "svc"):
        return _stands(plan, "nodes", "node", bare)
    if kind in ("nic", "gpu"):
        return _in_node(plan, kind, bare)
    if kind in ("branch", "manifold", "floor"):
        return place(plan, "rack:" + bare.partition(":")[2].removeprefix("rack:"))
    if kind == "rack":
        row = _row(plan, "racks", "rack", bare)
        return f"{row['name'] or bare} (row {row['row']}, position {row['position']})" if row else ""
    if kind in ("link", "cable"):
        row = _row(plan, *(("links", "link") if kind == "link" else ("jumpers", "jumper")), bare)
        return f"{_end(plan, row, 'a')} to {_end(plan, row, 'b')}" if row else ""
    if kind == "xcvr":
        row = _row(plan, "transceivers", "transceiver", bare)
        return f"{place(plan, str(row['device']))}, cage {row['cage']}" if row else ""
    if kind in ("panel", "trunk"):
        return _in_panel(plan, kind, re.sub(r"#\d+$", "", bare))
    if kind in _POWERED:
        table, key, stands = _POWERED[kind]
        row = _row(plan, table, key, re.sub(r"^bank:(.*)/[^/]*$", r"\1", bare))
        return place(plan, str(row[stands])) if row else ""
    return ""


#: Parts of the power chain: table, key, and the column that says where they are.
_POWERED = {
    "circuit": ("circuits", "circuit", "rack"),
    "pdu": ("pdus", "pdu", "rack"),
    "bank": ("pdus", "pdu", "rack"),
    "cord": ("cords", "cord", "device"),
    "shelf": ("shelves", "shelf", "rack"),
    "busbar": ("busbars", "section", "rack"),
}


def _row(plan: Plan, table: str, key: str, value: str) -> dict[str, object] | None:
    if not plan.has(table):
        return None
    rows = plan.table(table).filter(pl.col(key) == value)
    return rows.row(0, named=True) if rows.height else None


def _stands(plan: Plan, table: str, key: str, value: str) -> str:
    row = _row(plan, table, key, value)
    if not row:
        return ""
    name = row["name"] or value
    return f"{name} ({row['rack']} U{row['u']:g})" if row["rack"] else str(name)


def _in_panel(plan: Plan, kind: str, value: str) -> str:
    """A panel by number, rack and U; a trunk by the positions that it ends at."""
    if kind == "trunk":
        row = _row(plan, "trunks", "trunk", value)
        ends = (
            [f"{_in_panel(plan, 'panel', str(row[f'{e}_panel']))} position {row[f'{e}_position']}" for e in "ab"] if row else []
        )
        return " to ".join(ends)
    row = _row(plan, "panels", "panel", value)
    if not row:
        return value
    return (
        f"panel {row['number']} ({row['rack']} U{row['u']:g})"
        if row["u"] is not None
        else f"panel {row['number']} of {row['rack']}"
    )


def _in_node(plan: Plan, kind: str, value: str) -> str:
    row = _row(plan, "nics" if kind == "nic" else "gpus", kind, value)
    if not row:
        return ""
    node = _stands(plan, "nodes", "node", str(row["node"])) or str(row["node"])
    return f"{node} {row['device']}" if kind == "nic" else f"{node} GPU {row['slot']}"


def _end(plan: Plan, row: dict[str, object], end: str) -> str:
    device, label = str(row[f"{end}_device"]), row[f"{end}_label"]
    return f"{place(plan, device) or device} port {label}" if label else place(plan, device) or device
