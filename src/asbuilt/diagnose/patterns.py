"""Chains and rings of misplaced cables that have one cause: what a crew, a drawing or a numbering does to many cables at once.

Each cause that could explain several tangles claims them; the one that explains most links takes its tangles first. Where
another cause explains exactly the same tangles, it is kept beside it: no capture of the fabric tells the two apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Iterable

from asbuilt.diagnose.moves import MOVE, PLUG, REMOVE, Step, Tangle, sides, ways
from asbuilt.diagnose.view import View

SINGLE, CROSSING, RAILS, EXCHANGE, MIRROR, BLOCKS, TWINS, ROTATE, SHIFT = range(9)
_ALIKE = 3  # two may be alike by chance; so many have one cause
_BLOCK = 4  # ports of a run whose order is worth a name
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Tangles with one cause, the steps of each chosen for it. ``key`` is what they have in common: its first word the kind,
    then boxes, ports or NICs. ``others``: causes that explain the same tangles as well."""

    key: Key
    tangles: tuple[Tangle, ...]
    others: tuple[Group, ...] = ()

    @property
    def kind(self) -> int:
        return int(self.key[0])

    @property
    def steps(self) -> list[Step]:
        return [s for t in self.tangles for s in t.steps]


def grouped(view: View, found: list[Tangle]) -> list[Group]:
    """``found`` by cause, in reading order of the first tangle of each."""
    claims = _claims(view, found)
    claims.update(_rails(view, found, claims))
    left = set(range(len(found)))
    out: list[tuple[int, Group]] = []
    size = {key: sum(len(found[i].links) for i in held) for key, held in claims.items()}
    # Most links first; of equal ones the plainer cause.
    for key in sorted(claims, key=lambda k: (-size[k], k[0])):
        held = {i: steps for i, steps in claims[key].items() if i in left}
        chosen = _valid(view, key, found, held)
        if chosen is None:
            continue
        others = tuple(
            group
            for other in claims
            if other != key and claims[other].keys() == held.keys()
            for group in [_valid(view, other, found, claims[other])]
            if group is not None and not _said_by(chosen, group)
        )
        left -= held.keys()
        out.append((min(held), replace(chosen, others=others)))
    out += [(i, Group((SINGLE,), (found[i],))) for i in left]
    return [group for _, group in sorted(out, key=lambda item: item[0])]


def _claims(view: View, found: list[Tangle]) -> dict[Key, dict[int, tuple[Step, ...]]]:
    """Cause -> the tangles (by number) that it would explain, each with the steps that mend it there."""
    claims: dict[Key, dict[int, tuple[Step, ...]]] = {}
    known = len(view.compared.slots)
    for number, tangle in enumerate(found):
        if max(tangle.slots) >= known:
            continue
        for key, steps in _ring_claims(view, tangle) if tangle.ring else _chain_claims(view, tangle):
            claims.setdefault(key, {})[number] = steps
    for key in [k for k in claims if k[0] == ROTATE]:
        claims.update(_runs(view, key, claims.pop(key)))
    return {key: held for key, held in claims.items() if len(held) > 1 or key[0] in (ROTATE, SHIFT)}


def _ring_claims(view: View, tangle: Tangle) -> Iterable[tuple[Key, tuple[Step, ...]]]:
    crossing = view.crossings.of(tangle)
    for steps in sides(tangle):
        boxes = sorted({view.slot_box(s.take) for s in steps})
        if crossing is not None and not view.on_switch(steps[0].take):
            yield (CROSSING, crossing), steps
        if len(steps) == 2 and len(boxes) == 2:
            yield (EXCHANGE, *boxes), steps
        if len(boxes) > 1 or not view.on_switch(steps[0].take):
            continue
        yield (ROTATE, boxes[0]), steps
        if len(steps) == 2:
            low, high = sorted(view.port(s.take) for s in steps)
            yield (MIRROR, boxes[0], low + high), steps
            yield (BLOCKS if high - low > 1 else TWINS, boxes[0], high - low), steps


