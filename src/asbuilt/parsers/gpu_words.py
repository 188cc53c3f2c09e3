"""Words and numbers as the tools of a machine's GPUs print them, and the sentences with which they give up.

A tool that cannot speak to the driver or to a GPU says so in a sentence instead of its answer. Such a sentence is a fact: a
row of ``event_facts`` with the source ``nvidia-smi`` and one of the codes of `SENTENCES`; the tool's other tables stay empty,
so nothing that they would have shown can pass.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Callable, Mapping

from asbuilt.base.table import Schema
from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import (
    AFFINITY_FACTS,
    DIAGNOSTIC_FACTS,
    GPU_FACTS,
    NVLINK_FABRIC_FACTS,
    NVLINK_FACTS,
    TOPOLOGY_FACTS,
)
from asbuilt.model.facts_node import EVENT_FACTS, IDENTITY_FACTS, VERSION_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Account, Said
from asbuilt.parsers.json_documents import Document, documents
from asbuilt.parsers.told_rows import pci_address

SCHEMAS: dict[str, Schema] = {
    s.name: s
    for s in (
        GPU_FACTS, NVLINK_FACTS, TOPOLOGY_FACTS, AFFINITY_FACTS, DIAGNOSTIC_FACTS, NVLINK_FABRIC_FACTS, EVENT_FACTS,
        IDENTITY_FACTS, VERSION_FACTS,
    )
}  # fmt: skip
#: What is printed where a value is not known or not there.
_UNTOLD = re.compile(
    r"^\[?(?:N/?A|Not Supported|Not Available|Not Active\?|Unknown(?: Error)?|Insufficient Permissions|GPU is lost"
    r"|GPU requires reset|Requested functionality has been deprecated|ERR!|-)?\]?$",
    re.I,
)
_NUMBER = re.compile(r"^([+-]?\d{1,20}(?:\.\d{1,9})?)(?:\s*(?:%|[A-Za-z/]{1,8}|bank\(s\)))?$")
_YES = {"enabled", "yes", "on", "active", "true", "1"}
_NO = {"disabled", "no", "off", "not active", "false", "0"}
UUID = re.compile(r"^GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", re.I)

#: Sentences of nvidia-smi that stand for an answer: code -> pattern. A PCI address in them names the GPU.
SENTENCES: dict[str, str] = {
    "no_driver": r"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
    "nvml_failed": r"Failed to initiali[sz]e NVML:",
    "no_devices": r"No devices (?:were )?found",
    "gpu_lost": r"Unable to determine the device handle for gpu\s*\S*: (?:The )?GPU is lost",
    "no_handle": r"Unable to determine the device handle for gpu",
    "inforom_corrupt": r"WARNING: infoROM is corrupted at gpu",
    "failed": r"NVIDIA-SMI has failed",
    "no_permission": r"Insufficient Permissions$",
}
FAILED = re.compile("|".join(f"(?P<{code}>^{pattern})" for code, pattern in SENTENCES.items()), re.I)
#: What follows such a sentence on lines of its own.
_AFTER = re.compile(r"^(?:NVML library version:|Make sure that the latest NVIDIA driver|Reboot the system)", re.I)
_WHERE = re.compile(r"gpu\s*([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.I)
_FATAL = {"no_driver", "nvml_failed", "no_devices", "gpu_lost", "no_handle", "failed"}


@lru_cache(maxsize=1 << 12)
def told(text: str | None) -> str | None:
    """``text`` without blanks around it; None where it says that nothing is known."""
    if text is None:
        return None
    text = text.strip()
    return None if _UNTOLD.match(text) else text


def number(text: str | None) -> float | None:
    """The number in ``81559 MiB``, ``16x``, ``-8 C``, ``0``; None for words."""
    text = (text or "").strip()
    if text.isdecimal() and text.isascii() and len(text) <= 20:  # most of them
        return float(text)
    found = _NUMBER.match(text)
    return float(found[1]) if found else None


def count(text: str | None) -> int | None:
    """A whole number, with its unit or without; None for others."""
    value = number(text)
    return int(value) if value is not None and value == int(value) and abs(value) < 1 << 53 else None


def flag(text: str | None) -> bool | None:
    """Enabled, Yes, On, Active: True; Disabled, No, Off, Not Active: False; None for others."""
    word = (text or "").strip().lower()
    return True if word in _YES else False if word in _NO else None


def uuid(text: str | None) -> str | None:
    """A GPU's UUID, digits in lower case; what is masked or of another form is kept out."""
    word = (text or "").strip()
    return f"GPU-{word[4:].lower()}" if UUID.match(word) else None


