"""Use case: what will be captured when the repairs are done, and what a later capture shows that was not done as told.

The prediction is made from what was measured, not from the plan: whatever the moves do not touch stays as it was found.
Written as captures, it is verified like any other; held against the capture that follows the work, it is the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.diagnose.after_moves import After, after_moves
from asbuilt.diagnose.as_measured import Measured, read_measured
from asbuilt.diagnose.cabling_tables import PortNames
from asbuilt.diagnose.causes import diagnose
from asbuilt.diagnose.identity import nameless
from asbuilt.diagnose.links import compare_links
from asbuilt.model.capture import Capture
from asbuilt.model.facts import MADE_GUID
from asbuilt.model.link_speeds import LANE_GBPS
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS
from asbuilt.parsers.lldp import made_guid
from asbuilt.rehearse.discovery import discovery_text
from asbuilt.rehearse.neighbour_text import neighbour_text
from asbuilt.workflow.captures import facts_of, tool_of
from asbuilt.workflow.scope import scope_mask

if TYPE_CHECKING:
    import polars as pl

NEIGHBOURS = "lldpctl"
_BOARD = r"^MF0;([^:]*):[^/]*/[LS]\d+"
_MANAGED = r"^MF0;([^:]+):[^/]*/U\d+$"


@dataclass(frozen=True, slots=True)
class Predicted:
    """The captures after the moves, how many ends move, and names of devices whose GUID no capture shows yet."""

    captures: tuple[Capture, ...]
    moves: int
    made: tuple[str, ...]


def predict(
    plan: Plan,
    captures: Sequence[Capture],
    scope: str | Mapping[str, str] | None = None,
    guids: pl.DataFrame | None = None,
) -> Predicted:
    """What discovery will show when every move of the verification of ``captures`` is done.

    Only discovery is predicted (dumps of InfiniBand, neighbour tables of Ethernet): counters, managers and host tools are
    not. Raises `ProblemError` CLI-048 when no capture shows a link, or one is cut, so that nobody knows what it would show.
    """
    facts = facts_of(captures)
    if not facts.has("link_facts"):
        raise _nothing("no capture shows a link")
    compared = compare_links(plan, facts, scope_mask(plan, scope), guids)
    if compared.measured.incomplete:
        raise _nothing("a capture is cut or lacks devices")
    told = diagnose(plan, compared, PortNames(plan, compared), {})
    after = after_moves(plan, compared, told.steps)
    return Predicted(_written(captures, after), len(told.steps), after.made)


def _nothing(what: str) -> ProblemError:
    why = "a prediction from half a measurement would show faults that nobody measured"
    return ProblemError(Problem("CLI-048", f"nothing to predict from: {what}", why=why, fix="capture the whole subnet again"))


def _written(captures: Sequence[Capture], after: After) -> tuple[Capture, ...]:
    """``after`` as captures: dumps that share a fabric as one, each neighbour table under its own id."""
    import polars as pl

    found = []
    tables = {c.id: c for c in captures if tool_of(c) == NEIGHBOURS}
    for id, capture in tables.items():
        # An empty table names nobody: its switch is known by the capture's subject alone.
        mine = after.links.filter(pl.col("guid") == made_guid(capture.subject))
        found.append(Capture(id, neighbour_text(mine), NEIGHBOURS, capture.subject))
    known = {c.id: c for c in captures}
    devices = after.devices.filter(~pl.col("capture_id").is_in(list(tables)))  # a neighbour table says who, not what
    for ids in _fabrics(devices, after.links):
        mine = devices.filter(pl.col("capture_id").is_in(ids))
        links = after.links.filter(pl.col("guid").is_in(mine["guid"].implode()))
        first = known.get(ids[0])
        text = discovery_text(mine, links)
        found.append(Capture(ids[0], text, "ibnetdiscover", first.subject if first is not None else ""))
    return tuple(sorted(found, key=lambda c: c.id))


def _fabrics(devices: pl.DataFrame, links: pl.DataFrame) -> list[list[str]]:
    """The captures that tell of one fabric together: a link leads from a device of the one to a device of the other."""
    import polars as pl

    place = devices.select("guid", "capture_id")
    pairs = (
        links.select("guid", "peer_guid")
        .join(place.rename({"capture_id": "one"}), on="guid")
        .join(place.rename({"guid": "peer_guid", "capture_id": "two"}), on="peer_guid")
        .select(pl.min_horizontal("one", "two").alias("one"), pl.max_horizontal("one", "two").alias("two"))
        .unique()
        .sort("one", "two")
    )
    head = {id: id for id in devices["capture_id"].unique().sort()}
    for one, two in pairs.rows():
        old, new = head[two], head[one]
        head = {id: new if h == old else h for id, h in head.items()}
    return [sorted(id for id, h in head.items() if h == first) for first in sorted(set(head.values()))]


def as_plan(captures: Sequence[Capture], name: str = "prediction") -> tuple[Plan, pl.DataFrame]:
    """Every cable that ``captures`` show, as the links of a plan, and the GUID list (guid, name) of their devices.

    Held against a later capture it tells what was not done as predicted. Raises `ProblemError` CLI-048 when no cable shows.
    """
    import polars as pl

    facts = facts_of(captures)
    if not facts.has("link_facts"):
        raise _nothing("no capture shows a link")
    measured = read_measured(facts)
    devices = _called(measured)
    cable = _cables(measured)
    sides = [
        devices[rows].select(pl.all().name.prefix(f"{side}_")).with_columns(pl.Series(f"{side}_port", ports))
        for side, rows, ports in (
            ("a", measured.own[cable], measured.port[cable]),
            ("b", measured.far[cable], measured.far_port[cable]),
        )
    ]
    lane = pl.col("found_speed").replace_strict(LANE_GBPS, default=None, return_dtype=pl.Float64)
    said = measured.said(cable).select((lane * pl.col("found_lanes")).alias("rate_gbps"))
    host = pl.col("b_nic").is_not_null()
    links = pl.concat([*sides, said], how="horizontal").with_columns(
        pl.format("link:{}/{}", "a_device", "a_port").alias("link"),
        pl.when(host).then(pl.lit("node_leaf")).otherwise(pl.lit("leaf_spine")).alias("kind"),
        *(pl.lit("").alias(c) for c in ("plane", "a_label", "b_label")),
    )
    wanted = [c.name for c in LINKS.columns if c.name in links.columns]
    table = LINKS.conform(links.select(wanted)).sort("link")
    # A made GUID is nobody's: such devices are known by their names.
    joined = devices[np.unique(np.concatenate([measured.own[cable], measured.far[cable]]))]
    given = joined.filter(~pl.col("guid").str.starts_with(MADE_GUID) & ~pl.col("guid").str.contains("/"))
    key = pl.when(pl.col("nic").is_null()).then("device").otherwise(pl.format("{}/{}", "device", "nic"))
    return Plan(name, {LINKS.name: table}, source=name), given.select("guid", key.alias("name"))


def _cables(measured: Measured) -> np.ndarray[Any, Any]:
    """One link row for each cable: the switch's side of a host link, one of the two between switches."""
    rows = np.flatnonzero(~measured.aggregation[measured.own] & ~measured.aggregation[measured.far])
    rows = rows[measured.is_switch[measured.own[rows]]]
    board = measured.devices["description"].str.extract(_BOARD, 1)
    inner = board.gather(measured.own[rows]) == board.gather(measured.far[rows])
    rows = rows[~inner.fill_null(False).to_numpy()]  # links inside a director are no cables
    own, far = measured.own[rows], measured.far[rows]
    ends = [own * 4096 + measured.port[rows], far * 4096 + measured.far_port[rows]]
    both = measured.is_switch[far]
    low, high = np.minimum(*ends), np.maximum(*ends)
    key = np.stack([np.where(both, low, ends[0]), np.where(both, high, ends[1])], axis=1)
    _, first = np.unique(key, axis=0, return_index=True)
    kept: np.ndarray[Any, Any] = rows[np.sort(first)]
    return kept


