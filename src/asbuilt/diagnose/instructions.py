"""Moves as a crew reads them: what to do next, and the way back."""

from __future__ import annotations

from asbuilt.model.verdict import Move

CAPTURE_AGAIN = "then capture again"


def next_step(moves: list[Move], *, ring: bool, only_missing: bool) -> str:
    """What to do about misplaced cables. Of a ring all ends come out before the first goes in."""
    if only_missing:
        ends = moves[0].cable
        return f"look at both ends of {ends}: cable seated, transceiver, link type of the port; {CAPTURE_AGAIN}"
    told = acts(moves, 8, " under repairs")
    first = "take all these ends out before the first goes in: " if ring else ""
    return f"{first}{told}; {CAPTURE_AGAIN}"


def acts(moves: list[Move], most: int = 4, where: str = "") -> str:
    """The moves in a row, cut after ``most``; ``where`` says where the others stand."""
    return "; ".join(_act(m) for m in moves[:most]) + (f"; and {len(moves) - most} more{where}" if len(moves) > most else "")


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
