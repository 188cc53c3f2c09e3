"""What a prompt line asked: the address and port that the output below it speaks of, where the output itself does not say.

``$ smpquery -G pkeys 0x0002c90300001234 1`` asks a port by the GUID of that port; ``-L`` (the default) by LID, ``-D`` by a
route that only the asking host can follow. Options of infiniband-diags are those of its ``ibdiag_common.c``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asbuilt.parsers.shapes import shape_text
from asbuilt.parsers.tools import command

_WORD = re.compile(r'"[^"]*"|\'[^\']*\'|\S+')
_VALUED = {"-C", "-P", "-t", "-s", "-y", "-z", "-o", "-n", "--Ca", "--Port", "--timeout", "--sm_port", "--m_key", "--config"}
_VALUED |= {"--node-name-map", "--outstanding_smps", "--smkey", "--slid", "--dlid", "--sgid", "--dgid", "--pkey", "--sl"}
_KINDS = {"-G": "guid", "--Guid": "guid", "-L": "lid", "--Lid": "lid", "-D": "route", "--Direct": "route", "-c": "route"}
_SUBJECT = re.compile(r"(?:guid:0x(?P<guid>[0-9a-fA-F]{1,16})|lid:(?P<lid>\d{1,5}))(?:/(?P<port>\d{1,3}))?")
#: What stands where behind each command's name.
POSITIONS = {
    "smpquery": ("operation", "address", "port"),
    "ibroute": ("address",),
    "sminfo": ("address",),
    "perfquery": ("address", "port"),
    "ibtracert": ("from", "to"),
}
_NOTHING = frozenset({"sudo", "time", "nohup", "ibsim-run"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One kind of command: what it was about, and which numbers of its line are GUID, LID and port (-1: none).

    Of a subject the numbers themselves are in ``guid``, ``lid`` and ``port`` (-1: not said).
    """

    tool: str = ""
    operation: str = ""
    guid: int = -1
    lid: int = -1
    port: int = -1


def asked_by(line: bytes) -> Asked | None:
    """What a prompt line asked, None for a line of output."""
    if b"$" not in line and b"#" not in line:
        return None
    said = command(line)
    if said is None:
        return None
    text = line.decode("utf-8", "replace")
    offset = text.rstrip().rfind(said)
    _, spans = shape_text(line)
    if offset < 0 or len(text) != len(line):  # places in bytes and in characters differ: the numbers can't be found
        return Asked(tool=_program(said.split()))
    words = [(w.start() + offset, w.end() + offset, w[0]) for w in _WORD.finditer(said)]
    while words and (words[0][2] in _NOTHING or re.match(r"[A-Z_]+=", words[0][2])):
        words.pop(0)
    tool = words[0][2].rsplit("/", 1)[-1] if words else ""
    numbers = {span: i for i, span in enumerate(spans)}
    return _arguments(tool, words[1:], numbers)


def _program(words: list[str]) -> str:
    return words[0].rsplit("/", 1)[-1] if words else ""


def _arguments(tool: str, words: list[tuple[int, int, str]], numbers: dict[tuple[int, int], int]) -> Asked:
    kind, skip = "lid", False
    plain = []
    for start, end, word in words:
        if skip:
            skip = False
        elif word in _KINDS:
            kind = _KINDS[word]
        elif word.startswith("-") and len(word) > 1:
            skip = word in _VALUED
        elif word in (">", ">>", "|", "2>&1", "2>/dev/null", ";", "&&"):
            break
        else:
            plain.append((start, end, word))
    said = dict(zip(POSITIONS.get(tool, ()), plain, strict=False))
    operation = said["operation"][2].lower() if "operation" in said else ""
    place = {role: numbers.get((start, end), -1) for role, (start, end, _) in said.items()}
    address = place.get("address", -1)
    return Asked(tool, operation, address if kind == "guid" else -1, address if kind == "lid" else -1, place.get("port", -1))


def subject_asked(subject: str) -> tuple[int, int, int]:
    """(GUID, LID, port) that a capture's subject names: ``guid:0x0002c9…/1``, ``lid:12/1``; 0, -1, -1 where it does not."""
    found = _SUBJECT.fullmatch(subject.strip())
    if found is None:
        return 0, -1, -1
    guid = int(found["guid"], 16) if found["guid"] else 0
    return guid, int(found["lid"]) if found["lid"] else -1, int(found["port"]) if found["port"] else -1
