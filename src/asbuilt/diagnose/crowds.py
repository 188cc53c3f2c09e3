"""What subjects of verdicts are called, where they stand, and what many of them have in common.

A subject is a planned link, an end port (``<switch>#<asic>``, ``<node>/<device>``), an external port of a switch
(``<switch>#<asic>/<number>``), a switch or node, or anything else, which stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 4
_TEXTS = ("called", "place", "device", "leaf", "plane", "link")


def places(plan: Plan, subjects: pl.Series) -> pl.DataFrame:
    """subject, called (display name and front-panel port), place (rack and U), device, leaf, plane, link of ``subjects``.

    ``device`` is the switch or node by name, ``leaf`` the switch that a NIC port hangs on, ``link`` the planned link. What
    the plan does not tell is null; ``called`` is then the subject itself.
    """
    import polars as pl

    wanted = subjects.unique(maintain_order=True).alias("subject").to_frame()
    parts = [_links(plan, wanted), _nics(plan, wanted), _switch_ports(plan, wanted), _devices(plan, wanted)]
    found = pl.concat(parts, how="diagonal").unique("subject", keep="first", maintain_order=True)
    blank = [pl.lit(None, dtype=pl.String).alias(c) for c in _TEXTS if c not in found.columns]
    out = wanted.join(found.with_columns(blank), on="subject", how="left", maintain_order="left")
    return out.select("subject", pl.coalesce("called", "subject").alias("called"), *_TEXTS[1:])


def _rack(plan: Plan) -> pl.DataFrame:
    """owner, owner_name, place of every switch and node."""
    import polars as pl

    parts = [pl.DataFrame(schema={"owner": pl.String, "owner_name": pl.String, "place": pl.String})]
    for table, key in (("switches", "switch"), ("nodes", "node")):
        if plan.has(table):
            u = pl.col("u").cast(pl.String).str.replace(r"\.0$", "")
            place = pl.when(pl.col("rack") != "").then(pl.format("{} U{}", "rack", u))
            parts.append(
                plan.table(table).select(pl.col(key).alias("owner"), pl.col("name").alias("owner_name"), place.alias("place"))
            )
    return pl.concat(parts)


def _port(device: str, port: str, label: str) -> pl.Expr:
    """``LEAF-01 port 17 (9/1)``."""
    import polars as pl

    same = pl.col(label).is_null() | (pl.col(label) == "") | (pl.col(label) == pl.col(port).cast(pl.String))
    return pl.format("{} port {}{}", device, port, pl.when(same).then(pl.lit("")).otherwise(pl.format(" ({})", label)))


def _links(plan: Plan, wanted: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    if not plan.has("links"):
        return wanted.clear()
    rows = plan.links.join(wanted, left_on="link", right_on="subject", how="semi")
    rows = rows.join(_rack(plan), left_on="a_device", right_on="owner", how="left")
    far = pl.when(pl.col("b_nic").is_null()).then(_port("b_name", "b_port", "b_label")).otherwise("b_name")
    return rows.select(
        pl.col("link").alias("subject"),
        pl.format("{} – {}", _port("a_name", "a_port", "a_label"), far).alias("called"),
        "place",
        pl.col("a_name").alias("device"),
        pl.col("a_name").alias("leaf"),
        "plane",
        "link",
    )


def _nics(plan: Plan, wanted: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    if not plan.has("links"):
        return wanted.clear()
    rows = plan.links.filter(pl.col("b_nic").is_not_null()).with_columns(
        pl.format("{}/{}", "b_device", "b_nic").alias("subject")
    )
    rows = rows.join(wanted, on="subject", how="semi").join(_rack(plan), left_on="b_device", right_on="owner", how="left")
    return rows.select(
        "subject",
        pl.format("{} (at {})", "b_name", _port("a_name", "a_port", "a_label")).alias("called"),
        "place",
        pl.coalesce("owner_name", "b_device").alias("device"),
        pl.col("a_name").alias("leaf"),
        "plane",
        "link",
    )


def _switch_ports(plan: Plan, wanted: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    if not plan.has("links"):
        return wanted.clear()
    parts = wanted.with_columns(
        pl.col("subject").str.extract(r"^(.+)#\d+/\d+$", 1).alias("owner"),
        pl.col("subject").str.extract(r"#\d+/(\d+)$", 1).cast(pl.Int64).alias("number"),
    ).filter(pl.col("owner").is_not_null())
    sides = []
    for side in "ab":
        said = [
            pl.col(f"{side}_{c}").alias(n)
            for c, n in (("device", "owner"), ("port", "number"), ("name", "title"), ("label", "label"))
        ]
        sides.append(plan.links.filter(pl.col("b_nic").is_null() | (side == "a")).select(*said, "plane", "link"))
    rows = parts.join(pl.concat(sides), on=["owner", "number"], how="inner").join(_rack(plan), on="owner", how="left")
    return rows.select(
        "subject", _port("title", "number", "label").alias("called"), "place", pl.col("title").alias("device"),
        pl.col("title").alias("leaf"), "plane", "link",
    )  # fmt: skip


def _devices(plan: Plan, wanted: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    rows = wanted.with_columns(pl.col("subject").str.replace(r"#\d+(\+agg)?$", "").alias("owner")).join(_rack(plan), on="owner")
    return rows.select(
        "subject", pl.col("owner_name").alias("called"), "place", pl.col("owner_name").alias("device"),
        pl.col("owner_name").alias("leaf"),
    )  # fmt: skip


def where(rows: pl.DataFrame) -> str:
    """Rack, U and front-panel port of the first few rows of `places`."""
    told = [f"{place}: {called}" if place else called for called, place in rows.select("called", "place").head(_SHOWN).rows()]
    more = f" and {rows.height - _SHOWN} more" if rows.height > _SHOWN else ""
    return "; ".join(dict.fromkeys(told)) + more


def crowd(plan: Plan, rows: pl.DataFrame, several: str) -> str:
    """What the rows of `places` are together: a port by name, "12 ports of LEAF-01", "all 192 ports of plane compute"."""
    if rows.height == 1:
        return str(rows["called"][0])
    number = f"{rows.height} {several}"
    for column, word in (("device", "of"), ("leaf", "on")):
        names = rows[column].unique()
        if names.len() == 1 and names[0] is not None:
            return f"{number} {word} {names[0]}"
    planes = rows["plane"].drop_nulls().unique()
    if planes.len() == 1 and not rows["plane"].null_count():
        everyone = _size(plan, str(planes[0]), rows)
        return f"{'all ' if everyone == rows.height else ''}{number} of plane {planes[0]}"
    return number


def _size(plan: Plan, plane: str, rows: pl.DataFrame) -> int:
    """How many NIC ports, or links, the plane has."""
    import polars as pl

    links = plan.links.filter(pl.col("plane") == plane)
    if str(rows["subject"][0]).startswith("link:"):
        return links.height
    return links.filter(pl.col("b_nic").is_not_null()).height
