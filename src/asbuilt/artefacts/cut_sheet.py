"""The cable cut sheet: one row per link with both of its ends, for those who pull, plug and label the cables.

A cable that carries several links (twin ports, splitters) has one row per link, all with the same cable key; the patch
cords of management ports follow. Rows stand in the order of the racks. A label names its own end first, then the far one.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from asbuilt.artefacts.delimited import write_csv
from asbuilt.artefacts.names import refuse_hostile
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "cut-sheet"
WRITES = "cable cut sheet as CSV (cut-sheet/cables.csv): both ends by rack, U, device and cage, part, length, label texts"
LOST = ("cords, panels and trunks: a row goes from device to device; `labels` and `crew-sheets` have each of them",)
COLUMNS = (
    "cable", "link", "plane", "kind", "part", "medium", "length_m", "links_in_cable",
    "a_rack", "a_u", "a_device", "a_cage", "a_port", "b_rack", "b_u", "b_device", "b_nic", "b_cage", "b_port",
    "a_label_text", "b_label_text", "phase", "a_key", "b_key",
)  # fmt: skip


def cut_sheet(plan: Plan) -> dict[str, bytes]:
    """``cut-sheet/cables.csv`` of all planes; nothing for a plan without links. Equal plans give equal bytes.

    Lengths in metres, U is the lowest that the device takes. What the plan does not know (a partial plan has no racks and
    no cables) is empty. Cells that a spreadsheet would run as a formula get a ``'`` in front.
    """
    import polars as pl

    refuse_hostile(plan, "", "a cut sheet")
    rows = pl.concat([_links(plan), *_patch_cords(plan)]) if plan.links.height or plan.has("management_ports") else None
    if rows is None or not rows.height:
        return {}
    places = _places(plan)
    for side in "ab":
        rows = rows.join(
            places.select(pl.all().name.prefix(f"{side}_")), left_on=f"{side}_key", right_on=f"{side}_key", how="left"
        )
    rows = rows.with_columns(_text("a", "b").alias("a_label_text"), _text("b", "a").alias("b_label_text"))
    order = ["a_rack", "a_u", "a_device", "a_port", "b_device", "b_port", "link"]
    target = io.BytesIO()
    write_csv(rows.sort(order, nulls_last=True).select(COLUMNS), target)
    return {"cut-sheet/cables.csv": target.getvalue()}


def _links(plan: Plan) -> pl.DataFrame:
    """The planned links in the columns of the sheet, without places and label texts."""
    import polars as pl

    frame = plan.links.select(
        pl.col("jumper").alias("cable"), "link", "plane", "kind",
        pl.col("a_device").alias("a_key"), pl.col("a_name").alias("a_device"), pl.col("a_label").alias("a_cage"),
        "a_port", pl.col("b_device").alias("b_key"), _host().alias("b_device"), "b_nic", pl.col("b_label").alias("b_cage"),
        "b_port", "phase",
    )  # fmt: skip
    if plan.has("jumpers"):
        cables = plan.table("jumpers").select(
            pl.col("jumper").alias("cable"), "part", "medium", "length_m", pl.col("links").alias("links_in_cable")
        )
        frame = frame.join(cables, on="cable", how="left")
    else:
        nothing = {"part": pl.String, "medium": pl.String, "length_m": pl.Float64, "links_in_cable": pl.Int64}
        frame = frame.with_columns(pl.lit(None, dtype=dtype).alias(name) for name, dtype in nothing.items())
    return frame.select(sorted(frame.columns))


def _patch_cords(plan: Plan) -> list[pl.DataFrame]:
    """The management ports that are patched to an out-of-band leaf: one row each, the leaf as end a."""
    import polars as pl

    if not plan.has("management_ports"):
        return []
    rows = plan.table("management_ports").filter(pl.col("port").is_not_null())
    key = pl.format("cable:{}/{}", "switch", "port")
    frame = rows.select(
        key.alias("cable"), pl.format("link:{}/{}", "switch", "port").alias("link"), pl.lit("oob").alias("plane"),
        pl.lit("management").alias("kind"), pl.col("switch").alias("a_key"), pl.col("switch_name").alias("a_device"),
        pl.lit(None, dtype=pl.String).alias("b_nic"), pl.col("label").alias("a_cage"), pl.col("port").alias("a_port"),
        pl.col("device").alias("b_key"), pl.col("name").alias("b_device"),
        pl.lit("management").alias("b_cage"), pl.lit(None, dtype=pl.Int64).alias("b_port"), "phase", "part",
        pl.lit("copper").alias("medium"), "length_m", pl.lit(1, dtype=pl.Int64).alias("links_in_cable"),
    )  # fmt: skip
    return [frame.select(sorted(frame.columns))]


def _host() -> pl.Expr:
    """The far device by name: of a node without the name of its adapter."""
    import polars as pl

    bare = pl.col("b_name").str.strip_suffix(pl.concat_str([pl.lit(" "), "b_nic"]))
    return pl.when(pl.col("b_nic").is_null()).then("b_name").otherwise(bare)


def _places(plan: Plan) -> pl.DataFrame:
    """Rack (by name where it has one) and lowest U of every device."""
    import polars as pl

    frames = [
        plan.table(table).select(pl.col(key).alias("key"), "rack", "u")
        for table, key in (("switches", "switch"), ("nodes", "node"))
        if plan.has(table)
    ]
    empty = pl.DataFrame(schema={"key": pl.String, "rack": pl.String, "u": pl.Float64})
    places = pl.concat([empty, *frames]).unique("key", keep="first")
    if plan.has("racks"):
        named = plan.table("racks").select("rack", pl.col("name").alias("rack_name"))
        places = places.join(named, on="rack", how="left").with_columns(pl.coalesce("rack_name", "rack").alias("rack"))
    return places.select("key", "rack", "u")


def _text(own: str, far: str) -> pl.Expr:
    """``A-07 U3 IBLEAF-00-07 1/1/1 > A-01 U3 node0000 mlx5_0``: this end, then where the other one is."""
    import polars as pl

    def end(side: str) -> pl.Expr:
        whole = pl.col(f"{side}_u") == pl.col(f"{side}_u").floor()
        u = (
            pl.when(whole)
            .then(pl.col(f"{side}_u").cast(pl.Int64).cast(pl.String))
            .otherwise(pl.col(f"{side}_u").cast(pl.String))
        )
        place = pl.concat_str([pl.col(f"{side}_rack"), pl.lit(" U"), u, pl.lit(" ")]).fill_null("")
        return pl.concat_str([place, pl.col(f"{side}_device"), pl.lit(" "), pl.col(f"{side}_cage")])

    return pl.concat_str([end(own), pl.lit(" > "), end(far)])
