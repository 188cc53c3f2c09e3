"""What benchmarks of a cluster have in common: labels that launchers put before lines, and what a launch line asks for.

``srun --label`` writes ``3: `` and Open MPI ``[1,3]<stdout>:`` before a line (with ``--timestamp-output`` the date before it).
Labels are taken off: of a run over many ranks rank 0 prints the table and all print the log.
"""

from __future__ import annotations

import re
import shlex
from typing import Sequence

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.parsers.host_lines import as_utf8

_LABEL = re.compile(
    rb"^(?:\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})?\[(?:\d+|[\w.@-]+),\s*\d+\](?:<std(?:out|err|diag)>)?: ?|^ {0,4}\d{1,6}: ", re.M
)
_PROCESSES = ("-np", "-n", "--np", "-c", "--n", "--ntasks")
_LAUNCHERS = {"mpirun", "mpiexec", "srun", "prun", "prterun", "orterun", "mpiexec.hydra", "aprun"}
#: Rules that Open MPI and PRRTE draw around the text of an error.
HELP_RULE = re.compile(r"^-{60,}$")
#: Lines of launchers and batch systems, not of the test.
LAUNCHER = re.compile(
    r"^(?:(?:srun|slurmstepd|salloc|sbatch|mpirun|mpiexec|prterun|prun|orterun|mpiexec\.hydra)(?:\s|:).*|\[[\w.-]+:\d+\]\s.*"
    r"|\[(?:mpiexec|proxy:\S+)@[\w.-]+\]\s.*|Warning: Permanently added .*|Primary job\s+terminated normally.*|=+$|\s*\.{3}$)"
)
FAILED = re.compile(r"\b(?:error|failed|failure|abort(?:ed|ing)?|killed|not enough slots|timed? ?out|terminated)\b", re.I)


def unlabelled(data: bytes) -> bytes:
    """``data`` as UTF-8 and without the launcher's labels; as many lines as before."""
    return _LABEL.sub(b"", as_utf8(data))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a command line, as a shell would split them where it can."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


def number_after(words: Sequence[str], options: Sequence[str]) -> int | None:
    """The number behind the first of ``options``: ``-g 8``, ``-g8``, ``--ngpus=8``."""
    for at, word in enumerate(words):
        name, equals, joined = word.partition("=")
        value = ""
        if name in options:
            value = joined if equals else "".join(words[at + 1 : at + 2])
        elif word[:2] in options and not word.startswith("--"):
            value = word[2:]
        if re.fullmatch(r"\d{1,7}", value):
            return int(value)
    return None


def ranks_wanted(words: Sequence[str]) -> int | None:
    """Ranks that a launch line asks for: processes times threads times GPUs. None where it does not say.

    Without a launcher there is one process. ``srun`` says processes (``-n``), or nodes times processes of a node.
    """
    program = next((i for i, w in enumerate(words) if re.search(r"_perf(?:_mpi)?$", w)), None)
    if program is None:
        return None
    launch, own = list(words[:program]), list(words[program + 1 :])
    processes: int | None = 1
    names = {w.rpartition("/")[2] for w in launch}
    if names & _LAUNCHERS:
        slurm = "srun" in names
        processes = number_after(launch, ("-n", "--ntasks") if slurm else _PROCESSES)
        nodes, per_node = number_after(launch, ("-N", "--nodes")), number_after(launch, ("--ntasks-per-node",))
        if slurm and processes is None and nodes is not None and per_node is not None:
            processes = nodes * per_node
    if processes is None:
        return None
    threads, gpus = number_after(own, ("-t", "--nthreads")) or 1, number_after(own, ("-g", "--ngpus")) or 1
    wanted = processes * threads * gpus
    return wanted if 0 < wanted < 1 << 40 else None


def host_set(names: Sequence[str]) -> str | None:
    """Names of hosts as a host set; None for none, or where one is no host name."""
    try:
        return str(Hosts.fold(names)) or None
    except HostNameError:
        return None
