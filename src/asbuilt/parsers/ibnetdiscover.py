"""``ibnetdiscover``: every device and every port that is up, as the subnet shows them.

Reads the topology dump of all versions of infiniband-diags, with and without ``-g`` and ``-f``, as pasted from a terminal
(tabs lost, prompts, PuTTY marks, CRLF), and hands the ports report (``-p``) to `ibnetdiscover_ports`.
Every line is accounted for: facts, ignorable, or unread and kept with its number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, first_with_same_name, guid_texts, line_feeds, texts_at
from asbuilt.base.kernel import kernel
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts, LineAccount
from asbuilt.parsers import discovery_scan, discovery_vector, ibnetdiscover_ports
from asbuilt.parsers.discovery_scan import FACT, IGNORABLE, LONGEST_LINE, SPEEDS, UNREAD

if TYPE_CHECKING:
    import polars as pl

TOOL = "ibnetdiscover"
#: How many unread lines are kept with their text, and how many characters of each.
UNREAD_KEPT, UNREAD_SHOWN = 1000, 200
AGGREGATION = "Aggregation Node"  # what SHARP's aggregation nodes call themselves
KINDS = ("", "switch", "ca", "router")
Array = np.ndarray[Any, Any]

_scan = kernel(discovery_vector.scan, threshold=24 << 20, parts=discovery_scan.PARTS)(discovery_scan.scan)


def parse(data: bytes, capture_id: str) -> Facts:
    """Facts of one dump: tables ``device_facts`` and ``link_facts``, the line account, remarks.

    Never raises on any bytes. ``details`` says ``incomplete`` when a device is named as a peer but has no record of its
    own, or the last line is cut: then what is not seen may only be not measured.
    """
    data = readable(data)
    if ibnetdiscover_ports.looks_like(data):
        return ibnetdiscover_ports.parse(data, capture_id)
    raw = np.frombuffer(data, np.uint8)
    ends = line_ends(raw)
    classes, devices, device_guids, links, link_guids = _scan(raw, ends, LONGEST_LINE)
    devices, device_guids, links, link_guids = _first_of_each(classes, devices, device_guids, links, link_guids)
    cut = bool(len(ends) and ends[-1] == len(raw) and classes[-1] == UNREAD) and _is_piece(data)
    tables, orphans = _tables(raw, devices, device_guids, links, link_guids, capture_id)
    notes = []
    if cut:
        notes.append(f"{capture_id}: the last line has no end: the capture may be cut")
    if orphans:
        notes.append(f"{capture_id}: {orphans} devices are named as peers but have no record of their own")
    if devices.shape[1] and not links.shape[1]:
        notes.append(f"{capture_id}: {devices.shape[1]} devices and no link between them")
    account = account_of(classes, ends, data)
    incomplete = bool(cut or orphans or (devices.shape[1] and not links.shape[1]))
    details = {"incomplete": incomplete, f"incomplete:{capture_id}": incomplete}  # the second survives a merge of captures
    return Facts(tables, {capture_id: account}, tuple(notes), TOOL, details)


def _is_piece(data: bytes) -> bool:
    """True when the unterminated last line begins as a line of a dump does (a shell prompt does not)."""
    last = data[data.rfind(b"\n") + 1 :][:LONGEST_LINE].strip().decode("utf-8", "replace")
    starts = ("[", "Switch", "Ca", "Rt", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=")
    return any(last.startswith(s) or s.startswith(last) for s in starts)


def readable(data: bytes) -> bytes:
    """``data`` as UTF-8: a UTF-16 file (as Windows shells write) is converted, bytes that are no text are replaced."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode()
    return data


def line_ends(raw: Array) -> Array:
    """Positions of the line feeds, and the size of the data when its last line has none."""
    ends: Array = line_feeds(raw)
    if len(raw) and (not len(ends) or ends[-1] != len(raw) - 1):
        ends = np.append(ends, len(raw))
    return ends


def account_of(classes: Array, ends: Array, data: bytes) -> LineAccount:
    """What became of every line, with the unread ones by number and text."""
    counts = np.bincount(classes, minlength=3)
    kept = []
    for line in np.flatnonzero(classes == UNREAD)[:UNREAD_KEPT].tolist():
        start = int(ends[line - 1]) + 1 if line else 0
        text = data[start : min(int(ends[line]), start + 4 * UNREAD_SHOWN)].decode("utf-8", "replace")
        kept.append((line + 1, text.strip()[:UNREAD_SHOWN]))
    return LineAccount(len(classes), int(counts[FACT]), int(counts[IGNORABLE]), int(counts[UNREAD]), tuple(kept))


