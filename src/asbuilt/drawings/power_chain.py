"""What the one-line diagram says: the power chain of a row as a tree, feed, busway, circuit, PDU or shelf, racks.

Racks that are alike (same circuits, same parts, same cords, same load) stand together; of a group the worst figure is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

from asbuilt.drawings.judged import Judged
from asbuilt.drawings.theme import number, plural
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

W_PER_KW = 1000.0
# Loads that differ by less than this do not set two racks apart: W.
SAME_W = 100.0
MOST_RUNS = 4
ALIKE = (
    "feed", "busway", "breaker_a", "usable_a", "conductors", "voltage_v", "receptacle", "plug", "kind", "part", "rating_a",
    "part_usable_a", "rating_w", "outlets", "inside", "sides",
)  # fmt: skip
CIRCUIT_COLUMNS = (
    "rack", "feed", "busway", "serves", "breaker_a", "usable_a", "conductors", "voltage_v", "receptacle", "plug", "side",
    "whip_m", "door", "load_a", "lost_a", "drop_percent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """One box of the diagram, and what hangs below it. ``level``: 0 feed, 1 busway, 2 circuit, 3 PDU or shelf, 4 racks."""

    level: int
    title: str
    lines: tuple[str, ...]
    judged: tuple[Judged, ...] = ()
    below: tuple[Link, ...] = ()


@dataclass(slots=True)
class Group:
    """Racks of a row that are alike, by their place in it, and their alike circuits."""

    names: dict[int, str]
    watts: float
    circuits: list[dict[str, Any]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """``A-01 to A-03, A-05``: neighbours as one run; of many runs the first ones."""
        runs = spans(self.names)
        if len(runs) <= MOST_RUNS:
            return ", ".join(runs)
        return f"{', '.join(runs[: MOST_RUNS - 1])} and others to {list(self.names.values())[-1]}"


def spans(names: dict[int, str]) -> list[str]:
    """Names by their place, runs of neighbours told by their ends."""
    runs: list[list[str]] = []
    last = None
    for place, name in names.items():
        if last is not None and place == last + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
        last = place
    return [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]


def unfed(plan: Plan, row: str) -> list[str]:
    """Racks of a row that no circuit of the plan goes to, runs of neighbours told by their ends."""
    import polars as pl

    racks = plan.table("racks").filter(pl.col("row") == row).sort("position", "rack").with_row_index("place")
    bare = racks.join(plan.table("circuits").select("rack").unique(), on="rack", how="anti").sort("place")
    return spans(dict(bare.select("place", "name").iter_rows()))


def source_word(source: str) -> str:
    """``ups`` is written as an abbreviation; what was declared stays as it is."""
    return "UPS" if source == "ups" else source


def feed_judged(row: dict[str, Any]) -> tuple[Judged, ...]:
    """A feed with the worst other feed lost: the racks of now, and the finished site."""
    capacity = row["capacity_kw"]
    return (
        Judged("now, worst feed lost", row["lost_kw"], capacity, "kW"),
        Judged("finished, worst feed lost", row["full_kw"], capacity, "kW"),
    )


def busway_judged(row: dict[str, Any]) -> tuple[Judged, ...]:
    """A busway with the worst other feed lost: the racks of now, and the finished row."""
    return (
        Judged("now, feed lost", row["lost_a"], row["usable_a"], "A"),
        Judged("finished row", row["full_a"], row["usable_a"], "A"),
    )


def row_chains(plan: Plan, row: str) -> tuple[Link, ...]:
    """The chain of each feed that reaches ``row``, in order of the letters."""
    feeds = plan.table("feeds").sort("letter")
    groups = list(_groups(plan, row))
    used = {c["feed"] for g in groups for c in g.circuits}
    return tuple(_feed(plan, feed, groups) for feed in feeds.iter_rows(named=True) if feed["feed"] in used)


def rows_with_power(plan: Plan) -> list[str]:
    """The rows that have a circuit, in order of their letters."""
    import polars as pl

    if not plan.has("circuits") or not plan.has("racks"):
        return []
    racks = plan.table("racks").join(plan.table("circuits").select("rack").unique(), on="rack", how="semi")
    return racks.select(pl.col("row").unique()).sort(pl.col("row").str.len_chars(), "row")["row"].to_list()


def _feed(plan: Plan, feed: dict[str, Any], groups: list[Group]) -> Link:
    letter = feed["letter"]
    ways = sorted({c["busway"] or "" for g in groups for c in g.circuits if c["feed"] == feed["feed"]})
    lines = [
        f"{source_word(feed['source'])}, {number(feed['voltage_v'])} V, {feed['redundancy']}, {feed['basis'].upper()} basis"
    ]
    if feed["fault_ka"] is not None:
        lines.append(f"{number(feed['fault_ka'], 1)} kA prospective fault current")
    lines.append(f"all feeds: {number(feed['load_kw'], 1)} kW nominal")
    below = tuple(_busway(plan, feed["feed"], way, groups) for way in ways)
    return Link(0, f"Feed {letter}", tuple(lines), feed_judged(feed), below)


def _busway(plan: Plan, feed: str, way: str, groups: list[Group]) -> Link:
    import polars as pl

    below = tuple(_circuit(c, g) for g in groups for c in g.circuits if c["feed"] == feed and (c["busway"] or "") == way)
    if not way:
        return Link(1, "Panel breakers", ("no busway: each whip comes from a panel",), (), below)
    row = plan.table("busways").filter(pl.col("busway") == way).row(0, named=True)
    lines = [f"{number(row['rating_a'])} A, {number(row['length_m'], 1)} m, {row['entry']} fed"]
    lines.append(f"taps {number(row['taps'])}, finished row {number(row['taps_full'])}")
    lines.append(f"all feeds: {number(row['load_a'], 1)} A")
    lines.append(f"voltage drop {number(row['drop_percent'], 2)} % at most")
    if row["neutral_a"] is not None:
        lines.append(f"neutral {number(row['neutral_a'], 1)} A, worst case")
    return Link(1, f"Busway {way.removeprefix('busway:')}", tuple(lines), busway_judged(row), below)


def _circuit(c: dict[str, Any], group: Group) -> Link:
    poles = "3-phase" if c["conductors"] > 1 else "1-phase"
    each = f"{number(c['each'])} × " if c["each"] > 1 else ""
    whip = _span(c["whip_least"], c["whip_most"], "m")
    lines = [f"{number(c['voltage_v'])} V, {c['receptacle']}", f"whip {whip}{', ' + c['sides'] if c['sides'] else ''}"]
    if c["doors"]:
        lines.append("a whip crosses the swing of a door")
    if c["drop_most"] is not None:
        lines.append(f"voltage drop {number(c['drop_most'], 2)} % at most")
    lines.append(f"all feeds: {number(c['load_most'], 1)} A")
    judged = (Judged("worst loss", c["lost_most"], c["usable_a"], "A"),)
    title = f"{each}{number(c['breaker_a'])} A breaker, {poles}"
    return Link(2, title, tuple(lines), judged, (_end(c, group),))


def _end(c: dict[str, Any], group: Group) -> Link:
    each = f"{number(c['each'])} × " if c["each"] > 1 else ""
    if c["kind"] == "shelf":
        lines = [c["part"], c["inside"]]
        judged: tuple[Judged, ...] = (Judged("worst loss", c["watts_most"] / W_PER_KW, c["rating_w"] / W_PER_KW, "kW"),)
        if c["bar_a"] is not None:
            judged += (Judged("busbar section", c["bar_a"], c["bar_rating_a"], "A", 0),)
            lines.append(f"busbar worst with {_bare(c['bar_lost'])} lost" if c["bar_lost"] else "busbar: all shelves")
        return Link(3, f"{each}power shelf", tuple(lines), judged, (_racks(group, ""),))
    if c["kind"] == "pdu":
        lines = [c["part"], c["outlets"], f"{number(c['rating_a'])} A inlet"]
        judged = (Judged("worst loss", c["lost_most"], c["part_usable_a"], "A"),)
        return Link(3, f"{each}PDU", tuple(lines), judged, (_racks(group, c["cords_told"]),))
    return Link(3, f"{each}{_bare(c['serves'])}", (), (), (_racks(group, ""),))


def _racks(group: Group, cords: str) -> Link:
    count = len(group.names)
    share = f"{number(group.watts / W_PER_KW, 1)} kW nameplate{' each' if count > 1 else ''}"
    lines = [f"{plural(count, 'rack')}, {share}"]
    if cords:
        lines.append(cords)
    return Link(4, group.title, tuple(lines))


def _span(least: float, most: float, unit: str) -> str:
    if round(least, 2) == round(most, 2):
        return f"{number(least, 2)} {unit}"
    return f"{number(least, 2)} to {number(most, 2)} {unit}"


def _bare(key: str) -> str:
    """A key without its first word: ``pdu:A-01/A1`` gives ``A-01/A1``."""
    return key.partition(":")[2] or key


def _groups(plan: Plan, row: str) -> Iterator[Group]:
    """The racks of a row by what feeds them, in order of their first rack."""
    import polars as pl

    racks = plan.table("racks").filter(pl.col("row") == row).sort("position", "rack")
    circuits = alike_circuits(plan, racks.select("rack"))
    by_rack: dict[str, list[dict[str, Any]]] = {}
    for c in circuits.iter_rows(named=True):
        by_rack.setdefault(c["rack"], []).append(c)
    found: dict[tuple[Any, ...], Group] = {}
    for place, (rack, name, watts) in enumerate(racks.select("rack", "name", "power_w").iter_rows()):
        held = by_rack.get(rack)
        if not held:
            continue
        mark = tuple(tuple(c[k] for k in (*ALIKE, "each", "cords_told")) for c in held)
        key = (mark, round(watts / SAME_W))
        group = found.setdefault(key, Group({}, watts))
        group.names[place] = name
        group.circuits = [_worse(a, b) for a, b in zip(group.circuits, held, strict=True)] if group.circuits else held
    yield from found.values()


def _worse(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Two alike circuits of two racks in one: the larger of each load, the span of the whips."""
    merged = dict(a)
    for name in ("whip_most", "load_most", "lost_most", "watts_most", "drop_most", "doors"):
        known = [v for v in (a[name], b[name]) if v is not None]
        merged[name] = max(known) if known else None
    merged["whip_least"] = min(a["whip_least"], b["whip_least"])
    if (b["bar_a"] or 0) > (a["bar_a"] or 0):
        merged |= {k: b[k] for k in ("bar_a", "bar_rating_a", "bar_lost")}
    return merged


