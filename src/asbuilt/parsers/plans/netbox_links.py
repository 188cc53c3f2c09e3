"""Links of a plan of ours read back from NetBox: keys from custom fields, port numbers and cages from labels of interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.tables import LINKS
from asbuilt.parsers.plans.rows import LABEL_ONLY

if TYPE_CHECKING:
    import polars as pl

_TIERS = {"leaf": 0, "spine": 1, "core": 2}
_BELOW_ALL = 9


def exact_links(
    paths: pl.DataFrame, cables: pl.DataFrame, devices: pl.DataFrame, interfaces: pl.DataFrame
) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """(table ``links``, rows of cables that are no link with the reason).

    A device that somebody added in NetBox has no key: its name stands for it, its role says whether it is a switch. Management
    ports are no links of a plan.
    """
    import polars as pl

    ends = _known(devices)
    kept = cables.select("row", "key", "link", "jumper", "plane", "rate_gbps", "phase")
    frame = paths.join(kept, on="row", how="left", maintain_order="left")
    for side in "ab":
        frame = _end(frame, ends, interfaces, side)
    managed = (pl.col("a_label") == "MGMT") | (pl.col("b_label") == "MGMT")
    frame = frame.filter(~managed)
    none = frame.filter(~pl.col("a_switch") & ~pl.col("b_switch"))
    refused = [(row, "neither end is a switch") for row in none["row"].to_list()]
    frame = _reference_first(frame.filter(pl.col("a_switch") | pl.col("b_switch")))
    frame, twice = _single(frame)
    return _table(frame), refused + twice


def _known(devices: pl.DataFrame) -> pl.DataFrame:
    """``name device switch tier plane service`` of every device that is listed."""
    import polars as pl

    role = pl.col("role").str.to_lowercase().str.replace_all("-", " ", literal=True)
    word = role.str.extract(r"(leaf|spine|core)$")
    keyed = pl.col("key") != ""
    return devices.unique("name", keep="first").select(
        "name",
        pl.when(keyed).then("key").otherwise("name").alias("device"),
        pl.when(keyed)
        .then(pl.col("key").str.starts_with("sw:"))
        .otherwise(word.is_not_null() | role.str.contains("switch"))
        .alias("switch"),
        word.replace_strict(_TIERS, default=_BELOW_ALL, return_dtype=pl.Int64).alias("tier"),
        pl.coalesce(pl.col("key").str.extract("^sw:([^/]+)/"), role.str.extract(r"^(.*) (?:leaf|spine|core)$")).alias(
            "of_plane"
        ),
        pl.col("key").str.starts_with("svc:").alias("service"),
    )


def _end(frame: pl.DataFrame, ends: pl.DataFrame, interfaces: pl.DataFrame, side: str) -> pl.DataFrame:
    """Key, kind, port number, label and NIC of one side, whose ``device`` and ``name`` are those of NetBox."""
    import polars as pl

    frame = frame.rename({f"{side}_device": f"{side}_called", f"{side}_name": f"{side}_port_name"})
    frame = frame.join(
        ends.rename({c: f"{side}_{c}" for c in ends.columns if c != "name"}),
        left_on=f"{side}_called",
        right_on="name",
        how="left",
        maintain_order="left",
    )
    labels = interfaces.unique(["device", "name"], keep="first").select(
        pl.col("device").alias(f"{side}_called"),
        pl.col("name").alias(f"{side}_port_name"),
        pl.col("label").alias("said"),
        "speed",
    )
    frame = frame.join(labels, on=[f"{side}_called", f"{side}_port_name"], how="left", maintain_order="left")
    frame = frame.with_columns(
        pl.coalesce(f"{side}_device", f"{side}_called").alias(f"{side}_device"),
        pl.col(f"{side}_switch").fill_null(False),
        pl.col(f"{side}_tier").fill_null(_BELOW_ALL),
        pl.col(f"{side}_service").fill_null(False),
    )
    name, said = pl.col(f"{side}_port_name"), pl.when(pl.col("said") != "").then("said")
    cage = name.str.extract_groups(r"^(\d{1,3})/([12])$")
    halves = (cage.struct.field("1").cast(pl.Int64) - 1) * 2 + cage.struct.field("2").cast(pl.Int64)
    plain = name.str.extract(r"^(\d{1,4})$").cast(pl.Int64)
    number = pl.coalesce(said.str.extract(r"^(\d{1,4})$").cast(pl.Int64), plain, halves)
    nic = name.str.extract_groups(r"^(.*?)(?:/(\d{1,3}))?$")
    switch = pl.col(f"{side}_switch")
    return frame.with_columns(
        pl.when(switch).then(number).otherwise(nic.struct.field("2").cast(pl.Int64).fill_null(1)).alias(f"{side}_port"),
        pl.when(switch & (said != "MGMT").fill_null(True)).then(name).otherwise(pl.coalesce(said, name)).alias(f"{side}_label"),
        pl.when(~switch).then(nic.struct.field("1")).alias(f"{side}_nic"),
        pl.col("speed").cast(pl.Float64, strict=False).truediv(1e6).alias(f"{side}_speed"),
    ).drop("said", "speed")


def _reference_first(frame: pl.DataFrame) -> pl.DataFrame:
    """The reference end first: as the link's own key says, else the switch, else the lower tier, else by name."""
    import polars as pl

    def named(side: str) -> pl.Expr:
        device = pl.concat_str([pl.lit("link:"), f"{side}_device", pl.lit("/")])
        return (pl.col("link").str.starts_with(device) & pl.col(f"{side}_switch")).fill_null(False)

    tiers = pl.col("a_tier") - pl.col("b_tier")
    later = (tiers > 0) | ((tiers == 0) & (pl.col("a_called") > pl.col("b_called")))
    turn = (
        pl.when(~pl.col("a_switch"))
        .then(True)
        .when(~pl.col("b_switch"))
        .then(False)
        .when(named("a") != named("b"))
        .then(named("b"))
        .otherwise(later)
    )
    frame = frame.with_columns(turn.alias("turn"))
    names = sorted(c[2:] for c in frame.columns if c.startswith("a_"))
    return frame.with_columns(
        pl.when("turn").then(f"{far}_{n}").otherwise(f"{near}_{n}").alias(f"{near}_{n}")
        for near, far in ("ab", "ba")
        for n in names
    )


