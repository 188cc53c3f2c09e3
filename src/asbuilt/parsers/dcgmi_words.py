"""What the tables of dcgmi have in common: cells between bars, borders, names of tests as one word."""

from __future__ import annotations

import re

BORDER = re.compile(r"^[+|][-=+|]{6,}[+|]$")
LINE = re.compile(r"^\|.*\|$")
#: ``Error: unable to establish a connection to the specified host: localhost`` and its kin.
FAILED = re.compile(r"^\s*(?:Error: |Unable to |Failed to |Error when executing)")


def cells(text: str) -> list[str]:
    """The cells of a line between bars, without blanks around them."""
    return [cell.strip() for cell in text.strip().strip("|").split("|")]


def test_name(text: str) -> str:
    """Name of a test in lower case with underscores: ``Page Retirement/Row Remap`` -> ``page_retirement_row_remap``."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def numbers(text: str) -> list[int]:
    """``0, 2-3`` -> [0, 2, 3]; nothing for text without numbers."""
    found: list[int] = []
    for first, last in re.findall(r"(\d{1,3})(?:\s*-\s*(\d{1,3}))?", text):
        found += range(int(first), int(last or first) + 1)
    return found
