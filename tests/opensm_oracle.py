"""The real OpenSM over ibsim as oracle: a fabric goes in, the forwarding tables that it programs come out.

Shares no code with the product but the array type of a fabric: netlist, configuration and the reading of the dump are
written here. Both programs are started for one run and stopped by their own process ids.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asbuilt.plan.routing_fabric import COMPUTE, HOST, IO, NOTHING, Fabric

_ROW = re.compile(rb"^0x([0-9a-f]{4}) ([0-9]{3}|UNREACHABLE)\b", re.M)
_CLOCK = re.compile(r"^(\w{3} \d\d) (\d\d):(\d\d):(\d\d) (\d{6}) ")


@dataclass(frozen=True)
class Told:
    """What OpenSM did: ``out`` [S, top_lid+1] as `Forwarding`, its log, seconds of the engine, seconds to SUBNET UP."""

    out: Any
    log: str
    routing_s: float | None
    total_s: float

    @property
    def fell_back(self) -> bool:
        words = ("falling back", "failed to setup routing engine", "not fat-tree", "cannot build lid matrices")
        return any(word in self.log.lower() for word in words)


def programs_there() -> bool:
    return all(shutil.which(p, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") for p in ("ibsim", "opensm"))


def netlist(fabric: Fabric) -> str:
    """ibsim's text of a fabric: port GUIDs of hosts are node GUID + 1, as ibsim has it."""
    lines: list[str] = []
    wide = fabric.peer.shape[1] - 1
    for s, key in enumerate(fabric.switch_keys):
        if not (fabric.peer[s] != NOTHING).any():
            continue
        lines += [
            f"switchguid=0x{fabric.guid[s]:016x}",
            f'Switch {wide} "S-{fabric.guid[s]:016x}" # "{key}" enhanced port 0 lid 0 lmc 0',
        ]
        for p in range(1, wide + 1):
            to, far = int(fabric.peer[s, p]), int(fabric.peer_port[s, p])
            if to >= 0:
                lines.append(f'[{p}] "S-{fabric.guid[to]:016x}"[{far}] # "{fabric.switch_keys[to]}" lid 0 4xHDR')
            elif to <= HOST:
                h = HOST - to
                node, own = f"{fabric.host_node_guid[h]:016x}", f"{fabric.host_guid[h]:016x}"
                lines.append(f'[{p}] "H-{node}"[{far}]({own}) # "{fabric.host_keys[h]}" lid 0 4xHDR')
        lines.append("")
    for h in range(fabric.hosts):
        s, p = int(fabric.host_switch[h]), int(fabric.host_port[h])
        if s < 0:
            continue
        key, far = fabric.switch_keys[s], int(fabric.peer_port[s, p])
        node, own = f"{fabric.host_node_guid[h]:016x}", f"{fabric.host_guid[h]:016x}"
        lines += [f"caguid=0x{node}", f'Ca {far} "H-{node}" # "{fabric.host_keys[h]}"']
        lines += [f'[{far}]({own}) "S-{fabric.guid[s]:016x}"[{p}] # lid 0 lmc 0 "{key}" lid 0 4xHDR', ""]
    return "\n".join(lines) + "\n"


def _files(fabric: Fabric, folder: Path, flags: str, extra: str) -> Path:
    def guid_list(name: str, values: Any) -> str:
        (folder / name).write_text("".join(f"0x{v:016x}\n" for v in values))
        return f"{name.rsplit('.')[0]}_file {folder / name}\n" if len(values) else ""

    entries = [(int(g), int(n), 0) for g, n in zip(fabric.guid, fabric.lid, strict=True)]
    entries += list(zip(fabric.host_guid.tolist(), fabric.host_lid.tolist(), fabric.host_lmc.tolist(), strict=True))
    (folder / "guid2lid").write_text("".join(f"0x{g:016x} 0x{n:04x} 0x{n + (1 << m) - 1:04x}\n\n" for g, n, m in entries))
    text = f"routing_engine {fabric.engine}\nhonor_guid2lid_file TRUE\nforce_log_flush TRUE\naccum_log_file FALSE\n"
    text += f"log_flags {flags}\nlog_file {folder / 'opensm.log'}\ndump_files_dir {folder}\nlog_max_size 0\n"
    text += f"lmc {int(fabric.host_lmc.max(initial=0))}\n"
    text += guid_list("root_guid.txt", fabric.guid[fabric.root]) if fabric.engine != "minhop" else ""
    text += guid_list("cn_guid.txt", fabric.host_guid[fabric.host_role == COMPUTE])
    text += guid_list("io_guid.txt", fabric.host_guid[fabric.host_role == IO])
    text += f"connect_roots {'TRUE' if fabric.connect_roots else 'FALSE'}\nmax_reverse_hops {fabric.reverse_hops}\n{extra}"
    (folder / "opensm.conf").write_text(text)
    (folder / "net").write_text(netlist(fabric))
    return folder / "opensm.conf"