def _single(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """A port has one link: the row that comes later and names it again is refused."""
    import polars as pl

    frame = frame.sort("row", maintain_order=True)
    ends = pl.concat(
        frame.select("row", pl.concat_str([f"{s}_called", f"{s}_port_name"], separator="\0").alias("end")) for s in "ab"
    )
    first = ends.group_by("end").agg(pl.col("row").min().alias("by"))
    late = ends.join(first, on="end").filter(pl.col("row") > pl.col("by")).sort("row", "end").unique("row", keep="first")
    why = late.select("row", pl.col("end").str.replace("\0", " ", literal=True).alias("end")).sort("row")
    refused = [(row, f"{end} has another link already") for row, end in why.rows()]
    return frame.join(late, on="row", how="anti"), refused


def _table(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    for side in "ab":
        rank = pl.col(f"{side}_label").rank("dense").over(f"{side}_device").cast(pl.Int64) + (LABEL_ONLY - 1)
        frame = frame.with_columns(pl.coalesce(f"{side}_port", rank).alias(f"{side}_port"))
    text = pl.when(pl.col("a_port") >= LABEL_ONLY).then("a_label").otherwise(pl.col("a_port").cast(pl.String))
    host = ~pl.col("b_switch")
    kind = (
        pl.when(pl.col("b_service"))
        .then(pl.lit("service"))
        .when(host)
        .then(pl.lit("node_leaf"))
        .when(pl.col("b_tier") == _TIERS["core"])
        .then(pl.lit("spine_core"))
        .otherwise(pl.lit("leaf_spine"))
    )
    blank = {name: pl.when(pl.col(name) != "").then(name) for name in ("plane", "phase", "jumper", "rate_gbps")}
    rate = blank["rate_gbps"].cast(pl.Float64, strict=False)
    out = frame.select(
        pl.concat_str([pl.lit("link:"), "a_device", pl.lit("/"), text]).alias("link"),
        pl.coalesce(blank["plane"], "a_of_plane", pl.lit("fabric")).alias("plane"),
        kind.alias("kind"),
        "a_device",
        "a_port",
        "a_label",
        "b_device",
        "b_port",
        pl.when(host).then("b_nic").alias("b_nic"),
        "b_label",
        pl.col("a_called").alias("a_name"),
        pl.when(host).then(pl.concat_str(["b_called", "b_nic"], separator=" ")).otherwise("b_called").alias("b_name"),
        pl.coalesce(rate, pl.min_horizontal("a_speed", "b_speed")).alias("rate_gbps"),
        blank["phase"].alias("phase"),
        blank["jumper"].alias("jumper"),
    )
    return LINKS.conform(out.unique("link", keep="first", maintain_order=True).sort("link"))
