"""Subnet managers of a rehearsal: real `opensm` processes with the generated files, each with a cache of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse.rig import Child, Rig

UP = b"SUBNET UP"
_POLL_S = 0.02
#: Words by which opensm 3.3.23 says that it did not take a line of its files, or does something else than it was told.
#: It goes on, and exits 0, after every one of them.
NOT_TAKEN = re.compile(
    rb"PARSE ERROR|Unrecognized token|[Ff]all(?:ing|s)?[ -]?back|Failed to setup|[Ff]ailed to (?:read|open|parse)"
    rb"|No routing engine|\bWarning\b|\bWARNING\b|bad partition|ignor(?:ed|ing)|[Ii]nvalid|[Dd]uplicat"
    rb"|ERR (?:AB|AC|05|0D)[0-9A-F]{2}"  # routing, QoS policy, LIDs, duplicate GUIDs
)
#: Errors that also come when hardware goes away: a bring-up must be free of them, a failover cannot be.
AN_ERROR = re.compile(rb"ERR [0-9A-F]{4}|[Cc]annot|[Cc]an't")


@dataclass(slots=True)
class Manager:
    """One subnet manager: its number in the plan, its files in the rig, its process when it runs.

    ``host`` is the node id in the simulator (``H-<node GUID>``). The files are those of the plan; ``cache`` is where opensm
    reads and writes its guid2lid.
    """

    number: int
    host: str
    folder: Path
    program: str
    library: str
    child: Child | None = None
    earlier: list[Child] = field(default_factory=list)
    past: bytes = b""

    @property
    def config(self) -> Path:
        return self.folder / "opensm.conf"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def dumps(self) -> Path:
        return self.folder / "dumps"

    @property
    def log_file(self) -> Path:
        return self.folder / "opensm.log"

    def log(self) -> bytes:
        """The log so far."""
        return self.log_file.read_bytes() if self.log_file.exists() else b""

    def printed(self) -> bytes:
        """Standard output and error of every process that ran for this manager."""
        children = [*self.earlier, *([self.child] if self.child else [])]
        return b"".join(c.said() + c.complained() for c in children)

    def start(self, rig: Rig) -> None:
        """Start opensm at its host. It stays in the foreground and sweeps as its file says."""
        self.cache.mkdir(exist_ok=True)
        self.dumps.mkdir(exist_ok=True)
        self.past += self.log()
        self.log_file.unlink(missing_ok=True)  # opensm starts its log anew; what is waited for must be of this run
        environment = rig.environment(
            SIM_HOST=self.host, LD_PRELOAD=self.library, OSM_CACHE_DIR=str(self.cache), OSM_TMP_DIR=str(self.dumps)
        )
        self.child = rig.start(f"opensm-{self.number}", [self.program, "-F", str(self.config)], environment)

    def comes(self, mark: bytes, times: int, timeout_s: float) -> float | None:
        """Seconds until ``mark`` stands ``times`` times in the log, None when it does not come in time.

        Raises `ProblemError` CLI-028 when opensm ends meanwhile.
        """
        started = time.monotonic()
        while time.monotonic() < started + timeout_s:
            if self.log().count(mark) >= times:
                return time.monotonic() - started
            if self.child is None or not self.child.running:
                said = self.printed().decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
                raise ProblemError(Problem("CLI-028", f"opensm {self.number} stopped: {said[0][:200]}"))
            time.sleep(_POLL_S)
        return None

    def wait_for(self, mark: bytes, times: int, timeout_s: float) -> float:
        """As `comes`; raises `ProblemError` CLI-028 when the mark does not come in time."""
        took = self.comes(mark, times, timeout_s)
        if took is None:
            what = f"opensm {self.number} did not say {mark.decode()!r} within {timeout_s:g} s"
            told = self.bad_lines()[-1:]
            raise ProblemError(Problem("CLI-028", what, why=told[0] if told else "its log says no reason"))
        return took

    def count(self, mark: bytes) -> int:
        """How often ``mark`` stands in the log."""
        return self.log().count(mark)

    def sweep(self, timeout_s: float) -> float:
        """Tell opensm to look at the whole subnet at once (SIGHUP); seconds until the subnet is up again."""
        before = self.count(UP)
        self.ask_for_sweep()
        return self.wait_for(UP, before + 1, timeout_s)

    def ask_for_sweep(self) -> None:
        """Tell opensm to look at the whole subnet (SIGHUP), without waiting."""
        assert self.child is not None
        self.child.process.send_signal(signal.SIGHUP)

    def kill(self, rig: Rig) -> None:
        """End opensm as a power cut would: SIGKILL, no farewell to the fabric."""
        assert self.child is not None
        rig.stop(self.child, subprocess.Popen.kill)
        self.earlier.append(self.child)
        self.child = None

    def bad_lines(self, *, errors: bool = True) -> tuple[str, ...]:
        """Every line of its logs and of what it printed that tells of a line not taken or a fallback, and of any error.

        Without ``errors`` those are left out that come of themselves when hardware goes away.
        """
        lines = (self.printed() + self.past + self.log()).splitlines()
        bad = (line for line in lines if NOT_TAKEN.search(line) or (errors and AN_ERROR.search(line)))
        return tuple(line.decode(errors="replace") for line in bad)

    def end(self, rig: Rig) -> None:
        """End opensm as its service would: SIGTERM, and wait."""
        assert self.child is not None
        rig.stop(self.child)
        self.earlier.append(self.child)
        self.child = None

    def leases(self) -> dict[str, tuple[int, int]]:
        """Its guid2lid as it stands on disk: port GUID (16 digits) -> first and last LID."""
        path = self.cache / "guid2lid"
        found: dict[str, tuple[int, int]] = {}
        for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
            words = line.split()
            if len(words) == 3:
                guid, first, last = (int(w, 16) for w in words)
                found[f"{guid:016x}"] = (first, last)
        return found
