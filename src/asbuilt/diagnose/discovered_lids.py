"""LIDs in a discovery that is the only capture of its subnet: told beside the plan's, judged by nothing.

A discovery alone is judged by its cables. The plan's LIDs are those of a manager that reads the planned guid2lid file; before
that one runs, or where a site keeps another manager, other LIDs are right as they are. So they are a note; FAB-010 judges them
where captures of ports (iblinkinfo, smpquery, ibstat) are given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from asbuilt.diagnose.links import Compared
from asbuilt.model.discovery import KIND, LID, OWN, SWITCH
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl


def discovered_lids(plan: Plan, facts: Facts, compared: Compared) -> tuple[str, ...]:
    """A note on how many switches have another LID than planned; none where all have theirs, or no dump is at hand.

    Switches of one ASIC alone, by their headers: a manager that gave them other LIDs gave ports others, too.
    """
    import polars as pl

    seen = facts.discovered
    if seen is None or not plan.has("lids"):
        return ()
    switches = np.flatnonzero(seen.devices[KIND] == SWITCH)
    switches = switches[np.argsort(seen.guids[seen.devices[OWN, switches]])]
    rows = np.flatnonzero(compared.measured.is_switch[: seen.devices.shape[1]])  # devices with a record come first, by GUID
    lids, number = seen.devices[LID, switches], compared.number[rows]
    told = pl.DataFrame({"row": number, "lid": lids}).filter((pl.col("lid") > 0) & (pl.col("row") < compared.names.height))
    keys = compared.names.select(pl.col("key").alias("device")).with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    joined = told.with_columns(pl.col("row").cast(pl.Int64)).join(keys, on="row", how="inner")
    joined = joined.join(_planned(plan), on="device", how="inner")
    off = joined.filter(pl.col("lid") != pl.col("want")).sort("device")
    if off.is_empty():
        return ()
    device, lid, want = off.select("device", "lid", "want").row(0)
    return (
        f"{off.height} of {joined.height} switches have another LID than planned ({device}: {lid}, planned is {want}): another "
        "manager gave them out, or one that does not read the planned guid2lid file; capture iblinkinfo to have LIDs judged",
    )


def _planned(plan: Plan) -> pl.DataFrame:
    """device and want: the planned LID of every switch of one ASIC."""
    import polars as pl

    ends = plan.table("lids").filter((pl.col("number") == 0) & pl.col("nic").is_null())
    return ends.filter(pl.len().over("device") == 1).select("device", pl.col("lid").alias("want"))
