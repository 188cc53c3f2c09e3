"""One row of table `EXPECTATIONS`: what every file of thresholds writes."""

from __future__ import annotations

from typing import Any


def expectation(
    check_id: str,
    kind: str,
    selector: str,
    op: str,
    value: object,
    unit: str,
    origin: str,
    source: str,
    confidence: str | None = None,
    *,
    tol_rel: float = 0.0,
) -> dict[str, Any]:
    """The row of one threshold; a fraction is written without needless digits, and the id is ``<check>/<selector>``."""
    return {
        "id": f"{check_id}/{selector}",
        "check_id": check_id,
        "subject_kind": kind,
        "selector": selector,
        "op": op,
        "value": f"{value:g}" if isinstance(value, float) else str(value),
        "unit": unit,
        "tol_abs": 0.0,
        "tol_rel": tol_rel,
        "origin": origin,
        "source": source,
        "valid_if": None,
        "confidence": confidence,
    }
