"""``ibnetdiscover``: every device and every port that is up, as the subnet shows them.

Reads the topology dump of all versions of infiniband-diags, with and without ``-g`` and ``-f``, as pasted from a terminal
(tabs lost, prompts, PuTTY marks, CRLF), and hands the ports report (``-p``) to `ibnetdiscover_ports`.
Every line is accounted for: facts, ignorable, or unread and kept with its number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers, guid_texts, line_feeds, texts_at
from asbuilt.base.kernel import kernel
from asbuilt.model import discovery as at
from asbuilt.model.discovery import KINDS, SPEEDS, Discovered, FactTables
from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS, Facts, LineAccount
from asbuilt.parsers import discovery_pass, discovery_whole, host_lines, ibnetdiscover_ports
from asbuilt.parsers.discovery_lines import LONGEST_LINE, UNREAD
from asbuilt.parsers.host_lines import as_utf8

if TYPE_CHECKING:
    import polars as pl

TOOL = "ibnetdiscover"
Array = np.ndarray[Any, Any]

#: Whole arrays read about 30 MB a second; the start of numba takes half a second, then it reads 1,000.
_scan = kernel(discovery_whole.scan, threshold=14 << 20, parts=discovery_pass.PARTS)(discovery_pass.scan)


# A line that only ibnetdiscover writes, in the first part of a capture (which a terminal may have opened with noise).
_DISCOVERY = re.compile(rb'^\s*(?:Switch|Ca|Rt)\s*\d+\s*"[SHR]-[0-9a-fA-F]{1,16}"|^# Topology file: generated', re.M)
_SNIFFED = 1 << 16


def sniff(data: bytes) -> bool:
    """True for a discovery dump, or a ports report."""
    return bool(_DISCOVERY.search(data[:_SNIFFED])) or ibnetdiscover_ports.looks_like(data)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of one dump: tables ``device_facts`` and ``link_facts``, the line account, remarks.

    Never raises on any bytes. ``details`` says ``incomplete`` when a device is named as a peer but has no record of its
    own, or the last line is cut: then what is not seen may only be not measured.
    """
    data = as_utf8(data)
    if ibnetdiscover_ports.looks_like(data):
        return ibnetdiscover_ports.parse(readable(data), capture_id)
    seen, classes, orderly, plain = read(data, capture_id)
    if not plain:
        text = readable(data)
        if text is not data:
            data = text
            seen, classes, orderly, _ = read(data, capture_id)
    if not orderly:
        seen = _first_of_each(seen, classes)
    n_devices, n_links = seen.devices.shape[1], seen.links.shape[1]
    cut = bool(len(classes) and data[-1:] != b"\n" and classes[-1] == UNREAD) and _is_piece(data)
    orphans = _without_record(seen)
    lonely = bool(n_devices and not n_links)
    notes = []
    if cut:
        notes.append(f"{capture_id}: the last line has no end: the capture may be cut")
    if orphans:
        notes.append(f"{capture_id}: {orphans} devices are named as peers but have no record of their own")
    if lonely:
        notes.append(f"{capture_id}: {n_devices} devices and no link between them")
    account = account_of(classes, data)
    incomplete = bool(cut or orphans or lonely)
    details = {"incomplete": incomplete, f"incomplete:{capture_id}": incomplete}  # the second survives a merge of captures
    rows = {DEVICE_FACTS.name: n_devices, LINK_FACTS.name: n_links}
    tables = FactTables({name: n for name, n in rows.items() if n}, lambda: frames(seen), seen if n_links else None)
    return Facts(tables, {capture_id: account}, tuple(notes), TOOL, details)


