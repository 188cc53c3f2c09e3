"""Use case: from a requirement to the plan, with its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from asbuilt.model.requirement import Requirement

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue
    from asbuilt.model.plan import Plan

REQUIREMENT_FILE = "cluster.yaml"
CATALOGUE_FOLDER = "catalogue"


def make_plan(requirement: Requirement | str | Path, catalogue: Catalogue | None = None) -> Plan:
    """The plan of a requirement: every table, and its hash.

    ``requirement`` is a decoded `Requirement`, or the path of a `cluster.yaml`. ``catalogue`` defaults to the built-in one.
    Raises ``ProblemError`` with everything that is wrong with the requirement, the catalogue, or the design.
    """
    from asbuilt.catalogue.load import load
    from asbuilt.design.resolve import resolve
    from asbuilt.plan.canonical import named
    from asbuilt.plan.expand import expand

    parts = load() if catalogue is None else catalogue
    asked = requirement if isinstance(requirement, Requirement) else read_requirement(Path(requirement))
    return named(expand(resolve(asked, parts), parts), parts)


def read_requirement(path: Path) -> Requirement:
    """The decoded `cluster.yaml` at ``path``. Raises ``ProblemError`` PRJ-001 when there is none, REQ codes for its faults."""
    from asbuilt.base.problem import Place, Problem, ProblemError
    from asbuilt.model.decode_requirement import decode

    try:
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

    Raises ``ProblemError`` PRJ-001 to PRJ-005 and those of `make_plan`.
    """
    from asbuilt.store.project import write_plan

    plan = make_plan(read_requirement(folder / REQUIREMENT_FILE), project_catalogue(folder))
    write_plan(folder, plan)
    return plan


def open_plan(folder: Path, reference: str = "") -> Plan:
    """The stored plan of a project: the current one, or the one whose hash starts with ``reference``.

    The design is resolved again from the stored requirement, so that everything that a fresh plan can do works.
    Raises ``ProblemError`` PRJ-002 to PRJ-004.
    """
    from dataclasses import replace

    from asbuilt.design.resolve import resolve
    from asbuilt.model.decode_requirement import decode
    from asbuilt.store.project import read_plan

    stored = read_plan(folder, reference)
    requirement = decode(stored.requirement, f"{stored.folder}/{REQUIREMENT_FILE}")
    design = resolve(requirement, project_catalogue(folder))
    return replace(stored.plan, design=design)
