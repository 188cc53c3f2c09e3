"""One fault: as it is asked, and as it was done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as asked: its kind and its arguments, resolved against no plan yet."""

    kind: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}:{','.join(self.arguments)}" if self.arguments else self.kind


@dataclass(frozen=True, slots=True)
class Injected:
    """One fault as done: the planned links it touches and how many physical exchanges mend it.

    ``moves`` is the number of cable-end exchanges that undo it (a swap is one, a rotation over r rails r - 1, a
    pulled cable one); None when no cable move mends it (power, link layer, identity). ``findings`` are the subjects, each
    with the checks of which one must name it, of a fault that no cable shows; ``follows`` the checks that may speak besides.
    """

    fault: Fault
    links: tuple[str, ...]
    moves: int | None
    findings: tuple[tuple[tuple[str, ...], str], ...] = ()
    follows: tuple[str, ...] = ()
