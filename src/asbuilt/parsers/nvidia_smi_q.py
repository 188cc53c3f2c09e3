"""``nvidia-smi -q``: everything about every GPU, whole or in parts (``-d``).

A GPU's block ends with its ``Processes``, with the next GPU, with an empty line or with a prompt: a block that the end of the
capture cuts gives no fact, and its lines are unread. The report does not print the index of a GPU, so ``index`` is null: the
PCI address and the UUID tell GPUs apart (``-i`` would make a count of blocks wrong). A ``Fabric`` section that somebody cut
out with grep, with no GPU above it, gives its state and status for a GPU that is not told.
"""

from __future__ import annotations

import re
from functools import lru_cache

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import GPU_FACTS
from asbuilt.parsers.gpu_words import FAILED, Gathered, told
from asbuilt.parsers.host_lines import Account, Listener, Said, Speaker, as_utf8, host_of_subject, split_lines
from asbuilt.parsers.nvidia_smi_q_fields import TEXT
from asbuilt.parsers.tools import command

TOOL = "nvidia-smi-q"
_SIGN = re.compile(rb"^(?:[\w.-]+: ?)?(?:=+NVSMI LOG=+|    Fabric\s*$)", re.M)
_HEAD = re.compile(r"^(Timestamp|Driver Version|CUDA Version|Attached GPUs|HIC Info|GSP Version)\s*:\s?(.*)$")
_GPU = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])$")
_LABEL = re.compile(r"^( {4,40})(\S[^:]{0,80}?)\s*(?: : ?(.*)|:)?$")
_LOG = re.compile(r"^=+NVSMI LOG=+$")
OWN = re.compile(rf"{_LOG.pattern}|{_HEAD.pattern}|{_GPU.pattern}|{_LABEL.pattern}|{FAILED.pattern}", re.I)
#: A line that no speaker but the tool itself begins so: texts of these alone need no listening.
_PLAIN = (b"    ", b"GPU ", b"=====", b"Timestamp ", b"Driver Version ", b"CUDA Version ", b"Attached GPUs ")


def sniff(data: bytes) -> bool:
    """True for a text with the heading of the log, or with a ``Fabric`` section of one."""
    return bool(_SIGN.search(data[: 1 << 16])) and not data.lstrip().startswith(b"<")


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``gpu_facts``, identities and versions of every GPU whose block is whole. Never raises."""
    text = as_utf8(data)
    reader = _plain(text, subject)
    if reader is None:
        listener = Listener(text, subject, OWN)
        reader = _Reader(listener.account, listener.lines, listener.ends)
        for said in listener:
            reader.hear(said)
    if reader.end():
        reader.out.note("the last GPU is cut: its lines are unread")
    return reader.out.facts(capture_id, TOOL)


def _plain(text: bytes, subject: str) -> _Reader | None:
    """A text of nothing but the tool's own lines, read without listening for speakers; None for any other text."""
    lines = split_lines(text)
    if any(line and not line.startswith(_PLAIN) and line.strip() for line in lines) or b"\x1b" in text or len(text) > 1 << 26:
        return None
    try:
        words = text.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    ends = text.endswith(b"\n")
    reader = _Reader(Account(lines), lines, ends)
    speaker = Speaker((host_of_subject(subject)[0],), (), None, 0)
    account = reader.out.account
    for number, word in enumerate(words[: len(lines)], start=1):
        word = word.rstrip()
        if not word:
            account.ignore(number)
        elif not reader.field(number, word, ends or number < len(lines)):
            reader.hear(Said(number, word, speaker, ends or number < len(lines)))
    return reader


@lru_cache(maxsize=1 << 14)
def _step(path: tuple[str, ...], text: str) -> tuple[int, tuple[str, ...], str, str | None]:
    """(depth, labels down to this line, its path, its value where it is one that counts) of a line below ``path``.

    All GPUs of a kind print the same labels and mostly the same values.
    """
    label, mark, value = text.partition(" : ")
    name = label.strip()
    if not mark and name.endswith(" :"):
        name = name[:-2].rstrip()
    depth = (len(label) - len(label.lstrip())) // 4
    path = (*path[: depth - 1], name)
    key = "/".join(path) if depth > 1 else name
    return depth, path, key, value if mark and key in TEXT.known else None


