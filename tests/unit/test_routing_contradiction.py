"""A fabric that contradicts itself is refused before a compiled walk trusts it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asbuilt.model.decode_requirement import decode
from asbuilt.plan.forwarding import forwarding_of
from asbuilt.plan.routing_fabric import HOST, NOTHING, Fabric, contradiction, fabric_of
from asbuilt.workflow import templates
from asbuilt.workflow.plan import make_plan


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    return fabric_of(make_plan(decode(templates.text("l40s-384").encode(), "l40s-384")), "ib0")


def at(fabric: Fabric, host: bool) -> tuple[int, int]:
    rows, ports = np.nonzero((fabric.peer <= HOST) if host else (fabric.peer >= 0))
    return int(rows[0]), int(ports[0])


def test_a_planned_fabric_and_a_degraded_one_agree_with_themselves(fabric: Fabric) -> None:
    assert contradiction(fabric) == ""
    row, port = at(fabric, host=False)
    assert contradiction(fabric.without(np.array([[row, port]]), np.array([1]))) == ""


@pytest.mark.parametrize(
    ("host", "value", "text"),
    [
        (False, 10_000, "a cable leads to a switch, a host or a port that is not there"),
        (False, HOST - 10_000, "a cable leads to a switch, a host or a port that is not there"),
        (False, NOTHING, "a cable between switches is known from one end only"),
        (True, NOTHING, "a host hangs on a port that leads elsewhere"),
    ],
)
def test_a_cable_that_leads_nowhere_or_has_one_end(fabric: Fabric, host: bool, value: int, text: str) -> None:
    peer = fabric.peer.copy()
    peer[at(fabric, host)] = value
    broken = replace(fabric, peer=peer)
    assert contradiction(broken) == text
    with pytest.raises(ValueError, match=f"subnet ib0: {text}"):
        forwarding_of(broken)


def test_a_host_that_says_another_port_and_a_lid_that_is_none(fabric: Fabric) -> None:
    port = fabric.host_port.copy()
    port[0] += 1
    assert contradiction(replace(fabric, host_port=port)) == "a host hangs on another port than the switch says"
    for lid in (-1, 70_000):
        lids = fabric.host_lid.copy()
        lids[0] = lid
        assert contradiction(replace(fabric, host_lid=lids)) == "a LID is none"
