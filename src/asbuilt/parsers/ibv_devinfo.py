"""``ibv_devinfo`` and ``ibv_devinfo -v``: every RDMA device, its firmware, and the link layer, state and MTU of its ports.

A port's facts stand when its ``link_layer:`` has been read. Of the many limits of ``-v`` only the GIDs, and the width and speed
of the ports, become facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NIC_FUNCTION_FACTS, SETTING_FACTS, VERSION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, no_word

TOOL = "ibv_devinfo"
_DEVICE = re.compile(r"^hca_id:\s+(\w{1,64})$")
_PORT = re.compile(r"^\s+port:\s+(\d{1,3})$")
_GID = re.compile(r"^\s+GID\[\s*(\d{1,4})\]:\s+([0-9a-fA-F:.]+)(?:,\s*(.*))?$")
_FIELD = re.compile(r"^\s+([A-Za-z][\w ()/-]{1,60}):(?:\s+(.*))?$")
_FLAG = re.compile(r"^\s{2,}(?:[A-Z][A-Z0-9_]{2,60}|Unknown flags:.*|0x[0-9a-fA-F]+.*|[\w ]+)$|^No IB devices found$")
_OWN = re.compile("|".join(p.pattern for p in (_DEVICE, _PORT, _GID, _FIELD, _FLAG)))
_SIGN = re.compile(rb"^(?:[\w.-]+: )?hca_id:\s+\w+\r?$", re.M)
_LAYERS = {"infiniband": "infiniband", "ethernet": "ethernet"}
_LINK = ("max_mtu", "active_mtu", "active_width", "active_speed")


def sniff(data: bytes) -> bool:
    """True for a text with the line that opens a device."""
    return bool(_SIGN.search(data[: 1 << 16]))


@dataclass(slots=True)
class _Block:
    device: str
    values: dict[str, tuple[Said, str]] = field(default_factory=dict)
    port: int | None = None
    of_port: dict[str, tuple[Said, str]] = field(default_factory=dict)
    opened: list[int] = field(default_factory=list)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nic_function_facts``, ``version_facts``, ``setting_facts`` (domain ``link``, device ``mlx5_0/1``). Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    blocks: dict[Any, _Block] = {}
    for said in told:
        key = said.speaker.hosts, said.speaker.turn
        if not said.closed:
            continue
        block = blocks.get(key)
        if device := _DEVICE.match(said.text):
            blocks[key] = _Block(device[1], opened=[said.number])
        elif block is None:
            if _FLAG.match(said.text) and said.text.startswith("No IB"):
                told.ignore(said)
        elif (port := _PORT.match(said.text)) and int(port[1]) <= 255:
            block.port, block.of_port = int(port[1]), {}
            block.opened = [*block.opened[:1], said.number]
        elif gid := _GID.match(said.text):
            _gid(told, said, block, gid)
        elif line := _FIELD.match(said.text):
            _field(told, said, block, line[1].strip(), (line[2] or "").strip())
        elif _FLAG.match(said.text):
            told.ignore(said)
    return told.facts()


def _gid(told: Told, said: Said, block: _Block, gid: re.Match[str]) -> None:
    import ipaddress

    try:
        address = ipaddress.IPv6Address(gid[2].lower()).exploded
    except ValueError:
        return
    if block.port is None:
        return
    found = re.search(r"\bv([12])\b", gid[3] or "")
    row = {"rdma": block.device, "port": block.port, "gid_index": int(gid[1]), "gid": address}
    told.add(NIC_FUNCTION_FACTS, said, {**row, "gid_version": f"v{found[1]}" if found else None})


def _field(told: Told, said: Said, block: _Block, label: str, value: str) -> None:
    values = block.values if block.port is None else block.of_port
    if label in values:
        return
    values[label] = said, value
    told.ignore(said)
    if block.port is None:
        if label == "board_id":
            _firmware(told, said, block)
    elif label == "link_layer":
        _port(told, said, block, value)
    elif label in _LINK and no_word(value):
        row = {"domain": "link", "device": f"{block.device}/{block.port}", "name": label, "value": value}
        told.add(SETTING_FACTS, said, row)


def _firmware(told: Told, said: Said, block: _Block) -> None:
    where, version = block.values.get("fw_ver", (said, ""))
    if no_word(version):
        row = {"component": "nic_firmware", "device": block.device, "part": no_word(block.values["board_id"][1])}
        told.add(VERSION_FACTS, said, {**row, "version": version, "line": where.number}, where.number)


def _port(told: Told, said: Said, block: _Block, layer: str) -> None:
    card = {name: value for name, (_, value) in block.values.items()}
    state = block.of_port.get("state")
    part = card.get("vendor_part_id", "")
    row = {
        "rdma": block.device,
        "port": block.port,
        "type": f"MT{part}" if part.isdigit() else None,
        "psid": no_word(card.get("board_id", "")),
        "firmware": no_word(card.get("fw_ver", "")),
        "link_layer": _LAYERS.get(layer.lower()),
        "up": state[1].startswith("PORT_ACTIVE ") or state[1] == "PORT_ACTIVE" if state else None,
        "line": block.opened[-1],
    }
    told.add(NIC_FUNCTION_FACTS, said, row, *block.opened, *([state[0].number] if state else []))
