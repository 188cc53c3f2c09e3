"""The same site in other sizes: real plans where there are any, and what is between is scaled from the nearest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from asbuilt.decide import break_even
from asbuilt.decide.cases import Site, case_of
from asbuilt.decide.scaled import Scaled, scaled
from asbuilt.decide.simulate import expected
from asbuilt.decide.tasks import Tasks, tasks, totals
from asbuilt.workflow.decide_sizes import Sizes
from asbuilt.workflow.grow import Named, named, sized
from asbuilt.workflow.plan import make_plan
from decide_sites import question
from template_plans import made

WET, AIR = "gb300-nvl72", "l40s-384"
SHARE = 0.1


class Counting:
    """Reads a template, and counts how often that was asked."""

    def __init__(self, template: str) -> None:
        self.template, self.asked = template, 0

    def __call__(self) -> Named:
        self.asked += 1
        return named(self.template, Path())


def of(template: str) -> tuple[Sizes, Tasks, Counting]:
    own, start = tasks(made(template), SHARE), Counting(template)
    return Sizes(made(template), own, SHARE, start), own, start


def real(template: str, racks: int) -> Tasks:
    what = sized(named(template, Path()), f"{racks}racks")
    return tasks(make_plan(what.requirement, what.catalogue), SHARE)


def same(one: Tasks, other: Tasks) -> bool:
    words = all(getattr(one, name) == getattr(other, name) for name in ("package", "rack", "rows", "racks", "gpus"))
    arrays = ("scope", "row", "pred_start", "pred", "repeat", "operations", "row_gpus")
    return words and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)


def test_its_own_size_needs_no_other_plan() -> None:
    sizes, own, start = of(WET)
    assert same(sizes(16), own) and start.asked == 0 and not sizes.notes
    assert same(sizes(14), scaled(own, 14)) and start.asked == 0


def test_a_hundred_racks_are_the_plan_of_a_hundred_racks() -> None:
    sizes, own, start = of(WET)
    plan = real(WET, 100)
    assert same(sizes(100), plan) and start.asked == 1
    # Scaled from the 16 racks of the template, a third of the trunks would be missing.
    wanted = totals(plan)
    assert totals(scaled(own, 100))["trunk_pull"] < 0.7 * wanted["trunk_pull"]
    # A size between is near: 90 racks have nine tenths of it, and nothing is planned again.
    near = totals(sizes(90))
    assert start.asked == 1
    for operation in ("link_verify", "connector_mate", "trunk_pull", "jumper_lay", "node_bring_up", "fitting_torque"):
        assert near[operation] == pytest.approx(0.9 * wanted[operation], rel=0.08), operation


def test_what_is_dictated_for_one_size_is_left_out_and_told() -> None:
    sizes, own, _ = of(AIR)
    large = sizes(64)
    assert large.racks["air"] == 64 and not same(large, scaled(own, 64))
    (note,) = sizes.notes
    assert note.startswith("64 racks are planned without ") and note.endswith(": with it there is no plan of that size")
    assert sizes(64).gpus == large.gpus and len(sizes.notes) == 1, "planned once"


def test_a_size_without_a_plan_is_scaled_from_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, own, _ = of(AIR)
    monkeypatch.setattr("asbuilt.workflow.plan.make_plan", lambda *asked: (_ for _ in ()).throw(ValueError("no such plan")))
    assert same(sizes(100), scaled(own, 100))
    assert "100 racks have no plan of this requirement; the site is scaled from the nearest that has" in sizes.notes
    sizes_told = [int(note.split()[0]) for note in sizes.notes]
    assert sizes_told == sorted(sizes_told)


def test_where_idle_gpus_cost_nothing_nobody_hurries() -> None:
    asked = question(AIR)
    cells = break_even.cells(Scaled(tasks(made(AIR), SHARE)), asked, racks=(16,))
    (free,) = [cell for cell in cells if cell.gpu_hour == 0.0 and cell.experience_racks == 10.0]
    hurried = replace(asked, own=replace(asked.own, experience_racks=10.0))
    sized = Site.of(scaled(tasks(made(AIR), SHARE), 16))
    costs: dict[str, float] = {}
    hurries: dict[str, bool] = {}
    for a in asked.arrangements:
        teams = case_of(sized, asked, a).pools.teams
        made_of = [case_of(sized, hurried, a, None, t) for t in (teams, np.ones(6, np.int64))]
        fast, slow = (float(expected(case, {"money.gpu_hour": np.zeros(1)}).cost[0]) for case in made_of)
        costs[a.id] = min(fast, slow)
        hurries[a.id] = slow > fast
    assert not hurries["in-house"], "one team of each costs least where time costs nothing, unless others wait for it"
    order = sorted(costs.values())
    assert free.winner == min(costs, key=lambda key: costs[key]) and free.margin == pytest.approx(order[1] - order[0])


def test_no_racks_are_no_site() -> None:
    sizes, _, _ = of(AIR)
    with pytest.raises(ValueError, match=r"^a site of 0 compute racks was asked for; the smallest has 1$"):
        sizes(0)