def _called(measured: Measured) -> pl.DataFrame:
    """guid, device, nic (null of a switch) and name of each measured device; by its GUID where its name tells nobody apart.

    Switch ASICs of one name and one system GUID that share no port number are one device, as the compare has them.
    """
    import polars as pl

    said = measured.devices.select("guid", "system_guid", pl.col("description").str.strip_chars().alias("text")).with_columns(
        pl.Series("switch", measured.is_switch), pl.Series("factory", nameless(measured.devices))
    )
    short = pl.coalesce(pl.col("text").str.extract(_MANAGED, 1), "text")
    said = said.with_columns(pl.when("switch").then(short).otherwise("text").alias("text"))
    ports = pl.DataFrame({"row": measured.own, "port": measured.port}).unique()
    asics = said.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64)).join(ports, on="row", how="left")
    asics = asics.filter("switch")
    clash = asics.filter(pl.len().over("text", "port") > 1).select("text").unique()["text"]
    whole = pl.col("switch") & (pl.col("system_guid").n_unique().over("text") == 1) & ~pl.col("text").is_in(clash.implode())
    twice = (pl.len().over(pl.col("text").str.to_lowercase()) > 1) & ~whole
    said = said.with_columns((pl.col("factory") | twice | (pl.col("text") == "")).alias("unnamed"))
    name = pl.when("unnamed").then(pl.format("GUID {}", "guid")).otherwise("text")
    host = pl.when(pl.col("unnamed") | ~pl.col("text").str.contains(" ")).then(name)
    device = pl.coalesce(host, pl.col("text").str.replace(r" \S*$", ""))
    nic = pl.when(host.is_not_null()).then(pl.lit("port")).otherwise(pl.col("text").str.extract(r" (\S*)$", 1))
    return said.select(
        "guid",
        pl.when("switch").then(name).otherwise(device).alias("device"),
        pl.when(~pl.col("switch")).then(nic).alias("nic"),
        name.alias("name"),
    )
