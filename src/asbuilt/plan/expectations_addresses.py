"""Thresholds of the address checks: what counts as private, and how long a DNS label may be."""

from __future__ import annotations

from typing import Any

from asbuilt.plan.expectation import expectation

#: Address blocks that no other site announces: private use (RFC 1918) and shared address space (RFC 6598).
PRIVATE = "10.0.0.0/8+172.16.0.0/12+192.168.0.0/16+100.64.0.0/10"


def address_rows() -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for DES-103 to DES-106."""
    return [
        _row("DES-103", "address_pool", "in", PRIVATE, "", "RFC 1918 section 3, RFC 6598 section 7"),
        _row("DES-104", "address", "le", "63", "characters", "RFC 1035 section 2.3.4, RFC 1123 section 2.1"),
        _row("DES-105", "address_pool", "le", "4094", "VLAN", "IEEE 802.1Q: 0 and 4095 are reserved"),
    ]


def _row(check_id: str, kind: str, op: str, value: str, unit: str, source: str) -> dict[str, Any]:
    return expectation(check_id, kind, "*", op, value, unit, "published", source, confidence="high")
