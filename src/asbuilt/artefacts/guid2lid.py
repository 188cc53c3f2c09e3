"""OpenSM's guid2lid: the LIDs that the plan fixes, in the form in which OpenSM keeps them itself.

An entry is ``0x<port GUID> 0x<first LID> 0x<last LID>`` and an empty line. The file knows no comments, so a sidecar says
for every line which row of the plan it comes from. OpenSM takes it from its cache folder (``OSM_CACHE_DIR``) when
``honor_guid2lid_file`` is set, and drops an entry whose span does not fit the subnet's LMC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

FILE = "guid2lid"
TRACE = "TRACE.tsv"


def guid2lid(lids: pl.DataFrame) -> bytes:
    """The entries of one subnet's `lids`, sorted by GUID; an entry spans 2^LMC LIDs."""
    text = "".join(_entries(lids)["text"].to_list())
    return text.encode()


def trace(lids: pl.DataFrame) -> bytes:
    """Which row each line of guid2lid comes from: file, line, table, key, separated by tabs."""
    rows = _entries(lids)["trace"].to_list()
    return ("\n".join(["file\tline\ttable\tkey", *rows]) + "\n").encode()


def _entries(lids: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    hexadecimal = [f"0x{n:04x}" for n in range(1 << 16)]
    numbers = pl.DataFrame({"number": range(1 << 16), "hex": hexadecimal}, schema={"number": pl.Int64, "hex": pl.String})
    last = pl.col("lid") + (2 ** pl.col("lmc")).cast(pl.Int64) - 1
    spans = lids.sort("port_guid").with_columns(last.alias("last"), (2 * pl.int_range(pl.len()) + 1).alias("line"))
    spans = spans.join(numbers.rename({"number": "lid", "hex": "first_hex"}), on="lid", how="left", maintain_order="left")
    spans = spans.join(numbers.rename({"number": "last", "hex": "last_hex"}), on="last", how="left", maintain_order="left")
    return spans.select(
        pl.format("0x{} {} {}\n\n", "port_guid", "first_hex", "last_hex").alias("text"),
        pl.format("guid2lid\t{}\tlids\t{}", "line", "port").alias("trace"),
    )
