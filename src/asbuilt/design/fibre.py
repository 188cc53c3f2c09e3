"""The cable plant, with every default chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.design.ledger import Choices, Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_fibre import FibreDesign, LayingRules
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part

_RULES = "cabling-rules"


def resolve_fibre(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> FibreDesign:
    """`FibreDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked = requirement.fibre
    rules = ledger.catalogue.get("fibre", _RULES)

    pick = Choices(ledger, "fibre", asked)

    def rule(key: str) -> float:
        return float(ledger.figure(rules, key))

    return FibreDesign(
        trunks=str(pick("trunks", "none", "jumpers from end to end")),
        trunk_legs=int(pick("trunk_legs", 8, "trunks of eight legs: 96 fibres of 12-fibre connectors")),
        spare_percent=int(pick("spare_percent", int(rule("spare_percent")), "one in ten stands by on every way")),
        loop_m=float(pick("loop_m", 1.5, "2 to 3 m of loops in a run are usual")),
        tray_width_mm=float(pick("tray_width_mm", 300.0, "a common fibre tray")),
        tray_depth_mm=float(pick("tray_depth_mm", 100.0, "a common fibre tray")),
        turn_radius_mm=float(pick("turn_radius_mm", 150.0, "swept turns and drop-outs of a common tray")),
        copper_trays=str(pick("copper_trays", "own", "copper in trays beside those of the fibre")),
        trays_shared_with_power=bool(pick("trays_shared_with_power", False, "fibre trays are for fibre alone")),
        trays_declared=asked.tray_width_mm is not None and asked.tray_depth_mm is not None,
        rules=LayingRules(
            bend_rest_times=rule("bend_rest_times"),
            bend_pull_times=rule("bend_pull_times"),
            bend_copper_times=rule("bend_copper_times"),
            bend_cord_mm=rule("bend_cord_mm"),
            friction=rule("friction_fraction"),
            slack_percent=rule("slack_percent"),
            pair_loss_max_db=rule("pair_loss_max_db"),
            splice_loss_max_db=rule("splice_loss_max_db"),
        ),
    )
