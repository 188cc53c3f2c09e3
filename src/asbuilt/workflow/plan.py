"""Use case: from a requirement to the plan, with its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.base.problem import ProblemError
    from asbuilt.catalogue.load import Catalogue
    from asbuilt.model.design import Sizing
    from asbuilt.model.plan import Plan
    from asbuilt.plan.difference import TableDifference
    from asbuilt.plan.nodes.machines import DeclaredMachines
    from asbuilt.plan.subnet_guids import DeclaredGuids

REQUIREMENT_FILE = "cluster.yaml"
CATALOGUE_FOLDER = "catalogue"
GUID_FILE = "guids.csv"


def make_plan(
    requirement: Requirement | str | Path,
    catalogue: Catalogue | None = None,
    guids: DeclaredGuids | None = None,
    machines: DeclaredMachines | None = None,
) -> Plan:
    """The plan of a requirement: every table, and its hash.

    ``requirement`` is a decoded `Requirement`, or the path of a `cluster.yaml`. ``catalogue`` defaults to the built-in one.
    ``guids`` takes the place of made GUIDs where it names an end port; ``machines`` says which machine each node is.
    Raises ``ProblemError`` with everything that is wrong with the requirement, the catalogue, or the design.
    """
    from asbuilt.catalogue.load import load
    from asbuilt.design.resolve import resolve
    from asbuilt.plan.canonical import named
    from asbuilt.plan.expand import expand
    from asbuilt.plan.nodes.machines import with_machines

    parts = load() if catalogue is None else catalogue
    asked = requirement if isinstance(requirement, Requirement) else read_requirement(Path(requirement))
    return named(with_machines(expand(resolve(asked, parts), parts, guids), machines), parts)


def read_requirement(path: Path) -> Requirement:
    """The decoded `cluster.yaml` at ``path``. Raises ``ProblemError`` PRJ-001 when there is none, REQ codes for its faults."""
    from asbuilt.base.problem import Place, Problem, ProblemError
    from asbuilt.model.decode_requirement import decode

    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for without end
            raise OSError(0, "it is not a file")
        data = path.read_bytes()
    except OSError as error:
        fix = "`asbuilt new TEMPLATE DIR` writes one; -C DIR runs in another folder"
        what = f"there is no requirement: {error.strerror or error}"
        raise ProblemError(Problem("PRJ-001", what, Place(str(path)), why="a plan is made from it", fix=fix)) from None
    return decode(data, str(path))


def project_catalogue(folder: Path) -> Catalogue:
    """The built-in catalogue with the project's own ``catalogue/`` folder over it."""
    from asbuilt.catalogue.load import load

    own = folder / CATALOGUE_FOLDER
    return load((own,)) if own.is_dir() else load()


def compile_project(folder: Path) -> Plan:
    """Make the plan of a project folder and store it; `plan` then points at it.

    Raises ``ProblemError`` PRJ-001 to PRJ-005, those of `declared_guids`, `machine_list.declared_machines` and
    `make_plan`.
    """
    from asbuilt.store.project import write_plan
    from asbuilt.workflow.machine_list import declared_machines

    asked = read_requirement(folder / REQUIREMENT_FILE)
    plan = make_plan(asked, project_catalogue(folder), declared_guids(folder), declared_machines(folder))
    write_plan(folder, plan)
    return plan


