"""Forwarding tables as captured, laid beside what the planned subnet manager would program on the fabric as it stands.

Measured are the tables and, where a discovery was captured, the cables and who is there; LIDs are the measured ones where a
capture tells them. The prediction is made for that same fabric, so that a cable that is down is told once, by the cabling.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.checks.answers import kept, plan_and
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.plan.forwarding import Forwarding, forwarding_of
from asbuilt.plan.routing_fabric import HOST, NOTHING, Fabric, fabric_of, words
from asbuilt.plan.routing_walks import NOWHERE

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class MeasuredRouting:
    """One subnet: the ``planned`` tables of the fabric as it stands (``planned.fabric``), and those read.

    ``out`` [S, LIDs] uint8, 255 for no port; ``known`` [S]: a table of this switch was read; ``seen`` [S]: discovery saw the
    switch, or there was none. ``evidence`` [S]: capture and line of each table, null where none was read.
    """

    subnet: str
    planned: Forwarding
    out: NDArray[np.uint8]
    known: NDArray[np.bool_]
    seen: NDArray[np.bool_]
    evidence: pl.DataFrame

    @property
    def fabric(self) -> Fabric:
        return self.planned.fabric


@kept(plan_and("lft_facts", "link_facts", "device_facts", "lids_measured"))
def measured_routing(plan: Plan, facts: Facts) -> list[MeasuredRouting]:
    """Every planned InfiniBand subnet of which a forwarding table was captured, by name."""
    import polars as pl

    found = []
    for subnet in plan.table("lids")["subnet"].unique().sort().to_list():
        lids = plan.table("lids").filter(pl.col("subnet") == subnet)
        rows = _rows(lids, facts)
        if rows.height:
            found.append(_one(plan, facts, subnet, lids, rows))
    return found


def _guids(lids: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """guid -> end port: planned GUIDs, then those of discovered devices that call themselves as planned."""
    import polars as pl

    known = lids.select(pl.col("node_guid").alias("guid"), "port")
    if facts.has("device_facts"):
        named = lids.filter(pl.col("name").is_unique()).select(pl.col("name").alias("description"), "port")
        said = facts.tables["device_facts"].select("guid", "description").join(named, on="description", how="inner")
        said = said.filter(~pl.col("guid").is_in(known["guid"].implode()) & pl.col("port").is_unique())
        known = pl.concat([known, said.select("guid", "port")])
        known = pl.concat([known, _aggregation(lids, known, facts)])
    return known.unique("guid", keep="first", maintain_order=True)


def _aggregation(lids: pl.DataFrame, known: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """guid -> end port of aggregation nodes whose GUID the plan does not have: they all have one name, so the switch that they
    are cabled to says which."""
    import polars as pl

    planned = lids.filter(pl.col("role") == "aggregation").select("device", pl.col("port").alias("node"))
    if planned.is_empty() or not facts.has("link_facts"):
        return known.clear()
    called = facts.tables["device_facts"].filter(pl.col("description").str.contains("Aggregation Node", literal=True))
    called = called.filter(~pl.col("guid").is_in(known["guid"].implode()))
    links = facts.tables["link_facts"].join(called.select(pl.col("guid").alias("peer_guid")), on="peer_guid", how="semi")
    switches = lids.filter(pl.col("number") == 0).select("port", "device").join(known, on="port", how="inner")
    found = links.select("guid", "peer_guid").join(switches, on="guid", how="inner").join(planned, on="device", how="inner")
    return found.select(pl.col("peer_guid").alias("guid"), pl.col("node").alias("port")).unique("port", keep="none")


def _rows(lids: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Rows of tables of this subnet's switches: port (of the switch), target, out_port, capture_id, line."""
    import polars as pl

    tables = facts.tables["lft_facts"]
    by_lid = lids.filter(pl.col("number") == 0).select("lid", pl.col("port").alias("lid_port"))
    joined = tables.join(_guids(lids, facts), on="guid", how="left").join(by_lid, on="lid", how="left")
    port = pl.when(pl.col("guid").is_null()).then("lid_port").otherwise("port")
    joined = joined.with_columns(port.alias("port")).filter(pl.col("port").is_in(by_lid["lid_port"].implode()))
    return joined.select("port", "target", "out_port", "capture_id", "line")


