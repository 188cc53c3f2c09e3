"""Nodes that are all crossed the same way: what only a plan can show, since within the fabric every node looks like the next.

A crossing is a ring of cables whose NIC ends all belong to one node, each plugged where another NIC of that node should be.
Nodes with the same crossing have one cause: a drawing that was read the wrong way round, or a NIC numbering that is not the
planned one. One finding says so, whichever leaves their cables end on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.diagnose.links import Compared
from asbuilt.diagnose.moves import Tangle

Array = np.ndarray[Any, Any]
Crossing = tuple[tuple[str, str], ...]
_ALIKE = 3  # two nodes may be crossed alike by chance


class Crossings:
    """The crossings of a compared fabric. ``box`` numbers the device that a slot's device belongs to (the node of a NIC)."""

    def __init__(self, compared: Compared, box: Array) -> None:
        self.compared, self.box = compared, box
        self.partner = np.full(len(compared.slots), -1, np.int64)
        self.partner[compared.a], self.partner[compared.b] = compared.b, compared.a
        self.is_switch = compared.names["is_switch"].to_numpy()

    def of(self, tangle: Tangle) -> Crossing | None:
        """(NIC, the NIC in whose place it is) of each NIC of the node that ``tangle`` crosses, None for any other tangle."""
        slots = self.compared.slots
        if not tangle.ring or max(tangle.slots) >= len(slots):
            return None
        ends = [s for s in tangle.slots if not self.is_switch[slots.device[s]]]
        if len(ends) * 2 != len(tangle.slots):
            return None
        pairs = []
        for end in ends:
            far = int(self.compared.far[end])
            other = int(self.partner[far]) if 0 <= far < len(slots) else -1
            if other < 0 or self.box[slots.device[other]] != self.box[slots.device[ends[0]]]:
                return None
            pairs.append((self._nic(end), self._nic(other)))
        return tuple(sorted(pairs))

    def _nic(self, slot: int) -> str:
        return str(self.compared.names["key"][int(self.compared.slots.device[slot])]).rpartition("/")[2]

    def cause(self, group: list[Tangle]) -> str | None:
        """One sentence for a group of alike crossings, None for any other group."""
        crossing = self.of(group[0])
        if crossing is None or len(group) < _ALIKE or any(self.of(t) != crossing for t in group[1:]):
            return None
        keys = self.compared.names["key"].gather(np.unique(self.compared.slots.device[self.compared.b]))
        having = [set(keys.filter(keys.str.ends_with(f"/{nic}")).str.replace(r"/[^/]*$", "").to_list()) for nic, _ in crossing]
        every = "all " if len(set.intersection(*having)) == len(group) else ""
        if len(crossing) == 2:
            how = f"{crossing[0][0]} and {crossing[1][0]} are exchanged at each"
        else:
            how = "at each " + ", ".join(f"{nic} is in the place of {other}" for nic, other in crossing)
        return (
            f"{every}{len(group)} nodes are crossed the same way: {how}; the cables, or the plan's idea of which NIC is which"
        )
