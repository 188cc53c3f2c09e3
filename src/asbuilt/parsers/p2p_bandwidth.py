"""``p2pBandwidthLatencyTest``: told from its sister by its title, and read as `cuda_samples` reads both."""

from __future__ import annotations

import re
from dataclasses import replace

from asbuilt.model.facts import Facts
from asbuilt.parsers import cuda_samples

TOOL = "p2pBandwidthLatencyTest"
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\[P2P \(Peer-to-Peer\) GPU Bandwidth", re.M)


def sniff(data: bytes) -> bool:
    """True for a text with its title."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts``, ``result_facts``. Never raises."""
    return replace(cuda_samples.parse(data, capture_id, subject), tool=TOOL)
