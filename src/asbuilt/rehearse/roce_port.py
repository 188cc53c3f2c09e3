"""A port end of RDMA over Ethernet as its device is set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: A code point that no class of the plan uses by default.
OTHER_DSCP = 10
CODE_POINTS = 64
PRIORITIES = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One setting of one hop that is not as planned; ``device`` is a display name or a key.

    The setting ``unread`` (True) takes the hop out of every capture."""

    device: str
    interface: str
    setting: str
    value: Any


@dataclass(frozen=True, slots=True)
class Port:
    """One port end as its device is set; `roce_captures.SETTINGS` says what may change. ``marked``: the queue that marks."""

    name: str
    interface: str
    dialect: str
    label: str
    pfc: tuple[int, ...]
    trust: str
    mark: int
    dscp: int
    dscp_priority: int
    cnp_dscp: int
    cnp_priority: int
    other_dscp_priority: int
    priority: int
    queue: int
    marked: int
    notify: int
    cnp_queue: int
    ecn: bool
    ecn_min_bytes: int
    ecn_max_bytes: int
    ecn_probability: int
    mtu_bytes: int
    speed_gbps: float
    cable_m: float
    headroom_bytes: int
    up: bool = True
    unread: bool = False

    def priority_of(self, dscp: int) -> int:
        """What the port takes a code point for: an eighth of it, but for those that are set."""
        held = {OTHER_DSCP: self.other_dscp_priority, self.dscp: self.dscp_priority, self.cnp_dscp: self.cnp_priority}
        return held.get(dscp, dscp // PRIORITIES)

    def queue_of(self, priority: int) -> int:
        """Queue of a priority: those of RDMA and notifications, all others in queue 0."""
        return {self.priority: self.queue, self.notify: self.cnp_queue}.get(priority, 0)
