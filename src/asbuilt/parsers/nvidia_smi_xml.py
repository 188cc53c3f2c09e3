"""``nvidia-smi -q -x``: the full report of every GPU as XML (``nvsmi_device`` v10 to v13).

A GPU's row stands when its element is closed. MIG devices are elements of their own with the labels of a GPU: their paths
differ, so they are no GPUs. A document type that declares entities is not ours and is left unread.
"""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from asbuilt.model.facts import Facts
from asbuilt.parsers.gpu_words import FAILED, Gathered, told
from asbuilt.parsers.host_lines import (
    Account,
    Listener,
    Speaker,
    as_utf8,
    host_of_subject,
    plain_text,
    prompted,
    split_lines,
)
from asbuilt.parsers.nvidia_smi_q_fields import XML

TOOL = "nvidia-smi-xml"
_OPEN = re.compile(rb"<\?xml|<!DOCTYPE nvidia_smi_log|<nvidia_smi_log")
_END = b"</nvidia_smi_log>"
_HEAD = {"driver_version": "driver", "cuda_version": "cuda"}
_OWN = re.compile(FAILED.pattern, re.I)
_DEEPEST = 64


def sniff(data: bytes) -> bool:
    """True for a text with the root element of the log."""
    return b"<nvidia_smi_log" in data[: 1 << 14]


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``gpu_facts``, identities and versions of every GPU whose element is closed. Never raises."""
    text = as_utf8(data)
    opened = _OPEN.search(text)
    start = opened.start() if opened else len(text)
    stop = text.find(_END, start)
    stop = len(text) if stop < 0 else stop + len(_END)
    before, body = text[:start], text[start:stop]
    listener = Listener(text if opened is None else before, subject, _OWN)
    out = Gathered(Account(split_lines(text)))
    speaker = Speaker((host_of_subject(subject)[0],), (), None, 0)
    told = list(listener)
    for number in range(len(listener.lines)):
        out.account.classes[number] = listener.account.classes[number]
    for said in told:
        out.gave_up(said)
    for line in listener.lines:
        speaker = prompted(plain_text(line), speaker, speaker.hosts[0]) or speaker
    if body and b"<nvidia_smi_log" in body:
        if text[stop:].strip():
            out.note("what stands behind the end of the document is unread")
        _Document(out, speaker.hosts, before.count(b"\n"), body).read()
    return out.facts(capture_id, TOOL)


class _ForeignError(Exception):
    """The document is none of the tool's."""


class _Document:
    """One log element, read as a stream."""

    def __init__(self, out: Gathered, hosts: tuple[str | None, ...], skipped: int, body: bytes) -> None:
        self.out, self.hosts, self.skipped, self.body = out, hosts, skipped, body
        self._path: list[str] = []
        self._text: list[str] = []
        self._values: dict[str, str] = {}
        self._told: list[int] = []
        self._gpu: tuple[str, int] | None = None
        self._done = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = self._foreign

    def read(self) -> None:
        """Read up to the end or to the first fault; lines up to the last closed GPU are accounted for."""
        account = self.out.account
        try:
            self._parser.Parse(self.body, True)
            self._done = self._line()
        except (expat.ExpatError, _ForeignError, ValueError, LookupError):
            self.out.note("the document is cut or broken: what follows the last whole GPU is unread")
        for number in range(self.skipped + 1, min(self._done, len(account.lines)) + 1):
            account.ignore(number)
        account.fact(*(n for n in self._told if n <= self._done))

    def _line(self) -> int:
        return self.skipped + self._parser.CurrentLineNumber

    def _foreign(self, *_: Any) -> None:
        raise _ForeignError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) >= _DEEPEST:
            raise _ForeignError
        self._path.append(name)
        self._text.clear()
        if self._path == ["nvidia_smi_log", "gpu"]:
            self._gpu, self._values = (attributes.get("id", ""), self._line()), {}
            self._told.append(self._line())

    def _end(self, name: str) -> None:
        value = "".join(self._text).strip()
        self._text.clear()
        if len(self._path) == 2 and name in _HEAD and self._path[0] == "nvidia_smi_log" and (version := told(value)):
            self.out.version(self.hosts, self._line(), _HEAD[name], version)
            self._told.append(self._line())
            self._done = self._line()
        elif self._path == ["nvidia_smi_log", "gpu"] and self._gpu:
            self.out.gpu(self.hosts, self._gpu[1], XML.row(self._values, self._gpu[0]))
            self._done = self._line()
            self._gpu = None
        elif self._gpu and value:
            path = "/".join(self._path[2:])
            if path in XML.known and path not in self._values:
                self._values[path] = value
                self._told.append(self._line())
        self._path.pop()
