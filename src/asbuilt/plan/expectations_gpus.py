"""Thresholds of GPUs."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design


def gpu_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Expectations of the GPU checks."""
    return []
