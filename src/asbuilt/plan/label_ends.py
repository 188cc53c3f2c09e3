"""Where the ends of cables are: for every device of a plan the words of its identifier, and its place in the order of work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: Short words of what has no rack unit, in identifiers: A-01-PDU-A1, BUS-A-B, HDR-A, A-01-MAN.
PDU, BUSWAY, HEADER, MANIFOLD, BOARD = "PDU", "BUS", "HDR", "MAN", "BOARD"
#: Keys of places that no table of the plan has, made from those of their own.
HEADER_KEY, MANIFOLD_KEY, BOARD_KEY = "header:", "hoses:", "board:"


def identifier(space: str, cabinet: pl.Expr, port: pl.Expr) -> pl.Expr:
    """``space.cabinet:port``; without port where it is null, null where the cabinet is. `physics.labels` reads it back.

    Signs that part an identifier become ``-`` in ports, whose front-panel labels are full of them (``26/1/2``). Rack names
    stay as they are painted on the racks.
    """
    import polars as pl

    clean = port.str.replace_all("[/:]", "-")
    tail = pl.when(clean.is_null()).then(pl.lit("")).otherwise(pl.lit(":") + clean)
    return pl.lit(f"{space}." if space else "") + cabinet + tail


def unit(u: pl.Expr) -> pl.Expr:
    """``U07``, ``U12.5``; null where the unit is not known."""
    import polars as pl

    whole = u.cast(pl.Int64).cast(pl.String).str.zfill(2)
    return pl.lit("U") + pl.when(u == u.floor()).then(whole).otherwise(u.cast(pl.String))


def racks(plan: Plan) -> pl.DataFrame:
    """``rack_key rack row line place``: the name painted on each rack, its row, the rank of the row, the place in it."""
    import polars as pl

    if not plan.has("racks"):
        schema = {"rack_key": pl.String, "rack": pl.String, "row": pl.String, "line": pl.Int64, "place": pl.Int64}
        return pl.DataFrame(schema=schema)
    table = plan.table("racks")
    return table.select(
        pl.col("rack").alias("rack_key"),
        pl.when(pl.col("name") == "").then(pl.col("rack").str.strip_prefix("rack:")).otherwise("name").alias("rack"),
        "row",
        rank_of_row(pl.col("row")).alias("line"),
        pl.col("position").alias("place"),
    )


def rank_of_row(row: pl.Expr) -> pl.Expr:
    """Number of a row's letters in the order A ... Z, AA ..., so that AA comes after Z."""
    import polars as pl

    return pl.struct(row.str.len_chars().alias("length"), row.alias("letters")).rank("dense").cast(pl.Int64)


def stands(plan: Plan) -> pl.DataFrame:
    """One row per thing that an end may be at: ``key rack row line place u cabinet``.

    ``cabinet`` is the identifier without space and port; null where the plan does not say where the thing is.
    """
    import polars as pl

    in_racks = [_in_rack(plan, *table) for table in _TABLES if plan.has(table[0])]
    held = pl.concat([f for f in in_racks if f is not None] or [_nowhere()])
    named = held.join(racks(plan), on="rack_key", how="left", maintain_order="left")
    name = pl.coalesce("rack", pl.col("rack_key").str.strip_prefix("rack:"))
    placed = named.with_columns(
        name.alias("rack"), pl.when(pl.col("word").is_null()).then(None).otherwise(name + "-" + pl.col("word")).alias("cabinet")
    )
    frames = [placed, *_rack_itself(plan), *_along_rows(plan), *_only_powered(plan)]
    columns = ["key", "rack", "row", "line", "place", "u", "cabinet"]
    return pl.concat([f.select(columns) for f in frames], how="vertical_relaxed").unique(
        "key", keep="first", maintain_order=True
    )


_TABLES = (
    ("switches", "switch", "u"),
    ("nodes", "node", "u"),
    ("panels", "panel", "u"),
    ("shelves", "shelf", "u"),
    ("pdus", "pdu", ""),
    ("branches", "branch", ""),
    ("rack_slots", "device", "u"),
    ("rack_slots", "slot", "u"),
)


