"""NVOS on an NVLink switch tray, as text: its chips, its parts and its health.

``nv show ib device`` lists the chips (ASIC1, ASIC2 of type NVLink-5); ``nv show platform inventory`` the parts with their
state; ``nv show system health`` the whole, and what is wrong, by component; ``nv show platform chassis-location`` where the
tray sits, which the plan knows already. Rows of ``nvlink_fabric_facts``: ``switch_chip`` (``state`` null: the list names what
the system sees and says no health) and ``switch_tray`` (``name`` is the part, or ``system`` for the whole).

Several answers may stand in one capture behind their prompts (``admin@nvlink-a-01-1:~$ nv show ib device``): the tray is the
host of the prompt, else the subject of the capture. Source: NVIDIA NVOS user manual for NVLink switches, 25.02.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FABRIC_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "nvos"
_DEVICES = re.compile(r"^Device\s+Type\s+IB Subnet\s+GUID\s+LID$")
_INVENTORY = re.compile(r"^\s*HW Version\s+Model\s+Serial\s+State\s+Type$")
_ISSUES = re.compile(r"^Component\s+Status information$")
_CHIP = re.compile(r"^(ASIC\d{1,2})\s+(NVLink-?\S*)\s")
_PART = re.compile(r"^(\S{0,59}[^\s:])\s{2,}\S.*?\s{2,}(\S{1,30})\s{2,}(\S{1,30})$")
_STATUS = re.compile(r"^status\s{2,}(\S(?:.*?\S)?)(?:\s{2,}.*)?$")
_ISSUE = re.compile(r"^(\S{0,59}[^\s:])\s{2,}(\S.*)$")
_RULE = re.compile(r"^[-=]{2,}(?:\s+-{2,})*$")
_OBJECT = re.compile(r"^\s*operational(?:\s+applied)?$")
#: What these commands print besides: heads of columns, what ``chassis-location`` says, the GUID of the whole system.
_QUIET = re.compile(
    rf"^(?:{_OBJECT.pattern[1:-1]}|Health issues|No issues.*|status-led\s.*|SYSTEM\s.*"
    r"|(?:tray-index|slot-number|chassis-sn|topology-id)\s.*)$"
)
_OWN = re.compile("|".join(p.pattern for p in (_DEVICES, _INVENTORY, _ISSUES, _RULE, _QUIET, _STATUS, _CHIP, _PART, _ISSUE)))
_SIGN = re.compile(
    rb"^(?:Device +Type +IB Subnet +GUID +LID|\s*HW Version +Model +Serial +State +Type)\s*$"
    rb"|\$ +nv show (?:ib device|system health|platform (?:inventory|chassis-location))\s*$",
    re.M,
)
_SNIFFED = 1 << 16


def sniff(data: bytes) -> bool:
    """True for one of the four answers, or for a transcript that asks for one of them."""
    return bool(_SIGN.search(data[:_SNIFFED]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nvlink_fabric_facts`` of switch trays and their chips. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    tables: dict[tuple[str | None, ...], tuple[int, str]] = {}
    for said in told:
        hosts, turn = said.speaker.hosts, said.speaker.turn
        before, table = tables.get(hosts, (turn, ""))
        if before != turn or _OBJECT.match(said.text):
            table = ""  # a prompt ends a table, and so does the head of what is no table
        head = _table(said.text)
        tables[hosts] = turn, head or table
        if head or _RULE.match(said.text) or _QUIET.match(said.text):
            told.ignore(said)
        elif said.closed:
            _row(told, said, table)
    return told.facts()


def _table(text: str) -> str:
    """Which table begins with this line; "" for none."""
    heads = {"devices": _DEVICES, "inventory": _INVENTORY, "issues": _ISSUES}
    return next((name for name, head in heads.items() if head.match(text)), "")


def _row(told: Told, said: Said, table: str) -> None:
    """A row of a table, or the one line on the health of the whole; anything else stays unread."""
    if table == "devices" and (chip := _CHIP.match(said.text)):
        told.add(NVLINK_FABRIC_FACTS, said, {"kind": "switch_chip", "name": chip[1]})
    elif table == "inventory" and (part := _PART.match(said.text)):
        told.add(NVLINK_FABRIC_FACTS, said, {"kind": "switch_tray", "name": part[1], "state": part[2].lower()})
    elif table == "issues" and (issue := _ISSUE.match(said.text)):
        told.add(NVLINK_FABRIC_FACTS, said, {"kind": "switch_tray", "name": issue[1], "state": issue[2].lower()[:120]})
    elif not table and (status := _STATUS.match(said.text)):
        told.add(NVLINK_FABRIC_FACTS, said, {"kind": "switch_tray", "name": "system", "state": status[1].lower()[:120]})
