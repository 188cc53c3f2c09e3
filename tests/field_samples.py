"""Samples of tools in the folder of the field: which tool reads each, and what becomes of every line."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from asbuilt.model.capture import Capture
from asbuilt.model.facts import FACT_TABLES, Facts
from asbuilt.parsers.tools import TOOLS

SCHEMAS = {schema.name: schema for schema in FACT_TABLES}


def samples_of(field: Path, folders: Mapping[str, Sequence[str]]) -> list[tuple[Path, str]]:
    """(file, tool that reads it) of ``folders`` (name -> tools that may have written a file of it): the tool that alone knows
    the text, else the first of the folder's."""
    found = []
    for folder, tools in folders.items():
        for path in sorted((field / "samples" / folder).iterdir()):
            data = path.read_bytes()
            known = [t for t in TOOLS if TOOLS[t].sniff(data)]
            assert known in ([], *([t] for t in tools)), f"{path.name} is taken for {known}"
            found.append((path, known[0] if known else tools[0]))
    return found


def read(path: Path, tool: str) -> Facts:
    return TOOLS[tool].parse(Capture(path.name, path.read_bytes(), tool))


def all_accounted_for(found: Sequence[tuple[Path, str]], unread: Mapping[str, int]) -> list[str]:
    """Every line of every file is a fact, tells nothing, or is one of ``unread`` (how many by file); whole schemas.

    Prints the counts; returns the files that give no row.
    """
    totals, empty = [0, 0, 0, 0, 0], []
    print(f"\n{'file':<44}{'tool':<18}" + "".join(f"{h:>9}" for h in ("lines", "facts", "nothing", "unread", "rows")))
    for path, tool in found:
        facts = read(path, tool)
        account = facts.accounts[path.name]
        rows = sum(frame.height for frame in facts.tables.values())
        numbers = (account.total, account.facts, account.ignorable, account.unread, rows)
        print(f"{path.name:<44}{tool:<18}{''.join(f'{n:>9}' for n in numbers)}  {'; '.join(facts.notes)}")
        totals = [a + b for a, b in zip(totals, numbers, strict=True)]
        empty += [] if rows else [path.name]
        assert account.balanced, path
        assert account.unread == unread.get(path.name, 0), (path, account.unread_lines[:3])
        for name, frame in facts.tables.items():
            assert SCHEMAS[name].faults(frame) == [], (path, name)
    print(f"field: {len(found)} of {len(found)} files{' ' * 36}{''.join(f'{n:>9}' for n in totals)}")
    return empty


def indexed(field: Path, kinds: Collection[str]) -> set[str]:
    """Files (``folder/name``) of the samples' index that are of ``kinds``."""
    rows = csv.DictReader((field / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t")
    return {r["path"] for r in rows if r["kind"] in kinds}
