"""NetBox exports as tables: CSV (its import form, its lists, its interface connections) and JSON (ours, or its API's answers).

What a file is, its columns or keys tell. Every row is accounted for: told something, carries nothing here, or unread.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.parsers.plans.text import decoded

if TYPE_CHECKING:
    import polars as pl

CABLE, DEVICE, RACK, INTERFACE, FRONT, REAR = "cable", "device", "rack", "interface", "front", "rear"
_TAGS = ("id", "link", "jumper", "part", "plane", "rate_gbps", "phase", "x_mm", "y_mm")
#: Columns of each table, all text. ``key`` is the natural key (custom field ``asbuilt_id``), ``place`` the position in a row.
COLUMNS = {
    CABLE: (
        "a_device",
        "a_type",
        "a_name",
        "b_device",
        "b_type",
        "b_name",
        "a_role",
        "b_role",
        "a_rack",
        "b_rack",
        "type",
        "label",
        "color",
        "length",
        "length_unit",
        "description",
        "key",
        "link",
        "jumper",
        "part",
        "plane",
        "rate_gbps",
        "phase",
    ),
    DEVICE: ("name", "role", "rack", "position", "face", "height_u", "key", "part", "phase"),
    RACK: ("name", "location", "role", "u_height", "key", "phase", "place", "x_mm", "y_mm"),
    INTERFACE: ("device", "name", "label", "type", "speed"),
    FRONT: ("device", "name", "rear_port", "rear_port_position"),
    REAR: ("device", "name", "positions"),
}
#: Column words of NetBox's CSV (small letters, ``_`` for what is no letter or digit) -> our column.
_WORDS = {
    CABLE: {
        "side_a_device": "a_device",
        "side_a_power_panel": "a_device",
        "side_a_type": "a_type",
        "side_a_name": "a_name",
        "side_b_device": "b_device",
        "side_b_power_panel": "b_device",
        "side_b_type": "b_type",
        "side_b_name": "b_name",
        "device_a": "a_device",
        "termination_a": "a_name",
        "interface_a": "a_name",
        "a_interface": "a_name",
        "device_b": "b_device",
        "termination_b": "b_name",
        "interface_b": "b_name",
        "b_interface": "b_name",
        "rack_a": "a_rack",
        "rack_b": "b_rack",
    },
    DEVICE: {"device_role": "role"},
    RACK: {"height": "u_height", "asbuilt_position": "place"},
    FRONT: {"rear_port_name": "rear_port", "position": "rear_port_position"},
}
_MODELS = {
    "dcim.cable": CABLE,
    "dcim.device": DEVICE,
    "dcim.rack": RACK,
    "dcim.interface": INTERFACE,
    "dcim.frontport": FRONT,
    "dcim.rearport": REAR,
}
_IGNORED = "other"
_OURS = "asbuilt-netbox/v1"
_GUARDED = re.compile(r"^'[=+\-@\t\r\n]")


@dataclass
class Found:
    """What files held: the columns of each table with the file and row of each record, and the count of all rows."""

    tables: dict[str, dict[str, list[str]]] = field(default_factory=lambda: {k: {c: [] for c in v} for k, v in COLUMNS.items()})
    files: dict[str, list[str]] = field(default_factory=lambda: {k: [] for k in COLUMNS})
    lines: dict[str, list[int]] = field(default_factory=lambda: {k: [] for k in COLUMNS})
    total: int = 0
    ignorable: int = 0
    unread: list[tuple[str, int, str]] = field(default_factory=list)

    def add(self, kind: str, file: str, line: int, record: dict[str, str]) -> None:
        """One record; columns that it does not have are empty."""
        self.files[kind].append(file)
        self.lines[kind].append(line)
        for name, column in self.tables[kind].items():
            column.append(record.get(name, ""))

    def frame(self, kind: str) -> pl.DataFrame:
        """A table as text columns, with ``file`` and ``line``."""
        import polars as pl

        columns = {"file": self.files[kind], "line": self.lines[kind], **self.tables[kind]}
        schema = {name: pl.Int64 if name == "line" else pl.String for name in columns}
        return pl.DataFrame(columns, schema=schema)


def sniff(data: bytes) -> bool:
    """True for our own document, and for a CSV whose header is that of NetBox's cables. Other lists must be named as its."""
    head = data[: 1 << 16]
    if head.lstrip()[:1] == b"{":
        return _OURS.encode() in head[:200]
    if b"\0" in head:
        return False
    words = {_word(w) for w in next(csv.reader([head.decode("utf-8-sig", "replace").split("\n", 1)[0][:20_000]]), [])}
    return _kind(words) == CABLE and bool({"side_a_name", "termination_a"} & words)


def take(found: Found, data: bytes, file: str) -> None:
    """Add the records of one file. Raises `ProblemError` PAR-001 for what is no NetBox export, PAR-004 for too many bytes."""
    text = decoded(data, file)
    if text.lstrip()[:1] in ("{", "["):
        _take_json(found, text, file)
    else:
        _take_csv(found, text, file)


