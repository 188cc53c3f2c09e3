"""Causes that fit what was measured equally well, and the one measurement that tells them apart.

The links of a fabric are known by the names at their ends. Two cables exchanged look the same whichever of their ends were
exchanged, and the same as two devices, or two names, in each other's place. What is printed on things decides: the label at
a cable's end, the serial number of a box. What a host says of its own cards decides some of it without a walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from asbuilt.diagnose.host_names import HostNames
from asbuilt.diagnose.instructions import acts
from asbuilt.diagnose.moves import MOVE, REMOVE, Step, Tangle, ways
from asbuilt.diagnose.patterns import CROSSING, EXCHANGE, RAILS, SINGLE, Group, both_ends, pattern, whole
from asbuilt.diagnose.view import View
from asbuilt.model.verdict import Explanation

_SHOWN = 4
_RIGHT_LABELS = "both ends are labelled for the ports that they sit in"


@dataclass(frozen=True, slots=True)
class Open:
    """Explanations of a finding, the measurement that tells them apart, and the fact that decided, if one did: then only one
    explanation is left, and ``moves`` says whether cables are to be moved for it."""

    explanations: tuple[Explanation, ...] = ()
    measurement: str = ""
    decided: str = ""
    moves: bool = True


def explain(view: View, hosts: HostNames, group: Group) -> Open:
    """What else ``group`` could be. No explanation at all when only one fits."""
    if max(slot for t in group.tangles for slot in t.slots) >= len(view.compared.slots):
        return Open()
    boxes = _whole_boxes(view, group)
    if boxes:
        return _boxes(view, hosts, group, boxes)
    nodes = _crossed_nodes(view, group)
    if nodes:
        return _numbering(view, hosts, group, nodes)
    told = _cables(view, group)
    return Open(tuple(told), _labels(view, group)) if len(told) > 1 else Open()


def _whole_boxes(view: View, group: Group) -> tuple[int, int] | None:
    """Slots of two boxes all of whose planned cables are in each other's ports, and that could thus be each other."""
    if group.kind in (EXCHANGE, RAILS):
        one, two = sorted({view.slot_box(s): s for s in both_ends(group.tangles[0].steps)}.values())
        return (one, two) if all(_whole(view, group, s) for s in (one, two)) else None
    if group.kind != SINGLE or not group.tangles[0].ring or len(group.steps) != 2:
        return None
    for steps in ways(group.tangles[0]):
        one, two = sorted(s.take for s in steps)
        alike = view.on_switch(one) == view.on_switch(two) and view.slot_box(one) != view.slot_box(two)
        if alike and all(_whole(view, group, s) for s in (one, two)) and view.port(one) == view.port(two):
            return one, two
    return None


def _whole(view: View, group: Group, slot: int) -> bool:
    return whole(view, group.tangles, view.slot_box(slot))


def _boxes(view: View, hosts: HostNames, group: Group, boxes: tuple[int, int]) -> Open:
    one, two = (view.called(slot) for slot in boxes)
    what = "switch" if view.on_switch(boxes[0]) else "node"
    many = group.kind == RAILS
    pair = "the leaves of each pair" if many else f"{one} and {two}"
    place = view.places().get(view.key(boxes[0])) or view.places().get(view.key(boxes[0]).rpartition("/")[0])
    at = f"at {place}" if place else f"in the place of {one}"
    measure = f"read serial number and host name on the {what} {at}, which should be {one}"
    told = [
        Explanation(
            f"{pair} have each other's names",
            0,
            f"give each {what} its own name or node description",
            f"it is {one} by its serial number, and calls itself {two}",
        ),
        Explanation(
            f"{pair} stand in each other's place",
            0,
            "exchange them, or let the plan say where they stand",
            f"it is {two} by its serial number",
        ),
        Explanation(
            f"the cables of {pair} are exchanged",
            len(group.steps),
            _acts(view, group.steps),
            f"it is {one} by its serial number and its name",
        ),
    ]
    said = hosts.crossed(group.tangles) if what == "node" else None
    if said is None:
        return Open(tuple(told), measure)
    if said.other:
        return Open((told[0],), "", f"{said.line}: {said.text}", moves=False)
    # The host knows its name: what is left is where the box stands, and where its cables go.
    return Open(tuple(told[1:]), measure, f"{said.line}: {said.text}, so the names on the fabric are the hosts' own")


