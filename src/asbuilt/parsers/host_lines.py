"""Who says a line of a host tool: one capture may hold a whole fleet, as terminals, pdsh, clush and scripts leave it.

The host of a line is, in this order: the prefix that pdsh and clush put before it (``node0003: CA 'mlx5_0'``), the block of
gathered equal output that it stands in (``clush -b``, ``dshbak -c``: dashes, a set of hosts, dashes), the host in the last
prompt (``[root@node0003 ~]# ibstat``), the subject of the capture. A prefix counts only where the line as it stands is none
of the tool's own and the rest of it is.

The time of a reading is that of the last line before it that tells one: ``# time: 2026-01-31T12:00:00Z``, or the answer of
``date -Is`` alone on its line, said by the same host. Before any such line it is the time in the capture's subject
(``node0003@2026-01-31T12:00:00Z``). A time without its zone tells nothing and is unread.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, NamedTuple

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.model.facts import LineAccount
from asbuilt.parsers.tools import command

LONGEST_LINE = 1 << 20
#: Lines times hosts of gathered blocks that one capture may spread out; a small text must not fill the memory.
MOST_GATHERED = 4_000_000
#: Hosts of one gathered block.
MOST_HOSTS = 65_536
#: How many unread lines are kept with their text, and how many characters of each.
UNREAD_KEPT, UNREAD_SHOWN = 1000, 200
IGNORABLE, FACT, UNREAD = 0, 1, 2

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
TIMED = re.compile(rf"^\s*(?:#\s*time:\s*)?({TIME})$")
_SUBJECT = re.compile(rf"^(.*)@({TIME})$", re.S)
PREFIX = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]{0,252}):(?:$| ?(.*)$)", re.S)
_DASHES = re.compile(r"^-{10,}$")
_GATHERED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._,\[\]-]{0,4000})(?: \(\d+\))?$")
#: The host in a prompt; a shell that names itself (``bash-4.2$``) and a bare ``root#`` name none.
_PROMPT_HOST = re.compile(
    r"^\[?(?:[\w.-]+@(?P<at>[A-Za-z0-9][\w.-]*)|(?P<bare>(?!(?:root|user|(?:ba|da|z|k|c)?sh-[\d.]+)\b)[A-Za-z0-9][\w.-]*))"
    r"(?:[:\s][^\]$#]*)?\]?\s*[#$]\s"
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose words follow: hosts (none when nobody said, several in a gathered block), the command's words, the time told.

    ``turn`` counts the prompts and blocks: what two turns say does not belong together.
    """

    hosts: tuple[str | None, ...]
    command: tuple[str, ...]
    time: str | None
    turn: int


class Said(NamedTuple):
    """One line of output: its 1-based number, its text without prefix, colours and trailing blanks, and who says it.

    ``closed`` is False for a last line without an end: more of it may be missing.
    """

    number: int
    text: str
    speaker: Speaker
    closed: bool