def serial(text: str | None) -> str | None:
    """A serial number; 0, which some boards hold, and a word that somebody put in its place are none."""
    word = told(text)
    return word if word and word.strip("0") and any(c.isdigit() for c in word) else None


class Gathered:
    """Rows by table as a parser comes to them, and what became of the lines."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.notes: list[str] = []

    def add(self, schema: Schema, said: Said, **values: Any) -> None:
        """One row for each host that said it; the line becomes a fact."""
        self.put(schema, said.speaker.hosts, said.number, values)
        self.account.fact(said.number)

    def put(self, schema: Schema, hosts: tuple[str | None, ...], line: int, values: Mapping[str, Any]) -> None:
        """One row for each host; lines are left as they are."""
        rows = self.rows.setdefault(schema.name, [])
        for value in values.values():
            if isinstance(value, str) and not value.isascii():
                # JSON may name half of a surrogate pair, which no table can hold.
                values = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in values.items()}
                break
        for host in hosts:
            rows.append({"line": line, **values, "host": host})

    def gpu(self, hosts: tuple[str | None, ...], line: int, values: Mapping[str, Any]) -> None:
        """A row of ``gpu_facts``, its identities and its VBIOS."""
        self.put(GPU_FACTS, hosts, line, values)
        for kind in ("uuid", "serial"):
            if values.get(kind):
                value = str(values[kind])
                self.put(
                    IDENTITY_FACTS, hosts, line, {"kind": f"gpu_{kind}", "value": value.lower() if kind == "uuid" else value}
                )
        if values.get("vbios"):
            device = values.get("address") or values.get("uuid") or values.get("index")
            self.version(
                hosts, line, "vbios", str(values["vbios"]), None if device is None else str(device), values.get("name")
            )

    def version(
        self, hosts: tuple[str | None, ...], line: int, component: str, version: str, device: str | None = None,
        part: str | None = None,
    ) -> None:  # fmt: skip
        """A row of ``version_facts``."""
        row = {"component": component, "version": version, "device": device, "part": part}
        self.put(VERSION_FACTS, hosts, line, row)

    def note(self, text: str) -> None:
        """A remark about the whole capture, once."""
        if text not in self.notes:
            self.notes.append(text)

    def gave_up(self, said: Said) -> bool:
        """Take a sentence that stands for an answer; False for other lines. A sentence that may be cut is unread."""
        found = FAILED.match(said.text.strip())
        if found is None:
            if not _AFTER.match(said.text.strip()):
                return False
            self.account.ignore(said.number)
            return True
        if said.closed:
            code = str(found.lastgroup)
            where = _WHERE.search(said.text)
            self.add(
                EVENT_FACTS, said, source="nvidia-smi", code=code, device=pci_address(where[1]) if where else None,
                severity="fatal" if code in _FATAL else "warning", message=said.text.strip()[:500],
            )  # fmt: skip
        return True

    def facts(self, capture_id: str, tool: str) -> Facts:
        """Everything gathered, as `Facts`."""
        told = {name: (SCHEMAS[name], rows) for name, rows in self.rows.items()}
        tables = fact_rows.RowTables(told, capture_id) if told else {}
        notes = tuple(f"{capture_id}: {note}" for note in self.notes)
        return Facts(tables, {capture_id: self.account.result()}, notes, tool)


def of_documents(text: bytes, subject: str, capture_id: str, tool: str, take: Callable[[Gathered, Document], None]) -> Facts:
    """What the JSON documents of a text tell: ``take`` adds the rows of one."""
    account, found = documents(text, subject)
    out = Gathered(account)
    for document in found:
        take(out, document)
    return out.facts(capture_id, tool)
