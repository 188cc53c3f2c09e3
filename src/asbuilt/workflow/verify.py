"""Use case: captures of the site held against the project's plan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Sequence

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Verification
from asbuilt.workflow.captures import facts_of, read_captures
from asbuilt.workflow.compare import compare
from asbuilt.workflow.node_archives import one_thread, workers

if TYPE_CHECKING:
    import polars as pl

CAPTURES = "captures"


def verify(
    plan: Plan,
    captures: Sequence[Capture | str | Path],
    scope: str | None = None,
    guids: pl.DataFrame | None = None,
    *,
    strict: bool = False,
    required: Collection[str] = (),
    layers: Collection[Layer] = (),
) -> Verification:
    """Hold ``plan`` against ``captures`` (captures, or places of files and folders). None at all is undecided, never a pass.

    ``scope`` says what is built (``phase=1,row=A,plane=compute``); links outside it count as out of scope. ``guids`` is a
    frame guid, name. With ``strict`` unplanned links are findings, not warnings. ``required`` are ids of checks that must have
    been measured, or ``fabric``: how a gate asks for kinds of evidence (`asbuilt.workflow.required`). ``layers`` limits what is
    asked: with node alone nobody misses the cabling.
    Raises `ProblemError` for places, tools and scopes that cannot be read.
    """
    given = [c for c in captures if isinstance(c, Capture)]
    places = [c for c in captures if not isinstance(c, Capture)]
    everything = [*given, *read_captures(places)]
    count = workers(everything)
    if count:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(count, get_context("spawn"), one_thread) as executor:
            facts = facts_of(everything, executor)
    else:
        facts = facts_of(everything)
    return replace(compare(plan, facts, scope, guids, strict, required, layers), kind="verify")


def project_captures(project: Path) -> tuple[Path, ...]:
    """The project's own captures folder, when there is one."""
    folder = project / CAPTURES
    return (folder,) if folder.is_dir() else ()