class _Reader:
    """The block of the GPU that is being told, by the labels above each line."""

    def __init__(self, account: Account, lines: list[bytes], ends: bool) -> None:
        self.out = Gathered(account)
        self._ends = ends
        self._lines = lines
        self._open: dict[tuple[str | None, ...], _Block] = {}
        self._last: _Block | None = None

    def field(self, number: int, text: str, closed: bool) -> bool:
        """Take a line inside a GPU's block, told by whoever told the line before; False when it is none."""
        block = self._last
        if (
            block is None
            or text[:4] != "    "
            or not closed
            or (block.line and number > block.seen + 1 and self._blank(block, number))
        ):
            return False
        block.seen = number
        depth, path, key, value = _step(block.path, text)
        if depth == 1 and not block.line:
            self._close(block)  # a cut-out section ends with the next
            self._open.pop(block.hosts, None)
            self._last = None
            return False
        block.path = path
        if depth == 1 and key == "Processes":
            self._close(block)
            block.over = True
        if block.over:
            self.out.account.ignore(number)
            return True
        if value is not None and key not in block.values:
            block.values[key] = value
            block.told.append(number)
        else:
            block.other.append(number)
        return True

    def _blank(self, block: _Block, number: int) -> bool:
        """True when an empty line since the last one of this block has ended it."""
        if not block.line or not any(block.blank(line) for line in self._lines[block.seen : number - 1]):
            return False
        self._close(block)
        return True

    def hear(self, said: Said) -> None:
        hosts = said.speaker.hosts
        block = self._open.get(hosts)
        if block is not None and block.turn != said.speaker.turn:
            self._close(block)
            block = None
        self._last = block
        text = said.text
        if block is not None and self.field(said.number, text, said.closed):
            return
        block = self._open.get(hosts)
        if found := _GPU.match(text):
            if block is not None:
                self._close(block)
            self._last = self._open[hosts] = _Block(hosts, said.speaker.turn, found[1], said.number)
            return
        if found := _HEAD.match(text):
            self._head(said, found[1], found[2])
        elif _LOG.match(text):
            if block is not None:
                self._close(block)
            self._open.pop(hosts, None)
            self.out.account.ignore(said.number)
        elif not self.out.gave_up(said):
            self._fragment(said, block)

    def _head(self, said: Said, label: str, value: str) -> None:
        component = {"Driver Version": "driver", "CUDA Version": "cuda"}.get(label)
        version = told(value)
        if not said.closed:
            return
        if component and version:
            self.out.version(said.speaker.hosts, said.number, component, version)
            self.out.account.fact(said.number)
        else:
            self.out.account.ignore(said.number)

    def _fragment(self, said: Said, block: _Block | None) -> None:
        """A ``Fabric`` section with no GPU above it."""
        if said.text.rstrip() == "    Fabric" and (block is None or block.over):
            fresh = _Block(said.speaker.hosts, said.speaker.turn, "", 0)
            fresh.other.append(said.number)
            self._open[said.speaker.hosts] = self._last = fresh
            fresh.path, fresh.seen, fresh.line = ("Fabric",), said.number, 0

    def _close(self, block: _Block) -> None:
        """The block is whole: its row."""
        if block.over:
            return
        block.over = True
        row = TEXT.row(block.values, block.place)
        if not block.line:
            row = {k: row[k] for k in ("fabric_state", "fabric_status") if row.get(k)}
            if row:
                self.out.put(GPU_FACTS, block.hosts, block.other[0], row)
        else:
            self.out.gpu(block.hosts, block.line, row)
            self.out.account.fact(block.line)
        self.out.account.fact(*block.told)
        self.out.account.ignore(*block.other)

    def end(self) -> bool:
        """True when the capture ends inside a GPU's block. An empty line at the end is the block's end."""
        cut = False
        for block in self._open.values():
            if block.over:
                continue
            after = self._lines[block.seen :]
            told = bool(block.line) and block.seen > block.line and (len(after) > 1 or self._ends)
            over = bool(after) and ((told and block.blank(after[0])) or command(after[0]) is not None)
            if over or (not block.line and "Fabric/Status" in block.values):
                self._close(block)
            else:
                cut = True
        return cut


class _Block:
    """A GPU that is being told: values by path, its lines."""

    __slots__ = ("hosts", "line", "other", "over", "path", "place", "seen", "told", "turn", "values")

    def __init__(self, hosts: tuple[str | None, ...], turn: int, place: str, line: int) -> None:
        self.hosts, self.turn, self.place, self.line, self.seen = hosts, turn, place, line, line
        self.path: tuple[str, ...] = ()
        self.values: dict[str, str] = {}
        self.told: list[int] = []
        self.other: list[int] = []
        self.over = False

    def blank(self, line: bytes) -> bool:
        """True for an empty line of whoever tells this block; pdsh puts the host before it."""
        text = line.strip()
        return not text or (self.hosts[0] is not None and text == f"{self.hosts[0]}:".encode())
