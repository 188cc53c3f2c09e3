"""Thresholds of measured speed."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design


def performance_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Expectations of the PERF checks."""
    return []
