"""The power chain, resolved: every default chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PowerDesign:
    """The requirement's ``power`` with every default chosen."""

    basis: str
    redundancy: str
    voltage_v: float
    feed_capacity_kw: float | None
    fault_ka: float | None
    pdu: str