class Account:
    """What becomes of every line; a line that nobody claims is unread."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines
        self.classes = bytearray([UNREAD]) * len(lines)
        self._why: dict[int, str] = {}

    def fact(self, *numbers: int) -> None:
        for number in numbers:
            self.classes[number - 1] = FACT

    def ignore(self, *numbers: int) -> None:
        for number in numbers:
            self.classes[number - 1] = IGNORABLE

    def unread(self, number: int, why: str = "") -> None:
        """Take a claim back, or say why a line is not read."""
        self.classes[number - 1] = UNREAD
        if why:
            self._why[number] = why

    def result(self) -> LineAccount:
        """The balance, with the unread lines by number and text."""
        kept: list[tuple[int, str]] = []
        at = self.classes.find(UNREAD)
        while at >= 0 and len(kept) < UNREAD_KEPT:
            text = self._why.get(at + 1, "") or self.lines[at][: 4 * UNREAD_SHOWN].decode("utf-8", "replace").strip()
            kept.append((at + 1, text[:UNREAD_SHOWN]))
            at = self.classes.find(UNREAD, at + 1)
        facts, ignorable, unread = (self.classes.count(c) for c in (FACT, IGNORABLE, UNREAD))
        return LineAccount(len(self.lines), facts, ignorable, unread, tuple(kept))


def account_of(classes: Any, text: bytes, starts: Any, ends: Any, why: Mapping[int, str]) -> LineAccount:
    """The account of lines (0-based) whose classes are in an array: where each starts and ends, why some are unread."""
    import numpy as np  # a host's own small text is read without it

    facts, ignorable = (int(np.count_nonzero(classes == c)) for c in (FACT, IGNORABLE))
    kept = []
    unread = len(classes) - facts - ignorable
    for line in (classes == UNREAD).nonzero()[0][:UNREAD_KEPT].tolist() if unread else ():
        at = int(starts[line])
        said = text[at : min(int(ends[line]), at + 4 * UNREAD_SHOWN)].decode("utf-8", "replace").strip()
        kept.append((line + 1, f"{why[line]}: {said}"[:UNREAD_SHOWN] if line in why else said[:UNREAD_SHOWN]))
    return LineAccount(len(classes), facts, ignorable, unread, tuple(kept))


def indented(data: Any, starts: Any, ends: Any) -> bool:
    """True when a line of ``data`` (uint8) begins with a blank: shapes do not tell these from others."""
    lead = data.take(starts)
    return bool(((lead == 32) | (lead == 9)).any())


def split_lines(data: bytes) -> list[bytes]:
    """The lines without their ends; a text that ends with a line feed has no empty line behind it."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def as_utf8(data: bytes) -> bytes:
    """``data`` without a byte order mark; a UTF-16 text, as Windows shells write it, becomes UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    return data[3:] if data[:3] == b"\xef\xbb\xbf" else data


def host_of_subject(subject: str) -> tuple[str | None, str | None]:
    """(host, time) of a capture's subject ``HOST``, ``HOST@TIME`` or ``@TIME``."""
    timed = _SUBJECT.match(subject)
    name, time = (timed[1], timed[2]) if timed else (subject, None)
    return name.strip() or None, time


def plain_text(line: bytes) -> str:
    """A line as text: no colours, no trailing blanks, no carriage return; a carriage return inside it starts it anew."""
    text = line.decode("utf-8", "replace").rstrip()
    return _COLOURS.sub("", text).rstrip() if "\x1b" in text else text


def prompted(text: str, before: Speaker, host: str | None) -> Speaker | None:
    """Who speaks behind a prompt line, None for a line that is no prompt; ``host`` is the one where the prompt names none."""
    words = command(text.encode("utf-8", "replace"))
    if words is None:
        return None
    named = _PROMPT_HOST.match(text)
    try:
        parts = tuple(shlex.split(words))
    except ValueError:
        parts = tuple(words.split())
    return Speaker(((named["at"] or named["bare"]) if named else host,), parts, before.time, before.turn + 1)