def _chain_claims(view: View, tangle: Tangle) -> Iterable[tuple[Key, tuple[Step, ...]]]:
    for steps in ways(tangle):
        moved = [s for s in steps if s.kind == MOVE]
        ends = [s for step in moved for s in (step.take, step.put)]
        boxes = sorted({view.slot_box(s) for s in ends})
        if len(steps) == len(moved) == 1 and len(boxes) == 2 and view.port(ends[0]) == view.port(ends[1]):
            yield (EXCHANGE, *boxes), steps
        if not moved or any(s.kind == REMOVE for s in steps) or len(boxes) > 1 or not view.on_switch(ends[0]):
            continue
        box, delta = view.slot_box(ends[0]), {view.port(s.take) - view.port(s.put) for s in moved}
        if len(delta) == 1:
            yield (SHIFT, box, delta.pop()), steps
        if len(steps) == 1:
            yield (MIRROR, box, view.port(ends[0]) + view.port(ends[1])), steps


def _runs(view: View, key: Key, held: dict[int, tuple[Step, ...]]) -> dict[Key, dict[int, tuple[Step, ...]]]:
    """Rings at one switch whose ports lie within each other's run belong together: one claim for each such run."""
    spans = sorted((min(ports), max(ports), number) for number, steps in held.items() for ports in [_ports(view, steps)])
    out: dict[Key, dict[int, tuple[Step, ...]]] = {}
    start, end = -1, -1
    for low, high, number in spans:
        start, end = (low, high) if low > end else (start, max(end, high))
        out.setdefault((*key, start), {})[number] = held[number]
    return out


def both_ends(steps: Iterable[Step]) -> list[int]:
    """The slots that steps take cable ends from and put them into."""
    return [s for step in steps for s in (step.take, step.put)]


def _ports(view: View, steps: Iterable[Step]) -> list[int]:
    return [view.port(s) for s in both_ends(steps)]


def _rails(
    view: View, found: list[Tangle], claims: dict[Key, dict[int, tuple[Step, ...]]]
) -> dict[Key, dict[int, tuple[Step, ...]]]:
    """Exchanges of leaves of the same two rails, all their cables exchanged, in more than one place: one cause."""
    if not view.plan.has("switches"):
        return {}
    pairs = [key for key, held in claims.items() if key[0] == EXCHANGE and len(held) >= _ALIKE]
    leaf: dict[int, tuple[str, int]] = {}
    if pairs:
        rows = view.plan.table("switches").select("switch", "plane", "rail").rows()
        rail_of = {switch: (plane, rail) for switch, plane, rail in rows if rail is not None and rail >= 0}
        for key in pairs:
            for slot in both_ends(next(iter(claims[key].values()))):
                if view.key(slot) in rail_of:
                    leaf[view.slot_box(slot)] = rail_of[view.key(slot)]
    joined: dict[Key, list[Key]] = {}
    for key in pairs:
        one, two = (leaf.get(box, ("", -1)) for box in key[1:])
        other_rail = one[0] == two[0] and one[1] != two[1] and min(one[1], two[1]) >= 0
        if other_rail and all(whole(view, [found[i] for i in claims[key]], box) for box in key[1:]):
            joined.setdefault((RAILS, *sorted((one, two))), []).append(key)
    return {
        rails: {i: steps for key in keys for i, steps in claims[key].items()} for rails, keys in joined.items() if len(keys) > 1
    }


def whole(view: View, tangles: Iterable[Tangle], box: int) -> bool:
    """True when every planned link in scope of ``box`` is in the tangles."""
    compared = view.compared
    rows = {r for t in tangles for r in t.links}
    mine = sum((view.slot_box(int(compared.a[r])) == box) + (view.slot_box(int(compared.b[r])) == box) for r in rows)
    return mine == view.planned_links(box)


def _valid(view: View, key: Key, found: list[Tangle], held: dict[int, tuple[Step, ...]]) -> Group | None:
    """The group that ``key`` makes of the tangles it holds, None when that is no better told than each alone."""
    if not held or not _convincing(view, key, held):
        return None
    return Group(key, tuple(replace(found[i], steps=held[i]) for i in sorted(held)))


def _convincing(view: View, key: Key, held: dict[int, tuple[Step, ...]]) -> bool:
    kind = key[0]
    if kind in (CROSSING, RAILS, EXCHANGE, TWINS):
        return len(held) >= _ALIKE
    if kind == SHIFT:
        return sum(s.kind == MOVE for steps in held.values() for s in steps) > 1
    steps = [s for steps in held.values() for s in steps]
    ports = sorted({view.port(s.take) for s in steps})
    if kind == MIRROR:
        touched = set(ports) | {view.port(s.put) for s in steps}
        span = max(touched) - min(touched) + 1
        # The middle port of an odd run is its own mirror image. Gaps: ports that hold no cable, or one that is out.
        return len(touched) >= _BLOCK and (
            len(touched) >= span - span % 2 or (len(held) >= _ALIKE and 2 * len(touched) >= span)
        )
    together = all(b - a == 1 for a, b in pairwise(ports))
    if kind == BLOCKS:
        return together and len(ports) == 2 * key[2]
    return together and len(ports) >= _BLOCK and len({_turn(view, s, len(ports)) for s in steps}) == 1


