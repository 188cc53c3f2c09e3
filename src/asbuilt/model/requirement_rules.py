"""Rules between the fields of a requirement that need no catalogue."""

from __future__ import annotations

from asbuilt.base.decode import Decoded
from asbuilt.base.problem import Problem
from asbuilt.model.requirement import Requirement


def broken_rules(decoded: Decoded[Requirement]) -> list[Problem]:
    """A problem for each rule that the stated values break; fields that could not be read are left out."""
    return []
