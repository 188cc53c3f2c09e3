"""Use case: own people, a specialist crew, or both. Plans the site, reads the question, simulates, answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from asbuilt.base.origin import Confidence, Origin
from asbuilt.base.problem import Place, Problem, ProblemError

if TYPE_CHECKING:
    from asbuilt.model.assumption import Assumptions
    from asbuilt.model.crew_question import Question
    from asbuilt.model.decision import Decision
    from asbuilt.model.plan import Plan

#: Runs that may be asked for; deployments x packages from which processes pay for their start.
MOST_RUNS, _WORTH_PROCESSES = 1_000_000, 20_000_000
#: Processes that may be asked for: more would only wait for memory.
MOST_PROCESSES = 1_024
_AUDIT_SHARE, _GPU_HOUR = "money.audit_share", "money.gpu_hour"
_GONE = "claims of sellers are left out, and a wide range stands in the place of each"
_SHORTER = "state fewer minutes for a piece, or slopes nearer to 1 (learning.slope, experience.fault_slope)"


def decide(
    source: str | None,
    folder: Path,
    *,
    size: str | None = None,
    file: Path | None = None,
    gpu_hour: float | None = None,
    runs: int = 20_000,
    seed: int = 1,
    without_claims: bool = False,
    processes: int | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Decision:
    """The decision for ``source`` (a project folder, a `cluster.yaml`, a template; None: the project in ``folder``).

    ``size``: the same site with another number of GPUs (`1024`) or compute racks (`100racks`), planned anew. ``file``: the
    question, else the project's `decide.yaml` where there is one. ``gpu_hour``: value of a GPU-hour, stated.
    ``without_claims``: every claimed value left out. ``processes``: how many share the runs; None: as many as there are
    cores where it pays. Raises ``ProblemError`` CLI-080 (no such site), CLI-107 (a number out of range), CLI-102 (work that
    would never end), those of `make_plan` and `read_question`.
    """
    from asbuilt.decide.answer import Asked, answer
    from asbuilt.decide.quantities import counted
    from asbuilt.decide.schedule_input import TooLongError
    from asbuilt.decide.tasks import tasks
    from asbuilt.workflow.assumptions import defaults, for_system
    from asbuilt.workflow.decide_sizes import Sizes
    from asbuilt.workflow.grow import named

    _in_range(runs, seed, gpu_hour, processes)
    tell("planning")
    plan, home = _planned(source, folder, size)
    stated = file if file is not None else _beside(home)
    assumptions = for_system(defaults(), plan.design.requirement.system if plan.design else "")
    asked, unclaimed = (
        replace(_question(stated, plan, believed, gpu_hour), runs=runs, seed=seed)
        for believed in (assumptions, assumptions.without_claims())
    )
    if without_claims:
        gone = [item.id for item in asked.assumptions if item.origin is Origin.CLAIMED]
        asked = replace(unclaimed, notes=(f"{_GONE}: {', '.join(gone) or 'there are none'}", *unclaimed.notes))
    share = asked.assumptions[_AUDIT_SHARE].mean
    work = tasks(plan, share)
    _warm()
    sizes = Sizes(plan, work, share, lambda: named(source if source is not None else ".", folder))
    question = Asked(work, counted(plan), plan.plan_hash, asked, unclaimed, sizes)
    with ExitStack() as stack:
        executor = None
        count = _processes(processes, runs * len(work.package) * len(asked.arrangements))
        if count > 1:
            from concurrent.futures import ProcessPoolExecutor
            from multiprocessing import get_context

            executor = stack.enter_context(ProcessPoolExecutor(count, get_context("spawn")))
        try:
            return answer(question, executor, tell)
        except TooLongError as error:
            place = Place(str(stated)) if stated is not None else None
            raise ProblemError(Problem("CLI-102", str(error), place, fix=_SHORTER)) from None


def _in_range(runs: int, seed: int, gpu_hour: float | None, processes: int | None) -> None:
    from asbuilt.workflow.assumptions import limits

    wrong = []
    if not 1 <= runs <= MOST_RUNS:
        wrong.append(f"runs is a whole number from 1 to {MOST_RUNS:,}, not {runs:,}")
    if seed < 0:
        wrong.append(f"the seed is a whole number from 0 on, not {seed}")
    dearest = (limits()[_GPU_HOUR].most or 0.0) if gpu_hour is not None else 0.0
    if gpu_hour is not None and not 0.0 <= gpu_hour <= dearest:
        wrong.append(f"the value of a GPU-hour is a number from 0 to {dearest:,.0f}, not {gpu_hour:g}")
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        wrong.append(f"processes is a whole number from 1 to {MOST_PROCESSES:,}, not {processes:,}")
    if wrong:
        raise ProblemError(Problem("CLI-107", "; ".join(wrong), fix="state another number, or leave it out"))


def _planned(source: str | None, folder: Path, size: str | None) -> tuple[Plan, Path | None]:
    """The plan of the site, and the folder where its question may lie."""
    from asbuilt.workflow.grow import named, sized
    from asbuilt.workflow.plan import make_plan

    what = named(source if source is not None else ".", folder)
    path = folder / (source if source is not None else ".")
    home = path if path.is_dir() else path.parent if path.is_file() else None
    if size is not None:
        what = sized(what, size)
    return make_plan(what.requirement, what.catalogue), home


def _beside(home: Path | None) -> Path | None:
    from asbuilt.workflow.crew_file import FILE

    return home / FILE if home is not None and (home / FILE).is_file() else None


def _question(file: Path | None, plan: Plan, assumptions: Assumptions, gpu_hour: float | None) -> Question:
    from asbuilt.decide.quantities import rack_kinds
    from asbuilt.workflow.crew_file import read_question

    kinds = rack_kinds(plan.tables)["kind"]
    liquid = bool((kinds == "liquid").any())
    question = read_question(file, plan.name, plan.table("racks").height, liquid, assumptions)
    if gpu_hour is None:
        return question
    item = question.assumptions[_GPU_HOUR]
    stated = replace(
        item, low=gpu_hour, likely=gpu_hour, high=gpu_hour, origin=Origin.DECLARED, confidence=Confidence.HIGH,
        source="stated with the command (--gpu-hour)", removed=None, removed_why="",
    )  # fmt: skip
    return replace(question, assumptions=question.assumptions.with_own({_GPU_HOUR: stated}))


def _warm() -> None:
    """Load the compiler, unless it is switched off: staffing alone simulates thousands of single deployments."""
    from asbuilt.base.kernel import numba_wanted

    if numba_wanted(1, 1):
        import numba  # noqa: F401


def _processes(asked: int | None, cells: int) -> int:
    """Processes that share the runs; one where their start costs more than they save."""
    import os

    if asked is not None:
        return asked
    return max(1, len(os.sched_getaffinity(0)) if cells >= _WORTH_PROCESSES else 1)
