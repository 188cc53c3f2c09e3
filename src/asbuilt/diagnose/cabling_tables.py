"""The compare's answer as fact tables that checks judge, and port slots as the words that people use for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from asbuilt.base.interning import distinct_numbers
from asbuilt.diagnose.links import OK, STATUS, Compared
from asbuilt.model.facts import CABLING, UNPLANNED_LINKS
from asbuilt.model.link_speeds import LANE_GBPS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]


class PortNames:
    """What a port slot is called: device and front-panel port of a switch, node and device name of a NIC."""

    def __init__(self, plan: Plan, compared: Compared) -> None:
        self.compared = compared
        self._label: dict[int, str] = {}
        self._row = np.full(len(compared.slots), -1, np.int64)
        self._row[compared.b] = self._row[compared.a] = np.arange(len(compared.a))
        self._links = plan.links
        self._device: dict[int, str] = {}
        self._switch = compared.names["is_switch"].to_numpy()

    def device(self, device: int) -> str:
        """The name of a device."""
        if device not in self._device:
            self._device[device] = self.compared.names["name"][device]
        return self._device[device]

    def __call__(self, slot: int) -> str:
        """``leaf-01 port 17 (9/1)``, ``director Blade 16_Port 2/20``, ``node-0001 mlx5_0``."""
        slot = int(slot)
        if slot not in self._label:
            self._label[slot] = self._text(slot)
        return self._label[slot]

    def _text(self, slot: int) -> str:
        slots = self.compared.slots
        if slot >= len(slots):
            return "a second device with the same identity"
        device = int(slots.device[slot])
        name, port = self.device(device), int(slots.port(np.array([slot]))[0])
        if not self._switch[device]:
            return name
        label = self._planned_label(slot)
        if label.lower().startswith("blade") or (label and port >= 1000):
            return f"{name} {label}"
        plain = label.lower().removeprefix("port").strip(" -_")
        return f"{name} port {port}" + (f" ({label})" if plain and plain != str(port) else "")

    def _planned_label(self, slot: int) -> str:
        row = int(self._row[slot])
        if row < 0:
            return ""
        link = int(self.compared.rows[row])
        # A foreign plan may name the ends the other way round than the compare's reference order.
        device = self.compared.names["key"][int(self.compared.slots.device[slot])]
        side = "a" if self._links["a_device"][link] == device else "b"
        return str(self._links[f"{side}_label"][link] or "")

    def pair(self, one: int, two: int) -> str:
        """Both ends of a cable."""
        return f"{self(one)} – {self(two)}"

    def list(self, slots: Iterable[int], most: int = 6) -> str:
        """Several ports, cut after ``most``."""
        told = [self(s) for s in slots]
        return ", ".join(told[:most]) + (f" and {len(told) - most} more" if len(told) > most else "")


def alike_links(plan: Plan, compared: Compared) -> tuple[Array, Array]:
    """Planned links that every check must judge alike: (class of each link, first link of each class).

    Links are alike that are right, or out of scope, and equal in planned rate, measured width and speed, and capture. Each
    other link is a class of its own.
    """
    status, evidence = _status(plan, compared)
    rates, _ = distinct_numbers(plan.links["rate_gbps"].fill_null(-1.0).to_numpy().view(np.uint64))
    said = np.where(evidence >= 0, compared.measured.alike[evidence], np.uint64(0xFFFF_FFFF_FFFF_FFFF))
    kinds, _ = distinct_numbers(said)
    key = (kinds.astype(np.uint64) * np.uint64(int(rates.max(initial=0)) + 1) + rates.astype(np.uint64)) * np.uint64(2)
    key += (status == OK).astype(np.uint64)
    alone = np.flatnonzero((status != OK) & (status != len(STATUS)))
    key[alone] = np.uint64(1 << 63) + alone.astype(np.uint64)
    return distinct_numbers(key)


def _status(plan: Plan, compared: Compared) -> tuple[Array, Array]:
    """Of each planned link: its status (out of scope: one more than `STATUS` has), and the link row that speaks of it or -1."""
    status = np.full(plan.links.height, len(STATUS), np.int64)
    status[compared.rows] = compared.status
    evidence = np.full(plan.links.height, -1, np.int64)
    evidence[compared.rows] = compared.evidence[compared.a]
    return status, evidence


def cabling_tables(plan: Plan, compared: Compared, names: PortNames, rows: Array | None = None) -> dict[str, pl.DataFrame]:
    """Frames of `CABLING`, for planned links ``rows`` (all, when None), and `UNPLANNED_LINKS`."""
    import polars as pl

    links = plan.links if rows is None else plan.links.select("link", "rate_gbps")[rows]
    rows = np.arange(links.height) if rows is None else rows
    status, evidence = _status(plan, compared)
    number = np.full(plan.links.height, -1, np.int64)
    number[compared.rows] = np.arange(len(compared.rows))
    bad = number[rows[(status[rows] != OK) & (status[rows] < len(STATUS))]]
    expected: list[str | None] = []
    found: list[str | None] = []
    for row in bad.tolist():
        a, b = int(compared.a[row]), int(compared.b[row])
        far = int(compared.far[a])
        expected.append(names.pair(a, b))
        found.append(names.pair(a, far) if far >= 0 else f"{names(a)}: no link")
    told = pl.DataFrame(
        {"row": compared.rows[bad], "expected": expected, "found": found},
        schema={"row": pl.Int64, "expected": pl.String, "found": pl.String},
    )
    said = compared.measured.said(evidence[rows])
    words = said["found_speed"].unique().drop_nulls()
    lane = pl.col("found_speed").replace_strict({w: LANE_GBPS.get(w) for w in words}, default=None, return_dtype=pl.Float64)
    rate = (lane * pl.col("found_lanes")).alias("found_gbps")
    frame = pl.DataFrame({"link": links["link"], "rate_gbps": links["rate_gbps"], "row": rows}).with_columns(
        pl.Series([*STATUS, "out_of_scope"]).gather(pl.Series(status[rows])).alias("status"),
        *said,
        said.select(rate).to_series(),
    )
    frame = frame.join(told, on="row", how="left", maintain_order="left").drop("row")
    return {CABLING.name: CABLING.conform(frame), UNPLANNED_LINKS.name: _unplanned(compared, names)}


def _unplanned(compared: Compared, names: PortNames) -> pl.DataFrame:
    import polars as pl

    near, far = compared.unplanned
    if not len(near):
        return UNPLANNED_LINKS.empty()
    device, port = compared.slots.device[near], compared.slots.port(near)
    keys = compared.names["key"].gather(device)
    said = compared.measured.said(compared.evidence[near]).select("capture_id", "line")
    found = [names.pair(a, b) for a, b in zip(near.tolist(), far.tolist(), strict=True)]
    frame = pl.DataFrame({"key": keys, "port": port, "found": found})
    link = pl.concat_str([pl.lit("link:"), "key", pl.lit("/"), "port"]).alias("link")
    return UNPLANNED_LINKS.conform(pl.concat([frame.select(link, "found"), said], how="horizontal").sort("link"))
