"""How findings of the power plan read: what is one cause, the ways out, and how each is taken back."""

from __future__ import annotations

from asbuilt.diagnose.design_rule import Rule

POWER_RULES: dict[str, Rule] = {}
