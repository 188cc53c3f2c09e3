"""Trunks: which jumpers go over them, how many join two racks, and at which panel positions they end.

One bundle joins two racks in one kind of fibre. Positions are given out rack by rack in the order in which the far racks stand:
own row first, then row by row, each from its first position. So rows of one pattern have one port map, and rows that are added
behind take the positions behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.tables_fibre import BUNDLES, PANELS
from asbuilt.physics.trunk_count import spare_trunks, trunks_needed
from asbuilt.plan.fibre.bodies import Fibre
from asbuilt.plan.fibre.grid import RackPlaces
from asbuilt.plan.fibre.names import pair_key, ranked_phase
from asbuilt.plan.layout.tables import place_panels

#: Trunks of this connector need no word of their own in the keys of their bundles.
_USUAL = "MPO-12/APC"


@dataclass(frozen=True, slots=True)
class TrunkKind:
    """A trunk and the panel that takes it. ``word`` names it in keys; ``lanes``: a key of `physics.polarity.BASES`."""

    word: str
    lanes: str
    trunk: str
    panel: str
    positions: int
    panel_u: float
    adapter: str
    polarity: str
    gender: str
    polish: str
    medium: str
    legs: int
    strands: int
    od_mm: float
    pair_db: float
    lengths_m: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Trunking:
    """``bundles`` and ``panels`` as the plan's tables; ``ends`` a row per trunk (bundle, number, lo, hi, kind, ports, panels,
    positions, phase rank); ``carried`` a row per jumper on a trunk (jumper, trunk, port; ``turned``: its reference end is at
    the trunk's far end).
    """

    bundles: pl.DataFrame
    panels: pl.DataFrame
    ends: pl.DataFrame
    carried: pl.DataFrame
    kinds: dict[str, TrunkKind]


def trunk_kinds(design: Design, catalogue: Catalogue, fibres: dict[str, Fibre]) -> dict[str, TrunkKind]:
    """The kind of trunk that carries each jumper part; parts that no trunk and panel of the catalogue fit are left out."""
    parts = [catalogue.get("fibre", i) for i in catalogue.ids("fibre")]
    trunks = [p for p in parts if p.value("class") == "trunk"]
    panels = [p for p in parts if p.value("class") == "panel"]
    found = {}
    for fibre in fibres.values():
        fits = [t for t in trunks if t.value("connector") == fibre.connector and t.value("media") == fibre.medium]
        holds = [p for p in panels if fibre.connector.startswith(str(p.value("connector")))]
        if fibre.lanes == "lc" or not fits or not holds:
            continue
        fits.sort(key=lambda t: (int(t.value("legs")), t.id))
        wanted = [t for t in fits if int(t.value("legs")) >= design.fibre.trunk_legs]
        trunk, panel = (wanted or fits[-1:])[0], holds[0]
        suffix = "" if fibre.connector == _USUAL else "-" + fibre.connector.lower().replace("/", "-").replace(" ", "-")
        found[fibre.id] = TrunkKind(
            word=fibre.medium + suffix,
            lanes=fibre.lanes,
            trunk=trunk.id,
            panel=panel.id,
            positions=int(panel.value("positions")),
            panel_u=float(panel.value("height_u")),
            adapter=str(panel.value("adapter")),
            polarity=str(trunk.value("polarity")),
            gender=str(trunk.value("gender")),
            polish=str(trunk.value("polish")),
            medium=fibre.medium,
            legs=int(trunk.value("legs")),
            strands=int(trunk.value("strands")),
            od_mm=float(trunk.value("od_mm")),
            pair_db=float(trunk.value("loss_max_db")),
            lengths_m=tuple(sorted(float(x) for x in trunk.value("lengths_m"))),
        )
    return found


def trunking(
    design: Design,
    catalogue: Catalogue,
    fibres: dict[str, Fibre],
    jumpers: pl.DataFrame,
    places: RackPlaces,
    tables: dict[str, pl.DataFrame],
) -> Trunking | None:
    """Trunks of the plan, None when no jumper goes over one. ``jumpers`` as `laid.jumper_ends` gives them."""
    kinds = trunk_kinds(design, catalogue, fibres) if design.fibre.trunks != "none" else {}
    chosen = _chosen(design, jumpers, kinds, places)
    if not chosen.height:
        return None
    racks = tables["racks"]["rack"]
    words = {k.word: k for k in kinds.values()}
    fibres_of = {part: f.fibres for part, f in fibres.items()}
    ported = chosen.with_columns(
        pl.col("part").replace_strict({p: k.word for p, k in kinds.items()}, return_dtype=pl.String).alias("kind"),
        pl.col("part").replace_strict(fibres_of, return_dtype=pl.Int64).alias("fibres"),
        pl.min_horizontal("ra", "rb").alias("lo"),
        pl.max_horizontal("ra", "rb").alias("hi"),
        (pl.col("ra") > pl.col("rb")).alias("turned"),
    ).sort("lo", "hi", "kind", "centre_a", "a_device", "port", "jumper")
    bundles = _bundles(design, ported, words, racks)
    carried = _carried(ported, bundles)
    ends, panels = _positions(bundles, words, places, tables["racks"], design)
    panels = place_panels(tables["racks"], tables["rack_slots"], panels)
    shown = BUNDLES.conform(
        bundles.with_columns(ranked_phase(design, "first").alias("phase")).select(BUNDLES.names).sort("bundle")
    )
    return Trunking(shown, panels, ends, carried, words)


def _chosen(design: Design, jumpers: pl.DataFrame, kinds: dict[str, TrunkKind], places: RackPlaces) -> pl.DataFrame:
    """Jumpers between racks whose modules both take a trunk's connector; a splitter only when its ends share a rack."""
    fits = jumpers.filter(pl.col("part").is_in(list(kinds)) & pl.col("one") & (pl.col("ra") != pl.col("rb")).fill_null(False))
    if design.fibre.trunks == "between-rows" and fits.height:
        other = places.row[fits["ra"].to_numpy()] != places.row[fits["rb"].to_numpy()]
        return fits.filter(pl.Series(other))
    return fits


def _bundles(design: Design, ported: pl.DataFrame, words: dict[str, TrunkKind], racks: pl.Series) -> pl.DataFrame:
    """A row per bundle with the columns of `BUNDLES`, lo, hi, kind, each (ports of one trunk) and first (phase rank)."""
    counted = ported.group_by("lo", "hi", "kind", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("ports"),
        pl.col("fibres").max().alias("fibres_per_port"),
        pl.col("rank").min().alias("first"),
    )
    legs = pl.col("kind").replace_strict({w: k.legs for w, k in words.items()}, return_dtype=pl.Int64)
    medium = pl.col("kind").replace_strict({w: k.medium for w, k in words.items()}, return_dtype=pl.String)
    made = counted.with_columns(
        legs.alias("each"), (legs * pl.col("fibres_per_port")).alias("usable_fibres"), medium.alias("medium")
    )
    ports, fibres, usable = (made[c].to_numpy() for c in ("ports", "fibres_per_port", "usable_fibres"))
    trunks = trunks_needed(ports, fibres, usable)
    pair = pair_key(racks, made["lo"], made["hi"])
    return made.with_columns(
        pl.Series("trunks", trunks),
        pl.Series("spares", spare_trunks(trunks, design.fibre.spare_percent)),
        ("bundle:" + pair + "/" + made["kind"]).alias("bundle"),
        ("route:" + pair).alias("route"),
        racks.gather(made["lo"]).alias("a_rack"),
        racks.gather(made["hi"]).alias("b_rack"),
        pair.alias("pair"),
    )


def _carried(ported: pl.DataFrame, bundles: pl.DataFrame) -> pl.DataFrame:
    """Trunk and port of every jumper that goes over one: ports fill the trunks in the order of the reference ports."""
    held = ported.join(
        bundles.select("lo", "hi", "kind", "pair", "each"), on=["lo", "hi", "kind"], how="left", maintain_order="left"
    )
    place = pl.int_range(pl.len()).over("lo", "hi", "kind")
    number = (place // pl.col("each") + 1).cast(pl.String)
    return held.select(
        "jumper",
        "part",
        "turned",
        "kind",
        ("trunk:" + pl.col("pair") + "/" + pl.col("kind") + "-" + number).alias("trunk"),
        (place % pl.col("each") + 1).cast(pl.Int64).alias("port"),
    )


def _positions(
    bundles: pl.DataFrame, words: dict[str, TrunkKind], places: RackPlaces, racks: pl.DataFrame, design: Design
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every trunk with its panel and position at both ends, and the panels."""
    count = (bundles["trunks"] + bundles["spares"]).to_numpy()
    at = np.repeat(np.arange(bundles.height), count)
    number = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count) + 1
    each = bundles["each"].to_numpy()[at]
    carried = np.clip(bundles["ports"].to_numpy()[at] - (number - 1) * each, 0, each)
    trunks = bundles.select("lo", "hi", "kind", "bundle", "pair", "first")[at].with_columns(
        pl.Series("number", number), pl.Series("ports", carried), pl.Series("row", np.arange(len(at)))
    )
    seats = pl.concat([_seats(trunks, "lo", "hi", places), _seats(trunks, "hi", "lo", places)])
    seats = seats.sort("own", "kind", "row_off", "far_position", "far", "number")
    size = pl.col("kind").replace_strict({w: k.positions for w, k in words.items()}, return_dtype=pl.Int64)
    place = pl.int_range(pl.len()).over("own", "kind")
    seats = seats.with_columns((place // size).alias("nth"), (place % size + 1).alias("position"))
    first = seats.group_by("own", "kind", maintain_order=True).agg((pl.col("nth").max() + 1).alias("panels"))
    first = first.with_columns((pl.col("panels").cum_sum().over("own") - pl.col("panels")).alias("before"))
    seats = seats.join(first.select("own", "kind", "before"), on=["own", "kind"], how="left", maintain_order="left")
    rack = racks["rack"].gather(seats["own"])
    seats = seats.with_columns(rack.alias("rack"), (pl.col("before") + pl.col("nth") + 1).alias("panel_number")).with_columns(
        pl.format("panel:{}/{}", pl.col("rack").str.strip_prefix("rack:"), "panel_number").alias("panel")
    )
    for end in ("lo", "hi"):
        side = seats.filter(pl.col("end") == end).select("row", "panel", "position")
        trunks = trunks.join(
            side.rename({"panel": f"panel_{end}", "position": f"position_{end}"}), on="row", how="left", maintain_order="left"
        )
    return trunks, _panels(seats, words, design)


def _seats(trunks: pl.DataFrame, own: str, far: str, places: RackPlaces) -> pl.DataFrame:
    """One end of every trunk: its rack, and how far off the other one stands."""
    here, there = trunks[own].to_numpy(), trunks[far].to_numpy()
    return trunks.select(
        "row",
        "kind",
        "number",
        "first",
        pl.lit(own).alias("end"),
        pl.col(own).alias("own"),
        pl.col(far).alias("far"),
        pl.Series("row_off", places.row[there] - places.row[here]),
        pl.Series("far_position", places.position[there]),
    )


def _panels(seats: pl.DataFrame, words: dict[str, TrunkKind], design: Design) -> pl.DataFrame:
    held = seats.group_by("panel", "rack", "panel_number", "kind").agg(
        pl.len().cast(pl.Int64).alias("used"), pl.col("first").min()
    )

    def of(key: str, dtype: type[pl.DataType]) -> pl.Expr:
        return pl.col("kind").replace_strict({w: getattr(k, key) for w, k in words.items()}, return_dtype=dtype)

    return PANELS.conform(
        held.with_columns(
            pl.col("panel_number").alias("number"),
            of("panel_u", pl.Float64).alias("height_u"),
            of("panel", pl.String).alias("part"),
            of("positions", pl.Int64).alias("positions"),
            of("medium", pl.String).alias("medium"),
            of("adapter", pl.String).alias("adapter"),
            of("polish", pl.String).alias("polish"),
            of("gender", pl.String).alias("gender"),
            ranked_phase(design, "first").alias("phase"),
            pl.lit(None, dtype=pl.Float64).alias("u"),
        )
        .select(PANELS.names)
        .sort("panel")
    )
