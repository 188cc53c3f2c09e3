"""The front panel of each tier of switches: every port with its label, whether a cable is planned in it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts.netbox_kinds import interface_type
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: Between a part and the tier that sets a device type of it apart.
TIER = "|"
_TIERS = ("leaf", "spine", "core")


def layouts(plan: Plan) -> pl.DataFrame:
    """``plane role model type port label kind rate_gbps``: one row per port of each tier.

    ``port`` is the protocol number, ``kind`` NetBox's interface type. ``type`` is the model, with the tier behind `TIER` where
    tiers of one model have other ports (some are split). A plan without a design knows only the ports in its links.
    """
    import polars as pl

    switches = plan.table("switches").select("plane", "role", "model").unique().sort("plane", "role", "model")
    frames = [_tier(plan, *row) for row in switches.rows()]
    schema = {
        "plane": pl.String,
        "role": pl.String,
        "model": pl.String,
        "port": pl.Int64,
        "label": pl.String,
        "kind": pl.String,
        "rate_gbps": pl.Float64,
    }
    frame = pl.concat([pl.DataFrame(schema=schema), *frames])
    of_tier = pl.concat_str(["port", "label", "kind"], separator=" ").sort().str.join("\n")
    panels = frame.group_by("plane", "role", "model").agg(of_tier.alias("panel"))
    kinds = panels.group_by("model").agg(pl.col("panel").n_unique().alias("kinds"))
    tier = pl.concat_str(["model", pl.lit(TIER), "plane", pl.lit(" "), "role"])
    named = panels.join(kinds, on="model").select(
        "plane", "role", "model", pl.when(pl.col("kinds") > 1).then(tier).otherwise("model").alias("type")
    )
    return frame.join(named, on=["plane", "role", "model"], how="left", maintain_order="left")


def _tier(plan: Plan, plane: str, role: str, model: str) -> pl.DataFrame:
    """The ports of one tier: those of its design, and any further one that a link names."""
    import polars as pl

    told = _linked(plan, plane, role, model)
    design = plan.design.plane(plane) if plan.design else None
    tier = dict(zip(_TIERS, (design.leaf, design.spine, design.core), strict=True)).get(role) if design else None
    rate = told["rate_gbps"].max()
    if design is not None and tier is not None:
        from asbuilt.plan.links import front_labels

        labels = front_labels(tier, design.technology)
        every = pl.DataFrame(
            {"port": range(1, len(labels)), "label": labels[1:]}, schema={"port": pl.Int64, "label": pl.String}
        )
        told = pl.concat([told.select("port", "label"), every]).unique("port", keep="first").sort("port")
        rate = tier.rate_gbps
    technology = design.technology if design else None
    cage, lane = _traits(plan, model)
    kind = interface_type(technology, float(rate) if isinstance(rate, (int, float)) else None, cage, lane)
    return told.select(
        pl.lit(plane).alias("plane"),
        pl.lit(role).alias("role"),
        pl.lit(model).alias("model"),
        "port",
        "label",
        pl.lit(kind).alias("kind"),
        pl.lit(rate, dtype=pl.Float64).alias("rate_gbps"),
    )


def _linked(plan: Plan, plane: str, role: str, model: str) -> pl.DataFrame:
    """``port label rate_gbps`` of the ports of a tier that links end in."""
    import polars as pl

    mine = plan.table("switches").filter((pl.col("plane") == plane) & (pl.col("role") == role) & (pl.col("model") == model))
    keys = mine["switch"].implode()
    links = plan.links
    ends = [
        links.filter(pl.col(f"{s}_device").is_in(keys)).select(
            pl.col(f"{s}_port").alias("port"), pl.col(f"{s}_label").alias("label"), "rate_gbps"
        )
        for s in "ab"
    ]
    return pl.concat(ends).unique("port", keep="first", maintain_order=True).sort("port")


def _traits(plan: Plan, model: str) -> tuple[str | None, float | None]:
    """Cage and lane rate (Gb/s) of a part, as far as the plan knows."""
    import polars as pl

    if not plan.has("parts"):
        return None, None
    rows = plan.table("parts").filter(pl.col("part") == model).select("form_factor", "lane_gbps").rows()
    return rows[0] if rows else (None, None)
