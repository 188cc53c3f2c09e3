"""Texts with marks for what differs from node to node: rendered once per kind of node, filled per node.

A mark is ``\\x01key\\x02``. A text without marks is the same bytes object for every node. What a node is called and which
serials, UUIDs and GUIDs it has is made from its natural key (and the seed) by a hash: equal arguments give equal values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from asbuilt.rehearse.node_board import Board

_MARK = re.compile("\x01([^\x02]*)\x02")


def mark(key: str) -> str:
    """The place of a value that differs from node to node."""
    return f"\x01{key}\x02"


class Template:
    """One text with its marks, ready to be filled many times."""

    __slots__ = ("_keys", "_pieces", "_whole")

    def __init__(self, text: str) -> None:
        parts = _MARK.split(text)
        self._keys = parts[1::2]
        self._pieces = parts
        self._whole = text.encode() if not self._keys else None

    @property
    def same(self) -> bool:
        """True when every node's text is the same bytes object."""
        return self._whole is not None

    def fill(self, values: Mapping[str, str]) -> bytes:
        """The text of one node. Raises ``KeyError`` for a mark that has no value."""
        if self._whole is not None:
            return self._whole
        parts = self._pieces.copy()
        parts[1::2] = [values[key] for key in self._keys]
        return "".join(parts).encode()


def _digest(seed: int, *words: str) -> str:
    return blake2b("/".join((str(seed), *words)).encode(), digest_size=32).hexdigest()


def _uuid(text: str) -> str:
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"


def colons(guid: str) -> str:
    """``0202c90300a1b2c3`` as sysfs prints it: ``0202:c903:00a1:b2c3``."""
    return f"{guid[:4]}:{guid[4:8]}:{guid[8:12]}:{guid[12:]}"


def mac_of(guid: str) -> str:
    """A locally administered 48-bit address of a card with this GUID, twelve hex digits."""
    return "02" + guid[4:14]


def values_of(
    node: str, name: str, unit: int, board: Board, guids: Mapping[str, tuple[str, str, int]], seed: int = 0
) -> dict[str, str]:
    """What one node fills into the marks.

    ``unit`` is the number of the NVLink domain; ``guids``: device -> (node GUID, port GUID, LID), 16 hex digits each.
    """
    one = _digest(seed, node)
    two = _digest(seed, node, "machine")
    made = {
        "name": name,
        "serial": str(int(one[:13], 16))[:13].zfill(13),
        "uuid": _uuid(two),
        "board": f"M{int(one[13:24], 16):013d}"[:14],
        "chassis": f"C{int(one[24:35], 16):013d}"[:14],
        "machine": _digest(seed, node, "id")[:32],
        "boot": _uuid(_digest(seed, node, "boot")),
        "bmc": ":".join(("02", *(two[i : i + 2] for i in range(40, 50, 2)))),
        "network": f"10.{unit // 256 % 256}.{unit % 256}",
        "cluster": _uuid(_digest(seed, "domain", str(unit))),
    }
    for gpu in board.gpus:
        text = _digest(seed, node, "gpu", str(gpu.slot))
        made[f"gpu{gpu.slot}"] = f"GPU-{_uuid(text)}"
        made[f"gpuserial{gpu.slot}"] = f"165{int(text[32:42], 16) % 10**10:010d}"
    cards = {n.card: guids[n.device][0] for n in reversed(board.nics)}
    for nic in board.nics:
        own, port, lid = guids[nic.device]
        made |= {
            f"guid:{nic.device}": own,
            f"port:{nic.device}": port,
            f"image:{nic.device}": cards[nic.card],
            f"guidc:{nic.device}": colons(own),
            f"imagec:{nic.device}": colons(cards[nic.card]),
            f"portc:{nic.device}": colons(port),
            f"mac:{nic.device}": mac_of(own),
            f"lid:{nic.device}": str(lid),
            f"lidx:{nic.device}": f"0x{lid:x}",
        }
    return made | _varied(seed, node, board) | _dimm_serials(seed, node, (d.locator for d in board.dimms if d.gib))


def _varied(seed: int, node: str, board: Board) -> dict[str, str]:
    """What differs between equal machines of which nothing is wrong: counters, times, free memory, temperatures."""
    drawn = int(_digest(seed, node, "varied"), 16)
    made = {
        "uptime": f"{80000 + drawn % 9999}.52 19200000.10",
        "hour": f"{drawn % 20:02d}",
        "inlet": f"{21 + drawn % 6}.000",
    }
    made |= {f"count:{i}": f"{1000 + (drawn >> 8 * i) % 900000:>10}" for i in range(8)}
    made |= {f"free:{n.number}": str(int(n.memory_mib * (0.9 + drawn % 90 / 1000))) for n in board.numa}
    made |= {f"temp:{g.slot}": str(27 + (drawn >> 4 * g.slot) % 9) for g in board.gpus}
    return made | {f"card:{n.address}": f"{(drawn >> n.card) % 10**10:010d}" for n in board.nics}


def _dimm_serials(seed: int, node: str, locators: Iterable[str]) -> dict[str, str]:
    text = ""
    made = {}
    for index, locator in enumerate(locators):
        if not index % 8:
            text = _digest(seed, node, "dimm", str(index)).upper()
        made[f"dimm:{locator}"] = text[index % 8 * 8 : index % 8 * 8 + 8]
    return made
