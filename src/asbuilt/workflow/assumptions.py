"""The built-in assumptions of `asbuilt decide`: every unit time, fault rate, price and rule, with origin and source.

They stand in ``assumption_files/*.yaml`` and nowhere else.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files

from asbuilt.base.fault import Fault
from asbuilt.base.origin import Confidence, Origin
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.base.scalar import named
from asbuilt.base.source_text import read_source
from asbuilt.base.yaml_tree import Scalar, Table, TreeBuilder
from asbuilt.model.assumption import Assumed, Assumptions, Spread
from asbuilt.workflow.assumption_tree import ENDS, INHERITED, Leaf, Ledger, Limits, leaves, read_spread, read_value, unknown

#: In the order in which the reference page shows them.
FILES = ("work", "crew", "fault_fibre", "fault_power_liquid", "fault_node", "production", "money", "tooling", "rules")
_UNITS, _SYSTEMS = "units", "systems"
#: What a system may have values of its own for, and in whose place they stand.
PER_SYSTEM = {"gpu_hour": "money.gpu_hour", "equipment_gpu": "money.equipment_gpu"}
_CODES = dict.fromkeys(Fault, "CLI-109")
_FIELDS = (*ENDS, *INHERITED, "removed", "removed_why")
_WORDS = ("unit", "origin", "confidence", "source", "meaning")


@functools.cache
def defaults() -> Assumptions:
    """Every built-in assumption by id. Raises ``ProblemError`` CLI-109 when a file of the installation was broken."""
    return read_files({name: _text(name) for name in FILES})


@functools.cache
def systems() -> Assumptions:
    """Values of single systems, by ``system.<catalogue id>.<what>``. Raises as ``defaults``."""
    return read_files({_SYSTEMS: _text(_SYSTEMS)})


def for_system(assumptions: Assumptions, system: str) -> Assumptions:
    """``assumptions`` with what is known of a system (a catalogue id) in the place of the general value; all others stay."""
    own = {}
    for what, general in PER_SYSTEM.items():
        key = f"system.{system}.{what}"
        if key in systems():
            own[general] = replace(systems()[key], id=general)
    return assumptions.with_own(own)


@functools.cache
def limits() -> Mapping[str, Limits]:
    """What a value may be, by assumption id. Raises as ``defaults``."""
    found: dict[str, Limits] = {}
    for name in FILES:
        ledger = Ledger(_CODES)
        found |= {leaf.id: _limits(leaf, ledger) for leaf in _leaves(_text(name), f"{name}.yaml", ledger)}
    return found


def read_files(texts: Mapping[str, bytes]) -> Assumptions:
    """Assumptions of several files, by name without ending. Raises ``ProblemError`` CLI-109 with every problem."""
    ledger = Ledger(_CODES)
    items: dict[str, Assumed] = {}
    for name, data in texts.items():
        for leaf in _leaves(data, f"{name}.yaml", ledger):
            if leaf.id in items:
                ledger.note(Fault.DUPLICATE_KEY, leaf.place, f"`{leaf.id}` stands in two files", "only one can be meant")
                continue
            made = _assumed(leaf, ledger)
            if made is not None:
                items[leaf.id] = made
    if ledger.problems:
        raise ProblemError(ledger.problems)
    return Assumptions(items)


def _text(name: str) -> bytes:
    return files("asbuilt.workflow").joinpath("assumption_files", f"{name}.yaml").read_bytes()


@functools.cache
def unit_limits() -> Mapping[str, Limits]:
    """What a value may be, by unit."""
    ledger = Ledger(_CODES)
    found: dict[str, Limits] = {}
    for key, child in _root(_text(_UNITS), f"{_UNITS}.yaml", ledger):
        if key.text == "schema" or not isinstance(child, Table):
            continue
        anything = Limits("a number")
        bounds = {k.text: read_value(v, k, k.text, "", anything, ledger) for k, v in child.entries}
        found[key.text] = Limits(key.text, bounds.get("least"), bounds.get("above"), bounds.get("most"), "whole" in bounds)
    if ledger.problems:
        raise ProblemError(ledger.problems)
    return found


def _root(data: bytes, file: str, ledger: Ledger) -> tuple[tuple[Scalar, object], ...]:
    return _table(data, file, ledger).entries


def _table(data: bytes, file: str, ledger: Ledger) -> Table:
    source = read_source(data, file, _CODES)
    builder = TreeBuilder(source, _CODES)
    root = builder.build()
    ledger.problems.extend(builder.problems)
    if not isinstance(root, Table):
        raise ProblemError(Problem("CLI-109", f"{file} holds no groups of assumptions"))
    return root


def _leaves(data: bytes, file: str, ledger: Ledger) -> Iterator[Leaf]:
    root = _table(data, file, ledger)
    return leaves(Table(root.place, tuple(e for e in root.entries if e[0].text != "schema")), ledger)


def _limits(leaf: Leaf, ledger: Ledger) -> Limits:
    """The limits of the leaf's unit, narrowed by those that it states itself."""
    unit = leaf.scalar("unit")
    known = unit_limits()
    if unit is None or unit.text not in known:
        return Limits("a number")
    base = known[unit.text]
    own = {}
    for name in ("least", "above", "most"):
        stated = leaf.scalar(name)
        own[name] = None if stated is None else read_value(stated, stated, name, "", Limits("a number"), ledger)
    least, above = base.least, base.above
    if own["least"] is not None or own["above"] is not None:
        least, above = own["least"], own["above"]
    return Limits(base.unit, least, above, own["most"] if own["most"] is not None else base.most, base.whole)


