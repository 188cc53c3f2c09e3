"""The passive capture script: the questions of the capture set as one POSIX-shell script for the nodes of a plan."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from asbuilt.artefacts.capture_body import HEAD, TAIL
from asbuilt.base.hosts import Hosts
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.capture_set import BEGIN, COMMANDS, END, MANIFEST_COLUMNS, MANIFEST_MARK, Command
from asbuilt.model.plan import Plan

TARGET = "collect"
WRITES = "the passive capture script that every node is asked with, and the list of nodes (collect/)"
LOST = ("what only runs under load: benchmarks are the active set",)
PROOF = "dash 0.5.12 and bash 5.2 run it, 49 sshds of OpenSSH 9.2 carry it"
FILE, NODES_FILE = "collect/capture.sh", "collect/nodes.txt"
#: Names that may stand in a shell comment, a file name and a host list alike.
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$")
_SHORT = 12


def collect(plan: Plan) -> dict[str, bytes]:
    """The script and the list of its nodes; none for a plan without nodes. Raises `ProblemError` ART-001 for a hostile name."""
    if not plan.has("nodes"):
        return {}
    names = node_names(plan)
    return {FILE: capture_script(plan), NODES_FILE: "".join(f"{n}\n" for n in names).encode()}


def node_names(plan: Plan) -> list[str]:
    """Display names of the compute nodes, in the order of the plan. Raises `ProblemError` ART-001 for what is no host name."""
    rows = plan.table("nodes")
    names: list[str] = rows.filter(rows["role"] == "compute")["name"].to_list()
    bad = [n for n in names if not _NAME.match(n)]
    if bad:
        why = "a script and a file are named by it"
        fix = "letters, digits, dot, dash and underscore; see names in cluster.yaml"
        raise ProblemError(Problem("ART-001", f"the name {n!r} is no host name", why=why, fix=fix) for n in bad[:5])
    return names


def capture_script(plan: Plan, listed: bool = True) -> bytes:
    """The script for all nodes of ``plan``, with their names in its mark unless it is not to be ``listed`` (then: how many).

    Equal plans give equal bytes. Raises `ProblemError` ART-001 for a hostile name.
    """
    names = node_names(plan)
    nodes = str(Hosts.fold(names)) if listed else str(len(names))
    kinds = _nvlink(plan)
    words = {
        "PLAN": shlex.quote(plan.plan_hash[:_SHORT]),
        "NVLINK": "no" if kinds == {"none"} else "yes",
        "DOMAIN": "yes" if not kinds or "domain" in kinds else "no",
        "COUNT": str(len(COMMANDS)),
        "MARK": MANIFEST_MARK,
        "COLUMNS": "${tab}".join(MANIFEST_COLUMNS),
        "BEGIN": BEGIN,
        "END": END,
    }
    mark = f"#!/bin/sh\n{MANIFEST_MARK} plan {plan.plan_hash[:_SHORT]} nodes {nodes}"
    text = mark + _filled(HEAD, words) + "".join(_ask(c) for c in COMMANDS) + _filled(TAIL, words)
    return text.encode()


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda m: words[m[1]], text)


def _nvlink(plan: Plan) -> set[str]:
    """The kinds of NVLink of the plan's systems; empty when the plan does not say."""
    return set(plan.table("node_traits")["nvlink"].to_list()) if plan.has("node_traits") else set()


def _ask(command: Command) -> str:
    good = " ".join(str(code) for code in command.ok)
    fields: Iterable[str] = (
        command.id, command.program, str(int(command.root)), str(command.timeout_s), command.devices, command.where,
        command.module, good, command.shell,
    )  # fmt: skip
    return f"ask {' '.join(shlex.quote(f) for f in fields)}\n"
