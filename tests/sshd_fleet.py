"""Many real sshd on loopback, each one machine of the twin: stand-in programs print what the node model answers there.

Each daemon has a host key and a configuration of its own. The stand-ins know the questions of the capture set by their own
words and hand everything else to the real program, so that the shell of the script under test is the real one.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from asbuilt.rehearse.node_twin import Answer

#: program -> (shell pattern of its arguments, id of the question). `grep` is told by the first file that it is asked for.
_WORDS = {
    "grep": (
        ("*/class/dmi/id/sys_vendor*", "identity"), ("*/class/dmi/id/bios_vendor*", "system"),
        ("*/sys/bus/pci/devices/*", "pci-links"), ("*/sys/class/infiniband/*", "infiniband"),
        ("*/proc/irq/*", "irq-affinity"), ("*/sys/module/*", "modules"),
    ),
    "readlink": (("-f /sys/bus/pci/devices/*", "pci-paths"),),
    "ls": (("-l /sys/class/infiniband*", "infiniband-paths"),),
    "cat": (("/proc/interrupts", "interrupts"),),
    "lscpu": (("", "lscpu"),),
    "numactl": (("-H", "numactl"),),
    "lspci": (("-Dnnvv", "lspci-vv"), ("-Dtv", "lspci-tv")),
    "dmidecode": (("*", "dmidecode"),),
    "lsmod": (("", "lsmod"),),
    "dmesg": (("*", "dmesg"),),
    "systemctl": (("show *", "services"),),
    "nvidia-smi": (
        ("--query-gpu=*", "nvidia-smi"), ("-q", "nvidia-smi-q"), ("topo -m", "nvidia-smi-topo"),
        ("nvlink -s", "nvlink-status"), ("nvlink -e", "nvlink-errors"),
    ),
    "ibstat": (("", "ibstat"),),
    "ibdev2netdev": (("", "ibdev2netdev"),),
    "show_gids": (("", "show_gids"),),
    "ofed_info": (("-s", "ofed_info"),),
    "mst": (("status -v", "mst"),),
    "mlxconfig": (("-d * -e q", "mlxconfig@$2"),),
    "flint": (("-d * q", "flint@$2"),),
    "dpkg-query": (("-W", "packages"),),
    "ipmitool": (("sensor", "ipmi-sensors"), ("fru print", "ipmi-fru"), ("sel elist", "ipmi-sel")),
}  # fmt: skip
_PROMPT = re.compile(rb"^\$ (?:mlxconfig|flint) -d (\S+) .*\n", re.M)


def stand_ins(folder: Path) -> Path:
    """The folder of stand-in programs. Each reads ``$TWIN/<id>`` and ends with the status in ``$TWIN/<id>.code``."""
    folder.mkdir()
    for name, words in _WORDS.items():
        cases = "\n".join(f"{_pattern(pattern)}) id={id} ;;" for pattern, id in words)
        text = f"""#!/bin/sh
id=
case "$*" in
{cases}
esac
if [ -z "$id" ] || [ ! -e "$TWIN/$id" ]; then
    PATH=/usr/sbin:/usr/bin:/sbin:/bin
    exec {name} "$@"
