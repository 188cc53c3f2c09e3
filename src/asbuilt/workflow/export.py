"""Use case: write the plan as files for other people's programs, into the project's ``artefacts/`` folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Callable, Sequence

from asbuilt.artefacts import (
    active_tests,
    capture_script,
    crew_sheets,
    cut_sheet,
    drawings,
    dxf,
    hosts_dns,
    ibutils,
    labels,
    ndt,
    netbox,
    netlist,
    opensm,
    opensm_dialects,
    port_descriptions,
    roce,
    workbook,
)
from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

FOLDER = "artefacts"
RECORD = "export.json"
NOT_INSTALLED = "ART-010"


@dataclass(frozen=True, slots=True)
class Target:
    """One target: its name, what it writes, what of the plan it cannot carry, and the pure function that makes the files.

    ``proof`` says which program its files are tried with, ``unrehearsed`` why none was; one of the two is empty.
    """

    name: str
    writes: str
    lost: tuple[str, ...]
    make: Callable[[Plan], dict[str, bytes]]
    proof: str = ""
    unrehearsed: str = ""


_HANDS = "made for hands: no program reads it"
_OPENSM = "the real OpenSM 3.3.23 on ibsim takes every line"
_PEER = "ibutils 1.5.7: ibdmchk and ibtopodiff read it"
TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target(ndt.TARGET, ndt.WRITES, ndt.LOST, ndt.ndt, unrehearsed="UFM is not freely available"),
        Target(netlist.TARGET, netlist.WRITES, netlist.LOST, netlist.netlist, "ibsim 0.10 loads it"),
        Target(opensm.TARGET, opensm.WRITES, opensm.LOST, opensm.opensm, _OPENSM),
        Target(
            opensm_dialects.NVIDIA.name,
            opensm_dialects.WRITES_NVIDIA,
            opensm_dialects.LOST_NVIDIA,
            opensm_dialects.nvidia_sm,
            unrehearsed=opensm_dialects.WHY,
        ),
        Target(
            opensm_dialects.UFM.name,
            opensm_dialects.WRITES_UFM,
            opensm_dialects.LOST_UFM,
            opensm_dialects.ufm,
            unrehearsed=opensm_dialects.WHY_UFM,
        ),
        Target(ibutils.TARGET, ibutils.WRITES, ibutils.LOST, ibutils.topo, _PEER),
        Target(cut_sheet.TARGET, cut_sheet.WRITES, cut_sheet.LOST, cut_sheet.cut_sheet, unrehearsed=_HANDS),
        Target(
            port_descriptions.TARGET,
            port_descriptions.WRITES,
            port_descriptions.LOST,
            port_descriptions.port_descriptions,
            unrehearsed="no switch was asked; the commands follow the maker's manual",
        ),
        Target(roce.TARGET, roce.WRITES, roce.LOST, roce.roce, unrehearsed=roce.WHY),
        Target(
            hosts_dns.TARGET,
            hosts_dns.WRITES,
            hosts_dns.LOST,
            hosts_dns.hosts_dns,
            unrehearsed="no name server was asked; the formats are those of RFC 1035 and of dnsmasq",
        ),
        Target(drawings.TARGET, drawings.WRITES, drawings.LOST, drawings.drawings, unrehearsed=_HANDS),
        Target(drawings.BOOK_TARGET, drawings.BOOK_WRITES, drawings.BOOK_LOST, drawings.book, unrehearsed=_HANDS),
        Target(dxf.TARGET, dxf.WRITES, dxf.LOST, dxf.dxf, unrehearsed=dxf.WHY),
        Target(labels.TARGET, labels.WRITES, labels.LOST, labels.labels, unrehearsed=_HANDS),
        Target(netbox.TARGET, netbox.WRITES, netbox.LOST, netbox.netbox, unrehearsed=netbox.WHY),
        Target(crew_sheets.TARGET, crew_sheets.WRITES, crew_sheets.LOST, crew_sheets.crew_sheets, unrehearsed=_HANDS),
        Target(workbook.TARGET, workbook.WRITES, workbook.LOST, workbook.workbook, workbook.PROOF),
        Target(capture_script.TARGET, capture_script.WRITES, capture_script.LOST, capture_script.collect, capture_script.PROOF),
        Target(active_tests.TARGET, active_tests.WRITES, active_tests.LOST, active_tests.active_tests, active_tests.PROOF),
    )
}


@dataclass(frozen=True, slots=True)
class Written:
    """One file of an export: path within ``artefacts/``, bytes, SHA-256, and whether it was new, changed or the same.

    ``unrehearsed`` is why no program was tried with it, empty when one was.
    """

    path: str
    size: int
    sha256: str
    state: str
    unrehearsed: str = ""


def make(plan: Plan, targets: Sequence[str] = ()) -> dict[str, bytes]:
    """The files of the targets (all when none is named), by path. Equal plans give equal bytes.

    Raises `ProblemError` CLI-045 for an unknown target, ART-001 for names that a target cannot carry.
    """
    return {path: data for _, files in _made(plan, targets) for path, data in files.items()}


def _made(plan: Plan, targets: Sequence[str], skipped: list[Problem] | None = None) -> list[tuple[Target, dict[str, bytes]]]:
    unknown = [t for t in targets if t not in TARGETS]
    if unknown:
        known = f"targets: {', '.join(TARGETS)}"
        raise ProblemError(Problem("CLI-045", f"no export target {t!r}{nearest(t, TARGETS)}", fix=known) for t in unknown)
    made = []
    for name in dict.fromkeys(targets) or TARGETS:
        try:
            made.append((TARGETS[name], TARGETS[name].make(plan)))
        except ProblemError as told:
            # A library that is not installed takes only its own target away, unless just that was asked for.
            if targets or skipped is None or any(p.code != NOT_INSTALLED for p in told.problems.items):
                raise
            skipped.extend(told.problems.items)
    return made


def export(
    plan: Plan,
    project: Path,
    targets: Sequence[str] = (),
    *,
    force: bool = False,
    skipped: list[Problem] | None = None,
) -> tuple[Written, ...]:
    """Write the targets under ``project/artefacts``. A file that somebody changed since the last export stays.

    Raises `ProblemError` ART-002 for such files (all at once, nothing written); ``force`` replaces them. When no target is
    named, one whose library is not installed (ART-010) is left out and told in ``skipped``.
    """
    made = _made(plan, targets, skipped)
    files = {path: data for _, some in made for path, data in some.items()}
    reasons = {path: target.unrehearsed for target, some in made for path in some}
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
        written.append(Written(path, len(data), digest, state, reasons[path]))
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