def _word(header: str) -> str:
    word = re.sub(r"[^a-z0-9]+", "_", header.strip().lower()).strip("_")
    return word.removeprefix("cf_")


def _kind(words: set[str]) -> str:
    """Which table a CSV with these columns is; ``other`` for lists that say nothing of links, empty for none of NetBox."""
    ends = [{f"side_{s}_name", f"termination_{s}", f"interface_{s}", f"{s}_interface"} & words for s in "ab"]
    if all(ends):
        return CABLE
    if "device" in words and "name" in words:
        if "rear_port" in words:
            return FRONT
        if "positions" in words:
            return REAR
        return _IGNORED if words & {"maximum_draw", "feed_leg", "power_port"} else INTERFACE
    if "name" in words and (words & {"device_type", "manufacturer"} or {"rack", "role"} <= words) and "slug" not in words:
        return _IGNORED if "power_panel" in words else DEVICE
    if "name" in words and words & {"u_height", "height"}:
        return RACK
    return _IGNORED if words & {"slug", "power_panel", "object_types"} or {"site", "name"} <= words else ""


def _rows(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """(line on which a row ends, its cells or what is wrong with it)."""
    csv.field_size_limit(1 << 20)
    reader = csv.reader(io.StringIO(text, newline=""))
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, str(error)
            continue
        yield reader.line_num, cells


def _take_csv(found: Found, text: str, file: str) -> None:
    rows = _rows(text)
    line, header = next(((n, r) for n, r in rows if isinstance(r, str) or any(c.strip() for c in r)), (1, []))
    words = [_word(c) for c in header] if not isinstance(header, str) else []
    kind = _kind(set(words))
    if not kind:
        _refuse(file, line, text, "no column names are those of a NetBox export")
    found.total += line
    found.ignorable += line
    names = _columns(kind, words)
    before = line
    for number, cells in rows:
        # A cell may hold line breaks: a row counts as one, its further lines carry nothing.
        found.total += number - before
        found.ignorable += max(0, number - before - 1)
        before = max(before, number)
        if isinstance(cells, str):
            found.unread.append((file, number, cells))
        elif not any(c.strip() for c in cells) or kind == _IGNORED:
            found.ignorable += 1
        elif len(cells) != len(words):
            found.unread.append((file, number, f"{len(cells)} cells under {len(words)} headers"))
        else:
            record = {n: c[1:] if _GUARDED.match(c) else c for n, c in zip(names, cells, strict=True) if n}
            found.add(kind, file, number, _typed(kind, words, record))


def _columns(kind: str, words: list[str]) -> list[str]:
    """Our column of each of the file's, empty for those that say nothing here."""
    if kind == _IGNORED:
        return [""] * len(words)
    known = {
        **{c: c for c in COLUMNS[kind] if c not in ("key", "place")},
        **{f"asbuilt_{t}": t for t in _TAGS if t in COLUMNS[kind]},
        "asbuilt_id": "key",
        **_WORDS.get(kind, {}),
    }
    return [known.get(w, "") if i == words.index(w) else "" for i, w in enumerate(words)]


def _typed(kind: str, words: list[str], record: dict[str, str]) -> dict[str, str]:
    """Ends of a list of interface connections are interfaces, and nothing else."""
    if kind == CABLE and ("interface_a" in words or "a_interface" in words):
        return {**record, "a_type": "dcim.interface", "b_type": "dcim.interface", "type": ""}
    return record


def _refuse(file: str, line: int, text: str, why: str) -> None:
    shown = (text.split("\n", line)[line - 1] if text else "")[:200]
    raise ProblemError(
        Problem(
            "PAR-001",
            f"this is no NetBox export: {why}",
            Place(file, line, 1, shown, max(1, len(shown))),
            why="a plan that was misread would pass or fail for no reason",
            fix="give cables, devices, racks, interfaces, front and rear ports as NetBox exports them",
        )
    )


def _take_json(found: Found, text: str, file: str) -> None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        _refuse(file, getattr(error, "lineno", 1), text, str(error)[:100])
    if isinstance(document, dict) and document.get("schema") == _OURS:
        lists = {m: v for m, v in document.items() if isinstance(v, list)}
        _take_records(found, file, ((m, r) for m, records in lists.items() for r in records), _ends_by_number(lists))
        return
    records = document.get("results") if isinstance(document, dict) else document
    if not isinstance(records, list) or not any(_model(r) for r in records):
        _refuse(file, 1, text, "neither a list of NetBox's objects nor an answer of its API")
    assert isinstance(records, list)
    _take_records(found, file, ((_model(r), r) for r in records), {})


def _model(record: Any) -> str:
    """The model of an object of the API by its keys; ``other`` for those that say nothing of links, empty for no object."""
    if not isinstance(record, dict):
        return ""
    tests = (
        (("a_terminations", "b_terminations"), "dcim.cable"),
        (("device", "rear_port"), "dcim.frontport"),
        (("device", "positions"), "dcim.rearport"),
        (("device", "feed_leg"), _IGNORED),
        (("device", "maximum_draw"), _IGNORED),
        (("device", "name", "type"), "dcim.interface"),
        (("device_type", "name"), "dcim.device"),
        (("model", "slug"), _IGNORED),
        (("name", "u_height"), "dcim.rack"),
        (("name", "slug"), _IGNORED),
    )
    return next((model for keys, model in tests if all(k in record for k in keys)), _IGNORED if "id" in record else "")


def _ends_by_number(lists: dict[str, list[Any]]) -> dict[tuple[str, Any], tuple[str, str]]:
    """(model, number in the document) -> (device or power panel, name)."""
    found = {}
    for model, records in lists.items():
        for record in records:
            if (
                isinstance(record, dict)
                and isinstance(record.get("id"), int)
                and ("device" in record or "power_panel" in record)
            ):
                found[model, record["id"]] = (
                    _named(record.get("device") or record.get("power_panel")),
                    _text(record.get("name")),
                )
    return found


def _take_records(
    found: Found, file: str, records: Iterator[tuple[str, Any]], ends: dict[tuple[str, Any], tuple[str, str]]
) -> None:
    heights: dict[str, str] = {}
    for number, (model, record) in enumerate(records, start=1):
        found.total += 1
        kind = _MODELS.get(model)
        if not isinstance(record, dict):
            found.unread.append((file, number, "no object"))
        elif kind is None:
            found.ignorable += 1
            if "u_height" in record and "slug" in record:
                heights[_text(record["slug"])] = _text(record["u_height"])
        elif kind == CABLE:
            _take_cable(found, file, number, record, ends)
        else:
            found.add(kind, file, number, _flat(kind, record, ends, heights))


def _flat(
    kind: str, record: dict[str, Any], ends: dict[tuple[str, Any], tuple[str, str]], heights: dict[str, str]
) -> dict[str, str]:
    out = {c: _named(record.get(c)) for c in COLUMNS[kind] if c in record}
    if kind == FRONT and isinstance(record.get("rear_port"), int):
        out["rear_port"] = ends.get(("dcim.rearport", record["rear_port"]), ("", ""))[1]
    if kind == DEVICE:
        about = record.get("device_type")
        slug = about.get("slug") if isinstance(about, dict) else None
        out["height_u"] = heights.get(_text(slug), "")
        out["role"] = out.get("role") or _named(record.get("device_role"))
    out.update(_tags(kind, record))
    return out


def _tags(kind: str, record: dict[str, Any]) -> dict[str, str]:
    """Our custom fields of an object."""
    fields = record.get("custom_fields")
    if not isinstance(fields, dict):
        return {}
    names = {**{t: t for t in _TAGS if t in COLUMNS[kind]}, "id": "key"}
    if kind == RACK:
        names["position"] = "place"
    return {ours: _text(fields.get(f"asbuilt_{tag}")) for tag, ours in names.items()}


def _take_cable(
    found: Found, file: str, number: int, record: dict[str, Any], ends: dict[tuple[str, Any], tuple[str, str]]
) -> None:
    out = {c: _named(record.get(c)) for c in ("type", "label", "color", "length", "length_unit", "description")}
    for side in "ab":
        told = record.get(f"{side}_terminations")
        if not isinstance(told, list) or len(told) != 1 or not isinstance(told[0], dict):
            count = len(told) if isinstance(told, list) else 0
            found.unread.append((file, number, f"{count} ends at side {side.upper()}: a leg has one, and NetBox pairs no more"))
            return
        kind, it = _text(told[0].get("object_type")), told[0].get("object")
        if isinstance(it, dict):
            out[f"{side}_device"], out[f"{side}_name"] = (
                _named(it.get("device") or it.get("power_panel")),
                _text(it.get("name")),
            )
        else:
            where = told[0].get("object_id")
            place = ends.get((kind, where)) if isinstance(where, int) else None
            if place is None:
                found.unread.append(
                    (file, number, f"side {side.upper()} names {kind} {_text(where)}, which is not in the file")
                )
                return
            out[f"{side}_device"], out[f"{side}_name"] = place
        out[f"{side}_type"] = kind
    out.update(_tags(CABLE, record))
    found.add(CABLE, file, number, out)


def _text(value: Any) -> str:
    """A plain value as text: whole numbers without a point; anything that is none is empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if isinstance(value, int) and abs(value) < 1 << 63 else ""


def _named(value: Any) -> str:
    """A choice by its value, another object by its name, anything else as text."""
    if isinstance(value, dict):
        return next((_text(value[k]) for k in ("value", "name", "display") if k in value), "")
    return _text(value)
