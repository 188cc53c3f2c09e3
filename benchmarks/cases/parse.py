"""Read a discovery dump into devices and links; the peer is a plain line-by-line parser into dictionaries.

``product`` measures what compare and verify wait for: every device and port as numbers, names by where they stand in the dump.
``frames`` makes the tables with all their text as well, which only reports, adopt and merged captures ask for.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
from dump import dump
from measure import report

from asbuilt.model.discovery import OWNER, PORT

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
    if side == "dump":
        sys.stdout.buffer.write(dump(gpus))
        return
    with tempfile.TemporaryFile() as file:  # made in another process, so that its memory is not counted here
        subprocess.run([sys.executable, __file__, "dump", str(gpus)], stdout=file, check=True)
        file.seek(0)
        data = file.read()
    if side == "naive":
        report(lambda: plainly(data), rows=data.count(b"\n["))
        assert len(plainly(data)[1]) == data.count(b"\n[")
        return
    from asbuilt.base.kernel import Engine
    from asbuilt.parsers.ibnetdiscover import parse

    Engine.mode = "numpy" if side == "numpy" else "auto"

    def with_frames() -> int:
        return parse(data, "bench").tables["link_facts"].height

    said = "with all frames" if side == "frames" else "as numbers, frames on first access"
    job = with_frames if side == "frames" else lambda: parse(data, "bench")
    report(job, repeat=5, rows=data.count(b"\n["), note=f"{len(data) / 1e6:.1f} MB, {data.count(10)} lines, {said}")
    facts = parse(data, "bench")
    account = facts.accounts["bench"]
    assert account.balanced and account.unread == 0 and facts.discovered is not None
    _nothing_lost(data, facts.discovered)
    assert with_frames() == data.count(b"\n[")


def _nothing_lost(data: bytes, seen: Any) -> None:
    """Every port line of the dump is a link, no two of them the same port: no parallel cable is lost."""
    ports = seen.links[OWNER].astype(np.int64) * 1000 + seen.ends[PORT]
    assert len(ports) == data.count(b"\n[") and len(np.unique(ports)) == len(ports)


main()
