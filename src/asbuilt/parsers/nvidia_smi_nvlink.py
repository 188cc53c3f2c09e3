"""``nvidia-smi nvlink``: state and rate (``-s``), errors (``-e``), capabilities (``-c``) and far sides (``-p``, ``-R``).

A link that is ``<inactive>`` is a fact. Error counters of one link come on several lines: they are one row, which stands when
the next link, the next GPU or the line of the CRC errors comes; a link that the end of the capture cuts is unread.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FACTS
from asbuilt.model.facts_node import EVENT_FACTS, IDENTITY_FACTS
from asbuilt.parsers.gpu_words import FAILED, Gathered, number, told, uuid
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.nvidia_smi_list import GPU
from asbuilt.parsers.told_rows import pci_address

TOOL = "nvidia-smi-nvlink"
_STATE = re.compile(r"^\s*Link (\d{1,3}): (?:(\d{1,5}(?:\.\d{1,6})?) GB/s|(<inactive>|N/A))$")
_ERROR = re.compile(r"^\s*Link (\d{1,3}): (Replay|Recovery|CRC)(?: FLIT| Data)? Errors?: (\S{1,24})$")
_REMOTE = re.compile(r"^\s*Link (\d{1,3}): Remote Device(?: Id| ID)? ?:? ?(\S{1,40}?)(?:: Link (\d{1,3})|, .*)?$")
_OTHER = re.compile(r"^\s*Link (\d{1,3})[,:] ?.*$")
_NONE = re.compile(r"^\s*NVML: Unable to retrieve NVLink information as all links are inActive\.?$", re.I)
_OWN = re.compile(rf"{GPU.pattern}|{_OTHER.pattern}|{_NONE.pattern}|{FAILED.pattern}", re.I)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*GPU \d+: .* \(UUID: ", re.M)
_LINK = re.compile(rb"^(?:[\w.-]+: )?\s*Link \d+[:,] |all links are inActive", re.M)
_COLUMNS = {"Replay": "replay_errors", "Recovery": "recovery_errors", "CRC": "crc_errors"}


def sniff(data: bytes) -> bool:
    """True for GPUs with lines of their links."""
    head = data[: 1 << 16]
    return bool(_SIGN.search(head) and _LINK.search(head))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nvlink_facts`` of every link, identities of the GPUs. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    out = Gathered(listener.account)
    reader = _Reader(out)
    for said in listener:
        reader.hear(said)
    if reader.open:
        out.note("the counters of the last link are cut: they are unread")
    return out.facts(capture_id, TOOL)


@lru_cache(maxsize=1 << 12)
def _counted(text: str) -> tuple[int, str, float | None] | None:
    """(link, column, count) of a line of errors. Most links of all machines print the same zeros."""
    found = _ERROR.match(text)
    return (int(found[1]), _COLUMNS[found[2]], number(found[3])) if found else None


@lru_cache(maxsize=1 << 12)
def _stated(text: str) -> tuple[int, bool, float | None, bool] | None:
    """(link, active, GB/s, nothing is told) of a line of a link's state."""
    found = _STATE.match(text)
    return (int(found[1]), bool(found[2]), float(found[2]) if found[2] else None, found[3] == "N/A") if found else None


class _Reader:
    """The GPU and the link that each speaker is at."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self._gpus: dict[tuple[str | None, ...], tuple[int, int, str | None]] = {}
        self.open: dict[tuple[str | None, ...], tuple[dict[str, Any], list[int]]] = {}

    def hear(self, said: Said) -> None:
        hosts, text = said.speaker.hosts, said.text
        turn, gpu, name = self._gpus.get(hosts, (-1, -1, None))
        if turn != said.speaker.turn:
            self._close(hosts)
        if "GPU " in text and (found := GPU.match(text)):
            self._close(hosts)
            name = uuid(found[3])
            self._gpus[hosts] = (said.speaker.turn, int(found[1]), name)
            if name:
                self.out.put(IDENTITY_FACTS, hosts, said.number, {"kind": "gpu_uuid", "value": name.lower()})
            self.out.account.fact(said.number)
        elif gpu < 0 or turn != said.speaker.turn:
            self.out.gave_up(said)
        elif "Error" in text and (counted := _counted(text)):
            self._error(said, gpu, name, counted)
        else:
            if said.closed:
                self._close(hosts)
            self._one(said, {"gpu": gpu, "uuid": name})

    def _one(self, said: Said, row: dict[str, Any]) -> None:
        """A line that is a statement of its own."""
        if state := _stated(said.text):
            link, active, gbytes_s, untold = state
            if not untold and (said.closed or not said.text.endswith("N/A")):
                row |= {"link": link, "active": active, "gbytes_s": gbytes_s}
                self.out.add(NVLINK_FACTS, said, **row)
            else:
                self.out.account.ignore(said.number)
        elif (found := _REMOTE.match(said.text)) and said.closed:
            remote = pci_address(found[2]) or told(found[2])
            row |= {"link": int(found[1]), "remote": f"{remote} link {found[3]}" if found[3] else remote}
            self.out.add(NVLINK_FACTS, said, **row)
        elif _NONE.match(said.text) and said.closed:
            self.out.add(
                EVENT_FACTS, said, source="nvlink", code="all_inactive", device=str(row["gpu"]), severity="fatal",
                message=said.text.strip(),
            )  # fmt: skip
        elif _OTHER.match(said.text) and said.closed:
            self.out.account.ignore(said.number)
        else:
            self.out.gave_up(said)

    def _error(self, said: Said, gpu: int, name: str | None, counted: tuple[int, str, float | None]) -> None:
        hosts, (link, column, count) = said.speaker.hosts, counted
        held = self.open.get(hosts)
        if held and (held[0]["link"] != link or column in held[0]):
            self._close(hosts)
            held = None
        row, lines = held or ({"gpu": gpu, "uuid": name, "link": link, "line": said.number}, [])
        self.open[hosts] = (row, lines)
        lines.append(said.number)
        if not said.closed:
            return
        row[column] = count
        if column == "crc_errors":
            self._close(hosts)

    def _close(self, hosts: tuple[str | None, ...]) -> None:
        row, lines = self.open.pop(hosts, (None, []))
        if row is not None:
            self.out.put(NVLINK_FACTS, hosts, row["line"], row)
            self.out.account.fact(*lines)
