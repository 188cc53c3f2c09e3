"""Moves as a crew reads them: what to do next, and the way back."""

from __future__ import annotations

from typing import Sequence

from asbuilt.model.verdict import Move

CAPTURE_AGAIN = "then capture again"


def next_step(moves: list[Move], *, ring: bool, only_missing: bool) -> str:
    """What to do about misplaced cables. Of a ring all ends come out before the first goes in."""
    if only_missing:
        ends = moves[0].cable
        return f"look at both ends of {ends}: cable seated, transceiver, link type of the port; {CAPTURE_AGAIN}"
    told = acts(moves[:8], len(moves), " under repairs")
    first = "take all these ends out before the first goes in: " if ring else ""
    return f"{first}{told}; {CAPTURE_AGAIN}"


def acts(moves: Sequence[Move], count: int, where: str = "") -> str:
    """The first of ``count`` moves in a row; ``where`` says where the others stand."""
    told = "; ".join(_act(m) for m in moves)
    return told + (f"; and {count - len(moves)} more{where}" if count > len(moves) else "")


def revert(moves: list[Move], *, only_missing: bool) -> str:
    """The way back ends where it began: what was plugged in last comes out first, what was taken out first goes in last."""
    if only_missing:
        return "nothing is moved"
    new = _some([m.cable for m in moves if not m.take])
    back = _some([f"{m.put} → {m.take}" for m in moves if m.take and m.put])
    out = _some([m.cable for m in moves if m.take and not m.put])
    said = (new and f"take out {new}", back and f"put the ends back: {back}", out and f"plug in again {out}")
    return "; ".join(filter(None, said))


def _act(move: Move) -> str:
    if not move.take:
        return f"plug in {move.cable}"
    return f"{move.take} → {move.put}" if move.put else f"take out {move.cable}"


def _some(texts: list[str]) -> str:
    return "; ".join(texts[:4]) + (f"; and {len(texts) - 4} more" if len(texts) > 4 else "")
