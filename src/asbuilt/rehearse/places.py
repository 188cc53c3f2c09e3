"""Where in the plan a word points: link ids, ``DEVICE/PORT``, ``NODE/NIC``; natural keys and display names alike."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built, End

if TYPE_CHECKING:
    import polars as pl

MOST_CANDIDATES = 20_000  # difflib is quadratic: past this a suggestion would cost more than it helps


class Places:
    """Looks words up in one plan. Every failure is a `ProblemError` CLI-022 with the nearest known word."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names: dict[str, str] = {}
        for table, key in (("switches", "switch"), ("nodes", "node"), ("nvlink_trays", "nvlink_tray")):
            if plan.has(table):
                frame = plan.table(table)
                self.names.update(zip(frame["name"], frame[key], strict=True))
                self.names.update(zip(frame[key], frame[key], strict=True))

    def end(self, built: Built, word: str) -> End:
        """The cable end that sits at a place; a link id stands for the far end of its cable."""
        import polars as pl

        cables = built.cables
        if word.startswith("link:"):
            rows = cables.filter(pl.col("cable") == word)
            if not rows.height:
                raise self._unknown(word, cables["cable"])
            return _end(rows.row(0, named=True), "b")
        device, slash, port = word.replace(" ", "/", 1).rpartition("/") if "/" not in word else word.rpartition("/")
        key = self.names.get(device)
        if not slash or key is None:
            raise self._unknown(word, [f"{n}/{port or 1}" for n in self.names])
        for side in "ab":
            here = (pl.col(f"{side}_device") == key) & (
                (pl.col(f"{side}_nic") == port)
                | (pl.col(f"{side}_nic").is_null() & (pl.col(f"{side}_port").cast(pl.String) == port))
            )
            rows = cables.filter(here)
            if rows.height:
                return _end(rows.row(0, named=True), side)
        raise self._unknown(word, self._ports(cables, key), f"{device} has no cable in {port!r}")

    def nic(self, built: Built, word: str) -> End:
        """The NIC port named by ``NODE/NIC`` or by the id of its link."""
        end = self.end(built, word)
        if end.nic is None:
            raise ProblemError(Problem("CLI-023", f"{word!r} is a switch port ({end.place})", fix="name a NIC port: NODE/NIC"))
        return end

    def switch(self, word: str) -> str:
        """The key of a switch named by key or display name."""
        return self._device(word, "switches", "switch")

    def node(self, word: str) -> str:
        """The key of a node named by key or display name."""
        return self._device(word, "nodes", "node")

    def nvlink_tray(self, word: str) -> str:
        """The key of an NVLink switch tray named by key or display name."""
        return self._device(word, "nvlink_trays", "nvlink_tray", "NVLink switch tray")

    def _device(self, word: str, table: str, key: str, kind: str = "") -> str:
        frame = self.plan.table(table)
        found = self.names.get(word)
        if found is None or not frame.filter(frame[key] == found).height:
            raise self._unknown(word, [*frame["name"], *frame[key]], f"no {kind or key} is called {word!r}")
        return found

    def _ports(self, cables: pl.DataFrame, device: str) -> list[str]:
        import polars as pl

        ports: list[str] = []
        for side in "ab":
            rows = cables.filter(pl.col(f"{side}_device") == device)
            ports += [
                f"{device}/{n if n is not None else p}" for n, p in zip(rows[f"{side}_nic"], rows[f"{side}_port"], strict=True)
            ]
        return ports

    def _unknown(self, word: str, known: object, what: str = "") -> ProblemError:
        candidates = [str(k) for k in known][:MOST_CANDIDATES]  # type: ignore[attr-defined]
        close = difflib.get_close_matches(word, candidates, n=3, cutoff=0.5)
        fix = f"did you mean {', '.join(close)}?" if close else "`asbuilt show links` lists every link and its ends"
        return ProblemError(Problem("CLI-022", what or f"nothing in the plan is called {word!r}", fix=fix))


def _end(row: dict[str, object], side: str) -> End:
    nic = row[f"{side}_nic"]
    port = row[f"{side}_port"]
    assert isinstance(port, int)
    return End(str(row["cable"]), side, str(row[f"{side}_device"]), port, None if nic is None else str(nic))
