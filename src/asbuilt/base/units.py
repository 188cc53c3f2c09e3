"""Factors between the units of tables and those that people read."""

from __future__ import annotations

W_PER_KW = 1_000.0
W_PER_MW = 1_000_000.0
A_PER_KA = 1_000.0
MM_PER_M = 1_000.0
PERCENT = 100.0
