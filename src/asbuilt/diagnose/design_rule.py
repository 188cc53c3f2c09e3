"""What a rule for the findings of a design check says; the rules stand in `design_rules` and its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import polars as pl

from asbuilt.model.plan import Plan

Words = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """How failing verdicts of one check become findings; ``subject`` names the class when several subjects share a cause."""

    around: Callable[[Plan, pl.DataFrame], pl.DataFrame]
    group: tuple[str, ...]
    subject: str
    cause: str | Words
    ways: tuple[str | Words, ...]
    revert: str
