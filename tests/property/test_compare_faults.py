"""With any faults: exactly those are found, the counts add up, and the moves mend the fabric with no more acts than faults."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import fabric_dump as maker
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS
from asbuilt.model.verdict import Verification
from asbuilt.parsers.ibnetdiscover import parse
from asbuilt.workflow.compare import compare

FABRIC = maker.fabric(34)
PLAN = Plan("test", {"links": LINKS.conform(maker.links(FABRIC)).sort("link")})
HOSTS = np.flatnonzero(~FABRIC.is_switch[FABRIC.b])
UPLINKS = np.flatnonzero(FABRIC.is_switch[FABRIC.b])
DEVICE = {n: i for i, n in enumerate(FABRIC.names)}
PORT = re.compile(r"^(\S+) port (\d+)$")


def slot(text: str) -> tuple[int, int]:
    match = PORT.match(text)
    return (DEVICE[match[1]], int(match[2])) if match else (DEVICE[text], 1)


def repaired(cabling: maker.Fabric, seen: Verification) -> maker.Fabric:
    """The cabling after the moves of ``seen``, every end taken out before the first goes in."""
    ends = {(a, p): (b, q) for a, p, b, q in zip(cabling.a, cabling.a_port, cabling.b, cabling.b_port, strict=True)}
    cables = [[(int(a), int(p)), (int(b), int(q))] for (a, p), (b, q) in ends.items()]
    at = {end: cable for cable in cables for end in cable}
    put = []
    for move in seen.repairs:
        if move.take:
            cable = at.pop(slot(move.take))
            cable.remove(slot(move.take))
            put.append((cable, slot(move.put)))
        else:
            one, two = (slot(t) for t in move.cable.split(" – "))
            cables.append([one, two])
            at[one] = at[two] = cables[-1]
    for cable, end in put:
        assert end not in at, "the port is in use"
        cable.append(end)
        at[end] = cable
    rows = [sorted(c, key=lambda e: (not FABRIC.is_switch[e[0]], e)) for c in cables]
    columns = np.array([[a, p, b, q] for (a, p), (b, q) in rows]).T
    return replace(cabling, a=columns[0], a_port=columns[1], b=columns[2], b_port=columns[3])


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_separate_faults_are_found_each_as_one_cause(data: st.DataObject) -> None:
    hosts = data.draw(st.lists(st.sampled_from(HOSTS.tolist()), max_size=12, unique=True))
    uplinks = data.draw(st.lists(st.sampled_from(UPLINKS.tolist()), max_size=8, unique=True))
    out, broken, swaps = [], FABRIC, 0
    touched = set()
    for group in (hosts, uplinks):
        if len(group) % 2:
            out.append(group.pop())
        one, two = np.array(group[::2], np.int64), np.array(group[1::2], np.int64)
        broken = broken.swapped(one, two)
        swaps += len(one)
        touched |= set(group)
    broken = broken.without(np.array(out, np.int64))
    seen = compare(PLAN, parse(maker.dump(broken), "c"))
    summary = seen.summary
    assert (summary.wrong, summary.missing, summary.unplanned) == (2 * swaps, len(out), 0)
    assert summary.ok + summary.wrong + summary.missing == summary.planned == PLAN.links.height
    wanted = {PLAN_ROW[r] for r in touched | set(out)}
    assert {s for f in seen.findings for s in f.subjects} == wanted
    assert seen.details["exchanges"] == swaps + len(out)
    mended = compare(PLAN, parse(maker.dump(repaired(broken, seen)), "c"))
    assert mended.exit_code == 0 and mended.summary.ok == PLAN.links.height


@given(st.permutations(range(12)), st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_permutation_is_mended_with_the_fewest_exchanges(order: list[int], uplinks: bool) -> None:
    rows = (UPLINKS if uplinks else HOSTS)[: 12 * 7 : 7]
    b, port = FABRIC.b.copy(), FABRIC.b_port.copy()
    b[rows], port[rows] = FABRIC.b[rows][order], FABRIC.b_port[rows][order]
    broken = replace(FABRIC, b=b, b_port=port)
    seen = compare(PLAN, parse(maker.dump(broken), "c"))
    cycles = _cycles(order)
    assert seen.details["exchanges"] == sum(len(c) - 1 for c in cycles)
    assert len(seen.repairs) == sum(len(c) for c in cycles if len(c) > 1)
    assert compare(PLAN, parse(maker.dump(repaired(broken, seen)), "c")).exit_code == 0


def _cycles(order: list[int]) -> list[list[int]]:
    left, found = set(range(len(order))), []
    while left:
        cycle, at = [], min(left)
        while at in left:
            left.remove(at)
            cycle.append(at)
            at = order[at]
        found.append(cycle)
    return found


PLAN_ROW = dict(enumerate(maker.links(FABRIC)["link"].to_list()))
