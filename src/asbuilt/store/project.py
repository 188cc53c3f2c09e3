"""A project is a folder: plans by hash, the current one behind a symlink, one writer at a time.

``plans/<hash12>/plan.json`` and ``plans/<hash12>/tables/*.parquet``; ``plan`` points at the current one and is swapped in one
step, so that a reader sees the old plan or the new one and never half of either.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.base.version import VERSION
from asbuilt.model.decode_requirement import encode
from asbuilt.model.plan import Plan

PLANS = "plans"
CURRENT = "plan"
RECORD = "plan.json"
TABLES = "tables"
LOCK = ".asbuilt.lock"
SCHEMA = "plan/v1"
#: Hex digits of the hash that name a plan's folder; a reference needs at least `REFERENCE_LEAST` of them.
SHORT = 12
REFERENCE_LEAST = 4


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan as read back: without its design, with the requirement (YAML bytes) it was made from."""

    plan: Plan
    requirement: bytes
    folder: Path
    record: dict[str, Any]


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the project for writing. Raises ``ProblemError`` PRJ-005 naming the holder when somebody else does."""
    path = folder / LOCK
    try:
        stream = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise _cannot(path, error) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _held(stream, path) from None
        stream.seek(0)
        stream.truncate()
        stream.write(f"process {os.getpid()} on {platform.node()}: {' '.join(sys.argv[:3])}\n")
        stream.flush()
        yield
        stream.seek(0)
        stream.truncate()


def _held(stream: IO[str], path: Path) -> ProblemError:
    stream.seek(0)
    holder = stream.read(200).strip() or "an unknown process"
    return ProblemError(
        Problem(
            "PRJ-005",
            f"the project is being written by {holder}",
            Place(str(path)),
            why="two writers would mix their plans",
            fix="wait until it is done, then run again",
        )
    )


def _cannot(path: Path, error: OSError) -> ProblemError:
    what = f"cannot write here: {error.strerror or error}"
    return ProblemError(Problem("PRJ-003", what, Place(str(path)), fix="check that the folder exists and is yours to write"))


def write_plan(folder: Path, plan: Plan) -> Path:
    """Store ``plan`` and make it the current one; returns its folder. An equal plan that is there already is kept.

    Raises ``ProblemError`` PRJ-003 (cannot write), PRJ-005 (another writer); nothing half-written stays behind.
    """
    with lock(folder):
        target = folder / PLANS / plan.plan_hash[:SHORT]
        try:
            if not _same(target, plan):
                _write_new(target, plan)
            _point(folder, target)
        except OSError as error:
            raise _cannot(Path(error.filename or target), error) from None
    return target


def _same(target: Path, plan: Plan) -> bool:
    """True when the folder holds this plan completely: its record, which was written last, and every table in full length."""
    try:
        if json.loads((target / RECORD).read_text(encoding="utf-8"))["plan_hash"] != plan.plan_hash:
            return False
        paths = {name: target / TABLES / f"{name}.parquet" for name in plan.tables}
        stored = {name: pl.scan_parquet(path).select(pl.len()).collect().item() for name, path in paths.items()}
        return all(stored[name] == frame.height for name, frame in plan.tables.items())
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
        return False


def _write_new(target: Path, plan: Plan) -> None:
    draft = target.with_name(f".{target.name}-{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        (draft / TABLES).mkdir(parents=True)
        for name, frame in plan.tables.items():
            write_table(frame, draft / TABLES / f"{name}.parquet")
        (draft / RECORD).write_text(json.dumps(_record(plan), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if target.exists():  # left over from a broken run: not this plan, or not complete
            shutil.rmtree(target)
        draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """One table as a Parquet file, the form in which plans are stored."""
    frame.write_parquet(path, compression="zstd", compression_level=3, statistics=False)


def _record(plan: Plan) -> dict[str, Any]:
    design = plan.design
    return {
        "schema": SCHEMA,
        "name": plan.name,
        "plan_hash": plan.plan_hash,
        "source": plan.source,
        "requirement": encode(design.requirement) if design else "",
        "warnings": list(plan.warnings),
        "parts": plan.parts,
        "tables": {name: frame.height for name, frame in plan.tables.items()},
        "made_with": {
            "asbuilt": VERSION,
            "polars": pl.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }


def _point(folder: Path, target: Path) -> None:
    """Swap the `plan` symlink in one step."""
    current = folder / CURRENT
    if current.exists() and not current.is_symlink():
        raise FileExistsError(17, "a file or folder called `plan` is in the way; nothing is overwritten", str(current))
    draft = folder / f".{CURRENT}-{os.getpid()}"
    draft.unlink(missing_ok=True)
    draft.symlink_to(Path(PLANS) / target.name)
    draft.replace(current)


def find_plan(folder: Path, reference: str = "") -> Path:
    """The folder of the current plan, or of the one whose hash starts with ``reference`` (or of that path).

    Raises ``ProblemError`` PRJ-002 when there is none, or more than one.
    """
    if not reference or reference == CURRENT:
        current = folder / CURRENT
        if not (current / RECORD).is_file():
            if not folder.is_dir():
                fix = "check the folder that -C names; `asbuilt new TEMPLATE DIR` starts a project"
                raise ProblemError(Problem("PRJ-002", "there is no such folder", Place(str(folder)), fix=fix))
            fix = "`asbuilt plan` makes one from cluster.yaml"
            raise ProblemError(Problem("PRJ-002", "the project has no plan yet", Place(str(folder)), fix=fix))
        return current.resolve()
    as_path = [p for p in (Path(reference), folder / reference) if (p / RECORD).is_file()]
    if not as_path:
        as_path = [p / CURRENT for p in (Path(reference), folder / reference) if (p / CURRENT / RECORD).is_file()]
    if as_path:
        return as_path[0].resolve()
    known = plans(folder)
    found = [p for p in known if len(reference) >= REFERENCE_LEAST and p.name.startswith(reference[:SHORT])]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} plans start with {reference!r}" if found else f"there is no plan {reference!r}"
    listed = ", ".join(p.name for p in known) or "none"
    fix = f"name one by its hash, at least {REFERENCE_LEAST} digits, or by its folder; plans here: {listed}"
    raise ProblemError(Problem("PRJ-002", what, Place(str(folder)), fix=fix))


def plans(folder: Path) -> list[Path]:
    """Folders of all complete plans of a project, by name."""
    return sorted(p.parent for p in (folder / PLANS).glob(f"*/{RECORD}") if not p.parent.name.startswith("."))


def read_plan(folder: Path, reference: str = "", tables: Sequence[str] | None = None) -> StoredPlan:
    """A stored plan; only ``tables`` when given (those that it has). Without its design.

    Raises ``ProblemError`` PRJ-002 (none, or ambiguous) and PRJ-004 (damaged, or written by a newer asbuilt).
    """
    home = find_plan(folder, reference)
    record = _read_record(home)
    names = [t for t in record["tables"] if tables is None or t in tables]
    frames: dict[str, pl.DataFrame] = {}
    for name in names:
        path = home / TABLES / f"{name}.parquet"
        try:
            frames[name] = pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise _damaged(path, str(error).splitlines()[0]) from None
        if frames[name].height != record["tables"][name]:
            raise _damaged(path, f"{frames[name].height} rows, the record says {record['tables'][name]}")
    plan = Plan(
        name=str(record["name"]),
        tables=frames,
        plan_hash=str(record["plan_hash"]),
        source=str(record["source"]),
        warnings=tuple(record["warnings"]),
        parts=dict(record.get("parts", {})),
    )
    return StoredPlan(plan, str(record["requirement"]).encode(), home, record)


def _read_record(home: Path) -> dict[str, Any]:
    path = home / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from None
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        raise _damaged(path, f"schema {schema!r}; this asbuilt reads {SCHEMA!r}")
    missing = {"name", "plan_hash", "source", "requirement", "warnings", "tables"} - set(record)
    if missing:
        raise _damaged(path, f"{', '.join(sorted(missing))} missing")
    return dict(record)


def _damaged(path: Path, why: str) -> ProblemError:
    fix = "`asbuilt plan` makes it anew from cluster.yaml"
    return ProblemError(Problem("PRJ-004", "the stored plan cannot be read", Place(str(path)), why=why, fix=fix))
