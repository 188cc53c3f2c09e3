"""What ports answer to a subnet manager's questions: ``smpquery`` of partitions, lanes, arbitration and port state.

Every answer stands behind the command that asked for it, by LID, in the line forms of infiniband-diags 44.0. Each function
takes ``ports`` (lid, number and what it names) and returns the frame lid, number, text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: Entries of a NIC port's partition table that are printed, in rows of 8.
CAPACITY, ROW = 128, 8
HEADING = "#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|"
MEMBER = 0x8000
#: Signalling rate of one lane as the tools print it, in Gb/s (IBTA link speeds).
SIGNALLING = {"FDR": "14.0625", "EDR": "25.78125", "HDR": "53.125", "NDR": "106.25", "XDR": "212.5"}


def partition_texts(ports: pl.DataFrame, members: pl.DataFrame, limited: list[str]) -> pl.DataFrame:
    """``smpquery pkeys`` of end ports (column port). Those in ``limited`` have lost their membership bits."""
    import polars as pl

    entry = pl.col("entry")
    held = members.filter(pl.col("port").is_in(ports["port"].implode())).with_columns(
        pl.when(pl.col("port").is_in(limited)).then(entry.mod(MEMBER)).otherwise(entry).alias("entry")
    )
    words = {int(e): f"0x{int(e):04x}" for e in held["entry"].unique()}
    cells = held.with_columns(pl.col("entry").replace_strict(words, return_dtype=pl.String).alias("word"))
    kinds = (
        cells.sort("port", "index")
        .group_by("port", maintain_order=True)
        .agg(pl.format("{}:{}", "index", "word").str.join(" ").alias("kind"))
    )
    texts = {kind: _table(kind) for kind in ["", *kinds["kind"].unique()]}
    frame = ports.join(kinds, on="port", how="left").with_columns(pl.col("kind").fill_null(""))
    body = pl.col("kind").replace_strict(texts, return_dtype=pl.String)
    return frame.select("lid", "number", pl.format("$ smpquery pkeys {} {}\n{}", "lid", "number", body).alias("text"))


def _table(kind: str) -> str:
    """The rows of one partition table: ports with equal tables share the text."""
    cells = ["0x0000"] * CAPACITY
    for word in kind.split():
        index, entry = word.split(":")
        cells[int(index)] = entry
    rows = [f"{at:4d}: {' '.join(cells[at : at + ROW])}\n" for at in range(0, CAPACITY, ROW)]
    return "".join(rows) + f"{CAPACITY} pkeys capacity for this port\n"


def lane_texts(ports: pl.DataFrame, levels: pl.DataFrame) -> pl.DataFrame:
    """``smpquery sl2vl``: of a NIC port one row, of a switch port one row for each input port (column inputs: 0 for a NIC)."""
    import polars as pl

    lanes = "|".join(f"{vl:2d}" for vl in levels.sort("sl")["vl"].to_list())
    kinds = ports.select("inputs", "number").unique()
    bodies = []
    for inputs, number in kinds.rows():
        out = number if inputs else 0
        bodies.append("".join(f"ports: in {i:2d}, out {out:2d}: |{lanes}|\n" for i in range(inputs + 1)))
    kinds = kinds.with_columns(pl.Series("body", bodies, dtype=pl.String))
    text = pl.format("$ smpquery sl2vl {} {}\n# SL2VL table: Lid {}\n{}\n{}", "lid", "number", "lid", pl.lit(HEADING), "body")
    return ports.join(kinds, on=["inputs", "number"], how="left").select("lid", "number", text.alias("text"))


def arbitration_texts(ports: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """``smpquery vlarb``. Tables are padded to 8 entries, as real ones are."""
    import polars as pl

    body = "".join(_arbitration(rows, word) for word in ("Low", "High"))
    head = "$ smpquery vlarb {} {}\n# VLArbitration tables: Lid {} port {} LowCap 8 HighCap 8\n{}"
    text = pl.format(head, "lid", "number", "lid", "number", pl.lit(body))
    return ports.select("lid", "number", text.alias("text"))


def _arbitration(rows: pl.DataFrame, word: str) -> str:
    import polars as pl

    held = rows.filter(pl.col("priority") == word.lower()).sort("index").select("vl", "weight").rows()
    held += [(0, 0)] * (ROW - len(held))
    lines = (f"# {word} priority VL Arbitration Table:", "VL    : |", "WEIGHT: |")
    vls = "".join(f"0x{vl:<2X}|" for vl, _ in held)
    weights = "".join(f"0x{weight:<2X}|" for _, weight in held)
    return f"{lines[0]}\n{lines[1]}{vls}\n{lines[2]}{weights}\n"


def state_texts(ports: pl.DataFrame, settings: dict[str, int]) -> pl.DataFrame:
    """``smpquery portinfo``. ``settings``: manager_lid, lanes (VLs), high_limit, mtu_bytes.

    ``ports`` has inputs (0 for a NIC port), lmc, state (`port_states`), width and speed word. Of a switch only port 0 has LIDs.
    """
    import polars as pl

    rates = {word: f"{gbps} Gbps" for word, gbps in SIGNALLING.items()}
    lines = (
        "$ smpquery portinfo {} {}", "# Port info: Lid {} port {}", "Mkey:............................<not displayed>",
        "GidPrefix:.......................0xfe80000000000000", "Lid:.............................{}",
        "SMLid:...........................{}", "LocalPort:.......................1",
        "LinkWidthActive:.................{}X",
        "LinkState:.......................{}", "PhysLinkState:...................LinkUp",
        "LMC:.............................{}", "NeighborMTU:.....................{}", "VLCap:...........................VL0-7",
        "VLHighLimit:.....................{}", "VLArbHighCap:....................8", "VLArbLowCap:.....................8",
        "MtuCap:..........................4096", "OperVLs:.........................VL0-{}",
        "LinkSpeedExtActive:..............{}",
    )  # fmt: skip
    active = pl.col("state") == "active"
    own = active & (pl.col("inputs") == 0)
    text = pl.format(
        "\n".join(lines) + "\n",
        "lid",
        "number",
        "lid",
        "number",
        pl.when(own).then("lid").otherwise(0),
        pl.when(own).then(pl.lit(settings["manager_lid"])).otherwise(0),
        "width",
        pl.when(active).then(pl.lit("Active")).otherwise(pl.lit("Initialize")),
        "lmc",
        pl.lit(settings["mtu_bytes"]),
        pl.lit(settings["high_limit"]),
        pl.lit(settings["lanes"] - 1),
        pl.col("speed").replace_strict(rates, default="No Extended Speed", return_dtype=pl.String),
    )
    return ports.select("lid", "number", text.alias("text"))
