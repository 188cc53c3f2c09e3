"""Captures from files and folders: which tool wrote each one, and the facts of all of them together.

The tool comes from ``capture.json``, from the caller, or from a sniff that only one parser answers to; otherwise it is a
problem, never a guess. ``capture.json`` lies beside the raw files::

    {"schema": "capture/v1", "tool": "lldpctl", "subject": "LEAF-01", "time": "2026-01-31T12:00:00Z",
     "files": {"leaf-02.json": {"subject": "LEAF-02"}}}

What stands at the top holds for every file that does not say otherwise; with ``files`` only those listed are read.
"""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Sequence

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.discovery import FactTables
from asbuilt.model.facts import SUBJECT, UNREAD, Facts
from asbuilt.parsers.sniff import told
from asbuilt.parsers.tools import TOOLS
from asbuilt.workflow.node_archives import NODE_ARCHIVE, archive_capture, fleet_facts, is_archive

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "capture.json"
SCHEMA = "capture/v1"
#: One round of `asbuilt collect`.
_ROUND = re.compile(r"^nodes-(\d{1,6})$")
#: Where archives of nodes are written, inside a folder of captures.
NODES = "nodes"
#: Tables of a discovery: devices without one link are nothing that a plan could be held against.
LINKED = {"device_facts", "link_facts"}


def read_captures(places: Sequence[str | Path], tool: str = "") -> tuple[Capture, ...]:
    """The captures in files and folders (``-`` is standard input), in the order given; folders in name order.

    Raises `ProblemError`: CLI-040 nothing there, CLI-041 no such tool, CLI-042 a broken capture.json.
    """
    if tool and tool not in TOOLS:
        raise ProblemError(Problem("CLI-041", f"no parser for {tool!r}", fix=f"use one of: {', '.join(TOOLS)}"))
    found: list[Capture] = []
    problems: list[Problem] = []
    for place in places:
        try:
            found += _at(str(place), tool)
        except ProblemError as error:
            problems += error.problems.items
        except OSError as error:
            problems.append(Problem("CLI-040", f"cannot read {error.filename or place}: {error.strerror or error}"))
    if problems:
        raise ProblemError(problems)
    return _distinct(found)


def _at(place: str, tool: str) -> list[Capture]:
    if place == "-":
        return [Capture("stdin", sys.stdin.buffer.read(), tool, file="<stdin>")]
    path = Path(place)
    if not tool and path.exists() and is_archive(path):
        return [archive_capture(path)]
    if path.is_dir():
        return _folder(path, tool, path.resolve())
    if not path.is_file() and not path.is_fifo():  # a pipe that somebody names is meant: <(ssh host ibnetdiscover)
        what = f"{place} is no file" if path.exists() else f"there is no {place}"
        raise ProblemError(Problem("CLI-040", what, fix="name a capture file or a folder of them"))
    manifest = path.parent / MANIFEST
    said = _manifest(manifest).get(path.name, {}) if manifest.is_file() and path.name != MANIFEST else {}
    return [Capture(path.name, path.read_bytes(), tool or said.get("tool", ""), said.get("subject", ""), str(path))]


def _folder(folder: Path, tool: str, root: Path) -> list[Capture]:
    """The captures of a folder and of those in it. A folder that came from elsewhere may hold links to anything: what leads
    out of ``root``, and what is no file, is a problem and is not opened."""
    manifest = folder / MANIFEST
    listed = _manifest(manifest) if manifest.is_file() else {}
    found: list[Capture] = []
    problems: list[Problem] = []
    for item in sorted(folder.iterdir()):
        if item.is_symlink() and not item.resolve().is_relative_to(root):
            what = f"{item} is a link that leads out of {root.name}"
            problems.append(Problem("CLI-040", what, fix="name the file or folder that it leads to, or copy it here"))
        elif item.name.startswith("."):
            continue  # what a replaced archive left, and what editors leave
        elif not tool and is_archive(item):
            found.append(archive_capture(item))
        elif item.is_dir():
            found += _folder(item, tool, root)
        elif item.name != MANIFEST and (not listed or item.name in listed):
            if not item.is_file():
                problems.append(Problem("CLI-040", f"{item} is no file", fix="take it out of the folder"))
                continue
            said = listed.get(item.name, {})
            words = (f"{folder.name}/{item.name}", item.read_bytes(), tool or said.get("tool", ""))
            found.append(Capture(*words, said.get("subject", ""), str(item)))
    if problems:
        raise ProblemError(problems)
    return _newest(found)


