"""Hours of faults dealt out to packages of work: the same sums plainly and compiled, in the same order of addition."""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.kernel import kernel

#: Up to so many faults of one cell are dealt out one by one; more are spread by the racks' pieces.
ONE_BY_ONE = 8
#: Turns the chance that deals faults out into the one that says where many of them wait.
_OTHER_CHANCE = 0x2545F4914F6CDD1D


def _mixed(key: Any, number: Any) -> Any:
    """A chance in [0, 1) for each number: SplitMix64 of Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014, at the place in its sequence that the number (uint64) says."""
    z = key + number * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def _ordinals(lengths: np.ndarray) -> np.ndarray:
    """0, 1, … for each length, one after the other."""
    made: np.ndarray = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return made


def _deal_plainly(
    run: np.ndarray, entry: np.ndarray, count: np.ndarray, each: np.ndarray, wait: np.ndarray, start: np.ndarray,
    package: np.ndarray, weight: np.ndarray, ends: np.ndarray, keys: np.ndarray, work: np.ndarray, hold: np.ndarray,
) -> None:  # fmt: skip
    """The loop of ``_deal`` with numpy alone."""
    runs, packages = work.shape
    width = start[entry + 1] - start[entry]
    single = np.flatnonzero(width == 1)
    at = [run[single] * packages + package[start[entry[single]]]]
    hours, waits = [each[single] * count[single]], [wait[single]]

    few = np.flatnonzero((width > 1) & (count <= ONE_BY_ONE))
    index = np.repeat(few, count[few])
    number = (run[index] * (len(start) - 1) + entry[index]) * ONE_BY_ONE + _ordinals(count[few])
    first = start[entry[index]]
    reached = ends[first] - weight[first] + _mixed(keys[0], number.astype(np.uint64))
    slot = np.clip(np.searchsorted(ends, reached, side="right"), first, start[entry[index] + 1] - 1)
    at.append(run[index] * packages + package[slot])
    hours.append(each[index])
    waits.append(wait[index])

    many = np.flatnonzero((width > 1) & (count > ONE_BY_ONE))
    index = np.repeat(many, width[many])
    slot = start[entry[index]] + _ordinals(width[many])
    chance = _mixed(keys[1], (run[index] * len(package) + slot).astype(np.uint64))
    touched = chance < 1.0 - (1.0 - weight[slot]) ** count[index]
    at.append(run[index] * packages + package[slot])
    hours.append(each[index] * count[index] * weight[slot])
    waits.append(np.where(touched, wait[index], 0.0))

    where, longest = np.concatenate(at), np.concatenate(waits)
    work += np.bincount(where, np.concatenate(hours), runs * packages).reshape(work.shape)
    waiting = longest > 0.0
    np.maximum.at(hold.reshape(-1), where[waiting], longest[waiting])


@kernel(_deal_plainly, threshold=1 << 20, parts=(_mixed,))
def _deal(
    run: np.ndarray, entry: np.ndarray, count: np.ndarray, each: np.ndarray, wait: np.ndarray, start: np.ndarray,
    package: np.ndarray, weight: np.ndarray, ends: np.ndarray, keys: np.ndarray, work: np.ndarray, hold: np.ndarray,
) -> None:  # fmt: skip
    """Cells of one package first, then those of few faults, then those of many: sums in the order of the plain ones."""
    for stage in range(3):
        for cell in range(len(run)):
            first, last = start[entry[cell]], start[entry[cell] + 1] - 1
            row, faults = run[cell], count[cell]
            if first == last and stage == 0:
                work[row, package[first]] += each[cell] * faults
                hold[row, package[first]] = max(hold[row, package[first]], wait[cell])
            elif first < last and stage == 1 and faults <= ONE_BY_ONE:
                for fault in range(faults):
                    number = (row * (len(start) - 1) + entry[cell]) * ONE_BY_ONE + fault
                    reached = ends[first] - weight[first] + _mixed(keys[0], np.uint64(number))
                    slot = first
                    while slot < last and ends[slot] <= reached:
                        slot += 1
                    work[row, package[slot]] += each[cell]
                    hold[row, package[slot]] = max(hold[row, package[slot]], wait[cell])
            elif first < last and stage == 2 and faults > ONE_BY_ONE:
                for slot in range(first, last + 1):
                    work[row, package[slot]] += each[cell] * faults * weight[slot]
                    chance = _mixed(keys[1], np.uint64(row * len(package) + slot))
                    if chance < 1.0 - (1.0 - weight[slot]) ** faults:
                        hold[row, package[slot]] = max(hold[row, package[slot]], wait[cell])


def deal(
    cells: tuple[np.ndarray, np.ndarray, np.ndarray], each: np.ndarray, wait: np.ndarray,
    table: tuple[np.ndarray, np.ndarray, np.ndarray], key: int, shape: tuple[int, int],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Hours and longest waits of each run and package, ``float64[S, T]`` both, ``shape`` = (S, T).

    ``cells``: run, entry and number of faults, ``int64[N]``; ``each`` and ``wait``: hours of one fault and its wait,
    ``float64[N]``. ``table``: entries as rows of a sparse table, where each starts, packages and weights. Where an entry has
    several packages, up to eight faults fall to one of them each by chance; the hours of more are spread by weight, and a
    package waits with the probability that any of them fell to it. Both chances come from ``key``, run, entry and place.
    """
    start, package, weight = table
    keys = np.array([key, key ^ _OTHER_CHANCE], np.uint64)
    work, hold = np.zeros(shape), np.zeros(shape)
    _deal(*cells, each, wait, start, package, weight, np.cumsum(weight), keys, work, hold)
    return work, hold
