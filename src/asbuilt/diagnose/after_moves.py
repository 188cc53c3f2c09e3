"""What discovery will see when the moves are done: the measured facts with the moved cables in their new ports.

Nothing of the plan is copied into the prediction but what the moves bring about: every other cable stays as it was measured,
right or not. A device keeps its GUID, its name and its LID; a cable that trained at what its two wrong ports allow is
taken to train at the planned rate in the right ones, any other keeps the width and speed that it was measured with.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from asbuilt.diagnose.links import OK, Compared
from asbuilt.diagnose.moves import PLUG, REMOVE, Step
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, MADE_GUID
from asbuilt.model.link_speeds import LANE_GBPS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

_LANES = (4, 2, 1, 8, 12)  # widths of IBTA Architecture Specification vol. 1, the commonest first


@dataclass(frozen=True, slots=True)
class After:
    """``devices`` and ``links``: frames of `DEVICE_FACTS` and `LINK_FACTS` after the moves. ``made``: names of devices that
    no capture shows yet, so that their GUIDs are made up."""

    devices: pl.DataFrame
    links: pl.DataFrame
    made: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a cable as discovery names it; ``number`` is its device in the compare."""

    number: int
    guid: str
    port: int
    kind: str
    description: str
    capture: str
    speaks: bool  # has port lines of its own: a neighbour table has none of its far ends


def after_moves(plan: Plan, compared: Compared, steps: Sequence[Step]) -> After:
    """The facts behind ``compared`` after ``steps`` (of `causes.diagnose`), all ends taken out before the first goes in."""
    import polars as pl

    tables = compared.measured.facts.tables
    links = LINK_FACTS.conform(tables["link_facts"])
    known = tables.get("device_facts")
    devices = DEVICE_FACTS.conform(known) if known is not None else DEVICE_FACTS.empty()
    if not steps:
        return After(devices, links, ())
    book = _Ends(compared, devices, links)
    gone: set[tuple[str, int]] = set()
    cables: list[tuple[_End, _End, tuple[int | None, str | None]]] = []
    words = _Words(plan, compared)
    for step in steps:
        if step.kind != PLUG:
            gone |= {(e.guid, e.port) for e in (book.end(step.keep), book.end(step.take))}
        if step.kind != REMOVE:
            cables.append((book.end(step.keep), book.end(step.put), words.of(step)))
    ends = pl.DataFrame(sorted(gone), schema={"guid": pl.String, "port": pl.Int64}, orient="row")
    peers = ends.rename({"guid": "peer_guid", "port": "peer_port"})
    kept = links.join(ends, on=["guid", "port"], how="anti").join(peers, on=["peer_guid", "peer_port"], how="anti")
    new = [row for cable in cables for row in book.rows(*cable)]
    after = pl.concat([kept, LINK_FACTS.conform(pl.DataFrame(new, schema=LINK_FACTS.polars()))]) if new else kept
    devices = pl.concat([devices, book.made_devices()])
    lit = pl.concat([after["guid"], after["peer_guid"]]).unique()
    dark = pl.concat([links["guid"], links["peer_guid"]]).unique()
    # A device that lost its last cable answers no more; one that never showed a cable is left as it is.
    devices = devices.filter(pl.col("guid").is_in(lit.implode()) | ~pl.col("guid").is_in(dark.implode()))
    return After(devices.sort("guid"), after.sort("guid", "port"), tuple(sorted(end.description for end in book.made.values())))