def read(data: bytes, capture_id: str) -> tuple[Discovered, Array, bool, bool]:
    """A dump as numbers, the class of every line, whether each device and port is told once, and whether the lines that are
    not as the tool prints them are plain ASCII. The arrays are made here, so that the kernel need not know how many rows come.
    """
    raw = np.frombuffer(data, np.uint8)
    room = len(raw) // 48 + 64
    while True:
        classes, systems, ports, guids = np.empty(len(raw) + 1, np.uint8), *(np.empty(room, np.uint64) for _ in range(3))
        devices, links, ends = np.empty((7, room), np.int64), np.empty((4, room), np.int32), np.empty((5, room), np.int16)
        names, odd = np.empty((room, 2), np.int64), np.empty((4, room), np.int64)
        work = discovery_pass.working_arrays(room)
        found = _scan(raw, LONGEST_LINE, classes, devices, systems, links, ends, ports, guids, names, odd, *work)
        lines, n_devices, n_links, n_guids, n_odd, orderly, plain = found
        if lines >= 0:
            break
        room *= 4
    devices, odd = devices[:, :n_devices], odd[:, :n_odd]
    rows = links[:, :n_links], ends[:, :n_links], ports[:n_links]
    seen = Discovered(capture_id, raw, guids[:n_guids], devices, systems[:n_devices], *rows, names[:n_guids], odd)
    return seen, classes[:lines], bool(orderly), bool(plain)


