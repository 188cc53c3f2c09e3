"""Verdicts of design checks to findings: one per cause, with the ways out and how to take each back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping

import polars as pl

from asbuilt.diagnose.design_context import as_is, place
from asbuilt.diagnose.design_rule import Rule
from asbuilt.diagnose.design_rules import RULES
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Severity, Verdict

_RANK = {Severity.BLOCKER: 0, Severity.MAJOR: 1, Severity.MINOR: 2, Severity.INFO: 3}
_SHOWN = 3
_LOOKED_AT = 64
_LISTED = 8
_UNKNOWN = Rule(
    as_is,
    (),
    "undecided",
    "what the check needs is not known: {found}; it asks for {expected}",
    ("add the missing figure to a catalogue entry of your own", "state the value in the requirement"),
    "take the catalogue entry out again",
)
_BROKEN = Rule(
    as_is,
    ("found",),
    "check",
    "the check itself stopped: {found}",
    ("report it with the plan; every other check was run",),
    "nothing was changed",
)
_PLAIN = Rule(as_is, (), "plan", "{found}, {expected}", ("see `asbuilt explain`",), "nothing was changed")


def findings(plan: Plan, verdicts: pl.DataFrame, about: Mapping[str, tuple[Layer, Severity, str]]) -> tuple[Finding, ...]:
    """Findings of ``verdicts`` (the rows of `told`), worst first.

    ``about`` gives layer, severity and the reason why it matters for each check id. An undecided row is a finding of its own
    kind: what is unknown must become known before it can be mended. It is major at most, since nothing is proven to stand in
    the way, and comes after what fails.
    """
    made = []
    for (check_id, verdict), rows in verdicts.partition_by(["check_id", "verdict"], as_dict=True, maintain_order=True).items():
        rule = _rule(str(check_id), str(verdict))
        around = rule.around(plan, rows)
        groups = around.partition_by(list(rule.group), maintain_order=True) if rule.group else [around]
        layer, severity, why = about[str(check_id)]
        made += [_finding(plan, str(check_id), Verdict(str(verdict)), rule, g, (layer, severity, why)) for g in groups]
    return tuple(sorted(made, key=lambda f: (_RANK[f.severity], f.verdict is Verdict.NOT_MEASURED, f.id, f.subject)))


def _rule(check_id: str, verdict: str) -> Rule:
    """A failing row reads by the check's own rule; an undecided one is grouped by it and says what must become known."""
    if verdict == Verdict.ERROR.value:
        return _BROKEN
    rule = RULES.get(check_id, _PLAIN)
    if verdict == Verdict.FAIL.value or check_id == "DES-071" or rule.undecided:
        return rule
    return replace(_UNKNOWN, around=rule.around, group=rule.group, subject=rule.subject)


def _finding(
    plan: Plan, check_id: str, verdict: Verdict, rule: Rule, rows: pl.DataFrame, about: tuple[Layer, Severity, str]
) -> Finding:
    words = _words(rows)
    subjects = tuple(rows["subject"].to_list())
    ways = tuple(w for w in (way(words) if callable(way) else way.format_map(words) for way in rule.ways) if w)
    layer, severity, why = about
    if verdict is Verdict.NOT_MEASURED and severity is Severity.BLOCKER:
        severity = Severity.MAJOR
    return Finding(
        id=check_id,
        verdict=verdict,
        severity=severity,
        layer=layer,
        subject=subjects[0] if len(subjects) == 1 else rule.subject.format_map(words),
        expected=words["expected"],
        found=words["found"],
        where=_where(plan, subjects),
        cause=rule.cause(words) if callable(rule.cause) else rule.cause.format_map(words),
        next="; or ".join(ways),
        revert=rule.revert.format_map(words),
        subjects=subjects,
        why=why,
        ways=ways,
    )


def _words(rows: pl.DataFrame) -> dict[str, Any]:
    """Each column as text: its value, or its different values as a list, cut after a few."""
    words: dict[str, Any] = {"count": str(rows.height)}
    for name in rows.columns:
        values = rows[name].unique(maintain_order=True).drop_nulls().to_list()
        shown = [_text(v) for v in values[:_LISTED]]
        more = f" and {len(values) - _LISTED} more" if len(values) > _LISTED else ""
        if name.endswith("_m") and len(values) > 1:
            words[name] = f"{_text(min(values))} to {_text(max(values))}"
            continue
        words[name] = ("; " if name in ("expected", "found") else ", ").join(shown) + more
    return words


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _where(plan: Plan, subjects: tuple[str, ...]) -> str:
    """The first few places, each once however many of the subjects stand there, and how many subjects come behind them."""
    places: list[str] = []
    told = 0
    for at in (place(plan, s) for s in subjects[:_LOOKED_AT]):
        if at in places:
            told += 1
        elif len(places) == _SHOWN or (not at and places):
            break
        elif at:
            places.append(at)
            told += 1
    return "; ".join(places) + (f" and {len(subjects) - told} more" if places and len(subjects) > told else "")
