"""What a rule for the findings of a design check says; the rules stand in `design_rules` and its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import polars as pl

from asbuilt.model.plan import Plan

Words = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """How failing verdicts of one check become findings; ``subject`` names the class when several subjects share a cause.

    ``undecided``: the texts hold for rows that nobody can decide as well, instead of the common words for these.
    """

    around: Callable[[Plan, pl.DataFrame], pl.DataFrame]
    group: tuple[str, ...]
    subject: str
    cause: str | Words
    ways: tuple[str | Words, ...]
    revert: str
    undecided: bool = False