def _nowhere() -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(schema={"key": pl.String, "rack_key": pl.String, "u": pl.Float64, "word": pl.String})


def _in_rack(plan: Plan, table: str, key: str, u: str) -> pl.DataFrame:
    """Things of a table that stand or hang in racks."""
    import polars as pl

    frame = plan.table(table)
    if table == "branches":
        frame = frame.filter("built")
        return frame.select(
            (pl.lit(MANIFOLD_KEY) + pl.col("rack")).alias("key"), pl.col("rack").alias("rack_key"),
            pl.lit(None, dtype=pl.Float64).alias("u"), pl.lit(MANIFOLD).alias("word"),
        )  # fmt: skip
    if table == "pdus":
        short = pl.col("pdu").str.replace(r"^.*/", "")
        return frame.select(
            pl.col("pdu").alias("key"), pl.col("rack").alias("rack_key"), pl.lit(None, dtype=pl.Float64).alias("u"),
            (pl.lit(f"{PDU}-") + short).alias("word"),
        )  # fmt: skip
    known = pl.when(pl.col("rack") == "").then(None).otherwise("rack")
    return frame.select(pl.col(key).alias("key"), known.alias("rack_key"), pl.col(u).alias("u"), unit(pl.col(u)).alias("word"))


def _rack_itself(plan: Plan) -> list[pl.DataFrame]:
    import polars as pl

    nothing = pl.lit(None, dtype=pl.Float64)
    return [racks(plan).with_columns(pl.col("rack_key").alias("key"), nothing.alias("u"), pl.col("rack").alias("cabinet"))]


def _only_powered(plan: Plan) -> list[pl.DataFrame]:
    """Devices that only their power cords tell of (storage that the site brings): the rack, and what kind of thing it is."""
    import polars as pl

    if not plan.has("cords"):
        return []
    cords = plan.table("cords").select(key="device", rack_key="rack").unique("key", keep="first", maintain_order=True)
    named = cords.join(racks(plan), on="rack_key", how="left", maintain_order="left")
    word = pl.col("key").str.extract(r"^([a-z]+):").str.to_uppercase()
    cabinet = pl.coalesce("rack", pl.col("rack_key").str.strip_prefix("rack:")) + "-" + word
    return [named.with_columns(cabinet.alias("cabinet"), pl.lit(None, dtype=pl.Float64).alias("u"))]


def _along_rows(plan: Plan) -> list[pl.DataFrame]:
    """Busways, boards, headers and CDUs: they belong to a row, to no rack. They come before the racks of their row."""
    import polars as pl

    lines = racks(plan).select("row", "line").unique("row", keep="first", maintain_order=True)
    frames = []
    for table, key, row, word in (
        ("busways", pl.col("busway"), "row", pl.lit(f"{BUSWAY}-") + _short("busway")),
        ("feeds", pl.lit(BOARD_KEY) + pl.col("feed"), None, pl.lit(f"{BOARD}-") + pl.col("letter")),
        ("loops", pl.lit(HEADER_KEY) + pl.col("loop"), "row", pl.lit(f"{HEADER}-") + _short("loop")),
        ("cdus", pl.col("cdu"), "row", pl.lit("CDU-") + _short("cdu")),
    ):
        if plan.has(table):
            where = pl.col(row) if row else pl.lit(None, dtype=pl.String)
            frame = plan.table(table).select(key.alias("key"), where.alias("row"), word.alias("cabinet"))
            frames.append(
                frame.join(lines, on="row", how="left", maintain_order="left").with_columns(
                    pl.lit(None, dtype=pl.String).alias("rack"), pl.lit(0, dtype=pl.Int64).alias("place"),
                    pl.lit(None, dtype=pl.Float64).alias("u"),
                )
            )  # fmt: skip
    return frames


def _short(column: str) -> pl.Expr:
    """``busway:A/B`` as ``A-B``: the key without its kind, in letters that an identifier may hold."""
    import polars as pl

    return pl.col(column).str.replace(r"^[a-z]+:", "").str.replace_all("[/:]", "-")
