"""A check's answer on one subject, and the finding a person reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Any

from asbuilt.base.table import Column, Schema


class Verdict(StrEnum):
    PASS = "pass"  # noqa: S105 (a verdict, not a password)
    FAIL = "fail"
    NOT_MEASURED = "not_measured"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Layer(StrEnum):
    """The ladder from the wall socket to the application; a finding's next step climbs it."""

    DESIGN = "design"
    FACILITY = "facility"
    NODE = "node"
    FABRIC = "fabric"
    COLLECTIVE = "collective"


class Severity(StrEnum):
    BLOCKER = "blocker"
    MAJOR = "major"
    MINOR = "minor"
    INFO = "info"


VERDICTS = Schema(
    name="verdicts",
    meaning="One row per check and subject.",
    columns=(
        Column("check_id", "str", "id of the check, as in docs/reference/ids.tsv"),
        Column("subject", "str", "natural key of what was judged"),
        Column("verdict", "str", "pass, fail, not_measured, not_applicable or error"),
        Column("expected", "str", "what the plan says, with unit", nullable=True),
        Column("found", "str", "what was found, with unit", nullable=True),
        Column("capture_id", "str", "the capture that says so", nullable=True),
        Column("line", "i64", "1-based line of the capture", nullable=True),
    ),
    key=("check_id", "subject"),
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One of several explanations of a finding that what was measured does not tell apart.

    ``ends``: physical cable ends to move if it is true, 0 when no cable moves; ``repair`` says which; ``tells`` what the
    finding's one measurement shows if it is true.
    """

    cause: str
    ends: int
    repair: str
    tells: str

    @property
    def text(self) -> str:
        """The explanation as one of the ways out of its finding."""
        effort = f"{self.ends} end{'s' if self.ends > 1 else ''} to move" if self.ends else "no cable moves"
        return f"{self.cause} ({effort}): {self.repair}; so if {self.tells}"

    def as_json(self) -> dict[str, Any]:
        """The documented object of one explanation."""
        return {"cause": self.cause, "ends": self.ends, "repair": self.repair, "tells": self.tells}


@dataclass(frozen=True, slots=True)
class Rung:
    """A fact of a lower layer that could explain a finding, already looked at.

    ``state``: ``suspect`` (a check of it fails on the same machines or links), ``ruled_out`` (it was measured and is as it
    should be), ``told`` (it was measured and nobody set a limit), ``not_measured``. ``measure`` is what measures it.
    """

    question: str
    checks: tuple[str, ...]
    state: str
    found: str
    measure: str

    def as_json(self) -> dict[str, Any]:
        """The documented object of one rung."""
        return {
            "question": self.question,
            "checks": list(self.checks),
            "state": self.state,
            "found": self.found,
            "measure": self.measure,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """Verdicts worth a person's time, grouped by cause.

    ``subject`` is a natural key; ``where`` names rack, U and front-panel label; ``cause`` the root cause in one
    sentence; ``next`` the next step; ``revert`` how to take the repair back. ``verdict`` is fail, error or not_measured.
    ``ways`` are the ways out where there are several to choose from; ``next`` then says them in one line.
    ``explanations`` are causes that fit equally well, ``measurement`` the one that tells them apart; ``decided`` names the
    fact that already did. ``ladder`` are the facts of lower layers that could explain it, in the order in which to ask.
    """

    id: str
    verdict: Verdict
    severity: Severity
    layer: Layer
    subject: str
    expected: str
    found: str
    where: str
    cause: str
    next: str
    revert: str
    evidence: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    why: str = ""
    ways: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    measurement: str = ""
    decided: str = ""
    ladder: tuple[Rung, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The documented object of one finding; ``subjects`` are all natural keys behind it."""
        told: dict[str, Any] = {}
        if self.explanations:
            told = {"explanations": [e.as_json() for e in self.explanations], "measurement": self.measurement}
        if self.decided:
            told["decided"] = self.decided
        if self.ladder:
            told["ladder"] = [rung.as_json() for rung in self.ladder]
        return {
            "id": self.id,
            "verdict": self.verdict.value,
            "severity": self.severity.value,
            "layer": self.layer.value,
            "subject": self.subject,
            "expected": self.expected,
            "found": self.found,
            "where": self.where,
            "cause": self.cause,
            "next": self.next,
            "revert": self.revert,
            "why": self.why,
            "ways": list(self.ways),
            "evidence": list(self.evidence),
            "subjects": list(self.subjects),
            **told,
        }


@dataclass(frozen=True, slots=True)
class Move:
    """One physical end to move: take the cable end at ``take`` and put it into ``put`` (device and front-panel port).

    ``take`` "" plugs a cable in where none is, ``put`` "" takes one out. Moves with the same ``act`` are one act of repair:
    the ends of an exchange or a rotation, all of which come out before the first goes in.
    """

    take: str
    put: str
    cable: str
    where: str = ""
    act: int = 0


@dataclass(frozen=True, slots=True)
class Repair:
    """One act of repair: what it is (exchange, rotation, move, plug or remove) and its moves of physical ends, in order."""

    kind: str
    moves: tuple[Move, ...]

    def as_json(self) -> dict[str, Any]:
        """Kind and moves (take, put, cable, where)."""
        moves = [{"take": m.take, "put": m.put, "cable": m.cable, "where": m.where} for m in self.moves]
        return {"kind": self.kind, "moves": moves}


def repairs(moves: Iterable[Move]) -> tuple[Repair, ...]:
    """``moves`` gathered into acts, in their order."""
    acts = [tuple(group) for _, group in groupby(moves, key=lambda m: m.act)]
    return tuple(Repair(_kind(act), act) for act in acts)


def _kind(act: tuple[Move, ...]) -> str:
    if len(act) > 1:
        return "exchange" if len(act) == 2 else "rotation"
    return "plug" if not act[0].take else "move" if act[0].put else "remove"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often a check was asked, and what it answered."""

    id: str
    subjects: int
    passed: int
    failed: int
    not_measured: int
    not_applicable: int
    error: int


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """The counting rule of links: ``ok + wrong + missing + not_measured = planned``; unplanned is beside it."""

    planned: int = 0
    ok: int = 0
    wrong: int = 0
    missing: int = 0
    unplanned: int = 0
    not_measured: int = 0
    out_of_scope: int = 0


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """The planned machines counted: ``ok + with_findings = measured``, ``measured + not_measured = planned``."""

    planned: int = 0
    measured: int = 0
    ok: int = 0
    with_findings: int = 0
    not_measured: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """What ``verify``, ``compare`` and ``check`` answer."""

    kind: str
    summary: LinkSummary
    findings: tuple[Finding, ...]
    repairs: tuple[Move, ...]
    coverage: tuple[Coverage, ...]
    plan_hash: str = ""
    notes: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    #: Where machines were asked about and the captures tell of some, or of nothing else was asked.
    nodes: NodeSummary | None = None

    @property
    def exit_code(self) -> int:
        """1 when any finding fails, 3 when undecided (not_measured or error), else 0."""
        verdicts = {f.verdict for f in self.findings}
        if Verdict.FAIL in verdicts:
            return 1
        if verdicts & {Verdict.ERROR, Verdict.NOT_MEASURED}:
            return 3
        return 0

    def as_json(self) -> dict[str, Any]:
        """The documented JSON object, schema ``verification/v1``."""
        summary: dict[str, Any] = {name: getattr(self.summary, name) for name in LinkSummary.__slots__}
        if self.nodes is not None:
            summary["nodes"] = {name: getattr(self.nodes, name) for name in NodeSummary.__slots__}
        coverage = [
            {
                "id": c.id,
                "subjects": c.subjects,
                "pass": c.passed,
                "fail": c.failed,
                "not_measured": c.not_measured,
                "not_applicable": c.not_applicable,
                "error": c.error,
            }
            for c in self.coverage
        ]
        return {
            "schema": "verification/v1",
            "kind": self.kind,
            "exit": self.exit_code,
            "plan_hash": self.plan_hash,
            "summary": summary,
            "findings": [f.as_json() for f in self.findings],
            "repairs": [r.as_json() for r in repairs(self.repairs)],
            "coverage": {"checks": coverage},
            "notes": list(self.notes),
            "unproven": list(self.unproven),
            **({"details": self.details} if self.details else {}),
        }
