"""Why the cabling is not as planned: one finding per cause, with the moves that mend it and how to take them back.

Devices that nobody saw come first (a switch that is off explains all its links), then one identity on two devices, then
the chains and rings of misplaced cables, told as what a crew did: ends exchanged, rails rotated, a block shifted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.diagnose.cabling_tables import PortNames
from asbuilt.diagnose.instructions import CAPTURE_AGAIN, next_step, revert
from asbuilt.diagnose.links import MISSING, WRONG, Compared
from asbuilt.diagnose.moves import MOVE, PLUG, REMOVE, Step, Tangle, tangles
from asbuilt.diagnose.uniform import Crossings
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Move, Severity, Verdict

Array = np.ndarray[Any, Any]
WRONG_END, NOT_THERE = "FAB-001", "FAB-002"
_ALIKE = 3  # so many alike exchanges between two devices have one cause


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings about misplaced and missing links, the moves that mend them in order, the exchanges that they amount to, and
    the port slots that they touch."""

    findings: tuple[Finding, ...]
    repairs: tuple[Move, ...]
    exchanges: int
    touched: frozenset[int]


def diagnose(plan: Plan, compared: Compared, names: PortNames, whys: dict[str, str]) -> Diagnosis:
    """Explain every wrong and missing link of ``compared``. ``whys`` gives the reason why each check matters."""
    view = _View(plan, compared, names, whys)
    findings, explained = _absent(view)
    doubles, told = _doubled(view, explained)
    groups = _tangled(view, explained | told)
    findings += doubles
    repairs: list[Move] = []
    exchanges = 0
    touched: set[int] = set()
    for group in groups:
        finding, moves = _finding(view, group, repairs[-1].act + 1 if repairs else 0)
        findings.append(finding)
        repairs += moves
        exchanges += sum(t.exchanges for t in group) if moves else 0
        touched.update(s for t in group for s in t.slots)
    return Diagnosis(tuple(findings), tuple(repairs), exchanges, frozenset(touched))


class _View:
    """What all causes look at: boxes behind slots, links behind rows, places of boxes."""

    def __init__(self, plan: Plan, compared: Compared, names: PortNames, whys: dict[str, str]) -> None:
        self.plan, self.compared, self.names, self.whys = plan, compared, names, whys
        self.box = _boxes(plan, compared)
        self.crossings = Crossings(compared, self.box)
        self._links = plan.links["link"]
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


def _absent(view: _View) -> tuple[list[Finding], set[int]]:
    """Devices that were not seen at all and whose planned links (two or more, or all of a switch) are all missing."""
    compared = view.compared
    missing = np.flatnonzero(compared.status == MISSING)
    if not len(missing):
        return [], set()
    owner = compared.slots.device
    is_switch = compared.names["is_switch"].to_numpy()
    planned = np.bincount(view.box[owner[np.concatenate([compared.a, compared.b])]], minlength=int(view.box.max()) + 1)
    seen_box = np.zeros(int(view.box.max()) + 1, bool)
    seen_box[view.box[compared.seen]] = True
    left = set(missing.tolist())
    findings: list[Finding] = []
    explained: set[int] = set()
    while left:
        count: Counter[int] = Counter()
        for row in left:
            for slot in (int(compared.a[row]), int(compared.b[row])):
                box = view.slot_box(slot)
                if not seen_box[box] and (is_switch[owner[slot]] or planned[box] > 1):
                    count[box] += 1
        if not count:
            break
        box, _ = max(count.items(), key=lambda item: (item[1], -item[0]))
        rows = [r for r in sorted(left) if box in (view.slot_box(int(compared.a[r])), view.slot_box(int(compared.b[r])))]
        slot = next(int(s) for r in rows for s in (compared.a[r], compared.b[r]) if view.slot_box(int(s)) == box)
        findings.append(_not_seen(view, slot, rows))
        explained |= set(rows)
        left -= set(rows)
    return findings, explained


