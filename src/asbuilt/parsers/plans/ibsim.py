"""ibsim netlists: ``Switch 8 "name"`` and ``Hca 2 "name"`` blocks with ``[port] "far"[port]`` lines.

A dump of ibnetdiscover is a netlist too; it is read as a capture, not here.
"""

from __future__ import annotations

import re

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans.rows import Rows, plan_of
from asbuilt.parsers.plans.text import decoded

FORMAT = "ibsim"
_HEAD = re.compile(r'^(Switch|Hca|Ca|Router|Rt)\s*(\d+)\s*"([^"]+)"\s*(?:#\s*(?:"([^"]*)")?.*)?$', re.I)
_PORT = re.compile(r'^\[(\d+)\](?:\([0-9a-fA-F]+\))?\s*"([^"]+)"\s*\[(\d+)\](?:\([0-9a-fA-F]+\))?(.*)$')
# A board of a director chassis as its manager names it: what joins two boards of one chassis is its inside, no cable.
_BOARD = re.compile(r"^MF0;([^:]+):[^/]*/[LS]\d+")
_AGGREGATION = "Aggregation Node"
_ATTRIBUTE = re.compile(r"^(?:vendid|devid|sysimgguid|switchguid|caguid|hcaguid|rtguid)=", re.I)


def sniff(data: bytes) -> bool:
    """True for a text with a header line of a netlist."""
    lines = data[:65536].decode("utf-8", "replace").splitlines()
    return any(_HEAD.match(line.strip()) for line in lines)


def read(data: bytes, file: str = "fabric.net") -> Plan:
    """The partial plan of a netlist. Raises `ProblemError` PAR-001 when no line is a netlist's, PAR-005 without a link."""
    rows = Rows()
    heads: dict[str, tuple[str, str]] = {}
    pending: list[tuple[int, str, str, str, str]] = []
    current = ""
    for number, raw in enumerate(decoded(data, file).splitlines(), start=1):
        rows.total += 1
        line = raw.strip()
        if not line or line.startswith("#") or _ATTRIBUTE.match(line):
            rows.ignorable += 1
        elif (head := _HEAD.match(line)) is not None:
            current = head[3]
            heads[current] = ("switch" if head[1].lower() == "switch" else "host", head[4] or current)
            rows.ignorable += 1
        elif (joined := _PORT.match(line)) is not None and current:
            pending.append((number, current, joined[1], joined[2], joined[3]))
        else:
            rows.skip(number, f"neither a device nor a port line: {line[:80]!r}")
    if not heads:
        line_number, why = rows.unread[0] if rows.unread else (1, "the file is empty")
        raise ProblemError(Problem("PAR-001", f"this is no netlist: {why}", Place(file, line_number)))
    for number, own, port, far, far_port in pending:
        kinds = (heads[own][0], heads.get(far, (_kind(far), far))[0])
        names = (heads[own][1], heads.get(far, ("", far))[1])
        if any(_AGGREGATION in name for name in names):
            rows.ignorable += 1  # the port to a switch's own aggregation node is no cable
            continue
        boards = [match[1] for match in map(_BOARD.match, names) if match]
        if len(boards) == len(names) and boards[0] == boards[1]:
            rows.ignorable += 1
            continue
        holes = ["" if k == "switch" else p for p, k in zip((port, far_port), kinds, strict=True)]
        ports = [f"Port {p}" if k == "switch" else p for p, k in zip((port, far_port), kinds, strict=True)]
        split = [_node(n, k, p) for n, k, p in zip(names, kinds, ports, strict=True)]
        rows.add(
            number,
            a_device=split[0][0], a_port=split[0][1], b_device=split[1][0], b_port=split[1][1],
            a_kind=kinds[0], b_kind=kinds[1], a_hole=holes[0], b_hole=holes[1],
        )  # fmt: skip
    if not rows.lines:
        raise ProblemError(Problem("PAR-005", "no line of the netlist joins two ports", Place(file)))
    return plan_of(rows, file)


def _kind(name: str) -> str:
    return "switch" if name.startswith("S-") else "host"


def _node(name: str, kind: str, port: str) -> tuple[str, str]:
    """A host is its node and adapter when its description says both, else the device and its port number."""
    head, blank, adapter = name.rpartition(" ")
    return (head, adapter) if kind == "host" and blank and head else (name, port)
