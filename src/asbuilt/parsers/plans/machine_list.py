"""The list of machines of a project: ``node,kind,value`` CSV, one name of one machine a line.

Kinds are those of `identity_facts` by which a label or a delivery note can name a machine.
"""

from __future__ import annotations

import csv
import re

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.parsers.plans.text import decoded

KINDS = ("system_serial", "system_uuid", "board_serial", "chassis_serial", "bmc_mac", "gpu_uuid", "gpu_serial", "nic_serial",
         "port_guid", "machine_id")  # fmt: skip
COLUMNS = ["node", "kind", "value"]
_SHOWN, _WIDTH = 20, 200
_MOST_ROWS = 2_000_000


def rows(data: bytes, file: str = "machines.csv") -> list[tuple[str, str, str, int]]:
    """(node as written, kind, value, line number) of every line; UUIDs, GUIDs and MACs in lower case, GUIDs in 16 digits.

    Raises `ProblemError` PRJ-013 for what is no such list, PRJ-014 with every line that is wrong by itself.
    """
    text = decoded(data, file)
    found: list[tuple[str, str, str, int]] = []
    problems: list[Problem] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        place = Place(file, number, 1, line[:_WIDTH], len(line[:_WIDTH]))
        cells = _cells(line)
        if not found and not problems and [c.lower() for c in cells] == COLUMNS:
            continue
        told = _wrong(cells)
        if told:
            problems.append(Problem("PRJ-014", told[0], place, fix=told[1]))
        else:
            found.append((cells[0], cells[1].lower(), _value(cells[1].lower(), cells[2]), number))
        if number > _MOST_ROWS:
            raise ProblemError(Problem("PRJ-013", f"more than {_MOST_ROWS:,} lines", Place(file), fix="name each machine once"))
    if not found and not problems:
        raise ProblemError(Problem("PRJ-013", "the list of machines is empty", Place(file), fix=_EXAMPLE))
    if problems:
        raise ProblemError(shortened(problems, file))
    return found


_EXAMPLE = "write lines like gpu001,system_serial,J3W8X04"


def shortened(problems: list[Problem], file: str) -> list[Problem]:
    """The first few problems, and how many more there are."""
    more = len(problems) - _SHOWN
    tail = [Problem("PRJ-014", f"and {more} lines more", Place(file))] if more > 0 else []
    return [*problems[:_SHOWN], *tail]


def _cells(line: str) -> list[str]:
    try:
        parsed = next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in parsed]


def _wrong(cells: list[str]) -> tuple[str, str] | None:
    """(what, how to mend it) of a line that is wrong, else None."""
    if len(cells) != len(COLUMNS) or not all(cells):
        return "this line is not node,kind,value", _EXAMPLE
    if not "".join(cells).isprintable():
        return "this line holds characters that cannot be printed", "write the name as the label shows it"
    kind = cells[1].lower()
    if kind not in KINDS:
        return f"{cells[1][:60]!r} is no kind of name{nearest(kind, KINDS)}", f"kinds: {', '.join(KINDS)}"
    if kind == "port_guid" and not re.fullmatch(r"(?:0x)?[0-9a-fA-F:]{1,23}", cells[2]):
        return f"{cells[2][:60]!r} is no GUID", "write 0c42a1030079aeec"
    return None


def _value(kind: str, value: str) -> str:
    """The value as tools are read: hexadecimal names in lower case, a GUID in 16 digits."""
    lower = value.lower()
    if kind == "port_guid":
        return lower.removeprefix("0x").replace(":", "").zfill(16)
    return lower if kind in ("system_uuid", "bmc_mac", "gpu_uuid", "machine_id") or not value else value
