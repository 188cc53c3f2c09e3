"""The rig of a rehearsal: a private folder and the processes that run in it, all stopped on every way out.

Nothing opens a network port: the simulator and its clients meet at an abstract socket whose name is the folder's own.
Processes are known and stopped by their process id. Where ``setpriv`` is installed they also die with the rehearsal when it
is killed itself.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Callable

from asbuilt.base.problem import Problem, ProblemError

STOP_S = 5.0
#: Exit code of a shell for a process ended by a signal: this plus its number.
SIGNALLED = 128


class Child:
    """One running program of the rig: its process, and the files that hold what it says."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self.name = name
        self.process = process
        self.out = out
        self.err = err

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def said(self) -> bytes:
        """All that it wrote to standard output so far."""
        return self.out.read_bytes()

    def complained(self) -> bytes:
        """All that it wrote to standard error so far."""
        return self.err.read_bytes()


#: A file system in memory: every client of the simulator makes and removes a tree of two hundred small files.
MEMORY = Path("/dev/shm")  # noqa: S108 (a private folder is made in it)


class Rig:
    """A context: on entry a folder (mode 0700), on exit every child stopped and waited for, and the folder gone.

    ``scratch`` is where programs keep temporary files: in memory where that can be, else in the folder.

    SIGTERM, and the SIGHUP of a terminal that goes away, leave the context as an exception would (`SystemExit` 128 + signal),
    so that nothing stays behind; a signal that is ignored (``nohup``) stays ignored. Raises `ProblemError` CLI-025 where no
    folder can be made.
    """

    def __init__(self) -> None:
        self.folder = Path()
        self.scratch = Path()
        self._holders: list[tempfile.TemporaryDirectory[str]] = []
        self._children: list[Child] = []
        self._handlers: dict[signal.Signals, Any] = {}
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Rig:
        self.folder = self._private(None)
        self.scratch = self._private(MEMORY) if MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK) else self.folder
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._handlers[number] = signal.signal(number, _leave)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.stop_all()
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            for holder in self._holders:
                holder.cleanup()

    def _private(self, place: Path | None) -> Path:
        try:
            holder = tempfile.TemporaryDirectory(prefix="asbuilt-rehearse-", dir=place, ignore_cleanup_errors=True)
        except OSError as error:
            what = f"no folder for the rehearsal can be made: {error.strerror}"
            raise ProblemError(Problem("CLI-025", what, fix="set TMPDIR to a folder that can be written to")) from error
        self._holders.append(holder)
        return Path(holder.name)

    @property
    def socket(self) -> str:
        """Name of the abstract socket of this rig: that of its folder, which no other rig has."""
        return self.folder.name

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of every program of the rig: its socket name, its scratch for temporary files, plain messages."""
        own = {"IBSIM_SOCKNAME": self.socket, "TMPDIR": str(self.scratch), "LC_ALL": "C", "TZ": "UTC"}
        return {**os.environ, **own, **more}

    def start(self, name: str, words: list[str], environment: dict[str, str], *, console: bool = False) -> Child:
        """Start a program in the folder; with ``console`` its standard input is a pipe, else empty."""
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        out, err = (self.folder / f"{name}-{number}.{end}" for end in ("out", "err"))
        with out.open("wb") as one, err.open("wb") as two:
            process = subprocess.Popen(
                tethered(words, environment),
                stdin=subprocess.PIPE if console else subprocess.DEVNULL,
                stdout=one,
                stderr=two,
                env=_untouched(environment),
                cwd=self.scratch,  # umad2sim makes its tree in the current folder
            )
        child = Child(name, process, out, err)
        self._children.append(child)
        return child

    def stop(self, child: Child, how: Callable[[subprocess.Popen[bytes]], None] = subprocess.Popen.terminate) -> None:
        """End one child and wait for it; one that does not go within `STOP_S` seconds is killed."""
        process = child.process
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        if process.poll() is None:
            how(process)
        try:
            process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if child in self._children:
            self._children.remove(child)
        self._sweep(process.pid)

    def _sweep(self, pid: int) -> None:
        """What a killed client leaves: the folder ``sys-<pid>`` in which umad2sim pretends to be a kernel."""
        for place in {self.folder, self.scratch}:
            for left in place.glob(f"sys-{pid}*"):
                shutil.rmtree(left, ignore_errors=True)

    def stop_all(self) -> None:
        """End all children, last started first (managers before the simulator that they talk to)."""
        for child in reversed(list(self._children)):
            self.stop(child)


def tethered(words: list[str], environment: dict[str, str]) -> list[str]:
    """``words`` under ``setpriv``, so that the program ends with us. What is preloaded is set only behind it."""
    setpriv, env = shutil.which("setpriv"), shutil.which("env")
    preload = environment.get("LD_PRELOAD")
    inner = [env or "/usr/bin/env", f"LD_PRELOAD={preload}", *words] if preload else words
    return (
        [setpriv, "--pdeathsig", "TERM", "--", *inner]
        if setpriv and threading.current_thread() is threading.main_thread()
        else inner
    )


def _untouched(environment: dict[str, str]) -> dict[str, str]:
    """The environment without the preloaded library, which must touch nothing but the program itself."""
    return {k: v for k, v in environment.items() if k != "LD_PRELOAD"}


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(SIGNALLED + number)
