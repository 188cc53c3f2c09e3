"""Lines that NCCL itself writes (``NCCL_DEBUG=INFO``): version, network devices, transports, algorithms, settings.

Message forms are those of NCCL 2.12 to 2.28 (init.cc, transport/net.cc, transport/net_ib.cc, graph/tuning.cc, misc/param.cc).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

LINE = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[ T][\d:.]+\]?\s+)?([A-Za-z0-9][\w.-]{0,252}):(\d+):(\d+) \[(\d+)\] (?:\S+:\d+ )?"
    r"NCCL (INFO|WARN|TRACE|VERSION|ABORT)(?: (.*))?$"
)
BARE = re.compile(r"^NCCL version (\d\S*)$")
_VERSION = re.compile(r"^NCCL version (\d\S*)")
_DEVICES = re.compile(r"^NET/(IB|Socket)\s*: Using (.*)$")
_IB_DEVICE = re.compile(r"\[(\d+)\]\s?([\w-]+):\d+/\w+")
_SOCKET_DEVICE = re.compile(r"\[(\d+)\]\s?([\w.-]+):")
_VIA = re.compile(r"^Channel \S+\s*: .*\bvia (\S.*)$")
_INIT = re.compile(r"\bcomm 0x[0-9a-fA-F]+ rank (\d+) n[rR]anks (\d+)\b")
_NODES = re.compile(r"\bnNodes (\d+)\b")
_SET = re.compile(r"^(NCCL_\w+) set (?:by environment )?to (\S.*?)\.?$")
_CHANNELS = re.compile(r"\b(\d+) nvls channels\b")
_CHOSEN = re.compile(r"\bAlgo (\w+) proto\b")
_GDR = re.compile(r"GPU Direct RDMA (Enabled|Disabled)|GPU Direct RDMA \(?(\w+)\)? for")
_ALGORITHMS = {"0": "Tree", "1": "Ring", "2": "CollNetDirect", "3": "CollNetChain", "4": "NVLS", "5": "NVLSTree", "6": "PAT"}
_NAMES = {name.upper(): name for name in _ALGORITHMS.values()}
_SIGNS = (
    (re.compile(r"^Connected all rings"), "Ring"),
    (re.compile(r"^Connected all trees"), "Tree"),
    (re.compile(r"^Connected NVLS tree"), "NVLSTree"),
    (re.compile(r"^NVLS comm 0x|^Connected NVLS\b"), "NVLS"),
    (re.compile(r"\bSHARP coll group|^Connected (?:collnet|CollNet)|via COLLNET/SHARP", re.I), "SHARP"),
)


@dataclass(slots=True)
class Log:
    """What the lines said so far."""

    version: str | None = None
    hosts: set[str] = field(default_factory=set)
    ranks: int | None = None
    nodes: int | None = None
    complete: bool = False
    transports: set[str] = field(default_factory=set)
    gpudirect: bool | None = None
    failure: str | None = None
    algorithms: set[str] = field(default_factory=set)
    settings: list[tuple[int, str, str]] = field(default_factory=list)
    _offered: dict[str, dict[str, str]] = field(default_factory=dict)
    _used: set[tuple[str, str]] = field(default_factory=set)

    def take(self, text: str, number: int, closed: bool) -> bool | None:
        """None for a line that is not NCCL's; else whether it told something. A line that may be cut tells nothing."""
        if bare := BARE.match(text):
            if closed:
                self.version = self.version or bare[1]
            return closed
        line = LINE.match(text)
        if line is None:
            return None
        if not closed:
            return False
        self.hosts.add(line[1])
        message = line[6] or ""
        if line[5] in ("WARN", "ABORT"):
            self.failure = self.failure or f"NCCL {line[5]} {message}"[:200]
            return True
        return self._message(message, number)

    def _message(self, message: str, number: int) -> bool:
        told = False
        if found := _VERSION.match(message):
            self.version, told = self.version or found[1], True
        if found := _DEVICES.match(message):
            pattern = _IB_DEVICE if found[1] == "IB" else _SOCKET_DEVICE
            self._offered.setdefault(found[1], {}).update(pattern.findall(found[2]))
            told = True
        if found := _VIA.match(message):
            told = self._via(found[1])
        if found := _INIT.search(message):
            self.ranks, told = max(self.ranks or 0, int(found[2][:9])), True
            self.complete |= message.endswith("Init COMPLETE")
            if nodes := _NODES.search(message):
                self.nodes = int(nodes[1][:9])
        if found := _SET.match(message):
            self.settings.append((number, found[1], found[2]))
            told = True
        if found := _GDR.search(message):
            on = found[1] == "Enabled" if found[1] else None
            self.gpudirect = self.gpudirect if on is None else (on and self.gpudirect is not False)
            told = True
        if (found := _CHANNELS.search(message)) and int(found[1][:9]):
            self.algorithms.add("NVLS")
            told = True
        if found := _CHOSEN.search(message):
            self.algorithms.add(_ALGORITHMS.get(found[1]) or _NAMES.get(found[1].replace("_", "").upper(), found[1]))
            told = True
        for sign, name in _SIGNS:
            if sign.search(message):
                self.algorithms.add(name)
                told = True
        return told

    def _via(self, path: str) -> bool:
        """A channel's transport: ``NET/IB/1/GDRDMA``, ``P2P/CUMEM``, ``SHM/direct/direct``."""
        parts = path.split("/")
        if parts[0] in ("NET", "COLLNET") and len(parts) > 1:
            self.transports.add("/".join(parts[:2]))
            self._used.add((parts[1], parts[2] if len(parts) > 2 else ""))
            direct = any(p.startswith("GDRDMA") for p in parts[2:])
            self.gpudirect = direct and self.gpudirect is not False
        else:
            self.transports.add(parts[0].split(" ")[0])
        return True

    def devices(self) -> set[str]:
        """Devices that channels go through; where no channel was logged, those that NCCL says it uses."""
        used = {self._offered.get(net, {}).get(index) for net, index in self._used} - {None}
        return {d for d in used if d} or {name for offered in self._offered.values() for name in offered.values()}

    def row(self) -> dict[str, Any]:
        """The columns of `RUN_FACTS` that a log tells."""
        return {
            "library": f"NCCL {self.version}" if self.version else None,
            "transports": "+".join(sorted(self.transports)) or None,
            "gpudirect": self.gpudirect,
            "devices_used": "+".join(sorted(self.devices())) or None,
            "algorithms": "+".join(sorted(self.algorithms)) or None,
        }
