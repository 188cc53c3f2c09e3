"""The plan's name: a hash over what it was made from and every row that came out.

SHA-256 over the canonical requirement, the catalogue entries used with the file each came from, and each table's rows in
declared order. Rows are hashed as canonical column bytes, so that the same plan has the same name in every process, on every
machine and with every number of threads; program and library versions are not part of it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.decode_requirement import canonical
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES

#: Digits that name a plan's folder.
SHORT = 12


def canonical_json(value: Any) -> bytes:
    """``value`` as JSON with sorted keys and no spaces; dataclasses as objects, without fields that are None or empty."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((f.name, _plain(getattr(value, f.name))) for f in dataclasses.fields(value))
        return {k: v for k, v in pairs if v not in (None, {}, [])}
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def table_digest(frame: pl.DataFrame) -> bytes:
    """SHA-256 over a table: column names and dtypes, then per column the validity and the values of its rows in order."""
    out = hashlib.sha256()
    out.update(json.dumps([(n, str(t)) for n, t in frame.schema.items()]).encode())
    out.update(frame.height.to_bytes(8, "little"))
    for column in frame.iter_columns():
        out.update(np.packbits(column.is_null().to_numpy()).tobytes() if column.null_count() else b"all")
        if column.dtype == pl.String:
            text = column.fill_null("")
            out.update(text.str.len_bytes().to_numpy().astype("<u4").tobytes())
            out.update("".join(text.to_list()).encode() if frame.height < _SMALL else _joined(text))
        elif column.dtype == pl.Boolean:
            out.update(np.packbits(column.fill_null(False).to_numpy()).tobytes())
        else:
            kind = "<f8" if column.dtype == pl.Float64 else "<i8"
            out.update(column.fill_null(0).to_numpy().astype(kind).tobytes())
    return out.digest()


_SMALL = 1000


def _joined(text: pl.Series) -> bytes:
    """All strings end to end, without a Python object for each."""
    whole = text.str.join("").item()
    return bytes(whole.encode())


def entries_used(plan: Plan, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Catalogue entries that a plan names or cites: kind, id, file, and every figure."""
    named = {tuple(c.what.split(" ")[0].split("/", 1)) for c in (plan.design.citations if plan.design else ())}
    for table, column, kinds in _NAMING:
        if plan.has(table):
            named |= {(kind, part) for part in plan.table(table)[column].unique() for kind in kinds}
    out = []
    for kind, part_id in sorted(n for n in named if len(n) == 2):
        if kind in catalogue.kinds() and catalogue.has(kind, part_id):
            part = catalogue.get(kind, part_id)
            out.append({"kind": kind, "id": part_id, "file": part.file, "figures": dict(part.figures)})
    return out


_NAMING: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("nodes", "system", ("system", "switch")),
    ("gpus", "model", ("gpu",)),
    ("nics", "part", ("nic",)),
    ("switches", "model", ("switch",)),
    ("jumpers", "part", ("cable",)),
    ("transceivers", "part", ("optic",)),
    ("trunks", "part", ("fibre",)),
    ("panels", "part", ("fibre",)),
    ("channels", "phy", ("fibre",)),
)


def plan_hash(plan: Plan, catalogue: Catalogue) -> str:
    """The plan's SHA-256, 64 hex digits."""
    out = hashlib.sha256()
    if plan.design is not None:
        out.update(canonical(plan.design.requirement))
    out.update(canonical_json(entries_used(plan, catalogue)))
    for name in _in_order(plan.tables):
        out.update(name.encode() + b"\0" + table_digest(plan.tables[name]))
    return out.hexdigest()


def _in_order(tables: Iterable[str]) -> list[str]:
    known = [t for t in PLAN_TABLES if t in set(tables)]
    return [*known, *sorted(set(tables) - set(known))]


def part_digests(plan: Plan, catalogue: Catalogue) -> dict[str, str]:
    """A short digest of the figures of every catalogue part that a plan uses, by ``kind/id``."""
    return {
        f"{e['kind']}/{e['id']}": hashlib.sha256(canonical_json(e["figures"])).hexdigest()[:SHORT]
        for e in entries_used(plan, catalogue)
    }


def named(plan: Plan, catalogue: Catalogue) -> Plan:
    """``plan`` with its hash, and the digests of the parts that it was made with."""
    return replace(plan, plan_hash=plan_hash(plan, catalogue), parts=part_digests(plan, catalogue))
