"""What is labelled: everything that is pulled, with both of its ends, and what stands still.

A jumper that runs over a trunk is three things, a cord at each end and the trunk, which other jumpers share. A splitter has a
pair of labels for each of its tails. Both fibres of a link over two (``strands``) end in one cage: ``a`` and ``b`` tell them
apart. Copper inside an NVLink domain is built into its rack and is in no table of cables, so no label names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan
from asbuilt.plan.label_ends import BOARD_KEY, HEADER_KEY, MANIFOLD_KEY

if TYPE_CHECKING:
    import polars as pl

RACK, POWER, LIQUID, CABLE = "rack", "power", "liquid", "cable"
JUMPER, PATCH_CORD, PANEL_CORD, TRUNK = "jumper", "patch-cord", "cord-in-panel", "trunk"
POWER_CORD, WHIP, HOSE = "power-cord", "whip", "hose"


def cables(plan: Plan) -> pl.DataFrame:
    """``crew kind item tail part length_m phase a_key a_port a_port_number b_key b_port``, one row per cable and tail."""
    import polars as pl

    words = ("crew", "kind", "item", "part", "phase", "a_key", "a_port", "b_key", "b_port")
    schema = dict.fromkeys(words, pl.String()) | {"tail": pl.Int64(), "length_m": pl.Float64(), "a_port_number": pl.Int64()}
    made = [*_jumpers(plan), *_patch_cords(plan), *_trunks(plan), *_power_cords(plan), *_whips(plan), *_hoses(plan)]
    empty = pl.DataFrame(schema=schema)
    return pl.concat([empty, *(f.select(pl.col(name).cast(dtype) for name, dtype in schema.items()) for f in made)])


def objects(plan: Plan) -> pl.DataFrame:
    """``crew kind item end part phase key``, one row per label: racks at front and rear, PDUs, panels, CDUs at the front."""
    import polars as pl

    words = ("crew", "kind", "item", "end", "part", "phase", "key")
    frames = [pl.DataFrame(schema=dict.fromkeys(words, pl.String))]
    for table, key, crew, kind, ends in (
        ("racks", "rack", RACK, "rack", ("front", "rear")),
        ("pdus", "pdu", POWER, "pdu", ("front",)),
        ("panels", "panel", CABLE, "panel", ("front",)),
        ("cdus", "cdu", LIQUID, "cdu", ("front",)),
    ):
        if plan.has(table):
            rows = plan.table(table)
            part = pl.col("part") if "part" in rows.columns else pl.lit(None, dtype=pl.String)
            held = rows.select(
                pl.lit(crew).alias("crew"), pl.lit(kind).alias("kind"), pl.col(key).alias("item"), part.alias("part"),
                "phase", pl.col(key).alias("key"),
            )  # fmt: skip
            frames += [held.with_columns(pl.lit(end).alias("end")).select(words) for end in ends]
    return pl.concat(frames)


def _jumpers(plan: Plan) -> list[pl.DataFrame]:
    """Jumpers: whole ones, and those over trunks as a cord at each end."""
    import polars as pl

    if not plan.has("jumpers") or plan.table("jumpers").is_empty():
        return []
    tails = _tails(plan)
    if not plan.has("channels"):
        return [_whole(tails)]
    columns = ("jumper", "trunk", "port", "a_cord_m", "b_cord_m")
    held = plan.table("channels").filter(pl.col("trunk").is_not_null()).select(columns)
    ends = plan.table("trunks").select("trunk", "a_panel", "a_position", "b_panel", "b_position")
    over = tails.join(held, on="jumper", how="inner", maintain_order="left").join(ends, on="trunk", how="left")
    over = _with_own_panel_first(plan, over)
    return [_whole(tails.join(held.select("jumper"), on="jumper", how="anti", maintain_order="left")), *_two_cords(over)]


def _with_own_panel_first(plan: Plan, over: pl.DataFrame) -> pl.DataFrame:
    """End a of a trunk is the rack that comes first; where that is not the rack of the reference device, the ends change."""
    import polars as pl

    tables = (("switches", "switch"), ("nodes", "node"), ("panels", "panel"))
    stand = pl.concat([plan.table(t).select(pl.col(k).alias("key"), "rack") for t, k in tables if plan.has(t)])
    for key in ("a_device", "a_panel"):
        there = stand.select(pl.col("key").alias(key), pl.col("rack").alias(f"{key}_rack"))
        over = over.join(there, on=key, how="left", maintain_order="left")
    turned = (pl.col("a_device_rack") != pl.col("a_panel_rack")).fill_null(False)
    return over.with_columns(
        pl.when(turned).then(f"{far}_{what}").otherwise(f"{near}_{what}").alias(f"{near}_{what}")
        for near, far in (("a", "b"), ("b", "a"))
        for what in ("panel", "position")
    )


def _tails(plan: Plan) -> pl.DataFrame:
    """Jumpers, one row per tail, with ``strand`` (a, b or null) and the number of the port at the reference end."""
    import polars as pl

    jumpers = plan.table("jumpers")
    second = pl.col("jumper").str.ends_with("b")
    stripped = pl.col("jumper").str.strip_suffix("b")
    double = jumpers.filter(second).join(jumpers, left_on=stripped, right_on="jumper", how="semi").select("jumper")
    marks = pl.concat(
        [
            double.with_columns(pl.lit("b").alias("strand")),
            double.select(pl.col("jumper").str.strip_suffix("b"), pl.lit("a").alias("strand")),
        ]
    )
    ends = jumpers.select("jumper", "part", "links", "length_m", "phase", "a_device", "a_label", "b_device", "b_label")
    frame = ends.with_columns(
        pl.lit(1, dtype=pl.Int64).alias("tail"),
        pl.col("jumper").str.extract(r"(\d+)b?$").cast(pl.Int64).alias("number"),
    )
    split = jumpers.filter(pl.col("links") > 1).select("jumper")
    if split.height and plan.has("links"):
        frame = pl.concat([frame.join(split, on="jumper", how="anti"), _split(plan, frame.join(split, on="jumper"))])
    return frame.join(marks, on="jumper", how="left", maintain_order="left")


def _split(plan: Plan, heads: pl.DataFrame) -> pl.DataFrame:
    """The tails of splitters: the far ends of the links that they carry, each with the reference port that feeds it."""
    import polars as pl

    ends = ("a_device", "a_label", "b_device", "b_label")
    carried = plan.links.filter(pl.col("jumper").is_in(heads["jumper"].implode())).sort("jumper", "a_port")
    carried = carried.select("jumper", *ends, pl.col("a_port").alias("number"))
    tails = carried.with_columns(pl.int_range(1, pl.len() + 1).over("jumper").alias("tail"))
    split = heads.drop(*ends, "tail", "number").join(tails, on="jumper", how="inner").select(heads.columns)
    return pl.concat([split, heads.join(carried, on="jumper", how="anti")])  # one whose links nobody lists stays whole


def _port(label: str) -> pl.Expr:
    """The front-panel label, with the strand of a link over two fibres."""
    import polars as pl

    return pl.concat_str([pl.col(label), pl.col("strand").fill_null("")])


def _whole(tails: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return tails.select(
        pl.lit(CABLE).alias("crew"), pl.lit(JUMPER).alias("kind"), pl.col("jumper").alias("item"), "tail", "part",
        "length_m", "phase", pl.col("a_device").alias("a_key"), _port("a_label").alias("a_port"),
        pl.col("number").alias("a_port_number"), pl.col("b_device").alias("b_key"), _port("b_label").alias("b_port"),
    )  # fmt: skip


def _two_cords(over: pl.DataFrame) -> list[pl.DataFrame]:
    """The cord from the device to the panel and the one at the far panel, of each jumper over a trunk."""
    import polars as pl

    frames = []
    for side in "ab":
        rows = over.unique("jumper", keep="first", maintain_order=True) if side == "a" else over
        # A splitter splits at its far end; the cord at the reference end is the straight one of its kind.
        straight = pl.when(pl.col("links") > 1).then(pl.format("straight, as {}", "part")).otherwise("part").alias("part")
        part = straight if side == "a" else pl.col("part")
        place = pl.concat_str([pl.col(f"{side}_position").cast(pl.String), pl.lit("-"), pl.col("port").cast(pl.String)])
        frames.append(
            rows.select(
                pl.lit(CABLE).alias("crew"), pl.lit(PANEL_CORD).alias("kind"),
                (pl.col("jumper") + f"#{side}").alias("item"), "tail", part, pl.col(f"{side}_cord_m").alias("length_m"),
                "phase", pl.col(f"{side}_device").alias("a_key"), _port(f"{side}_label").alias("a_port"),
                pl.col("number").alias("a_port_number"), pl.col(f"{side}_panel").alias("b_key"), place.alias("b_port"),
            )
        )  # fmt: skip
    return frames


def _patch_cords(plan: Plan) -> list[pl.DataFrame]:
    """Management ports that are patched to an out-of-band leaf; keys as in the cut sheet."""
    import polars as pl

    if not plan.has("management_ports"):
        return []
    rows = plan.table("management_ports").filter(pl.col("port").is_not_null())
    return [
        rows.select(
            pl.lit(CABLE).alias("crew"), pl.lit(PATCH_CORD).alias("kind"),
            pl.concat_str([pl.lit("cable:"), "switch", pl.lit("/"), pl.col("port").cast(pl.String)]).alias("item"),
            pl.lit(1).alias("tail"), "part", "length_m", "phase", pl.col("switch").alias("a_key"),
            pl.col("label").alias("a_port"), pl.col("port").alias("a_port_number"), pl.col("device").alias("b_key"),
            pl.lit("MGMT").alias("b_port"),
        )
    ]  # fmt: skip


def _trunks(plan: Plan) -> list[pl.DataFrame]:
    import polars as pl

    if not plan.has("trunks"):
        return []
    return [
        plan.table("trunks").select(
            pl.lit(CABLE).alias("crew"), pl.lit(TRUNK).alias("kind"), pl.col("trunk").alias("item"),
            pl.lit(1).alias("tail"), "part", "length_m", "phase", pl.col("a_panel").alias("a_key"),
            pl.col("a_position").cast(pl.String).alias("a_port"), pl.col("a_position").alias("a_port_number"),
            pl.col("b_panel").alias("b_key"), pl.col("b_position").cast(pl.String).alias("b_port"),
        )
    ]  # fmt: skip


def _power_cords(plan: Plan) -> list[pl.DataFrame]:
    """From the outlet of the PDU to the supply of the device."""
    import polars as pl

    if not plan.has("cords"):
        return []
    part = pl.concat_str(["plug", pl.lit(" to "), "connector"])
    return [
        plan.table("cords").select(
            pl.lit(POWER).alias("crew"), pl.lit(POWER_CORD).alias("kind"), pl.col("cord").alias("item"),
            pl.lit(1).alias("tail"), part.alias("part"), "length_m", "phase", pl.col("pdu").alias("a_key"),
            pl.col("outlet").cast(pl.String).alias("a_port"), pl.col("outlet").alias("a_port_number"),
            pl.col("device").alias("b_key"), (pl.lit("PSU") + pl.col("supply").cast(pl.String)).alias("b_port"),
        )
    ]  # fmt: skip


def _whips(plan: Plan) -> list[pl.DataFrame]:
    """From the tap-off box, or the board of the feed where there is no busway, to the inlet of a PDU or shelf."""
    import polars as pl

    if not plan.has("circuits"):
        return []
    own = pl.col("circuit").str.replace(r"^[a-z]+:", "").str.replace_all("/", "-", literal=True)
    return [
        plan.table("circuits").select(
            pl.lit(POWER).alias("crew"), pl.lit(WHIP).alias("kind"), pl.col("circuit").alias("item"),
            pl.lit(1).alias("tail"), pl.col("receptacle").alias("part"), pl.col("whip_m").alias("length_m"), "phase",
            pl.coalesce("busway", pl.lit(BOARD_KEY) + pl.col("feed")).alias("a_key"), own.alias("a_port"),
            pl.col("tap_m").round(0).cast(pl.Int64).alias("a_port_number"), pl.col("serves").alias("b_key"),
            pl.lit("INLET").alias("b_port"),
        )
    ]  # fmt: skip


def _hoses(plan: Plan) -> list[pl.DataFrame]:
    """Supply and return of each rack that draws now, from the header to the rack's manifold."""
    import polars as pl

    if not plan.has("branches"):
        return []
    rows = plan.table("branches").filter("built")
    return [
        rows.select(
            pl.lit(LIQUID).alias("crew"), pl.lit(HOSE).alias("kind"),
            (pl.lit("hose:") + pl.col("rack").str.strip_prefix("rack:") + f"/{side}").alias("item"),
            pl.lit(1).alias("tail"), pl.format("hose {} mm", pl.col("hose_id_mm")).alias("part"),
            pl.col("hose_m").alias("length_m"), pl.col("phase").fill_null(""),
            (pl.lit(HEADER_KEY) + pl.col("loop")).alias("a_key"),
            (pl.lit(letter) + pl.col("number").cast(pl.String).str.zfill(2)).alias("a_port"),
            pl.col("number").alias("a_port_number"), (pl.lit(MANIFOLD_KEY) + pl.col("rack")).alias("b_key"),
            pl.lit(letter).alias("b_port"),
        )
        for side, letter in (("supply", "S"), ("return", "R"))
    ]  # fmt: skip
