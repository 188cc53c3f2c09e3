"""The closed form of ``asbuilt size``: a `Design` to the whole `Sizing`, in milliseconds from 8 to 1,048,576 GPUs.

Counts come from `fabric`, racks from `racks`, coolant and air from `heat`, storage rates from `storage`, the marks where
the answer changes character from `limits`, and what each figure is made of from `derivation`. The expansion in ``plan``
counts the same things from its tables and shares none of this code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.base.origin import Assumption, Citation, Confidence
from asbuilt.design.cages import guest_ports
from asbuilt.design.derivation import derive
from asbuilt.design.fabric import FabricCounts
from asbuilt.design.ledger import Ledger
from asbuilt.design.limits import limits_of
from asbuilt.design.totals import Totals, total
from asbuilt.model.design import Design, LinkCounts, PlaneDesign, Sizing, TierCounts

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue


def sizing(design: Design, catalogue: Catalogue) -> Sizing:
    """`Sizing` of ``design``. Units: kW, kg, GB/s (10^9), TB (10^12), L/min, m³/h; counts are whole numbers.

    ``it_kw`` is the nameplate of nodes, switches and storage arrays. Raises ``ProblemError`` CAT-002 when a part that
    the design names is not in ``catalogue``.
    """
    ledger = Ledger(
        catalogue,
        assumptions=list(design.assumptions),
        citations={c.what: c for c in design.citations},
        warnings=list(design.warnings),
    )
    totals = total(design, ledger)
    compute = totals.counts.get("compute", FabricCounts())
    own = {name: count.switches for name, count in totals.counts.items()}
    _warn(design, ledger, totals)
    return Sizing(
        system=design.node.system,
        fabric=design.profile,
        gpus_asked=design.requirement.gpus,
        gpus=design.gpus,
        nodes=design.nodes,
        racks=sum(totals.racks_by_role.values()),
        racks_by_role=totals.racks_by_role,
        nvlink_domains=design.gpus // design.node.nvlink_domain_gpus if design.node.nvlink_domain_gpus > 1 else 0,
        compute=TierCounts(compute.leaf, compute.spine, compute.core),
        storage_switches=own.get("storage", 0),
        frontend_switches=own.get("frontend", 0),
        management_switches=own.get("management", 0),
        oob_switches=own.get("oob", 0),
        links=LinkCounts(compute.node_leaf, compute.leaf_spine, compute.spine_core, compute.service),
        cables=sum(totals.cables.values()),
        optics=totals.node_optics + sum(count.modules for count in totals.counts.values()),
        islands=compute.islands,
        it_kw=round(totals.it_kw, 1),
        it_expected_kw=round(totals.expected_kw, 1),
        facility_kw=round(totals.it_kw * design.site.pue, 1),
        pue=design.site.pue,
        liquid_kw=round(totals.liquid_kw, 1),
        air_kw=round(totals.air_kw, 1),
        coolant_l_min=round(totals.coolant, 1),
        airflow_m3_h=round(totals.airflow, 0),
        cdus=totals.cdus.total,
        weight_kg=round(totals.weight_kg, 0),
        rack_kw_max=round(totals.rack_kw_max, 1),
        storage_read_gbytes_s=totals.storage.read_gbytes_s,
        storage_write_gbytes_s=totals.storage.write_gbytes_s,
        storage_capacity_tb=totals.storage.capacity_tb,
        limits=tuple(limits_of(design, totals)),
        assumptions=tuple(_assumption(a) for a in ledger.assumptions),
        warnings=tuple(ledger.warnings),
        sources=tuple(_source(c) for c in ledger.citations.values()),
        derivation=derive(design, totals, ledger),
        planes={p.name: _plane(p, totals.counts[p.name]) for p in design.planes},
    )


def _warn(design: Design, ledger: Ledger, totals: Totals) -> None:
    """Low-confidence figures that the sizing itself read, services without a port, weights that nobody states."""
    said = {c.what for c in design.citations}
    for citation in ledger.citations.values():
        if citation.what not in said and citation.figure.confidence is Confidence.LOW:
            ledger.warn(f"low confidence: {citation.what} = {citation.figure.value} {citation.figure.unit}".rstrip())
    for plane in design.planes:
        count = totals.counts[plane.name]
        if count.service < count.service_asked:
            lost = count.service_asked - count.service
            ledger.warn(
                f"{plane.name}: {lost} of {count.service_asked} links to UFM or subnet managers find no port: every leaf "
                f"port is taken; one node fewer in the last SU frees them"
            )
        lost = plane.nodes * plane.rails * plane.subplanes - count.node_leaf
        if lost > 0:
            ledger.warn(f"{plane.name}: {lost} node links find no port on the {plane.share} leaves that they are to share")
    nameless = sorted({r.model for r in totals.switches if r.weight_kg is None})
    if design.node.weight_kg is None and not design.node.units_are_racks:
        nameless.append(design.node.system)
    if nameless:
        ledger.warn(f"weight leaves out {', '.join(nameless)}: the catalogue does not state it")


def _plane(plane: PlaneDesign, count: FabricCounts) -> dict[str, Any]:
    """One plane for the JSON object: technology, switches and models by tier, links, what is promised."""
    models = {"leaf": plane.leaf.switch if count.leaf else None}
    models["spine"] = plane.spine.switch if plane.spine and count.spine else None
    models["core"] = plane.core.switch if plane.core and count.core else None
    down = (plane.nodes_per_leaf * plane.rails_per_leaf + guest_ports(plane)) * plane.link_gbps
    return {
        "technology": plane.technology,
        "layout": plane.layout,
        "share": plane.share,
        "rails": plane.rails,
        "subplanes": plane.subplanes,
        "link_gbps": plane.link_gbps,
        "leaf": count.leaf,
        "spine": count.spine,
        "core": count.core,
        "total": count.switches,
        "models": models,
        "node_leaf": count.node_leaf,
        "leaf_spine": count.leaf_spine,
        "spine_core": count.spine_core,
        "service": count.service,
        "tiers": count.tiers,
        "islands": count.islands,
        "oversubscription": round(down / (plane.uplinks * plane.uplink_gbps), 3) if plane.uplinks and count.spine else None,
    }


def _assumption(item: Assumption) -> dict[str, Any]:
    return {"path": item.path, "value": item.value, "why": item.why, "origin": item.origin.value}


def _source(item: Citation) -> dict[str, Any]:
    figure = item.figure
    return {
        "what": item.what,
        "value": figure.value,
        "unit": figure.unit,
        "source": figure.source,
        "confidence": figure.confidence.value,
        "origin": figure.origin.value,
        "note": figure.note,
    }