def _one(plan: Plan, facts: Facts, subnet: str, lids: pl.DataFrame, rows: pl.DataFrame) -> MeasuredRouting:
    import polars as pl

    aggregation = lids.filter(pl.col("role") == "aggregation")["lid"]
    fabric = fabric_of(plan, subnet, aggregation=bool(rows["target"].is_in(aggregation.implode()).any()))
    fabric = _as_numbered(fabric, facts)
    fabric, seen = _as_cabled(fabric, _guids(lids, facts), facts)
    fabric, doubled = _once(_as_managed(fabric, facts))
    place = pl.DataFrame({"port": list(fabric.switch_keys), "row": np.arange(fabric.switches)})
    table = rows.join(place, on="port", how="inner")
    width = max(fabric.top_lid + 1, int(table["target"].max() or 0) + 1)  # type: ignore[arg-type]
    out = np.full((fabric.switches, width), NOWHERE, np.uint8)
    out[table["row"].to_numpy(), table["target"].to_numpy()] = table["out_port"].to_numpy()
    known = np.zeros(fabric.switches, bool)
    known[table["row"].unique().to_numpy()] = True
    first = table.group_by("row").agg(pl.col("capture_id", "line").first())
    evidence = place.join(first, on="row", how="left", maintain_order="left").select("capture_id", "line")
    planned = forwarding_of(fabric)
    if doubled:
        planned = replace(planned, fixed=np.zeros_like(planned.fixed), reason="two hosts answer with one GUID")
    return MeasuredRouting(subnet, planned, out, known, seen, evidence)


def _as_numbered(fabric: Fabric, facts: Facts) -> Fabric:
    """The fabric with the LIDs that captures tell, where they do."""
    import polars as pl

    if not facts.has("lids_measured"):
        return fabric
    said = facts.tables["lids_measured"].select("port", pl.col("lid").alias("now")).filter(pl.col("now") > 0)
    said = said.unique("port", keep="first", maintain_order=True)

    def numbered(keys: Any, planned: NDArray[np.int32]) -> NDArray[np.int32]:
        frame = pl.DataFrame({"port": keys, "planned": planned}, schema_overrides={"port": pl.String})
        frame = frame.join(said, on="port", how="left", maintain_order="left")
        return frame.select(pl.coalesce("now", "planned").alias("lid"))["lid"].to_numpy().astype(np.int32)

    return replace(
        fabric, lid=numbered(list(fabric.switch_keys), fabric.lid), host_lid=numbered(fabric.host_keys, fabric.host_lid)
    )


def _once(fabric: Fabric) -> tuple[Fabric, bool]:
    """The fabric without hosts that discovery shows at several ports, and whether there are any. Which port a manager routes to
    is its own affair then, and the order of all others hangs on it: cabling and identity tell of them, nothing is predicted."""
    rows, ports = np.nonzero(fabric.peer <= HOST)
    number = HOST - fabric.peer[rows, ports]
    twice = np.bincount(number, minlength=fabric.hosts)[number] > 1
    if not twice.any():
        return fabric, False
    peer, home = fabric.peer.copy(), fabric.host_switch.copy()
    peer[rows[twice], ports[twice]] = NOTHING
    home[number[twice]] = NOTHING
    return replace(fabric, peer=peer, host_switch=home), True


def _as_managed(fabric: Fabric, facts: Facts) -> Fabric:
    """The fabric without the hosts that captures show without a LID: no manager routes to them, and FAB-011 tells of them."""
    import polars as pl

    if not facts.has("lids_measured"):
        return fabric
    said = facts.tables["lids_measured"].group_by("port").agg(pl.col("lid").max())
    without = said.filter(pl.col("lid") == 0)["port"]
    gone = np.flatnonzero(pl.Series(fabric.host_keys, dtype=pl.String).is_in(without.implode()).to_numpy())
    if not len(gone):
        return fabric
    peer, home = fabric.peer.copy(), fabric.host_switch.copy()
    peer[np.isin(peer, HOST - gone)] = NOTHING
    home[gone] = NOTHING
    return replace(fabric, peer=peer, host_switch=home)


