"""Labels, port maps, and the line that no cable of the field crosses: the copper of an NVLink domain."""

from __future__ import annotations

import polars as pl

from asbuilt.checks.answers import judge, nothing, once
from asbuilt.checks.cabling_plant_trunks import trunk_ends
from asbuilt.checks.registry import check
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.physics.labels import BETWEEN_ENDS, are_pair
from asbuilt.plan.label_items import CABLE, cables
from asbuilt.plan.labels import pulled

_NVLINK = "nvlink-switch"
_IDS = ("a_id", "b_id")


@once
def ends_of_cables(plan: Plan) -> pl.DataFrame:
    """Everything that is pulled with the identifiers of both ends, ``a_id`` and ``b_id``."""
    return pulled(plan)


@check("CAB-030", layer=Layer.FACILITY, severity=Severity.BLOCKER, needs=("rack_slots",), since="0.1")
def no_cable_enters_an_nvlink_domain(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No trunk, jumper, cord or label of the plan ends at the NVLink switches of a rack.

    Why: the copper between GPUs and NVLink switches is built into the rack and tested by its maker; a field cable there voids
    that, and errors of NVLink are never mended by touching fibre.
    Measured by: both ends of everything that is pulled against the NVLink trays in plan table `rack_slots`.
    Repair: take the cable out of the plan, or correct its end.
    Source: NVIDIA DGX GB200 and GB300 hardware guides: cartridges are factory parts.
    """
    trays = plan.table("rack_slots").filter(pl.col("kind") == _NVLINK)
    if trays.is_empty():
        return nothing("no rack of the plan has NVLink switches")
    inside = pl.concat([trays["slot"], trays["device"]]).unique().implode()
    rows = cables(plan).filter(pl.col("crew") == CABLE)
    ends = [pl.col(f"{end}_key").is_in(inside) for end in ("a", "b")]
    return judge(
        rows,
        subject=pl.col("item"),
        ok=~(ends[0] | ends[1]).fill_null(False),
        expected=pl.lit("no end at an NVLink switch"),
        found=pl.format("{} from {} to {}", "kind", pl.col("a_key"), pl.col("b_key")),
    )


@check("CAB-031", layer=Layer.FACILITY, needs=("racks", "jumpers"), since="0.1")
def every_end_has_a_label(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Both ends of everything that is pulled stand at a known place, so that both have a label.

    Why: labels go on before the cable is pulled; an end without a place gets none, and is traced by hand afterwards.
    Measured by: identifiers made from the plan's tables; ends at panels without a rack unit are CAB-005's.
    Repair: correct the name of the device, or give it a rack and a unit.
    Source: ANSI/TIA-606-C: an identifier at both ends.
    """
    rows = ends_of_cables(plan)
    homeless = (
        plan.table("panels").filter(pl.col("u").is_null())["panel"] if plan.has("panels") else pl.Series([], dtype=pl.String)
    )
    for end in ("a", "b"):
        rows = rows.with_columns(pl.col(f"{end}_key").is_in(homeless.implode()).fill_null(False).alias(f"{end}_homeless"))
    lost = [
        pl.when(pl.col(f"{end}_id").is_null() & ~pl.col(f"{end}_homeless")).then(pl.col(f"{end}_key")) for end in ("a", "b")
    ]
    rows = rows.with_columns(lost=pl.concat_str([pl.coalesce(*lost), pl.lit(" stands nowhere")]))
    return judge(
        rows,
        subject=pl.col("item"),
        ok=pl.col("lost").is_null(),
        expected=pl.lit("a rack and a unit at both ends"),
        found=pl.col("lost"),
    )


@check("CAB-032", layer=Layer.FACILITY, needs=("racks", "jumpers"), since="0.1")
def no_two_labels_read_the_same(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every label of a cable end is unlike all others.

    Why: two cables with one name are one cable on paper: the wrong one is tested, moved and pulled out.
    Measured by: the texts made from the plan's tables.
    Repair: correct the end of one of the two; or the port name, when two ports read alike.
    Source: ANSI/TIA-606-C: identifiers are unique.
    """
    near = ends_of_cables(plan).filter(pl.col("a_id").is_not_null() & pl.col("b_id").is_not_null())
    text = pl.concat_str(["a_id", "b_id"], separator=BETWEEN_ENDS)
    named = near.select("item", text=text)
    alike = named.filter(pl.col("text").is_duplicated()).sort("item").group_by("text", maintain_order=True)
    told = alike.agg(held=pl.col("item").str.join(", "), count=pl.len())
    single = named.filter(pl.col("text").is_unique()).select("text", held=pl.col("item"), count=pl.lit(1, dtype=pl.UInt32))
    return judge(
        pl.concat([told.with_columns(pl.col("count").cast(pl.UInt32)), single]),
        subject=pl.format("label:{}", "text"),
        ok=pl.col("count") == 1,
        expected=pl.lit("one cable"),
        found=pl.col("held"),
    )


@check("CAB-033", layer=Layer.FACILITY, needs=("racks", "jumpers"), since="0.1")
def labels_read_back(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Each label reads back as own end and far end, and those of one cable are each other with the halves swapped.

    Why: the gate before pulling compares the scans of both ends; a label that cannot be taken apart opens it for no cable.
    Measured by: each shape of the texts made from the plan's tables, taken apart again.
    Repair: rack names without `/` and `:`, which part the ends and the port.
    Source: ANSI/TIA-606-C and ISO/IEC TR 14763-2-1: near and far end with `/` between.
    """
    known = ends_of_cables(plan).filter(pl.col("a_id").is_not_null() & pl.col("b_id").is_not_null())
    if known.is_empty():
        return nothing("nothing is pulled")
    # What a label is made of is read by its signs: digits are all alike, and a hall has few shapes.
    ids = known.select("item", "a_id", "b_id", *(pl.col(i).str.replace_all(r"\d+", "1").alias(f"{i}_shape") for i in _IDS))
    kinds = ids.select("a_id_shape", "b_id_shape").unique()
    shapes = kinds.iter_rows()
    good = [are_pair(f"{a}{BETWEEN_ENDS}{b}", f"{b}{BETWEEN_ENDS}{a}") for a, b in shapes]
    rows = ids.join(kinds.with_columns(pl.Series("good", good, dtype=pl.Boolean)), on=["a_id_shape", "b_id_shape"], how="left")
    return judge(
        rows,
        subject=pl.col("item"),
        ok=pl.col("good"),
        expected=pl.lit("two ends with one / between"),
        found=pl.concat_str(_IDS, separator=BETWEEN_ENDS),
    )


@check("CAB-034", layer=Layer.FACILITY, severity=Severity.MINOR, needs=("panels", "trunks", "racks"), since="0.1")
def panels_follow_the_hall(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Positions of a rack's panels lead to the other racks in the order in which these stand: own row, then row by row.

    Why: so rows of one pattern have one port map, a crew that did one row can do the next, and rows that are added behind
    take the positions behind.
    Measured by: far ends in plan table `trunks`, position by position, for each rack and medium.
    Repair: exchange the positions of the trunks named.
    Source: project field rule: the same port map in each row.
    """
    places = plan.table("racks").select("rack", "row", "position")
    rank = places.select(pl.col("row").unique()).sort(pl.col("row").str.len_chars(), "row").with_row_index("line")
    places = places.join(rank, on="row").select("rack", place="position", line=pl.col("line").cast(pl.Int64))
    seats = _seats(plan, places).sort("rack", "medium", "number", "position")
    before = [pl.col(c).shift().over("rack", "medium") for c in ("off", "far_place")]
    later = (pl.col("off") > before[0]) | ((pl.col("off") == before[0]) & (pl.col("far_place") >= before[1]))
    wrong = seats.with_columns(good=later.fill_null(True)).group_by("rack", "medium", maintain_order=True)
    rows = wrong.agg(
        good=pl.col("good").all(),
        twice=pl.struct("number", "position").is_duplicated().any(),
        first=pl.col("trunk").filter(~pl.col("good")).first(),
    )
    return judge(
        rows,
        subject=pl.format("{}/{}", "rack", "medium"),
        ok=pl.col("good"),
        applies=~pl.col("twice"),
        expected=pl.lit("far racks in the order in which they stand"),
        found=pl.format("{} out of its order", "first"),
    )


def _seats(plan: Plan, places: pl.DataFrame) -> pl.DataFrame:
    """One row per end of each trunk: ``rack medium number position trunk`` and where the other end is, ``off`` rows away."""
    panels = plan.table("panels").select("panel", "rack", "medium", "number")
    ends = trunk_ends(plan).join(panels, on="panel")
    far = ends.join(ends.select("trunk", far_panel="panel", far_rack="rack"), on="trunk").filter(
        pl.col("panel") != pl.col("far_panel")
    )
    there = places.select(far_rack="rack", far_place="place", far_line="line")
    joined = far.join(places.select("rack", "line"), on="rack").join(there, on="far_rack")
    return joined.with_columns(off=pl.col("far_line") - pl.col("line"))
