"""Hours and money of one piece of each act. What nobody states is assumed (hours) or unknown (money)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from asbuilt.model.requirement_field import spec

_MOST = 1_000_000


def _piece(meaning: str) -> float | None:
    made: float | None = spec(meaning, unit="h or money a piece", least=0, most=_MOST)
    return made


@dataclass(frozen=True, slots=True)
class Pieces:
    """One number for each kind of act. None: not stated."""

    feed_raise: float | None = _piece("a feed of the site made larger")
    busway_replace: float | None = _piece("a busway replaced")
    busway_extend: float | None = _piece("a busway made longer")
    circuit_rework: float | None = _piece("a circuit changed or taken out: breaker, tap-off or whip")
    circuit_add: float | None = _piece("a further circuit to a rack that stands")
    pdu_swap: float | None = _piece("a PDU changed or taken out")
    shelf_refeed: float | None = _piece("a power shelf put on another feed")
    cord_move: float | None = _piece("a power cord moved to another outlet, or taken out")
    loop_drain: float | None = _piece("a loop drained, and filled and vented again")
    header_replace: float | None = _piece("a header segment replaced")
    header_extend: float | None = _piece("a branch added to a header")
    cdu_add: float | None = _piece("CDUs added to a row in use")
    cdu_move: float | None = _piece("a CDU moved or changed")
    rack_move: float | None = _piece("a rack emptied and taken from its position")
    node_move: float | None = _piece("a node moved")
    switch_move: float | None = _piece("a switch moved")
    panel_move: float | None = _piece("a panel moved or taken out")
    tray_widen: float | None = _piece("a tray segment widened, drilled again where it hangs")
    cable_remove: float | None = _piece("a cable pulled out for good")
    cable_repull: float | None = _piece("a cable pulled out and another pulled in")
    trunk_repull: float | None = _piece("a trunk pulled anew")
    cable_replug: float | None = _piece("one or both ends of a cable plugged elsewhere, cleaned, inspected, labelled")
    lid_change: float | None = _piece("an end port that gets another LID")
    sm_move: float | None = _piece("a subnet manager moved to another host or port")
    pool_change: float | None = _piece("a network that gets another range")
    address_change: float | None = _piece("an interface set anew")


#: Hours of one piece, one crew. No public source gives them: the project's own estimate, to be written over.
ASSUMED_HOURS = Pieces(
    busway_replace=16,
    busway_extend=8,
    circuit_rework=2,
    circuit_add=3,
    pdu_swap=2,
    shelf_refeed=1,
    cord_move=0.1,
    loop_drain=8,
    header_replace=3,
    header_extend=4,
    cdu_add=24,
    cdu_move=16,
    rack_move=6,
    node_move=2,
    switch_move=1.5,
    panel_move=1,
    tray_widen=2,
    cable_remove=0.2,
    cable_repull=0.6,
    trunk_repull=1.5,
    cable_replug=0.25,
    lid_change=0.001,
    sm_move=1,
    pool_change=0.5,
    address_change=0.005,
)


@dataclass(frozen=True, slots=True)
class Rates:
    """What a file of rates says: crews that work side by side, hours and money of one piece of each act."""

    crews: int | None = spec("crews that work side by side", least=1, most=1000)
    currency: str | None = spec("currency of the money", longest=12, pattern=r"^[A-Za-z€$£¥]{1,12}$")
    hours: Pieces = field(default_factory=Pieces, metadata={"meaning": "hours of one piece, one crew"})
    money: Pieces = field(default_factory=Pieces, metadata={"meaning": "money of one piece, all in"})

    def hours_of(self, kind: str) -> tuple[float | None, str]:
        """Hours of one piece of ``kind``, and where they are from: declared, assumed or unknown."""
        stated: float | None = getattr(self.hours, kind)
        if stated is not None:
            return stated, "declared"
        assumed: float | None = getattr(ASSUMED_HOURS, kind)
        return (assumed, "assumed") if assumed is not None else (None, "unknown")

    def money_of(self, kind: str) -> float | None:
        """Money of one piece of ``kind``; None: nobody stated it."""
        stated: float | None = getattr(self.money, kind)
        return stated


KINDS = tuple(f.name for f in fields(Pieces))
