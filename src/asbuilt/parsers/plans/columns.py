"""Which column of a cable list says what: by the words of its header, or as the user says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from asbuilt.base.problem import Place, Problem, ProblemError

#: What a column may say. The first four are needed; without ports a list says who, not where.
FIELDS = (
    "a_device",
    "a_port",
    "b_device",
    "b_port",
    "a_kind",
    "b_kind",
    "a_rack",
    "b_rack",
    "a_slot",
    "b_slot",
    "rate",
    "plane",
)
NEEDED = FIELDS[:4]

# Header words in lower case without blanks, by field, most telling first. "source … port … destination … port" is read by
# position: a plain word belongs to the side whose device column stands before it.
_WORDS: dict[str, tuple[str, ...]] = {
    "a_device": ("startdevice", "sourcedevice", "source", "src", "srcdevice", "adevice", "devicea", "a端设备", "本端设备",
                 "localdevice", "local", "from", "fromdevice", "nodeid", "sidea", "sideadevice", "enda", "aend",
                 "hosta", "switch", "leaf", "origin"),
    "a_port": ("startport", "sourceport", "srcport", "aport", "porta", "ainterface", "interfacea", "a端接口", "a端端口",
               "本端端口", "localport", "localinterface", "fromport", "sideaport", "sourceinterface"),
    "b_device": ("enddevice", "destinationdevice", "destdevice", "destination", "dest", "dst", "bdevice", "deviceb", "z端设备",
                 "b端设备", "对端设备", "remotedevice", "remote", "to", "todevice", "peerid", "peer", "peerdevice", "sideb",
                 "sidebdevice", "endb", "bend", "zend", "zdevice", "hostb", "target", "neighbor", "neighbour"),
    "b_port": ("endport", "destinationport", "destport", "dstport", "bport", "portb", "binterface", "interfaceb", "z端接口",
               "z端端口", "b端接口", "b端端口", "对端端口", "remoteport", "remoteinterface", "toport", "peerport", "sidebport",
               "zport", "targetport", "destinationinterface"),
    "a_kind": ("nodetype", "arole", "atype", "sourcetype", "sourcerole"),
    "b_kind": ("peertype", "brole", "btype", "destinationtype", "destinationrole"),
    "a_rack": ("sourcerack", "startrack", "arack", "racka"),
    "b_rack": ("destinationrack", "endrack", "destrack", "brack", "rackb"),
    "rate": ("speed", "rate", "速率", "linkspeed", "speedgbps", "a端模块"),
    "plane": ("networktype", "network", "plane", "fabric", "网络平面"),
}  # fmt: skip
_SIDED = {"port": "port", "interface": "port", "端口": "port", "接口": "port", "rack": "rack", "rack#": "rack", "slot": "slot",
          "type": "kind", "role": "kind"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """Field -> column number (from 0), and the header row's own words."""

    at: dict[str, int] = field(default_factory=dict)
    header: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """True when both devices and both ports have a column."""
        return all(name in self.at for name in NEEDED)


def plain(text: object) -> str:
    """A header cell as a word: lower case, without blanks, signs and a leading ``#Fields:``."""
    word = str(text if text is not None else "").strip().lower()
    word = re.sub(r"^#?\s*fields\s*:", "", word).lstrip("#").strip()
    return re.sub(r"[\s_\-./()]+", "", word)


def guess(cells: tuple[object, ...]) -> Columns:
    """The columns of a header row, as far as its words tell."""
    words = [plain(c) for c in cells]
    at: dict[str, int] = {}
    for name, known in _WORDS.items():
        for word in known:
            if word in words:
                at.setdefault(name, words.index(word))
    for number, word in enumerate(words):
        part = _SIDED.get(word)
        if part and number not in at.values():
            name = f"{_side(number, at)}_{part}"
            at.setdefault(name, number)
    if len({at[n] for n in NEEDED if n in at}) < sum(n in at for n in NEEDED):
        at = {n: c for n, c in at.items() if n not in NEEDED}
    return Columns(at, tuple(str(c if c is not None else "") for c in cells))


def _side(number: int, at: dict[str, int]) -> str:
    """The side that a plain word such as "Port" belongs to: that of the nearest device column before it."""
    before = [(at[f"{s}_device"], s) for s in "ab" if f"{s}_device" in at and at[f"{s}_device"] < number]
    return max(before)[1] if before else "a"


def asked(wanted: dict[str, str], cells: tuple[object, ...], file: str, line: int) -> Columns:
    """The columns that the user named (field -> header text or 1-based number), the rest as guessed.

    Raises `ProblemError` PAR-003 for a field that does not exist or a header that is not in the row.
    """
    said = guess(cells)
    words = [plain(c) for c in cells]
    at = dict(said.at)
    problems = []
    for name, header in wanted.items():
        place = Place(file, line)
        if name not in FIELDS:
            problems.append(Problem("PAR-003", f"--columns {name}: no such field", place, fix=f"use {', '.join(FIELDS)}"))
        elif header.isdigit() and 1 <= int(header) <= len(cells):
            at[name] = int(header) - 1
        elif plain(header) in words:
            at[name] = words.index(plain(header))
        else:
            shown = ", ".join(repr(c) for c in said.header if c)
            problems.append(
                Problem("PAR-003", f"--columns {name}={header}: no such header", place, fix=f"the headers are {shown}")
            )
    if problems:
        raise ProblemError(problems)
    return Columns(at, said.header)


def parse_columns(text: str) -> dict[str, str]:
    """``a_device=Leaf,a_port=Leaf Port`` as a mapping. Raises `ProblemError` PAR-003 for anything else."""
    found: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, header = (x.strip() for x in part.partition("="))
        if not equals or not header:
            raise ProblemError(
                Problem("PAR-003", f"--columns {part!r} is not field=header", fix=f"fields: {', '.join(FIELDS)}")
            )
        found[name] = header
    return found
