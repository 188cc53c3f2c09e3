"""Archives of nodes as they come in: text to bytes, what an archive says of itself, and its place in a folder.

What a node prints is hostile: sizes are limited, only the manifest is read, nothing is unpacked to disk.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import re
import tarfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from asbuilt.model.capture_set import BEGIN, COMMANDS, END, MANIFEST_COLUMNS, MANIFEST_FILE, MANIFEST_MARK, OUTCOMES

MOST_PACKED, MOST_WHOLE = 256 << 20, 512 << 20
_MARK = re.compile(rf"^{re.escape(MANIFEST_MARK)} plan ([0-9a-f]{{4,64}}) node ([A-Za-z0-9][A-Za-z0-9._-]{{0,252}})$")
_MANIFEST = re.compile(rf"^(?:\./)?(?:[A-Za-z0-9][\w.-]{{0,252}}/)?{re.escape(MANIFEST_FILE)}$")
_ENDINGS = (".tar.gz", ".tgz", ".tar")


class NoArchiveError(ValueError):
    """What came is no archive; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What an archive says of itself: the node that it names, the short hash of the plan whose script asked, how each
    question ended. ``fault`` says why it is not whole, and is empty for one that is."""

    file: str
    name: str = ""
    plan: str = ""
    ended: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """Questions by how they ended, in the order of the capture set's outcomes."""
        seen = Counter(self.ended.values())
        return {outcome: seen[outcome] for outcome in OUTCOMES if seen[outcome]}


def from_text(text: str) -> tuple[str, bytes]:
    """(file name, bytes) of the archive that a node printed between the two marks, whatever stands around them.

    Raises `NoArchiveError` for a text without one, a cut one, or one that is no base64.
    """
    lines = text.splitlines()
    begins = [i for i, line in enumerate(lines) if line.startswith(f"{BEGIN} ")]
    if not begins:
        raise NoArchiveError("it printed no archive")
    name = lines[begins[-1]].removeprefix(f"{BEGIN} ").strip()
    if not name.endswith(_ENDINGS):
        raise NoArchiveError("its archive has no name that ends in .tar.gz or .tar")
    try:
        end = lines.index(END, begins[-1])
    except ValueError:
        raise NoArchiveError("its archive is cut: the connection ended early") from None
    try:
        return name, base64.b64decode("".join(lines[begins[-1] + 1 : end]), validate=True)
    except binascii.Error:
        raise NoArchiveError("its archive is not whole base64 text") from None


def ending(name: str) -> str:
    """``.tar.gz``, ``.tgz`` or ``.tar`` of an archive's name, "" for what is none."""
    return next((e for e in _ENDINGS if name.endswith(e)), "")


def look(path: Path) -> Landed:
    """What the archive at ``path`` (folder or tar file) says of itself. Never raises for what it holds, or cannot be read."""
    try:
        if path.is_dir():
            with (path / MANIFEST_FILE).open("rb") as file:
                return _told(path.name, file.read(MOST_PACKED))
        if path.stat().st_size > MOST_PACKED:
            return Landed(path.name, fault=f"it is larger than {MOST_PACKED >> 20} MiB")
        return look_at(path.name, path.read_bytes())
    except OSError as error:
        return Landed(path.name, fault=f"it cannot be read: {error.strerror or error}")


def look_at(file: str, data: bytes) -> Landed:
    """What the bytes of an archive say of themselves. Never raises."""
    try:
        whole = _unpacked(data) if data[:2] == b"\x1f\x8b" else data
        manifest = b""
        with tarfile.open(fileobj=io.BytesIO(whole), mode="r:") as tar:
            for member in tar:
                if member.isfile() and _MANIFEST.match(member.name) and not manifest:
                    held = tar.extractfile(member)
                    manifest = held.read(MOST_PACKED) if held else b""
    except NoArchiveError as error:
        return Landed(file, fault=str(error))
    except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError) as error:
        return Landed(file, fault=f"it is no whole archive: {type(error).__name__}")
    return _told(file, manifest)


def _unpacked(data: bytes) -> bytes:
    """The bytes behind gzip, checked to the end."""
    engine = zlib.decompressobj(31)
    whole = engine.decompress(data, MOST_WHOLE)
    if engine.unconsumed_tail:
        raise NoArchiveError(f"it unpacks to more than {MOST_WHOLE >> 20} MiB")
    if not engine.eof:
        raise NoArchiveError("it is cut")
    return whole


def _told(file: str, manifest: bytes) -> Landed:
    lines = manifest.decode("utf-8", "replace").split("\n")
    mark = _MARK.match(lines[0].rstrip("\r"))
    if mark is None:
        return Landed(file, fault=f"it has no {MANIFEST_FILE} of the capture set")
    ended: dict[str, str] = {}
    for line in lines[1:-1]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) == len(MANIFEST_COLUMNS) and cells[4] in OUTCOMES:
            ended.setdefault(cells[0], cells[4])
    missing = [c.id for c in COMMANDS if c.id not in ended]
    fault = f"it was written by an interrupted script: no word of {missing[0]}" if missing else ""
    return Landed(file, mark[2], mark[1], ended, fault)


def put(folder: Path, name: str, end: str, data: bytes) -> Path:
    """Write an archive into ``folder`` as ``<name><end>``, by rename. One that is there stays beside it, hidden, with the
    time of its replacement: what was measured is not thrown away.

    Raises ``OSError`` where the folder cannot be written.
    """
    draft = folder / f".{name}{end}.{os.getpid()}.part"
    target = folder / f"{name}{end}"
    try:
        draft.write_bytes(data)
        for old in (folder / f"{name}{e}" for e in (*_ENDINGS, "")):
            if old.exists():
                old.rename(folder / f".{old.name}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.before")
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    return target
