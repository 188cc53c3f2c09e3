"""The published rows held against the sizing: one `Row` per printed row or bill line, with what both say."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from asbuilt.catalogue.load import load
from asbuilt.design.fabric import count_plane
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.design import Design, Sizing
from asbuilt.model.requirement import Requirement

FILE = Path(__file__).with_name("reference_rows.toml")


@dataclass(frozen=True, slots=True)
class Row:
    """One published row: the table, what it is, the printed and our values, why they may differ."""

    table: str
    name: str
    printed: dict[str, int]
    ours: dict[str, int | float | None]
    source: str
    confidence: str
    reason: str = ""

    @property
    def agrees(self) -> bool:
        return all(self.ours[key] == value for key, value in self.printed.items())


@cache
def sized(system: str, fabric: str, gpus: int) -> tuple[Design, Sizing]:
    """Design and sizing with the built-in catalogue and no other wishes."""
    book = load()
    design = resolve(Requirement(name="oracle", system=system, gpus=gpus, fabric=fabric), book)
    return design, sizing(design, book)


def document() -> dict[str, Any]:
    """The reference rows as typed."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def rows() -> list[Row]:
    """Every row of every table and every line of every bill, in the order of the file."""
    doc = document()
    reasons = {(n["bill"], n["item"]): n["reason"] for n in doc["not_reproduced"]}
    found = []
    for table in doc["table"]:
        for values in table["rows"]:
            printed = dict(zip(table["columns"], values, strict=True))
            su = printed.pop("su")
            design, made = sized(table["system"], table["fabric"], printed["gpus"])
            ours = {key: _column(key, design, made) for key in printed}
            found.append(Row(table["id"], f"{su} SU", printed, ours, table["source"], table["confidence"]))
    for bill in doc["bill"]:
        design, made = sized(bill["system"], bill["fabric"], bill["gpus"])
        for item, value, path in bill["rows"]:
            ours = {item: _path(path, design, made)}
            reason = reasons.get((bill["id"], item), "")
            found.append(Row(bill["id"], item, {item: value}, ours, bill["source"], bill["confidence"], reason))
    return found


def _column(key: str, design: Design, made: Sizing) -> int:
    whole: dict[str, Callable[[], int]] = {
        "nodes": lambda: made.nodes,
        "gpus": lambda: made.gpus,
        "racks": lambda: made.racks_by_role["compute"],
        "leaf": lambda: made.compute.leaf,
        "spine": lambda: made.compute.spine,
        "core": lambda: made.compute.core,
        "node_leaf": lambda: made.links.node_leaf,
        "leaf_spine": lambda: made.links.leaf_spine,
        "spine_core": lambda: made.links.spine_core,
        "node_leaf_and_ufm": lambda: made.links.node_leaf + made.links.service,
        "node_leaf_pairs": lambda: made.links.node_leaf // 2,
        "leaf_spine_pairs": lambda: made.links.leaf_spine // 2,
    }
    return whole[key]()


def _path(path: str, design: Design, made: Sizing) -> int | float | None:
    special: dict[str, Callable[[], int]] = {
        "racks_without_storage": lambda: made.racks - made.racks_by_role["storage"],
        "compute_cables": lambda: made.links.node_leaf + made.links.leaf_spine,
        "compute_switch_modules": lambda: _modules(design, "compute"),
        "compute_node_modules": lambda: _node_modules(design, "compute"),
        "storage_node_modules": lambda: _node_modules(design, "storage"),
        "storage_cables": lambda: made.planes["storage"]["node_leaf"] + made.planes["storage"]["leaf_spine"],
        "storage_ports_kept": lambda: _kept(design, made),
    }
    if path in special:
        return special[path]()
    at: Any = made.as_json()
    for step in path.split("."):
        at = at[step]
    return at  # type: ignore[no-any-return]


def _modules(design: Design, name: str) -> int:
    """Modules in switches: the plane's, without those at the service hosts' own ends."""
    plane = design.plane(name)
    assert plane is not None
    counted = count_plane(plane, design.planes)
    return counted.modules - counted.service


def _node_modules(design: Design, name: str) -> int:
    return design.nodes * len({n.cage for n in design.node.nics if n.plane == name})


def _kept(design: Design, made: Sizing) -> int:
    """800G ports that the storage leaves keep for arrays."""
    plane = design.plane("storage")
    assert plane is not None
    return int(made.planes["storage"]["leaf"] * plane.leaf.reserved_ports * plane.link_gbps // 800)


def markdown(found: list[Row]) -> str:
    """One line per table or bill: rows reproduced, and what is not, with the reason."""
    lines = ["| table | rows | reproduced | not reproduced, and why | source |", "|---|---|---|---|---|"]
    for table in dict.fromkeys(row.table for row in found):
        mine = [row for row in found if row.table == table]
        missed = "; ".join(f"{r.name} (printed {next(iter(r.printed.values()))}): {r.reason}" for r in mine if not r.agrees)
        agree = sum(row.agrees for row in mine)
        lines.append(f"| {table} | {len(mine)} | {agree} | {missed or '–'} | {mine[0].source} |")
    total = sum(row.agrees for row in found)
    lines.append(f"| **all** | **{len(found)}** | **{total}** | | |")
    return "\n".join(lines)
