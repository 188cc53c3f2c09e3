"""The power chain, with every default chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.design.ledger import Ledger
from asbuilt.model.design import NodeDesign, SiteDesign
from asbuilt.model.design_power import PowerDesign
from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Part


def resolve_power(ledger: Ledger, requirement: Requirement, system: Part, node: NodeDesign, site: SiteDesign) -> PowerDesign:
    """`PowerDesign` from the requirement; what it leaves open is assumed and recorded."""
    asked = requirement.power

    def pick(name: str, default: Any, why: str) -> Any:
        given = getattr(asked, name)
        return given if given is not None else ledger.assume(f"power.{name}", default, why)

    return PowerDesign(
        basis=str(pick("basis", "nec", "continuous loads at 80 % of the breaker: the stricter of the two")),
        redundancy=str(pick("redundancy", "2N" if site.feeds == 2 else "N+1" if site.feeds > 2 else "N", "from the feeds")),
        voltage_v=float(pick("voltage_v", 415.0, "415/240 V wye, as in the reference architectures")),
        feed_capacity_kw=asked.feed_capacity_kw,
        fault_ka=asked.fault_ka,
        pdu=str(pick("pdu", "raritan-px3-5878", "PDU of the DGX H100 reference build")),
    )
