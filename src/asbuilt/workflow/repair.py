"""The moves of a verification carried out on the twin, word for word, as a crew would read them.

A move names physical places ("LEAF-01 port 17 (9/1)", "node0003 mlx5_2"); here they are looked up again, so that a move
that nobody could carry out shows up as one.
"""

from __future__ import annotations

import re
from typing import Sequence

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Move
from asbuilt.rehearse.built import Built, End, place_ends

_SWITCH_PORT = re.compile(r"^(?P<name>.+) port (?P<port>\d+)(?: \([^()]*\))?$")
_BETWEEN = " – "


class MoveError(ValueError):
    """A move that cannot be carried out as it is written: what it says, and what is wrong with it."""


def apply_moves(plan: Plan, built: Built, moves: Sequence[Move]) -> Built:
    """``built`` after all moves: first every named end comes out, then each goes where its move says.

    A cable that nobody could see (its other end is at a switch without power) may sit in the port that an end is moved to:
    it is taken out and left hanging, for the next capture to show. Raises `MoveError` for a place that the plan does not
    have, an end that is not there, or two ends that are sent to one port.
    """
    import polars as pl

    book = _Book(plan)
    ends: dict[tuple[str, str], End] = {}
    gone: list[str] = []
    new: list[dict[str, object]] = []
    for move in moves:
        if not move.take:
            new.append(book.cable(move))
            continue
        cable, side = book.holding(built, move)
        if move.put:
            device, port, nic = book.place(move.put)
            ends[cable, side] = End(cable, side, device, port, nic)
        else:
            gone.append(cable)
    kept = built.with_cables(built.cables.filter(~pl.col("cable").is_in(gone)))
    after = place_ends(_cleared(kept, ends), ends)
    if new:
        added = pl.DataFrame(new, schema=after.cables.schema)
        left = after.cables.filter(~pl.col("cable").is_in(added["cable"].implode()))
        after = after.with_cables(pl.concat([left, added]))
    _free(after)
    return after


def _cleared(built: Built, ends: dict[tuple[str, str], End]) -> Built:
    """``built`` without the cables that sit, unmoved, where an end is about to go."""
    import polars as pl

    goals = [f"{e.device}/{e.nic if e.nic is not None else e.port}" for e in ends.values()]
    away = pl.lit(False)
    for side in "ab":
        moving = [cable for cable, s in ends if s == side]
        port = pl.coalesce(pl.col(f"{side}_nic"), pl.col(f"{side}_port").cast(pl.String))
        at = pl.concat_str([pl.col(f"{side}_device"), port], separator="/")
        away = away | (at.is_in(goals) & ~pl.col("cable").is_in(moving))
    return built.with_cables(built.cables.filter(~away))


def _free(built: Built) -> None:
    """Raise `MoveError` when two cables sit in one port."""
    import polars as pl

    columns = [[f"{s}_device", f"{s}_nic", f"{s}_port"] for s in "ab"]
    at = [pl.concat_str(names, separator="/", ignore_nulls=True).alias("at") for names in columns]
    ends = pl.concat([built.cables.select(column) for column in at])
    twice = ends.filter(ends["at"].is_duplicated())["at"].unique().sort()
    if twice.len():
        raise MoveError(f"two cables in one port: {', '.join(twice.head(3).to_list())}")


class _Book:
    """Words of moves -> places of the plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        switches = plan.table("switches")
        self.switches = dict(zip(switches["name"].str.to_lowercase(), switches["switch"], strict=True))
        hosts = plan.links.filter(plan.links["b_nic"].is_not_null())
        self.nics = {
            name.lower(): (device, nic)
            for name, device, nic in zip(hosts["b_name"], hosts["b_device"], hosts["b_nic"], strict=True)
        }

    def place(self, words: str) -> tuple[str, int, str | None]:
        """(device, port, nic) of a place; a NIC's port is that of the cable that the plan puts there."""
        known = self.nics.get(words.lower())
        if known is not None:
            return known[0], self._nic_port(*known), known[1]
        match = _SWITCH_PORT.match(words)
        switch = self.switches.get(match["name"].lower()) if match else None
        if match is None or switch is None:
            raise MoveError(f"the plan has no place {words!r}")
        return switch, int(match["port"]), None

    def _nic_port(self, device: str, nic: str) -> int:
        import polars as pl

        from asbuilt.rehearse.built import as_planned

        rows = as_planned(self.plan).cables.filter((pl.col("b_device") == device) & (pl.col("b_nic") == nic))
        return int(rows["b_port"][0])

    def holding(self, built: Built, move: Move) -> tuple[str, str]:
        """(cable, side) of the cable end that sits at ``move.take``."""
        import polars as pl

        device, port, nic = self.place(move.take)
        for side in "ab":
            here = (pl.col(f"{side}_device") == device) & pl.col(f"{side}_nic").eq_missing(pl.lit(nic, dtype=pl.String))
            if nic is None:
                here = here & (pl.col(f"{side}_port") == port)
            rows = built.cables.filter(here)
            if rows.height:
                return str(rows["cable"][0]), side
        raise MoveError(f"no cable end sits at {move.take!r}")

    def cable(self, move: Move) -> dict[str, object]:
        """The row of a cable that is plugged in where none is: that of the planned link between its two ends."""
        import polars as pl

        from asbuilt.rehearse.built import as_planned

        one, _, two = move.cable.partition(_BETWEEN)
        ends = {self.place(one), self.place(two)}
        devices = [device for device, _, _ in ends]
        cables = as_planned(self.plan).cables.filter(pl.col("a_device").is_in(devices) & pl.col("b_device").is_in(devices))
        for row in cables.iter_rows(named=True):
            if {(row[f"{s}_device"], row[f"{s}_port"], row[f"{s}_nic"]) for s in "ab"} == ends:
                return row
        raise MoveError(f"the plan has no link {move.cable!r}")
