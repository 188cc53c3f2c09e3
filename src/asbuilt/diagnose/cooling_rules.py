"""How findings of the cooling plan read: what is one cause, the ways out, and how each is taken back."""

from __future__ import annotations

from asbuilt.diagnose.design_rule import Rule

COOLING_RULES: dict[str, Rule] = {}
