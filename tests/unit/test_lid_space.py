"""A subnet never plans more LIDs than there are: islands end before, or the requirement is refused."""

from __future__ import annotations

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.reach import UNICAST_LIDS
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.requirement import Plane, Planes, Requirement
from asbuilt.plan.counts import counts
from asbuilt.workflow.plan import make_plan

BOOK = load()


def asked(system: str, gpus: int, lmc: int, fabric: str | None = None, **compute: object) -> Requirement:
    plane = Plane(lmc=lmc, **compute)  # type: ignore[arg-type]
    return Requirement(name="lids", system=system, gpus=gpus, fabric=fabric, planes=Planes(compute=plane))


@pytest.mark.parametrize(
    ("system", "gpus", "lmc", "islands"),
    [
        ("dgx-h100", 1024, 0, 1),
        ("dgx-h100", 1024, 5, 1),
        ("dgx-h100", 1024, 6, 2),
        ("dgx-h100", 1024, 7, 4),  # one block of 32 nodes takes 32,768: between pods was too late
        ("gb200-nvl72", 1080, 7, 4),  # less than an SU: four racks; the aggregation nodes take 2^LMC LIDs each too
        ("l40s-8gpu", 2048, 7, 4),
    ],
)
def test_islands_end_before_the_lids_do(system: str, gpus: int, lmc: int, islands: int) -> None:
    requirement = asked(system, gpus, lmc)
    closed, plan = sizing(resolve(requirement, BOOK), BOOK), make_plan(requirement)
    assert closed.islands == islands
    assert (plan.table("subnets")["lids"].drop_nulls() <= UNICAST_LIDS).all()
    counted = counts(plan, BOOK)
    assert (counted.compute, counted.links, counted.cables) == (closed.compute, closed.links, closed.cables)


def test_a_leaf_group_past_the_lids_is_refused_with_the_limit() -> None:
    with pytest.raises(ProblemError) as caught:
        resolve(asked("dgx-b300", 1024, 7, "xdr"), BOOK)
    (problem,) = caught.value.problems.items
    assert problem.code == "REQ-412" and "73,728" in problem.what and "49,151" in problem.why
    assert resolve(asked("dgx-b300", 1024, 7, "xdr", nodes_per_leaf=36), BOOK).gpus == 1024


def test_marks_name_no_tier_that_an_island_never_reaches() -> None:
    marks = {m["id"]: m["at_gpus"] for m in sizing(resolve(asked("dgx-h100", 512, 6), BOOK), BOOK).limits}
    assert marks["island"] == 512 and "tier-3" not in marks and "restripe" not in marks