def _is_piece(data: bytes) -> bool:
    """True when the unterminated last line begins as a line of a dump does (a shell prompt does not)."""
    last = data[data.rfind(b"\n") + 1 :][:LONGEST_LINE].strip().decode("utf-8", "replace")
    starts = ("[", "Switch", "Ca", "Rt", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=")
    return any(last.startswith(s) or s.startswith(last) for s in starts)


def readable(data: bytes) -> bytes:
    """``data`` itself when it is UTF-8, else with the bytes that are no text replaced."""
    try:
        if not data.isascii():
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


def account_of(classes: Array, data: bytes) -> LineAccount:
    """What became of every line, with the unread ones by number and text."""
    starts = ends = classes[:0]
    if (classes == UNREAD).any():  # the text of the others is not shown: a clean dump is not gone through again
        ends = line_ends(np.frombuffer(data, np.uint8))
        starts = np.concatenate(([0], ends[:-1] + 1))
    return host_lines.account_of(classes, data, starts, ends, {})


def _first_of_each(seen: Discovered, classes: Array) -> Discovered:
    """A device or port that is told twice (two dumps in one file) counts once; later tellings become unread lines."""
    devices, links = seen.devices, seen.links
    _, first = np.unique(devices[at.OWN], return_index=True)
    kept = np.zeros(devices.shape[1], bool)
    kept[first] = True
    classes[devices[at.LINE, ~kept] - 1] = UNREAD
    keep = kept[links[at.OWNER]]
    _, first = np.unique(links[at.OWNER].astype(np.int64) * 1000 + seen.ends[at.PORT], return_index=True)
    once = np.zeros(links.shape[1], bool)
    once[first] = True
    keep &= once
    classes[links[at.LINK_LINE, ~keep] - 1] = UNREAD
    links = links[:, keep]
    links[at.OWNER] = (np.cumsum(kept) - 1)[links[at.OWNER]]
    odd = []
    for kind, which in ((0, kept), (1, keep)):
        names = seen.odd[:, seen.odd[0] == kind]
        names = names[:, which[names[1]]]
        names[1] = (np.cumsum(which) - 1)[names[1]]
        odd.append(names)
    facts = seen.guids, devices[:, kept], seen.systems[kept], links, seen.ends[:, keep], seen.port_guids[keep]
    return Discovered(seen.capture_id, seen.text, *facts, seen.names, np.concatenate(odd, axis=1))


def _without_record(seen: Discovered) -> int:
    """How many devices are named as peers and have no record of their own."""
    open_ = np.ones(len(seen.guids), bool)
    open_[seen.devices[at.OWN]] = False
    if not open_.any():
        return 0
    named = np.zeros(len(seen.guids), bool)
    named[seen.links[at.PEER]] = True
    return int(np.count_nonzero(named & open_))


def frames(seen: Discovered) -> dict[str, pl.DataFrame]:
    """The tables of one dump: `DEVICE_FACTS`, and `LINK_FACTS` when a port is up."""
    import polars as pl

    n_devices, n_links, n_guids = seen.devices.shape[1], seen.links.shape[1], len(seen.guids)
    guids = guid_texts(seen.guids)
    start, length = np.ascontiguousarray(np.concatenate([seen.names.T, seen.odd[2:]], axis=1))
    names = texts_at(start, length, seen.text)
    devices, links, ends = seen.devices, seen.links, seen.ends
    named, peer_named = devices[at.OWN].copy(), links[at.PEER].astype(np.int64)
    for target, kind in ((named, 0), (peer_named, 1)):
        which = np.flatnonzero(seen.odd[0] == kind)
        target[seen.odd[1, which]] = n_guids + which
    told = pl.lit(seen.capture_id).alias("capture_id")
    numbers = {"own": devices[at.OWN], "name": named, "kind": devices[at.KIND], "ports": devices[at.PORT_COUNT]}
    numbers |= {"vendor_id": devices[at.VENDOR], "device_id": devices[at.MODEL], "lid": devices[at.LID]}
    frame = pl.DataFrame({**numbers, "system_guid": guid_or_null(seen.systems), "line": devices[at.LINE]}).select(
        _pick(guids, "own", "guid"),
        "system_guid",
        _pick(pl.Series(KINDS), "kind", "kind"),
        _pick(names, "name", "description"),
        "ports",
        *(_said(c) for c in ("vendor_id", "device_id", "lid")),
        told,
        "line",
    )
    tables = {DEVICE_FACTS.name: frame.sort("guid")} if n_devices else {}
    if n_links:
        numbers = {"own": devices[at.OWN][links[at.OWNER]], "port": ends[at.PORT], "peer": links[at.PEER]}
        numbers |= {"peer_port": ends[at.PEER_PORT], "name": peer_named, "kind": ends[at.PEER_KIND], "lid": links[at.LINK_LID]}
        numbers |= {"width": ends[at.WIDTH], "speed": ends[at.SPEED], "line": links[at.LINK_LINE]}
        columns = {name: np.asarray(column, np.int64) for name, column in numbers.items()}
        tables[LINK_FACTS.name] = pl.DataFrame({**columns, "port_guid": _port_guids(seen, guids)}).select(
            _pick(guids, "own", "guid"),
            "port",
            _pick(guids, "peer", "peer_guid"),
            "peer_port",
            _pick(names, "name", "peer_description"),
            _pick(pl.Series(KINDS), "kind", "peer_kind"),
            "port_guid",
            _said("lid"),
            _said("width"),
            _pick(pl.Series(SPEEDS), "speed", "speed"),
            told,
            "line",
        )
    return tables


def guid_or_null(values: Array) -> pl.Series:
    """GUIDs as text, null for 0."""
    import polars as pl

    texts = guid_texts(values)
    return texts if values.all() else texts.zip_with(pl.Series(values != 0), pl.Series([None], dtype=pl.String))


def _port_guids(seen: Discovered, guids: pl.Series) -> pl.Series:
    """The port GUID of each link as text, null for none; most are the node GUID of one of its ends."""
    values, peer = seen.port_guids, seen.links[at.PEER]
    own = seen.devices[at.OWN][seen.links[at.OWNER]]
    which = np.where(values == seen.guids[peer], peer, np.where(values == seen.guids[own], own, -1)).astype(np.int64)
    rest = np.flatnonzero(which < 0)
    index, first = distinct_numbers(values[rest])
    which[rest] = len(guids) + index
    return guids.append(guid_or_null(values[rest[first]])).gather(which)


def _pick(texts: pl.Series, index: str, name: str) -> pl.Expr:
    """The text at each row's ``index``."""
    import polars as pl

    return pl.lit(texts).gather(pl.col(index)).alias(name)


def _said(column: str) -> pl.Expr:
    """A number that the dump may leave out: -1 becomes null."""
    import polars as pl

    return pl.when(pl.col(column) >= 0).then(pl.col(column)).alias(column)
