"""Asks nodes through Ansible: a generated inventory, configuration and playbook; one task, one connection per node.

The script travels inside the command (base64) and the archive comes back as text, so that nothing is copied to the node, no
folder of Ansible is made there, and no Python is needed there. Connections are never shared: with a wrong ``ControlPath`` all
nodes would be asked over the first one's connection, and every answer would look right.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.collect.heard import ANSWERED, FAILED, HUNG, UNREACHABLE, Heard, Listen, short

PROGRAM = "ansible-playbook"
_PLUGINS = Path(__file__).parent / "ansible_plugins"
#: Linux takes one argument of at most 128 KiB (MAX_ARG_STRLEN); the rest is for what Ansible puts around the command.
_MOST_COMMAND = 120_000


@dataclass(frozen=True, slots=True)
class Way:
    """How nodes are reached: user and port ("" and 0 leave them to ssh), an ssh configuration file, root by sudo, how many
    at once, seconds that one node may take, seconds to connect."""

    user: str = ""
    port: int = 0
    ssh_config: str = ""
    become: bool = False
    forks: int = 32
    timeout_s: int = 900
    connect_s: int = 10


def program() -> str:
    """The path of `ansible-playbook`: beside this Python, else in PATH. Raises `ProblemError` CLI-091 without one."""
    beside = Path(sys.executable).parent / PROGRAM
    found = str(beside) if beside.is_file() else shutil.which(PROGRAM)
    if not found:
        what = f"{PROGRAM} is not installed"
        fix = "install ansible-core (requirements/fleet.txt), or carry collect/capture.sh by hand: `asbuilt export collect`"
        raise ProblemError(Problem("CLI-091", what, why="nodes are asked through it", fix=fix))
    return found


def ask(names: Sequence[str], script: bytes, way: Way, listen: Listen) -> None:
    """Run ``script`` on every node of ``names`` (names that a shell takes as they are); ``listen`` hears each one's end.

    A node that fails costs no other. Raises `ProblemError` CLI-091 without Ansible, CLI-092 when Ansible itself stops.
    """
    command = _command(script)
    found = program()
    with tempfile.TemporaryDirectory(prefix="asbuilt-ansible-") as place:
        folder = Path(place)
        _write(folder, names, command, way)
        errors = folder / "errors.txt"
        with errors.open("wb") as complaints:
            process = subprocess.Popen(
                [found, "-i", str(folder / "inventory.json"), str(folder / "playbook.json")],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, env=_environment(folder),
                start_new_session=True,
            )  # fmt: skip
            try:
                heard = _hear(process, set(names), listen)
            finally:
                _end(process)
                _end_orphans(folder)
        lost = [n for n in names if n not in heard]
        if lost and not heard:
            why = short(errors.read_text("utf-8", "replace")) or f"it ended with status {process.returncode}"
            raise ProblemError(Problem("CLI-092", f"Ansible stopped before it asked a node: {why}", fix="see its own message"))
        for name in lost:
            listen(Heard(name, FAILED, why="Ansible said nothing of it"))


def _command(script: bytes) -> str:
    coded = base64.b64encode(script).decode()
    if len(coded) > _MOST_COMMAND:
        raise ValueError(f"a script of {len(script)} bytes does not fit into one command")
    # The script is a value of the shell, so that its own standard input stays free and nothing is written to disk.
    return f"""sh -c "$(printf %s {coded} | base64 -d)" capture.sh -o -n {{{{ inventory_hostname }}}} </dev/null"""


def _write(folder: Path, names: Sequence[str], command: str, way: Way) -> None:
    variables: dict[str, Any] = {"ansible_connection": "ssh"}
    if way.user:
        variables["ansible_user"] = way.user
    if way.port:
        variables["ansible_port"] = way.port
    inventory = {"all": {"hosts": {name: {} for name in names}, "vars": variables}}
    task = {"name": "passive captures", "raw": command, "timeout": way.timeout_s, "changed_when": False}
    play = {"hosts": "all", "gather_facts": False, "strategy": "free", "become": way.become, "tasks": [task]}
    options = ["-o", "ControlMaster=no", "-o", "ControlPath=none", "-o", "BatchMode=yes"]
    options += ["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"]
    if way.ssh_config:
        options = ["-F", str(Path(way.ssh_config).resolve()), *options]
    settings = f"""[defaults]
callback_plugins = {_PLUGINS}
stdout_callback = asbuilt_heard
forks = {way.forks}
timeout = {way.connect_s}
local_tmp = {folder}/local
retry_files_enabled = False
deprecation_warnings = False
localhost_warning = False

[ssh_connection]
ssh_args = {shlex.join(options).replace("%", "%%")}
retries = 0
"""
    (folder / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
    (folder / "playbook.json").write_text(json.dumps([play]), encoding="utf-8")
    (folder / "ansible.cfg").write_text(settings, encoding="utf-8")


def _environment(folder: Path) -> dict[str, str]:
    """Ours without settings of Ansible, which would change what is asked, and how."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ANSIBLE_")}
    return kept | {
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
        "ANSIBLE_HOME": str(folder),
        "ANSIBLE_NOCOLOR": "1",
        "LC_ALL": "C.UTF-8",
    }


def _hear(process: subprocess.Popen[bytes], names: set[str], listen: Listen) -> set[str]:
    heard: set[str] = set()
    assert process.stdout is not None
    for line in process.stdout:
        try:
            said = json.loads(line)
            name = str(said["host"])
            if name in names and name not in heard:
                heard.add(name)
                listen(_heard(name, said))
        except (ValueError, TypeError, KeyError):
            continue  # a warning of Ansible between the answers
    process.wait()
    return heard


def _heard(name: str, said: dict[str, Any]) -> Heard:
    how, text, message = str(said.get("how")), str(said.get("stdout", "")), short(str(said.get("msg", "")))
    if how == "unreachable":
        # Equal reasons of many nodes are told together: without the name, and without what Ansible puts before ssh's words.
        return Heard(name, UNREACHABLE, why=message.split("via ssh: ")[-1].removeprefix("ssh: ").replace(name, "it"))
    if how == "failed":
        if said.get("timedout"):
            return Heard(name, HUNG, why="it did not end in time")
        return Heard(name, FAILED, text, short(str(said.get("stderr", ""))) or message)
    return Heard(name, ANSWERED, text)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End Ansible and whatever is left of its own session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _end_orphans(folder: Path) -> None:
    """End what Ansible's workers left in sessions of their own: an ssh to a node that hangs outlives its worker.

    They are known by the configuration that only this run has, in their environment (Linux; elsewhere ssh ends by itself).
    """
    mark = f"ANSIBLE_CONFIG={folder}/ansible.cfg".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)
