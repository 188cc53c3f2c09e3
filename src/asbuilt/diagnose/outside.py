"""Notes on what was measured and judged by nobody, because it is outside of what the plan's number was made for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

from asbuilt.model.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

_PREFIX = "PERF-"
_SHOWN = 3


def outside_notes(asked: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """One note per check of speed and reason, with the subjects that it holds for: their verdicts are ``not_applicable``."""
    import polars as pl

    notes = []
    for id, frame in sorted(asked.items()):
        if not id.startswith(_PREFIX):
            continue
        rows = frame.filter(
            (pl.col("verdict") == Verdict.NOT_APPLICABLE.value) & pl.col("found").is_not_null() & (pl.col("subject") != "plan")
        )
        reasons = rows.group_by("found").agg(pl.col("subject").unique().sort()).sort("found")
        for reason, subjects in reasons.rows():
            shown = ", ".join(subjects[:_SHOWN])
            more = f" and {len(subjects) - _SHOWN} more" if len(subjects) > _SHOWN else ""
            verb = "is" if len(subjects) == 1 else "are"
            notes.append(f"{id}: {shown}{more} {verb} not judged: {reason}")
    return tuple(notes)
