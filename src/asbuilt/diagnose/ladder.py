"""From a symptom to its cause: the facts of lower layers that could explain a finding, in the order in which to ask them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from asbuilt.diagnose.subnet_findings import About
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding

if TYPE_CHECKING:
    import polars as pl


def with_ladder(
    plan: Plan,
    findings: list[Finding],
    asked: Mapping[str, pl.DataFrame],
    about: Mapping[str, About],
    tables: Mapping[str, pl.DataFrame],
) -> list[Finding]:
    """``findings``, each with its ladder."""
    return findings
