"""ibsim, the simulated hardware: loading a subnet, its console, and what it cannot take.

ibsim reads what ibnetdiscover prints. Its table sizes are compiled in (2,048 nodes, 13,312 ports), so they are raised to
what the subnet needs; its console takes lines up to 128 characters and answers each with a prompt.
"""

from __future__ import annotations

import re
import time
from typing import Iterable

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.rig import Child, Rig

UNICAST_LIDS = 49_152
LONGEST_LINE = 128
_LOADED = b"Network simulator ready"
_PROMPT = b"sim> "
_NEWER = re.compile(rb"(\d+)x(NDR|XDR)\b")
_ANY = re.compile(rb" (\d+)x([SDQEFHNX]DR(?:10)?)$", re.M)
ALIKE = "4xHDR"


def substituted(dump: bytes, *, alike: bool = False) -> tuple[bytes, dict[str, int]]:
    """A dump with the speeds that Debian's ibsim 0.10 does not know written as HDR, and how many ends of each word were.

    Width stays (``2xNDR``, a split port, loads as ``2xHDR``). With ``alike`` every link becomes ``4xHDR``: ibsim dies when a
    cable is plugged at run time between ports of unequal width.
    """
    counts: dict[str, int] = {}
    words = _ANY if alike else _NEWER
    for match in words.finditer(dump):
        word = match.group().decode().strip()
        if word != ALIKE:
            counts[word] = counts.get(word, 0) + 1
    return words.sub(f" {ALIKE}".encode() if alike else rb"\1xHDR", dump), counts


def sizes(dump: bytes) -> list[str]:
    """ibsim's table sizes for a dump: nodes, switches, ports (with port 0 of every switch), LIDs."""
    switches = [int(n) for n in re.findall(rb"^Switch\s+(\d+)", dump, re.M)]
    cas = [int(n) for n in re.findall(rb"^Ca\s+(\d+)", dump, re.M)]
    ports = sum(n + 1 for n in switches) + sum(n + 1 for n in cas) + 64
    return ["-N", str(len(switches) + len(cas) + 8), "-S", str(len(switches) + 8), "-P", str(ports), "-L", str(UNICAST_LIDS)]


class Simulator:
    """A running ibsim with its console."""

    def __init__(self, rig: Rig, program: str, dump: bytes, timeout_s: float = 120.0) -> None:
        """Load ``dump`` (already `substituted`). Raises `ProblemError` CLI-025 when ibsim refuses it or takes too long."""
        netlist = rig.folder / "subnet.net"
        netlist.write_bytes(dump)
        self._timeout_s = timeout_s
        started = time.monotonic()
        words = [program, "-s", *sizes(dump), str(netlist)]
        self.child: Child = rig.start("ibsim", words, rig.environment(), console=True)
        self._wait(_LOADED, 1)
        self._answers = self._wait(_PROMPT, 1)
        self.load_s = time.monotonic() - started

    def complaints(self) -> tuple[str, ...]:
        """What ibsim wrote to standard error so far."""
        return tuple(self.child.complained().decode(errors="replace").splitlines())

    def command(self, line: str) -> str:
        """One console line and its answer. Raises `ProblemError` CLI-025 when ibsim says that it did not do it."""
        assert len(line) < LONGEST_LINE, line
        assert self.child.process.stdin is not None
        before = len(self.child.said())
        self.child.process.stdin.write(line.encode() + b"\n")
        self.child.process.stdin.flush()
        self._answers = self._wait(_PROMPT, self._answers + 1)
        answer = self.child.said()[before:].decode(errors="replace").removesuffix("sim> ").strip()
        if answer:
            raise ProblemError(Problem("CLI-025", f"ibsim did not take {line!r}: {answer[:200]}"))
        return answer

    def commands(self, lines: Iterable[str]) -> None:
        """Several console lines, one after another."""
        for line in lines:
            self.command(line)

    def _wait(self, mark: bytes, times: int) -> int:
        until = time.monotonic() + self._timeout_s
        pause = 0.0005
        while time.monotonic() < until:
            found = self.child.said().count(mark)
            if found >= times:
                return found
            if not self.child.running:
                last = (self.complaints() or ("no message",))[-1]
                raise ProblemError(Problem("CLI-025", f"ibsim stopped while loading: {last}"))
            time.sleep(pause)
            pause = min(0.02, pause * 2)
        raise ProblemError(Problem("CLI-025", "ibsim did not answer in time", fix="rehearse a smaller subnet"))
