"""What stands around the subject of a verdict on cooling: the columns that causes and ways out are worded with."""

from __future__ import annotations

import polars as pl

from asbuilt.model.plan import Plan
from asbuilt.physics.pipe_sizes import SIZES, inside_mm
from asbuilt.physics.pipes import least_inside_mm
from asbuilt.plan.cooling import remedies
from asbuilt.plan.cooling.remedies import Remedy

Rows = pl.DataFrame
#: Changes that a finding names, the smallest first.
_REMEDIES = 3


def of_loop(plan: Plan, rows: Rows) -> Rows:
    """Subject is a loop: adds ``row header racks racks_full cdu`` and ``design_l_min``, the design flow of all its racks."""
    loops = plan.table("loops").select("row", "header", "racks", "racks_full", subject="loop")
    joined = rows.join(loops, on="subject", how="left").join(_cdu_parts(plan), on="subject", how="left")
    if not plan.has("branches"):
        return joined.with_columns(pl.lit(None, dtype=pl.Float64).alias("design_l_min"))
    asked = plan.table("branches").group_by(subject="loop").agg(pl.col("design_l_min").sum().round(1))
    return joined.join(asked, on="subject", how="left")


def _cdu_parts(plan: Plan) -> Rows:
    if not plan.has("cdus"):
        return pl.DataFrame(schema={"subject": pl.String, "cdu": pl.String})
    return plan.table("cdus").group_by(subject="loop").agg(pl.col("part").unique().sort().str.join(", ").alias("cdu"))


def of_header(plan: Plan, rows: Rows) -> Rows:
    """Subject is a loop whose header is too small: adds to `of_loop` what the header carries and what would.

    ``segment``: the worst. ``size``: the smallest header that is wide enough for it; empty if none is. ``carries``: racks
    that the planned header carries. ``already``: those of now are too many. Of all loops with that header: ``fastest`` and
    ``fastest_now`` in m/s, and ``most``, the racks of now on one of them. ``remedy_1`` to ``remedy_3``: as `with_remedies`.
    """
    joined = with_remedies(plan, of_loop(plan, rows))
    limit = _limit(plan, "COO-001")
    segments = plan.table("loop_segments").sort(
        "loop", pl.col("velocity_m_s").round(2), "number", "segment", descending=[False, True, False, True]
    )
    worst = segments.unique("loop", keep="first", maintain_order=True).select(
        "segment", "flow_l_min", "flow_now_l_min", "velocity_m_s", subject="loop"
    )
    joined = joined.join(worst, on="subject", how="left")
    sizes = [_size(flow, limit) for flow in joined["flow_l_min"].to_list()]
    share = pl.lit(limit) / pl.col("velocity_m_s")
    now = pl.col("velocity_m_s") * pl.col("flow_now_l_min") / pl.col("flow_l_min")
    return joined.with_columns(
        pl.Series("size", sizes, dtype=pl.String),
        (pl.col("racks_full") * share).floor().cast(pl.Int64).alias("carries"),
        (now > limit).alias("already"),
        pl.col("racks").max().over("header").alias("most"),
        pl.col("velocity_m_s").max().over("header").round(2).alias("fastest"),
        now.max().over("header").round(2).alias("fastest_now"),
        pl.lit(limit).alias("allowed"),
    ).drop("flow_l_min", "flow_now_l_min", "velocity_m_s")


def of_spread(plan: Plan, rows: Rows) -> Rows:
    """Subject is a loop whose racks get too unlike flows: `of_loop` with `with_remedies`."""
    return with_remedies(plan, of_loop(plan, rows))