def _not_seen(view: _View, slot: int, rows: list[int]) -> Finding:
    name = view.called(slot)
    subjects = tuple(view.link(r) for r in rows)
    return Finding(
        id=NOT_THERE,
        verdict=Verdict.FAIL,
        severity=Severity.MAJOR,
        layer=Layer.FABRIC,
        subject=view.compared.names["key"][int(view.compared.slots.device[slot])],
        expected=f"{len(rows)} links to {name}",
        found=f"{name} is not seen in any capture",
        where=view.where([slot]),
        cause=f"{name} was not discovered: off, not yet racked, all its cables out, or its ports run another link layer",
        next=f"check power, management and link type of {name}, {CAPTURE_AGAIN}",
        revert="nothing is moved",
        subjects=subjects,
        why=view.whys.get(NOT_THERE, ""),
    )


def _doubled(view: _View, explained: set[int]) -> tuple[list[Finding], set[int]]:
    """Wrong links whose far end answers with the identity of a device that is seen at another port too."""
    compared = view.compared
    wrong = [r for r in np.flatnonzero(compared.status == WRONG).tolist() if r not in explained]
    findings, told = [], set()
    for row in wrong:
        a, b = int(compared.a[row]), int(compared.b[row])
        far = int(compared.far[a])
        if not compared.doubled[far] or compared.far[b] >= 0:
            continue
        # The far side's own record names one of the two ports; which one depends on the order of the capture.
        other = next(int(s) for s in np.flatnonzero(compared.far == far) if s != a)
        identity, name = view.names(far), view.names(b)
        findings.append(
            Finding(
                id=WRONG_END,
                verdict=Verdict.FAIL,
                severity=Severity.MAJOR,
                layer=Layer.FABRIC,
                subject=view.link(row),
                expected=view.names.pair(a, b),
                found=f"{identity} answers at {view.names(a)} and at {view.names(other)}",
                where=view.where([a, b]),
                cause=f"two ports have the identity of {identity}; {name} is seen nowhere: its GUID or name was cloned",
                next=f"read GUID and node description on the device at {view.names(a)}, give it its own, {CAPTURE_AGAIN}",
                revert="no cable is moved",
                evidence=tuple(x for x in (view.line(row),) if x),
                subjects=(view.link(row),),
                why=view.whys.get(WRONG_END, ""),
            )
        )
        told.add(row)
    return findings, told


def _tangled(view: _View, explained: set[int]) -> list[list[Tangle]]:
    """Chains and rings of the links not yet explained, those with one cause together, each group in reading order."""
    compared = view.compared
    bad = np.array([r for r in np.flatnonzero((compared.status == WRONG) | (compared.status == MISSING)) if r not in explained])
    if not len(bad):
        return []
    planned = np.stack([compared.a[bad], compared.b[bad]], axis=1)
    touched = np.unique(planned)
    far = compared.far[touched]
    near = touched[far >= 0]
    far = far[far >= 0]
    ok = compared.far[compared.a] == compared.b
    right = np.zeros(len(compared.slots), bool)
    right[compared.a[ok]] = right[compared.b[ok]] = True
    # A port that another cable says it is plugged into, while it answers elsewhere: that far end is a slot of its own.
    lonely = (compared.far[far] != near) | right[far]
    far = np.where(lonely, len(compared.slots) + np.arange(len(far)), far)
    pairs = np.unique(np.sort(np.stack([near, far], axis=1), axis=1), axis=0)
    box = np.append(view.box[compared.slots.device], np.full(len(far) + 1, -1))
    found = [t for t in tangles(planned, pairs, box) if t.links]
    renamed = _exchanged_boxes(view, [_with_rows(t, bad) for t in found])
    groups: dict[Any, list[Tangle]] = defaultdict(list)
    for number, tangle in enumerate(renamed):
        groups[_alike(view, tangle) or number].append(tangle)
    out: list[list[Tangle]] = []
    for key, group in groups.items():
        merge = isinstance(key, tuple) and (key[0] == "shift" or len(group) >= _ALIKE)
        out += [group] if merge else [[t] for t in group]
    return view.crossings.merged(out)


