"""Names that a target's format cannot carry are refused, never mangled: a mangled name is a different device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 5


def refuse_hostile(plan: Plan, letters: str, target: str, longest: int | None = None, first: str = "") -> None:
    """Raise `ProblemError` ART-001 when a display name holds one of ``letters``, a control character, or is too long.

    ``first`` are letters that it may not begin with (comment signs; what a spreadsheet takes for a formula).
    ``longest`` is in bytes and counts the name as it is written (of a NIC port: node name, blank, device name).
    """
    import polars as pl

    names = pl.concat([plan.links["a_name"], plan.links["b_name"]]).unique()
    pattern = f"[{_class(letters)}\\x00-\\x1f\\x7f]"
    problems = _problems(names.filter(names.str.contains(pattern)), f"{target} cannot carry that character")
    if first:
        bad = names.filter(names.str.contains(f"^[{_class(first)}]"))
        problems += _problems(bad, f"{target} would not take it for a name")
    if longest is not None:
        problems += _problems(names.filter(names.str.len_bytes() > longest), f"{target} carries at most {longest} bytes")
    if problems:
        raise ProblemError(problems)


def _class(letters: str) -> str:
    return "".join(f"\\x{ord(c):02x}" for c in letters)


def _problems(names: pl.Series, why: str) -> list[Problem]:
    listed = [
        Problem("ART-001", f"the name {name!r} cannot be written", why=why, fix="change the name template in cluster.yaml")
        for name in names.sort().head(_SHOWN)
    ]
    if names.len() > _SHOWN:
        listed.append(Problem("ART-001", f"and {names.len() - _SHOWN} names more"))
    return listed
