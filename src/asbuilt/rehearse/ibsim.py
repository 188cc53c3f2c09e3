"""Real programs as witness: a discovery dump loaded into `ibsim` and read back by the real `ibnetdiscover`.

Debian's ibsim 0.10 reads what ibnetdiscover prints. It knows speeds up to HDR, so newer words are turned into HDR
before loading; `engines.ENGINES["ibsim"]` declares that with everything else it cannot show. One simulator runs under
its own abstract socket name (``IBSIM_SOCKNAME``), opens no network port and is stopped by its process id.
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

from asbuilt.base.problem import Problem, ProblemError

PRELOAD = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so")
SPEEDS = re.compile(rb"(\d+x)(?:NDR|XDR)\b")
_LOADED = b"Network simulator ready"
UNICAST_LIDS = 49_152


@dataclass(frozen=True, slots=True)
class Reading:
    """What came back: the text of the real `ibnetdiscover`, and what the simulator complained about while loading."""

    text: bytes
    complaints: tuple[str, ...]
    load_s: float
    discover_s: float


def programs() -> tuple[str, str, str]:
    """Paths of ibsim, ibnetdiscover and the umad2sim library. Raises `ProblemError` CLI-024 naming what is missing."""
    simulator = shutil.which("ibsim")
    discover = shutil.which("ibnetdiscover", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    library = next((p for p in PRELOAD if Path(p).exists()), None)
    missing = [n for n, p in (("ibsim", simulator), ("ibnetdiscover", discover), ("libumad2sim.so", library)) if p is None]
    if simulator is None or discover is None or library is None:
        what = f"not installed: {', '.join(missing)}"
        raise ProblemError(Problem("CLI-024", what, fix="apt-get install ibsim-utils libumad2sim0 infiniband-diags"))
    return simulator, discover, library


def read_back(dump: bytes, timeout_s: float = 120.0) -> Reading:
    """Load one subnet's dump into ibsim, discover it with the real tool, stop the simulator.

    The limits that ibsim compiles in (2,048 nodes, 13,312 ports) are raised to what the dump needs. ``timeout_s``
    holds for loading and for discovery each; past it `ProblemError` CLI-025.
    """
    simulator, discover, library = programs()
    with tempfile.TemporaryDirectory(prefix="asbuilt-ibsim-") as folder:
        netlist = Path(folder) / "subnet.net"
        netlist.write_bytes(SPEEDS.sub(rb"\1HDR", dump))
        log, complaints = Path(folder) / "out", Path(folder) / "err"
        environment = {**os.environ, "IBSIM_SOCKNAME": Path(folder).name, "TMPDIR": folder}
        started = time.monotonic()
        with log.open("wb") as out, complaints.open("wb") as err:
            process = subprocess.Popen(
                [simulator, "-s", "-n", *_sizes(dump), str(netlist)], stdout=out, stderr=err, env=environment, cwd=folder
            )
        try:
            _wait_loaded(process, log, complaints, started + timeout_s)
            loaded = time.monotonic()
            text = _discover(discover, {**environment, "LD_PRELOAD": library}, folder, timeout_s)
            ended = time.monotonic()
        finally:
            process.terminate()
            process.wait(timeout=10)
        said = tuple(complaints.read_text(errors="replace").splitlines())
    return Reading(text, said, loaded - started, ended - loaded)


def _sizes(dump: bytes) -> list[str]:
    """ibsim's table sizes: nodes, switches, ports (with port 0 of every switch), LIDs."""
    switches = [int(n) for n in re.findall(rb"^Switch\s+(\d+)", dump, re.M)]
    cas = [int(n) for n in re.findall(rb"^Ca\s+(\d+)", dump, re.M)]
    ports = sum(n + 1 for n in switches) + sum(n + 1 for n in cas) + 64
    return ["-N", str(len(switches) + len(cas) + 8), "-S", str(len(switches) + 8), "-P", str(ports), "-L", str(UNICAST_LIDS)]


def _wait_loaded(process: subprocess.Popen[bytes], log: Path, complaints: Path, until: float) -> None:
    while time.monotonic() < until:
        if _LOADED in log.read_bytes():
            return
        if process.poll() is not None:
            last = complaints.read_text(errors="replace").splitlines()[-1:] or ["no message"]
            raise ProblemError(Problem("CLI-025", f"ibsim stopped while loading: {last[0]}"))
        time.sleep(0.02)
    raise ProblemError(Problem("CLI-025", "ibsim did not finish loading in time", fix="rehearse a smaller subnet"))


def _discover(program: str, environment: dict[str, str], folder: str, timeout_s: float) -> bytes:
    try:
        done = subprocess.run([program], env=environment, cwd=folder, capture_output=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired as late:
        raise ProblemError(Problem("CLI-025", f"ibnetdiscover did not answer within {timeout_s:g} s")) from late
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").splitlines()[-1:] or ["no message"]
        raise ProblemError(Problem("CLI-025", f"ibnetdiscover failed: {last[0]}"))
    return done.stdout
