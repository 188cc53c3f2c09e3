"""Measurements between hosts as a CSV list: who took part, and how fast it was, or whether it was good.

Columns, by name in the first line, in any order: ``from`` and ``to``, or ``hosts`` (a host set: ``node[0000-0047]``);
``device`` (mlx5_1) or ``rail`` where only that one was used; ``result`` (pass or fail); ``value`` and ``unit`` where there is
no result. A line that begins with ``#`` is a remark.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.parsers.fact_rows import real, whole
from asbuilt.parsers.plans.text import decoded

GOOD = {"pass": True, "ok": True, "good": True, "1": True, "fail": False, "bad": False, "low": False, "0": False}
#: Lines and hosts of a list, and problems that are shown of it.
MOST_LINES, MOST_HOSTS, _SHOWN = 200_000, 65_536, 20
_FIX = "write from,to,device,result and then node0001,node0002,mlx5_0,fail"


@dataclass(frozen=True, slots=True)
class PathMeasurement:
    """One line: the hosts in order, the one device or rail that was used, the value with its unit, what its author says."""

    hosts: tuple[str, ...]
    line: int
    device: str = ""
    rail: int | None = None
    value: float | None = None
    unit: str = ""
    good: bool | None = None


def read(data: bytes, file: str = "measurements.csv") -> tuple[PathMeasurement, ...]:
    """The measurements of a list. Raises `ProblemError` PAR-009 with every line that is none."""
    lines = decoded(data, file).splitlines()
    problems: list[Problem] = []
    found: list[PathMeasurement] = []
    heads: list[str] | None = None
    for number, line in enumerate(lines[:MOST_LINES], start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [c.strip() for c in _cells(line)]
        place = Place(file, number, 1, line[:200], len(line[:200]))
        if heads is None:
            heads = [c.lower() for c in cells]
            if not ({"from", "to"} <= set(heads) or "hosts" in heads) or not {"result", "value"} & set(heads):
                what = "the first line does not name the columns: from and to (or hosts), and result or value"
                raise ProblemError(Problem("PAR-009", what, place, "who was measured, and how, is not guessed", _FIX))
            continue
        said = dict(zip(heads, cells, strict=False))
        try:
            found.append(_row(said, number))
        except ValueError as error:
            problems.append(Problem("PAR-009", str(error), place, fix=_FIX))
    if len(lines) > MOST_LINES:
        problems.append(Problem("PAR-009", f"more than {MOST_LINES} lines", Place(file), fix="give a shorter list"))
    if not found and not problems:
        problems.append(Problem("PAR-009", "there is no measurement in the list", Place(file), fix=_FIX))
    if problems:
        more = len(problems) - _SHOWN
        tail = [Problem("PAR-009", f"and {more} lines more", Place(file))] if more > 0 else []
        raise ProblemError([*problems[:_SHOWN], *tail])
    return tuple(found)


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line[:10_000]), strict=True), [])
    except csv.Error:
        return [line]


def _row(said: dict[str, str], number: int) -> PathMeasurement:
    """One measurement. Raises ``ValueError`` in words of the user."""
    if said.get("hosts"):
        try:
            hosts = Hosts.parse(said["hosts"].replace(";", ","), MOST_HOSTS).names
        except HostNameError as error:
            raise ValueError(f"hosts: {error}") from None
    else:
        hosts = tuple(h for h in (said.get("from", ""), said.get("to", "")) if h)
    if len(hosts) < 2 or len(set(hosts)) < len(hosts):
        raise ValueError("a measurement is between two or more different hosts")
    result = said.get("result", "").lower()
    if result and result not in GOOD:
        raise ValueError(f"result {result!r} is neither pass nor fail")
    value, rail = real(said.get("value", "")), whole(said.get("rail", ""), 1023)
    if said.get("value") and value is None:
        raise ValueError(f"value {said['value'][:40]!r} is no number")
    if said.get("rail") and rail is None:
        raise ValueError(f"rail {said['rail'][:40]!r} is no number from 0 to 1023")
    if not result and value is None:
        raise ValueError("there is neither a result nor a value")
    return PathMeasurement(hosts, number, said.get("device", ""), rail, value, said.get("unit", ""), GOOD.get(result))
