"""Read a discovery dump into tables of devices and links; the peer is a plain line-by-line parser into dictionaries."""

from __future__ import annotations

import re
import sys
from typing import Any

from dump import dump
from measure import report

NODE = re.compile(r'^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR])-([0-9a-f]+)"\s+# "(.*)"')
LINK = re.compile(r'^\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([SHR])-([0-9a-f]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?\s+# (.*)$')


def plainly(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """As people write it first: decode, split, one regular expression a line, a dictionary a row."""
    devices: dict[str, Any] = {}
    links: list[dict[str, Any]] = []
    guid, system = "", ""
    for line in data.decode().split("\n"):
        if line.startswith("sysimgguid="):
            system = line[11:]
        elif match := NODE.match(line):
            guid = match[4]
            devices[guid] = {"kind": match[1], "ports": int(match[2]), "name": match[5], "system": system}
        elif match := LINK.match(line):
            tail = match[7].split()
            links.append(
                {
                    "guid": guid,
                    "port": int(match[1]),
                    "peer": match[4],
                    "peer_port": int(match[5]),
                    "speed": tail[-1],
                    "lid": tail[-2],
                }
            )
    return devices, links


def main() -> None:
    side, gpus = sys.argv[1], int(sys.argv[2])
    data = dump(gpus)
    if side == "naive":
        report(lambda: plainly(data), rows=len(plainly(data)[1]))
        return
    from asbuilt.base.kernel import Engine
    from asbuilt.parsers.ibnetdiscover import parse

    Engine.mode = "numpy" if side == "numpy" else "auto"
    facts = parse(data, "bench")
    account = next(iter(facts.accounts.values()))
    assert account.balanced and account.unread == 0
    report(
        lambda: parse(data, "bench"), repeat=5, rows=facts.tables["link_facts"].height,
        note=f"{len(data) / 1e6:.1f} MB, {account.total} lines",
    )  # fmt: skip


main()
