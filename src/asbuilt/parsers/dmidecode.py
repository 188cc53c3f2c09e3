"""``dmidecode``, whole or of some types: memory sockets, names of the machine and its boards, BIOS and product.

Blocks of other types hold nothing that a fact table has. A memory socket is a row of its own only when its block is whole: a
blank line or another block follows, or it ends with the property with which an earlier one of its like ended. Of boards and
chassis the first one counts, as in ``/sys/class/dmi/id``. Sizes in GB are GiB (SMBIOS 3.6 section 7.18: units of 2^20 bytes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import DIMM_FACTS, IDENTITY_FACTS, VERSION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.sysfs import UNFILLED
from asbuilt.parsers.told_rows import Told

TOOL = "dmidecode"
_OWN = re.compile(r"^(?:\s+\S|# |Handle 0x|Getting SMBIOS|SMBIOS |[0-9A-Za-z][\w /&.,()<>+-]*$|/\S+: |Can't )")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:# dmidecode \d|Handle 0x[0-9A-F]{4}, DMI type \d+)", re.M)
_HANDLE = re.compile(r"^Handle 0x([0-9A-Fa-f]{1,8}), DMI type (\d{1,3})(?:, \d+ bytes\.?)?$")
_PROPERTY = re.compile(r"^\s+([^:\s][^:]{0,80}):(?:\s+(.*))?$")
#: What the tool says around the blocks.
_AROUND = re.compile(
    r"^(?:# dmidecode|# SMBIOS implementations newer|# fully supported|# No SMBIOS|Getting SMBIOS data|SMBIOS [\d.]+ present"
    r"|Table at 0x|\d+ structures occupying|Legacy DMI|DMI [\d.]+ present|Scanning /dev/mem|# SMBIOS|Reading SMBIOS)"
)
_BROKEN = re.compile(
    r"^(?:/\S+: (?:Permission denied|No such file|Operation not permitted|Bad address)|Can't read memory|mmap: "
    r"|Invalid entry length|DMI table is broken|Wrong DMI structures|# No SMBIOS nor DMI)",
    re.I,
)
_SIZE = re.compile(r"^(\d{1,9}(?:\.\d{1,3})?) (bytes|kB|KB|MB|GB|TB|MiB|GiB|TiB)$")
_GIB = {"bytes": 2.0**-30, "kB": 2.0**-20, "KB": 2.0**-20, "MB": 2.0**-10, "MiB": 2.0**-10, "GB": 1.0, "GiB": 1.0}
_GIB |= {"TB": 2.0**10, "TiB": 2.0**10}
_SPEED = re.compile(r"^(\d{1,6}) (?:MT/s|MHz)")
_EMPTY = re.compile(r"^(?:no module installed|not installed|0 (?:bytes|[kKMGT]B))$", re.I)
_BIOS, _SYSTEM, _BOARD, _CHASSIS, _MEMORY = 0, 1, 2, 3, 17
#: Kinds of blocks in which a property counts.
_READ = {_BIOS, _SYSTEM, _BOARD, _CHASSIS, _MEMORY}
#: Type of a block, its property -> identity.
_IDENTITIES = {
    (_SYSTEM, "Serial Number"): "system_serial",
    (_SYSTEM, "UUID"): "system_uuid",
    (_BOARD, "Serial Number"): "board_serial",
    (_CHASSIS, "Serial Number"): "chassis_serial",
}
_VERSIONS = {(_BIOS, "Version"): "bios", (_SYSTEM, "Product Name"): "product"}
_COLUMNS = {
    "Size", "Type", "Locator", "Bank Locator", "Speed", "Configured Memory Speed", "Configured Clock Speed", "Manufacturer",
    "Serial Number", "Part Number", "Array Handle",
}  # fmt: skip


@dataclass(slots=True)
class _Block:
    """A block as far as it is read; ``last`` is the line and the name of its last property."""

    kind: int
    head: Said
    titled: bool = False
    properties: dict[str, tuple[str, int]] = field(default_factory=dict)
    last: tuple[int, str] = (0, "")
    first: bool = True
    cut: bool = False


@dataclass(slots=True)
class _Dump:
    """What one machine's dump has said so far: its open block, types seen, ends of its sockets."""

    block: _Block | None = None
    seen: set[int] = field(default_factory=set)
    ends: set[tuple[bool, str]] = field(default_factory=set)


