"""What must be done to the pilot on its way to the larger plan, in order: what must be down first comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.predict.breaks import BREAKS, Decision
from asbuilt.predict.rates import KINDS, Rates
from asbuilt.predict.survival import REMOVED, REPLUGGED, REPULLED, Survival, loops_then

if TYPE_CHECKING:
    import polars as pl

#: Stage, what is done (with a plural unit), and what is out of service for it ("" for nothing).
_ACTS: dict[str, tuple[str, str, str, str]] = {
    "feed_raise": ("power", "make feeds of the site larger", "feeds", "every rack on the feed hangs on the others"),
    "busway_replace": ("power", "replace busways", "busways", "its row hangs on the other feeds"),
    "busway_extend": ("power", "make busways longer", "busways", "its row hangs on the other feeds"),
    "circuit_rework": ("power", "change or take out circuits", "circuits", "its rack hangs on the other feeds"),
    "circuit_add": ("power", "add circuits to racks that stand", "circuits", ""),
    "pdu_swap": ("power", "change or take out PDUs", "PDUs", "its rack hangs on the other feeds"),
    "shelf_refeed": ("power", "put power shelves on other feeds", "shelves", "its rack is off"),
    "cord_move": ("power", "move power cords", "cords", "its device hangs on the other cords"),
    "loop_drain": ("drain", "drain loops, fill and vent them again", "loops", "every rack on the loop is off"),
    "header_replace": ("mechanical", "replace header segments", "segments", "every rack on the loop is off"),
    "header_extend": ("mechanical", "add branches to headers", "branches", "every rack on the loop is off"),
    "cdu_add": ("mechanical", "add CDUs to rows in use", "rows", "every rack on the loop is off"),
    "cdu_move": ("mechanical", "move or change CDUs", "CDUs", "every rack on the loop is off"),
    "rack_move": ("mechanical", "empty and move racks", "racks", "what stands in it is off"),
    "node_move": ("mechanical", "move nodes", "nodes", "the node is off"),
    "switch_move": ("mechanical", "move switches", "switches", "the switch is off"),
    "tray_widen": ("mechanical", "widen trays, drilled again", "trays", ""),
    "panel_move": ("mechanical", "move or take out panels", "panels", "every link through it is down"),
    "cable_remove": ("pull", "pull cables out for good", "cables", "the links are down"),
    "trunk_repull": ("pull", "pull trunks anew", "trunks", "every link through it is down"),
    "cable_repull": ("pull", "pull cables anew", "cables", "the links are down"),
    "cable_replug": ("re-terminate", "plug cable ends elsewhere", "cables", "the links are down"),
    "sm_move": ("re-address", "move subnet managers", "managers", "the subnet has no change of routes"),
    "lid_change": ("re-address", "give end ports other LIDs", "ports", "every job on the subnet stops"),
    "pool_change": ("re-address", "give networks other ranges", "networks", "the network is set anew"),
    "address_change": ("re-address", "set interfaces anew", "interfaces", "the interface is down"),
}
STAGES = ("power", "drain", "mechanical", "pull", "re-terminate", "re-address")


@dataclass(frozen=True, slots=True)
class Act:
    """One act on the pilot. ``hours`` is work, ``downtime_h`` how long it takes with all crews; None: unknown."""

    number: int
    stage: str
    kind: str
    title: str
    count: int
    unit: str
    items: tuple[str, ...]
    hours_each: float | None
    hours_origin: str
    hours: float | None
    downtime_h: float | None
    out: str
    money: float | None


def acts(
    pilot: Plan, grown: Plan, found: Sequence[Decision], survived: Sequence[Survival], states: pl.DataFrame, rates: Rates
) -> list[Act]:
    """All acts in the order in which they are done. ``states``: what becomes of each cable (`survival.cables`)."""
    work = _work(pilot, grown, found, {s.table: s for s in survived}, states)
    crews = rates.crews or 1
    made: list[Act] = []
    for kind, (stage, title, unit, out) in _ACTS.items():
        items = tuple(sorted(work.get(kind, ())))
        if not items:
            continue
        each, origin = rates.hours_of(kind)
        hours = None if each is None else each * len(items)
        price = rates.money_of(kind)
        money = None if price is None else price * len(items)
        down = None if hours is None else (hours / crews if out else 0.0)
        made.append(Act(len(made) + 1, stage, kind, title, len(items), unit, items, each, origin, hours, down, out, money))
    return made


def _work(
    pilot: Plan, grown: Plan, found: Sequence[Decision], tables: dict[str, Survival], states: pl.DataFrame
) -> dict[str, set[str]]:
    import polars as pl

    failing = {d.reading.id: d.reading.items for d in found if d.verdict == BREAKS}

    def broken(*ids: str) -> set[str]:
        return {item for key in ids for item in failing.get(key, ())}

    def other(table: str) -> set[str]:
        return {*tables[table].changed, *tables[table].gone} if table in tables else set()

    def cable(state: str) -> set[str]:
        return set(states.filter(pl.col("state") == state)["jumper"].to_list())

    replaced = broken("busway-rating", "busway-drop")
    headers = broken(
        "header-diameter", "header-spread"
    )  # mended with a header on which the CDU's head does, where there is one
    devices = {"node_move": other("nodes"), "switch_move": other("switches")}
    work = {
        "feed_raise": broken("feed-capacity"),
        "busway_replace": replaced,
        "busway_extend": (broken("busway-length", "busway-taps") | other("busways")) - replaced,
        "circuit_rework": broken("circuit-rating") | other("circuits"),
        "circuit_add": _more_circuits(pilot, grown, failing.get("circuits-per-rack", ())),
        "pdu_swap": broken("pdu-rating") | {i.split(" ")[0] for i in broken("pdu-outlets")} | other("pdus"),
        "shelf_refeed": _shelves(pilot, failing.get("shelf-feeds", ())) | other("shelves"),
        "cord_move": other("cords"),
        "cdu_add": broken("cdu-heat") | (set() if headers else broken("cdu-head", "cdu-flow")),
        "cdu_move": other("cdus"),
        "rack_move": other("racks"),
        **devices,
        "tray_widen": broken("tray-fill") | other("trays"),
        "panel_move": other("panels"),
        "cable_remove": cable(REMOVED),
        "trunk_repull": other("trunks"),
        "cable_repull": cable(REPULLED),
        "cable_replug": cable(REPLUGGED),
        "sm_move": other("subnet_managers"),
        "lid_change": other("lids"),
        "pool_change": other("address_pools"),
        "address_change": other("addresses"),
    }
    joints = {i for i in broken("branch-valves", "header-branches") if i.startswith("branch:")}
    work |= _wet(pilot, grown, headers | other("loops"), joints)
    missing = set(work) ^ set(KINDS)
    assert not missing, missing
    return work


def _more_circuits(pilot: Plan, grown: Plan, racks: Iterable[str]) -> set[str]:
    import polars as pl

    there = grown.table("circuits").filter(pl.col("rack").is_in(list(racks)))
    return set(there.join(pilot.table("circuits"), on="circuit", how="anti")["circuit"].to_list())


def _shelves(pilot: Plan, racks: Iterable[str]) -> set[str]:
    """All shelves of the racks: which of them change feed is the site's choice, each is unplugged for it."""
    import polars as pl

    return set(pilot.table("shelves").filter(pl.col("rack").is_in(list(racks)))["shelf"].to_list())


def _wet(pilot: Plan, grown: Plan, headers: set[str], joints: set[str]) -> dict[str, set[str]]:
    """Acts on loops: what is opened is drained first. ``joints``: branches that are added to a header in use."""
    import polars as pl

    segments = pilot.table("loop_segments").filter(pl.col("loop").is_in(sorted(headers)) & pl.col("built"))
    names = {then: now for now, then in loops_then(pilot, grown).items()}
    at = grown.table("branches").filter(pl.col("branch").is_in(sorted(joints)))["loop"].unique().to_list()
    return {
        "header_replace": set(segments["segment"].to_list()),
        "header_extend": joints,
        "loop_drain": headers | {names[loop] for loop in at if loop in names},
    }