fi
PATH=/usr/bin:/bin
if [ -e "$TWIN/$id.hangs" ]; then exec sleep 1000; fi
cat "$TWIN/$id"
read -r code <"$TWIN/$id.code"
exit "$code"
"""
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def _pattern(pattern: str) -> str:
    """A shell pattern in which only ``*`` is special."""
    return "*".join(shlex.quote(part) if part else "" for part in pattern.split("*")) or "''"


def machine(folder: Path, answers: Mapping[str, Answer]) -> Path:
    """What one machine's stand-ins print, and the root under which the script looks for its devices."""
    twin = folder / "twin"
    twin.mkdir(parents=True)
    for id, answer in answers.items():
        if answer.outcome in ("skipped", "absent"):
            continue
        pieces = {id: answer.data}
        if id in ("mlxconfig", "flint"):
            parts = _PROMPT.split(answer.data)
            pieces = {f"{id}@{a.decode()}": text for a, text in zip(parts[1::2], parts[2::2], strict=True)}
        for name, data in pieces.items():
            (twin / name).write_bytes(data)
            (twin / f"{name}.code").write_text(f"{answer.exit_code}\n")
            if answer.outcome == "timed_out":
                (twin / f"{name}.hangs").touch()
    root = folder / "root"
    for line in answers["pci-links"].data.decode().splitlines():
        path, _, value = line.rpartition(":")
        if path.endswith(("/class", "/vendor")):
            (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (root / path[1:]).write_text(value + "\n")
    (root / "dev").mkdir(parents=True)
    for name in ("nvidiactl", "ipmi0"):
        (root / "dev" / name).touch()
    (root / "sys/module/nvidia").mkdir(parents=True)
    return folder


@dataclass
class Fleet:
    """The running daemons and the ssh configuration that leads to them by node name."""

    folder: Path
    config: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def stop(self) -> None:
        """End every daemon and the sessions that it holds."""
        for process in self.processes:
            with_children = [process.pid, *_below(process.pid)]
            for pid in with_children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def _below(pid: int) -> list[int]:
    """The processes below one, with sessions of their own too."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            cells = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(cells[1]), []).append(int(entry.parent.name))
    found, young = [], [pid]
    while young:
        young = [c for p in young for c in parents.get(p, ())]
        found += young
    return found


def start(folder: Path, sshd: str, machines: Mapping[str, Path], silent: frozenset[str], hanging: frozenset[str]) -> Fleet:
    """One sshd for each machine but the ``silent`` ones; a login at a ``hanging`` one never ends. Waits until all listen."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    Path("/run/sshd").mkdir(exist_ok=True)
    programs = stand_ins(folder / "bin")
    ports = _free_ports(len(machines))
    fleet = Fleet(folder, folder / "ssh_config")
    hosts, known = [], []
    for (name, home), port in zip(machines.items(), ports, strict=True):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / "host_key")], check=True)
        known.append(f"[127.0.0.1]:{port} {(home / 'host_key.pub').read_text()}")
        hosts.append(f"Host {name}\n HostName 127.0.0.1\n Port {port}\n")
        if name in silent:
            continue
        environment = f"PATH={programs}:/usr/bin:/bin HOME={home} TWIN={home}/twin ASBUILT_ROOT={home}/root TMPDIR={home}"
        lines = [
            f"Port {port}", "ListenAddress 127.0.0.1", f"HostKey {home}/host_key", "PidFile none", "UsePAM no",
            "StrictModes no",
            f"AuthorizedKeysFile {key}.pub", "PasswordAuthentication no", "PermitRootLogin prohibit-password",
            "LogLevel ERROR", f"SetEnv {environment}",
        ]  # fmt: skip
        if name in hanging:
            lines.append("ForceCommand sleep 1000")
        (home / "sshd_config").write_text("\n".join(lines) + "\n")
        log = (home / "sshd.log").open("wb")
        fleet.processes.append(subprocess.Popen([sshd, "-D", "-e", "-f", str(home / "sshd_config")], stderr=log))
        log.close()
    (folder / "known_hosts").write_text("".join(known))
    fleet.config.write_text(
        "".join(hosts)
        + f"Host *\n User root\n IdentityFile {key}\n IdentitiesOnly yes\n UserKnownHostsFile {folder}/known_hosts\n"
    )
    fleet.config.chmod(0o600)
    _wait([p for n, p in zip(machines, ports, strict=True) if n not in silent])
    return fleet


def _free_ports(number: int) -> list[int]:
    held = [socket.socket() for _ in range(number)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _wait(ports: list[int]) -> None:
    end = time.monotonic() + 30
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < end, f"no sshd listens on {port}"
                time.sleep(0.05)
