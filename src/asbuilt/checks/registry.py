"""The register of checks. A check is a pure function of plan and facts that answers one claim with a verdict frame."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable

from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import VERDICTS, Layer, Severity

if TYPE_CHECKING:
    import polars as pl

CheckFunction = Callable[[Plan, Facts], "pl.DataFrame"]
ID = re.compile(r"^(DES|FAB|NET|GPU|NOD|STO|PWR|COO|CAB|SW|PERF)-\d{3}$")
DOC_PARTS = ("Why:", "Measured by:", "Repair:", "Source:")


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check. Without a plan table of ``needs`` it is not applicable, without one of ``facts`` not measured."""

    id: str
    layer: Layer
    severity: Severity
    needs: tuple[str, ...]
    facts: tuple[str, ...]
    since: str
    function: CheckFunction

    @property
    def claim(self) -> str:
        """The first line of the docstring: what the check claims."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    @property
    def doc(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")

    def run(self, plan: Plan, facts: Facts) -> pl.DataFrame:
        """Verdicts of this check, conforming to `VERDICTS`. An absent plan table or fact table is one telling row."""
        import polars as pl

        absent = [t for t in self.needs if not plan.has(t)]
        if absent:
            return self._one("not_applicable", f"outside the plan's scope: no {', '.join(absent)}")
        unmeasured = [t for t in self.facts if not facts.has(t)]
        if unmeasured:
            return self._one("not_measured", f"no {', '.join(unmeasured)} in any capture")
        frame = self.function(plan, facts)
        return VERDICTS.conform(frame.with_columns(pl.lit(self.id).alias("check_id")))

    def answer(self, plan: Plan, facts: Facts) -> pl.DataFrame:
        """As `run`, but a check that stops answers ``error``: it never passes and never hides what the others found."""
        import polars as pl

        try:
            return self.run(plan, facts)
        except (Exception, pl.exceptions.PanicException) as error:
            return self._one("error", f"{type(error).__name__}: {error}".splitlines()[0])

    def _one(self, verdict: str, found: str) -> pl.DataFrame:
        import polars as pl

        return VERDICTS.conform(
            pl.DataFrame({"check_id": [self.id], "subject": ["plan"], "verdict": [verdict], "found": [found]})
        )


_CHECKS: dict[str, Check] = {}


def check(
    id: str,
    *,
    layer: Layer,
    severity: Severity = Severity.MAJOR,
    needs: tuple[str, ...] = (),
    facts: tuple[str, ...] = (),
    since: str,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check. Its docstring must name the claim, then Why, Measured by, Repair and Source.

    Raises ``ValueError`` at import for a malformed or repeated id or an incomplete docstring.
    """

    def register(function: CheckFunction) -> CheckFunction:
        if not ID.match(id):
            raise ValueError(f"check id {id!r} does not follow {ID.pattern}")
        if id in _CHECKS:
            raise ValueError(f"check id {id} is used twice")
        missing = [part for part in DOC_PARTS if part not in (function.__doc__ or "")]
        if missing:
            raise ValueError(f"check {id}: its docstring lacks {', '.join(missing)}")
        _CHECKS[id] = Check(id, layer, severity, needs, facts, since, function)
        return function

    return register


def checks() -> dict[str, Check]:
    """Every registered check by id, after importing all topic modules."""
    import importlib
    import pkgutil

    import asbuilt.checks as package

    for module in sorted(m.name for m in pkgutil.iter_modules(package.__path__)):
        if module != "registry":
            importlib.import_module(f"asbuilt.checks.{module}")
    return dict(sorted(_CHECKS.items()))
