"""The log of the NVIDIA Fabric Manager: its version, errors of NVSwitches (SXid), faults, and that it was configured.

A record begins with ``[Dec 18 2024 19:09:50] [ERROR] [tid 1374]``; lines without that beginning belong to the record before.
Times carry no zone and are kept as printed, in ISO form. Records of the level INFO that say none of this give no fact.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers.gpu_words import Gathered
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.told_rows import pci_address

TOOL = "fabricmanager-log"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RECORD = re.compile(rf"^\[({'|'.join(_MONTHS)}) (\d\d) (\d{{4}}) (\d\d:\d\d:\d\d)\] \[([A-Z]{{4,9}})\] \[tid \d+\] ?(.*)$")
_OWN = re.compile(rf"{_RECORD.pattern}|^Message payload details:")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\[[A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d\] \[[A-Z]{4,9}\] \[tid \d+\] ", re.M)
_SXID = re.compile(
    r"detected NVSwitch (non-fatal|fatal) error (\d{4,6})\b.*?(?:pci bus id ([0-9A-Fa-f:.]{7,16}))?(?: physical id \d+)?"
    r"(?: port (\d{1,3}))?$",
    re.I,
)
_BUS = re.compile(r"pci bus id ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])", re.I)
_VERSION = re.compile(r"^Fabric Manager version (\d[\w.-]*) is running")
_CONFIGURED = re.compile(r"^Successfully configured all the available (?:GPUs|NVSwitches|NVLinks)", re.I)
_LEVELS = {"WARNING": "warning", "WARN": "warning", "ERROR": "uncorrected", "CRITICAL": "fatal", "FATAL": "fatal"}


def sniff(data: bytes) -> bool:
    """True for a text with records of this log."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``event_facts`` (sources ``sxid`` and ``fabric_manager``) and the version. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    out = Gathered(listener.account)
    begun: set[tuple[str | None, ...]] = set()
    for said in listener:
        record = _RECORD.match(said.text)
        if record is not None:
            begun.add(said.speaker.hosts)
            if said.closed:
                _record(out, said, record)
        elif said.speaker.hosts in begun and said.closed:
            out.account.ignore(said.number)
    return out.facts(capture_id, TOOL)


def _record(out: Gathered, said: Said, record: re.Match[str]) -> None:
    month, day, year, clock, level, message = record.groups()
    time = f"{year}-{_MONTHS.index(month) + 1:02d}-{day}T{clock}"
    if sxid := _SXID.search(message):
        bus = _BUS.search(message)
        out.add(
            EVENT_FACTS, said, source="sxid", code=sxid[2], device=pci_address(bus[1]) if bus else None, time=time,
            severity="fatal" if sxid[1].lower() == "fatal" else "warning", message=message[:500],
        )  # fmt: skip
    elif version := _VERSION.match(message):
        out.version(said.speaker.hosts, said.number, "fabric_manager", version[1])
        out.account.fact(said.number)
    elif _CONFIGURED.match(message) or level in _LEVELS:
        out.add(
            EVENT_FACTS, said, source="fabric_manager", code="configured" if level not in _LEVELS else level.lower(), time=time,
            severity=_LEVELS.get(level, "info"), message=message[:500],
        )  # fmt: skip
    else:
        out.account.ignore(said.number)
