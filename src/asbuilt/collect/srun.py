"""Asks nodes through Slurm: one `srun` per node, so many at once. Passive: it asks beside running jobs where Slurm lets it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.collect.ansible import Way
from asbuilt.collect.heard import ANSWERED, FAILED, HUNG, UNREACHABLE, Heard, Listen, short

PROGRAM = "srun"
#: What srun says of a node that it cannot use (slurm_errno.c of Slurm 22 to 24).
_NO_NODE = ("Invalid node name", "node configuration is not available", "DOWN, DRAINED", "Unable to allocate", "Node failure")


def program() -> str:
    """The path of `srun`. Raises `ProblemError` CLI-091 without it."""
    found = shutil.which(PROGRAM)
    if not found:
        what = f"{PROGRAM} is not installed here"
        raise ProblemError(Problem("CLI-091", what, why="nodes are asked through it", fix="run on a login node, or ask by ssh"))
    return found


def ask(names: Sequence[str], script: bytes, way: Way, listen: Listen) -> None:
    """Run ``script`` on every node of ``names``; ``listen`` hears each one's end, in this thread.

    Raises `ProblemError` CLI-091 without srun.
    """
    found = program()
    with ThreadPoolExecutor(max(1, min(way.forks, len(names)))) as threads:
        for ended in as_completed([threads.submit(_one, found, name, script, way) for name in names]):
            listen(ended.result())


def _one(found: str, name: str, script: bytes, way: Way) -> Heard:
    words = [found, "--nodes=1", "--ntasks=1", f"--nodelist={name}", "--job-name=asbuilt-collect", "--quiet"]
    words += [f"--immediate={way.connect_s}", f"--time={way.timeout_s // 60 + 1}", "sh", "-s", "--", "-o", "-n", name]
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        return Heard(name, FAILED, why=f"{PROGRAM}: {error.strerror or error}")
    try:
        said, complaint = process.communicate(script, way.timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Heard(name, HUNG, why="it did not end in time")
    text, told = said.decode("utf-8", "replace"), complaint.decode("utf-8", "replace")
    if process.returncode == 0:
        return Heard(name, ANSWERED, text)
    how = UNREACHABLE if any(word in told for word in _NO_NODE) else FAILED
    return Heard(name, how, text, short(told) or f"{PROGRAM} ended with status {process.returncode}")