def with_remedies(plan: Plan, rows: Rows) -> Rows:
    """Adds ``remedy_1`` to ``remedy_3``: changes that mend the header, one of each kind, the smallest first, in words.

    Each was tried on the loop's own numbers, and says what comes of it and where the requirement states it. Empty where the
    plan has no design to try it on.
    """
    found: dict[str, list[str]] = {}
    if plan.design is not None and plan.has("racks"):
        for tried in remedies.verdicts(plan.design, plan.table("racks")):
            first = tried.smallest
            kinds = {r.kind: r for r in reversed((*([first] if first else []), *tried.remedies))}
            listed = sorted(kinds.values(), key=lambda r: (r is not first, tried.remedies.index(r)))
            found[tried.loop] = [f"{r.says()}{_aside(r)}: {_stated(r)}" for r in listed[:_REMEDIES]]
    loops = rows["subject"].to_list()
    columns = [
        pl.Series(f"remedy_{i + 1}", [dict(enumerate(found.get(loop, []))).get(i, "") for loop in loops], dtype=pl.String)
        for i in range(_REMEDIES)
    ]
    return rows.with_columns(columns)


def _aside(remedy: Remedy) -> str:
    if remedy.cdu_ok is None:
        return ", where the CDU is not proven"
    return "" if remedy.cdu_ok else ", still too much for the CDU"


def _stated(remedy: Remedy) -> str:
    """Where the requirement states a change."""
    return {
        remedies.FIRST_SEGMENTS: f"`cooling.header_first: {remedy.size}`, `cooling.header_first_racks: {remedy.segments}`",
        remedies.HEADER: f"`cooling.header: {remedy.size}`",
        remedies.SECOND_CDU: f"`cooling.racks_per_loop: {remedy.racks}`",
        remedies.SUPPLY: f"`site.coolant_supply_c: {remedy.supply_c:g}`",
        remedies.REVERSE_RETURN: "`cooling.topology: reverse-return`",
    }[remedy.kind]


def _limit(plan: Plan, check_id: str) -> float:
    rows = plan.table("expectations").filter((pl.col("check_id") == check_id) & (pl.col("selector") == "*"))
    return float(rows["value"].item(0))


def _size(flow_l_min: float, limit: float) -> str:
    least = least_inside_mm(flow_l_min, limit)
    return next((size for size in SIZES if inside_mm(size) >= least), "")


def of_branch(plan: Plan, rows: Rows) -> Rows:
    """Subject is a branch: adds ``rack loop hose_id_mm coupling valves``."""
    branches = plan.table("branches").select("rack", "loop", "hose_id_mm", "coupling", "valves", subject="branch")
    return rows.join(branches, on="subject", how="left").with_columns(pl.col("coupling").fill_null("unnamed"))


def of_cdu(plan: Plan, rows: Rows) -> Rows:
    """Subject is a CDU: adds ``loop part``."""
    return rows.join(plan.table("cdus").select("loop", "part", subject="cdu"), on="subject", how="left")


def of_manifold(plan: Plan, rows: Rows) -> Rows:
    """Subject is a manifold: adds ``rack loop bend_mm``."""
    return rows.join(plan.table("manifolds").select("rack", "loop", "bend_mm", subject="manifold"), on="subject", how="left")


def of_low(plan: Plan, rows: Rows) -> Rows:
    """Subject is a manifold that hangs too low: adds to `of_manifold` ``short``, by how much, in mm."""
    unit = pl.lit(_limit(plan, "COO-031"))
    short = pl.max_horizontal(unit, "bend_mm") - pl.col("clearance_mm")
    held = plan.table("manifolds").select(short.round(1).alias("short"), subject="manifold")
    return of_manifold(plan, rows).join(held, on="subject", how="left")


def of_row(plan: Plan, rows: Rows) -> Rows:
    """Subject is a row: adds ``row``."""
    return rows.with_columns(pl.col("subject").str.strip_prefix("row:").alias("row"))


def of_floor(plan: Plan, rows: Rows) -> Rows:
    """Subject stands on the floor: adds ``kind weight_kg name``."""
    return rows.join(plan.table("floor").select("kind", "weight_kg", "name", subject="object"), on="subject", how="left")
