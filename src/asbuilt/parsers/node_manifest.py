"""``manifest.tsv`` of a node's archive (`model.capture_set`): which questions were asked, and how each ended.

A row is whole when its line end stands: its last cell is the command, which has no closing token of its own.
"""

from __future__ import annotations

import re

from asbuilt.model.capture_set import MANIFEST_COLUMNS, MANIFEST_MARK, OUTCOMES
from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import COMMAND_FACTS
from asbuilt.parsers.fact_rows import RowTables, real
from asbuilt.parsers.host_lines import LONGEST_LINE, TIME, Account, host_of_subject, plain_text, split_lines

TOOL = "node-manifest"
_ID = re.compile(r"^[a-z][a-z0-9_-]{0,40}$")
_CODE = re.compile(r"^(?:-|\d{1,5})$")
_TIME = re.compile(rf"^{TIME}$")
_HEADER = list(MANIFEST_COLUMNS)


def sniff(data: bytes) -> bool:
    """True for a text that begins with the mark of the capture set and holds its header."""
    return data.startswith(MANIFEST_MARK.encode()) and "\t".join(_HEADER).encode() in data[:1000]


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``command_facts``, one row per question; of two rows of one question the first stands. Never raises."""
    lines = split_lines(data)
    account = Account(lines)
    host, _ = host_of_subject(subject)
    rows: list[dict[str, object]] = []
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            account.unread(number, "longer than a line can be")
            continue
        text = plain_text(line)
        if not text or text.startswith(MANIFEST_MARK) or text.split("\t") == _HEADER:
            account.ignore(number)
            continue
        row = _row(line.decode("utf-8", "replace")) if data.endswith(b"\n") or number < len(lines) else None
        if row is not None:
            account.fact(number)
            rows.append(row | {"host": host, "line": number})
    tables = RowTables({COMMAND_FACTS.name: (COMMAND_FACTS, rows)}, capture_id) if rows else {}
    return Facts(tables, {capture_id: account.result()}, (), TOOL)


def _row(line: str) -> dict[str, object] | None:
    """The cells of one question, or None for what the script does not write."""
    cells = line.rstrip("\r").split("\t")
    if len(cells) != len(_HEADER):
        return None
    id, code, seconds, started, outcome, _ = cells
    took = real(seconds)
    if not _ID.match(id) or not _CODE.match(code) or outcome not in OUTCOMES or not _TIME.match(started):
        return None
    if took is None or took < 0:
        return None
    return {
        "command": id,
        "outcome": outcome,
        "exit_code": None if code == "-" else int(code),
        "seconds": took,
        "time": started,
    }
