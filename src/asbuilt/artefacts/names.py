"""Names that a target's format cannot carry are refused, never mangled: a mangled name is a different device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 5
_TEMPLATE = "change the name template in cluster.yaml"


def refuse_hostile(plan: Plan, letters: str, target: str, longest: int | None = None, first: str = "") -> None:
    """Raise `ProblemError` ART-001 when a display name holds one of ``letters``, a control character, or is too long.

    ``first`` are letters that it may not begin with (comment signs; what a spreadsheet takes for a formula).
    ``longest`` is in bytes and counts the name as it is written (of a NIC port: node name, blank, device name).
    """
    import polars as pl

    refuse_texts(pl.concat([plan.links["a_name"], plan.links["b_name"]]), letters, target, longest, first)


def refuse_texts(
    texts: pl.Series, letters: str, target: str, longest: int | None = None, first: str = "", *, fix: str = _TEMPLATE
) -> None:
    """The same for any column of names: partitions, subnets, node descriptions. Empty names are refused too."""
    names = texts.drop_nulls().unique()
    pattern = f"[{_class(letters)}\\x00-\\x1f\\x7f\\x85\\x{{2028}}\\x{{2029}}]"
    problems = _problems(names.filter(names.str.contains(pattern)), f"{target} cannot carry that character", fix)
    problems += _problems(names.filter(names.str.len_bytes() == 0), f"{target} needs a name there", fix)
    if first:
        bad = names.filter(names.str.contains(f"^[{_class(first)}]"))
        problems += _problems(bad, f"{target} would not take it for a name", fix)
    if longest is not None:
        problems += _problems(names.filter(names.str.len_bytes() > longest), f"{target} carries at most {longest} bytes", fix)
    if problems:
        raise ProblemError(problems)


def _class(letters: str) -> str:
    return "".join(f"\\x{ord(c):02x}" for c in letters)


def _problems(names: pl.Series, why: str, fix: str) -> list[Problem]:
    listed = [
        Problem("ART-001", f"the name {name!r} cannot be written", why=why, fix=fix) for name in names.sort().head(_SHOWN)
    ]
    if names.len() > _SHOWN:
        listed.append(Problem("ART-001", f"and {names.len() - _SHOWN} names more"))
    return listed
