"""The same site with other numbers of compute racks, for lines of break-even: planned anew, and only between plans scaled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.decide.tasks import Tasks
    from asbuilt.model.plan import Plan
    from asbuilt.model.requirement import Requirement
    from asbuilt.workflow.grow import Named

#: Compute racks for which a plan is made when that size, or one near it, is asked for.
PLANNED = (2, 4, 8, 16, 32, 64, 100, 128, 200)


class Sizes:
    """The packages of a site by its number of compute racks.

    A size of ``PLANNED`` is planned from the site's own requirement (``start`` reads it) when it is first asked for; where what
    the requirement dictates has no plan there, with as little of it left out as does, which ``notes`` tell. Any other size is
    scaled from the plan that is nearest in ratio. At the site's own size it is ``own``.
    """

    def __init__(self, plan: Plan, own: Tasks, audit_share: float, start: Callable[[], Named]) -> None:
        from asbuilt.workflow.grow import compute_racks, gpus_per_rack

        self._own, self._share, self._start = compute_racks(plan), audit_share, start
        self._per_rack = gpus_per_rack(plan)
        self._made: dict[int, Tasks | None] = {self._own: own}
        self._told: dict[int, str] = {}

    def __call__(self, racks: int, /) -> Tasks:
        """Packages of the site with so many compute racks. Raises ``ValueError`` as `scaled` does."""
        from asbuilt.decide.scaled import scaled

        for base in sorted({*PLANNED, self._own}, key=lambda size: abs(math.log(max(racks, 1) / size))):
            made = self._at(base)
            if made is not None:
                return scaled(made, racks)
        raise AssertionError("the site itself is planned")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as the requirement has it, the smallest size first."""
        return tuple(self._told[racks] for racks in sorted(self._told))

    def _at(self, racks: int) -> Tasks | None:
        if racks not in self._made:
            self._made[racks] = self._planned(racks)
        return self._made[racks]

    def _planned(self, racks: int) -> Tasks | None:
        from asbuilt.base.problem import ProblemError
        from asbuilt.decide.tasks import tasks
        from asbuilt.workflow.grow_ahead import at_size, freed
        from asbuilt.workflow.plan import make_plan

        start = self._start()
        wanted = at_size(start.requirement, racks * self._per_rack)
        tried: list[tuple[str, Requirement]] = [("", wanted), *freed(wanted)]
        for words, requirement in tried:
            try:
                made = tasks(make_plan(requirement, start.catalogue), self._share)
            except (ProblemError, ValueError):
                continue
            if words:
                self._told[racks] = f"{racks} racks are planned without {words}: with it there is no plan of that size"
            return made
        self._told[racks] = f"{racks} racks have no plan of this requirement; the site is scaled from the nearest that has"
        return None
