"""``lspci -vvv`` of one machine is read without listening for speakers: the same facts as with it, whatever is wrong in it."""

from __future__ import annotations

import functools
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from asbuilt.model.facts import Facts
from asbuilt.model.requirement import Requirement
from asbuilt.parsers import lspci_vv
from asbuilt.parsers.host_lines import Listener
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_twin import Fleet
from asbuilt.workflow.plan import make_plan

ODD = (
    b"", b"  \t ", b"garbage", b"----------", b"node-0007: 00:00.0 Host bridge: Intel", b"[root@gpu9 ~]# lspci -vvv",
    b"\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)", b"\t \tLnkCap:\tSpeed 32GT/s, Width x16",
    b"    NUMA node: 1", b"\tKernel driver in use: vfio\r", b"\x1b[31m\tPhysical Slot: 9\x1b[0m",
    b"\tCapabilities: <access denied>",
    b"\t!!! Unknown header type 7f", b"10: de 10 33 23", b"# time: 2026-01-31T12:00:00Z", b"\xff\xfe",
    b"3a:00.0 no colon here",
    b"3a:00.0 3D controller: NVIDIA (rev ff)", b"\t\tLnkCtl:\tASPM Disabled; LnkDisable+",
    b"\tBus: primary=00, secondary=3a, x",
)  # fmt: skip


@functools.cache
def text() -> tuple[bytes, ...]:
    plan = make_plan(Requirement(name="one", system="l40s-8gpu", gpus=8))
    fleet = Fleet(plan, as_planned(plan))
    return tuple(fleet.answers(fleet.nodes[0])["lspci-vv"].data.split(b"\n"))


def rows(facts: Facts) -> tuple[object, ...]:
    return {name: facts.tables[name].rows() for name in facts.tables}, facts.accounts, facts.notes


def both(data: bytes, subject: str) -> tuple[object, object]:
    fast = lspci_vv.parse(data, "c", subject)
    with patch.object(Listener, "plain", lambda _: None):
        return rows(fast), rows(lspci_vv.parse(data, "c", subject))


edits = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(("drop", "cut", "again", "odd", "swap")), st.sampled_from(ODD))
)


@given(edits, st.booleans(), st.sampled_from(["", "gpu1", "gpu1@2026-01-31T12:00:00Z"]))
@example([(0, "odd", ODD[6])], True, "")  # a line below no function
@example([(50, "odd", ODD[15])], True, "gpu1")
def test_a_plain_text_is_read_as_with_a_listener(edits: list[tuple[int, str, bytes]], ends: bool, subject: str) -> None:
    lines = list(text())
    for at, how, odd in edits:
        i = at % len(lines)
        if how == "drop" and len(lines) > 1:
            del lines[i]
        elif how == "cut":
            lines[i] = lines[i][: at % 40]
        elif how == "again":
            lines.insert(i, lines[at // 7 % len(lines)])
        elif how == "odd":
            lines.insert(i, odd)
        elif how == "swap":
            j = at // 7 % len(lines)
            lines[i], lines[j] = lines[j], lines[i]
    data = b"\n".join(lines).rstrip(b"\n") + (b"\n" if ends else b"")
    fast, heard = both(data, subject)
    assert fast == heard


def test_the_untouched_text_is_plain() -> None:
    whole = b"\n".join(text())
    with patch.object(Listener, "__iter__", lambda _: (_ for _ in [1 / 0])):
        assert lspci_vv.parse(whole, "c").tables["pci_facts"].height == 41
