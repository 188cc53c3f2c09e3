"""Read what a subnet's tools answer; the peer is a plain line-by-line parser: a regular expression a line, a dictionary a row.

Texts as the tools print them, of a fat tree with as many NIC ports as asked: the forwarding tables of its switches
(``dump_lfts``), the listing of its links (``iblinkinfo``), the partition tables and port records of its NICs (``smpquery``).

What is timed: every line and number read into arrays, records told apart, every line accounted for, tables counted. With
``made-`` the tables of all facts are made as well, with their text: what a caller pays that looks at every one.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Callable

from measure import report

RADIX = 64


def tables(ports: int) -> bytes:
    """``dump_lfts`` of 16 of the switches: every LID, the name behind it."""
    text = [f"gpu{i // 8:05d} mlx5_{i % 8}" for i in range(ports)]
    out = []
    for switch in range(16):
        out.append(
            f"Unicast lids [0x0-0x{ports:x}] of switch DR path slid 0; dlid 0; 0,1,{switch + 1} guid"
            f" 0x{0x2C90300000000 + switch:016x} (leaf-{switch:03d}):\n  Lid  Out   Destination\n       Port     Info \n"
        )
        out += [
            f"0x{i + 1:04x} {(i * 7 + switch) % RADIX + 1:03d} : (Channel Adapter portguid"
            f" 0x{0x9400000000 + 256 * i + 1:016x}: '{text[i]}')\n"
            for i in range(ports)
        ]
        out.append(f"{ports} valid lids dumped \n")
    return "".join(out).encode()


def listing(ports: int) -> bytes:
    """``iblinkinfo``: NICs first, then leaves with half their ports down, as the tool orders a discovery."""
    out = []
    for i in range(ports):
        leaf, port = divmod(i, RADIX // 2)
        out.append(
            f"CA: gpu{i // 8:05d} mlx5_{i % 8}:\n      0x{0x9400000000 + 256 * i + 1:016x} {i + 1000:6d} {1:4d}[  ] ==( 4X"
            f'        53.125 Gbps Active/  LinkUp)==>  {leaf + 1:6d} {port + 1:4d}[  ] "leaf-{leaf:03d}" (Could be 12X )\n'
        )
    for leaf in range(ports // (RADIX // 2)):
        out.append(f"Switch: 0x{0x2C90300000000 + leaf:016x} leaf-{leaf:03d}:\n")
        for port in range(RADIX // 2):
            i = leaf * (RADIX // 2) + port
            out.append(
                f"     {leaf + 1:6d} {port + 1:4d}[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  {i + 1000:6d} {1:4d}[  ] "
                f'"gpu{i // 8:05d} mlx5_{i % 8}" (Could be 12X )\n'
            )
        out += [
            f'     {leaf + 1:6d} {port:4d}[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
            for port in range(RADIX // 2 + 1, RADIX + 1)
        ]
    return "".join(out).encode()


def transcript(ports: int) -> bytes:
    """``smpquery`` by GUID: the partition table and the port record of every NIC port."""
    zeros = " ".join(["0x0000"] * 8)
    rest = "".join(f"{8 * row:4d}: {zeros}\n" for row in range(1, 8))
    out = []
    for i in range(ports):
        guid = 0x9400000000 + 256 * i + 1
        out.append(f"$ smpquery -G pkeys 0x{guid:016x} 1\n   0: 0x7fff 0x8{i % 5:03x} {zeros[:41]}\n{rest}")
        out.append(
            f"64 pkeys capacity for this port\n$ smpquery -G portinfo 0x{guid:016x} 1\n# Port info: Lid {i + 1000} port 1\n"
        )
        out.append(RECORD.replace("LID", str(i + 1000)))
    return "".join(out).encode()


RECORD = """Mkey:............................<not displayed>
GidPrefix:.......................0xfe80000000000000
Lid:.............................LID
SMLid:...........................1
CapMask:.........................0x50c048
DiagCode:........................0x0000
MkeyLeasePeriod:.................4089
LocalPort:.......................1
LinkWidthEnabled:................1X or 4X
LinkWidthSupported:..............1X or 4X
LinkWidthActive:.................4X
LinkSpeedSupported:..............2.5 Gbps or 5.0 Gbps or 10.0 Gbps
LinkState:.......................Active
PhysLinkState:...................LinkUp
LinkDownDefState:................Polling
ProtectBits:.....................0
LMC:.............................0
LinkSpeedActive:.................10.0 Gbps
LinkSpeedEnabled:................2.5 Gbps or 5.0 Gbps or 10.0 Gbps
NeighborMTU:.....................4096
SMSL:............................0
VLCap:...........................VL0-7
VLHighLimit:.....................4
OperVLs:.........................VL0-3
LinkSpeedExtActive:..............53.125 Gbps
"""

TABLE = re.compile(r"Unicast lids \[.*\] of switch (?:Lid (\d+)|DR path .*) guid 0x([0-9a-f]+) \((.*)\):")
ENTRY = re.compile(r"0x([0-9a-f]+) (\d+) : \((.*) portguid 0x([0-9a-f]+): '(.*)'\)")
NODE = re.compile(r"(CA|Switch): (?:0x([0-9a-f]+) )?(.*):$")
PORT = re.compile(
    r"\s+(?:0x([0-9a-f]+)\s+)?(\d+)\s+(\d+)\[.*?\] ==\(\s*(?:(\d+)X\s+([\d.]+) Gbps )?\s*(\w+)/\s*(\w+)\)==>"
    r"\s+(?:(\d+)\s+(\d+))?\[.*?\] \"(.*)\" \((?:Could be (\d+)X)?.*\)"
)
ASKED = re.compile(r"\$ smpquery -G (\w+) 0x([0-9a-f]+) (\d+)")
ROW = re.compile(r"\s*(\d+): ((?:0x[0-9a-f]{4} ?)+)")
KEY = re.compile(r"(\w+):\.+(.*)")


def plain_tables(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    guid = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if match := ENTRY.match(line):
            rows.append({"guid": guid, "target": int(match[1], 16), "out_port": int(match[2]), "line": number})
        elif match := TABLE.match(line):
            guid = match[2].zfill(16)
    return rows


def plain_listing(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    names = ("kind", "guid", "description", "own", "lid", "port", "width", "speed", "state", "physical")
    names += ("peer_lid", "peer_port", "peer", "could")
    node: tuple[Any, ...] = ()
    for line in text.split("\n"):
        if match := PORT.match(line):
            rows.append(dict(zip(names, (*node, *match.groups()), strict=True)))
        elif match := NODE.match(line):
            node = match.groups()
    return rows


def plain_transcript(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    said: dict[str, Any] = {}
    for line in text.split("\n"):
        if match := ASKED.match(line):
            said = {"operation": match[1], "guid": match[2], "port": int(match[3])}
            if match[1] == "portinfo":
                rows.append(said)
        elif match := ROW.match(line):
            for i, entry in enumerate(match[2].split()):
                if int(entry, 16):
                    rows.append({**said, "index": int(match[1]) + i, "entry": int(entry, 16)})
        elif match := KEY.match(line):
            said[match[1]] = match[2]
    return rows


CASES: dict[str, tuple[Callable[[int], bytes], str, Callable[[str], list[dict[str, Any]]]]] = {
    "tables": (tables, "ibroute", plain_tables),
    "listing": (listing, "iblinkinfo", plain_listing),
    "transcript": (transcript, "smpquery", plain_transcript),
}


def main() -> None:
    side, ports = sys.argv[1], int(sys.argv[2])
    plain = side.startswith("plain-")
    numpy = side.startswith("numpy-")
    make, module, peer = CASES[side.rsplit("-", 1)[-1]]
    data = make(ports)
    if plain:
        rows = len(peer(data.decode()))
        report(lambda: peer(data.decode()), repeat=2, warm=False, rows=rows)
        return
    import importlib

    from asbuilt.base.kernel import Engine

    Engine.mode = "numpy" if numpy else "auto"
    parse = importlib.import_module(f"asbuilt.parsers.{module}").parse
    facts = parse(data, "bench")
    account = facts.accounts["bench"]
    assert account.balanced and account.unread == 0
    rows = sum(table.height for table in facts.tables.values())
    note = f"{len(data) / 1e6:.1f} MB, {account.total} lines"

    def made() -> list[Any]:
        tables = parse(data, "bench").tables
        return [tables[name] for name in tables]

    report(made if side.startswith("made-") else lambda: parse(data, "bench"), repeat=5, rows=rows, note=note)


main()
