"""`assumptions:` of `decide.yaml`: own values in the place of built-in ones, by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from asbuilt.base.fault import Fault
from asbuilt.base.nearest import nearest
from asbuilt.base.origin import Confidence, Origin
from asbuilt.base.problem import Place, Problem
from asbuilt.base.scalar import Rejection, named, read_text
from asbuilt.base.yaml_tree import Node, Refused, Scalar, Table
from asbuilt.model.assumption import Assumed, Assumptions
from asbuilt.workflow.assumption_tree import ENDS, Ledger, Limits, read_spread, read_value, unknown

_FIELDS = (*ENDS, "unit", "source")
UNKNOWN_ID = "CLI-103"
_MOST_GUESSES = 30


def own_values(
    at: Scalar, node: Node, file: str, known: Assumptions, limits: Mapping[str, Limits], ledger: Ledger
) -> tuple[dict[str, Assumed], dict[str, Place]]:
    """Own values by id, of origin declared, and where each stands. Problems go to ``ledger``.

    A single number has no spread; a group states low, likely and high, or ``likely`` alone, and may state its source.
    """
    if isinstance(node, Refused):
        return {}, {}
    if not isinstance(node, Table):
        fix = "write `id: value` lines below it, indented by two more spaces"
        ledger.note(Fault.WRONG_TYPE, at.place, "`assumptions` holds no group of values", "each is found by its id", fix)
        return {}, {}
    found: dict[str, Assumed] = {}
    places: dict[str, Place] = {}
    for key, child in node.entries:
        if key.text not in known:
            ledger.problems.append(_unknown_id(key, known, len(ledger.problems) < _MOST_GUESSES))
            continue
        made = _own(key, child, file, known[key.text], limits[key.text], ledger)
        if made is not None:
            found[key.text], places[key.text] = made, key.place
    return found, places


def declared(item: Assumed, value: float, source: str) -> Assumed:
    """``item`` with one stated number in its place."""
    return replace(
        item, low=value, likely=value, high=value, origin=Origin.DECLARED, confidence=Confidence.HIGH, source=source,
        removed=None, removed_why="", faults=None, operations=None,
    )  # fmt: skip


def _unknown_id(key: Scalar, known: Assumptions, guess: bool) -> Problem:
    """``guess``: look for the id that was meant, among hundreds, which takes its time."""
    what = f"no assumption is called {named(key.text)}"
    fix = _meant(key.text, known) if guess and len(key.text) <= 64 else ""
    return Problem(
        UNKNOWN_ID, what, key.place, "it would change nothing", fix or "docs/reference/assumptions.md lists all of them"
    )  # fmt: skip


def _meant(text: str, known: Assumptions) -> str:
    """The id that is nearest: by its last word where what stands before it is known, else by the whole."""
    group, _, last = text.rpartition(".")
    beside = {item.id.removeprefix(group + "."): item.id for item in known.under(group)} if group else {}
    if beside:
        near = nearest(last, beside, "")
        return f"did you mean {group}.{near}" if near else f"after `{group}.` stands one of: {', '.join(beside)}"
    likely = known.under(text.split(".")[0]) or tuple(known)
    return nearest(text, (item.id for item in likely), "did you mean ")


def _own(key: Scalar, node: Node, file: str, item: Assumed, allowed: Limits, ledger: Ledger) -> Assumed | None:
    source = f"{file} line {key.place.line}"
    if not isinstance(node, Table):
        value = read_value(node, key, item.id, item.meaning, allowed, ledger)
        return None if value is None else declared(item, value, source)
    before = len(ledger.problems)
    stated = {name.text: (name, child) for name, child in node.entries}
    for name, _ in node.entries:
        if name.text not in _FIELDS:
            unknown(name, _FIELDS, item.id, ledger)
    source = _source(stated.get("source"), source, ledger)
    _unit(stated.get("unit"), item, ledger)
    if set(ENDS) & set(stated) == {"likely"}:
        name, child = stated["likely"]
        value = read_value(child, name, item.id, item.meaning, allowed, ledger)
        return None if value is None or len(ledger.problems) > before else declared(item, value, source)
    spread = read_spread(node, item.id, item.meaning, allowed, ledger)
    if spread is None or len(ledger.problems) > before:
        return None
    return replace(declared(item, spread.likely, source), low=spread.low, high=spread.high)


def _source(entry: tuple[Scalar, Node] | None, otherwise: str, ledger: Ledger) -> str:
    if entry is None or isinstance(entry[1], Refused):
        return otherwise
    key, node = entry
    text = read_text(node.text, node.plain) if isinstance(node, Scalar) and node.lines == 1 else ""
    if isinstance(text, Rejection):
        ledger.note(text.fault, node.place, text.what, text.why, text.fix)
        return otherwise
    if not text.strip():
        ledger.note(Fault.NO_VALUE, key.place, "`source` says nothing", fix="name the record, or delete the line")
        return otherwise
    return f"{text.strip()} ({otherwise})"


def _unit(entry: tuple[Scalar, Node] | None, item: Assumed, ledger: Ledger) -> None:
    """A unit may be repeated; another one is a mistake of scale."""
    if entry is None or isinstance(entry[1], Refused):
        return
    given = entry[1].text if isinstance(entry[1], Scalar) else ""
    if given != item.unit:
        what = f"{named(given)} is not the unit of `{item.id}`"
        why = "a number in another unit would be taken for one in this"
        ledger.note(Fault.NOT_A_CHOICE, entry[1].place, what, why, f"give the value in {item.unit}, or leave `unit` out")