def _exchanged_boxes(view: _View, found: list[Tangle]) -> list[Tangle]:
    """Rings of two cables, told by the ends whose two boxes are exchanged in several of them: one act, not many."""

    def ends(tangle: Tangle) -> list[tuple[int, ...]]:
        """The boxes of the even and of the odd ends of the two cables."""
        return [tuple(sorted({view.slot_box(s) for s in tangle.slots[i::2]})) for i in (0, 1)]

    rings = [t for t in found if t.ring and len(t.slots) == 4]
    pairs: Counter[tuple[int, ...]] = Counter(boxes for t in rings for boxes in set(ends(t)) if len(boxes) == 2)
    out = []
    for tangle in found:
        if tangle.ring and len(tangle.slots) == 4:
            count, side = max((pairs[boxes], -i) for i, boxes in enumerate(ends(tangle)))
            if count >= _ALIKE:
                zero, one, two, three = tangle.slots
                even = (Step(MOVE, one, zero, two), Step(MOVE, three, two, zero))
                odd = (Step(MOVE, zero, one, three), Step(MOVE, two, three, one))
                tangle = Tangle(tangle.slots, True, tangle.first_planned, odd if side else even, tangle.links)
        out.append(tangle)
    return out


def _with_rows(tangle: Tangle, bad: Array) -> Tangle:
    return Tangle(tangle.slots, tangle.ring, tangle.first_planned, tangle.steps, tuple(int(bad[i]) for i in tangle.links))


def _alike(view: _View, tangle: Tangle) -> tuple[Any, ...] | None:
    """The key that tangles with one cause share: the same two devices exchanged, or one device's ports shifted alike."""
    slots = view.compared.slots
    if not all(s.kind == MOVE and max(s.take, s.put) < len(slots) for s in tangle.steps):
        return None
    boxes = sorted({view.slot_box(s) for step in tangle.steps for s in (step.take, step.put)})
    if tangle.ring and len(tangle.steps) == 2 and len(boxes) == 2:
        return ("exchange", *boxes)
    delta = {int(slots.port(np.array([s.take]))[0] - slots.port(np.array([s.put]))[0]) for s in tangle.steps}
    is_switch = view.compared.names["is_switch"][int(slots.device[tangle.steps[0].take])]
    if not tangle.ring and len(boxes) == 1 and len(delta) == 1 and is_switch:
        return ("shift", boxes[0], delta.pop())
    return None


def _acts(group: list[Tangle], first: int) -> list[int]:
    """The number of the act that each step of ``group`` belongs to, from ``first``: a ring is one act, else each step is."""
    acts: list[int] = []
    for tangle in group:
        start = acts[-1] + 1 if acts else first
        acts += [start + (0 if tangle.ring else i) for i in range(len(tangle.steps))]
    return acts


def _finding(view: _View, group: list[Tangle], first_act: int) -> tuple[Finding, list[Move]]:
    """One finding and its moves."""
    steps = [s for t in group for s in t.steps]
    rows = sorted({r for t in group for r in t.links})
    only_missing = all(s.kind == PLUG for s in steps)
    names = view.names
    moves = [_move(view, s, act) for s, act in zip(steps, _acts(group, first_act), strict=True)]
    slots = [s for step in steps for s in (step.take, step.put) if s >= 0]
    shown = rows[:6]
    more = f"; and {len(rows) - 6} more" if len(rows) > 6 else ""
    compared = view.compared
    expected = "; ".join(names.pair(int(compared.a[r]), int(compared.b[r])) for r in shown) + more
    finding = Finding(
        id=NOT_THERE if only_missing else WRONG_END,
        verdict=Verdict.FAIL,
        severity=Severity.MAJOR,
        layer=Layer.FABRIC,
        subject=view.link(rows[0]),
        expected=expected,
        found="; ".join(_seen(view, r) for r in shown) + more,
        where=view.where(slots),
        cause=_cause(view, group, steps),
        next=next_step(moves, ring=any(t.ring for t in group), only_missing=only_missing),
        revert=revert(moves, only_missing=only_missing),
        evidence=tuple(dict.fromkeys(x for x in (view.line(r) for r in shown) if x)),
        subjects=tuple(view.link(r) for r in rows),
        why=view.whys.get(NOT_THERE if only_missing else WRONG_END, ""),
    )
    shared = _shared_identities(view, group)
    return (_not_told_apart(view, finding, shared), []) if shared else (finding, moves)


