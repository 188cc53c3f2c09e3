"""The page of captures names every tool that can be read, and no fact table that nobody gives."""

from __future__ import annotations

import re
from pathlib import Path

from asbuilt.model.facts import FACT_TABLES
from asbuilt.parsers.tools import TOOLS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "captures.md").read_text(encoding="utf-8")
ROWS = [line.split("|") for line in PAGE.splitlines() if line.startswith("| ")]


def test_every_tool_that_can_be_read_is_in_a_table() -> None:
    named = {word for row in ROWS for code in re.findall(r"`([^`]+)`", row[1]) for word in code.split()}
    assert set(TOOLS) - named == set()


def test_every_fact_table_is_one_of_the_model() -> None:
    told = {name for row in ROWS for name in re.findall(r"`(\w+_facts)`", row[3])}
    assert told <= {schema.name for schema in FACT_TABLES}
    assert {schema.name for schema in FACT_TABLES} - told == set(), "a table that no tool of the page gives"
