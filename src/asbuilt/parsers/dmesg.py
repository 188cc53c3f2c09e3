"""``dmesg`` in all its forms of time, ``journalctl -k`` and ``kern.log``: what happened, by `kernel_events`.

A line's time is seconds since boot (``[   12.345678]``), a date (``dmesg -T``, ``--time-format=iso``) or both (``kern.log``). A
date without its year says nothing, one without a zone is kept as printed. The first line of the log and the first one of each
further day are rows of their own (source ``log``): a log in which nothing happened was read all the same, and where it ends is
known to the day. Lines that say nothing of the kind are ignorable; lines that no kernel log writes are unread.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import EVENT_FACTS
from asbuilt.parsers.host_lines import Said, Speaker
from asbuilt.parsers.kernel_events import event
from asbuilt.parsers.told_rows import Told

TOOL = "dmesg"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = "|".join(_MONTHS)
_FACILITY = r"(?:<\d{1,3}>|[a-z]{3,9} *:[a-z]{3,7} *: ?)?"
_SECONDS = r"\[ *(?P<seconds>\d{1,10}\.\d{3,9})(?:\] ?| *<[^>]{1,20}>\] ?)(?:\[ *[TC]\d+\] ?)?"
_WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_DATED = rf"\[{_WEEKDAY} (?P<month>{_MONTH}) +(?P<day>\d{{1,2}}) (?P<clock>\d\d:\d\d:\d\d) (?P<year>\d{{4}})\] ?"
_ISO = r"(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) "
_SYSLOG = rf"(?:(?:{_MONTH}) [ \d]\d \d\d:\d\d:\d\d )"
_KERNEL = r"(?P<host>[A-Za-z0-9][\w.-]{0,252}) kernel: "
_PLAIN = re.compile(rf"^{_FACILITY}(?:{_SECONDS}|{_DATED}|{_ISO}(?!\S+ kernel: ))(?P<text>.*)$")
_JOURNAL = re.compile(rf"^(?:{_SYSLOG}|{_ISO}){_KERNEL}(?:\[ *(?P<seconds>\d{{1,10}}\.\d{{3,9}})\] ?)?(?P<text>.*)$")
_BARE = re.compile(r"^(?:NVRM: |nvidia-nvswitch\d*: |nvidia-nvlink: |mlx5_core [0-9a-f:.]+|pcieport [0-9a-f:.]+)")
#: How a line begins, without names for its parts.
_BEGIN = re.sub(r"\(\?P<\w+>", "(?:", "|".join((_SECONDS, _DATED, _ISO)))
_OWN = re.compile(rf"^(?:{_FACILITY}(?:{_BEGIN})|{_SYSLOG}\S+ kernel: |{_BARE.pattern[1:]})")
_SAYS = re.compile(r"^(?:dmesg: |-- (?:Logs begin|Journal begins|Boot |No entries|Reboot)|sudo: |Hint: )")
_SIGN = re.compile(
    (
        r"^(?:[\w.-]+: )?(?:<\d{1,3}>)?(?:\[ *\d{1,10}\.\d{6}\] "
        rf"|\[{_WEEKDAY} [A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d \d{{4}}\] "
        r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ kernel: "
        r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:?\d\d [\w.-]+ kernel: )"
    ).encode(),
    re.M,
)
_LONGEST = 500


def sniff(data: bytes) -> bool:
    """True for a text with a line of the kernel's log and its time."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``event_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    days: set[tuple[tuple[str | None, ...], str]] = set()
    begun: set[tuple[str | None, ...]] = set()
    for said in told:
        found = _PLAIN.match(said.text) or _JOURNAL.match(said.text)
        if found is None:
            _other(told, said, begun)
            continue
        if not said.closed:
            continue
        parts = found.groupdict()
        if parts.get("host") and said.speaker.hosts == (None,):
            said = said._replace(speaker=Speaker((parts["host"],), said.speaker.command, said.speaker.time, said.speaker.turn))
        _line(told, said, parts, days)
        begun.add(said.speaker.hosts)
    return told.facts()


def _line(told: Told, said: Said, parts: dict[str, str | None], days: set[tuple[tuple[str | None, ...], str]]) -> None:
    """A line with its time: an event, the first line of a day, or nothing."""
    text = parts["text"] or ""
    what = event(text)
    hosts = said.speaker.hosts
    time = _time(parts)
    new_day = (hosts, time[:10] if time else "") not in days
    if what is None and not new_day:
        told.ignore(said)
        return
    seconds = parts.get("seconds")
    at = {"seconds": float(seconds) if seconds else None, "time": time}
    days.add((hosts, time[:10] if time else ""))
    if what is None:
        told.add(EVENT_FACTS, said, {"source": "log", "code": "day", "severity": "info", "message": text[:_LONGEST], **at})
        return
    row = {"source": what.source, "code": what.code, "device": what.device, "severity": what.severity}
    told.add(EVENT_FACTS, said, {**row, "message": text[:_LONGEST], **at})


def _time(parts: dict[str, str | None]) -> str | None:
    """The date of a line in ISO form, None where it has none."""
    if iso := parts.get("iso"):
        return iso.replace(",", ".")
    if parts.get("year"):
        return f"{parts['year']}-{_MONTHS.index(parts['month'] or '') + 1:02d}-{int(parts['day'] or 0):02d}T{parts['clock']}"
    return None


def _other(told: Told, said: Said, begun: set[tuple[str | None, ...]]) -> None:
    """A line without a time: an event whose time was cut off, what the tool says itself, or the rest of the line before."""
    if not said.closed:
        return
    if _SAYS.match(said.text):
        told.ignore(said)
        if said.text.startswith("dmesg: "):
            told.note("the kernel's log could not be read")
    elif _BARE.match(said.text):
        what = event(said.text)
        if what is None:
            told.ignore(said)
            return
        row = {"source": what.source, "code": what.code, "device": what.device, "severity": what.severity}
        told.add(EVENT_FACTS, said, {**row, "message": said.text[:_LONGEST]})
    elif said.text[0].isspace() and said.speaker.hosts in begun:
        told.ignore(said)
