"""UFM and subnet manager ports that nobody asked for go where there is room; those that were asked for are held to."""

from __future__ import annotations

import pytest

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.requirement import Plane, Planes, Requirement
from asbuilt.model.verdict import Verification
from asbuilt.plan.counts import counts
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.size import size

BOOK = load()


def requirement(gpus: int, **compute: object) -> Requirement:
    planes = Planes(compute=Plane(**compute)) if compute else Planes()  # type: ignore[arg-type]
    return Requirement(name="services", system="dgx-h100", gpus=gpus, planes=planes)


def ports_short(verification: Verification) -> list[str]:
    return [f.found for f in verification.findings if f.id == "DES-001"]


@pytest.mark.parametrize(("gpus", "links"), [(248, 4), (504, 4), (760, 4), (1016, 4), (256, 0), (512, 0), (1024, 0)])
def test_published_units_leave_room_on_leaves_and_full_ones_do_not(gpus: int, links: int) -> None:
    answer = size("dgx-h100", gpus)
    assert answer.links.service == links
    told = [w for w in answer.warnings if w.startswith("compute: ") and "UFM" in w]
    assert bool(told) is (links == 0), "what is left out is said"
    plan = make_plan(requirement(gpus))
    assert ports_short(check(plan)) == [], "nobody asked for these ports: no finding"
    assert counts(plan, BOOK).links == answer.links


def test_full_leaves_send_the_services_to_free_spine_ports() -> None:
    design = resolve(requirement(768), BOOK)
    compute = design.plane("compute")
    assert compute is not None and (compute.service_at, compute.service_ports, compute.service_unplaced) == ("spine", 4, 0)
    assert any(a.path == "planes.compute.service_at" for a in design.assumptions)
    plan = make_plan(requirement(768))
    ends = plan.links.filter((plan.links["kind"] == "service") & (plan.links["plane"] == "compute"))
    assert ends.height == 4 and all("/spine-" in device for device in ends["a_device"])


def test_what_was_left_out_is_assumed_once_and_as_it_is() -> None:
    said = [a for a in resolve(requirement(1024), BOOK).assumptions if a.path == "planes.compute.service_ports"]
    assert [a.value for a in said] == [0] and "no further port is free" in said[0].why


def test_ports_that_the_owner_asks_for_are_a_finding_where_there_are_none() -> None:
    (found,) = ports_short(check(make_plan(requirement(1024, service_ports=4))))
    assert found == "68 ports asked for, 4 without a port"


def test_sixty_four_gpus_are_one_switch_unless_services_are_asked_for() -> None:
    assert size("dgx-h100", 64).compute.total == 1
    asked = resolve(requirement(64, service_ports=4), BOOK).plane("compute")
    assert asked is not None and asked.spine is not None
