"""Use case: everything that is known about a plan in one report: design, checks, what was measured, sources, assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue
    from asbuilt.model.plan import Plan
    from asbuilt.model.verdict import Verification


@dataclass(frozen=True, slots=True)
class Report:
    """A report in its two forms: ``document`` (schema ``report/v1``) and ``html``, one file that needs nothing else."""

    document: dict[str, Any]
    html: str
    verifications: tuple[Verification, ...]

    @property
    def exit_code(self) -> int:
        """1 when any part fails, 3 when any is undecided or nothing was judged at all, else 0."""
        from asbuilt.report.document import outcome

        words = {outcome(v)[0] for v in self.verifications}
        if "fail" in words:
            return 1
        return 3 if words & {"undecided", "nothing"} or not words else 0


def report(
    plan: Plan,
    verifications: Sequence[Verification] = (),
    catalogue: Catalogue | None = None,
    written: str = "",
) -> Report:
    """The report of ``plan`` with what was checked and measured.

    ``verifications`` are shown in the order given (design checks first). Counts come from the plan's tables when it has a
    design; ``catalogue`` (default: the built-in one) must be the one that the plan was made with. ``written`` is the time to
    print, ISO 8601; without it the same input gives the same bytes.
    """
    from asbuilt.checks.registry import checks
    from asbuilt.report.document import report_json
    from asbuilt.report.html import report_html

    sizing = None
    if plan.design is not None:
        from asbuilt.catalogue.load import load
        from asbuilt.plan.counts import counts

        sizing = counts(plan, catalogue or load())
    claims = {id_: check.claim for id_, check in checks().items()}
    document = report_json(plan, sizing, verifications, versions(), written)
    html = report_html(plan, sizing, verifications, versions(), written, claims)
    return Report(document, html, tuple(verifications))


def verification_page(verification: Verification, plan: Plan) -> str:
    """``verification`` as one HTML page, with what each check claims."""
    from asbuilt.checks.registry import checks
    from asbuilt.report.html import verification_html

    return verification_html(verification, plan, {id_: check.claim for id_, check in checks().items()})


def project_report(folder: Path, captures: Sequence[str | Path] = (), scope: str = "", reference: str = "") -> Report:
    """The report of a project folder: its stored plan, the design checks, and its captures held against the plan.

    ``captures`` are files or folders; without them the project's own ``captures/`` is read when it holds any, else the report
    says that nothing was measured. Raises ``ProblemError`` PRJ-002 to PRJ-004 and those of reading captures and scope.
    """
    from asbuilt.workflow.check import check
    from asbuilt.workflow.plan import open_plan, project_catalogue
    from asbuilt.workflow.verify import project_captures, verify

    plan = open_plan(folder, reference)
    parts = [check(plan)]
    places = list(captures) or [
        home for home in project_captures(folder) if any(not p.name.startswith(".") for p in home.iterdir())
    ]
    if places:
        parts.append(verify(plan, places, scope or None))
    return report(plan, parts, project_catalogue(folder), now())


def now() -> str:
    """The time in UTC, to the minute."""
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def versions() -> dict[str, str]:
    """Versions of the program and of the libraries that the plan was made with."""
    import platform

    import numpy as np
    import polars as pl

    from asbuilt import __version__

    return {"asbuilt": __version__, "numpy": np.__version__, "polars": pl.__version__, "python": platform.python_version()}
