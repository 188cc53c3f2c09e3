"""Coolant loops and air, with every default chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_cooling import CoolingDesign
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part


def resolve_cooling(
    ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign
) -> CoolingDesign:
    """`CoolingDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked = requirement.cooling

    def pick(name: str, default: Any, why: str) -> Any:
        given = getattr(asked, name)
        return given if given is not None else ledger.assume(f"cooling.{name}", default, why)

    return CoolingDesign(cdu=str(pick("cdu", "vertiv-xdu1350", "a row CDU with a published curve")), header=asked.header or "")
