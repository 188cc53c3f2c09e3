"""Nameless devices found by their place: whoever sits where the plan puts a device, is that device.

Known devices vote for their neighbours, port by port, until nothing is added. Where a fabric has no known device at all,
one is taken as a starting point from the rarest kind of place; a regular fabric reads the same from several starting
points, and that is said instead of guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from asbuilt.diagnose.ports import Slots, far_slots

Array = np.ndarray[Any, Any]
_TRIALS = 8
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Graph:
    """Links told from both ends: own device, own port, far device, far port; and which devices are switches."""

    own: Array
    port: Array
    far: Array
    far_port: Array
    is_switch: Array

    @classmethod
    def of(cls, is_switch: Array, a: Array, a_port: Array, b: Array, b_port: Array) -> Graph:
        """A graph of undirected links."""
        own, far = np.concatenate([a, b]), np.concatenate([b, a])
        return cls(own, np.concatenate([a_port, b_port]), far, np.concatenate([b_port, a_port]), is_switch)


def by_place(plan: Graph, measured: Graph, known: Array, nameless: Array, silent: Array) -> tuple[Array, list[str]]:
    """The planned device of every measured one, ``known`` completed for the ``nameless`` ones; -1 stays unknown.

    ``silent`` devices are only spoken of by their neighbours: one of them may be a device that is known by its own record.
    """
    known = known.copy()
    seen = np.zeros(len(known), bool)
    seen[measured.own] = True
    nameless = nameless & seen
    slots = Slots.over(len(plan.is_switch), (plan.own, plan.port))
    far = far_slots(slots, slots.at(plan.own, plan.port), slots.at(plan.far, plan.far_port))
    before = int(((known < 0) & nameless).sum())
    if not before:
        return known, []
    known = _spread(slots, far, plan, measured, known, nameless, silent)
    notes: list[str] = []
    for _ in range(64):
        readings, known_now = _start(slots, far, plan, measured, known, nameless, silent)
        if readings == 0:
            break
        known = known_now
        if readings > 1:
            notes.append(
                f"the fabric reads equally well from {readings} starting points or more: devices that only differ by name "
                "cannot be told apart, and one reading was taken"
            )
    open_ = int(((known < 0) & nameless).sum())
    if before > open_:
        notes.append(
            f"{before - open_} devices have no name of their own and are taken for what the plan puts in their place: "
            "two of them changed over cannot be seen"
        )
    if open_:
        notes.append(f"{open_} devices have no name of their own and no place in the plan")
    return known, list(dict.fromkeys(notes))


def _spread(slots: Slots, far: Array, plan: Graph, measured: Graph, known: Array, nameless: Array, silent: Array) -> Array:
    """Let known devices vote for their nameless neighbours until no vote decides anything new."""
    known = known.copy()
    count = len(plan.is_switch)
    # Whose record and whose rumour a planned device already has: of each kind it has one.
    taken = np.zeros((2, count), bool)
    taken[0, known[(known >= 0) & ~silent]] = True
    taken[1, known[(known >= 0) & silent]] = True
    while True:
        rows = np.flatnonzero((known[measured.own] >= 0) & (known[measured.far] < 0) & nameless[measured.far])
        if not len(rows):
            return known
        slot = slots.at(known[measured.own[rows]], measured.port[rows])
        there = np.where(slot >= 0, far[slot], -1)
        rows, there = rows[there >= 0], there[there >= 0]
        device = slots.device[there]
        peer = measured.far[rows]
        port = measured.far_port[rows]
        fits = ~taken[silent[peer].astype(int), device] & (plan.is_switch[device] == measured.is_switch[peer])
        fits &= (slots.port(there) == port) | ~plan.is_switch[device]
        pairs, votes = np.unique(peer[fits] * count + device[fits], return_counts=True)
        peer, device = pairs // count, pairs % count
        # A vote decides when it is more than half of all that was said about the peer, and about the planned device.
        of_peer = np.bincount(peer, weights=votes, minlength=len(known))[peer]
        of_device = np.bincount(device, weights=votes, minlength=count)[device]
        wins = (2 * votes > of_peer) & (2 * votes > of_device)
        if not wins.any():
            return known
        known[peer[wins]] = device[wins]
        taken[silent[peer[wins]].astype(int), device[wins]] = True


def _colours(graph: Graph, rounds: int) -> Array:
    """A number per device that is equal for devices in alike places: ports in use, and what is plugged into each.

    More rounds look further and tell more apart, but a single fault near by makes two alike places differ.
    """
    if rounds < 0:
        return graph.is_switch.astype(np.uint64)
    degree = np.bincount(graph.own, minlength=len(graph.is_switch))
    alike = graph.is_switch.astype(np.uint64) * np.uint64(7919) + degree.astype(np.uint64)
    port = np.where(graph.is_switch[graph.own], graph.port, 1).astype(np.uint64)
    far_port = np.where(graph.is_switch[graph.far], graph.far_port, 1).astype(np.uint64)
    for _ in range(rounds):
        words = (port * _MIX) ^ (far_port * np.uint64(0xC2B2AE3D27D4EB4F)) ^ (alike[graph.far] * np.uint64(0x165667B19E3779F9))
        words ^= words >> np.uint64(31)
        words *= np.uint64(0xBF58476D1CE4E5B9)
        words ^= words >> np.uint64(29)
        total = np.zeros(len(graph.is_switch), np.uint64)
        np.add.at(total, graph.own, words)
        alike = total ^ (alike * _MIX)
    return alike


def _start(
    slots: Slots, far: Array, plan: Graph, measured: Graph, known: Array, nameless: Array, silent: Array
) -> tuple[int, Array]:
    """Take a measured switch for each planned one in an alike place: (readings that are equally good, the best one)."""
    taken = np.zeros(len(plan.is_switch), bool)
    taken[known[known >= 0]] = True
    in_use = np.bincount(plan.own, minlength=len(plan.is_switch)) > 0
    mine = np.flatnonzero(plan.is_switch & ~taken & in_use)
    open_ = np.flatnonzero(measured.is_switch & nameless & (known < 0))
    if not len(mine) or not len(open_):
        return 0, known
    for rounds in (2, 1, 0, -1):
        plan_colour, seen_colour = _colours(plan, rounds), _colours(measured, rounds)
        colours, counts = np.unique(seen_colour[open_], return_counts=True)
        common = np.isin(colours, plan_colour[mine])
        if common.any():
            break
    colour = colours[common][np.argmin(counts[common])]
    alike = open_[seen_colour[open_] == colour]
    places = mine[plan_colour[mine] == colour]
    best, best_score, equal = known, -1, 0
    # Of two devices in such places at least one should stand clear of whatever is wrong near the other.
    for device in np.unique(alike[[0, -1]]):
        score, readings, trial = -1, 0, known
        for place in _likely(plan, measured, places, int(device))[:_TRIALS]:
            guess = known.copy()
            guess[device] = place
            guess = _spread(slots, far, plan, measured, guess, nameless, silent)
            agreed = _agreement(slots, far, measured, guess)
            if agreed > score:
                score, readings, trial = agreed, 1, guess
            elif agreed == score:
                readings += 1
        if score > best_score:
            best, best_score, equal = trial, score, readings
    return equal, best


def _likely(plan: Graph, measured: Graph, places: Array, device: int) -> Array:
    """``places`` with those first whose ports lead to the same far ports as those of a measured ``device``."""

    def words(graph: Graph, rows: Array) -> Array:
        far_port = np.where(graph.is_switch[graph.far[rows]], graph.far_port[rows], 0)
        word: Array = graph.port[rows] * np.int64(1 << 20) + far_port
        return word

    mine = words(measured, np.flatnonzero(measured.own == device))
    rows = np.flatnonzero(np.isin(plan.own, places))
    same = rows[np.isin(words(plan, rows), mine)]
    count = np.bincount(plan.own[same], minlength=len(plan.is_switch))[places]
    ordered: Array = places[np.argsort(-count, kind="stable")]
    return ordered


def _agreement(slots: Slots, far: Array, measured: Graph, known: Array) -> int:
    """How many measured link ends lie where the plan has them."""
    rows = np.flatnonzero((known[measured.own] >= 0) & (known[measured.far] >= 0))
    slot = slots.at(known[measured.own[rows]], measured.port[rows])
    there = np.where(slot >= 0, far[slot], -1)
    return int(((there >= 0) & (slots.device[there] == known[measured.far[rows]])).sum())
