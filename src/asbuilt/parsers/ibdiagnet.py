"""What ``ibdiagnet`` prints (console, ``ibdiagnet.log``), versions 1 and 2: complaints, managers, and stages.

Every ``-W-`` and ``-E-`` line is a row of `SM_LOG_FACTS` (code ``W`` or ``E``): ``duplicate`` where it speaks of duplicate
GUIDs, LIDs or names, ``topology`` where it speaks of the cabling or of links, ``ignored`` where of its own missing input, else
``error``. Managers become `SM_FACTS`.
Progress, titles, plugins and stages without a finding are ignorable; a stage with warnings or errors is a note. Who counts
what: a counter past its threshold stands in a ``-W-`` line that names both ends of a link and can't tell which one counted;
the numbers are in ``db_csv`` (`ibdiagnet_csv`).
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import SM_FACTS, SM_LOG_FACTS
from asbuilt.parsers import fact_rows
from asbuilt.parsers.host_lines import Listener, as_utf8

TOOL = "ibdiagnet"
_MARKED = re.compile(r"^-([IWE])-\s?(.*)$")
_MARK_RULE = re.compile(r"^(?:-[IWE]-?)?-{6,}$")
_STAGE = re.compile(r"^(?:-I-)?\s*([A-Z][\w /&()-]{1,60}?)\s{2,}(\d{1,9})\s+(\d{1,9})\s*(?:\S.*)?$")
_STAGE_HEAD = re.compile(r"^(?:-I-)?\s*(?:STAGE|Stage)\s+(Errors|Warnings)\s+(?:Errors|Warnings)(?:\s+Comment)?\s*$")
_SM_STATE = re.compile(r"^\s*SM - (master|standby|discovering|not-?active)\s*$", re.I)
_SM = re.compile(r"^.*\blid=(0x[0-9a-fA-F]{1,4})\s+guid=(0x[0-9a-fA-F]{1,16})\b.*\bpriority:(\d{1,2})\s*$")
_CHATTER = re.compile(
    r"^\s*(?:Load(?:ing)? (?:Plugins|IBDIAGNET|IBDM) from:.*|\(You can specify.*|Plugin Name\s+Result\s+Comment"
    r"|\S+_plugin-?\S*\s+(?:Succeeded|Failed|Skipped).*|Please see \S+ for complete log.*|Reports regarding cluster links.*"
    r"|STAGE\s.*)$"
)
_TITLE = re.compile(r"^[A-Z][\w /&().,-]{1,80}$")
_OWN = re.compile(rf"{_MARKED.pattern}|{_MARK_RULE.pattern}|{_CHATTER.pattern}")
_DUPLICATE = re.compile(r"(?i)\bduplicat")
_TOPOLOGY = re.compile(r"(?i)\btopolog|\bcabl|\bbad link|\blink\b.*\b(?:unmatched|down|width|speed)\b|connected to")
#: What ibdiagnet says of its own command line.
_OWN_INPUT = re.compile(r"(?i)^-W- topology file is not specified")
_SNIFFED = 1 << 16
_SIGN = re.compile(
    rb"^(?:-[IWE]- (?:Discovering|Using port \d+ as the local|Stages Status|Stage\s+Warnings|Lids Check|Bad Guids)"
    rb"|Load(?:ing)? (?:IBDIAGNET|Plugins) from:)",
    re.M,
)


def sniff(data: bytes) -> bool:
    """True for a text with one of the lines that ibdiagnet opens or closes a run with."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``sm_log_facts`` and ``sm_facts``. Never raises."""
    listener = Listener(as_utf8(data), "", _OWN)
    reader = _Reader(listener)
    for said in listener:
        if said.closed:
            reader.hear(said.number, said.text)
    tables = fact_rows.table(SM_LOG_FACTS, reader.complaints, capture_id) | fact_rows.table(
        SM_FACTS, reader.managers, capture_id
    )
    notes = tuple(f"{capture_id}: {note}" for note in reader.stages)
    return Facts(tables, {capture_id: listener.account.result()}, notes, TOOL)


class _Reader:
    """Line by line: whether stages are listed, which state the managers that follow have, whether a title may come."""

    def __init__(self, listener: Listener) -> None:
        self.account = listener.account
        self.complaints: list[dict[str, Any]] = []
        self.managers: list[dict[str, Any]] = []
        self.stages: list[str] = []
        self._errors_first: bool | None = None
        self._state = ""
        self._ruled = False

    def hear(self, number: int, text: str) -> None:
        ruled, self._ruled = self._ruled, False
        marked = _MARKED.match(text)
        if _MARK_RULE.match(text):
            self._ruled = True
            self.account.ignore(number)
        elif marked and marked[1] != "I":
            self._complain(number, marked[1], text)
        elif state := _SM_STATE.match(marked[2] if marked else text):
            self._state = state[1].lower().replace("-", "")
            self.account.ignore(number)
        elif self._state and (manager := _SM.match(text)):
            self._manage(number, manager)
        elif head := _STAGE_HEAD.match(text):
            self._errors_first = head[1] == "Errors"
            self.account.ignore(number)
        elif self._errors_first is not None and (stage := _STAGE.match(text)):
            self._stage(number, stage)
        elif marked or _CHATTER.match(text) or (ruled and _TITLE.match(text)):
            self.account.ignore(number)

    def _complain(self, number: int, code: str, text: str) -> None:
        kinds = (("ignored", _OWN_INPUT), ("duplicate", _DUPLICATE), ("topology", _TOPOLOGY))
        what = next((word for word, pattern in kinds if pattern.search(text)), "error")
        self.complaints.append({"code": code, "what": what, "message": text[:2000], "line": number})
        self.account.fact(number)

    def _manage(self, number: int, manager: re.Match[str]) -> None:
        row = {"lid": int(manager[1], 16) or None, "guid": fact_rows.guid(manager[2]), "priority": int(manager[3])}
        self.managers.append({**row, "state": self._state, "listed": True, "line": number})
        self.account.fact(number)

    def _stage(self, number: int, stage: re.Match[str]) -> None:
        errors, warnings = (stage[2], stage[3]) if self._errors_first else (stage[3], stage[2])
        if int(errors) or int(warnings):
            self.stages.append(f"stage {stage[1]}: {int(errors)} errors, {int(warnings)} warnings")
        self.account.ignore(number)
