"""Tables of manifolds and fittings: heights and free ways, and every joint that is tightened, tested and signed for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.model.design import Design
from asbuilt.model.tables_cooling import FITTINGS, MANIFOLDS
from asbuilt.physics.pipe_sizes import SCHEDULE_10S, clear_mm
from asbuilt.plan.cooling.circuit import DIRECT

if TYPE_CHECKING:
    import polars as pl


def manifolds_table(design: Design, branches: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Table `MANIFOLDS`, one row for each rack of now. The rack's own connections are the maker's: null until given."""
    import polars as pl

    cooling, site = design.cooling, design.site
    outside = {size: walls[0] for size, walls in SCHEDULE_10S.items()}
    high = segments.group_by("loop").agg(
        pl.col("nominal").replace_strict(outside, return_dtype=pl.Float64).max().alias("outside_mm")
    )
    built = branches.filter("built").join(high, on="loop", how="left", maintain_order="left")
    under, top = cooling.header_underside_mm, cooling.rack_top_mm
    frame = built.select(
        pl.format("manifold:{}", pl.col("rack").str.strip_prefix("rack:")).alias("manifold"),
        "rack",
        "loop",
        pl.lit(under).alias("underside_mm"),
        pl.lit(top).alias("top_mm"),
        pl.lit(clear_mm(under, top)).alias("clearance_mm"),
        pl.lit(cooling.hose_bend_mm, dtype=pl.Float64).alias("bend_mm"),
        (pl.lit(site.tray_height_mm - under) - pl.col("outside_mm")).alias("above_mm"),
        pl.lit(site.rack_width_mm - cooling.connection_mm).alias("wrench_mm"),
        pl.lit(None, dtype=pl.Float64).alias("u"),
        "phase",
    )
    return MANIFOLDS.conform(frame.sort(MANIFOLDS.order))


def fittings_table(design: Design, branches: pl.DataFrame, segments: pl.DataFrame, cdus: pl.DataFrame) -> pl.DataFrame:
    """Table `FITTINGS` of the finished row: at each branch, at each end of a segment, at each CDU."""
    import polars as pl

    cooling = design.cooling
    hose = f"ID {cooling.hose_id_mm:g}"
    coupling = cooling.coupling
    size = coupling.part if coupling else hose
    shut = [s for s in ("supply", "return") if s in cooling.valves.split("+")]
    at_branch = [(f"coupling-{s}", "coupling", size) for s in ("supply", "return")]
    at_branch += [(f"valve-{s}", "valve", hose) for s in shut]
    at_branch += [(f"clamp-{s}-{end}", "clamp", hose) for s in ("supply", "return") for end in ("header", "rack")]
    at_branch += [("drain", "drain", "DN15")] if len(shut) == 2 else []
    parts = [
        _each(branches.select(at="branch", loop="loop", phase="phase"), at_branch),
        segments.select(
            pl.format("fitting:{}/flange", "segment").alias("fitting"),
            pl.col("segment").alias("at"),
            "loop",
            pl.lit("flange").alias("kind"),
            pl.col("nominal").alias("size"),
            "phase",
        ),
        _vents(cooling.topology, segments),
    ]
    if cdus.height:
        mains = segments.filter((pl.col("number") == 1) & (pl.col("side") == "supply")).select("loop", main="nominal")
        own = cdus.select(at="cdu", loop="loop", phase="phase").join(mains, on="loop", how="left", maintain_order="left")
        at_cdu = [("flange-supply", "flange", ""), ("flange-return", "flange", ""), ("strainer", "strainer", "")]
        at_cdu += [("gauge-supply", "gauge", "DN15"), ("gauge-return", "gauge", "DN15"), ("drain", "drain", "DN15")]
        listed = _each(own, at_cdu)
        parts.append(
            listed.with_columns(pl.when(pl.col("size") == "").then("main").otherwise("size").alias("size")).drop("main")
        )
    columns = ["fitting", "at", "loop", "kind", "size", "phase"]
    frame = pl.concat([p.select(columns) for p in parts]).with_columns(*_signed(design))
    return FITTINGS.conform(frame.sort(FITTINGS.order))


def _each(at: pl.DataFrame, listed: list[tuple[str, str, str]]) -> pl.DataFrame:
    """Every one of ``listed`` (name, kind, size) at every one of ``at``."""
    import polars as pl

    names = pl.DataFrame(listed, schema={"name": pl.String, "kind": pl.String, "size": pl.String}, orient="row")
    return at.join(names, how="cross").with_columns(pl.format("fitting:{}/{}", "at", "name").alias("fitting")).drop("name")


def _vents(topology: str, segments: pl.DataFrame) -> pl.DataFrame:
    """An automatic vent at the far end of supply and return of every loop, the highest and last place that air finds."""
    import polars as pl

    far = segments.filter(pl.col("number") == pl.col("number").max().over("loop"))
    if topology != DIRECT:  # the return's far end is where it turns home
        far = far.sort("segment")
    return far.select(
        pl.format("fitting:{}/vent", "segment").alias("fitting"),
        pl.col("segment").alias("at"),
        "loop",
        pl.lit("vent").alias("kind"),
        pl.lit("DN15").alias("size"),
        "phase",
    )


def _signed(design: Design) -> list[pl.Expr]:
    """Torque, tolerance, working pressure and source by kind; null where nobody has said them."""
    import polars as pl

    cooling = design.cooling
    kind = pl.col("kind")
    said = {j.kind: j for j in cooling.joints}
    torques = {"clamp": cooling.clamp_torque_nm, "flange": cooling.flange_torque_nm}
    torques |= {k: j.torque_nm for k, j in said.items() if j.torque_nm is not None}
    tolerances = {k: said[k].torque_percent if k in said else None for k in torques}
    tolerances = {k: cooling.torque_percent if v is None else v for k, v in tolerances.items()}
    torque = _by(kind, torques)
    coupling, unit = cooling.coupling, cooling.unit
    pressures = {"clamp": cooling.hose_working_kpa} | {k: j.working_kpa for k, j in said.items() if j.working_kpa is not None}
    published = {"coupling": coupling.working_kpa if coupling else None}
    own, of_coupling = _by(kind, pressures), _by(kind, published)
    at_cdu = pl.col("at").str.starts_with("cdu:")
    of_cdu = pl.when(at_cdu).then(pl.lit(unit.working_kpa if unit else None, dtype=pl.Float64))
    source = (
        pl.when(torque.is_not_null() | own.is_not_null())
        .then(pl.lit("declared"))
        .when(at_cdu & of_cdu.is_not_null())
        .then(pl.lit(f"cooling/{unit.part} secondary_max_kpa" if unit else ""))
        .when(of_coupling.is_not_null())
        .then(pl.lit(coupling.source if coupling else ""))
    )
    return [
        torque.alias("torque_nm"),
        pl.when(torque.is_not_null()).then(_by(kind, tolerances)).alias("torque_percent"),
        pl.coalesce(own, of_cdu, of_coupling).alias("working_kpa"),
        source.alias("source"),
    ]


def _by(kind: pl.Expr, figures: dict[str, float | None]) -> pl.Expr:
    """The figure of each kind; null where there is none."""
    import polars as pl

    known = {k: v for k, v in figures.items() if v is not None}
    return kind.replace_strict(known, default=None, return_dtype=pl.Float64)
