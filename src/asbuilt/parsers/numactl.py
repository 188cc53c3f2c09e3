"""``numactl -H`` (``--hardware``): processors, memory and distances of every NUMA node. Its megabytes are MiB."""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NUMA_FACTS
from asbuilt.parsers.cpu_lists import spread
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "numactl"
_AVAILABLE = re.compile(r"^available: \d{1,5} nodes? \([\d,-]*\)$")
_CPUS = re.compile(r"^node (\d{1,5}) cpus:((?: \d{1,5})*)$")
_SIZE = re.compile(r"^node (\d{1,5}) (size|free): (\d{1,12}|-1|<not available>)(?: MB)?$")
_HEAD = re.compile(r"^node(?:\s+\d{1,5})+$")
_ROW = re.compile(r"^\s*(\d{1,5}):((?:\s+\d{1,3})+)$")
_NONE = re.compile(r"^(?:No NUMA (?:support )?available on this system|numactl: |No distance information available)")
_OWN = re.compile(r"^(?:available: \d|node (?:\d{1,5} |distances:| *\d)|\s*\d{1,5}:\s|No NUMA |numactl: |No distance )")
_SIGN = re.compile(rb"^(?:[\w.-]+: )?(?:available: \d+ nodes? \(|node \d+ cpus:)", re.M)


def sniff(data: bytes) -> bool:
    """True for a text that lists NUMA nodes as this tool does."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``numa_facts``, one row per NUMA node. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    nodes: dict[tuple[Any, int, int], tuple[Said, dict[str, Any]]] = {}

    def node(said: Said, number: int) -> dict[str, Any]:
        told.account.fact(said.number)
        return nodes.setdefault((said.speaker.hosts, said.speaker.turn, number), (said, {"numa": number}))[1]

    for said in told:
        text = said.text
        if _NONE.match(text):
            told.note("the machine has no NUMA nodes that numactl could tell")
            told.ignore(said)
        elif not said.closed:
            continue
        elif cpus := _CPUS.match(text):
            node(said, int(cpus[1])).setdefault("cpus", spread(map(int, cpus[2].split())))
        elif size := _SIZE.match(text):
            if size[2] == "size" and size[3].isdecimal():
                node(said, int(size[1])).setdefault("memory_mib", float(size[3]))
            else:
                told.ignore(said)
        elif row := _ROW.match(text):
            node(said, int(row[1])).setdefault("distances", ",".join(row[2].split()))
        elif _AVAILABLE.match(text) or _HEAD.match(text) or text == "node distances:":
            told.ignore(said)
    for said, columns in nodes.values():
        told.add(NUMA_FACTS, said, columns)
    return told.facts()
