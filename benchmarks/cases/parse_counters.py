"""Read what hosts and ports say of themselves, many in one capture; the peer is a plain line-by-line parser into dictionaries.

``perfquery`` ports behind their prompts, ``csv`` ports of an ibdiagnet table with their counters, ``ibstat`` hosts of a fleet.

What is timed: every line and number read into arrays, every line accounted for, rows counted. With ``made-`` the tables are
made as well, with their text: what a caller pays that looks at every one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from typing import Any

from measure import report

COUNTERS = (
    "PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortUnicastXmitPkts", "PortUnicastRcvPkts",
    "PortMulticastXmitPkts", "PortMulticastRcvPkts", "SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter",
    "PortRcvErrors", "PortRcvRemotePhysicalErrors", "PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitConstraintErrors",
    "PortRcvConstraintErrors", "LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors", "VL15Dropped", "PortXmitWait",
    "QP1Dropped",
)  # fmt: skip


def values(port: int) -> list[int]:
    """Counters of one port: traffic by the port's number, errors now and then."""
    traffic = [(port * 7919 + k * 104729) * 1_000_003 % (1 << 44) for k in range(8)]
    return [*traffic, *((port * 31 + k) % 97 // 90 for k in range(len(COUNTERS) - 8))]


def perfquery(ports: int) -> str:
    """A transcript: a prompt and a block a port."""
    out = ["# time: 2026-01-31T12:00:00Z\n"]
    for port in range(ports):
        number = port % 64 + 1
        out.append(f"[root@sm-1 ~]# perfquery -x -G 0x{0x0002C90300000000 + port // 64 * 256:016x} {number}\n")
        out.append(f"# Port extended counters: Lid {port // 64 + 1} port {number} (CapMask: 0x5A00 CapMask2: 0x0000000)\n")
        out.append(f"{'PortSelect:':.<33}{number}\n{'CounterSelect:':.<33}0x0000\n")
        out += [f"{name + ':':.<33}{value}\n" for name, value in zip(COUNTERS, values(port), strict=True)]
    return "".join(out)


def csv(ports: int) -> str:
    """``db_csv`` with nodes, ports (54 columns) and counters."""
    nodes = range(-(-ports // 64))
    out = ["START_NODES\nNodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID\n"]
    guid = [f"0x{0x0002C90300000000 + n * 256:016x}" for n in nodes]
    out += [f'"leaf-{n}",64,2,1,1,{guid[n]},{guid[n]},{guid[n]}\n' for n in nodes]
    known = (
        "NodeGuid,PortGuid,PortNum,LID,MSMLID,LinkWidthActv,LinkWidthSup,LinkSpeedActv,LMC,PortPhyState,PortState,LinkSpeedSup,"
        "NMTU,OpVLs,VLHighLimit"
    )
    filler = [f"Field{i}" for i in range(54 - 15)]
    out.append(f"END_NODES\n\nSTART_PORTS\n{known},{','.join(filler)}\n")
    rest = ",".join("3845" for _ in filler)
    for p in range(ports):
        out.append(f"{guid[p // 64]},{guid[p // 64]},{p % 64 + 1},{p + 1},1,2,19,2052,0,5,4,3845,5,4,0,{rest}\n")
    out.append(f"END_PORTS\n\nSTART_PM_INFO\nNodeGUID,PortGUID,PortNumber,{','.join(COUNTERS)}\n")
    for p in range(ports):
        out.append(f"{guid[p // 64]},{guid[p // 64]},{p % 64 + 1},{','.join(map(str, values(p)))}\n")
    out.append("END_PM_INFO\n")
    return "".join(out)


def ibstat(hosts: int) -> str:
    """A fleet as pdsh prints it, sorted by host: nine ports a host, one in a hundred down."""
    out = []
    for host in range(hosts):
        at = f"node{host:05d}: "
        for k in range(9):
            n = host * 9 + k
            guid, up = f"0x{0x0002C90300000000 + n * 16:016x}", n % 100 != 0
            out.append(
                f"{at}CA 'mlx5_{k}'\n{at}\tCA type: MT4129\n{at}\tNumber of ports: 1\n{at}\tFirmware version: 28.39.1002\n"
                f"{at}\tHardware version: 0\n{at}\tNode GUID: {guid}\n{at}\tSystem image GUID: {guid}\n{at}\tPort 1:\n"
                f"{at}\t\tState: {'Active' if up else 'Down'}\n{at}\t\tPhysical state: {'LinkUp' if up else 'Polling'}\n"
                f"{at}\t\tRate: {400 if up else 10}\n{at}\t\tBase lid: {n % 40000 + 1 if up else 0}\n{at}\t\tLMC: 0\n"
                f"{at}\t\tSM lid: 1\n{at}\t\tCapability mask: 0xa751e848\n{at}\t\tPort GUID: {guid}\n"
                f"{at}\t\tLink layer: InfiniBand\n"
            )
    return "".join(out)


MAKERS = {"perfquery": perfquery, "csv": csv, "ibstat": ibstat}


ASKED = re.compile(r"\[.*\]# perfquery -x -G (0x[0-9a-f]+) (\d+)")
HEAD = re.compile(r"# Port .*counters: Lid (\d+) port (\d+)")
COUNTER = re.compile(r"(\w+):\.*(0x[0-9a-fA-F]+|\d+)$")
CARD = re.compile(r"CA '(.*)'")
LABEL = re.compile(r"([^:]+): ?(.*)")


def plain_perfquery(data: bytes) -> list[dict[str, Any]]:
    """As people write it first: a regular expression a line, a dictionary a counter."""
    rows: list[dict[str, Any]] = []
    guid, lid, port = "", 0, 0
    for line in data.decode().split("\n"):
        if found := COUNTER.match(line):
            if "Select" not in found[1]:
                rows.append({"guid": guid, "lid": lid, "port": port, "counter": found[1], "value": int(found[2])})
        elif found := HEAD.match(line):
            lid, port = int(found[1]), int(found[2])
        elif found := ASKED.match(line):
            guid = found[1]
    return rows


def plain_csv(data: bytes) -> list[dict[str, Any]]:
    """The standard library's reader, a dictionary a port and a counter."""
    import csv as reader

    rows: list[dict[str, Any]] = []
    section, header = "", None
    for cells in reader.reader(data.decode().split("\n")):
        if not cells:
            continue
        if cells[0].startswith("START_"):
            section, header = cells[0][6:], None
        elif cells[0].startswith("END_"):
            section = ""
        elif header is None:
            header = cells
        elif section == "PORTS":
            row = dict(zip(header, cells, strict=True))
            rows.append({"guid": row["NodeGuid"], "port": int(row["PortNum"]), "state": int(row["PortState"])})
        elif section == "PM_INFO":
            row = dict(zip(header, cells, strict=True))
            for name in header[3:]:
                rows.append({"guid": row["NodeGUID"], "port": int(row["PortNumber"]), "counter": name, "value": int(row[name])})
    return rows


def plain_ibstat(data: bytes) -> list[dict[str, Any]]:
    """Prefix, label, value; a dictionary a port."""
    rows: list[dict[str, Any]] = []
    row: dict[str, Any] = {}
    for line in data.decode().split("\n"):
        host, _, rest = line.partition(": ")
        text = rest.strip()
        if card := CARD.match(text):
            row = {"host": host, "device": card[1]}
        elif said := LABEL.match(text):
            row[said[1]] = said[2]
            if said[1] == "Link layer":
                rows.append(dict(row))
    return rows


PLAIN = {"perfquery": plain_perfquery, "csv": plain_csv, "ibstat": plain_ibstat}
TOOL = {"perfquery": "perfquery", "csv": "ibdiagnet-csv", "ibstat": "ibstat"}


def main() -> None:
    kind, _, side = sys.argv[1].removeprefix("made-").partition("-")
    size = int(sys.argv[2])
    if side == "make":
        sys.stdout.write(MAKERS[kind](size))
        return
    with tempfile.TemporaryFile() as file:  # made in another process, so that its memory is not counted here
        subprocess.run([sys.executable, __file__, f"{kind}-make", str(size)], stdout=file, check=True)
        file.seek(0)
        data = file.read()
    if side == "plain":
        report(lambda: PLAIN[kind](data), repeat=2, rows=len(PLAIN[kind](data)))
        return
    from asbuilt.model.capture import Capture
    from asbuilt.parsers.tools import TOOLS

    tool = TOOLS[TOOL[kind]]
    capture = Capture("bench", data, tool.name)
    facts = tool.parse(capture)
    account, rows = facts.accounts["bench"], sum(frame.height for frame in facts.tables.values())
    nodes = facts.tables["name_facts"].height if "name_facts" in facts.tables else 0
    assert account.balanced and account.unread == 0 and rows - nodes == len(PLAIN[kind](data)), "nothing is lost"

    def made() -> list[Any]:
        tables = tool.parse(capture).tables
        return [tables[name] for name in tables]

    job = made if sys.argv[1].startswith("made-") else lambda: tool.parse(capture)
    report(job, repeat=5, rows=rows - nodes, note=f"{len(data) / 1e6:.1f} MB, {account.total} lines")


main()