def sniff(data: bytes) -> bool:
    """True for a text with the tool's first line or the head of a block."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``dimm_facts``, ``identity_facts`` and ``version_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    dumps: dict[tuple[tuple[str | None, ...], int], _Dump] = {}
    speaker, dump = None, _Dump()
    for said in told:
        if said.speaker is not speaker:
            speaker = said.speaker
            dump = dumps.setdefault((speaker.hosts, speaker.turn), _Dump())
        _hear(told, dump, said)
    for dump in dumps.values():
        if dump.block is not None and dump.block.kind == _MEMORY:
            whole = _followed(told, dump.block) or _ends_as_others(dump)
            _socket(told, dump, whole and not dump.block.cut)
    return told.facts()


def _hear(told: Told, dump: _Dump, said: Said) -> None:
    text = said.text
    if text[0].isspace():
        if dump.block is not None:
            _property(told, dump.block, said)
        return
    head = _HANDLE.match(text)
    if head is not None and said.closed:
        if dump.block is not None and dump.block.kind == _MEMORY:
            _socket(told, dump, True)
        kind = int(head[2])
        dump.block = _Block(kind, said, first=kind not in dump.seen)
        dump.seen.add(kind)
        told.ignore(said)
        return
    if text.startswith("# dmidecode") and said.closed:
        if dump.block is not None and dump.block.kind == _MEMORY:
            _socket(told, dump, True)
        dump.block = None
        dump.seen = set()
        told.ignore(said)
        return
    if _AROUND.match(text) or _BROKEN.match(text):
        told.ignore(said)
        if _BROKEN.match(text):
            told.note("dmidecode could not read the whole table")
        return
    if dump.block is not None and not dump.block.titled and said.closed:
        dump.block.titled = True
        told.ignore(said)


def _property(told: Told, block: _Block, said: Said) -> None:
    """A property of the block, or what stands below one."""
    if block.kind not in _READ and said.closed:
        told.ignore(said)
        return
    found = _named(said.text)
    if found is None:
        block.cut = block.cut or not said.closed
        if said.closed:
            told.ignore(said)
        return
    name, value = found
    if not said.closed and ((block.kind == _MEMORY and name in _COLUMNS) or (block.kind, name) in _IDENTITIES | _VERSIONS):
        block.cut = True
        return
    first = name not in block.properties
    block.properties.setdefault(name, (value, said.number))
    block.last = (said.number, name)
    told.ignore(said)
    if not block.first or not first:
        return
    at = (block.kind, name)
    if at in _IDENTITIES and not UNFILLED.match(value):
        identity = _IDENTITIES[at]
        told.add(IDENTITY_FACTS, said, {"kind": identity, "value": value.lower() if identity == "system_uuid" else value})
    elif at in _VERSIONS and not UNFILLED.match(value):
        told.add(VERSION_FACTS, said, {"component": _VERSIONS[at], "version": value})


@lru_cache(maxsize=1 << 13)
def _named(text: str) -> tuple[str, str] | None:
    """Name and value of a property; None for another line. Sockets and machines of a kind print the same few hundred."""
    found = _PROPERTY.match(text)
    return (found[1].strip(), (found[2] or "").strip()) if found else None


def _followed(told: Told, block: _Block) -> bool:
    """A blank line of the same host stands behind the block."""
    host = block.head.speaker.hosts[0] if block.head.speaker.hosts else None
    blank = (b"", f"{host}:".encode()) if host else (b"",)
    lines = told.listener.lines if told.listener.ends else told.listener.lines[:-1]
    return any(line.strip() in blank for line in lines[block.last[0] : block.last[0] + 4096])


def _is_empty(block: _Block) -> bool:
    return bool(_EMPTY.match(block.properties.get("Size", ("", 0))[0]))


def _ends_as_others(dump: _Dump) -> bool:
    return dump.block is not None and (_is_empty(dump.block), dump.block.last[1]) in dump.ends


def _socket(told: Told, dump: _Dump, whole: bool) -> None:
    """A row for the memory socket of the open block; memory that is no main memory (flash) gives none."""
    block = dump.block
    assert block is not None
    told_of = {name: value for name, (value, _) in block.properties.items()}
    lines = [line for name, (_, line) in block.properties.items() if name in _COLUMNS]
    if not whole:
        for line in lines:
            told.account.unread(line, "the block of this memory socket is cut")
        return
    if not block.titled or told_of.get("Type", "").upper() == "FLASH" or not (locator := _word(told_of.get("Locator", ""))):
        return
    dump.ends.add((_is_empty(block), block.last[1]))
    size = _SIZE.match(told_of.get("Size", ""))
    gib = 0.0 if _is_empty(block) else float(size[1]) * _GIB[size[2]] if size else None
    row = {
        "locator": locator,
        "bank": _word(told_of.get("Bank Locator", "")),
        "size_gib": gib,
        "kind": _word(told_of.get("Type", "")) if gib != 0 else None,
        "speed_mts": _speed(told_of.get("Speed", "")),
        "configured_mts": _speed(told_of.get("Configured Memory Speed", told_of.get("Configured Clock Speed", ""))),
        **{
            column: _word(told_of.get(name, "")) if gib != 0 else None
            for column, name in (("maker", "Manufacturer"), ("part", "Part Number"), ("serial", "Serial Number"))
        },
    }
    told.add(DIMM_FACTS, block.head, row, *lines)


@lru_cache(maxsize=1 << 12)
def _word(value: str) -> str | None:
    word = " ".join(value.split())
    return None if UNFILLED.match(word) or word.lower() in ("not available", "undefined", "<out of spec>") else word


@lru_cache(maxsize=1 << 10)
def _speed(value: str) -> float | None:
    found = _SPEED.match(value)
    return float(found[1]) if found else None