def _first_of_each(classes: Array, devices: Array, guids: Array, links: Array, peers: Array) -> tuple[Array, ...]:
    """A device or port that is told twice (two dumps in one file) counts once; later tellings become unread lines."""
    _, first = distinct_numbers(np.ascontiguousarray(guids[0]))
    if len(first) < devices.shape[1]:
        keep = np.zeros(devices.shape[1], bool)
        keep[first] = True
        classes[devices[0, ~keep] - 1] = UNREAD
        kept_links = keep[links[1]]
        classes[links[0, ~kept_links] - 1] = UNREAD
        links, peers = links[:, kept_links], peers[:, kept_links]
        links[1] = (np.cumsum(keep) - 1)[links[1]]
        devices, guids = devices[:, keep], guids[:, keep]
    ports = links[1] * 1000 + links[2]
    if ports.size and not bool((np.diff(ports) > 0).all()):
        _, first = distinct_numbers(ports.astype(np.uint64))
        keep = np.zeros(len(ports), bool)
        keep[first] = True
        classes[links[0, ~keep] - 1] = UNREAD
        links, peers = links[:, keep], peers[:, keep]
    return devices, guids, links, peers


def _tables(
    raw: Array, devices: Array, device_guids: Array, links: Array, link_guids: Array, capture_id: str
) -> tuple[dict[str, pl.DataFrame], int]:
    """The fact tables, and how many peers have no device record."""
    import polars as pl

    n_devices, n_links = devices.shape[1], links.shape[1]
    if not n_devices:
        return {}, 0
    numbers = np.concatenate([device_guids[0], link_guids[0], device_guids[1], link_guids[1]])
    index, first = distinct_numbers(numbers)
    guids = guid_texts(numbers[first])
    if 0 in numbers[first]:
        guids = guids.zip_with(pl.Series(numbers[first] != 0), pl.Series([None], dtype=pl.String))
    own, peer = index[:n_devices], index[n_devices : n_devices + n_links]
    system, port = index[n_devices + n_links :][:n_devices], index[len(index) - n_links :]
    at, length = np.concatenate([devices[6], links[8]]), np.concatenate([devices[7], links[9]])
    row = first_with_same_name(index[: n_devices + n_links], len(first), at, length, raw)
    is_first = row == np.arange(len(row))
    names = texts_at(at[is_first], length[is_first], raw)
    named = (np.cumsum(is_first) - 1)[row]
    sharp = names.str.contains(AGGREGATION, literal=True).to_numpy()
    kinds = np.where((devices[1] == discovery_scan.CA) & sharp[named[:n_devices]], len(KINDS), devices[1])
    known = {"own": own, "system": system, "name": named[:n_devices], "kind": kinds, "ports": devices[2]}
    known |= {"vendor_id": devices[3], "device_id": devices[4], "lid": devices[5], "line": devices[0]}
    frame = pl.DataFrame(known).select(
        _pick(guids, "own", "guid"),
        _pick(guids, "system", "system_guid"),
        _pick(pl.Series([*KINDS, "aggregation"]), "kind", "kind"),
        _pick(names, "name", "description"),
        "ports",
        *(_said(c) for c in ("vendor_id", "device_id", "lid")),
        pl.lit(capture_id).alias("capture_id"),
        "line",
    )
    tables = {DEVICE_FACTS.name: frame.sort("guid")}
    if n_links:
        seen = {"own": own[links[1]], "port": links[2], "peer": peer, "peer_port": links[3], "name": named[n_devices:]}
        seen |= {"kind": links[4], "port_guid": port, "lid": links[5], "width": links[6], "speed": links[7], "line": links[0]}
        tables[LINK_FACTS.name] = pl.DataFrame(seen).select(
            _pick(guids, "own", "guid"),
            "port",
            _pick(guids, "peer", "peer_guid"),
            "peer_port",
            _pick(names, "name", "peer_description"),
            _pick(pl.Series(KINDS), "kind", "peer_kind"),
            _pick(guids, "port_guid", "port_guid"),
            _said("lid"),
            _said("width"),
            _pick(pl.Series(SPEEDS), "speed", "speed"),
            pl.lit(capture_id).alias("capture_id"),
            "line",
        )
    has_record = np.zeros(len(first), bool)
    has_record[own] = True
    return tables, int(np.unique(peer[~has_record[peer]]).size)


def _pick(texts: pl.Series, index: str, name: str) -> pl.Expr:
    """The text at each row's ``index``."""
    import polars as pl

    return pl.lit(texts).gather(pl.col(index)).alias(name)


def _said(column: str) -> pl.Expr:
    """A number that the dump may leave out: -1 becomes null."""
    import polars as pl

    return pl.when(pl.col(column) >= 0).then(pl.col(column)).alias(column)
