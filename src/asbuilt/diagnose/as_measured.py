"""What was measured, as numbers: devices, and port by port what each is plugged into, with the capture that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts, texts_at
from asbuilt.diagnose.identity import nameless
from asbuilt.model import discovery as at
from asbuilt.model.discovery import Discovered
from asbuilt.model.facts import Facts

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured devices and links as numbers: rows of ``devices``; per link row own device, port, far device, far port.

    ``alike``: a number per link row that is equal for rows of one capture with equal width and speed. ``is_switch`` and
    ``aggregation``: which devices are switches, and SHARP's aggregation nodes.
    """

    facts: Facts
    devices: pl.DataFrame
    own: Array
    port: Array
    far: Array
    far_port: Array
    has_record: Array
    incomplete: bool
    alike: Array
    is_switch: Array
    aggregation: Array

    @property
    def links(self) -> pl.DataFrame:
        """The link facts themselves; made when first looked at where one dump was read."""
        return self.facts.tables["link_facts"]

    def said(self, rows: Array) -> pl.DataFrame:
        """found_lanes, found_speed, capture_id and line of link ``rows``; a row below 0 says nothing."""
        import polars as pl

        known = rows >= 0
        rows = np.where(known, rows, 0)
        seen = self.facts.discovered
        if seen is None:
            columns = {"width": "found_lanes", "speed": "found_speed", "capture_id": "capture_id", "line": "line"}
            links = self.links.select(pl.col(c).alias(n) for c, n in columns.items())
            picked = links[pl.Series(rows)] if links.height else links.clear(len(rows))
        else:
            width, speed = seen.ends[at.WIDTH, rows].astype(np.int64), seen.ends[at.SPEED, rows]
            picked = pl.DataFrame({"found_lanes": width, "speed": speed, "line": seen.links[at.LINK_LINE, rows]}).select(
                pl.when(pl.col("found_lanes") >= 0).then("found_lanes"),
                pl.lit(pl.Series(at.SPEEDS)).gather(pl.col("speed").cast(pl.UInt32)).alias("found_speed"),
                pl.lit(seen.capture_id).alias("capture_id"),
                pl.col("line").cast(pl.Int64),
            )
        return picked if known.all() else picked.with_columns(pl.when(pl.Series(known)).then(pl.all()))

    def line(self, row: int) -> str:
        """``capture:line`` of one link row."""
        seen = self.facts.discovered
        if seen is not None:
            return f"{seen.capture_id}:{seen.links[at.LINK_LINE, row]}"
        return f"{self.links['capture_id'][row]}:{self.links['line'][row]}"


def read_measured(facts: Facts) -> Measured:
    """Number the devices of ``facts``; peers without a record of their own are devices too.

    Raises ``KeyError`` when the facts hold no ``link_facts``.
    """
    parts = _from_tables(facts) if facts.discovered is None else _from_numbers(facts.discovered)
    devices, own, port, far, far_port, has_record, alike = parts
    devices, far, has_record = _apart(devices, own, far, has_record)
    said = any(bool(v) for k, v in facts.details.items() if k.partition(":")[0] == "incomplete")
    incomplete = said or not bool(has_record.all())
    is_switch = (devices["kind"] == "switch").to_numpy()
    aggregation = (devices["kind"] == "aggregation").to_numpy()
    if not has_record.all():
        # Where a capture is cut, a switch's own aggregation node is known by nothing but what its switch calls it.
        aggregation = aggregation | (~has_record & devices["description"].str.contains("Aggregation Node").to_numpy())
    return Measured(facts, devices, own, port, far, far_port, has_record, incomplete, alike, is_switch, aggregation)


def _from_tables(facts: Facts) -> tuple[pl.DataFrame, Array, Array, Array, Array, Array, Array]:
    """(devices: guid, system_guid, kind, description; own, port, far, far port; which devices have a record; alike)."""
    import polars as pl

    links = facts.tables["link_facts"]
    known = facts.tables.get("device_facts")
    said = links.select(
        pl.col("peer_guid").alias("guid"),
        pl.lit(None, dtype=pl.String).alias("system_guid"),
        pl.col("peer_kind").alias("kind"),
        pl.col("peer_description").alias("description"),
    )
    told = known.select(said.columns) if known is not None else said.clear()
    index, first = distinct_numbers(pl.concat([told["guid"], links["guid"], said["guid"]]).hash().to_numpy())
    n = told.height
    own, far = index[n : n + links.height], index[n + links.height :]
    has_record = np.zeros(len(first), bool)
    has_record[index[:n]] = True
    has_record[own] = True
    if len(first) == n:
        devices = told
    else:
        none = pl.lit(None, dtype=pl.String)
        unknown = [none.alias("system_guid"), pl.lit("switch").alias("kind"), pl.lit("").alias("description")]
        devices = pl.concat([told, links.select(pl.col("guid"), *unknown), said], how="vertical")[first]
    alike = links.select(pl.struct("capture_id", "width", "speed").hash().alias("alike"))["alike"].to_numpy()
    return devices, own, links["port"].to_numpy(), far, links["peer_port"].to_numpy(), has_record, alike


