"""Whether a host answers congestion marks: ``grep . /sys/class/net/*/ecn/roce_{np,rp}/enable/*``, lines ``path:value``.

The notification point (``roce_np``) sends notifications for marked frames, the reaction point (``roce_rp``) slows down on
them; a priority counts as answering when both are on. A priority of which one side only was read tells nothing; of two
readings the first stands. Paths are those of MLNX_OFED and DOCA drivers (NVIDIA, RoCE documentation: "ECN"); no real capture
was at hand.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_roce import ROCE_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8

TOOL = "roce-ecn"
_POINT = re.compile(r"^\s*/sys/class/net/([^/\s]{1,64})/ecn/roce_(np|rp)/enable/([0-7]):([01])$")
_OTHER = re.compile(r"^\s*/sys/class/net/[^/\s]{1,64}/ecn/roce_(?:np|rp)/(?!enable/)\S{1,80}:\S{0,40}$")
_OWN = re.compile(rf"{_POINT.pattern}|{_OTHER.pattern}")
_SNIFFED = 1 << 16
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*/sys/class/net/[^/\s]+/ecn/roce_(?:np|rp)/", re.M)
_SIDES = frozenset({"np", "rp"})


def sniff(data: bytes) -> bool:
    """True for lines that begin with a path of the ECN settings."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``roce_facts``: ``ecn`` by interface and priority, 1 when both sides are on. Never raises. ``subject``: the host."""
    listener = Listener(as_utf8(data), subject, _OWN)
    seen: dict[tuple[str | None, str, int], dict[str, tuple[int, int]]] = {}
    for said in listener:
        found = _POINT.match(said.text)
        if found and said.closed:
            for host in said.speaker.hosts:
                sides = seen.setdefault((host, found[1], int(found[3])), {})
                sides.setdefault(found[2], (int(found[4]), said.number))
            listener.account.fact(said.number)
        elif _OTHER.match(said.text) and said.closed:
            listener.account.ignore(said.number)
    rows: list[dict[str, Any]] = []
    for (host, interface, priority), sides in seen.items():
        lines = sorted(number for _, number in sides.values())
        if sides.keys() < _SIDES:
            listener.account.unread(lines[0], f"priority {priority} of {interface}: only one of roce_np and roce_rp")
            continue
        on = all(value for value, _ in sides.values())
        told = ", ".join(f"roce_{side} {'on' if sides[side][0] else 'off'}" for side in sorted(sides))
        rows.append(
            {
                "device": host,
                "side": "host",
                "interface": interface,
                "setting": "ecn",
                "index": priority,
                "value": float(on),
                "text": told,
                "unit": "",
                "line": lines[-1],
            }
        )
    return Facts(fact_rows.table(ROCE_FACTS, rows, capture_id), {capture_id: listener.account.result()}, (), TOOL)
