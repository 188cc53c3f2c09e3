"""``lstopo``: the tree of hwloc, as the text of ``lstopo-no-graphics`` or as XML (``--of xml``, of hwloc 1, 2 and 3).

XML holds addresses, ids, names and GUIDs; the text since hwloc 2 the PCI addresses alone, and never which bridge has which.
What hwloc sees from inside a control group is a part of the machine: then neither processors nor their lists are told.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, NUMA_FACTS, PCI_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.lstopo_xml import Topology
from asbuilt.parsers.told_rows import Told, pci_address

TOOL = "lstopo"
_WORDS = (
    r"Machine|Package|Socket|Die|Group\d?|NUMANode|MemCache|L[1-5][di]?(?:Cache)?|Core|PU|HostBridge|PCIBridge|PCI|Net(?:work)?"
    r"|OpenFabrics|Block|GPU|CoProc|DMA|Misc|Bridge|OS|Special depth|depth|Topology"
)
_OWN = re.compile(rf"^\s*(?:<[!?/a-zA-Z]|(?:{_WORDS})\b(?!:)|[\d.]+(?:\s[\d.]+)*$)")
_TEXT = re.compile(rf"^(\s*)(?:{_WORDS})\b")
_SIGN = re.compile(
    rb"<!DOCTYPE topology|<topology[ >]|^(?:[\w.-]+: )?Machine (?:L#0 )?\([\w#. ]+\)[^\n]*\r?\n(?:[\w.-]+: )?\s+\S+ (?:L#|\()",
    re.M,
)
_PCI = re.compile(r"^\s*PCI ((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: \(([^()]{1,60})\))?")
_NUMA = re.compile(r"\bNUMANode L#\d{1,5} \(P#(\d{1,5})\b")
_NAMED = re.compile(r'^\s*(Net(?:work)?|OpenFabrics)(?: L#\d+)? "([\w.@:-]{1,64})"')


def sniff(data: bytes) -> bool:
    """True for a topology of hwloc, as text or XML."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """PCI functions, names of cards, NUMA nodes, processors and identities, as far as the form holds them. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    topologies: dict[tuple[Any, int], Topology] = {}
    texts: dict[tuple[Any, int], list[tuple[int, str | None]]] = {}
    for said in told:
        if not said.closed and not said.text.endswith("</topology>"):
            continue
        who = (said.speaker.hosts, said.speaker.turn)
        if said.text.lstrip()[:1] == "<":
            topologies.setdefault(who, Topology(told)).hear(said)
        elif found := _TEXT.match(said.text):
            _text(told, said, len(found[1]), texts.setdefault(who, []))
        elif who in topologies and _OWN.match(said.text):
            told.ignore(said)  # distances on lines of their own
    return told.facts()


def _text(told: Told, said: Said, depth: int, above: list[tuple[int, str | None]]) -> None:
    """One line of the tree in text: ``above`` holds the depth and the PCI address of what it may hang on."""
    while above and above[-1][0] >= depth:
        above.pop()
    told.ignore(said)
    if pci := _PCI.match(said.text):
        address = pci_address(pci[1])
        above.append((depth, address))
        told.add(PCI_FACTS, said, {"address": address, "class_name": pci[2]})
    elif named := _NAMED.match(said.text):
        if above and above[-1][1]:
            column = "rdma" if named[1] == "OpenFabrics" else "netdev"
            told.add(NIC_FUNCTION_FACTS, said, {"address": above[-1][1], column: named[2]})
    else:
        above.append((depth, None))
        if numa := _NUMA.search(said.text):
            told.add(NUMA_FACTS, said, {"numa": int(numa[1])})
