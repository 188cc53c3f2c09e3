"""A discovery dump as numbers: what `DEVICE_FACTS` and `LINK_FACTS` say, before text is made of it.

A fabric of 131,072 GPUs prints 786,432 port lines. Compare needs their numbers only, so the tables with their text are made
when somebody looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

import numpy as np

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
KINDS = ("", "switch", "ca", "router", "aggregation")
SWITCH, CA, ROUTER, AGGREGATION = 1, 2, 3, 4
#: Speed words as ``mad_dump_linkspeed`` and its extended forms print them; 0 stands for "no speed word".
SPEEDS = ("", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR", "???")
#: Rows of `Discovered.devices`, of ``links`` and of ``ends``.
LINE, KIND, PORT_COUNT, VENDOR, MODEL, LID, OWN = range(7)
LINK_LINE, OWNER, PEER, LINK_LID = range(4)
PORT, PEER_PORT, PEER_KIND, WIDTH, SPEED = range(5)


@dataclass(frozen=True, slots=True, eq=False)
class Discovered:
    """One dump. -1 stands for a number that is not told, GUID 0 for none.

    ``text``: the dump, uint8. ``guids``: every node GUID, uint64, in the order of mention; ``own`` and ``peer`` count in it.
    ``devices`` (7, n) int64: line, kind (`KINDS`), number of ports, vendor, model, lid, own; ``systems`` their system GUIDs.
    ``links`` (4, m) int32: line, owner (row of the device whose port it is), peer, lid; ``ends`` (5, m) int16: port, peer port,
    peer kind, width, speed (`SPEEDS`); ``port_guids`` uint64.
    ``names`` (g, 2) int64: start and length in ``text`` of the first name printed with each GUID; ``odd`` (4, k) int64: 0 for a
    device or 1 for a link, its row, start and length, for every name that is not the first one of its GUID.
    """

    capture_id: str
    text: Array
    guids: Array
    devices: Array
    systems: Array
    links: Array
    ends: Array
    port_guids: Array
    names: Array
    odd: Array


class FactTables(Mapping[str, "pl.DataFrame"]):
    """Fact tables by name that are made on first access. ``rows`` says how many rows each has, ``make`` makes them all.

    ``discovered`` holds the same as numbers: whoever changes tables puts plain ones in place and so drops it.
    """

    __slots__ = ("_made", "_makers", "_rows", "discovered")

    def __init__(
        self, rows: Mapping[str, int], make: Callable[[], dict[str, pl.DataFrame]], discovered: Discovered | None = None
    ) -> None:
        self._rows, self.discovered = dict(rows), discovered
        self._makers: dict[str, Callable[[], dict[str, pl.DataFrame]]] = dict.fromkeys(self._rows, make)
        self._made: dict[str, pl.DataFrame] = {}

    @classmethod
    def one_by_one(cls, tables: Mapping[str, tuple[int, Callable[[], pl.DataFrame]]]) -> FactTables:
        """Tables of which each is made when it is looked at: name -> (rows, what makes it)."""
        found = cls({name: rows for name, (rows, _) in tables.items()}, dict)
        for name, (_, make) in tables.items():
            found._makers[name] = _named(name, make)
        return found

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._made and name in self._rows:
            self._made.update(self._makers[name]())
            for made in self._made:  # what they were made from may be large
                self._makers.pop(made, None)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def height(self, name: str) -> int:
        """Rows of a table, 0 for one that is not there; makes nothing."""
        return self._rows.get(name, 0)

    @property
    def made(self) -> bool:
        """True when a table has been looked at."""
        return bool(self._made)


def _named(name: str, make: Callable[[], pl.DataFrame]) -> Callable[[], dict[str, pl.DataFrame]]:
    return lambda: {name: make()}