def declared_guids(folder: Path) -> DeclaredGuids | None:
    """The GUID list `guids.csv` of a project, or None without one.

    Raises ``ProblemError`` PRJ-006 (cannot be read), PAR-007 and PLN-011 with every line that is wrong.
    """
    from asbuilt.base.problem import Place, Problem, ProblemError
    from asbuilt.parsers.plans.guid_list import numbered
    from asbuilt.plan.subnet_guids import DeclaredGuids

    path = folder / GUID_FILE
    if not path.exists():
        return None
    try:
        if not path.is_file():
            raise OSError(0, "it is not a file")
        data = path.read_bytes()
    except OSError as error:
        what = f"the GUID list cannot be read: {error.strerror or error}"
        fix = "make it a readable file, or take it away"
        raise ProblemError(Problem("PRJ-006", what, Place(str(path)), "it names hardware of the plan", fix)) from None
    by_name: dict[str, tuple[str, int]] = {}
    problems = []
    for guid, (name, line) in numbered(data, str(path)).items():
        if not int(guid, 16):
            problems.append(
                Problem("PLN-011", f"{guid} is no GUID", Place(str(path), line, 1), fix="write the GUID of the port")
            )
        elif by_name.setdefault(name, (guid, line))[0] != guid:
            what = f"{name!r} is given the GUIDs {by_name[name][0]} (line {by_name[name][1]}) and {guid}"
            problems.append(Problem("PLN-011", what, Place(str(path), line, 1), "an end port has one", "keep one of the two"))
    if problems:
        raise ProblemError(problems)
    return DeclaredGuids(str(path), by_name)


def open_plan(folder: Path, reference: str = "") -> Plan:
    """The stored plan of a project: the current one, or the one whose hash starts with ``reference``.

    The design is resolved again from the stored requirement, so that everything that a fresh plan can do works. Where
    `cluster.yaml` or the catalogue is no longer what the plan was made from, its first warnings say so.
    Raises ``ProblemError`` PRJ-002 to PRJ-004.
    """
    from dataclasses import replace

    from asbuilt.design.resolve import resolve
    from asbuilt.model.decode_requirement import decode
    from asbuilt.store.project import read_plan
    from asbuilt.workflow.machine_list import changed_machines

    stored = read_plan(folder, reference)
    requirement = decode(stored.requirement, f"{stored.folder}/{REQUIREMENT_FILE}")
    catalogue = project_catalogue(folder)
    plan = replace(stored.plan, design=resolve(requirement, catalogue))
    stale = () if reference else _changed_requirement(folder, requirement)
    stale += () if reference else (*_changed_guids(folder, plan), *changed_machines(folder, plan))
    return replace(plan, warnings=(*stale, *_changed_parts(plan, catalogue), *plan.warnings))


def _changed_requirement(folder: Path, requirement: Requirement) -> tuple[str, ...]:
    """One warning when `cluster.yaml` no longer says what the current plan was made from."""
    from asbuilt.base.problem import ProblemError
    from asbuilt.model.decode_requirement import canonical

    path = folder / REQUIREMENT_FILE
    if not path.is_file():
        return ()
    try:
        same = canonical(read_requirement(path)) == canonical(requirement)
        what = "has changed since this plan was made"
    except ProblemError:
        same, what = False, "cannot be read any more"
    return () if same else (f"{REQUIREMENT_FILE} {what}: `asbuilt plan` says more; everything here is about the old plan",)


def _changed_guids(folder: Path, plan: Plan) -> tuple[str, ...]:
    """One warning when the GUID list no longer says what the current plan was made with."""
    import polars as pl

    from asbuilt.base.problem import ProblemError

    if not plan.has("lids"):
        return ()
    rows = plan.table("lids").filter(pl.col("guid_origin") == "declared")["port_guid"]
    try:
        listed = declared_guids(folder)
        same = set(rows.to_list()) == {guid for guid, _ in (listed.by_name.values() if listed else ())}
        what = "has changed since this plan was made"
    except ProblemError:
        same, what = False, "cannot be read any more"
    return () if same else (f"{GUID_FILE} {what}: `asbuilt plan` makes it anew",)


def _changed_parts(plan: Plan, catalogue: Catalogue) -> tuple[str, ...]:
    """One warning when catalogue parts that the plan was made with have other figures today, or are gone."""
    from asbuilt.plan.canonical import part_digests

    today = part_digests(plan, catalogue) if plan.parts else {}
    other = [part for part, digest in plan.parts.items() if today.get(part) != digest]
    if not other:
        return ()
    shown = ", ".join(other[:5]) + (f" and {len(other) - 5} more" if len(other) > 5 else "")
    return (f"the catalogue has changed since this plan was made ({shown}): `asbuilt plan` makes it anew",)


