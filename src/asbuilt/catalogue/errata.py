"""Known errors in published tables, and contradictions between sources with the figure used for each purpose."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from asbuilt.base.origin import Confidence

_FILE = Path(__file__).parent / "data" / "errata.yaml"
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Erratum:
    """A cell of a published table that is wrong: where, what is printed, what is right."""

    id: str
    where: str
    printed: str
    correct: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Use:
    """One figure of the catalogue (``part`` is ``kind/id``) and the purpose that it serves."""

    part: str
    key: str
    purpose: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two published statements that cannot both hold, and which figures serve which purpose."""

    id: str
    topic: str
    first: str
    second: str
    confidence: Confidence
    advice: str
    used: tuple[Use, ...]


@functools.cache
def _data() -> dict[str, list[dict[str, Any]]]:
    data: dict[str, list[dict[str, Any]]] = yaml.load(_FILE.read_bytes(), Loader=_Loader)  # noqa: S506  (a safe loader)
    return data


def errata() -> tuple[Erratum, ...]:
    """The known errors in published tables, in id order."""
    return tuple(
        Erratum(r["id"], r["where"], r["printed"], r["correct"], Confidence(r["confidence"])) for r in _data()["errata"]
    )


def contradictions() -> tuple[Contradiction, ...]:
    """The known contradictions between sources, in id order."""
    return tuple(
        Contradiction(
            r["id"],
            r["topic"],
            r["first"],
            r["second"],
            Confidence(r["confidence"]),
            r.get("advice", ""),
            tuple(Use(u["part"], u["key"], u["for"]) for u in r["used"]),
        )
        for r in _data()["contradictions"]
    )
