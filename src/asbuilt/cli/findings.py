"""Findings as text for a terminal: worst first, cause on top, ways out, coverage at the end."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import Sequence, TextIO

from asbuilt.model.verdict import Coverage, Finding, Rung, Severity, Verdict, Verification

WIDTH = 100
_LABEL = 10
_WEAK = "low confidence: "
_COLOURS = {Severity.BLOCKER: "1;31", Severity.MAJOR: "31", Severity.MINOR: "33", Severity.INFO: "36"}
_DIM, _BOLD, _GREEN = "2", "1", "32"
# Names come from captures: an escape sequence or a mark that turns the line round must not reach the terminal.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_VERDICTS = {Verdict.FAIL: "", Verdict.NOT_MEASURED: " undecided", Verdict.ERROR: " error"}


def wants_colour(stream: TextIO | None = None) -> bool:
    """True when ``stream`` (default: the standard output of the moment) is a terminal, unless NO_COLOR is set."""
    return not os.environ.get("NO_COLOR") and (stream or sys.stdout).isatty()


def columns() -> int:
    """The width to write for: the terminal's, between 60 and 100."""
    return max(60, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def safe(text: str) -> str:
    """``text`` on one line, with a question mark for every character that a terminal would obey instead of showing it."""
    return _UNSAFE.sub("?", text)


def text(verification: Verification, title: str, *, width: int = WIDTH, colour: bool = False) -> str:
    """The whole answer: a line that sums up, one block per finding, coverage, and what the exit code says."""
    paint = _Paint(colour)
    blocks = [_head(verification, title, paint)]
    blocks += [block(f, width=width, colour=colour) for f in verification.findings]
    blocks.append(coverage(verification.coverage, width=width, colour=colour))
    blocks.append("\n".join(_field("note", note, width, paint, indent=0) for note in _notes(verification.notes)))
    return "\n\n".join(b for b in blocks if b)


def _notes(notes: Sequence[str]) -> list[str]:
    """The notes, those on low-confidence figures drawn together into one."""
    weak = [n.removeprefix(_WEAK).partition(" = ")[0] for n in notes if n.startswith(_WEAK)]
    told = [n for n in notes if not n.startswith(_WEAK)]
    if weak:
        number = f"{len(weak)} low-confidence figures stand" if len(weak) > 1 else "one low-confidence figure stands"
        told.append(f"{number} behind this plan: {', '.join(weak)}")
    return told


class _Paint:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text


def _head(verification: Verification, title: str, paint: _Paint) -> str:
    plan = f" · plan {verification.plan_hash[:12]}" if verification.plan_hash else ""
    if not verification.findings:
        return f"{paint(title, _BOLD)}{plan} · {paint('no findings', _GREEN)}"
    failed = [f for f in verification.findings if f.verdict is Verdict.FAIL]
    undecided = len(verification.findings) - len(failed)
    counts = {s: sum(f.severity is s for f in failed) for s in Severity}
    told = ", ".join(f"{n} {s.value}" for s, n in counts.items() if n)
    if undecided:
        told = f"{len(failed)} fail ({told}), {undecided} undecided" if failed else f"none fails, {undecided} undecided"
    number = len(verification.findings)
    return f"{paint(title, _BOLD)}{plan} · {number} finding{'s' if number != 1 else ''}: {told}"


def block(finding: Finding, *, width: int = WIDTH, colour: bool = False) -> str:
    """One finding: severity, id and subject, the cause, then each part under its label."""
    paint = _Paint(colour)
    severity = finding.severity.value.upper() + _VERDICTS.get(finding.verdict, "")
    many = f"{len(finding.subjects):,} subjects" if len(finding.subjects) > 1 else ""
    subject = safe(finding.subject)
    plain = f"{severity}  {finding.id}  {subject}"
    gap = " " * max(2, width - len(plain) - len(many)) if many else ""
    head = f"{paint(severity, _COLOURS[finding.severity])}  {paint(finding.id, _BOLD)}  {subject}{gap}{paint(many, _DIM)}"
    lines = [head, *_wrapped(finding.cause, width, "  ", "  ")]
    parts = [("expected", finding.expected), ("found", finding.found), ("where", finding.where)]
    parts += [("evidence", "; ".join(finding.evidence)), ("why", finding.why)]
    lines += [_field(label, said, width, paint) for label, said in parts if said]
    if len(finding.ways) > 1:
        lines += [_field("ways out" if n == 1 else "", f"{n}. {way}", width, paint) for n, way in enumerate(finding.ways, 1)]
        if finding.measurement:
            lines.append(_field("tell by", finding.measurement, width, paint))
    elif finding.next:
        lines.append(_field("next", finding.next, width, paint))
    for n, rung in enumerate(finding.ladder, 1):
        lines.append(
            _field("ladder" if n == 1 else "", f"{n}. {_RUNGS.get(rung.state, rung.state)}  {_rung(rung)}", width, paint)
        )
    if finding.decided:
        lines.append(_field("decided", finding.decided, width, paint))
    if finding.revert:
        lines.append(_field("revert", finding.revert, width, paint))
    return "\n".join(lines)


#: States of a rung as a person reads them, of one width.
_RUNGS = {"suspect": "SUSPECT     ", "ruled_out": "ruled out   ", "told": "measured    ", "not_measured": "not measured"}


def _rung(rung: Rung) -> str:
    checks = f" ({', '.join(rung.checks)})" if rung.state == "suspect" else ""
    said = f": {rung.found}{checks}" if rung.state in ("suspect", "told") else ""
    said = f"; measure: {rung.measure}" if rung.state == "not_measured" else said
    return f"{rung.question}{said}"


def _field(label: str, said: str, width: int, paint: _Paint, indent: int = 2) -> str:
    pad = " " * indent
    hang = pad + " " * _LABEL
    if said[:1].isdigit() and said[1:3] == ". ":
        hang += "   "
    wrapped = _wrapped(said, width, pad + " " * _LABEL, hang)
    first = pad + paint(label, _DIM) + " " * (_LABEL - len(label)) + wrapped[0][indent + _LABEL :] if wrapped else pad + label
    return "\n".join([first, *wrapped[1:]])


def _wrapped(said: str, width: int, first: str, hang: str) -> list[str]:
    """Lines of ``said``; names stay whole, hyphens and all."""
    return textwrap.wrap(
        safe(said), width, initial_indent=first, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
    )


def warning_lines(verification: Verification, *, width: int = WIDTH) -> list[str]:
    """What is beside the plan and fails nothing, a block each."""
    lines = []
    for warning in verification.details.get("warnings", []):
        lines += ["", *_wrapped(f"WARNING  {warning['id']}  {warning['cause']}", width, "", "  ")]
        lines += _wrapped(warning["found"], width, "  ", "  ")
    return lines


def coverage(rows: Sequence[Coverage], *, width: int = WIDTH, colour: bool = False) -> str:
    """How much was judged: totals, and which checks could not be asked. Passes are counted here and shown nowhere else."""
    paint = _Paint(colour)
    total = {
        "pass": sum(c.passed for c in rows),
        "fail": sum(c.failed for c in rows),
        "not measured": sum(c.not_measured for c in rows),
        "not applicable": sum(c.not_applicable for c in rows),
        "error": sum(c.error for c in rows),
    }
    subjects = sum(c.subjects for c in rows)
    told = ", ".join(f"{n:,} {what}" for what, n in total.items() if n)
    lines = [_field("coverage", f"{len(rows)} checks on {subjects:,} subjects: {told or 'nothing'}", width, paint, indent=0)]
    silent = [c.id for c in rows if c.subjects == c.not_applicable]
    if silent:
        said = f"{len(silent)} check{'s' if len(silent) > 1 else ''} had nothing to judge: {', '.join(silent)}"
        lines.append(_field("", said, width, paint, indent=0))
    return "\n".join(lines)


def repair_lines(verification: Verification) -> list[str]:
    """The acts of repair in their order, each with its moves; empty when nothing is to be moved."""
    from asbuilt.model.verdict import repairs

    acts = repairs(verification.repairs)
    lines = ["", "repairs, in this order:"] if acts else []
    for number, act in enumerate(acts, start=1):
        head = f"{number:>3}. {act.kind:<9}"
        for move in act.moves:
            lines.append(f"  {head} {safe(move.take) or 'cable'} → {safe(move.put) or 'out'}   ({safe(move.cable)})")
            head = " " * len(head)
    return lines