def alike_circuits(plan: Plan, racks: pl.DataFrame) -> pl.DataFrame:
    """Circuits of the given racks, those of a rack that are alike in one row: how many, the worst loads, what they serve."""
    import polars as pl

    own = plan.table("circuits").join(racks, on="rack", how="semi").select(CIRCUIT_COLUMNS)
    circuits = own.join(_ends(plan, racks), on="serves", how="left")
    circuits = circuits.with_columns(pl.col("kind").fill_null("other"))
    named = (pl.col("side").unique().sort().str.join(" and ") + " side").alias("sides")
    circuits = circuits.with_columns(named.over("rack", "feed", "busway", "breaker_a", "part"))
    keys = ["rack", *ALIKE]
    worst = (
        pl.len().alias("each"), pl.col("serves").min(), pl.col("whip_m").min().alias("whip_least"),
        pl.col("whip_m").max().alias("whip_most"), pl.col("load_a").max().alias("load_most"),
        pl.col("lost_a").max().alias("lost_most"), pl.col("drop_percent").max().alias("drop_most"),
        pl.col("door").max().alias("doors"), pl.col("watts").max().alias("watts_most"),
        pl.col("cords_told").sort().last(),
    )  # fmt: skip
    return (
        circuits.group_by(keys)
        .agg(*worst)
        .join(_worst_sections(plan, racks), on="rack", how="left")
        .sort(["rack", *(k for k in ALIKE)], nulls_last=True)
    )