def _turn(view: View, step: Step, count: int) -> int:
    """By how many ports of a run of ``count`` a cable sits too high, counted round its end."""
    return (view.port(step.take) - view.port(step.put)) % count


def _said_by(one: Group, other: Group) -> bool:
    """True when two groups move the same ends: the same repair under two names."""
    return {s.take for s in one.steps} == {s.take for s in other.steps}


def pattern(view: View, group: Group) -> str:
    """One sentence for what a group of tangles has in common. "" for a single tangle that is no pattern."""
    kind, steps = group.kind, group.steps
    if kind == CROSSING:
        return view.crossings.cause(list(group.tangles)) or ""
    if kind == RAILS:
        (_, (plane, one), (_, two)) = group.key
        pairs = len({frozenset(view.slot_box(s) for s in both_ends(t.steps)) for t in group.tangles})
        return (
            f"rails {one} and {two} of {plane} are exchanged: {pairs} pairs of leaves, {len(group.tangles)} cables each way; "
            "each leaf stands, or is named, in the other's place"
        )
    if kind == EXCHANGE:
        return _exchanged(view, group)
    if kind == SINGLE:
        return ""
    moved = [s for s in steps if s.kind == MOVE]
    box = view.called(moved[0].take)
    ports = sorted({view.port(s.take) for s in moved})
    if kind == MIRROR:
        touched = sorted(set(_ports(view, steps)))
        low, high = touched[0], touched[-1]
        return (
            f"ports {low}–{high} of {box} are mirrored: {len(steps)} cables sit in reverse order, that of port {low} in "
            f"port {high}, and so on"
        )
    if kind == BLOCKS:
        half = len(ports) // 2
        return (
            f"ports {ports[0]}–{ports[half - 1]} and {ports[half]}–{ports[-1]} of {box} are exchanged, block for block: the "
            f"cable of port {ports[0]} sits in port {ports[half]}, and so on"
        )
    if kind == TWINS:
        pairs_of = [f"{a} and {b}" for a, b in sorted(sorted(view.port(s.take) for s in t.steps) for t in group.tangles)]
        more = f", and {len(pairs_of) - _BLOCK} pairs more" if len(pairs_of) > _BLOCK else ""
        return f"{len(pairs_of)} pairs of neighbouring ports of {box} are exchanged: {', '.join(pairs_of[:_BLOCK])}{more}"
    return _displaced(view, group, box, ports)


def _exchanged(view: View, group: Group) -> str:
    ends = sorted(both_ends(group.steps))
    one, two = list(dict.fromkeys(view.called(end) for end in ends))[:2]
    told = f"{one} and {two} are exchanged in {len(group.tangles)} cables"
    if all(whole(view, group.tangles, box) for box in group.key[1:]):
        return f"{told}: each stands, or is named, in the other's place"
    return f"{told} and right in their others: the cables were mixed up, not the boxes"


def _displaced(view: View, group: Group, box: str, ports: list[int]) -> str:
    """A run of cables that sits too high or too low; those in its way, if any, went where it was."""
    steps, count = [s for s in group.steps if s.kind == MOVE], len(ports)
    by = view.port(steps[0].take) - view.port(steps[0].put)
    moved = len(steps)
    if group.kind == ROTATE:
        turn = _turn(view, steps[0], count)
        by = turn if 2 * turn <= count else turn - count
        moved = count - abs(by)
    told = (
        f"a block of {moved} cables at {box} sits {abs(by)} port{'s' if abs(by) > 1 else ''} too {'high' if by > 0 else 'low'}"
    )
    out = [view.names.pair(s.put, s.keep) for s in group.steps if s.kind == PLUG]
    if out:
        return f"{told}, and {', '.join(out[:_BLOCK])} {'have' if len(out) > 1 else 'has'} no cable"
    if moved == len(steps):
        return told
    rest = len(steps) - moved
    return f"{told}, and the {rest if rest > 1 else 'one'} in its way where it was: ports {ports[0]}–{ports[-1]}"
