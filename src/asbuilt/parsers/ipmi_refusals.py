"""Sentences with which ipmitool gives up or leaves something out: no facts, and a note where the BMC did not answer at all."""

from __future__ import annotations

import re

from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

_SILENT = re.compile(
    r"^(?:Could not open device|Unable to (?:establish|open|get)|Error: Unable to"
    r"|Get (?:Device ID|SDR|SEL|FRU)\w*.* (?:failed|error)"
    r"|Unable to (?:read|obtain)|Authentication|Error in open session|No valid|SDR repository .*(?:fail|error))",
    re.I,
)
_PART = re.compile(
    r"^(?:Error (?:reading|obtaining|getting)|Sensor data record not found|Unknown FRU|Unable to send|Invalid FRU"
    r"|FRU Read failed| *Device not present|Running Get|Loading|Failed to)",
    re.I,
)
WORDS = re.compile(rf"{_SILENT.pattern}|{_PART.pattern}", re.I)


def refused(told: Told, said: Said) -> bool:
    """Take such a sentence; False for any other line."""
    if _SILENT.match(said.text):
        told.note("the BMC did not answer")
    elif not _PART.match(said.text):
        return False
    told.ignore(said)
    return True
