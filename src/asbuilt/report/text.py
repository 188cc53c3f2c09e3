"""A verification for a terminal: the verdict first, then causes with their next step, moves and counts. No colour."""

from __future__ import annotations

from asbuilt.model.verdict import Finding, Verification
from asbuilt.report.document import VERDICT_WORDS, ordered, outcome

SHOWN = 40
HEADS = {"pass": "holds", "fail": "does not hold", "undecided": "undecided", "nothing": "nothing judged"}


def verification_text(verification: Verification, most: int = SHOWN) -> str:
    """The whole verification as text, ``most`` findings and moves at most; what is left out is counted."""
    word, sentence = outcome(verification)
    lines = [f"{HEADS[word]}: {sentence}"]
    if verification.kind != "check":
        lines += ["", _counts(verification)]
    found = ordered(verification.findings)
    for finding in found[:most]:
        lines += ["", *_finding(finding)]
    if len(found) > most:
        lines += ["", f"{len(found) - most} more findings; --json has all of them"]
    if verification.repairs:
        lines += ["", "moves that mend it:"]
        lines += [
            f"  {i}. {m.take or 'spare'} -> {m.put or 'out'}  ({m.cable})" for i, m in enumerate(verification.repairs[:most], 1)
        ]
        if len(verification.repairs) > most:
            lines.append(f"  {len(verification.repairs) - most} more; --json has all of them")
    lines += [""] + [f"note: {note}" for note in verification.notes] if verification.notes else []
    lines += [""] + [f"not proven: {line}" for line in verification.unproven] if verification.unproven else []
    return "\n".join(printable(line) for line in lines)


def _counts(verification: Verification) -> str:
    s = verification.summary
    text = (
        f"links: {s.planned:,} planned, {s.ok:,} ok, {s.wrong:,} wrong, {s.missing:,} missing, {s.not_measured:,} not measured"
    )
    text += f"; {s.unplanned:,} unplanned"
    return text + (f"; {s.out_of_scope:,} out of scope" if s.out_of_scope else "")


def _finding(finding: Finding) -> list[str]:
    lines = [f"{finding.id} {finding.severity} ({VERDICT_WORDS[str(finding.verdict)]}): {finding.cause or finding.subject}"]
    rows = [
        ("where", finding.where),
        ("expected", finding.expected),
        ("found", finding.found),
        ("next", finding.next),
        ("revert", finding.revert),
        ("evidence", ", ".join(finding.evidence[:4])),
    ]
    return lines + [f"  {name:<8} {value}" for name, value in rows if value]


def printable(text: str) -> str:
    """Control characters of a capture must not reach a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
