"""The plan of every InfiniBand subnet: the eight tables of `model/tables_subnet.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import Design
from asbuilt.model.tables_subnet import SUBNET_TABLES
from asbuilt.plan.links import Devices
from asbuilt.plan.ports import Network
from asbuilt.plan.subnet_engine import engine_of
from asbuilt.plan.subnet_guids import DeclaredGuids
from asbuilt.plan.subnet_lanes import arbitration_table, lanes_of, levels_table
from asbuilt.plan.subnet_lids import lay_out
from asbuilt.plan.subnet_managers import managers_table
from asbuilt.plan.subnet_partitions import members_table, partitions, partitions_table
from asbuilt.plan.subnet_ports import lids_table, ranges_table
from asbuilt.plan.subnet_scene import Scene, scenes
from asbuilt.plan.subnet_settings import Able, Said, settings_table

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.catalogue.load import Catalogue


def subnet_tables(
    design: Design,
    catalogue: Catalogue,
    net: Network,
    devices: Devices,
    nodes: pl.DataFrame,
    links: pl.DataFrame,
    declared: DeclaredGuids | None = None,
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The tables of `SUBNET_TABLES`, and warnings. All empty where no plane is InfiniBand.

    Raises ``ProblemError`` PLN-010 (LIDs do not fit), PLN-011 (GUID list), PLN-012 (tenants), PLN-013 (manager hosts),
    PLN-014 (a subnet of the requirement that the plan does not have).
    """
    found = scenes(design, net)
    _refuse_unknown(design, found)
    if not found:
        return {s.name: s.empty() for s in SUBNET_TABLES}, []
    laid = [(scene, lay_out(scene)) for scene in found]
    lanes = [(scene, lanes_of(scene)) for scene in found]
    lids = lids_table(laid, devices, declared)
    managers, warnings = managers_table(list(found), lids, nodes, links)
    parts = [(scene, partitions(design, scene, lane)) for scene, lane in lanes]
    standing = managers.join(nodes.select("node", "rack"), on="node", how="left").group_by("subnet", maintain_order=True)
    held = {str(subnet): tuple(rows["rack"].to_list()) for (subnet,), rows in standing}
    said = [
        Said(scene, layout, lane, engine_of(scene), _able(scene, catalogue), held.get(scene.name, ()))
        for (scene, layout), (_, lane) in zip(laid, lanes, strict=True)
    ]
    tables = {
        "subnet_settings": settings_table(said),
        "lid_ranges": ranges_table(laid, lids),
        "lids": lids,
        "partitions": partitions_table(parts),
        "partition_members": members_table(design, parts, lids, managers, nodes),
        "service_levels": levels_table(lanes),
        "vl_arbitration": arbitration_table(lanes),
        "subnet_managers": managers,
    }
    return tables, warnings


def _models(scene: Scene) -> list[str]:
    return sorted({crew.tier(int(role)).switch for crew in scene.crews for role in set(crew.role.tolist())})


def _able(scene: Scene, catalogue: Catalogue) -> Able:
    """SHARP and adaptive routing need every switch: the catalogue's ``sharp``, and a Quantum ASIC."""
    parts = [catalogue.get("switch", model) for model in _models(scene)]
    no_sharp = [p.id for p in parts if not p.has("sharp")]
    no_adaptive = [p.id for p in parts if not str(p.value("asic", "")).startswith("Quantum")]
    return Able(not no_sharp, not no_adaptive, ", ".join(sorted({*no_sharp, *no_adaptive})))


def _refuse_unknown(design: Design, found: tuple[Scene, ...]) -> None:
    known = [*dict.fromkeys(name for scene in found for name in (scene.base, scene.name))]
    problems = []
    for name in design.requirement.subnets:
        if name not in known:
            told = "; there is no InfiniBand subnet" if not known else f"; there are: {', '.join(known)}"
            fix = nearest(name, known, "did you mean ") or "name it as `planes.<plane>.subnet` does, or delete it"
            what = f"subnets.{name}: no plane of this plan is in a subnet of that name{told}"
            problems.append(Problem("PLN-014", what, why="what it says would be ignored", fix=fix))
    for scene in found:
        own = design.requirement.subnets.get(scene.name)
        if own is not None and scene.name != scene.base and own.lmc is not None:
            what = f"subnets.{scene.name}.lmc: islands and subplanes of {scene.base} have one LMC"
            why = "how many nodes an island holds follows from it; here it would be ignored"
            problems.append(Problem("PLN-014", what, why=why, fix=f"state it as `subnets.{scene.base}.lmc`"))
    if problems:
        raise ProblemError(problems)