def _newest(found: list[Capture]) -> list[Capture]:
    """Of the rounds of archives that `asbuilt collect` left (``nodes-1``, ``nodes-2``) the newest archive of each node."""
    last: dict[tuple[Path, str], int] = {}
    rounds: dict[int, tuple[tuple[Path, str], int]] = {}
    for index, capture in enumerate(found):
        place = Path(capture.file).parent if capture.file else Path()
        number = _ROUND.match(place.name) if capture.tool == NODE_ARCHIVE else None
        if number:
            key = (place.parent, capture.id.split(".tar")[0].removesuffix(".tgz"))
            rounds[index] = key, int(number[1])
            last[key] = max(last.get(key, 0), int(number[1]))
    return [c for i, c in enumerate(found) if i not in rounds or last[rounds[i][0]] == rounds[i][1]]


def _manifest(path: Path) -> dict[str, dict[str, str]]:
    """File name -> {tool, subject}. A manifest without ``files`` speaks for every file of its folder."""
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"is not JSON: {str(error)[:100]}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise _broken(path, f"does not say {{'schema': '{SCHEMA}'}}")
    top = {k: document[k] for k in ("tool", "subject") if k in document}
    files = document.get("files")
    if files is None:
        names = [p.name for p in path.parent.iterdir() if p.is_file() and p.name != MANIFEST]
        files = {name: {} for name in names}
    if not isinstance(files, dict) or not all(isinstance(v, dict) for v in files.values()):
        raise _broken(path, "has `files` that is not an object of file names")
    merged: dict[str, dict[str, str]] = {name: {**top, **said} for name, said in files.items()}
    for name, said in merged.items():
        if not all(isinstance(v, str) for v in (said.get("tool", ""), said.get("subject", ""))):
            raise _broken(path, f"gives {name!a} a tool or subject that is not text")
        if not "".join((name, *said.values())).isprintable():
            raise _broken(path, f"gives {name!a} a name, tool or subject with characters that cannot be printed")
        if said.get("tool", "") and said["tool"] not in TOOLS:
            raise _broken(path, f"names the tool {said['tool']!r}; parsers exist for {', '.join(TOOLS)}")
        if name != Path(name).name:
            raise _broken(path, f"lists {name[:80]}, which is not the name of a file beside it")
        if not (path.parent / name).is_file():
            raise _broken(path, f"lists {name[:80]}, which is not there")
    return merged


def _broken(path: Path, what: str) -> ProblemError:
    return ProblemError(Problem("CLI-042", f"{MANIFEST} {what}", Place(str(path)), fix="mend it, or name the files themselves"))


def _distinct(found: list[Capture]) -> tuple[Capture, ...]:
    """Captures with distinct ids: a repeated id gets a number behind it."""
    seen: dict[str, int] = {}
    out = []
    for capture in found:
        seen[capture.id] = seen.get(capture.id, 0) + 1
        times = seen[capture.id]
        name = capture.id if times == 1 else f"{capture.id}~{times}"
        out.append(Capture(name, capture.data, capture.tool, capture.subject, capture.file))
    return tuple(out)


def tool_of(capture: Capture) -> str:
    """The tool that wrote a capture. Raises `ProblemError` CLI-043 when nobody said and the text does not tell.

    An empty capture of an unknown tool is no problem: it is "" here, gives no facts, and nothing counts as measured by it.
    """
    if capture.tool:
        return capture.tool
    answers = [name for name, tool in TOOLS.items() if tool.sniff(capture.data)]
    if len({TOOLS[name].module for name in answers}) == 1:  # tools that write one format: ibhosts, ibswitches, ibnodes
        return answers[0]
    if not capture.data.strip():
        return ""
    what = "no parser knows this text" if not answers else f"could be from {' or '.join(answers)}"
    place = Place(capture.file or capture.id)
    raise ProblemError(
        Problem("CLI-043", what, place, why="a guess could turn nonsense into facts", fix=f"say --as {'|'.join(TOOLS)}")
    )


def facts_of(captures: Sequence[Capture], executor: Executor | None = None) -> Facts:
    """The facts of all captures in one `Facts`: one table per kind, the account of each capture, all notes.

    A device seen by several captures is one row (the one with most known about it); a port reported twice keeps its
    first report. Archives of nodes are read by the processes of ``executor``, when there is one.
    Raises `ProblemError` CLI-043 for captures whose tool nobody can tell, all of them at once.
    """
    problems: list[Problem] = []
    parts: list[Facts] = []
    empty: list[str] = []
    archives = [c for c in captures if c.tool == NODE_ARCHIVE]
    if archives:
        parts.append(fleet_facts(archives, executor))
    for capture in captures:
        if capture.tool == NODE_ARCHIVE:
            continue
        try:
            tool = tool_of(capture)
        except ProblemError as error:
            problems += error.problems.items
            continue
        if tool:
            parts.append(_of_subject(_heard(TOOLS[tool].parse(capture), capture), capture))
        else:
            empty.append(f"{capture.id}: empty capture")
            parts.append(Facts({}, details={f"{UNREAD}{capture.id}": "it is empty"}))
    if problems:
        raise ProblemError(problems)
    return merge(parts, tuple(empty))


