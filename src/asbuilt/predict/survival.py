"""What of a pilot is in the larger plan as it was: rows by table, links with their cables, ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES

if TYPE_CHECKING:
    import polars as pl

#: Table -> columns that say what stands where, or what it is set to. Loads, fills and phases change without a hand on it. Sizes
#: that carry the target need not be the target's own: whether they do, a decision says (`DECIDED`).
MATTERS: dict[str, tuple[str, ...]] = {
    "racks": ("role",),
    "nodes": ("rack", "u"),
    "switches": ("rack", "u", "model"),
    "busways": ("entry",),
    "circuits": ("busway", "serves", "part", "breaker_a", "conductors", "receptacle"),
    "pdus": ("part", "circuit"),
    "shelves": ("part", "feed", "u"),
    "cords": ("pdu", "outlet"),
    "loops": ("coolant", "topology"),
    "cdus": ("loop", "part", "x_mm", "y_mm"),
    "branches": ("loop",),
    "trays": ("x1_mm", "y1_mm", "x2_mm", "y2_mm"),
    "panels": ("rack", "u", "part"),
    "trunks": ("part", "a_panel", "a_position", "b_panel", "b_position"),
    "links": ("a_device", "a_port", "b_device", "b_port", "b_nic", "rate_gbps"),
    "subnet_managers": ("port", "priority"),
    "lids": ("lid",),
    "address_pools": ("cidr",),
    "addresses": ("address", "prefix"),
}
#: Table -> decisions whose failing parts are its rows.
DECIDED: dict[str, tuple[str, ...]] = {
    "busways": ("busway-rating", "busway-drop", "busway-length", "busway-taps"),
    "circuits": ("circuit-rating",),
    "pdus": ("pdu-rating",),
    "loops": ("header-diameter", "header-spread"),
    "trays": ("tray-fill",),
}
KEPT, REPLUGGED, REPULLED, REMOVED = "kept", "replugged", "repulled", "removed"


@dataclass(frozen=True, slots=True)
class Survival:
    """Rows of one table of the pilot: kept as they were, changed in what matters, gone; keys of the last two."""

    table: str
    rows: int
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def kept(self) -> int:
        return self.rows - len(self.changed) - len(self.gone)


@dataclass(frozen=True, slots=True)
class Links:
    """The pilot's links in the larger plan, one by one: same ends, moved, gone; and how many cables nobody touches.

    ``untouched``: same ends and the cable stays in its place. ``moved`` and ``gone`` are keys.
    """

    links: int
    same_ends: int
    untouched: int
    moved: tuple[str, ...]
    gone: tuple[str, ...]


def survival(pilot: Plan, grown: Plan, failing: Mapping[str, tuple[str, ...]]) -> list[Survival]:
    """Every table of `MATTERS` that the pilot has rows of. Empty loop positions of the pilot count as nothing built.

    ``failing``: parts that a decision breaks on, by the decision's id; they count as changed.
    """
    made = []
    for name in MATTERS:
        if not pilot.has(name) or _built(pilot, name).is_empty():
            continue
        one = _of_table(name, pilot, grown)
        decided = {item for key in DECIDED.get(name, ()) for item in failing.get(key, ())}
        made.append(replace(one, changed=tuple(sorted((decided | set(one.changed)) - set(one.gone)))))
    return made


def loops_then(pilot: Plan, grown: Plan) -> dict[str, str]:
    """What each loop of the pilot is called in the larger plan: the loop that serves its first rack there.

    A row that is shared between more or fewer loops calls them otherwise. Of two loops that become one the first keeps it.
    """
    import polars as pl

    old = pilot.table("branches").filter("built").sort("loop", "number").select("rack", "loop")
    pairs = old.join(grown.table("branches").select("rack", pl.col("loop").alias("then")), on="rack", maintain_order="left")
    found: dict[str, str] = {}
    for now, then in pairs.select("loop", "then").iter_rows():
        if now not in found and then not in found.values():
            found[now] = then
    return found


def _built(plan: Plan, table: str) -> pl.DataFrame:
    rows = plan.table(table)
    return rows.filter("built") if table == "branches" else rows


def _of_table(name: str, pilot: Plan, grown: Plan) -> Survival:
    import polars as pl

    key, columns = list(PLAN_TABLES[name].key), list(MATTERS[name])
    text = pl.concat_str([pl.col(k).cast(pl.String).fill_null("-") for k in key], separator=" ").alias("key")
    held = _built(pilot, name).select(*key, *columns)
    then = grown.table(name).select(*key, *columns)
    if "loop" in then.columns:
        names = {new: old for old, new in loops_then(pilot, grown).items()}
        then = then.with_columns(pl.col("loop").replace(names))
    gone = held.join(then, on=key, how="anti", nulls_equal=True).select(text)["key"].sort()
    other = held.join(then, on=key, how="semi", nulls_equal=True).join(then, on=[*key, *columns], how="anti", nulls_equal=True)
    return Survival(name, held.height, tuple(other.select(text)["key"].sort().to_list()), tuple(gone.to_list()))


def cables(pilot: Plan, grown: Plan) -> pl.DataFrame:
    """What becomes of every cable of the pilot: ``jumper, state`` (kept, replugged, repulled or removed), ``rack_moved``.

    Repulled: it is another part then, runs over a trunk and did not (or the other way), ends in another rack, or is shorter
    than its new way. Replugged: an end goes elsewhere in the same rack, or to another position of a panel. Kept: same ends in
    the same places. ``rack_moved``: pulled anew for nothing but a device that stands in another rack.
    """
    import polars as pl

    columns = ("a_device", "a_label", "b_device", "b_label", "part", "route_m", "length_m")
    old, new = (_placed(plan, columns).join(_over(plan), on="jumper", how="left") for plan in (pilot, grown))
    held = old.join(new, on="jumper", how="left", suffix="_then")

    def same(*names: str) -> pl.Expr:
        return pl.all_horizontal([pl.col(n).eq_missing(pl.col(f"{n}_then")) for n in names])

    removed = pl.col("a_device_then").is_null()
    racks, ends, way = same("a_rack", "b_rack"), same("a_device", "a_label", "b_device", "b_label"), same("over")
    still = ends & same("a_u", "b_u", "place")
    short = pl.col("length_m") < pl.col("route_m_then")
    repulled = ~same("part") | ~racks | ~way | (~still & short & ~pl.col("over").fill_null(False))
    touched = pl.when(~still).then(pl.lit(REPLUGGED)).otherwise(pl.lit(KEPT))
    state = pl.when(removed).then(pl.lit(REMOVED)).when(repulled).then(pl.lit(REPULLED)).otherwise(touched)
    only = same("part") & ends & way & ~racks & ~removed
    return held.select("jumper", state.alias("state"), only.alias("rack_moved")).sort("jumper")


def _over(plan: Plan) -> pl.DataFrame:
    """Jumpers with a channel: whether it runs ``over`` a trunk, and the ``place`` of its port at both panels."""
    import polars as pl

    trunks = plan.table("trunks").select("trunk", "a_panel", "a_position", "b_panel", "b_position")
    place = pl.format("{}/{} {}/{} {}", "a_panel", "a_position", "b_panel", "b_position", "port")
    channels = plan.table("channels").select("jumper", "trunk", "port").join(trunks, on="trunk", how="left")
    return channels.select("jumper", pl.col("trunk").is_not_null().alias("over"), place.alias("place"))


def _placed(plan: Plan, columns: tuple[str, ...]) -> pl.DataFrame:
    """Cables with rack and U of both ends; null for what has no place in these tables."""
    import polars as pl

    switches = plan.table("switches").select(pl.col("switch").alias("device"), "rack", "u")
    at = pl.concat([switches, plan.table("nodes").select(pl.col("node").alias("device"), "rack", "u")])
    made = plan.table("jumpers").select("jumper", *columns)
    for end in ("a", "b"):
        side = at.rename({"device": f"{end}_device", "rack": f"{end}_rack", "u": f"{end}_u"})
        made = made.join(side, on=f"{end}_device", how="left")
    return made


def links(pilot: Plan, grown: Plan, states: pl.DataFrame) -> Links:
    """The proof by link; ``states`` is the answer of `cables`."""
    import polars as pl

    found = _of_table("links", pilot, grown)
    kept = states.filter(pl.col("state") == KEPT)["jumper"]
    other = (*found.changed, *found.gone)
    same = pilot.table("links").filter(~pl.col("link").is_in(list(other)))
    untouched = same.filter(pl.col("jumper").is_null() | pl.col("jumper").is_in(kept.implode())).height
    return Links(found.rows, found.kept, untouched, found.changed, found.gone)
