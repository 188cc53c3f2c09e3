"""Cables, panel ports and power feeds of a plan as NetBox has them: one cable object for each leg, each with two ends.

A link over a trunk is three cables in a row: the cord to the panel, the trunk from rear port to rear port, the cord behind
it. NetBox follows them from front port to front port. A splitter is one cable per leg: NetBox 4.4 lets several ends share a
cable but does not say which leg ends where, so each leg is a cable of its own with the key of the splitter in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import netbox_kinds as kinds
from asbuilt.artefacts.netbox_ports import INLET, MANAGEMENT, node_port
from asbuilt.model.plan import Plan
from asbuilt.plan.label_items import cables as pulled
from asbuilt.plan.labels import label_records

if TYPE_CHECKING:
    import polars as pl

INTERFACE, FRONT, REAR = "dcim.interface", "dcim.frontport", "dcim.rearport"
POWER_PORT, OUTLET, FEED = "dcim.powerport", "dcim.poweroutlet", "dcim.powerfeed"
#: Longest label of a cable in NetBox, in letters; a longer one stays empty.
LABEL_LETTERS = 100
COLUMNS = (
    "id",
    "a_type",
    "a_parent",
    "a_name",
    "b_type",
    "b_parent",
    "b_name",
    "type",
    "label",
    "color",
    "length",
    "description",
    "link",
    "jumper",
    "part",
    "plane",
    "rate_gbps",
    "phase",
)
_NUMBERS = ("length", "rate_gbps")


def cables(plan: Plan) -> pl.DataFrame:
    """One row per cable in the order of ``id``: both ends (type, key of the parent, name), label, length in metres."""
    import polars as pl

    schema = {name: pl.Float64() if name in _NUMBERS else pl.String() for name in COLUMNS}
    items = pulled(plan)
    found = [*_links(plan, items), _patched(items), _trunks(plan, items), _cords(items), _whips(plan, items)]
    frame = pl.concat([pl.DataFrame(schema=schema), *found], how="diagonal_relaxed")
    frame = _types(plan, frame.join(_labels(plan), on=["item", "tail"], how="left"))
    return frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items()).sort("id")


def _labels(plan: Plan) -> pl.DataFrame:
    import polars as pl

    near = label_records(plan).filter(pl.col("end") == "near").unique(["item", "tail"], keep="first")
    text = pl.col("text").fill_null("")
    return near.select(
        "item", "tail", pl.when(text.str.len_chars() <= LABEL_LETTERS).then(text).otherwise(pl.lit("")).alias("text")
    )


def _types(plan: Plan, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    media: dict[str, str] = {}
    if plan.has("jumpers"):
        media = dict(plan.table("jumpers").select("part", "medium").unique().sort("part", "medium").rows())
    names = {p: kinds.cable_type(p, media.get(p)) for p in frame["part"].drop_nulls().unique().to_list()}
    power = pl.col("b_type") == POWER_PORT
    kind = pl.col("part").replace_strict(names, default="", return_dtype=pl.String)
    feed = (
        pl.coalesce("a_parent", pl.lit(""))
        .str.extract(r"([A-D])\d*$")
        .replace_strict(kinds.FEED_COLOURS, default=None, return_dtype=pl.String)
    )
    plane = pl.col("plane").replace_strict(kinds.PLANE_COLOURS, default=None, return_dtype=pl.String)
    return frame.with_columns(
        pl.when(power).then(pl.lit("power")).otherwise(kind).alias("type"),
        pl.col("text").fill_null("").alias("label"),
        pl.when(power).then(feed).otherwise(plane).fill_null(kinds.OTHER_COLOUR).alias("color"),
    )


def _legs(plan: Plan) -> pl.DataFrame:
    """Links with the tail that each is of its jumper, ``legs`` on the trunk port that it runs over, and where that is."""
    import polars as pl

    links = plan.links
    many = pl.len().over("jumper") > 1
    tail = pl.when(pl.col("jumper").is_null() | ~many).then(1).otherwise(pl.col("a_port").rank("ordinal").over("jumper"))
    frame = links.with_columns(tail.cast(pl.Int64).alias("tail"), node_port().alias("b_port_name"))
    if not plan.has("channels"):
        return frame.with_columns(pl.lit(None, dtype=pl.String).alias("trunk"), pl.lit(None, dtype=pl.Int64).alias("port"))
    over = plan.table("channels").filter(pl.col("trunk").is_not_null()).select("jumper", "trunk", "port")
    return frame.join(over, on="jumper", how="left", maintain_order="left")


def _links(plan: Plan, items: pl.DataFrame) -> list[pl.DataFrame]:
    """Cables of links: whole jumpers, and of those over trunks the cord at each end."""
    import polars as pl

    switches = plan.table("switches")["switch"].implode()
    legs = _legs(plan).with_columns(
        pl.when(pl.col("b_device").is_in(switches)).then("b_label").otherwise("b_port_name").alias("b_name_there")
    )
    whole = items.filter(pl.col("kind") == "jumper").select("item", "tail", "part", "length_m")
    direct = legs.filter(pl.col("trunk").is_null()).with_columns(pl.coalesce("jumper", "link").alias("item"))
    direct = direct.join(whole, on=["item", "tail"], how="left", maintain_order="left")
    frames = [
        direct.select(
            pl.lit(INTERFACE).alias("a_type"),
            pl.col("a_device").alias("a_parent"),
            pl.col("a_label").alias("a_name"),
            pl.lit(INTERFACE).alias("b_type"),
            pl.col("b_device").alias("b_parent"),
            pl.col("b_name_there").alias("b_name"),
            *_common(),
        )
    ]
    over = legs.filter(pl.col("trunk").is_not_null())
    if over.height:
        frames += [_panel_cord(over, items, side) for side in "ab"]
    return frames


def _common() -> list[pl.Expr]:
    import polars as pl

    one = pl.len().over("jumper") == 1
    id = (
        pl.when(one | pl.col("jumper").is_null())
        .then("item")
        .otherwise(pl.concat_str(["item", pl.lit("/leg-"), pl.col("tail").cast(pl.String)]))
    )
    return [
        id.alias("id"),
        pl.col("item"),
        pl.col("tail"),
        pl.col("part"),
        pl.col("length_m").alias("length"),
        pl.lit("").alias("description"),
        pl.col("link"),
        pl.col("jumper"),
        pl.col("plane"),
        pl.col("rate_gbps"),
        pl.col("phase"),
    ]


def _panel_cord(over: pl.DataFrame, items: pl.DataFrame, side: str) -> pl.DataFrame:
    import polars as pl

    cords = items.filter((pl.col("kind") == "cord-in-panel") & pl.col("item").str.ends_with(f"#{side}"))
    cords = cords.select("item", "tail", "part", "length_m", pl.col("b_key").alias("panel"), pl.col("b_port").alias("place"))
    # One straight cord carries all legs at the reference end: each of them has its data.
    on = ["item"] if side == "a" else ["item", "tail"]
    cords = cords.drop("tail") if side == "a" else cords
    held = over.with_columns((pl.col("jumper") + f"#{side}").alias("item")).join(cords, on=on, how="inner")
    near = pl.col("a_label") if side == "a" else pl.col("b_name_there")
    return held.select(
        pl.lit(INTERFACE).alias("a_type"),
        pl.col(f"{side}_device").alias("a_parent"),
        near.alias("a_name"),
        pl.lit(FRONT).alias("b_type"),
        pl.col("panel").alias("b_parent"),
        front_name("place").alias("b_name"),
        *_common(),
    )


def front_name(place: str) -> pl.Expr:
    """Front port by its place (``position-port``); where several legs share a port of the trunk, with the leg behind it."""
    import polars as pl

    leg = pl.concat_str([place, pl.lit("/"), pl.col("tail").cast(pl.String)])
    return pl.when(pl.len().over("jumper") > 1).then(leg).otherwise(place)


def _patched(items: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return _plain(items, "patch-cord", INTERFACE, INTERFACE, pl.lit(MANAGEMENT)).with_columns(pl.lit("oob").alias("plane"))


def _plain(items: pl.DataFrame, kind: str, a_type: str, b_type: str, b_name: pl.Expr) -> pl.DataFrame:
    import polars as pl

    return items.filter(pl.col("kind") == kind).select(
        pl.col("item").alias("id"),
        "item",
        "tail",
        pl.lit(a_type).alias("a_type"),
        pl.col("a_key").alias("a_parent"),
        pl.col("a_port").alias("a_name"),
        pl.lit(b_type).alias("b_type"),
        pl.col("b_key").alias("b_parent"),
        b_name.alias("b_name"),
        "part",
        pl.col("length_m").alias("length"),
        pl.lit("").alias("description"),
        "phase",
    )


def _trunks(plan: Plan, items: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    frame = _plain(items, "trunk", REAR, REAR, pl.col("b_port"))
    if not plan.has("trunks"):
        return frame
    said = plan.table("trunks").select(
        pl.col("trunk").alias("id"),
        pl.format("{} fibres, type {}, {} to {}, {}", "fibres", "polarity", "a_gender", "b_gender", "polish").alias("said"),
    )
    return frame.join(said, on="id", how="left").with_columns(pl.col("said").fill_null("").alias("description")).drop("said")


def _cords(items: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return _plain(items, "power-cord", OUTLET, POWER_PORT, pl.col("b_port"))


def _whips(plan: Plan, items: pl.DataFrame) -> pl.DataFrame:
    """From the power feed to the inlet of a PDU or shelf; the parent of a feed is its power panel."""
    import polars as pl

    frame = _plain(items, "whip", FEED, POWER_PORT, pl.lit(INLET))
    if not plan.has("circuits"):
        return frame
    feeds = plan.table("circuits").select(
        pl.col("circuit").alias("id"), pl.coalesce("busway", "feed").alias("panel"), feed_name().alias("feed_name")
    )
    frame = frame.join(feeds, on="id", how="left")
    return frame.with_columns(pl.col("panel").alias("a_parent"), pl.col("feed_name").alias("a_name")).drop("panel", "feed_name")


def feed_name() -> pl.Expr:
    """A circuit as NetBox's power feed: ``A-01/A1``."""
    import polars as pl

    return pl.col("circuit").str.replace("^circuit:", "")


