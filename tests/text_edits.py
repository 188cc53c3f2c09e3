"""Texts that somebody's hand or a bad line has been at, for tests of what parsers make of them."""

from __future__ import annotations


def edited(text: str, edits: list[tuple[float, int, str]]) -> bytes:
    """``text`` with pieces taken out and signs put in: each edit is (where, as a share of the text, how many, sign)."""
    for where, gone, sign in edits:
        at = int(where * len(text))
        text = text[:at] + sign + text[at + gone :]
    return text.encode("utf-8", "replace")
