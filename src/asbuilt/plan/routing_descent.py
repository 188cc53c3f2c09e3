"""The walk of fat-tree routing as a kernel: for one destination after the other, up on the least loaded link, down to all.

Rules of OpenSM 3.3.23's ``ftree``: from the destination's switch the *main* path climbs through the least loaded up group
(of equals the first by index) and its least loaded port; from every switch that is reached the tables of all switches
below are set; then the other up groups give the rest a way (*secondary* paths, not counted upwards). A missing
compute node is routed like one that is there, to a table row that nobody reads. The recursion is an explicit stack, so
that compiled and plain runs are the same code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asbuilt.base.kernel import kernel

FREE = 255
# Columns of a stack frame: kind (0 down, 1 up), switch, switch that it was entered from, made a route, main path, hops,
# next group, phase, reverse hops left, group (or first place) and port of the step that was taken last.
FRAME = 11


def _push(stack: Any, top: int, kind: int, at: int, came: int, main: int, hops: int, credit: int) -> int:
    top += 1
    stack[top, 0] = kind
    stack[top, 1] = at
    stack[top, 2] = came
    stack[top, 3] = 0
    stack[top, 4] = main
    stack[top, 5] = hops
    stack[top, 6] = 0
    stack[top, 7] = 0
    stack[top, 8] = credit
    return top


def _sort(order: Any, first: int, last: int, load: Any, tie: Any) -> None:
    """Groups ``order[first:last]`` by load, then by ``tie``; where ties are equal their order stays."""
    for i in range(first + 1, last):
        group = order[i]
        j = i - 1
        while j >= first and (load[order[j]] > load[group] or (load[order[j]] == load[group] and tie[order[j]] > tie[group])):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = group


def _least(ports: Any, group: int, load: Any) -> int:
    """The least loaded port of a group, the first of equals."""
    best = ports[group]
    for port in range(ports[group] + 1, ports[group + 1]):
        if load[port] < load[best]:
            best = port
    return int(best)


def _descend(
    top: int, stack: Any, answer: Any, lid: int, out: Any, hops: Any, starts: Any, order: Any, tie: Any, remote: Any,
    ports: Any, far: Any, group_up: Any, port_up: Any, turn: Any,
) -> int:  # fmt: skip
    """One step of setting the tables below a switch: run until another switch is entered or this one is done."""
    at = stack[top, 1]
    first, last = starts[at, 1], starts[at, 2]
    if stack[top, 7] == 0:
        if first == last:
            answer[0] = 0
            return top - 1
        _sort(order, first, last, group_up, tie)
        stack[top, 7] = 1
    elif answer[0]:
        stack[top, 3] = 1
        port_up[stack[top, 10]] += 1
        group_up[stack[top, 9]] += 1
    level = stack[top, 5] + 1
    while first + stack[top, 6] < last:
        group = order[first + stack[top, 6]]
        stack[top, 6] += 1
        to = remote[group]
        if to < 0:
            stack[top, 3] = 1
            continue
        if to == stack[top, 2] or (hops[to] != 255 and level >= hops[to]):
            continue
        port = _least(ports, group, port_up)
        out[lid, to] = far[port]
        hops[to] = level
        stack[top, 9] = group
        stack[top, 10] = port
        return _push(stack, top, 0, to, -1, stack[top, 4], level, 0)
    answer[0] = stack[top, 3]
    if stack[top, 3]:
        turn[at] = (turn[at] + 1) % (last - first)
    return top - 1


def _main_path(
    top: int, stack: Any, lid: int, out: Any, hops: Any, starts: Any, order: Any, remote: Any, ports: Any, far: Any,
    group_down: Any, port_down: Any,
) -> int:  # fmt: skip
    """Count the least loaded way up and climb it; its table is set when it is the shortest so far. Returns the new top."""
    group = order[starts[stack[top, 1], 0]]
    port = _least(ports, group, port_down)
    group_down[group] += 1
    port_down[port] += 1
    to, level = remote[group], stack[top, 5] + 1
    if out[lid, to] == 255 or level < hops[to]:
        out[lid, to] = far[port]
        hops[to] = level
    return _push(stack, top, 1, to, stack[top, 1], 1, level, stack[top, 8])


def _other_path(
    top: int, stack: Any, lid: int, out: Any, hops: Any, first: int, last: int, order: Any, remote: Any, ports: Any, far: Any,
    port_down: Any,
) -> int:  # fmt: skip
    """The next group of ``order[first + next : last]`` whose far switch has no way as short. Returns the new top."""
    level = stack[top, 5] + 1
    while first + stack[top, 6] < last:
        group = order[first + stack[top, 6]]
        stack[top, 6] += 1
        to = remote[group]
        if out[lid, to] != 255 and level >= hops[to]:
            continue
        port = _least(ports, group, port_down)
        out[lid, to] = far[port]
        hops[to] = level
        stack[top, 10] = port
        return _push(stack, top, 1, to, stack[top, 1], 0, level, stack[top, 8])
    return top


def _turn_back(top: int, stack: Any, starts: Any, order: Any, remote: Any, first: int, main: int) -> int:
    """With reverse hops left: on from the next switch below, groups from place ``first`` round. Returns the new top."""
    at = stack[top, 1]
    begin, count = starts[at, 1], starts[at, 2] - starts[at, 1]
    while stack[top, 6] < count:
        to = remote[order[begin + (first + stack[top, 6]) % count]]
        stack[top, 6] += 1
        if to >= 0:
            return _push(stack, top, 1, to, at, main, stack[top, 5] + 1, stack[top, 8] - 1)
    return top


def _climb(
    top: int, stack: Any, answer: Any, lid: int, out: Any, hops: Any, starts: Any, order: Any, tie: Any, rank: Any, remote: Any,
    ports: Any, far: Any, group_down: Any, port_down: Any, turn: Any,
) -> int:  # fmt: skip
    """One step at a switch that the destination's tree has reached: below it first, then up, then back where allowed."""
    at, phase = stack[top, 1], stack[top, 7]
    if phase == 0:
        stack[top, 7] = 1
        return _push(stack, top, 0, at, stack[top, 2], stack[top, 4], stack[top, 5], 0)
    stack[top, 3] |= answer[0]
    up, first = starts[at, 0], starts[at, 1]
    if phase == 1:
        stack[top, 6] = 0
        if rank[at] == 0:
            stack[top, 7] = 3
            stack[top, 9] = 0
            if stack[top, 8] > 0:
                turn[at] = (turn[at] + 1) % (starts[at, 2] - first)
                stack[top, 9] = turn[at]
        else:
            _sort(order, up, first, group_down, tie)
            stack[top, 7] = 2
            stack[top, 6] = stack[top, 4]
            if stack[top, 4]:
                return _main_path(top, stack, lid, out, hops, starts, order, remote, ports, far, group_down, port_down)
    if stack[top, 7] == 2:
        new = _other_path(top, stack, lid, out, hops, up, first, order, remote, ports, far, port_down)
        if new != top:
            return new
        stack[top, 7] = 3
        stack[top, 6] = 0
        stack[top, 9] = 0
    if stack[top, 8] > 0 and rank[at] < rank[-1]:
        main = 1 if rank[at] > 0 else stack[top, 4]
        new = _turn_back(top, stack, starts, order, remote, stack[top, 9], main)
        if new != top:
            return new
    answer[0] = stack[top, 3]
    return top - 1


