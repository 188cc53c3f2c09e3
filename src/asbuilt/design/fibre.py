"""The cable plant, with every default chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_fibre import FibreDesign
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part


def resolve_fibre(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> FibreDesign:
    """`FibreDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked = requirement.fibre

    def pick(name: str, default: Any, why: str) -> Any:
        given = getattr(asked, name)
        return given if given is not None else ledger.assume(f"fibre.{name}", default, why)

    return FibreDesign(
        trunks=str(pick("trunks", "none", "jumpers from end to end")),
        tray_width_mm=float(pick("tray_width_mm", 300.0, "a common fibre tray")),
        tray_depth_mm=float(pick("tray_depth_mm", 100.0, "a common fibre tray")),
    )
