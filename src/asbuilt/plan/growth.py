"""What the growth target asks of the planes that are built now: counted by laying out the target and comparing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design, PlaneDesign
from asbuilt.model.tables_design import GROWTH
from asbuilt.plan.shape import FabricShape, island_shapes

if TYPE_CHECKING:
    import polars as pl


def growth(design: Design, catalogue: Catalogue, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Table `GROWTH`: per plane and quantity what is built, what the target needs, and how many installed links move.

    Empty when the requirement names no target. The target is resolved like a requirement of its own, laid out with the
    same rules (`plan.shape`), and held against what is built: new leaves, spines and cores are growth; a link that must
    be pulled and plugged elsewhere is not. `moved_links` counts these, over all subplanes.
    """
    import polars as pl

    asked = design.requirement.growth
    rows: list[dict[str, Any]] = []
    if asked.gpus and asked.gpus > design.gpus:
        for plane in design.planes:
            if not plane.share:
                rows += _against_target(plane, _target_plane(design, plane, asked.gpus, catalogue))
    if asked.node_slots:
        rows += _leaf_slots(design, asked.node_slots, tables)
    frame = pl.DataFrame(rows, schema=GROWTH.polars()) if rows else GROWTH.empty()
    return GROWTH.conform(frame.sort("plane", "quantity"))


def _target_plane(design: Design, plane: PlaneDesign, gpus: int, catalogue: Catalogue) -> PlaneDesign | str:
    """The same plane resolved for ``gpus``, or why there is none."""
    from asbuilt.design.resolve import resolve

    grown = dataclasses.replace(design.requirement, gpus=gpus, growth=type(design.requirement.growth)(), phases=())
    try:
        return resolve(grown, catalogue).plane(plane.name) or "the plane is gone"
    except ProblemError as error:
        return error.problems.items[0].what


def _against_target(plane: PlaneDesign, target: PlaneDesign | str) -> list[dict[str, Any]]:
    def row(quantity: str, planned: int, wanted: int, moved: int, reason: str) -> dict[str, Any]:
        return {
            "plane": plane.name,
            "quantity": quantity,
            "planned": planned,
            "target": wanted,
            "moved_links": moved * plane.subplanes,
            "reason": reason,
        }

    now = island_shapes(plane)[0]
    node_links = plane.nodes * plane.rails
    if isinstance(target, str):
        return [row("node slots", plane.nodes, plane.nodes + 1, node_links, target)]
    try:
        then = island_shapes(target)[0]
    except ProblemError as error:
        return [row("node slots", plane.nodes, target.nodes, node_links, error.problems.items[0].what)]
    rows = []
    if (plane.nodes_per_leaf, plane.rails_per_leaf) != (target.nodes_per_leaf, target.rails_per_leaf):
        reason = f"a leaf serves {plane.nodes_per_leaf} nodes now and {target.nodes_per_leaf} then: node links move"
        rows.append(row("leaf slots", plane.nodes_per_leaf, target.nodes_per_leaf, node_links, reason))
    else:
        rows.append(row("leaf slots", plane.nodes_per_leaf, target.nodes_per_leaf, 0, "further blocks of leaves are added"))
    moved, reason = _restriped(now, then, plane)
    rows.append(row("spine striping", now.set_spines, then.set_spines, moved, reason))
    return rows


def _restriped(now: FabricShape, then: FabricShape, plane: PlaneDesign) -> tuple[int, str]:
    """Installed leaf uplinks that end elsewhere in the target, and what changes. Both shapes are of one island."""
    if not now.set_spines:
        return 0, "single leaves: uplinks are added when spines come"
    if now.kind == then.kind and now.set_spines == then.set_spines and now.set_leaves >= min(now.leaves, then.set_leaves):
        return 0, f"each leaf keeps its {plane.uplinks} uplinks over {now.set_spines} spines"
    keep_pair = min(now.leaf_to_spine, then.leaf_to_spine)
    kept = min(now.leaves, then.set_leaves or now.leaves) * min(now.set_spines, then.set_spines) * keep_pair
    moved = now.leaves * plane.uplinks - kept
    tiers = f"{now.kind} becomes {then.kind}: " if now.kind != then.kind else ""
    return moved, f"{tiers}uplinks of each leaf over {now.set_spines} spines now, {then.set_spines} then"


def _leaf_slots(design: Design, node_slots: int, tables: dict[str, pl.DataFrame]) -> list[dict[str, Any]]:
    """Free ports of the fullest compute leaf against what ``node_slots`` further nodes plug into one leaf."""
    import polars as pl

    if "port_budget" not in tables or "switches" not in tables:
        return []
    leaves = tables["port_budget"].join(
        tables["switches"].filter((pl.col("role") == "leaf") & ~pl.col("spare")).select("switch", "plane"), on="switch"
    )
    rows = []
    for plane in design.planes:
        held = leaves.filter(pl.col("plane") == plane.name)
        if plane.share or held.is_empty() or plane.name != "compute":
            continue
        room = int(held.select((pl.col("free") - pl.col("short")).min()).item())
        wanted = node_slots * plane.rails_per_leaf
        rows.append(
            {
                "plane": plane.name,
                "quantity": "leaf ports",
                "planned": max(0, room),
                "target": wanted,
                "moved_links": max(0, wanted - max(0, room)),
                "reason": f"{node_slots} further nodes want {wanted} ports of each leaf; the fullest has {max(0, room)} free",
            }
        )
    return rows
