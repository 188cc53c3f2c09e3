"""The list `machines.csv` of a project: which machine each node is."""

from __future__ import annotations

from pathlib import Path

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.plan.nodes.machines import DeclaredMachines, with_machines

FILE = "machines.csv"
_MOST = 256 << 20


def declared_machines(folder: Path) -> DeclaredMachines | None:
    """The list of a project folder, or None without one. Raises ``ProblemError`` PRJ-013 and PRJ-014."""
    from asbuilt.parsers.plans.machine_list import rows

    path = folder / FILE
    if not path.exists():
        return None
    try:
        if not path.is_file():  # a pipe would be waited for without end
            raise OSError(0, "it is not a file")
        if path.stat().st_size > _MOST:
            raise OSError(0, f"it is larger than {_MOST >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        what = f"the list of machines cannot be read: {error.strerror or error}"
        fix = "make it a readable file, or take it away"
        raise ProblemError(Problem("PRJ-013", what, Place(str(path)), "it says which machine each node is", fix)) from None
    return DeclaredMachines(str(path), rows(data, str(path)))


def changed_machines(folder: Path, plan: Plan) -> tuple[str, ...]:
    """One warning when the list no longer says what ``plan`` was made with."""
    try:
        listed = declared_machines(folder)
        if listed is None:
            same = not plan.has("machines") or plan.table("machines").is_empty()
        else:
            now = with_machines(plan, listed).table("machines")
            same = plan.has("machines") and now.equals(plan.table("machines"))
        what = "has changed since this plan was made"
    except ProblemError:
        same, what = False, "cannot be read any more"
    return () if same else (f"{FILE} {what}: `asbuilt plan` makes it anew",)
