"""The word that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], lead: str = "; did you mean ") -> str:
    """``; did you mean x?`` for the closest known word, or an empty text."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"{lead}{found[0]}?" if found else ""