def _ends(plan: Plan, racks: pl.DataFrame) -> pl.DataFrame:
    """PDUs and shelves in the same columns, by key."""
    import polars as pl

    none = pl.lit(None, dtype=pl.Float64)
    text = pl.lit("", dtype=pl.String)
    pdus = plan.table("pdus").join(racks, on="rack", how="semi").join(_cords(plan, racks), on="pdu", how="left")
    outlets = pl.concat_str(
        [pl.col("outlets_c13").cast(pl.String), pl.lit(" C13, "), pl.col("outlets_c19").cast(pl.String), pl.lit(" C19 outlets")]
    )
    first = pdus.select(
        pl.col("pdu").alias("serves"), pl.lit("pdu").alias("kind"), "part", "rating_a",
        pl.col("usable_a").alias("part_usable_a"), none.alias("rating_w"), outlets.alias("outlets"), text.alias("inside"),
        none.alias("watts"), pl.col("cords_told").fill_null("no cord"),
    )  # fmt: skip
    shelves = plan.table("shelves").join(racks, on="rack", how="semi")
    inside = pl.format("{} supplies, {} U", "supplies", pl.col("height_u").cast(pl.Int64))
    second = shelves.select(
        pl.col("shelf").alias("serves"), pl.lit("shelf").alias("kind"), "part", none.alias("rating_a"),
        none.alias("part_usable_a"), "rating_w", text.alias("outlets"), inside.alias("inside"),
        pl.col("lost_w").alias("watts"), text.alias("cords_told"),
    )  # fmt: skip
    return pl.concat([first, second])


def _cords(plan: Plan, racks: pl.DataFrame) -> pl.DataFrame:
    """How many cords a PDU holds, told by kind: ``6 cords: 4 C13, 2 C19``."""
    import polars as pl

    cords = plan.table("cords").join(racks, on="rack", how="semi")
    kinds = cords.group_by("pdu", "outlet_type").len("count").sort("pdu", "outlet_type")
    told = pl.format("{}\u00a0{}", "count", "outlet_type").str.join(", ")
    total = pl.col("count").sum().cast(pl.Int64)
    joined = kinds.group_by("pdu", maintain_order=True).agg(total.alias("total"), told.alias("told"))
    word = pl.when(pl.col("total") == 1).then(pl.lit("cord")).otherwise(pl.lit("cords"))
    return joined.select("pdu", pl.format("{} {} a PDU: {}", "total", word, "told").alias("cords_told"))


def _worst_sections(plan: Plan, racks: pl.DataFrame) -> pl.DataFrame:
    """Of each rack the busbar section that is nearest to its rating with a feed or shelf lost."""
    import polars as pl

    bars = plan.table("busbars").join(racks, on="rack", how="semi")
    worst = bars.sort(pl.col("lost_a") / pl.col("rating_a"), "section", descending=[True, False]).unique(
        "rack", keep="first", maintain_order=True
    )
    return worst.select(
        "rack", pl.col("lost_a").alias("bar_a"), pl.col("rating_a").alias("bar_rating_a"), pl.col("lost").alias("bar_lost")
    )