def _as_cabled(fabric: Fabric, guids: pl.DataFrame, facts: Facts) -> tuple[Fabric, NDArray[np.bool_]]:
    """The fabric with the cables and GUIDs that discovery saw, and which switches it saw; as planned without one, or with one
    that was cut: what it does not show may be there."""
    import polars as pl

    everyone = np.ones(fabric.switches, bool)
    cut = any(bool(value) for key, value in facts.details.items() if key.partition(":")[0] == "incomplete")
    if not facts.has("link_facts") or cut:
        return fabric, everyone
    number = pl.concat(
        [
            pl.DataFrame({"port": list(fabric.switch_keys), "number": np.arange(fabric.switches)}),
            pl.DataFrame({"port": fabric.host_keys, "number": HOST - np.arange(fabric.hosts)}),
        ]
    )
    known = guids.join(number, on="port", how="inner").select("guid", "number")
    links = facts.tables["link_facts"].join(known, on="guid", how="inner").filter(pl.col("number") >= 0)
    links = links.join(known.rename({"guid": "peer_guid", "number": "to"}), on="peer_guid", how="inner")
    if not links.height:
        return fabric, everyone
    width = max(fabric.peer.shape[1], int(links["port"].max()) + 1)  # type: ignore[arg-type]
    peer, far = np.full((fabric.switches, width), NOTHING, np.int32), np.zeros((fabric.switches, width), np.int32)
    at = links["number"].to_numpy(), links["port"].to_numpy()
    peer[at], far[at] = links["to"].to_numpy(), links["peer_port"].to_numpy()
    _both_ways(peer, far)
    rows, ports = np.nonzero(peer <= HOST)
    home, port = np.full(fabric.hosts, NOTHING, np.int32), np.zeros(fabric.hosts, np.int32)
    home[HOST - peer[rows, ports]], port[HOST - peer[rows, ports]] = rows, ports
    guid = fabric.guid.copy()
    own = known.filter(pl.col("number") >= 0).join(facts.tables["link_facts"].select("guid").unique(), on="guid", how="semi")
    guid[own["number"].to_numpy()] = words(own["guid"])
    # The engine takes hosts in the order of their node GUIDs.
    hosts = known.filter(pl.col("number") <= HOST).join(links.select(pl.col("peer_guid").alias("guid")), on="guid", how="semi")
    node = fabric.host_node_guid.copy()
    node[HOST - hosts["number"].to_numpy()] = words(hosts["guid"])
    made = replace(fabric, peer=peer, peer_port=far, host_switch=home, host_port=port, guid=guid, host_node_guid=node)
    return made, (peer != NOTHING).any(axis=1)


def _both_ways(peer: NDArray[np.int32], far: NDArray[np.int32]) -> None:
    """Cables between switches, as both ends tell them: one that a single end tells is written at the other, one of which the
    other end says something else is none. The routing engine walks cables from both sides."""
    rows, ports = np.nonzero(peer >= 0)
    to, at = peer[rows, ports], far[rows, ports]
    inside = (at >= 0) & (at < peer.shape[1])
    peer[rows[~inside], ports[~inside]] = NOTHING
    rows, ports, to, at = rows[inside], ports[inside], to[inside], at[inside]
    silent = peer[to, at] == NOTHING
    peer[to[silent], at[silent]], far[to[silent], at[silent]] = rows[silent], ports[silent]
    rows, ports = np.nonzero(peer >= 0)
    to, at = peer[rows, ports], far[rows, ports]
    odd = (peer[to, at] != rows) | (far[to, at] != ports)
    peer[rows[odd], ports[odd]] = NOTHING