def _route(
    targets: Any, out: Any, hops: Any, stack: Any, answer: Any, starts: Any, order: Any, tie: Any, rank: Any,
    remote: Any, ports: Any, far: Any, group_up: Any, group_down: Any, port_up: Any, port_down: Any, turn: Any,
) -> None:  # fmt: skip
    """All destinations in order. ``targets`` [n, 6]: switch, LID (0: nobody there), port there, main path, hops, reverse hops.

    ``rank`` [S+1] ends with the rank of the leaves. Writes ``out`` [LIDs, S] and the counters.
    """
    for t in range(targets.shape[0]):
        at, lid, main, level = targets[t, 0], targets[t, 1], targets[t, 3], targets[t, 4]
        for i in range(hops.shape[0]):
            hops[i] = 255
            if lid == 0:
                out[0, i] = 255
        out[lid, at] = targets[t, 2]
        hops[at] = level
        top = _push(stack, -1, 1, at, -1, main, level, targets[t, 5])
        while top >= 0:
            if stack[top, 0] == 0:
                top = _descend(
                    top, stack, answer, lid, out, hops, starts, order, tie, remote, ports, far, group_up, port_up, turn
                )  # fmt: skip
            else:
                top = _climb(
                    top, stack, answer, lid, out, hops, starts, order, tie, rank, remote, ports, far, group_down, port_down,
                    turn,
                )  # fmt: skip


_PARTS = (_push, _sort, _least, _descend, _main_path, _other_path, _turn_back, _climb)
#: With reverse hops one destination can cost as much as hundreds without: plain Python is left early.
route = kernel(_route, threshold=256, parts=_PARTS)(_route)


def room(switches: int) -> tuple[Any, Any, Any]:
    """Working memory of `route`: hops [S] uint8, stack [frames, FRAME] int64, answer [1] int64."""
    return np.zeros(switches, np.uint8), np.zeros((2 * switches + 64, FRAME), np.int64), np.zeros(1, np.int64)