class _Ends:
    """Port slots of the compare -> ends as discovery names them."""

    def __init__(self, compared: Compared, devices: pl.DataFrame, links: pl.DataFrame) -> None:
        self.compared, self.devices, self.links = compared, devices, links
        self.made: dict[str, _End] = {}
        self._seen_in: dict[str, str] = {}
        self._end: dict[int, _End] = {}
        self._first: dict[int, int] | None = None
        self._speaking: dict[str, str] | None = None
        self._own: dict[tuple[str, int], tuple[str | None, int | None]] | None = None

    def end(self, slot: int) -> _End:
        """The end at a slot: as the cable in it is measured; of an empty port, by its device and number."""
        if slot not in self._end:
            self._end[slot] = self._measured(slot) or self._empty(slot)
        return self._end[slot]

    def _measured(self, slot: int) -> _End | None:
        compared, measured = self.compared, self.compared.measured
        row = int(compared.evidence[slot])
        if row < 0:
            return None
        number = int(compared.slots.device[slot])
        own, far = int(compared.number[measured.own[row]]), int(compared.number[measured.far[row]])
        port = int(compared.slots.port(np.array([slot]))[0])
        # A cable between two ports of one device: the number of the port says which of them the slot is.
        is_own = own == number and (far != number or int(measured.port[row]) == port)
        side = measured.own[row] if is_own else measured.far[row]
        said = int(measured.port[row] if is_own else measured.far_port[row])
        return self._of(number, int(side), said)

    def _of(self, number: int, device: int, port: int) -> _End:
        guid, kind, description = self.compared.measured.devices.select("guid", "kind", "description").row(device)
        guid = str(guid).partition("/")[0]  # nameless peers are told apart by a mark that no capture has
        capture = self._capture(guid)
        return _End(number, guid, port, str(kind), str(description), capture, guid in self._speakers())

    def _empty(self, slot: int) -> _End:
        number, port = int(self.compared.slots.device[slot]), int(self.compared.slots.port(np.array([slot]))[0])
        if self._first is None:
            self._first = {}
            for i, n in enumerate(self.compared.number.tolist()):
                self._first.setdefault(n, i)
        if number in self._first:
            return self._of(number, self._first[number], port)
        key, name, is_switch = self.compared.names.select("key", "name", "is_switch").row(number)
        if key not in self.made:
            guid = MADE_GUID + hashlib.blake2b(str(key).encode(), digest_size=7).hexdigest()
            self.made[key] = _End(number, guid, port, "switch" if is_switch else "ca", str(name), "", True)
        return replace(self.made[key], port=port)

    def _speakers(self) -> dict[str, str]:
        """GUID of each device with lines of its own -> their capture."""
        if self._speaking is None:
            self._speaking = dict(self.links.unique("guid", keep="first").select("guid", "capture_id").rows())
        return self._speaking

    def _capture(self, guid: str) -> str:
        """The capture that has a device's own lines, else the first that tells of it."""
        if guid in self._speakers():
            return self._speakers()[guid]
        rows = self.devices.filter(self.devices["guid"] == guid)
        return str(rows["capture_id"][0]) if rows.height else ""

    def _card(self, end: _End) -> tuple[str | None, int | None]:
        """Port GUID and LID of a NIC port, as a line of its own or its switch's line gives them."""
        if self._own is None:
            hosts = self.links.filter(self.links["peer_kind"] != "switch").select("peer_guid", "peer_port", "port_guid")
            own = self.links.select("guid", "port", "port_guid", "lid")
            self._own = {(g, p): (pg, None) for g, p, pg in hosts.rows()} | {(g, p): (pg, lid) for g, p, pg, lid in own.rows()}
        return self._own.get((end.guid, end.port), (end.guid, None))  # a card that nobody has seen yet

    def rows(self, one: _End, two: _End, words: tuple[int | None, str | None]) -> list[dict[str, Any]]:
        """The port lines of a cable: one for each end that speaks for itself."""
        found = []
        for own, far in ((one, two), (two, one)):
            if not own.capture:
                self._seen_in.setdefault(own.guid, far.capture)
        for own, far in ((one, two), (two, one)):
            if not own.speaks or (own.kind != "switch" and far.guid.startswith(MADE_GUID)):
                continue  # a neighbour table has lines of its switch alone
            card = self._card(own if own.kind != "switch" else far) if "switch" in (own.kind, far.kind) else (None, None)
            both = own.kind == far.kind == "switch"
            found.append(
                {
                    "guid": own.guid,
                    "port": own.port,
                    "peer_guid": far.guid,
                    "peer_port": far.port,
                    "peer_description": far.description,
                    "peer_kind": far.kind,
                    "port_guid": None if both else card[0],
                    "lid": card[1] if own.kind != "switch" else None,
                    "width": words[0],
                    "speed": words[1],
                    "capture_id": own.capture or far.capture,
                    "line": own.port,
                }
            )
        return found

    def made_devices(self) -> pl.DataFrame:
        """Rows of the devices that no capture shows."""
        import polars as pl

        last = max(self.devices["line"].to_list(), default=0)
        rows = [
            {
                "guid": end.guid,
                "system_guid": end.guid,
                "kind": end.kind,
                "description": end.description,
                "ports": max(1, end.port),
                "capture_id": self._seen_in.get(end.guid, ""),
                "line": last + n,
            }
            for n, end in enumerate(self.made.values(), start=1)
        ]
        return DEVICE_FACTS.conform(pl.DataFrame(rows)) if rows else DEVICE_FACTS.empty()


class _Words:
    """Width and speed that a cable will train at."""

    def __init__(self, plan: Plan, compared: Compared) -> None:
        self.compared = compared
        rates = plan.links["rate_gbps"].fill_null(np.nan).to_numpy()[compared.rows]
        self.rate = np.full(len(compared.slots), np.nan)
        self.rate[compared.a] = self.rate[compared.b] = rates
        self._alike: dict[float, tuple[int | None, str | None]] = {}

    def of(self, step: Step) -> tuple[int | None, str | None]:
        """(lanes, speed word) of the cable that ``step`` puts where the plan has it."""
        planned = float(self.rate[step.put])
        if step.kind == PLUG:
            return self._planned(planned)
        row = int(self.compared.evidence[step.keep])
        lanes, speed = self.compared.measured.said(np.array([row])).select("found_lanes", "found_speed").row(0)
        lane = LANE_GBPS.get(speed) if speed else None
        allowed = np.nanmin([self.rate[step.keep], self.rate[step.take], np.inf])
        if lanes is None or lane is None or np.isnan(planned) or lane * lanes != allowed:
            return lanes, speed
        return self._planned(planned)

    def _planned(self, rate: float) -> tuple[int | None, str | None]:
        """What a right link of that planned rate is measured at; without one, the words whose rate it is."""
        if np.isnan(rate):
            return None, None
        if rate not in self._alike:
            compared = self.compared
            right = compared.a[(compared.status == OK) & (self.rate[compared.a] == rate)][:1]
            said = compared.measured.said(compared.evidence[right]).select("found_lanes", "found_speed").rows()
            words = [(n, w) for n in _LANES for w, lane in LANE_GBPS.items() if lane * n == rate and w != "FDR10"]
            good = [row for row in said if row[1] and LANE_GBPS.get(row[1], 0.0) * (row[0] or 0) == rate]
            self._alike[rate] = (good or words or [(None, None)])[0]
        return self._alike[rate]