def _of_subject(facts: Facts, capture: Capture) -> Facts:
    """``facts`` that remember what their capture was taken of: the same LID means another port in another subnet."""
    if not capture.subject:
        return facts
    return replace(facts, details={**facts.details, f"{SUBJECT}{capture.id}": capture.subject})


def _heard(facts: Facts, capture: Capture) -> Facts:
    """``facts``, marked when the capture told nothing: a file that somebody gave and nobody could read is no measurement.

    A neighbour table that is whole and empty is one: it says that nothing is plugged in.
    """
    account = facts.accounts.get(capture.id)
    discovery = bool(LINKED & facts.tables.keys())
    if account is not None and account.facts and (facts.has("link_facts") if discovery else bool(facts.tables)):
        return facts  # the tables of a discovery dump are made when somebody looks at them
    tool = TOOLS.get(facts.tool)
    if capture.data.strip() and account is not None and not account.unread and tool is not None and tool.empty_tells:
        return facts
    why = (
        "it is empty"
        if not capture.data.strip()
        else told(capture.data)
        if account and not account.facts
        else "no link in it"
        if discovery
        else "no whole answer in it"
    )
    return replace(facts, details={**facts.details, f"{UNREAD}{capture.id}": why})


def merge(parts: Sequence[Facts], notes: tuple[str, ...] = ()) -> Facts:
    """Several `Facts` as one; see `facts_of` for what becomes of repeats. Tables are made when somebody looks at them, but
    those of discovery at once: how many rows they have is known only then."""
    if len(parts) == 1 and not notes:
        return parts[0]
    details: dict[str, Any] = {}
    incomplete = False
    for part in parts:
        details.update(part.details)
        incomplete = incomplete or bool(part.details.get("incomplete"))
    tables = _together(parts)
    accounts = {capture: account for part in parts for capture, account in part.accounts.items()}
    said = tuple(note for part in parts for note in part.notes)
    tools = "+".join(dict.fromkeys(part.tool for part in parts if part.tool))
    return Facts(tables, accounts, said + notes, tools, {**details, "incomplete": incomplete} if details else details)


def _together(parts: Sequence[Facts]) -> FactTables:
    """The tables of all parts, one below the other."""
    import polars as pl

    def joined(name: str, those: list[Facts]) -> pl.DataFrame:
        return pl.concat([part.tables[name] for part in those])

    whose: dict[str, list[Facts]] = {}
    for part in parts:
        for name in part.tables:
            whose.setdefault(name, []).append(part)
    tables: dict[str, tuple[int, Callable[[], pl.DataFrame]]] = {}
    for name, those in whose.items():
        tables[name] = (sum(part.height(name) for part in those), partial(joined, name, those))
    for name, frame in _discovered(joined, whose).items():
        tables[name] = (frame.height, partial(pl.DataFrame.clone, frame))
    return FactTables.one_by_one(tables)


def _discovered(joined: Callable[[str, list[Facts]], pl.DataFrame], whose: dict[str, list[Facts]]) -> dict[str, pl.DataFrame]:
    """The discovery tables of all parts, with every device and every port once."""
    import polars as pl

    found = {name: joined(name, those) for name, those in whose.items() if name in LINKED}
    if "device_facts" in found:
        ranked = found["device_facts"].sort(pl.col("system_guid").is_null(), maintain_order=True)
        found["device_facts"] = ranked.unique("guid", keep="first", maintain_order=True).sort("guid")
    if "link_facts" in found:
        found["link_facts"] = found["link_facts"].unique(["guid", "port"], keep="first", maintain_order=True)
    return found


def write_captures(captures: Sequence[Capture], folder: Path) -> tuple[Path, ...]:
    """Captures as files with their capture.json, so that `read_captures` reads them back. Returns the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = {}
    written = []
    for capture in captures:
        if capture.tool == NODE_ARCHIVE:
            (folder / NODES).mkdir(exist_ok=True)
            (folder / NODES / capture.id).write_bytes(capture.data)
            written.append(folder / NODES / capture.id)
            continue
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in capture.id) + (
            ".json" if capture.tool == "lldpctl" else ".txt"
        )
        (folder / name).write_bytes(capture.data)
        listed[name] = {"tool": capture.tool, "subject": capture.subject}
        written.append(folder / name)
    text = json.dumps({"schema": SCHEMA, "files": listed}, indent=1, sort_keys=True) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return (*written, folder / MANIFEST)