def _crossed_nodes(view: View, group: Group) -> list[tuple[Step, ...]]:
    """The steps at the nodes' ends of rings that each lie within one node: its NICs are exchanged, or numbered otherwise."""
    if group.kind not in (SINGLE, CROSSING):
        return []
    found = []
    for tangle in group.tangles:
        if not tangle.ring:
            return []
        at_node = [
            steps
            for steps in ways(tangle)
            if len({view.slot_box(s.take) for s in steps}) == 1 and not any(view.on_switch(s.take) for s in steps)
        ]
        if not at_node:
            return []
        found.append(at_node[0])
    return found


def _numbering(view: View, hosts: HostNames, group: Group, nodes: list[tuple[Step, ...]]) -> Open:
    node = view.called(nodes[0][0].take)
    who = node if len(nodes) == 1 else f"each of the {len(nodes)} nodes"
    nic = [view.key(s).rpartition("/")[2] for s in (nodes[0][0].take, nodes[0][0].put)]
    cards = Explanation(
        f"{who} numbers its NICs another way than the plan: {nic[0]} is the card that the plan calls {nic[1]}",
        0,
        "correct the order of the NICs in the plan, or the device names on the node",
        _RIGHT_LABELS,
    )
    said = hosts.crossed(group.tangles)
    if said is not None and said.other:
        stale = Explanation(
            f"the node descriptions of {who} name the wrong NICs", 0, "have the node set them again", "ibstat says so"
        )
        return Open((stale,), "", f"{said.line}: {said.text}", moves=False)
    told = [cards, *_cables(view, group)]
    decided = f"{said.line}: {said.text}, so the node descriptions are right" if said is not None else ""
    return Open(tuple(told), _labels(view, group), decided)


def _cables(view: View, group: Group) -> list[Explanation]:
    """The equally small sets of cable ends that mend ``group``: at one side, at the other, or at another box."""
    sets = [group.steps, *(other.steps for other in group.others)]
    texts = [_how(view, group.steps, pattern(view, group)), *(_how(view, o.steps, pattern(view, o)) for o in group.others)]
    if group.kind in (SINGLE, CROSSING):
        for steps in _sides(group.tangles):
            if not any({s.take for s in steps} == {s.take for s in known} for known in sets):
                sets.append(steps)
                texts.append(_how(view, steps, ""))
    marker = _marker(group)
    told = []
    for steps, text in zip(sets, texts, strict=True):
        ends = sum(_ends(s) for s in steps)
        told.append(Explanation(text, ends, _acts(view, steps), _label_tells(view, marker, steps)))
    return told


def _acts(view: View, steps: Sequence[Step]) -> str:
    """The first few steps as a crew reads them: there may be one for every node of a fabric."""
    return acts([view.move(s) for s in steps[:_SHOWN]], len(steps))


def _ends(step: Step) -> int:
    return 1 if step.kind == MOVE else 2


def _sides(tangles: Sequence[Tangle]) -> list[list[Step]]:
    """All steps at one side, then all at the other, where every tangle has both."""
    found = [ways(t) for t in tangles]
    return [[s for way in found for s in way[i]] for i in range(min(map(len, found)))]


def _how(view: View, steps: Sequence[Step], told: str) -> str:
    """What a crew did if these are the ends to move."""
    if told:
        return told
    moved = [s for s in steps if s.kind == MOVE]
    if len(moved) == len(steps) and {s.take for s in steps} == {s.put for s in steps}:
        word = "exchanged" if len(steps) == 2 else "mixed up"
        return f"the ends at {view.names.list(sorted(s.take for s in steps), 4)} are {word}"
    parts = [f"the end at {view.names(s.take)} belongs in {view.names(s.put)}" for s in moved[:2]]
    parts += [f"{view.names.pair(s.keep, s.take)} is one cable too many" for s in steps if s.kind == REMOVE][:2]
    parts += [f"{view.names.pair(s.put, s.keep)} has no cable" for s in steps if s.kind not in (MOVE, REMOVE)][:2]
    return ", and ".join(parts)


def _labels(view: View, group: Group) -> str:
    step = _marker(group)
    return f"read the labels at both ends of the cable between {view.names.pair(step.keep, step.take)}"


def _marker(group: Group) -> Step:
    """The step whose cable is looked at: one that serves a planned link, if there is one."""
    steps = group.tangles[0].steps
    return next((s for s in steps if s.kind == MOVE), steps[0])


def _label_tells(view: View, marker: Step, steps: Sequence[Step]) -> str:
    """What the labels of the cable that ``marker`` is about read, if ``steps`` are the ends to move."""
    cable = {marker.keep, marker.take}
    mine = next((s for s in steps if {s.keep, s.take} == cable), None)
    if mine is None or mine.kind == REMOVE:
        return "it is no cable of the plan"
    return f"the end in {view.names(mine.take)} is labelled for {view.names(mine.put)}"
