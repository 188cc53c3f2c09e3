"""Rows of several fact tables from one text of a host: what `Listener` hears becomes rows of whoever said it."""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping

from asbuilt.base.table import Schema
from asbuilt.model.facts import Facts
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, Said, as_utf8

_ADDRESS = re.compile(r"^(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.([0-7]))?$")


def pci_address(text: str | None) -> str | None:
    """``dddd:bb:dd.f`` in lower case, with domain 0000 and function 0 where they are left out; None for no PCI address.

    Domains of eight digits (NVIDIA drivers print them) lose their leading zeros down to four; one above ffff keeps its digits.
    """
    found = _ADDRESS.match((text or "").strip())
    if found is None:
        return None
    domain = f"{int(found[1] or '0', 16):04x}"
    return f"{domain}:{found[2]}:{found[3]}.{found[4] or '0'}".lower()


def no_word(text: str) -> str | None:
    """``text`` without blanks around it; None for what tools print when there is nothing."""
    word = text.strip()
    return None if word.lower() in ("", "n/a", "na", "none", "--", "-", "unknown") else word


def plain(value: object, most: int = 200) -> str | None:
    """A text of a JSON document as UTF-8 can hold it, without control characters; None for what is no text, or empty."""
    if not isinstance(value, str):
        return None
    clean = "".join(c for c in value.encode("utf-8", "replace").decode() if c.isprintable())[:most].strip()
    return clean or None


class Told:
    """A text read line by line into rows of several tables. The line of a row is claimed as a fact when the row is added."""

    def __init__(
        self,
        data: bytes,
        capture_id: str,
        subject: str,
        own: re.Pattern[str],
        tool: str,
        quiet: re.Pattern[bytes] | None = None,
    ) -> None:
        self.listener = Listener(as_utf8(data), subject, own, quiet)
        self.account = self.listener.account
        self.capture_id, self.tool = capture_id, tool
        self.notes: list[str] = []
        self._rows: dict[str, tuple[Schema, list[dict[str, Any]]]] = {}

    def __iter__(self) -> Iterator[Said]:
        return iter(self.listener)

    def add(self, schema: Schema, said: Said, row: Mapping[str, Any], *lines: int) -> None:
        """One row for every host that says ``said``; ``lines`` are further lines that it rests on."""
        rows = self._rows.setdefault(schema.name, (schema, []))[1]
        rows += [{"line": said.number, **row, "host": host} for host in said.speaker.hosts]
        self.account.fact(said.number, *lines)

    def ignore(self, said: Said) -> None:
        """The line says nothing that a fact table holds."""
        self.account.ignore(said.number)

    def note(self, text: str) -> None:
        """A note of the capture, once."""
        words = f"{self.capture_id}: {text}"
        if words not in self.notes:
            self.notes.append(words)

    def facts(self) -> Facts:
        """All that was told."""
        tables = fact_rows.RowTables(self._rows, self.capture_id) if self._rows else {}
        return Facts(tables, {self.capture_id: self.account.result()}, tuple(self.notes), self.tool)
