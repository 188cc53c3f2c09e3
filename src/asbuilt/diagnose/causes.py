"""Why the cabling is not as planned: one finding per cause, with the moves that mend it and how to take them back.

Devices that nobody saw come first (a switch that is off explains all its links), then one identity on two devices, then
the chains and rings of misplaced cables, told as what a crew did: ends exchanged, rails rotated, a block shifted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Sequence

import numpy as np

from asbuilt.diagnose.cabling_tables import PortNames
from asbuilt.diagnose.explanations import Open, explain
from asbuilt.diagnose.host_names import HostNames
from asbuilt.diagnose.instructions import CAPTURE_AGAIN, next_step, revert
from asbuilt.diagnose.links import MISSING, WRONG, Compared
from asbuilt.diagnose.moves import MOVE, PLUG, REMOVE, Step, Tangle, tangles
from asbuilt.diagnose.patterns import Group, grouped, pattern
from asbuilt.diagnose.view import View
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Move, Severity, Verdict

Array = np.ndarray[Any, Any]
WRONG_END, NOT_THERE = "FAB-001", "FAB-002"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings about misplaced and missing links; the moves that mend them in order, as words and, one for one, as steps on
    port slots; the exchanges that they amount to, and the port slots that they touch."""

    findings: tuple[Finding, ...]
    repairs: tuple[Move, ...]
    steps: tuple[Step, ...]
    exchanges: int
    touched: frozenset[int]


def diagnose(plan: Plan, compared: Compared, names: PortNames, whys: dict[str, str]) -> Diagnosis:
    """Explain every wrong and missing link of ``compared``. ``whys`` gives the reason why each check matters."""
    view = View(plan, compared, names, whys)
    findings, explained = _absent(view)
    doubles, told = _doubled(view, explained)
    groups = _tangled(view, explained | told)
    findings += doubles
    repairs: list[Move] = []
    steps: list[Step] = []
    exchanges = 0
    hosts = HostNames(view)
    touched: set[int] = set()
    for group in groups:
        finding, moves = _finding(view, hosts, group, repairs[-1].act + 1 if repairs else 0)
        findings.append(finding)
        repairs += moves
        exchanges += sum(t.exchanges for t in group.tangles) if moves else 0
        steps += group.steps if moves else []
        touched.update(s for t in group.tangles for s in t.slots)
    return Diagnosis(tuple(findings), tuple(repairs), tuple(steps), exchanges, frozenset(touched))


def _absent(view: View) -> tuple[list[Finding], set[int]]:
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


def _not_seen(view: View, slot: int, rows: list[int]) -> Finding:
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


def _doubled(view: View, explained: set[int]) -> tuple[list[Finding], set[int]]:
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


def _tangled(view: View, explained: set[int]) -> list[Group]:
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
    return grouped(view, [_with_rows(t, bad) for t in tangles(planned, pairs, box) if t.links])


def _with_rows(tangle: Tangle, bad: Array) -> Tangle:
    return replace(tangle, links=tuple(int(bad[i]) for i in tangle.links))


def _acts(group: Sequence[Tangle], first: int) -> list[int]:
    """The number of the act that each step of ``group`` belongs to, from ``first``: a ring is one act, else each step is."""
    acts: list[int] = []
    for tangle in group:
        start = acts[-1] + 1 if acts else first
        acts += [start + (0 if tangle.ring else i) for i in range(len(tangle.steps))]
    return acts


def _finding(view: View, hosts: HostNames, group: Group, first_act: int) -> tuple[Finding, list[Move]]:
    """One finding and its moves."""
    steps, parts = group.steps, group.tangles
    rows = sorted({r for t in parts for r in t.links})
    only_missing = all(s.kind == PLUG for s in steps)
    names = view.names
    moves = [view.move(s, act) for s, act in zip(steps, _acts(parts, first_act), strict=True)]
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
        cause=pattern(view, group) or _cause(view, parts[0]),
        next=next_step(moves, ring=any(t.ring for t in parts), only_missing=only_missing),
        revert=revert(moves, only_missing=only_missing),
        evidence=tuple(dict.fromkeys(x for x in (view.line(r) for r in shown) if x)),
        subjects=tuple(view.link(r) for r in rows),
        why=view.whys.get(NOT_THERE if only_missing else WRONG_END, ""),
    )
    shared = _shared_identities(view, parts)
    if shared:
        return _not_told_apart(view, finding, shared), []
    return _explained(finding, explain(view, hosts, group), moves)


def _explained(finding: Finding, told: Open, moves: list[Move]) -> tuple[Finding, list[Move]]:
    """``finding`` with the explanations that fit as well; with the one that a fact decided for, and no cable moves for it."""
    if not told.moves:
        (one,) = told.explanations
        step, back = f"{one.repair}; {CAPTURE_AGAIN}", "no cable is moved"
        return replace(finding, cause=one.cause, next=step, revert=back, decided=told.decided), []
    step = finding.next
    if any(not e.ends for e in told.explanations):
        step = f"first {told.measurement}; if it is the cables: {step}"
    ways = tuple(e.text for e in told.explanations)
    more = replace(finding, next=step, ways=ways, explanations=told.explanations, measurement=told.measurement)
    return replace(more, decided=told.decided), moves


def _shared_identities(view: View, group: Sequence[Tangle]) -> list[int]:
    """Slots that more than one port says it is plugged into: of two devices with one identity nobody can say which to move."""
    seen, known = view.compared.far, len(view.compared.slots)
    if max(slot for t in group for slot in t.slots) < known:
        return []
    ends = [(slot, int(seen[slot])) for t in group for slot in t.slots if slot < known and seen[slot] >= 0]
    return sorted({far for slot, far in ends if seen[far] != slot or int((seen == far).sum()) > 1})


def _not_told_apart(view: View, finding: Finding, shared: list[int]) -> Finding:
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


def _seen(view: View, row: int) -> str:
    a = int(view.compared.a[row])
    far = int(view.compared.far[a])
    return view.names.pair(a, far) if far >= 0 else f"{view.names(a)}: no link"


def _cause(view: View, tangle: Tangle) -> str:
    """What a crew most likely did, in one sentence."""
    names, steps = view.names, tangle.steps
    known = len(view.compared.slots)
    ends = [s.take if s.take >= 0 else s.put for s in steps if max(s.take, s.put) < known]
    boxes = list(dict.fromkeys(view.called(end) for end in ends))
    moved = [s for s in steps if s.kind == MOVE]
    if tangle.ring and len(steps) == 2:
        one, two = (names(slot) for slot in sorted(s.take for s in steps))
        return f"two cables are exchanged: {one} and {two}"
    if tangle.ring:
        at = f"at {boxes[0]} " if len(boxes) == 1 else ""
        return f"{len(steps)} cables {at}are rotated: {names.list(s.take for s in steps)} each hold the cable of the next"
    if all(s.kind == PLUG for s in steps):
        pair = names.pair(steps[0].put, steps[0].keep)
        return f"no link between {pair}: unplugged, a dead end, or a port of another link layer"
    parts = [f"the cable of {names(s.keep)} sits in {names(s.take)} instead of {names(s.put)}" for s in moved[:3]]
    parts += [f"{names(s.take)} holds a cable that the plan does not know" for s in steps if s.kind == REMOVE]
    parts += [f"{names.pair(s.put, s.keep)} has no cable" for s in steps if s.kind == PLUG]
    return "; ".join(parts) + (f"; and {len(moved) - 3} cables more" if len(moved) > 3 else "")
