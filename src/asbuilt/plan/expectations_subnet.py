"""Thresholds of what is measured on an InfiniBand subnet: lanes, error rates, bit error ratios, light, temperature.

Kinds of sources: F a maker's or operator's tool that fails a port by it, S a standard.
"""

from __future__ import annotations

from typing import Any

from asbuilt.plan.expectation import expectation

_LANES = "IBTA link width 4x: a QSFP or OSFP port of InfiniBand has four lanes"
_NVSENTINEL = "NVIDIA NVSentinel, NIC health policy"
_PDR = "NVIDIA UFM PDR plugin, NDR links"

#: (check, kind of subject, selector, op, value, unit, source)
_ROWS: tuple[tuple[str, str, str, str, float, str, str], ...] = (
    ("FAB-007", "link", "*", "eq", 4.0, "lanes", _LANES),
    ("FAB-030", "port", "decades", "le", 2.0, "decades", "raw errors are corrected by FEC: an outlier is told, none fails"),
    ("FAB-030", "port", "alike", "ge", 4.0, "ports", "a median of fewer tells nothing"),
    ("FAB-031", "port", "*", "le", 1e-14, "errors per bit", f"{_PDR}: 2.88 symbol errors in 720 s of 400 Gb/s"),
    ("FAB-031", "port", "load", "ge", 0.01, "share of the rate", "a window without traffic proves nothing of it"),
    ("FAB-031", "port", "confidence", "eq", 0.95, "probability", "upper bound of a Poisson count by the chi-squared quantile"),
    ("FAB-032", "port", "*", "le", 0.0, "per window", f"{_NVSENTINEL}: any rise of link_downed is fatal"),
    ("FAB-033", "port", "*", "le", 5.0, "per minute", f"{_NVSENTINEL}: link_error_recovery"),
    ("FAB-034", "port", "*", "le", 10.0, "per second", f"{_NVSENTINEL}: port_rcv_errors"),
    ("FAB-035", "port", "*", "le", 100.0, "per second", f"{_NVSENTINEL}: port_xmit_discards"),
    ("FAB-036", "port", "effective_ber", "le", 1e-12, "errors per bit", f"{_NVSENTINEL}: above 1e-12 failed"),
    ("FAB-036", "port", "symbol_ber", "le", 1e-12, "errors per bit", f"{_PDR}: isolation at 1e-12"),
    ("FAB-037", "port", "below_median", "le", 3.0, "dB", "half the light of the lanes beside it"),
    ("FAB-038", "port", "*", "le", 70.0, "°C", f"{_PDR}: 70 C"),
)
#: Of these nobody published a figure: they are this project's own choice.
_ASSUMED = {("FAB-030", "decades"), ("FAB-030", "alike"), ("FAB-031", "load"), ("FAB-037", "below_median")}


def subnet_rows() -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for the checks of a measured subnet."""
    rows = []
    for check, kind, selector, op, value, unit, source in _ROWS:
        origin = "assumed" if (check, selector) in _ASSUMED else "published"
        # No confidence: that is of figures from the catalogue alone; `origin` says what nobody published.
        rows.append(expectation(check, kind, selector, op, value, unit, origin, source))
    return rows
