"""NCCL's topology XML (``NCCL_TOPO_DUMP_FILE``): processors, the PCI tree, GPUs and network devices of one machine.

Its link speed and width are the most that device and slot can do, not what they run at. Files that clouds ship are written
by hand: bridges of an invented domain (``ffff:ff:01.0``), devices without vendor. A file of ``<graphs>`` is no topology:
it says how NCCL would run its rings. Read tag by tag, so that a cut file gives what stands before the cut.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import AFFINITY_FACTS, GPU_FACTS
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, NUMA_FACTS, PCI_FACTS
from asbuilt.parsers.fact_rows import real
from asbuilt.parsers.host_lines import Said, Speaker, host_of_subject
from asbuilt.parsers.told_rows import Told, no_word, pci_address

TOOL = "nccl-topo-xml"
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?\?>|<(/?)([a-z]\w{0,30})((?:\s+[\w-]{1,60}=\"[^\"<>]*\")*)\s*(/?)>", re.S)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_SIGN = re.compile(rb"\A\s*(?:<!--.{0,4000}?-->\s*|<\?xml[^>]*\?>\s*)*<(?:system|graphs) version=", re.S)
_NOTHING = re.compile(r"(?!)")
_KNOWN = {"system", "cpu", "pci", "gpu", "nic", "net", "nvlink", "c2c", "pcilink", "graphs", "graph", "channel", "coll"}


def sniff(data: bytes) -> bool:
    """True for a document whose root is NCCL's."""
    return bool(_SIGN.search(data[: 1 << 14]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``pci_facts``, ``numa_facts``, ``gpu_facts``, ``affinity_facts``, ``nic_function_facts``. Never raises."""
    told = Told(data, capture_id, subject, _NOTHING, TOOL)
    lines = told.account.lines
    text = b"\n".join(lines).decode("utf-8", "replace")
    speaker = Speaker((host_of_subject(subject)[0],), (), None, 0)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            told.account.ignore(number)
    above: list[tuple[str, dict[str, str]]] = []
    at, number = 0, 1
    for tag in _TAG.finditer(text):
        number += text.count("\n", at, tag.start())
        at = tag.start()
        last = number + tag[0].count("\n")
        if tag[2] is None:
            told.account.ignore(*(n for n in range(number, last + 1) if told.account.classes[n - 1] != 1))
            continue
        if tag[2] not in _KNOWN:
            continue
        said = Said(number, "", speaker, True)
        if told.account.classes[number - 1] != 1:
            told.account.ignore(*range(number, last + 1))
        if tag[1]:
            while above and above.pop()[0] != tag[2]:
                pass
            continue
        values = dict(_ATTRIBUTE.findall(tag[3]))
        _tell(told, said, tag[2], values, above)
        if not tag[4]:
            above.append((tag[2], values))
        if tag[2] == "graphs":
            told.note("how NCCL would run its rings, not a topology")
    return told.facts()


def _tell(told: Told, said: Said, kind: str, values: dict[str, str], above: list[tuple[str, dict[str, str]]]) -> None:
    """The facts of one opening tag, by what stands around it."""
    processor = next((v for k, v in reversed(above) if k == "cpu"), {})
    numa = _whole(processor.get("numaid", ""))
    slot = next((pci_address(v.get("busid", "")) for k, v in reversed(above) if k == "pci"), None)
    if kind == "cpu":
        node = _whole(values.get("numaid", ""))
        if node is not None and node >= 0:
            told.add(NUMA_FACTS, said, {"numa": node, "cpus": cpu_list(values.get("affinity", ""))})
    elif kind == "pci":
        address = pci_address(values.get("busid", ""))
        if address:
            told.add(PCI_FACTS, said, _pci(address, values, slot, numa))
    elif kind == "gpu" and slot and _whole(values.get("dev", "")) is not None:
        told.add(GPU_FACTS, said, {"index": _whole(values["dev"]), "address": slot})
        row = {"device": f"GPU{values['dev']}", "cpus": cpu_list(processor.get("affinity", ""))}
        told.add(AFFINITY_FACTS, said, {**row, "numa": None if numa is None else str(numa)})
    elif kind == "net" and no_word(values.get("name", "")):
        name = values["name"]
        device = {"rdma": name} if re.match(r"^(?:mlx\d|bnxt_re|efa|rdmap|roce|ib|rocep|ibp)", name) else {"netdev": name}
        port = _whole(values.get("port", ""))
        told.add(NIC_FUNCTION_FACTS, said, {**device, "address": slot, "port": port or None, "numa_node": numa})


def _pci(address: str, values: dict[str, str], slot: str | None, numa: int | None) -> dict[str, Any]:
    speed = re.match(r"^([\d.]+) GT/s", values.get("link_speed", ""))
    width = _whole(values.get("link_width", ""))
    ids = {name: values.get(name, "").removeprefix("0x").lower() for name in ("class", "vendor", "device")}
    return {
        "address": address,
        "parent": slot or f"root:{address[:7]}",
        "class_id": ids["class"][:4] or None,
        "vendor_id": ids["vendor"] if ids["vendor"].strip("0") else None,
        "device_id": ids["device"] if ids["device"].strip("0") else None,
        "numa_node": numa,
        "cap_gts": real(speed[1]) if speed else None,
        "cap_width": width or None,
    }


def cpu_list(mask: str) -> str | None:
    """The processors of an affinity mask (groups of 32 bits in hex, the highest first) as a list: ``0-47,96-143``."""
    digits = mask.replace(",", "")
    if not re.match(r"^[0-9a-fA-F]{1,2048}$", digits):
        return None
    bits, spans, start = int(digits, 16), [], None
    for at in range(bits.bit_length() + 1):
        if bits >> at & 1:
            start = at if start is None else start
        elif start is not None:
            spans.append(str(start) if at - 1 == start else f"{start}-{at - 1}")
            start = None
    return ",".join(spans)


def _whole(text: str) -> int | None:
    return int(text) if re.match(r"^-?\d{1,9}$", text) else None
