"""Commented requirements to start from. They are data beside the code (`template_files/`), read when asked for."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from asbuilt.base.problem import Place, Problem, ProblemError

#: In the order of the list that `asbuilt new` shows: the example first, then by generation.
NAMES = (
    "l40s-384",
    "l40s-384-as-written",
    "dgx-h100-superpod",
    "dgx-b200",
    "roce-b200",
    "dgx-b300-spectrum-x",
    "dgx-b300-xdr",
    "gb200-nvl72",
    "gb300-nvl72",
)


@dataclass(frozen=True, slots=True)
class Template:
    """A template's name and what it describes in one line (the first comment of its file)."""

    name: str
    summary: str


def names() -> tuple[str, ...]:
    """The names of all templates."""
    return NAMES


def text(name: str) -> str:
    """The `cluster.yaml` text of a template. Raises ``ProblemError`` PRJ-010 with the nearest name for an unknown one."""
    if name not in NAMES:
        near = difflib.get_close_matches(name.lower(), NAMES, n=1)
        fix = (f"did you mean `{near[0]}`? " if near else "") + "there are: " + ", ".join(NAMES)
        raise ProblemError(Problem("PRJ-010", f"no template is called {name!r}", fix=fix))
    return files("asbuilt.workflow").joinpath("template_files", f"{name}.yaml").read_text(encoding="utf-8")


def listing() -> tuple[Template, ...]:
    """All templates with their summaries."""
    return tuple(Template(name, text(name).split("\n", 1)[0].removeprefix("#").strip()) for name in NAMES)


def write(name: str, folder: Path) -> Path:
    """Write template ``name`` as ``folder/cluster.yaml`` and return its path.

    Raises ``ProblemError``: PRJ-010 unknown template, PRJ-011 a requirement is already there, PRJ-012 it cannot be written.
    """
    content = text(name)
    target = folder / "cluster.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except FileExistsError:
        raise ProblemError(_taken(name, folder, target)) from None
    except OSError as error:
        why = error.strerror or str(error)
        fix = "choose another folder: `asbuilt new " + name + " DIR`"
        raise ProblemError(
            Problem("PRJ-012", f"the requirement cannot be written: {why}", Place(str(target)), fix=fix)
        ) from None
    return target


def _taken(name: str, folder: Path, target: Path) -> Problem:
    if target.exists():
        what, why = "a requirement is already there", "it may hold your work; nothing is overwritten"
    else:
        what, why = f"{folder} is not a folder", "a file of that name is in the way"
    return Problem(
        "PRJ-011", what, Place(str(target)), why, f"choose another folder: `asbuilt new {name} DIR`, or move it away"
    )
