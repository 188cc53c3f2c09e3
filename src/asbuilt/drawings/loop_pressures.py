"""What the loop diagram says: each header segment and branch of a loop with its pressures, now and in the finished row.

Pressures are differences to the return at the CDU: there the supply stands at what the loop asks of the pumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

CASES = ("now", "full")


@dataclass(frozen=True, slots=True)
class Segment:
    """One header segment; ``at`` is the place of its far branch in the order from the CDU, from 1."""

    row: dict[str, Any]
    at: int
    worst: bool

    @property
    def name(self) -> str:
        """``S3`` or ``R3``."""
        return f"{str(self.row['side'])[:1].upper()}{self.row['number']}"


@dataclass(frozen=True, slots=True)
class Rung:
    """One branch with the pressures at its two taps by case, in kPa; None where the case is not solved or not built."""

    row: dict[str, Any]
    name: str
    supply: dict[str, float | None]
    back: dict[str, float | None]

    def across(self, case: str) -> float | None:
        """Pressure between supply and return tap, in kPa."""
        high, low = self.supply[case], self.back[case]
        return None if high is None or low is None else high - low


@dataclass(frozen=True, slots=True)
class Ladder:
    """A loop ready to draw: rungs in order from the CDU, header segments by side in the same order."""

    loop: dict[str, Any]
    cdus: tuple[dict[str, Any], ...]
    cases: tuple[dict[str, Any], ...]
    rungs: tuple[Rung, ...]
    segments: dict[str, tuple[Segment, ...]]
    head: dict[str, float | None]


def ladders(plan: Plan, rows: frozenset[str] | None = None) -> list[Ladder]:
    """The loops of a plan in order of their keys (of the given rows only); none for a plan without liquid cooling."""
    import polars as pl

    if not plan.has("loops") or not plan.table("loops").height:
        return []
    loops = plan.table("loops").sort(pl.col("loop").str.len_chars(), "loop")
    if rows is not None:
        loops = loops.filter(pl.col("row").is_in(sorted(rows)))
    names = dict(plan.table("racks").select("rack", "name").iter_rows()) if plan.has("racks") else {}
    parts = {name: _by_loop(plan, name, order) for name, order in _ORDER}
    return [
        _ladder(loop, {k: v.get(loop["loop"], []) for k, v in parts.items()}, names) for loop in loops.iter_rows(named=True)
    ]


_ORDER = (
    ("cdus", ("standby", "cdu")),
    ("loop_cases", ("case",)),
    ("loop_segments", ("number", "segment")),
    ("branches", ("number", "branch")),
)


def _by_loop(plan: Plan, name: str, order: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
    frame: pl.DataFrame = plan.table(name).sort(order)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(row["loop"], []).append(row)
    return found


def _ladder(loop: dict[str, Any], parts: dict[str, list[dict[str, Any]]], names: dict[str, str]) -> Ladder:
    cases = {c["case"]: c for c in parts["loop_cases"]}
    head = {case: cases[case]["need_kpa"] if case in cases else None for case in CASES}
    branches = parts["branches"]
    place = {b["rack"]: i + 1 for i, b in enumerate(branches)}
    worst = _worst(parts["loop_segments"])
    segments = {
        side: tuple(
            Segment(s, _far(s, place), s["segment"] == worst) for s in parts["loop_segments"] if s["side"] == side
        )
        for side in ("supply", "return")
    }  # fmt: skip
    drops = {
        (side, case): _sums([s for s in parts["loop_segments"] if s["side"] == side], column)
        for side in segments
        for case, column in (("now", "drop_now_kpa"), ("full", "drop_kpa"))
    }
    rungs = []
    for branch in branches:
        rack = branch["rack"]
        supply, back = {}, {}
        for case in CASES:
            there = case == "full" or branch["built"]
            down, up, top = drops["supply", case].get(rack), drops["return", case].get(rack), head[case]
            supply[case] = top - down if there and top is not None and down is not None else None
            back[case] = up if there else None
        rungs.append(Rung(branch, names.get(rack, rack.removeprefix("rack:")), supply, back))
    order = {"now": 0, "full": 1}
    told = tuple(sorted(parts["loop_cases"], key=lambda c: (order.get(c["case"], 2), c["case"])))
    return Ladder(loop, tuple(parts["cdus"]), told, tuple(rungs), segments, head)


def _far(segment: dict[str, Any], place: dict[str, int]) -> int:
    """The later of the segment's two ends; the CDU comes before the first branch, unless it closes a reversed return."""
    start, end = place.get(segment["start"], 0), place.get(segment["end"], 0)
    last = max(place.values(), default=0)
    return last + 1 if {start, end} == {0, last} and last > 1 else max(start, end)


def _worst(segments: list[dict[str, Any]]) -> str:
    """The segment that loses most pressure a metre in the finished row; the first of equals."""
    best, name = 0.0, ""
    for s in segments:
        rate = s["drop_kpa"] / s["length_m"] if s["length_m"] else 0.0
        if rate > best * (1 + _EVEN):
            best, name = rate, s["segment"]
    return name


# Relative difference below which two segments count as alike.
_EVEN = 1e-9


def _sums(segments: list[dict[str, Any]], column: str) -> dict[str, float]:
    """Pressure lost between the CDU and each rack along the segments of one side, in kPa, whichever way they are told."""
    ends: dict[str, list[tuple[str, float]]] = {}
    for s in segments:
        ends.setdefault(s["start"], []).append((s["end"], s[column]))
        ends.setdefault(s["end"], []).append((s["start"], s[column]))
    roots = [e for e in ends if e.startswith("cdu")]
    lost = dict.fromkeys(roots, 0.0)
    while roots:
        here = roots.pop()
        for there, drop in ends[here]:
            if there not in lost:
                lost[there] = lost[here] + drop
                roots.append(there)
    return lost
