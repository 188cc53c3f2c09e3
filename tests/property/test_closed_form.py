"""The closed form and the expanded plan share only the resolved design, and count the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.design.sizing import sizing
from asbuilt.model.design import Design, Sizing
from asbuilt.model.requirement import Cabling, Growth, Plane, Planes, Requirement, Tier
from asbuilt.plan.counts import counts
from asbuilt.plan.expand import expand

CATALOGUE = load()
SYSTEMS = CATALOGUE.ids("system")
COUNTED = (
    "gpus",
    "nodes",
    "racks_by_role",
    "nvlink_domains",
    "compute",
    "storage_switches",
    "frontend_switches",
    "management_switches",
    "oob_switches",
    "links",
    "cables",
    "optics",
    "islands",
    "planes",
)
#: Rounded to a tenth on either side, after sums in another order.
MEASURED = ("it_kw", "it_expected_kw", "facility_kw", "liquid_kw", "air_kw", "coolant_l_min", "airflow_m3_h")


def profiles(system: str) -> list[str]:
    """Fabric profiles that the system's catalogue entry says fit it."""
    return [str(f) for f in CATALOGUE.get("system", system).value("fabrics")]


def differences(design: Design) -> dict[str, tuple[object, object]]:
    """What the two disagree on: plan's value, closed form's value."""
    counted, closed = counts(expand(design, CATALOGUE), CATALOGUE), sizing(design, CATALOGUE)
    return compare(counted, closed)


def compare(counted: Sizing, closed: Sizing) -> dict[str, tuple[object, object]]:
    found: dict[str, tuple[object, object]] = {}
    for name in COUNTED:
        if getattr(counted, name) != getattr(closed, name):
            found[name] = (getattr(counted, name), getattr(closed, name))
    for name in MEASURED:
        a, b = getattr(counted, name), getattr(closed, name)
        if a != pytest.approx(b, abs=0.2, rel=1e-4):
            found[name] = (a, b)
    return found


@st.composite
def requirements(draw: st.DrawFn) -> Requirement:
    """A system, a size up to 8,192 GPUs, one of its fabrics, and options that change counts."""
    system = draw(st.sampled_from(SYSTEMS))
    gpus = draw(st.one_of(st.integers(8, 512), st.integers(8, 8192), st.sampled_from((256, 512, 1024, 2048, 4096, 8192))))
    fabric = draw(st.sampled_from([None, *profiles(system)]))
    compute = Plane(
        service_ports=draw(st.sampled_from((None, 0, 1, 4))),
        oversubscription=draw(st.sampled_from((None, None, 2.0, 3.0))),
        lmc=draw(st.sampled_from((None, 1))),
        leaf=Tier(reserved_ports=draw(st.sampled_from((None, None, 2, 8))), spares=draw(st.sampled_from((None, 1, 3)))),
        spine=Tier(spares=draw(st.sampled_from((None, 1)))),
    )
    growth = Growth(node_slots=draw(st.sampled_from((None, None, 4))))
    return Requirement(name="drawn", system=system, gpus=gpus, fabric=fabric, planes=Planes(compute=compute), growth=growth)


@settings(deadline=None)
@given(requirements())
def test_the_plan_counts_what_the_closed_form_says(requirement: Requirement) -> None:
    try:
        design = resolve(requirement, CATALOGUE)
    except ProblemError:
        return  # refused alike by both: there is no design to count
    assert differences(design) == {}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("gpus", [8, 64, 384, 1016, 2304, 6000])
def test_every_system_at_every_scale(system: str, gpus: int) -> None:
    for fabric in (None, *profiles(system)):
        design = resolve(Requirement(name="fixed", system=system, gpus=gpus, fabric=fabric), CATALOGUE)
        assert differences(design) == {}, fabric


def test_islands_beyond_one_subnet() -> None:
    """40,960 GPUs with LMC 1 pass what one subnet's LIDs allow: two islands, the second one smaller."""
    lmc = Planes(compute=Plane(lmc=2))
    design = resolve(Requirement(name="islands", system="dgx-h100", gpus=16_384, planes=lmc), CATALOGUE)
    assert sizing(design, CATALOGUE).islands > 1
    assert differences(design) == {}


def test_the_comparison_can_fail() -> None:
    design = resolve(Requirement(name="x", system="dgx-h100", gpus=248), CATALOGUE)
    closed = sizing(design, CATALOGUE)
    counted = counts(expand(design, CATALOGUE), CATALOGUE)
    assert set(compare(replace(counted, cables=counted.cables + 1, it_kw=counted.it_kw + 5), closed)) == {"cables", "it_kw"}


def test_copper_asked_for_shows_in_both() -> None:
    """`cabling.prefer` changes lengths and parts, never how many links there are."""
    asked = Requirement(name="x", system="dgx-h100", gpus=64, cabling=Cabling(prefer="single-mode"))
    assert differences(resolve(asked, CATALOGUE)) == {}


def test_a_run_that_no_medium_reaches_is_counted_and_found() -> None:
    """Storage runs of 51 m through a splitter that reaches 50 m: the cables are counted, the design check names them."""
    from asbuilt.model.verdict import Layer, Verdict
    from asbuilt.workflow.check import check

    design = resolve(Requirement(name="far", system="gb200-nvl72", gpus=8137), CATALOGUE)
    assert differences(design) == {}
    far = [f.id for f in check(expand(design, CATALOGUE)).findings if f.layer is Layer.DESIGN and f.verdict is Verdict.FAIL]
    assert far == ["DES-044"]
