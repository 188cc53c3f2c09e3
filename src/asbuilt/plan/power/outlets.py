"""Outlets of PDUs and who is plugged where: conductors even in every PDU, every bank and along every busway.

Banks take the conductors in turn: bank 1 on L1 (or L1-L2), bank 2 on L2, bank 3 on L3, bank 4 on L1 again. Outlets of a kind
are dealt over the banks in turn, and numbered bank by bank, C19 before C13. A maker's drawing may number them otherwise.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from asbuilt.physics.assignment import deal_groups, swap
from asbuilt.plan.power.racks import Flags, Floats, Ints

PHASES = 3
_TURNS = np.array(list(itertools.permutations(range(PHASES))), np.int64)


@dataclass(frozen=True, slots=True)
class Outlets:
    """Outlets of one model of PDU: how many of each kind a bank has. Banks without breakers count as one per conductor."""

    large: Ints
    small: Ints

    @property
    def banks(self) -> int:
        return len(self.large)

    def per_conductor(self, which: Ints) -> Ints:
        return np.array([which[c::PHASES].sum() for c in range(PHASES)], np.int32)

    @property
    def symmetric(self) -> bool:
        """True when conductors may be exchanged: every round of three banks has alike outlets."""
        whole = self.banks % PHASES == 0
        return whole and all((w.reshape(-1, PHASES) == w.reshape(-1, PHASES)[:, :1]).all() for w in (self.large, self.small))


def outlets_of(banks: int, c19: int, c13: int) -> Outlets:
    """Outlets dealt over the banks in turn."""
    count = max(1, banks) if banks else PHASES
    at = np.arange(count)
    return Outlets(
        large=(c19 // count + (at < c19 % count)).astype(np.int32), small=(c13 // count + (at < c13 % count)).astype(np.int32)
    )


@dataclass(frozen=True, slots=True)
class Plugged:
    """Per cord: conductor 0-2, bank and outlet from 0, whether the outlet is a C19. Outlets behind the last: there is none."""

    conductor: Ints
    bank: Ints
    outlet: Ints
    large: Flags


def plug_in(weight_w: Floats, pdu: Ints, large: Flags, outlets: Outlets, busway: Ints, later: Flags) -> Plugged:
    """Plug every cord into its PDU. ``pdu`` (n,) is dense from 0; ``busway`` per PDU, in the order along it.

    Within a PDU the largest cord goes to the emptiest conductor, then to the emptiest bank of it; pairs are swapped while
    that helps; then whole PDUs exchange conductors so that their busway is even. C14 plugs that find no C13 outlet take a
    C20-to-C13 cord. Cords of the finished row (``later``) choose last.
    """
    order = np.lexsort((np.arange(len(pdu)), -weight_w, later, pdu))
    count = int(pdu.max(initial=-1)) + 1
    rank = np.empty(len(pdu), np.int64)
    first = np.searchsorted(pdu[order], np.arange(count))
    rank[order] = np.arange(len(pdu)) - first[pdu[order]]
    width = int(rank.max(initial=-1)) + 1
    table = np.full((count, width), -1, np.int64)
    table[pdu, rank] = np.arange(len(pdu))
    held = table >= 0
    watts = np.where(held, np.maximum(weight_w[table], 1e-6), 0.0)  # a cord of 0 W still takes an outlet
    big = held & large[table]
    conductor, in_large = _conductors(watts, big, held, outlets)
    conductor = _improved(watts, conductor, in_large, held)
    if outlets.symmetric:
        conductor = _turned(watts, conductor, busway)
    bank = _banks(watts, conductor, big, in_large, outlets)
    outlet = _numbers(bank, in_large, outlets)
    conductor, bank, outlet = _without_place(held, conductor, bank, outlet, outlets)
    blank = np.zeros(len(pdu), np.int32)
    out = Plugged(blank.copy(), blank.copy(), blank.copy(), np.zeros(len(pdu), np.bool_))
    for mine, found in ((out.conductor, conductor), (out.bank, bank), (out.outlet, outlet), (out.large, in_large)):
        mine[table[held]] = found[held]
    return out


def _without_place(held: Flags, conductor: Ints, bank: Ints, outlet: Ints, outlets: Outlets) -> tuple[Ints, Ints, Ints]:
    """Cords that find no outlet get numbers behind the last one, where a check sees them, on the conductors in turn."""
    none = held & (outlet < 0)
    nth = np.cumsum(none, axis=1) - 1
    last = int(outlets.large.sum() + outlets.small.sum())
    turn = (nth % min(PHASES, outlets.banks)).astype(np.int32)
    return (
        np.where(none, turn, conductor).astype(np.int32),
        np.where(none, turn, bank).astype(np.int32),
        np.where(none, last + nth, outlet).astype(np.int32),
    )


def _totals(watts: Floats, where: Ints, count: int) -> Floats:
    """(groups, count) sums of watts (groups, n) by place; -1 counts nowhere."""
    groups = len(watts)
    ok = where >= 0
    index = np.arange(groups)[:, None] * count + np.where(ok, where, 0)
    sums = np.bincount(index[ok], weights=watts[ok], minlength=groups * count)
    return np.asarray(sums, np.float64).reshape(groups, count)


def _conductors(watts: Floats, big: Flags, held: Flags, outlets: Outlets) -> tuple[Ints, Flags]:
    groups = len(watts)
    large = np.tile(outlets.per_conductor(outlets.large), (groups, 1))
    small = np.tile(outlets.per_conductor(outlets.small), (groups, 1))
    conductor = deal_groups(np.where(big, watts, 0.0), large).astype(np.int32)
    large = large - _totals(np.ones_like(watts), conductor, PHASES).astype(np.int32)
    light = held & ~big
    second = deal_groups(np.where(light, watts, 0.0), small, _totals(watts, conductor, PHASES))
    conductor = np.where(second >= 0, second, conductor).astype(np.int32)
    rest = light & (conductor < 0)
    third = deal_groups(np.where(rest, watts, 0.0), large, _totals(watts, conductor, PHASES))
    conductor = np.where(third >= 0, third, conductor).astype(np.int32)
    return conductor, (big | (rest & (third >= 0)))


def _improved(watts: Floats, conductor: Ints, in_large: Flags, held: Flags) -> Ints:
    """Pairs of one kind of outlet swapped; PDUs that hold the same cords are worked out once."""
    done: dict[bytes, Ints] = {}
    out = conductor.copy()
    totals = _totals(watts, conductor, PHASES)
    uneven = totals.max(axis=1) - totals.min(axis=1) > 1e-3
    alike = (in_large == in_large[:, :1]) | ~held
    least = np.where(held, watts, np.inf).min(axis=1, initial=np.inf)
    mixed = watts.max(axis=1, initial=0.0) > least  # swapping equal loads changes nothing
    for group in np.flatnonzero(uneven & mixed & alike.all(axis=1)).tolist():
        row = watts[group]
        key = row.tobytes() + conductor[group].tobytes()
        if key not in done:
            done[key] = swap(row, conductor[group], PHASES).astype(np.int32)
        out[group] = done[key]
    return out


def _turned(watts: Floats, conductor: Ints, busway: Ints) -> Ints:
    """Conductors of whole PDUs exchanged, PDU by PDU along all busways at once, so that no conductor of a busway runs ahead."""
    totals = _totals(watts, conductor, PHASES)
    count = int(busway.max(initial=-1)) + 1
    order = np.argsort(busway, kind="stable")
    step = np.empty(len(busway), np.int64)
    step[order] = np.arange(len(busway)) - np.searchsorted(busway[order], np.arange(count))[busway[order]]
    carried = np.zeros((count, PHASES))
    turn = np.zeros(len(busway), np.int64)
    # permuted[g, t, c]: what conductor c carries when the PDU is turned by t
    permuted = np.zeros((len(busway), len(_TURNS), PHASES))
    for t, perm in enumerate(_TURNS):
        permuted[:, t, perm] = totals
    for at in range(int(step.max(initial=-1)) + 1):
        now = np.flatnonzero(step == at)
        tried = carried[busway[now], None, :] + permuted[now]
        # The sum is the same for every turn, so that the least sum of squares is the evenest; rounded: ties go to the first.
        turn[now] = np.round(np.square(tried).sum(axis=2)).argmin(axis=1)
        carried[busway[now]] += permuted[now, turn[now]]
    return np.where(conductor >= 0, _TURNS[turn[:, None], np.maximum(conductor, 0)], -1).astype(np.int32)


def _banks(watts: Floats, conductor: Ints, big: Flags, in_large: Flags, outlets: Outlets) -> Ints:
    """The emptiest bank of the conductor that has an outlet of the kind: C20 plugs first, then those that need the few C13
    outlets, then small plugs in C19 outlets, which can go anywhere."""
    groups, banks = len(watts), outlets.banks
    bank = np.full(watts.shape, -1, np.int32)
    for c in range(PHASES):
        mine = np.arange(c, banks, PHASES)
        if not len(mine):
            continue
        start = np.zeros((groups, len(mine)))
        large, small = (np.tile(w[mine], (groups, 1)) for w in (outlets.large, outlets.small))
        for kind, places in ((big, large), (~in_large, small), (in_large & ~big, large)):
            dealt = deal_groups(np.where(kind & (conductor == c), watts, 0.0), places, start).astype(np.int32)
            bank = np.where(dealt >= 0, mine[np.maximum(dealt, 0)], bank).astype(np.int32)
            start = start + _totals(watts, dealt, len(mine))
            places -= _totals(np.ones_like(watts), dealt, len(mine)).astype(np.int32)
    return bank


def _numbers(bank: Ints, in_large: Flags, outlets: Outlets) -> Ints:
    """Outlet number from 0: those of earlier banks, then the C19 of the bank, then its C13."""
    base = np.cumsum(outlets.large + outlets.small) - outlets.large - outlets.small
    out = np.full(bank.shape, -1, np.int32)
    seen = np.zeros((2, len(bank), outlets.banks), np.int32)
    rows = np.arange(len(bank))
    for at in range(bank.shape[1]):
        ok = bank[:, at] >= 0
        here, which = np.maximum(bank[:, at], 0), np.where(in_large[:, at], 0, 1)
        place = base[here] + np.where(in_large[:, at], 0, outlets.large[here]) + seen[which, rows, here]
        out[:, at] = np.where(ok, place, -1)
        seen[which[ok], rows[ok], here[ok]] += 1
    return out
