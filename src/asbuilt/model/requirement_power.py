"""What the requirement may say of the power chain. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import NAME, spec


@dataclass(frozen=True, slots=True)
class Power:
    """The power chain from the feed to the outlet. How many feeds there are, and the feed of each cord, `site` says."""

    basis: str | None = spec("rules that continuous loads are held to", choices=("nec", "iec"))
    redundancy: str | None = spec("how the feeds stand in for each other", choices=("N", "N+1", "2N", "4-to-make-3"))
    voltage_v: float | None = spec("voltage between two phase conductors", unit="V", least=100, most=690)
    feed_capacity_kw: float | None = spec("continuous power of one feed", unit="kW", least=1, most=1_000_000)
    fault_ka: float | None = spec("prospective fault current at the head of a feed", unit="kA", least=0.1, most=300)
    pdu: str | None = spec("catalogue id of the rack PDUs", pattern=NAME)
