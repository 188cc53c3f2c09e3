"""Thresholds of the checks on RDMA over Ethernet, each with unit and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation
from asbuilt.plan.roce_classes import roce_designs

#: Bytes that an RDMA packet adds to its payload within the IP packet, at most: IPv6 40, UDP 8, BTH 12, RETH 16, immediate
#: data 4, invariant check sequence 4 (RoCE v2: IBTA vol. 1 annex A17).
HEADERS_BYTES = 84
#: Share of the packet buffer that lossless traffic may reserve.
LOSSLESS_SHARE = 0.5

_STORM = "Linux mlx5 ethtool counters: tx_pause_storm_error_events, the device gave up pausing"


def roce_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for DES-111, DES-112, NET-003, NET-009 and NET-010, where a plane carries RDMA over Ethernet."""
    if not roce_designs(design):
        return []
    share = "NVIDIA Cumulus Linux user guide, `nv show qos roce`: pool roce-reserved-ingress, 50 %"
    lossless = "IEEE 802.1Qbb: a lossless priority loses no frame to congestion"
    pause = "assumed: a tenth of the time in pause is congestion that endures, not a burst that passes"
    printed = "assumed: tools print thresholds rounded (146.48 KB for 150,000 bytes)"
    return [
        _row("NET-003", "port", "*", "eq", "0.01", "relative deviation", "assumed", printed),
        _row(
            "DES-111", "traffic class", "*", "ge", f"{HEADERS_BYTES}", "bytes", "published", "IBTA vol. 1, annex A17 (RoCE v2)"
        ),
        _row("DES-112", "switch", "*", "le", f"{LOSSLESS_SHARE:g}", "share of the buffer", "published", share),
        _row("NET-009", "port", "discards", "le", "0", "frames", "published", lossless),
        _row("NET-010", "port", "storms", "le", "0", "events", "published", _STORM),
        _row("NET-010", "port", "paused", "le", "0.1", "share of the time", "assumed", pause),
    ]


def _row(check_id: str, kind: str, selector: str, op: str, value: str, unit: str, origin: str, source: str) -> dict[str, Any]:
    confidence = "high" if origin == "published" else None
    return expectation(check_id, kind, selector, op, value, unit, origin, source, confidence=confidence)
