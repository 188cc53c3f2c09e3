"""docs/decide-model.md says what the code counts and in which order."""

from __future__ import annotations

from pathlib import Path

from asbuilt.decide.quantities import counted, sources
from asbuilt.decide.tasks import PACKAGES
from asbuilt.decide.tools import USES
from asbuilt.model.deployment import OPERATIONS
from template_plans import made

PAGE = (Path(__file__).parents[2] / "docs" / "decide-model.md").read_text(encoding="utf-8")


def _table(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in rows[2:]]


def test_every_operation_has_a_row_with_where_it_is_counted() -> None:
    told = sources()
    assert _table("What is counted") == [[f"`{o.id}`", o.unit, told[o.id], f"`{o.package}`"] for o in OPERATIONS]


def test_counted_gives_the_same_sources() -> None:
    assert all(c.source == sources()[c.operation] for c in counted(made("l40s-384")))


def test_every_package_has_a_row_in_the_order_of_the_work() -> None:
    each = {"liquid/rack": "liquid-cooled rack"}
    rows = _table("Order of the work")
    assert [row[:2] for row in rows] == [[f"`{p}`", each.get(p, e)] for p, (_, e) in PACKAGES.items()]


def test_every_tool_has_a_row_with_what_it_finds() -> None:
    rows = {name.strip("` "): finds for names, finds in _table("Tools") for name in names.split(",")}
    assert set(rows) == {use.tool for use in USES}
    for tool, words in rows.items():
        found = [kind for use in USES if use.tool == tool for kind, _ in use.finds]
        assert all(kind in words for kind in found)
        assert bool(found) != words.startswith("no kind")
