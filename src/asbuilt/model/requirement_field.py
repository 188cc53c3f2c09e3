"""How a field of the requirement is declared: meaning, unit, bounds. Schema, decoder and reference page are made from it."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def spec(
    meaning: str,
    *,
    unit: str = "",
    default: Any = None,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
    required: bool = False,
    shortest: int | None = None,
    longest: int | None = None,
) -> Any:
    """A requirement field: meaning, unit, bounds, allowed words. ``default`` stands when the file is silent.

    For a list, ``least``, ``most``, ``choices`` and ``pattern`` hold for each item; ``shortest`` and ``longest`` bound
    its length. For text, the two bound the number of characters.
    """
    meta = {
        "meaning": meaning,
        "unit": unit,
        "least": least,
        "most": most,
        "choices": choices,
        "pattern": pattern,
        "required": required,
        "shortest": shortest,
        "longest": longest,
    }
    return field(default=default, metadata=meta)


NAME = r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,62})$"
