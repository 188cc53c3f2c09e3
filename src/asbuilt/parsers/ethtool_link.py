"""``ethtool DEVICE``, ``-i``, ``-a``, ``-g``, ``-k`` and ``-c``: what a network interface is set to, its driver and firmware.

A setting is one row of the interface, domain ``link``, with its name as printed; those of rings and pauses that appear twice
(what is possible, what holds) tell what holds. The interface is named by the tool's first line or by the prompt before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import SETTING_FACTS, VERSION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "ethtool-link"
_DEVICE = r"[A-Za-z0-9][\w.@-]{0,31}"
_HEAD = re.compile(
    rf"^(?P<what>Settings for|Pause parameters for|Ring parameters for|Features for"
    rf"|Coalesce parameters for|Channel parameters for"
    rf"|Private flags for|FEC parameters for) (?P<device>{_DEVICE}):$"
)
_FIELD = re.compile(r"^\s*([A-Za-z][^:]{0,80}?):(?:\s+(.*))?$")
_INFO = ("driver", "version", "firmware-version", "expansion-rom-version", "bus-info")
_INFO_MORE = re.compile(r"^supports-[a-z-]+: ")
_OWN = re.compile(
    rf"^(?:\s+\S|{_HEAD.pattern[1:]}|(?:{'|'.join(_INFO)}):|supports-[a-z-]+: |Pre-set maximums:|Current hardware settings:"
    r"|(?:RX|TX|RX Mini|RX Jumbo|TX push|Autonegotiate|RX negotiated|TX negotiated|Other|Combined|Adaptive RX"
    r"|Cannot get|netlink error|[a-z][a-z0-9_-]{2,40}):?)"
)
_SIGN = re.compile(
    rb"^(?:[\w.-]+: )?(?:(?:Settings|Pause parameters|Ring parameters|Features|Coalesce parameters"
    rb"|Channel parameters) for [\w.@-]{1,32}:"
    rb"|driver: \S+\r?\n(?:[\w.-]+: )?version: .*\n(?:[\w.-]+: )?firmware-version: )",
    re.M,
)
#: Fields of ``Settings`` that tell what could be; they run over several lines and are no settings.
_POSSIBLE = re.compile(r"^(?:Supported|Advertised|Link partner advertised) ")
_NO_VALUE = ("", "n/a", "Unknown!", "Not reported")
_REFUSED = re.compile(r"^(?:Cannot get |netlink error: |No data available|Operation not permitted)")


@dataclass(slots=True)
class _About:
    """Which interface one speaker's lines are about, and what of it."""

    device: str | None = None
    what: str = ""
    possible: bool = False
    list: bool = False
    turn: int = -1


def sniff(data: bytes) -> bool:
    """True for the head of settings of an interface, or its driver, version and firmware."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``setting_facts`` and ``version_facts``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    about: dict[tuple[str | None, ...], _About] = {}
    for said in told:
        now = about.setdefault(said.speaker.hosts, _About())
        if said.speaker.turn != now.turn:
            now.device, now.what, now.turn = _asked(said), "", said.speaker.turn
        if said.closed:
            _hear(told, now, said)
    return told.facts()


def _asked(said: Said) -> str | None:
    """The interface of the command before: its last word."""
    words = said.speaker.command
    return words[-1] if len(words) > 1 and any(w.endswith("ethtool") for w in words[:2]) and words[-1][:1] != "-" else None


def _hear(told: Told, now: _About, said: Said) -> None:
    text = said.text
    if head := _HEAD.match(text):
        now.device, now.what, now.possible, now.list = head["device"], head["what"].split()[0], False, False
        told.ignore(said)
        return
    if _REFUSED.match(text.strip()) or _INFO_MORE.match(text):
        told.ignore(said)
        return
    if text.startswith(("Pre-set maximums:", "Current hardware settings:")):
        now.possible = text.startswith("Pre")
        told.ignore(said)
        return
    found = _FIELD.match(text)
    if found is None:
        if now.list and text[0].isspace():
            told.ignore(said)
        return
    name, value = found[1].strip(), (found[2] or "").strip()
    if not now.what and name in _INFO:
        _info(told, now, said, name, value)
    elif now.what:
        now.list = bool(_POSSIBLE.match(name)) or name in ("Current message level",)
        if now.list or now.possible or value in _NO_VALUE or now.device is None:
            told.ignore(said)
        else:
            shown = name if now.what == "Settings" else f"{now.what} {name}"
            told.add(SETTING_FACTS, said, {"domain": "link", "device": now.device, "name": shown, "value": value})


def _info(told: Told, now: _About, said: Said, name: str, value: str) -> None:
    """A line of ``-i``: firmware (with the board's PSID behind it), the driver's version."""
    if name == "firmware-version" and value not in _NO_VALUE:
        version, _, psid = value.partition(" ")
        part = psid.strip("() ") or None
        told.add(VERSION_FACTS, said, {"component": "nic_firmware", "device": now.device, "part": part, "version": version})
    elif name == "driver" and value and now.device:
        told.add(SETTING_FACTS, said, {"domain": "link", "device": now.device, "name": "driver", "value": value})
    elif name == "version" and value not in _NO_VALUE and now.device:
        told.add(VERSION_FACTS, said, {"component": "link_driver", "device": now.device, "version": value})
    else:
        told.ignore(said)
