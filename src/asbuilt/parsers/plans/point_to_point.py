"""Point-to-point cable lists as people keep them: CSV, XLSX with any number of sheets and tables, JSON.

The header row is found by its words (`columns`) or as the user says. A blank device cell means the device above it. Every
row is accounted for: a link, nothing, or unread with the reason.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Iterable, Mapping

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans.columns import NEEDED, Columns, asked, guess
from asbuilt.parsers.plans.rows import Rows, plan_of
from asbuilt.parsers.plans.text import decoded

FORMAT = "point_to_point"
Cells = tuple[object, ...]


def read(data: bytes, file: str = "cables.csv", columns: Mapping[str, str] | None = None) -> Plan:
    """The partial plan of a cable list; ``columns`` says field -> header where the header's words do not tell.

    Raises `ProblemError`: PAR-001 not such a file, PAR-002 no header row, PAR-003 an unknown column, PAR-004 a hostile or
    broken workbook, PAR-005 no row names a link.
    """
    wanted = dict(columns or {})
    if data[:4] == b"PK\x03\x04":
        from asbuilt.parsers.plans.workbook import sheets

        tables = list(sheets(data, file))
        what = "rows"
    elif data[:64].lstrip().startswith((b"{", b"[")):
        tables, what = [(file, iter(_json_rows(decoded(data, file), file)))], "records"
    else:
        tables, what = [(file, iter(_csv_rows(decoded(data, file))))], "lines"
    rows = Rows()
    headers: list[Columns] = []
    offset = 0
    for name, table in tables:
        rows.sheets.append((offset, name))
        counted = _table(rows, name, table, wanted, offset, headers)
        rows.total += counted
        offset += counted
    if not any(h.complete for h in headers):
        _no_header(file, headers, wanted)
    if not rows.lines:
        line, why = rows.unread[0] if rows.unread else (1, "the table has no rows")
        fix = "say which column is which with --columns"
        raise ProblemError(Problem("PAR-005", f"no row names a link: {why}", Place(file, line), fix=fix))
    return plan_of(rows, file, what)


def _csv_rows(text: str) -> Iterable[Cells]:
    head = text[:65536]
    counts = {d: max((line.count(d) for line in head.splitlines()[:50]), default=0) for d in (",", ";", "\t", "|")}
    delimiter = max(counts, key=lambda d: counts[d])
    csv.field_size_limit(1 << 20)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            yield tuple(next(reader))
        except StopIteration:
            return
        except csv.Error as error:
            yield (f"\0{error}",)


def _json_rows(text: str, file: str) -> Iterable[Cells]:
    """Rows of a list of flat objects, or of a topology of devices with ports that name their far end by id."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProblemError(Problem("PAR-001", f"this is no JSON: {str(error)[:100]}", Place(file))) from None
    if isinstance(document, dict):
        lists = [v for v in document.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
        document = max(lists, key=len, default=[])
    items = [d for d in document if isinstance(d, dict)] if isinstance(document, list) else []
    if not items:
        raise ProblemError(Problem("PAR-001", "the JSON holds no list of cables or devices", Place(file)))
    if any(isinstance(d.get("ports"), list) for d in items):
        return _topology_rows(items)
    keys = list(dict.fromkeys(k for d in items for k in d))
    return [tuple(keys), *(tuple(d.get(k) for k in keys) for d in items)]


def _topology_rows(devices: list[dict[str, Any]]) -> list[Cells]:
    names = {d.get("id"): str(d.get("common_name") or d.get("name") or d.get("id")) for d in devices}
    kinds = {d.get("id"): str(d.get("type") or "") for d in devices}
    out: list[Cells] = [("node_type", "source", "slot", "port", "speed", "peer_type", "destination", "slot", "port")]
    for device in devices:
        for port in device.get("ports") or []:
            if not isinstance(port, dict):
                out.append(("", "", "", "", "", "", "", "", ""))
                continue
            far = port.get("destination_node_id")
            mine = (kinds.get(device.get("id"), ""), names.get(device.get("id"), ""), port.get("slot"), port.get("port"))
            theirs = (kinds.get(far, ""), names.get(far, ""), port.get("destination_slot"), port.get("destination_port"))
            out.append((*mine, port.get("speed"), *theirs))
    return out


def _table(
    rows: Rows, name: str, table: Iterable[Cells], wanted: Mapping[str, str], offset: int, headers: list[Columns]
) -> int:
    """Read one sheet or file: rows before a header carry nothing, rows after one are links. Returns how many rows it has."""
    current: Columns | None = None
    last = {"a_device": "", "b_device": ""}
    number = 0
    for number, cells in enumerate(table, start=1):
        line = offset + number
        if not any(str(c).strip() for c in cells if c is not None):
            rows.ignorable += 1
            last = {"a_device": "", "b_device": ""}
            continue
        if len(cells) == 1 and str(cells[0]).startswith("\0"):
            rows.skip(line, str(cells[0])[1:])
            continue
        found = _header(cells, wanted, name, number, current)
        if found is not None:
            headers.append(found)
            current = found if found.complete else current
            rows.ignorable += 1
        elif current is None:
            rows.ignorable += 1
        else:
            _row(rows, line, cells, current, last)
    return number


def _header(cells: Cells, wanted: Mapping[str, str], file: str, line: int, current: Columns | None) -> Columns | None:
    """The columns when this row is a header: its words tell both devices, or the user's headers are all in it."""
    said = guess(cells)
    if wanted:
        if current is not None:
            return said if said.header == current.header else None
        words = {str(c).strip().lower() for c in cells if c is not None}
        named = [h for h in wanted.values() if not h.isdigit()]
        if named and not any(h.lower() in words for h in named):
            return None
        if not named and len(cells) < max(int(h) for h in wanted.values()):
            return None
        return asked(dict(wanted), cells, file, line)
    return said if "a_device" in said.at and "b_device" in said.at else None


def _row(rows: Rows, line: int, cells: Cells, columns: Columns, last: dict[str, str]) -> None:
    texts = {name: _cell(cells, at) for name, at in columns.at.items()}
    for side in ("a_device", "b_device"):
        other = "b_device" if side == "a_device" else "a_device"
        if not texts[side] and texts[other] and last[side] and texts.get(f"{side[0]}_port"):
            texts[side] = last[side]
        last[side] = texts[side] or last[side]
    for side in "ab":
        slot = texts.pop(f"{side}_slot", "")
        if slot and texts[f"{side}_port"]:
            texts[f"{side}_port"] = f"{slot}:{texts[f'{side}_port']}"
    absent = [name for name in NEEDED if not texts[name]]
    if absent:
        rows.skip(line, f"no {', '.join(a.replace('_', ' end ') for a in absent)}")
        return
    rows.add(line, **texts)


def _cell(cells: Cells, at: int) -> str:
    value = cells[at] if at < len(cells) else None
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _no_header(file: str, headers: list[Columns], wanted: Mapping[str, str]) -> None:
    best = max(headers, key=lambda h: sum(n in h.at for n in NEEDED), default=None)
    absent = [n for n in NEEDED if best is None or n not in best.at]
    what = f"no header row names {', '.join(absent)}" if best else "no row reads like a header of a cable list"
    shown = f"; the headers are {', '.join(repr(c) for c in best.header if c)}" if best else ""
    raise ProblemError(
        Problem(
            "PAR-002",
            what,
            Place(file),
            why="a link is two devices and two ports",
            fix=f"say which column is which: --columns a_device=…,a_port=…,b_device=…,b_port=…{shown}",
        )
    )
