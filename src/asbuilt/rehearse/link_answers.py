"""What every port shows of its link: ``iblinkinfo``, NIC ports first, then every port of every switch, up or down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.rehearse.port_answers import SIGNALLING

if TYPE_CHECKING:
    import polars as pl

DOWN = '==(                Down/ Polling)==>             [  ] "" ( )'


def link_text(devices: pl.DataFrame, links: pl.DataFrame, asics: pl.DataFrame) -> bytes:
    """One report from frames of `DEVICE_FACTS` and `LINK_FACTS`; ports of a switch without a link are down and polling.

    ``asics`` (guid, first, last) are the ports of ASICs that have a part of their chassis's ports alone.
    """
    import polars as pl

    ranked = devices.sort("line").with_columns(
        pl.col("guid").alias("owner"), pl.when(pl.col("kind") == "switch").then(1).otherwise(0).alias("tier")
    )
    lids = ranked.select(pl.col("guid").alias("peer_guid"), pl.col("lid").alias("peer_switch_lid"))
    far = links.select(pl.col("guid").alias("peer_guid"), pl.col("port").alias("peer_port"), pl.col("lid").alias("peer_lid"))
    up = links.join(lids, on="peer_guid", how="left").join(far, on=["peer_guid", "peer_port"], how="left")
    switches = ranked.filter(pl.col("kind") == "switch")
    every = switches.select("guid", pl.int_ranges(1, pl.col("ports") + 1).alias("port")).explode("port")
    own = every.join(asics, on="guid", how="left", maintain_order="left")
    every = own.filter(pl.col("port").is_between("first", "last").fill_null(True)).select("guid", "port")
    hosts = up.filter(pl.col("guid").is_in(switches["guid"].implode()).not_()).select("guid", "port")
    ports = pl.concat([hosts, every.with_columns(pl.col("port").cast(pl.Int64))])
    frame = ports.join(up, on=["guid", "port"], how="left").join(
        ranked.select("guid", "line", "tier", "kind", "description", pl.col("lid").alias("own_lid")).rename({"line": "rank"}),
        on="guid", how="left",
    )  # fmt: skip
    rates = {word: f"{gbps} Gbps" for word, gbps in SIGNALLING.items()}
    pad = {"width": 4, "speed": 18}
    shown = (
        pl.format("{}X", "width").str.pad_start(pad["width"] - 1),
        pl.col("speed").replace_strict(rates, default="", return_dtype=pl.String).str.pad_start(pad["speed"]),
        pl.coalesce("peer_lid", "peer_switch_lid").cast(pl.String).str.pad_start(8),
        pl.col("peer_port").cast(pl.String).str.pad_start(5),
        pl.col("peer_description"),
    )
    state = pl.when((pl.col("lid") == 0) | (pl.coalesce("peer_lid", "peer_switch_lid") == 0)).then(pl.lit("Initialize"))
    link = pl.format('==( {} {} {}/  LinkUp)==>{}{}[  ] "{}" ( )', *shown[:2], state.otherwise(pl.lit("Active")), *shown[2:])
    before = pl.when(pl.col("tier") == 1).then(pl.lit(" " * 6)).otherwise(pl.format("      0x{}", "port_guid"))
    number = pl.col("own_lid").cast(pl.String)
    lid = pl.when(pl.col("tier") == 1).then(number.str.pad_start(6)).otherwise(number.str.pad_start(7))
    line = pl.format(
        "{}{}{}[  ] {}", before, lid, pl.col("port").cast(pl.String).str.pad_start(5),
        pl.when(pl.col("peer_guid").is_null()).then(pl.lit(DOWN)).otherwise(link),
    )  # fmt: skip
    switch, host = pl.format("Switch: 0x{} {}:", "guid", "description"), pl.format("CA: {}:", "description")
    head = pl.when(pl.col("tier") == 1).then(switch).otherwise(host)
    told = frame.with_columns(line.alias("text"), head.alias("head")).sort("tier", "rank", "port")
    blocks = told.group_by("guid", maintain_order=True).agg(pl.col("head").first(), pl.col("text").str.join("\n"))
    return "".join(blocks.select(pl.format("{}\n{}\n", "head", "text").alias("text"))["text"].to_list()).encode()
