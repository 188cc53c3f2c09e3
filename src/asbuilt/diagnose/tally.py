"""Verdict frames of many checks, counted: what was told, and how often each check was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from asbuilt.model.verdict import VERDICTS, Coverage, Verdict

_TOLD = [Verdict.FAIL.value, Verdict.NOT_MEASURED.value, Verdict.ERROR.value]


def told(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The failing, undecided and broken rows of all checks: what findings are made of."""
    return pl.concat([VERDICTS.empty(), *(frame.filter(pl.col("verdict").is_in(_TOLD)) for frame in frames.values())])


def coverage(frames: Mapping[str, pl.DataFrame], behind: Mapping[str, int] | None = None) -> tuple[Coverage, ...]:
    """How often each check was asked and what it answered, by id.

    ``behind`` says for how many alike subjects one row stands where only one of them was judged.
    """
    made = []
    for id, frame in sorted(frames.items()):
        c = Counter(dict(frame["verdict"].value_counts().rows()))
        if behind:
            for subject, verdict in frame.filter(pl.col("subject").is_in(list(behind))).select("subject", "verdict").rows():
                c[verdict] += behind[subject] - 1
        made.append(Coverage(id, c.total(), c["pass"], c["fail"], c["not_measured"], c["not_applicable"], c["error"]))
    return tuple(made)
