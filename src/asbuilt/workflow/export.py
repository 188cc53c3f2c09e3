"""Use case: write the plan as files for other people's programs, into the project's ``artefacts/`` folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Callable, Sequence

from asbuilt.artefacts import ndt, netlist
from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

FOLDER = "artefacts"
RECORD = "export.json"


@dataclass(frozen=True, slots=True)
class Target:
    """One target: its name, what it writes, what of the plan it cannot carry, and the pure function that makes the files."""

    name: str
    writes: str
    lost: tuple[str, ...]
    make: Callable[[Plan], dict[str, bytes]]


TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target(ndt.TARGET, ndt.WRITES, ndt.LOST, ndt.ndt),
        Target(netlist.TARGET, netlist.WRITES, netlist.LOST, netlist.netlist),
    )
}


@dataclass(frozen=True, slots=True)
class Written:
    """One file of an export: path within ``artefacts/``, bytes, SHA-256, and whether it was new, changed or the same."""

    path: str
    size: int
    sha256: str
    state: str


def make(plan: Plan, targets: Sequence[str] = ()) -> dict[str, bytes]:
    """The files of the targets (all when none is named), by path. Equal plans give equal bytes.

    Raises `ProblemError` CLI-045 for an unknown target, ART-001 for names that a target cannot carry.
    """
    unknown = [t for t in targets if t not in TARGETS]
    if unknown:
        known = f"targets: {', '.join(TARGETS)}"
        raise ProblemError(Problem("CLI-045", f"no export target {t!r}{nearest(t, TARGETS)}", fix=known) for t in unknown)
    files: dict[str, bytes] = {}
    for name in dict.fromkeys(targets) or TARGETS:
        files.update(TARGETS[name].make(plan))
    return files


def export(plan: Plan, project: Path, targets: Sequence[str] = (), *, force: bool = False) -> tuple[Written, ...]:
    """Write the targets under ``project/artefacts``. A file that somebody changed since the last export stays.

    Raises `ProblemError` ART-002 for such files (all at once, nothing written); ``force`` replaces them.
    """
    files = make(plan, targets)
    folder = project / FOLDER
    record = _record(folder / RECORD)
    edited = [path for path, data in files.items() if _edited(folder / path, data, record.get(path, ""))]
    if edited and not force:
        raise ProblemError(
            Problem(
                "ART-002",
                f"{FOLDER}/{path} was changed by hand since it was exported",
                why="an export would lose that change",
                fix="move the file away, or export with --force",
            )
            for path in edited
        )
    written = []
    for path, data in sorted(files.items()):
        place = folder / path
        if ".." in PurePosixPath(path).parts or PurePosixPath(path).is_absolute():
            raise ValueError(f"target file {path!r} leaves the artefacts folder")
        old = place.read_bytes() if place.is_file() else None
        state = "new" if old is None else "same" if old == data else "changed"
        if state != "same":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        record[path] = digest
        written.append(Written(path, len(data), digest, state))
    document = {"schema": "export/v1", "plan_hash": plan.plan_hash, "files": dict(sorted(record.items()))}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return tuple(written)


def _record(path: Path) -> dict[str, str]:
    """What the last export wrote: path -> SHA-256. An unreadable record counts as none: then every file is a stranger's."""
    try:
        files = json.loads(path.read_bytes()).get("files", {})
    except (OSError, ValueError, AttributeError):
        return {}
    return {str(k): str(v) for k, v in files.items()} if isinstance(files, dict) else {}


def _edited(path: Path, new: bytes, last: str) -> bool:
    """True when the file is there, is not what we would write, and is not what we wrote last."""
    if not path.is_file():
        return False
    data = path.read_bytes()
    return data != new and hashlib.sha256(data).hexdigest() != last
