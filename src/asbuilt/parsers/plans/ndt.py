"""UFM NDT: ``StartDevice,StartPort,EndDevice,EndPort,LinkType``, one cable per line.

Switch ports are ``Port 21`` or, in a director, ``Blade 16_Port 2/20``; a host port is the node description of its adapter.
Names are compared without regard to case. A link may be listed from both ends.
"""

from __future__ import annotations

import csv
import re

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans.rows import Rows, plan_of
from asbuilt.parsers.plans.text import decoded

FORMAT = "ndt"
HEADER = ("startdevice", "startport", "enddevice", "endport")
_SWITCH_PORT = re.compile(r"(?i)^(?:port\s*\d{1,4}|blade\s*\d+_port\s*\d+/\d+)$")


def sniff(data: bytes) -> bool:
    """True when the first line with text is the header of an NDT file, and nothing but that."""
    for line in data[:65536].decode("utf-8-sig", "replace").splitlines():
        if line.strip():
            return tuple(c.strip().lower() for c in line.strip().lstrip("#").split(",")[:4]) == HEADER
    return False


def read(data: bytes, file: str = "plan.ndt") -> Plan:
    """The partial plan of an NDT file.

    Raises `ProblemError` PAR-001 when the text is no NDT file, PAR-005 when no line of it names a link.
    """
    text = decoded(data, file)
    rows = Rows()
    lines = text.splitlines()
    rows.total = len(lines)
    headed = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            rows.ignorable += 1
            continue
        cells = [c.strip() for c in next(csv.reader([line[: 1 << 20]]), [])]
        if tuple(c.lower() for c in [cells[0].lstrip("# "), *cells[1:4]]) == HEADER:
            headed = True
            rows.ignorable += 1
        elif line.lstrip().startswith("#"):
            rows.ignorable += 1
        else:
            _row(rows, number, cells)
    if not rows.lines:
        _refuse(file, lines, rows, headed)
    return plan_of(rows, file)


def _row(rows: Rows, number: int, cells: list[str]) -> None:
    if len(cells) < 4 or not all(cells[:4]):
        rows.skip(number, f"{len(cells)} fields: a link needs StartDevice,StartPort,EndDevice,EndPort")
        return
    start, start_port, end, end_port = cells[:4]
    known = [bool(_SWITCH_PORT.match(p)) for p in (start_port, end_port)]
    if not any(known):
        rows.skip(number, f"neither {start_port!r} nor {end_port!r} is a switch port (Port N, Blade N_Port N/N)")
        return
    kinds = ["switch" if k else "host" for k in known]
    rows.add(number, a_device=start, a_port=start_port, b_device=end, b_port=end_port, a_kind=kinds[0], b_kind=kinds[1])


def _refuse(file: str, lines: list[str], rows: Rows, headed: bool) -> None:
    """No line names a link: say whether the file is another kind of text, or an NDT file with nothing readable in it."""
    number, why = rows.unread[0] if rows.unread else (1, "the file holds no line with text")
    shown = lines[number - 1][:200] if lines else ""
    place = Place(file, number, 1, shown, max(1, len(shown)))
    if headed:
        raise ProblemError(Problem("PAR-005", f"no line names a link: {why}", place, fix="see the format of a UFM NDT file"))
    raise ProblemError(
        Problem(
            "PAR-001",
            f"this is no NDT file: {why}",
            place,
            why="a plan that was misread would pass or fail for no reason",
            fix="name the format with --plan-format (ndt, topo, point_to_point, ibsim, netbox)",
        )
    )