def ask(fabric: Fabric, *, timeout_s: float = 300.0, flags: str = "0x47", extra: str = "", at: int = 0) -> Told:
    """Bring the fabric up once with the real OpenSM, attached to host ``at``, and read the tables that it dumps."""
    with tempfile.TemporaryDirectory(prefix="asbuilt-oracle-") as name:
        folder = Path(name)
        config = _files(fabric, folder, flags, extra)
        environment = {**os.environ, "IBSIM_SOCKNAME": folder.name, "TMPDIR": name, "OSM_CACHE_DIR": name, "OSM_TMP_DIR": name}
        ports = fabric.switches * fabric.peer.shape[1] + 3 * fabric.hosts + 64
        sizes = ["-N", str(fabric.switches + fabric.hosts + 8), "-S", str(fabric.switches + 8), "-P", str(ports), "-L", "49152"]
        with (folder / "sim.out").open("wb") as said:
            simulator = subprocess.Popen(
                ["ibsim", "-s", "-n", *sizes, "net"], stdout=said, stderr=said, env=environment, cwd=folder
            )
        try:
            until = time.monotonic() + timeout_s
            while b"Network simulator ready" not in (folder / "sim.out").read_bytes():
                assert simulator.poll() is None and time.monotonic() < until, (folder / "sim.out").read_text()[-500:]
                time.sleep(0.02)
            preload = next(p for p in Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
            began = time.monotonic()
            manager = {**environment, "LD_PRELOAD": str(preload), "SIM_HOST": str(fabric.host_keys[at])}
            command = [
                shutil.which("opensm", path=os.environ.get("PATH", "") + ":/usr/sbin") or "opensm",
                "-F",
                str(config),
                "-o",
            ]
            done = subprocess.run(command, env=manager, cwd=folder, capture_output=True, timeout=timeout_s, check=False)
            took = time.monotonic() - began
            log = (folder / "opensm.log").read_text(errors="replace")
            assert "SUBNET UP" in log or b"SUBNET UP" in done.stdout, log[-2000:] + done.stdout.decode()[-500:]
            out = tables((folder / "opensm-lfts.dump").read_bytes(), fabric)
        finally:
            simulator.terminate()
            simulator.wait(timeout=20)
    return Told(out, log, _engine_time(log), took)


def tables(dump: bytes, fabric: Fabric) -> Any:
    """``opensm-lfts.dump`` as out[S, top_lid+1], 255 for a row that is not there."""
    out = np.full((fabric.switches, fabric.top_lid + 1), 255, np.uint8)
    row = {f"{g:016x}": s for s, g in enumerate(fabric.guid.tolist())}
    for block in dump.split(b"Unicast lids")[1:]:
        head = re.search(rb"guid 0x([0-9a-f]{16})", block)
        assert head, block[:200]
        s = row[head[1].decode()]
        for lid, port in _ROW.findall(block):
            if port != b"UNREACHABLE" and int(lid, 16) <= fabric.top_lid:
                out[s, int(lid, 16)] = int(port)
    return out


def _engine_time(log: str) -> float | None:
    """Seconds between the engine's own first and last line, from the stamps of the log (microseconds)."""

    def stamp(line: str) -> float:
        found = _CLOCK.match(line)
        assert found, line
        return int(found[2]) * 3600 + int(found[3]) * 60 + int(found[4]) + int(found[5]) / 1e6

    lines = log.splitlines()
    first = [line for line in lines if "Starting FatTree routing" in line]
    last = [line for line in lines if "FatTree routing is done" in line]
    return (stamp(last[-1]) - stamp(first[-1])) % 86400 if first and last else None
