"""Archives of nodes (`model.capture_set`) to facts: one after another, equal answers of many nodes read once.

An archive is a folder or a tar file, as it came from a node or by hand. It is hostile until read: only plain files with the
names of the capture set are looked at, nothing is written out, and sizes are limited. What cannot be read costs its own
archive and no other: such a node has no facts, and a note says why.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from asbuilt.model.capture import Capture
from asbuilt.model.capture_set import BY_ID, MANIFEST_FILE, MANIFEST_MARK, SUFFIX
from asbuilt.model.facts import UNREAD, Facts, LineAccount
from asbuilt.parsers.tools import TOOLS
from asbuilt.workflow.node_rows import Answer, frames, together

if TYPE_CHECKING:
    import polars as pl

#: The tool of a `Capture` that is a node's archive: ``data`` is the tar file, or empty and ``file`` says where it lies.
NODE_ARCHIVE = "node-archive"
#: An answer, and all answers of a node, may have so many bytes (a /proc/interrupts of 512 processors has some 4 MB).
MOST_ANSWER, MOST_ARCHIVE = 64 << 20, 512 << 20
#: Archives that one process reads before it hands its tables over: few, since their rows lie in memory until then.
CHUNK = 64
#: Archives for each of which a process is worth starting.
WORTH = 250
_MEMBER = re.compile(r"^(?:\./)?(?:[A-Za-z0-9][\w.-]{0,252}/)?(manifest\.tsv|[a-z][a-z0-9_-]{0,40}\.txt)$")
_NODE = re.compile(r"\bnode\s+([A-Za-z0-9][\w.-]{0,252})\s*$")
_ENDINGS = (".tar", ".tar.gz", ".tgz")
_UNREAD_SHOWN = 20


def is_archive(path: Path) -> bool:
    """True for a folder with a manifest of the capture set, and for a tar file by its name."""
    if path.is_dir():
        try:
            with (path / MANIFEST_FILE).open("rb") as file:
                return file.read(len(MANIFEST_MARK)) == MANIFEST_MARK.encode()
        except OSError:
            return False
    return path.name.endswith(_ENDINGS)


def workers(captures: Sequence[Capture]) -> int:
    """Processes that are worth starting to read ``captures``: none for a few chunks of archives."""
    shares = sum(c.tool == NODE_ARCHIVE for c in captures) // WORTH
    return min(os.cpu_count() or 1, shares) if shares > 1 else 0


def one_thread() -> None:
    """Start of a process that reads archives: the processes share the cores, so that a frame needs one of them alone."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")


def archive_capture(path: Path) -> Capture:
    """The archive at ``path`` as a capture whose bytes stay where they are."""
    return Capture(path.name, b"", NODE_ARCHIVE, file=str(path))