def _shared_identities(view: _View, group: list[Tangle]) -> list[int]:
    """Slots that more than one port says it is plugged into: of two devices with one identity nobody can say which to move."""
    seen, known = view.compared.far, len(view.compared.slots)
    if max(slot for t in group for slot in t.slots) < known:
        return []
    ends = [(slot, int(seen[slot])) for t in group for slot in t.slots if slot < known and seen[slot] >= 0]
    return sorted({far for slot, far in ends if seen[far] != slot or int((seen == far).sum()) > 1})


def _not_told_apart(view: _View, finding: Finding, shared: list[int]) -> Finding:
    """``finding`` with the identities to be set right first, and no cable move before that is done."""
    names = view.names
    at = [int(s) for slot in shared for s in np.flatnonzero(view.compared.far == slot)]
    return replace(
        finding,
        cause=f"{names.list(shared)} answers at more than one port, and cables are not where the plan has them: two devices "
        "have one identity, or the fabric changed while it was captured",
        next=f"read GUID and node description on the devices at {names.list(at)}, give each its own, {CAPTURE_AGAIN}",
        revert="no cable is moved",
    )


def _seen(view: _View, row: int) -> str:
    a = int(view.compared.a[row])
    far = int(view.compared.far[a])
    return view.names.pair(a, far) if far >= 0 else f"{view.names(a)}: no link"


def _move(view: _View, step: Step, act: int) -> Move:
    names = view.names
    where = view.where([s for s in (step.take, step.put) if s >= 0])
    if step.kind == PLUG:
        return Move("", names(step.put), names.pair(step.put, step.keep), where, act)
    put = names(step.put) if step.kind == MOVE else ""
    return Move(names(step.take), put, names.pair(step.take, step.keep), where, act)


def _cause(view: _View, group: list[Tangle], steps: list[Step]) -> str:
    """What a crew most likely did, in one sentence."""
    names, first = view.names, group[0]
    known = len(view.compared.slots)
    ends = [s.take if s.take >= 0 else s.put for s in steps if max(s.take, s.put) < known]
    boxes = list(dict.fromkeys(view.called(end) for end in ends))
    if uniform := view.crossings.cause(group):
        return uniform
    if len(group) > 1 and first.ring:
        return f"{boxes[0]} and {boxes[1]} are exchanged in {len(group)} cables: each stands, or is named, in the other's place"
    moved = [s for s in steps if s.kind == MOVE]
    if first.ring and len(steps) == 2:
        one, two = (names(slot) for slot in sorted(s.take for s in steps))
        return f"two cables are exchanged: {one} and {two}"
    if first.ring:
        at = f"at {boxes[0]} " if len(boxes) == 1 else ""
        return f"{len(steps)} cables {at}are rotated: {names.list(s.take for s in steps)} each hold the cable of the next"
    key = _alike(view, first)
    if key is not None and key[0] == "shift" and len(moved) > 1:
        by = f"{abs(key[2])} port{'s' if abs(key[2]) > 1 else ''} too {'high' if key[2] > 0 else 'low'}"
        return f"a block of {len(moved)} cables at {boxes[0]} sits {by}"
    if all(s.kind == PLUG for s in steps):
        pair = names.pair(steps[0].put, steps[0].keep)
        return f"no link between {pair}: unplugged, a dead end, or a port of another link layer"
    parts = [f"the cable of {names(s.keep)} sits in {names(s.take)} instead of {names(s.put)}" for s in moved[:3]]
    parts += [f"{names(s.take)} holds a cable that the plan does not know" for s in steps if s.kind == REMOVE]
    parts += [f"{names.pair(s.put, s.keep)} has no cable" for s in steps if s.kind == PLUG]
    return "; ".join(parts) + (f"; and {len(moved) - 3} cables more" if len(moved) > 3 else "")
