"""The answer of a growth question as one value and as the document `grow/v1`."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from asbuilt.predict.acts import Act
from asbuilt.predict.breaks import BREAKS, HOLDS, MENDS, UNKNOWN, Decision
from asbuilt.predict.rates import Rates
from asbuilt.predict.reading import Reading
from asbuilt.predict.survival import Links, Survival


@dataclass(frozen=True, slots=True)
class Size:
    """One of the two plans: its name, GPUs, compute racks and hash ("" for one that is not named)."""

    name: str
    gpus: int
    racks: int
    all_racks: int
    plan_hash: str


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The same pilot planned for the target: what is ``stated`` in it, decisions that still fail there, links that stay.

    ``mended``: decisions that fail without, and hold with it. Links and cables as in `Links`.
    """

    stated: tuple[str, ...]
    failing: tuple[Reading, ...]
    links: int
    same_ends: int
    untouched: int
    mended: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """Pilot to production. ``looked_at``: numbers of compute racks that were planned; ``notes``: what the reader must know."""

    pilot: Size
    target: Size
    looked_at: tuple[int, ...]
    decisions: tuple[Decision, ...]
    survived: tuple[Survival, ...]
    links: Links
    cables: dict[str, int]
    acts: tuple[Act, ...]
    rates: Rates
    foreseen: Foreseen | None
    notes: tuple[str, ...]

    @property
    def survives(self) -> bool:
        """True when nothing of the pilot has to be done again."""
        return not self.acts and not any(d.verdict == BREAKS for d in self.decisions)

    def counted(self, verdict: str) -> int:
        """How many decisions have ``verdict``."""
        return sum(d.verdict == verdict for d in self.decisions)

    def as_json(self) -> dict[str, Any]:
        """The document `grow/v1`; numbers without a bound are null."""
        return {
            "schema": "grow/v1",
            "exit": 0 if self.survives else 1,
            "pilot": _size(self.pilot),
            "target": _size(self.target),
            "looked_at_racks": list(self.looked_at),
            "summary": {word: self.counted(word) for word in (HOLDS, BREAKS, MENDS, UNKNOWN)}
            | {
                "acts": len(self.acts),
                "hours": _total([a.hours for a in self.acts]),
                "money": _total([a.money for a in self.acts]),
            },
            "decisions": [_decision(d) for d in self.decisions],
            "survival": [
                {"table": s.table, "rows": s.rows, "kept": s.kept, "changed": list(s.changed), "gone": list(s.gone)}
                for s in self.survived
            ],
            "links": {
                "links": self.links.links,
                "same_ends": self.links.same_ends,
                "untouched": self.links.untouched,
                "moved": list(self.links.moved),
                "gone": list(self.links.gone),
            },
            "cables": self.cables,
            "rates": {"crews": self.rates.crews or 1, "currency": self.rates.currency},
            "acts": [_act(a) for a in self.acts],
            "foreseen": None
            if self.foreseen is None
            else {
                "stated": list(self.foreseen.stated),
                "failing": [reading.id for reading in self.foreseen.failing],
                "links": self.foreseen.links,
                "same_ends": self.foreseen.same_ends,
                "untouched": self.foreseen.untouched,
                "mended": list(self.foreseen.mended),
            },
            "notes": list(self.notes),
        }


def _total(values: list[float | None]) -> float | None:
    """The sum; None as soon as one is unknown."""
    known = [v for v in values if v is not None]
    return round(sum(known), 6) if len(known) == len(values) else None


def _size(size: Size) -> dict[str, Any]:
    return {
        "name": size.name,
        "gpus": size.gpus,
        "compute_racks": size.racks,
        "racks": size.all_racks,
        "plan_hash": size.plan_hash or None,
    }


def _plain(value: float | str | None) -> float | str | None:
    return None if isinstance(value, float) and not isfinite(value) else value


def _decision(decision: Decision) -> dict[str, Any]:
    reading = decision.reading
    return {
        "id": reading.id,
        "area": reading.area,
        "decision": reading.decision,
        "verdict": decision.verdict,
        "subject": reading.subject,
        "has": _plain(reading.has),
        "asked": _plain(reading.asked),
        "unit": reading.unit,
        "breaks_at_racks": decision.breaks_at,
        "holds_to_racks": decision.holds_to,
        "holds_from_racks": decision.holds_from,
        "exact": decision.exact if decision.breaks_at is not None else None,
        "source": reading.source,
        "instead": reading.instead,
        "items": list(reading.items),
    }


def _act(act: Act) -> dict[str, Any]:
    return {
        "number": act.number,
        "stage": act.stage,
        "kind": act.kind,
        "title": act.title,
        "count": act.count,
        "unit": act.unit,
        "items": list(act.items),
        "hours_each": act.hours_each,
        "hours_origin": act.hours_origin,
        "hours_confidence": "low" if act.hours_origin == "assumed" else None,
        "hours": act.hours,
        "downtime_h": act.downtime_h,
        "out_of_service": act.out or None,
        "money": act.money,
    }