def counted(plan: Plan, folder: Path) -> Sizing:
    """The object of ``asbuilt size``, counted from the tables of a plan of the project in ``folder``."""
    from asbuilt.plan.counts import counts

    return counts(plan, project_catalogue(folder))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table of a stored plan, with the unit of each column."""

    rows: pl.DataFrame
    units: dict[str, str]
    plan_hash: str


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """Two plans' hashes, and the differences of every table that either has."""

    before: str
    after: str
    tables: list[TableDifference]


def table_index(folder: Path, reference: str = "") -> list[tuple[str, int, str]]:
    """Tables of a stored plan: name, rows, meaning."""
    from asbuilt.model.tables import PLAN_TABLES
    from asbuilt.store.project import read_plan

    record = read_plan(folder, reference, tables=()).record
    known = {name: PLAN_TABLES[name].meaning if name in PLAN_TABLES else "" for name in record["tables"]}
    return [(name, record["tables"][name], meaning) for name, meaning in known.items()]


def open_table(
    folder: Path, table: str, reference: str = "", where: tuple[str, ...] = (), columns: list[str] | None = None
) -> Rows:
    """Rows of one table, filtered by ``column=value`` (``*`` for any run of characters).

    Raises ``ProblemError`` CLI-030 (no such table), CLI-031 (no such column), CLI-032 (a filter that is not column=value).
    """
    from asbuilt.model.tables import PLAN_TABLES
    from asbuilt.store.project import read_plan

    names = [name for name, _, _ in table_index(folder, reference)]
    if table not in names:
        raise _unknown("CLI-030", "table", table, names)
    stored = read_plan(folder, reference, tables=(table,))
    rows = stored.plan.table(table)
    for condition in where:
        rows = rows.filter(_condition(condition, rows.columns))
    for column in columns or ():
        if column not in rows.columns:
            raise _unknown("CLI-031", "column", column, rows.columns)
    units = {c.name: c.unit for c in PLAN_TABLES[table].columns} if table in PLAN_TABLES else {}
    return Rows(rows.select(columns) if columns else rows, units, stored.plan.plan_hash)


def _condition(text: str, columns: list[str]) -> pl.Expr:
    import re

    import polars as pl

    from asbuilt.base.problem import Problem, ProblemError

    column, sign, value = text.partition("=")
    if not sign or not column:
        what = f"--where {text!r} is not COLUMN=VALUE"
        raise ProblemError(Problem("CLI-032", what, fix="for example --where plane=compute, or --where a_device=*leaf*"))
    if column not in columns:
        raise _unknown("CLI-031", "column", column, columns)
    if value == "-":
        return pl.col(column).is_null()
    cell = pl.col(column).cast(pl.String)
    if "*" in value:
        return cell.str.contains("^" + ".*".join(re.escape(part) for part in value.split("*")) + "$").fill_null(False)
    number = _number(value)
    same = cell == value
    return (same | (pl.col(column).cast(pl.Float64, strict=False) == number) if number is not None else same).fill_null(False)


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _unknown(code: str, what: str, name: str, known: list[str]) -> ProblemError:
    from asbuilt.base.nearest import nearest
    from asbuilt.base.problem import Problem, ProblemError

    near = nearest(name, known, "did you mean ")
    fix = f"{near} {what}s: {', '.join(known)}".lstrip()
    return ProblemError(Problem(code, f"there is no {what} {name!r}", fix=fix))


def compare_plans(folder: Path, before: str, after: str) -> PlanDifference:
    """Differences between two stored plans, named by hash, folder or `plan`."""
    from asbuilt.plan.difference import differences
    from asbuilt.store.project import read_plan

    old, new = read_plan(folder, before).plan, read_plan(folder, after).plan
    return PlanDifference(old.plan_hash, new.plan_hash, differences(old.tables, new.tables))
