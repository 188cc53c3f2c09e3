"""What hosts say of their own cards (ibstat and its like), held against what the fabric calls those cards.

The name of a port on the fabric is text that its host once wrote into the card. The host itself says which GUID it carries:
where the two differ, names are crossed, not cables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterable

import numpy as np

from asbuilt.diagnose.moves import Tangle
from asbuilt.diagnose.view import View

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Said:
    """A host's word on a card: ``other`` when host and fabric call it by different names; the capture line, and the words."""

    other: bool
    line: str
    text: str


class HostNames:
    """Cards by GUID, as their hosts know them; read when first asked."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._by_guid: dict[str, tuple[str, str, str]] | None = None
        self._guid_of: dict[int, str] = {}

    def crossed(self, tangles: Iterable[Tangle]) -> Said | None:
        """What hosts say about the cards in ``tangles``. None when no host was asked, or their answers go both ways.

        A card whose host calls it by a name that no card in ``tangles`` has says nothing: it may only be renamed.
        """
        if not self._cards():
            return None
        slots = self.view.compared.slots
        devices = sorted({int(slots.device[s]) for t in tangles for s in t.slots if not self.view.on_switch(s)})
        called = {word: device for device in devices for word in self._words(device)}
        told = [said for device in devices for said in [self._of(device, called)] if said is not None]
        if not told or len({said.other for said in told}) > 1:
            return None
        return told[0]

    def _words(self, device: int) -> list[tuple[str, str]]:
        """(host, card) as a planned card may be called: by the node's key, or by its name."""
        node, _, nic = str(self.view.compared.names["key"][device]).rpartition("/")
        name = str(self.view.compared.names["name"][device])
        return [(node.lower(), nic), (name.removesuffix(f" {nic}").lower(), nic)]

    def _of(self, device: int, called: dict[tuple[str, str], int]) -> Said | None:
        guid = self._guid_of.get(device, "")
        known = self._cards().get(guid)
        if known is None:
            return None
        host, card, line = known
        words = ((host.lower(), card), (host.partition(".")[0].lower(), card))
        mine = next((called[word] for word in words if word in called), None)
        if mine is None:
            return None
        name = str(self.view.compared.names["name"][device])
        return Said(mine != device, line, f"{host} has GUID {guid} as {card}, which the fabric calls {name}")

    def _cards(self) -> dict[str, tuple[str, str, str]]:
        """GUID -> (host, device, capture line); GUIDs that two hosts claim are left out."""
        if self._by_guid is None:
            self._by_guid = {}
            compared = self.view.compared
            facts = compared.measured.facts
            if facts.discovered is None and facts.has("hca_facts"):
                self._by_guid = _once(facts.tables["hca_facts"])
            if self._by_guid:
                guids = compared.measured.devices["guid"].to_list()
                number = compared.number
                count = np.bincount(number, minlength=int(number.max()) + 1)
                self._guid_of = {int(n): guids[i] for i, n in enumerate(number.tolist()) if count[n] == 1}
        return self._by_guid


def _once(cards: pl.DataFrame) -> dict[str, tuple[str, str, str]]:
    """GUID -> (host, device, capture line) of the cards that one host alone claims, under one name."""
    import polars as pl

    known = cards.filter(pl.all_horizontal(pl.col("node_guid", "host", "device").is_not_null()))
    one = known.group_by("node_guid", maintain_order=True).agg(
        pl.struct("host", "device").n_unique().alias("claims"), pl.col("host", "device", "capture_id", "line").first()
    )
    rows = one.filter(pl.col("claims") == 1).select("node_guid", "host", "device", pl.format("{}:{}", "capture_id", "line"))
    return {guid: (host, device, line) for guid, host, device, line in rows.rows()}
