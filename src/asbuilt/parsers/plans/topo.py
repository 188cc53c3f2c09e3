"""ibutils ``.topo`` files: ``TYPE NAME`` blocks with ``P1 -4x-10G-> TYPE NAME P1`` lines, and ``.ibnl`` libraries.

A library says which ASIC and port of a system is behind a front-panel port name (``L1/P3``, ``C-17A``). Without it a board
port is kept as ``system/L1`` port 3, and that is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Mapping

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans.rows import Rows, plan_of
from asbuilt.parsers.plans.text import decoded

FORMAT = "topo"
#: Lane rate words of the link arrow in Gb/s.
_RATES = {"2.5G": 2.5, "5G": 5.0, "10G": 10.0, "14G": 14.0, "25G": 25.0, "50G": 50.0, "100G": 100.0, "200G": 200.0}
_SYSTEM = re.compile(r"^(\S+)\s+(\S+)(?:\s+CFG:\s*(.*))?$")
_LINK = re.compile(r"^(\S+)\s+-(?:(\d+)x-?)?(?:([\d.]+G)-?)?>\s+(\S+)\s+(\S+)\s+(\S+)$", re.I)
_ADAPTERS = re.compile(r"^(?:MT\d{5}|MT25\d{3}|Cougar|Tavor|Arbel|Sinai|Hermon|.*HCA.*|.*Connect.*)$", re.I)
_BOARD = re.compile(r"^(.+)/P?(\d+)$", re.I)


@dataclass
class Library:
    """One ``.ibnl``: its system names, and for each front-panel port the ASIC path within the system and its port."""

    names: tuple[str, ...] = ()
    ports: dict[str, tuple[str, int]] = field(default_factory=dict)


def sniff(data: bytes) -> bool:
    """True for a text in which port lines with arrows follow a system line."""
    lines = [x.strip() for x in data[:65536].decode("utf-8", "replace").splitlines()]
    return any(_LINK.match(x) for x in lines) and not any(
        x.upper().startswith(("TOPSYSTEM", "SYSTEM ", "NODE ")) for x in lines
    )


def read(data: bytes, file: str = "fabric.topo", libraries: Mapping[str, bytes] | None = None) -> Plan:
    """The partial plan of a ``.topo`` file; ``libraries`` are ``.ibnl`` texts by file name.

    Raises `ProblemError` PAR-001 when no line reads like a topology's, PAR-005 when no line joins two ports.
    """
    known = {n.lower(): lib for lib in map(library, (libraries or {}).values()) for n in lib.names}
    rows = Rows()
    system = kind = ""
    plain_boards: set[str] = set()
    for number, raw in enumerate(decoded(data, file).splitlines(), start=1):
        rows.total += 1
        line = raw.partition("#")[0].strip()
        link = _LINK.match(line)
        if not line:
            rows.ignorable += 1
        elif link is not None and system:
            port, width, speed, far_kind, far, far_port = link.groups()
            rate = f"{int(width) * _RATES[speed.upper()]:g}" if width and speed and speed.upper() in _RATES else ""
            ends = [_end(known, *end, plain_boards) for end in ((kind, system, port), (far_kind, far, far_port))]
            rows.add(
                number,
                a_device=ends[0][0], a_port=ends[0][1], b_device=ends[1][0], b_port=ends[1][1],
                a_kind=_role(kind), b_kind=_role(far_kind), rate=rate,
            )  # fmt: skip
        elif link is None and (head := _SYSTEM.match(line)) is not None:
            kind, system = head[1], head[2]
            rows.ignorable += 1
        else:
            rows.skip(number, f"neither a system nor a link line: {line[:80]!r}")
    if not rows.lines:
        line_number, why = rows.unread[0] if rows.unread else (1, "no line joins two ports")
        code = "PAR-005" if system and not rows.unread else "PAR-001"
        raise ProblemError(Problem(code, f"this is no topology file: {why}", Place(file, line_number)))
    plan = plan_of(rows, file)
    if not plain_boards:
        return plan
    note = f"boards of {', '.join(sorted(plain_boards))} are named system/board: give their .ibnl to know the ASIC"
    return Plan(
        plan.name, plan.tables, source=plan.source, warnings=(*plan.warnings, note), unread=plan.unread, account=plan.account
    )


def _role(kind: str) -> str:
    return "hca" if _ADAPTERS.match(kind) else "switch"


def _end(known: Mapping[str, Library], kind: str, name: str, port: str, plain_boards: set[str]) -> tuple[str, str]:
    """(device, port) texts: the ASIC and its port by library, else board and port, else the system's own port."""
    found = known.get(kind.lower())
    if found is not None and port in found.ports:
        path, number = found.ports[port]
        single = len({p for p, _ in found.ports.values()}) == 1
        return (name if single else f"{name}/{path}"), f"Port {number}"
    board = _BOARD.match(port)
    if board is not None and _role(kind) == "switch":
        plain_boards.add(kind)
        return f"{name}/{board[1]}", f"Port {board[2]}"
    return name, port if _role(kind) == "hca" else port.upper().replace("P", "Port ", 1)


def library(data: bytes) -> Library:
    """An ``.ibnl`` text. Lines that it does not know are left out: a library only adds names, it plans nothing."""
    systems: dict[str, dict[str, tuple[str, str]]] = {}
    names: tuple[str, ...] = ()
    inner: dict[str, list[tuple[str, str, dict[str, str]]]] = {}
    system = ""
    ports: dict[str, str] = {}
    node = False
    for raw in data.decode("utf-8", "replace").splitlines():
        words = raw.partition("#")[0].split()
        if not words:
            continue
        word = words[0].upper()
        if word in ("SYSTEM", "TOPSYSTEM") and len(words) > 1:
            system = words[1].split(",")[0]
            systems.setdefault(system, {})
            if word == "TOPSYSTEM":
                names = tuple(words[1].split(","))
        elif word == "NODE" and len(words) >= 5:
            ports, node = {}, True
            inner.setdefault(system, []).append(("", words[4], ports))
        elif word == "SUBSYSTEM" and len(words) >= 3:
            ports, node = {}, False
            inner.setdefault(system, []).append((words[1], words[2], ports))
        elif len(words) == 3 and words[1].startswith("-") and words[1].endswith(">"):
            ports[words[0]] = words[2]
    del node
    found: dict[str, tuple[str, int]] = {}
    if names:
        for outer, path in _resolved(names[0], inner, 0).items():
            found[outer] = path
    return Library(names, found)


def _resolved(
    system: str, inner: Mapping[str, list[tuple[str, str, dict[str, str]]]], depth: int
) -> dict[str, tuple[str, int]]:
    """Front port name of ``system`` -> (ASIC path, port), through its subsystems."""
    out: dict[str, tuple[str, int]] = {}
    if depth > 8:
        return out
    for kind, name, ports in inner.get(system, []):
        below = _resolved(kind, inner, depth + 1) if kind else {p: ("", int(p)) for p in ports if p.isdigit()}
        for port, front in ports.items():
            if port in below:
                path, number = below[port]
                out[front] = (f"{name}/{path}" if path else name, number)
    return out
