"""One topology in the XML of hwloc, tag by tag: a cut document gives what its closed elements hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from asbuilt.model.facts_node import (
    IDENTITY_FACTS,
    NIC_FUNCTION_FACTS,
    NUMA_FACTS,
    PCI_FACTS,
    PROCESSOR_FACTS,
    VERSION_FACTS,
)
from asbuilt.parsers import fact_rows
from asbuilt.parsers.cpu_lists import of_mask
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, pci_address, plain

_TAG = re.compile(r'<(/?)([A-Za-z_]\w*)((?:\s+[\w:]+="[^"<>]*")*)\s*(/?)>')
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
_TYPE = re.compile(r"^([0-9a-f]{4}) \[([0-9a-f]{4}):([0-9a-f]{4})\] \[[0-9a-f]{4}:[0-9a-f]{4}\] ([0-9a-f]{2})")
_BELOW = re.compile(r"^([0-9a-f]{4,8}):\[([0-9a-f]{2})-[0-9a-f]{2}\]$")
_GUID = re.compile(r"^Port\d{1,3}GID0$")
#: ``osdev_type`` of network interfaces and RDMA devices: a number until hwloc 2, a bit from 3.0 on.
_DEVICES = {"2": "netdev", "3": "rdma"}
_DEVICES_3 = {"16": "netdev", "32": "rdma"}
_DEEPEST = 512
_MIB = 1 << 20
_NAMES = {"HostName": "hostname", "NVIDIAUUID": "gpu_uuid", "NVIDIASerial": "gpu_serial"}
_VERSIONS = {"OSRelease": "kernel", "DMIProductName": "product", "DMIBIOSVersion": "bios"}


@dataclass(slots=True)
class _Element:
    """An open object: its PCI address (or root bus), its NUMA node, and its row, which ``info`` elements add to."""

    said: Said
    kind: str
    above: str | None = None
    numa: int | None = None
    row: dict[str, Any] = field(default_factory=dict)


class Topology:
    """The objects that are open, and what has been counted so far."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._open: list[_Element] = []
        self._counted: dict[str, int] = {}
        self._facts: dict[str, str] = {}
        self._first: Said | None = None
        self._part = False
        self._names = _DEVICES

    def hear(self, said: Said) -> None:
        """One line with any number of tags."""
        self.told.ignore(said)
        for tag in _TAG.finditer(said.text):
            closing, name, attributes, empty = tag.groups()
            if name == "object":
                if closing:
                    self._close()
                elif len(self._open) < _DEEPEST:
                    self._object(said, dict(_ATTRIBUTE.findall(attributes)))
                    if empty:
                        self._close()
            elif name == "info" and not closing:
                values = dict(_ATTRIBUTE.findall(attributes))
                self._info(said, values.get("name", ""), plain(unescape(values.get("value", ""))) or "")
            elif name == "topology":
                if closing:
                    self._whole()
                elif 'version="3' in attributes:
                    self._names = _DEVICES_3

    def _object(self, said: Said, values: dict[str, str]) -> None:
        kind = values.get("type", "")
        up = self._open[-1] if self._open else None
        one = _Element(said, kind, up.above if up else None, up.numa if up else None)
        self._open.append(one)
        self._counted[kind] = self._counted.get(kind, 0) + 1
        self._first = self._first or said
        if kind not in ("PCIDev", "Bridge", "OSDev", "Machine"):
            nodes = of_mask(values.get("nodeset", ""))
            one.numa = int(nodes) if nodes and nodes.isdecimal() else one.numa
        if kind == "NUMANode" and (number := fact_rows.whole(values.get("os_index", ""), 1 << 16)) is not None:
            memory = fact_rows.whole(values.get("local_memory", ""))
            cpus = None if self._part else of_mask(values.get("cpuset", ""))
            row = {"numa": number, "cpus": cpus, "memory_mib": memory / _MIB if memory else None}
            self.told.add(NUMA_FACTS, said, row)
        elif kind in ("PCIDev", "Bridge"):
            self._function(one, values)
        elif kind == "OSDev" and (column := self._names.get(values.get("osdev_type", ""))):
            name = plain(values.get("name"), 64)
            if name and one.above and not one.above.startswith("root:"):
                self.told.add(NIC_FUNCTION_FACTS, said, {"address": one.above, column: name})

    def _function(self, one: _Element, values: dict[str, str]) -> None:
        address = pci_address(values.get("pci_busid", ""))
        if address is None:
            root = _BELOW.match(values.get("bridge_pci", ""))
            one.above = f"root:{root[1]}:{root[2]}" if root else None
            return
        one.row = {"address": address, "parent": one.above, "numa_node": one.numa}
        if found := _TYPE.match(values.get("pci_type", "")):
            one.row |= {"class_id": found[1], "vendor_id": found[2], "device_id": found[3], "revision": found[4]}
        one.above = address

    def _info(self, said: Said, name: str, value: str) -> None:
        up = self._open[-1] if self._open else None
        if not value or up is None:
            return
        if name == "LinuxCgroup" and value != "/":
            self._part = True
            self.told.note("hwloc was run inside a control group: it saw a part of the processors")
        elif name in ("Architecture", "CPUModel"):
            self._facts.setdefault(name, value)
        elif name == "PCIDevice" and up.row:
            up.row["name"] = value
        elif name == "PCISlot" and up.row:
            up.row["slot"] = value
        elif name in _NAMES:
            kind = _NAMES[name]
            self.told.add(IDENTITY_FACTS, said, {"kind": kind, "value": value.lower() if kind == "gpu_uuid" else value})
        elif name in _VERSIONS:
            self.told.add(VERSION_FACTS, said, {"component": _VERSIONS[name], "version": value})
        elif _GUID.match(name) and (guid := fact_rows.guid(value.replace(":", "")[16:])):
            self.told.add(IDENTITY_FACTS, said, {"kind": "port_guid", "value": guid})

    def _close(self) -> None:
        if self._open:
            one = self._open.pop()
            if one.row:
                self.told.add(PCI_FACTS, one.said, one.row)

    def _whole(self) -> None:
        """The document is at its end: what was counted is all there is."""
        if self._first is None:
            return
        row: dict[str, Any] = {"model": self._facts.get("CPUModel"), "architecture": self._facts.get("Architecture")}
        sockets = self._counted.get("Package", 0) + self._counted.get("Socket", 0)
        cores, cpus = self._counted.get("Core", 0), self._counted.get("PU", 0)
        if not self._part and sockets and cores and cpus:
            row |= {"sockets": sockets, "cpus": cpus, "numa_nodes": self._counted.get("NUMANode") or None}
            row["cores"] = cores // sockets if cores % sockets == 0 else None
            row["threads"] = cpus // cores if cpus % cores == 0 else None
        if any(v is not None for v in row.values()):
            self.told.add(PROCESSOR_FACTS, self._first, row)
        self._first = None