def _from_numbers(seen: Discovered) -> tuple[pl.DataFrame, Array, Array, Array, Array, Array, Array]:
    """As `_from_tables`, with the same order of devices: those with a record by GUID, then peers by first mention."""
    import polars as pl

    n, own = seen.devices.shape[1], seen.devices[at.OWN]
    by_guid = np.argsort(seen.guids[own])
    device_of = np.full(len(seen.guids), -1, np.int64)
    device_of[own[by_guid]] = np.arange(n)
    peers, owners = seen.links[at.PEER], seen.links[at.OWNER]
    far = device_of[peers]
    silent = np.flatnonzero(far < 0)
    _, first = distinct_numbers(peers[silent].astype(np.uint64))
    rows = silent[first]
    device_of[peers[rows]] = n + np.arange(len(rows))
    far[silent] = device_of[peers[silent]]
    place = np.concatenate([seen.names[own[by_guid]], seen.names[peers[rows]]])
    for kind, order, offset in ((0, by_guid, 0), (1, rows, n)):
        odd = seen.odd[:, seen.odd[0] == kind]
        if odd.shape[1]:
            at_row = np.full(n if kind == 0 else seen.links.shape[1], -1, np.int64)
            at_row[odd[1]] = np.arange(odd.shape[1])
            told = at_row[order]
            place[offset + np.flatnonzero(told >= 0)] = odd[2:, told[told >= 0]].T
    start, length = place[:, 0], place[:, 1]
    guid = np.concatenate([seen.guids[own[by_guid]], seen.guids[peers[rows]]])
    system = np.concatenate([seen.systems[by_guid], np.zeros(len(rows), np.uint64)])
    kinds = np.concatenate([seen.devices[at.KIND, by_guid], seen.ends[at.PEER_KIND, rows]])
    guids = guid_texts(guid)
    apart = np.flatnonzero(system != guid)
    index = np.arange(len(guid))
    index[apart] = len(guid) + np.arange(len(apart))
    systems = pl.concat([guids, guid_texts(system[apart])]).gather(index)
    devices = pl.DataFrame(
        {
            "guid": guids,
            "system_guid": systems
            if system.all()
            else systems.zip_with(pl.Series(system != 0), pl.Series([None], dtype=pl.String)),
            "kind": pl.Series(at.KINDS).gather(kinds),
            "description": texts_at(start, length, seen.text),
        }
    )
    has_record = np.arange(len(guid)) < n
    alike = seen.ends[at.WIDTH].astype(np.uint64) * np.uint64(256) + seen.ends[at.SPEED].astype(np.uint64)
    ports = seen.ends[at.PORT].astype(np.int64), seen.ends[at.PEER_PORT].astype(np.int64)
    return devices, device_of[own][owners], ports[0], far, ports[1], has_record, alike


def _apart(devices: pl.DataFrame, own: Array, far: Array, has_record: Array) -> tuple[pl.DataFrame, Array, Array]:
    """NICs without a name that only others speak of: one of them at many ports is many devices, not one."""
    import polars as pl

    many = np.bincount(far, minlength=devices.height) > 1
    many[own] = False
    if not many.any():
        return devices, far, has_record
    many &= nameless(devices) & (devices["kind"] != "switch").to_numpy()
    rows = np.flatnonzero(many[far])
    copies = devices[far[rows]].with_columns(
        pl.concat_str(["guid", pl.lit("/"), pl.Series(rows).cast(pl.String)]).alias("guid")
    )
    far = far.copy()
    far[rows] = devices.height + np.arange(len(rows))
    return pl.concat([devices, copies]), far, np.concatenate([has_record, np.ones(len(rows), bool)])
