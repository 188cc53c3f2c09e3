"""The text that `ibnetdiscover` prints, written from device and link rows.

Line forms as infiniband-diags prints them (and as ibsim reads them): GUIDs after ``=`` and in parentheses without
leading zeros, those in ``"S-..."`` with all 16 digits; LIDs and link words at the end of each port line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_LETTER = {"switch": "S", "ca": "H", "router": "R", "aggregation": "H"}
_WORD = {"switch": "Switch", "ca": "Ca", "router": "Rt", "aggregation": "Ca"}
_GUID_WORD = {"switch": "switchguid", "ca": "caguid", "router": "rtguid", "aggregation": "caguid"}
# The twin has no clock: equal plans give equal bytes.
_START = "#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"


def discovery_text(devices: pl.DataFrame, links: pl.DataFrame) -> bytes:
    """One dump from frames of the columns of `DEVICE_FACTS` and `LINK_FACTS` (``line`` gives the order of devices).

    The far side's LID is taken from the far side's own row; a link whose far side has none prints lid 0.
    """
    import polars as pl

    if not devices.height:
        return _START.encode()
    ranked = devices.sort("line").with_row_index("rank").with_columns(pl.col("rank").cast(pl.Int64))
    lines = pl.concat([_heads(ranked, links), _ports(ranked, links)]).sort("rank", "port")
    first = ranked.row(0, named=True)
    start = f"{_START}# Initiated from node {first['guid']} port {first['guid']}\n"
    body = "\n".join(lines["text"].to_list())
    return f"{start}{body}\n".encode()


def _short(name: str) -> pl.Expr:
    """A GUID column without its leading zeros, as ``%x`` prints it."""
    import polars as pl

    bare = pl.col(name).str.strip_chars_start("0")
    return pl.when(bare == "").then(pl.lit("0")).otherwise(bare)


def _hex(name: str) -> pl.Expr:
    """A small integer column as hexadecimal text without leading zeros (four digits at most)."""
    import polars as pl

    value = pl.col(name).fill_null(0)
    digits = [(value // 16**place) % 16 for place in (4, 3, 2, 1, 0)]
    words = [d.replace_strict({i: f"{i:x}" for i in range(16)}, return_dtype=pl.String) for d in digits]
    bare = pl.concat_str(words).str.strip_chars_start("0")
    return pl.when(bare == "").then(pl.lit("0")).otherwise(bare)


def _heads(ranked: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """The block that opens each device, as one text ending where its port lines begin (port 0 sorts it first)."""
    import polars as pl

    def word(table: dict[str, str]) -> pl.Expr:
        return pl.col("kind").replace_strict(table, return_dtype=pl.String)

    guid = _short("guid")
    paren = pl.when(pl.col("kind") == "switch").then(pl.concat_str([pl.lit("("), guid, pl.lit(")")])).otherwise(pl.lit(""))
    # A written plan (no subnet manager behind it) gives a switch no LID, and the tail of its line is absent.
    numbered = (pl.col("kind") == "switch") & pl.col("lid").is_not_null()
    tail = pl.when(numbered).then(pl.format(" enhanced port 0 lid {} lmc 0", "lid")).otherwise(pl.lit(""))
    text = '\nvendid=0x{}\ndevid=0x{}\nsysimgguid=0x{}\n{}=0x{}{}\n{}\t{} "{}-{}"\t\t# "{}"{}'
    ids = (_hex("vendor_id"), _hex("device_id"), _short("system_guid").fill_null("0"))
    line = (word(_WORD), pl.col("ports"), word(_LETTER), pl.col("guid"), pl.col("description"), tail)
    body = pl.format(text, *ids, word(_GUID_WORD), guid, paren, *line)
    return ranked.select("rank", pl.lit(0, dtype=pl.Int64).alias("port"), body.alias("text"))


def _ports(ranked: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """One text per port line, with the rank of its device."""
    import polars as pl

    own = ranked.select("guid", "rank", "kind", "ports", pl.col("lid").alias("switch_lid"))
    far = ranked.select(
        pl.col("guid").alias("peer_guid"), pl.col("kind").alias("far_kind"), pl.col("lid").alias("far_switch_lid")
    )
    far_row = links.select(
        pl.col("guid").alias("peer_guid"),
        pl.col("port").alias("peer_port"),
        pl.col("lid").alias("far_port_lid"),
        pl.col("port_guid").alias("far_port_guid"),
    )
    frame = (
        links.join(own, on="guid", how="inner")
        .join(far, on="peer_guid", how="left")
        .join(far_row, on=["peer_guid", "peer_port"], how="left")
    )
    from_switch = pl.col("kind") == "switch"
    far_is_switch = pl.col("peer_kind") == "switch"
    letter = pl.col("peer_kind").replace_strict(_LETTER, return_dtype=pl.String)
    far_lid = pl.when(far_is_switch).then("far_switch_lid").otherwise("far_port_lid").fill_null(0)
    own_paren = pl.when(from_switch).then(pl.lit("")).otherwise(pl.concat_str([pl.lit("("), _short("port_guid"), pl.lit(") ")]))
    far_guid = pl.when(from_switch).then(_short("port_guid")).otherwise(_short("far_port_guid"))
    far_paren = (
        pl.when(far_is_switch).then(pl.lit("")).otherwise(pl.concat_str([pl.lit("("), far_guid.fill_null("0"), pl.lit(") ")]))
    )
    own_lid = pl.when(from_switch).then(pl.lit("")).otherwise(pl.format("lid {} lmc 0 ", pl.col("lid").fill_null(0)))
    word = (
        pl.when(pl.col("width").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(" {}x{}", "width", pl.col("speed").fill_null("")))
    )
    peer = (letter, pl.col("peer_guid"), pl.col("peer_port"), far_paren)
    text = pl.format(
        '[{}]{}\t"{}-{}"[{}]{}\t\t# {}"{}" lid {}{}', "port", own_paren, *peer, own_lid, "peer_description", far_lid, word
    )
    return frame.select("rank", "port", text.alias("text"))