class Listener:
    """The lines of a capture with who says them. Prompts, headers of blocks, times and blank lines are claimed on the way.

    ``own`` matches (from the start) the lines that the tool itself writes; ``quiet`` those of them that say nothing, which are
    claimed on the way too (a long text has thousands).
    """

    def __init__(self, data: bytes, subject: str, own: re.Pattern[str], quiet: re.Pattern[bytes] | None = None) -> None:
        self.ends = data.endswith(b"\n")
        self.lines = split_lines(data)
        self.account = Account(self.lines)
        self.own, self.quiet = own, quiet
        self._host, self._time = host_of_subject(subject)
        self._speaker = Speaker((self._host,), (), self._time, 0)
        self._prefixed: dict[str, Speaker] = {}
        self._gathered = 0
        self._nobody = False
        #: One host speaks, or nobody says which: what most lines are like.
        self._lone = True

    @property
    def speaker(self) -> Speaker:
        """Who speaks where no line says otherwise."""
        return self._speaker

    def plain(self) -> list[str] | None:
        """All lines of a small, whole text without colours or carriage returns, for a parser that knows each of them as its
        tool's own and so needs nobody to listen for speakers; None for any other text. Trailing blanks are still there."""
        if not self.ends or sum(map(len, self.lines)) > LONGEST_LINE:
            return None
        data = b"\n".join(self.lines)
        if b"\x1b" in data or b"\r" in data:
            return None
        try:
            return data.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            return None

    def __iter__(self) -> Iterator[Said]:
        skip = 0
        own, quiet = self.own.match, self.quiet.match if self.quiet is not None else None
        classes, last = self.account.classes, len(self.lines)
        for number, line in enumerate(self.lines, start=1):
            if skip:
                skip -= 1
                classes[number - 1] = IGNORABLE
                continue
            if quiet is not None and quiet(line):
                classes[number - 1] = IGNORABLE
                continue
            if len(line) > LONGEST_LINE:
                self.account.unread(number, "longer than a line can be")
                continue
            text = line.decode("utf-8", "replace").rstrip()
            if "\x1b" in text:
                text = _COLOURS.sub("", text).rstrip()
            if not text:
                classes[number - 1] = IGNORABLE
                continue
            if text[0] == "-" and self._block(number, text):
                classes[number - 1] = IGNORABLE
                skip = 2
                continue
            closed = number < last or self.ends
            if own(text) and self._lone:
                yield Said(number, text, self._speaker, closed)
                continue
            said = self._own(number, text, closed)
            if said is not None:
                yield said

    def _own(self, number: int, text: str, closed: bool) -> Said | None:
        """The line as output, or None when it only tells who speaks or when."""
        if self.own.match(text):
            if self._nobody:
                self.account.unread(number, "gathered from hosts that can't be told")
                return None
            self._gathered += len(self._speaker.hosts) - 1
            if self._gathered > MOST_GATHERED:
                self.account.unread(number, "gathered for more hosts than one capture may hold")
                return None
            return Said(number, text, self._speaker, closed)
        prefix = PREFIX.match(text)
        if prefix and (not prefix[2] or self.own.match(prefix[2]) or (prefix[1] in self._prefixed and TIMED.match(prefix[2]))):
            host, rest = prefix[1], prefix[2] or ""
            speaker = self._prefixed.setdefault(host, Speaker((host,), self._speaker.command, self._time, 0))
            if not rest and not self.own.match(rest):
                self.account.ignore(number)
                return None
            if self._timed(number, rest, speaker, host):
                return None
            return Said(number, rest, speaker, closed)
        if prefix and (prefix[2] or "").startswith("$ "):
            # A script on many hosts shows each of its commands: `node0003: $ mlxlink -d mlx5_0`.
            before = self._prefixed.get(prefix[1]) or Speaker((prefix[1],), (), self._time, 0)
            asked = prompted(prefix[2], before, prefix[1])
            if asked is not None:
                self._prefixed[prefix[1]] = asked
                self.account.ignore(number)
                return None
        if self._timed(number, text, self._speaker, ""):
            return None
        asked = prompted(text, self._speaker, self._host)
        if asked is not None:
            self._speaker, self._nobody, self._lone = asked, False, True
            self.account.ignore(number)
            return None
        return Said(number, text, self._speaker, closed)

    def _timed(self, number: int, text: str, speaker: Speaker, host: str) -> bool:
        """Take the time from a line that tells one."""
        timed = TIMED.match(text)
        if timed is None:
            return False
        heard = Speaker(speaker.hosts, speaker.command, timed[1], speaker.turn)
        if host:
            self._prefixed[host] = heard
        else:
            self._speaker = heard
            self._time = timed[1]
        self.account.ignore(number)
        return True

    def _block(self, number: int, text: str) -> bool:
        """True when a block of gathered output opens here: dashes, hosts, dashes."""
        if not _DASHES.match(text) or number + 1 >= len(self.lines) or max(map(len, self.lines[number : number + 2])) > 5000:
            return False
        named = _GATHERED.match(plain_text(self.lines[number]))
        if named is None or plain_text(self.lines[number + 1]) != text or (number + 2 == len(self.lines) and not self.ends):
            return False
        self._nobody, self._lone = False, False
        try:
            hosts = Hosts.parse(named[1], MOST_HOSTS).names
        except HostNameError:
            self._nobody = True  # it is said by hosts that we can't tell, not by whoever spoke before
            return True
        self._speaker = Speaker(hosts, self._speaker.command, self._time, self._speaker.turn + 1)
        return True