@dataclass(slots=True)
class _Heard:
    """What some archives said: their tables, and the balance of lines."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    accounts: dict[str, LineAccount] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)


def fleet_facts(archives: Sequence[Capture], executor: Executor | None = None) -> Facts:
    """The facts of all ``archives``. With an ``executor`` chunks of them are read by its processes.

    ``accounts`` balance all lines of one kind of answer together (``nodes/lspci-vv``). Never raises for what an archive holds.
    """
    chunks = [archives[i : i + CHUNK] for i in range(0, len(archives), CHUNK)]
    heard = map(_read, chunks) if executor is None else executor.map(_read, chunks)
    return _together(list(heard))


def _together(heard: list[_Heard]) -> Facts:
    tables = together([one.tables for one in heard])
    accounts: dict[str, LineAccount] = {}
    for one in heard:
        for name, account in one.accounts.items():
            accounts[name] = _sum(accounts[name], account) if name in accounts else account
    details = {k: v for one in heard for k, v in one.details.items()}
    return Facts(tables, accounts, tuple(n for one in heard for n in one.notes), NODE_ARCHIVE if heard else "", details)


def _sum(a: LineAccount, b: LineAccount) -> LineAccount:
    lines = (*a.unread_lines, *b.unread_lines)[:_UNREAD_SHOWN]
    return LineAccount(a.total + b.total, a.facts + b.facts, a.ignorable + b.ignorable, a.unread + b.unread, lines)


def _read(archives: Sequence[Capture]) -> _Heard:
    """The facts of some archives, in this process."""
    heard = _Heard()
    answers: dict[tuple[str, bytes], Answer] = {}
    for archive in archives:
        try:
            _hear(archive, answers, heard)
        except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError) as error:
            why = f"the archive cannot be read: {type(error).__name__}: {str(error)[:120]}"
            heard.notes.append(f"{archive.id}: {why}")
            heard.details[f"{UNREAD}{archive.id}"] = why
    for answer in answers.values():
        for account in answer.facts.accounts.values():
            _account(answer, account, heard)
    heard.tables = frames(list(answers.values()))
    return heard


def _hear(archive: Capture, answers: dict[tuple[str, bytes], Answer], heard: _Heard) -> None:
    files: dict[str, bytes] = {}
    cut = ""
    try:
        for name, data in _members(archive):
            files.setdefault(name, data)
    except (EOFError, tarfile.TarError, zlib.error) as error:  # what came before the cut is whole
        cut = f"{archive.id}: the archive is cut ({type(error).__name__}): what stands before is read"
    manifest = files.pop(MANIFEST_FILE, b"")
    node = _NODE.search(manifest[:400].split(b"\n", 1)[0].decode("utf-8", "replace"))
    if not manifest.startswith(MANIFEST_MARK.encode()) or node is None:
        raise ValueError(f"no {MANIFEST_FILE} that begins with {MANIFEST_MARK!r} and names its node")
    if cut:
        heard.notes.append(cut)
    _answer("node-manifest", "manifest", manifest, node[1], answers)
    for name, data in files.items():
        command = BY_ID.get(name.removesuffix(SUFFIX))
        if command is not None and command.tool in TOOLS and data.strip():
            _answer(command.tool, command.id, data, node[1], answers)


def _answer(tool: str, command: str, data: bytes, node: str, answers: dict[tuple[str, bytes], Answer]) -> None:
    key = (command, hashlib.blake2b(data, digest_size=16).digest())
    if key not in answers:
        answers[key] = Answer(TOOLS[tool].parse(Capture(f"{node}/{command}", data, tool)), command)
    answers[key].said_by.append((node, f"{node}/{command}"))


def _account(answer: Answer, account: LineAccount, heard: _Heard) -> None:
    times = len(answer.said_by)
    first = answer.said_by[0][0]
    lines = tuple((number, f"{first}: {text}") for number, text in account.unread_lines[:3])
    spread = LineAccount(account.total * times, account.facts * times, account.ignorable * times, account.unread * times, lines)
    name = f"nodes/{answer.command}"
    heard.accounts[name] = _sum(heard.accounts[name], spread) if name in heard.accounts else spread


def _members(archive: Capture) -> Iterator[tuple[str, bytes]]:
    """File name and bytes of every answer in an archive. Raises what tar and gzip raise where it is cut or broken."""
    path = Path(archive.file)
    if not archive.data and path.is_dir():
        yield from _in_folder(path)
        return
    # `tarfile` opens a stream without seeking: a cut file gives what stands before the cut.
    source = io.BytesIO(archive.data) if archive.data else path.open("rb")
    with source, tarfile.open(fileobj=source, mode="r|*") as tar:
        left = MOST_ARCHIVE
        for member in tar:
            left -= member.size  # also of what is passed over: it has to be unpacked to get past it
            if member.size > MOST_ANSWER or left < 0:
                raise ValueError(f"{member.name[:80]} holds {member.size} bytes, more than an answer may have")
            name = _MEMBER.match(member.name)
            if name is None or not member.isfile():
                continue
            file = tar.extractfile(member)
            if file is not None:
                yield name[1], file.read()


def _in_folder(folder: Path) -> Iterable[tuple[str, bytes]]:
    left = MOST_ARCHIVE
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if not _MEMBER.match(entry.name) or not entry.is_file(follow_symlinks=False):
            continue
        size = entry.stat(follow_symlinks=False).st_size
        left -= size
        if size > MOST_ANSWER or left < 0:
            raise ValueError(f"{entry.name[:80]} holds {size} bytes, more than an answer may have")
        yield entry.name, Path(entry.path).read_bytes()
