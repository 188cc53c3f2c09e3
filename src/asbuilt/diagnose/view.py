"""What every cause of misplaced cables looks at: boxes behind port slots, links behind rows, where a box stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.diagnose.cabling_tables import PortNames
from asbuilt.diagnose.links import Compared
from asbuilt.diagnose.moves import MOVE, PLUG, Step
from asbuilt.diagnose.uniform import Crossings
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Move

Array = np.ndarray[Any, Any]


class View:
    """A compared fabric in words: what ports, links and boxes are called, and where they are.

    A box is what stands in one place: a switch, or a node with all its NICs. ``whys`` gives the reason why each check matters.
    """

    def __init__(self, plan: Plan, compared: Compared, names: PortNames, whys: dict[str, str]) -> None:
        self.plan, self.compared, self.names, self.whys = plan, compared, names, whys
        self.box = _boxes(plan, compared)
        self.crossings = Crossings(compared, self.box)
        self._links = plan.links["link"]
        self.is_switch = compared.names["is_switch"].to_numpy()
        self._links_of: Array | None = None
        self._place: dict[str, str] | None = None

    def link(self, row: int) -> str:
        return str(self._links[int(self.compared.rows[row])])

    def line(self, row: int) -> str:
        """``capture:line`` that tells of a link's reference port, empty when nothing does."""
        at = int(self.compared.evidence[self.compared.a[row]])
        if at < 0:
            return ""
        return self.compared.measured.line(at)

    def slot_box(self, slot: int) -> int:
        slots = self.compared.slots
        return int(self.box[slots.device[slot]]) if 0 <= slot < len(slots) else -1

    def port(self, slot: int) -> int:
        """The port number of a slot."""
        return int(self.compared.slots.port(np.array([slot]))[0])

    def on_switch(self, slot: int) -> bool:
        """True for a port of a switch that is known."""
        slots = self.compared.slots
        return 0 <= slot < len(slots) and bool(self.is_switch[slots.device[slot]])

    def key(self, slot: int) -> str:
        """The natural key of the device that a slot is on: a switch, or ``<node>/<nic>``."""
        return str(self.compared.names["key"][int(self.compared.slots.device[slot])])

    def planned_links(self, box: int) -> int:
        """How many planned links in scope a box has."""
        if self._links_of is None:
            owner = self.compared.slots.device
            ends = self.box[owner[self.compared.a]], self.box[owner[self.compared.b]]
            size = int(self.box.max()) + 1
            self._links_of = np.bincount(np.concatenate(ends), minlength=size) if size else np.zeros(0, np.int64)
        return int(self._links_of[box])

    def move(self, step: Step, act: int = 0) -> Move:
        """A step as a crew reads it."""
        names = self.names
        where = self.where([s for s in (step.take, step.put) if s >= 0])
        if step.kind == PLUG:
            return Move("", names(step.put), names.pair(step.put, step.keep), where, act)
        put = names(step.put) if step.kind == MOVE else ""
        return Move(names(step.take), put, names.pair(step.take, step.keep), where, act)

    def called(self, slot: int) -> str:
        """The box that a slot belongs to: the switch, or the node of a NIC."""
        device = int(self.compared.slots.device[slot])
        key, name = self.compared.names["key"][device], self.names.device(device)
        if self.compared.names["is_switch"][device]:
            return name
        nic = key.rpartition("/")[2]
        return name.removesuffix(f" {nic}") if name.endswith(f" {nic}") else name

    def where(self, slots: list[int]) -> str:
        """Rack and U of the boxes behind ``slots`` (where the plan places them), with their front-panel ports."""
        told = []
        for slot in slots[:4]:
            if slot < 0 or slot >= len(self.compared.slots):
                continue
            key = self.compared.names["key"][int(self.compared.slots.device[slot])]
            place = self.places().get(key) or self.places().get(key.rpartition("/")[0])
            told.append(f"{place}: {self.names(slot)}" if place else self.names(slot))
        more = f" and {len(slots) - len(told)} more" if len(slots) > 4 else ""
        return "; ".join(dict.fromkeys(told)) + more

    def places(self) -> dict[str, str]:
        """``rack … U …`` by device, read from the plan once."""
        if self._place is None:
            self._place = {}
            for table, key in (("switches", "switch"), ("nodes", "node")):
                if self.plan.has(table):
                    rows = self.plan.table(table).select(key, "rack", "u").drop_nulls().rows()
                    self._place.update({k: f"{rack} U{u:g}" for k, rack, u in rows})
        return self._place


def _boxes(plan: Plan, compared: Compared) -> Array:
    """A number per device that is equal for the NICs of one node."""
    import polars as pl

    named = pl.col("key").str.replace(r"/[^/]*$", "")
    box = compared.names.select(pl.when("is_switch").then("key").otherwise(named).hash().alias("box"))
    index, _ = distinct_numbers(box["box"].to_numpy())
    boxes: Array = index
    return boxes
