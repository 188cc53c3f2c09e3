"""A subnet on the simulator for tests: ibsim from a netlist, one real opensm on it, everything stopped by process id."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping

from requirements_of_tests import need_program

LIBRARIES = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so")
#: What a line of stdout or log says when OpenSM did not take its files as they were meant, though it runs on.
BAD_WORDS = (
    " 0x01 -> ",  # any line of the log at the level of errors
    "Unrecognized token",  # an option that it does not know
    "-E- ",  # a number that is none
    "PARSE ERROR",  # a partition that it does not understand: then 0x7fff alone
    "PARSE WARN",  # a flag of a partition that it leaves out; said at level 0x04 only
    "Warning",  # a short qos_sl2vl is filled with zeros
    "WARNING",  # a node-name-map that it cannot open
    "Error in QoS Policy File",
    "falling back",  # another routing engine than asked for
    "Failed to setup routing engine",
)


@dataclass(frozen=True, slots=True)
class Subnet:
    """A running simulator: its folder, the environment of its clients, the library that they preload."""

    folder: Path
    environment: Mapping[str, str]
    library: str

    def client(self, host: str) -> dict[str, str]:
        """The environment of a client that sits at ``host`` (a node description)."""
        return {**self.environment, "SIM_HOST": host, "LD_PRELOAD": self.library}

    def tool(self, host: str, *command: str) -> str:
        """What a diagnostic prints, its program found in /usr/sbin too."""
        program = need_program(command[0])
        done = subprocess.run(
            [program, *command[1:]], env=self.client(host), cwd=self.folder, capture_output=True, timeout=60, check=False
        )
        return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


@contextmanager
def subnet(folder: Path, netlist: bytes) -> Iterator[Subnet]:
    """ibsim with ``netlist`` on an abstract socket of its own, without console and without network port."""
    library = next((p for p in LIBRARIES if Path(p).exists()), LIBRARIES[0])
    (folder / "subnet.net").write_bytes(netlist)
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    environment |= {"IBSIM_SOCKNAME": f"asbuilt-test-{os.getpid()}-{folder.name}", "TMPDIR": str(folder)}
    with (folder / "sim.out").open("wb") as out, (folder / "sim.err").open("wb") as err:
        process = subprocess.Popen(
            [need_program("ibsim"), "-s", "-n", "-N", "4096", "-S", "512", "-P", "40000", "-L", "49152", "subnet.net"],
            stdout=out, stderr=err, env=environment, cwd=folder,
        )  # fmt: skip
    try:
        until = time.monotonic() + 20
        while b"Network simulator ready" not in (folder / "sim.out").read_bytes():
            assert time.monotonic() < until and process.poll() is None, (folder / "sim.err").read_text(errors="replace")[-500:]
            time.sleep(0.02)
        yield Subnet(folder, environment, library)
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def managed(where: Subnet, files: Mapping[str, bytes], host: str, wait: str = "SUBNET UP") -> Iterator[str]:
    """opensm at ``host`` with ``files`` (their paths name ``where.folder``/sm); yields stdout and log once it is up.

    ``wait`` is the word of the log that ends the wait; 30 s without it end it too, and the text says why.
    """
    home = where.folder / "sm"
    cache = home / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (home / name).write_bytes(data)
    (cache / "guid2lid").write_bytes(files.get("guid2lid", b""))
    environment = {**where.client(host), "OSM_CACHE_DIR": f"{cache}/", "OSM_TMP_DIR": f"{cache}/"}
    with (home / "stdout").open("wb") as out:
        process = subprocess.Popen(
            [need_program("opensm"), "-F", str(home / "opensm.conf")],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=home,
        )  # fmt: skip
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until and process.poll() is None and wait not in said(home):
            time.sleep(0.05)
        yield said(home)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def said(home: Path) -> str:
    """stdout and log of the manager whose files are in ``home``, as they are now."""
    parts = [(home / name).read_text(errors="replace") for name in ("stdout", "opensm.log") if (home / name).exists()]
    return "\n".join(parts)


def bad_lines(text: str) -> list[str]:
    """The lines that hold one of `BAD_WORDS`."""
    return [line for line in text.splitlines() if any(word in line for word in BAD_WORDS)]
