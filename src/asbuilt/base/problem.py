"""A user's mistake, told so that it teaches: where, what, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem stands: a file (or ``<stdin>``), 1-based line and column, and the text of that line."""

    file: str
    line: int = 0
    column: int = 0
    text: str = ""
    length: int = 1

    def __str__(self) -> str:
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    ``code`` is a registered id (``docs/reference/ids.tsv``), ``what`` one sentence, ``why`` the reason it matters,
    ``fix`` what to do. The four are shown in this order; empty parts are left out.
    """

    code: str
    what: str
    place: Place | None = None
    why: str = ""
    fix: str = ""

    def render(self) -> str:
        """The problem as text: ``file:line:column: CODE what``, the line with a caret, then why and fix."""
        head = f"{self.place}: {self.code} {self.what}" if self.place else f"{self.code} {self.what}"
        lines = [head]
        if self.place and self.place.text and self.place.column:
            shown, shift = _window(self.place.text, self.place.column)
            lines.append(f"    {shown}")
            room = max(1, min(self.place.length, len(shown) - (self.place.column - 1 - shift)))
            lines.append("    " + " " * (self.place.column - 1 - shift) + "^" * room)
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


def _window(text: str, column: int, width: int = 100) -> tuple[str, int]:
    """A printable part of a line around ``column`` and how many characters were cut off in front of it."""
    start = max(0, min(column - 1 - width // 2, len(text) - width))
    return "".join(c if c.isprintable() else "\N{MIDDLE DOT}" for c in text[start : start + width]), start


@dataclass(frozen=True, slots=True)
class Problems:
    """All problems of one input, in the order of their places."""

    items: tuple[Problem, ...] = field(default_factory=tuple)

    def __bool__(self) -> bool:
        return bool(self.items)

    def render(self) -> str:
        body = "\n".join(p.render() for p in self.items)
        count = len(self.items)
        return f"{body}\n{count} problem{'s' if count != 1 else ''}"


class ProblemError(Exception):
    """Raised at the edge of a stage with every problem found in its input. The CLI turns it into exit code 2."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        items = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = Problems(items)
        super().__init__(self.problems.render())
