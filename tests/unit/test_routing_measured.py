"""Cables between switches that one end alone tells, or that both tell otherwise: what the routing engine may walk."""

from __future__ import annotations

import numpy as np

from asbuilt.checks.routing_measured import _both_ways
from asbuilt.plan.routing_fabric import HOST, NOTHING


def test_a_cable_that_one_end_tells_is_written_at_the_other_and_contradictions_are_no_cables() -> None:
    peer = np.full((3, 4), NOTHING, np.int32)
    far = np.zeros((3, 4), np.int32)
    peer[0, 1], far[0, 1] = 1, 2  # told by switch 0 alone
    peer[0, 2], far[0, 2] = 2, 1  # switch 2 says that its port 1 goes to switch 1
    peer[2, 1], far[2, 1] = 1, 1
    peer[1, 3], far[1, 3] = 2, 99  # no such port
    peer[1, 0] = HOST  # a host is no switch
    _both_ways(peer, far)
    assert peer.tolist() == [[NOTHING, 1, NOTHING, NOTHING], [HOST, 2, 0, NOTHING], [NOTHING, 1, NOTHING, NOTHING]]
    rows, ports = np.nonzero(peer >= 0)
    to, at = peer[rows, ports], far[rows, ports]
    assert (peer[to, at] == rows).all() and (far[to, at] == ports).all()