def _assumed(leaf: Leaf, ledger: Ledger) -> Assumed | None:
    before = len(ledger.problems)
    words = {name: _word(leaf, name, ledger) for name in _WORDS}
    for key, _ in leaf.node.entries:
        if key.text not in _FIELDS:
            unknown(key, _FIELDS, leaf.id, ledger)
    for name, kind in (("origin", Origin), ("confidence", Confidence)):
        if words[name] and words[name] not in list(kind):
            what = f"{name} {named(words[name])} of `{leaf.id}` is none of: {', '.join(kind)}"
            ledger.note(Fault.NOT_A_CHOICE, leaf.place, what)
    if words["unit"] and words["unit"] not in unit_limits():
        ledger.note(Fault.NOT_A_CHOICE, leaf.place, f"unit {named(words['unit'])} of `{leaf.id}` is not known")
    allowed = _limits(leaf, ledger)
    spread = read_spread(leaf.node, leaf.id, words["meaning"], allowed, ledger)
    removed, removed_why = _removed(leaf, words, allowed, ledger)
    if spread is None or len(ledger.problems) > before:
        return None
    return Assumed(
        leaf.id, spread.low, spread.likely, spread.high, words["unit"], Origin(words["origin"]),
        Confidence(words["confidence"]), words["source"], words["meaning"], removed, removed_why,
    )  # fmt: skip


def _word(leaf: Leaf, name: str, ledger: Ledger) -> str:
    found = leaf.scalar(name)
    if found is None or not found.text.strip():
        ledger.note(Fault.MISSING, leaf.place, f"`{leaf.id}` does not state its {name}", fix=f"add `{name}: …`")
        return ""
    return found.text.strip()


def _removed(leaf: Leaf, words: Mapping[str, str], allowed: Limits, ledger: Ledger) -> tuple[Spread | None, str]:
    """What stands there when claims are left out: wanted for claimed values, refused for others."""
    table, why = leaf.table("removed"), leaf.scalar("removed_why")
    if words["origin"] != Origin.CLAIMED:
        if table is not None or why is not None:
            ledger.note(Fault.UNKNOWN_KEY, leaf.place, f"`{leaf.id}` is not claimed, so that nothing stands in for it")
        return None, ""
    if table is None or why is None or not why.text.strip():
        what = f"`{leaf.id}` is claimed and does not say what stands there without the claim"
        ledger.note(Fault.MISSING, leaf.place, what, fix="add `removed: {low: …, likely: …, high: …}` and `removed_why: …`")
        return None, ""
    return read_spread(table, f"{leaf.id}.removed", words["meaning"], allowed, ledger), why.text.strip()
