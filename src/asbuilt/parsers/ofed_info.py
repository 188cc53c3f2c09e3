"""``ofed_info -s`` and ``ofed_info``: which release of the RDMA stack is installed. The list of packages says no more."""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import VERSION_FACTS
from asbuilt.parsers.told_rows import Told

TOOL = "ofed_info"
_NAME = r"(?:MLNX_OFED_LINUX|MLNX_EN|OFED-internal|OFED|DOCA-OFED|DOCA|mlnx-en|doca-ofed)"
_FIRST = re.compile(rf"^{_NAME}-\d[\w.-]*(?:\s+\([\w.-]+\))?\s*:$")
_PACKAGE = re.compile(r"^(?:\S.*|\s+\S.*)$")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?" + _NAME.encode() + rb"-\d[\w.-]*(?: \([\w.-]+\))? ?:\r?$", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with the line of a release."""
    return bool(_SIGN.search(data[: 1 << 12]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts`` with component ``ofed``. Never raises. The colon that ends the release is its closing token."""
    told = Told(data, capture_id, subject, _FIRST, TOOL)
    seen: set[Any] = set()
    for said in told:
        key = said.speaker.hosts, said.speaker.turn
        if _FIRST.match(said.text):
            if key not in seen:
                version = said.text.split()[0].rstrip(":").strip()
                told.add(VERSION_FACTS, said, {"component": "ofed", "version": version})
                seen.add(key)
        elif key in seen and _PACKAGE.match(said.text):
            told.ignore(said)
    return told.facts()
