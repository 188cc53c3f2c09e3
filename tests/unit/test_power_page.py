"""The numbers of docs/power.md are those of the plan."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from template_plans import expanded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "power.md"


def told(what: str) -> list[float]:
    """Every number of the example's row that begins with ``what``."""
    row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {what} |"))
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", row.split("|")[2])]


def test_the_example_is_what_the_plan_says() -> None:
    tables = expanded("gb300-nvl72").tables
    circuit = tables["circuits"].filter(pl.col("circuit") == "circuit:A-01/A1").row(0, named=True)
    busway = tables["busways"].filter(pl.col("busway") == "busway:A/A").row(0, named=True)
    sections = tables["busbars"].filter(pl.col("rack") == "rack:A-01")
    assert told("circuit of a shelf") == [circuit["breaker_a"], circuit["voltage_v"], circuit["usable_a"]]
    assert told("its current, both feeds") == [round(circuit["load_a"], 2)]
    share = round(circuit["lost_a"] / circuit["usable_a"] * 100, 1)
    assert told("its current, a feed lost") == [round(circuit["lost_a"], 2), share, circuit["usable_a"]]
    assert told("busway A/A, finished row, feed B lost") == [round(busway["full_a"], 2), busway["rating_a"], busway["usable_a"]]
    assert told("voltage lost to the end of the whip") == [round(circuit["drop_percent"], 1)]
    fullest = sections.sort("healthy_a", descending=True).row(0, named=True)
    assert told("fullest busbar section, both feeds") == [round(fullest["healthy_a"], 2), fullest["rating_a"]]
    assert told("the same, one shelf lost") == [round(float(str(sections["lost_a"].max())), 2)]
    assert told("the same with A at the top and B at the bottom, a feed lost") == [round(120000 / 49, 2)]