def panel_ports(plan: Plan) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(rear ports ``device name type positions order``, front ports ``device name type rear_port rear_port_position``).

    A rear port is one end of a trunk; its positions are the ports of the trunk, times the most legs that share one of them.
    """
    import polars as pl

    rear_schema = {"device": pl.String, "name": pl.String, "type": pl.String, "positions": pl.Int64, "order": pl.Int64}
    front_schema = {
        "device": pl.String,
        "name": pl.String,
        "type": pl.String,
        "rear_port": pl.String,
        "rear_port_position": pl.Int64,
    }
    if not plan.has("trunks") or plan.table("trunks").is_empty():
        return pl.DataFrame(schema=rear_schema), pl.DataFrame(schema=front_schema)
    legs = (
        _legs(plan).filter(pl.col("trunk").is_not_null()).group_by("trunk", "port").agg(pl.len().cast(pl.Int64).alias("legs"))
    )
    ports = plan.table("bundles").select("bundle", (pl.col("usable_fibres") // pl.col("fibres_per_port")).alias("room"))
    most = legs.group_by("trunk").agg(pl.col("port").max().alias("last"), pl.col("legs").max().alias("width"))
    trunks = plan.table("trunks").join(ports, on="bundle", how="left").join(most, on="trunk", how="left")
    duplex = pl.col("part").str.contains(r"(?i)\blc\b")
    trunks = trunks.with_columns(
        pl.max_horizontal(pl.col("room").fill_null(1), pl.col("last").fill_null(0), pl.lit(1)).alias("room"),
        pl.col("width").fill_null(1),
        pl.when(duplex).then(pl.lit("lc")).otherwise(pl.lit("mpo")).alias("type"),
    )
    ends = pl.concat(
        trunks.select(
            "trunk", pl.col(f"{s}_panel").alias("device"), pl.col(f"{s}_position").alias("order"), "type", "room", "width"
        )
        for s in "ab"
    )
    name = pl.col("order").cast(pl.String)
    rear = ends.select("device", name.alias("name"), "type", (pl.col("room") * pl.col("width")).alias("positions"), "order")
    each = ends.with_columns(pl.int_ranges(1, pl.col("room") + 1).alias("port")).explode("port")
    each = each.join(legs, on=["trunk", "port"], how="left").with_columns(pl.col("legs").fill_null(1))
    each = each.with_columns(pl.int_ranges(1, pl.col("legs") + 1).alias("tail")).explode("tail")
    place = pl.concat_str([name, pl.lit("-"), pl.col("port").cast(pl.String)])
    shared = pl.concat_str([place, pl.lit("/"), pl.col("tail").cast(pl.String)])
    front = each.select(
        "device",
        pl.when(pl.col("legs") > 1).then(shared).otherwise(place).alias("name"),
        "type",
        name.alias("rear_port"),
        ((pl.col("port") - 1) * pl.col("width") + pl.col("tail")).alias("rear_port_position"),
        "order",
    )
    return rear.sort("device", "order"), front.sort("device", "order", "rear_port_position").drop("order")
