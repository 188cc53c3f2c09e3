"""A log of NCCL without a test in it (``NCCL_DEBUG=INFO`` of a job), and the JSON lines of NCCL's inspector plugin.

A log is one run of ``nccl_log``, by speaker: ranks, hosts, transports, devices, algorithms. The inspector writes a file per
rank, one object per collective: these are results of a run ``nccl_inspector``, in GB/s.
"""

from __future__ import annotations

import json
import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import RESULT_FACTS, RUN_FACTS
from asbuilt.model.facts_node import SETTING_FACTS, VERSION_FACTS
from asbuilt.parsers import bench_lines, nccl_log
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told, plain

TOOL = "nccl-info"
_OBJECT = re.compile(r'^\{"header":\s?\{')
_OWN = re.compile(f"{nccl_log.LINE.pattern}|{nccl_log.BARE.pattern}|{_OBJECT.pattern}")
_LOG = re.compile(rb"^\S[^\n]{0,200}:\d+:\d+ \[\d+\] (?:\S+:\d+ )?NCCL (?:INFO|WARN) ", re.M)
_INSPECTOR = re.compile(rb'^\{"header":\s?\{[^\n]{0,400}"n_ranks"', re.M)
#: A text with a test's table is of nccl-tests, which reads the log in it too.
_TEST = re.compile(rb"# nThreads? \d+ nGpus|#\s+size\s+count\s+type\s|# Collective test starting:|# nccl-tests version")


def sniff(data: bytes) -> bool:
    """True for lines of NCCL's log without a test, and for the inspector's objects."""
    head = data[: 1 << 18]
    return bool((_LOG.search(head) and not _TEST.search(head)) or _INSPECTOR.search(head))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``run_facts``, ``result_facts``, ``version_facts``, ``setting_facts`` (domain ``nccl``). Never raises."""
    told = Told(bench_lines.unlabelled(data), capture_id, subject, _OWN, TOOL)
    logs: dict[Any, tuple[Said, nccl_log.Log]] = {}
    files: dict[Any, tuple[Said, dict[str, Any]]] = {}
    for said in told:
        key = said.speaker.hosts, said.speaker.turn
        if _OBJECT.match(said.text):
            _object(told, said, files, key)
            continue
        log = logs.get(key, (said, nccl_log.Log()))[1]
        known = log.take(said.text, said.number, said.closed)
        if known is None or not said.closed:
            continue
        logs.setdefault(key, (said, log))
        (told.account.fact if known else told.account.ignore)(said.number)
    for number, (said, log) in enumerate(logs.values(), start=len(files) + 1):
        _tell(told, said, log, f"{capture_id}#{number}")
    for opened, row in files.values():
        told.add(RUN_FACTS, opened, {**row, "line": opened.number})
    return told.facts()


def _tell(told: Told, said: Said, log: nccl_log.Log, name: str) -> None:
    row = {
        **log.row(),
        "run": name,
        "benchmark": "nccl_log",
        "ranks": log.ranks,
        "hosts": len(log.hosts) or None,
        "host_set": bench_lines.host_set(sorted(log.hosts)),
        "complete": log.complete,
        "failure": log.failure,
        "line": said.number,
    }
    told.add(RUN_FACTS, said, row)
    if log.version:
        told.add(VERSION_FACTS, said, {"component": "nccl", "version": log.version})
    for number, variable, value in log.settings:
        told.add(SETTING_FACTS, said, {"domain": "nccl", "name": variable, "value": value, "line": number}, number)


def _object(told: Told, said: Said, files: dict[Any, tuple[Said, dict[str, Any]]], key: Any) -> None:
    """One collective of the inspector; a line that is no whole object is unread."""
    try:
        found = json.loads(said.text)
        head, about, speed = found["header"], found.get("metadata", {}), found["coll_perf"]
        name = f"{told.capture_id}#{list(files).index(key) + 1 if key in files else len(files) + 1}"
        size, ranks = float(speed["coll_msg_size_bytes"]), int(head["n_ranks"])
        took = speed.get("coll_exec_time_us")
        row = {"run": name, "bytes": size, "operation": plain(speed["coll"]), "unit": "GB/s"}
        row["time_us"] = None if took is None else float(took)
        values = {"busbw": float(speed["coll_busbw_gbs"]), "algbw": float(speed["coll_algobw_gbs"])}
        host, version = about.get("hostname"), about.get("inspector_output_format_version")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return
    if not all(abs(v) < float("inf") for v in (size, *values.values())) or not 0 <= ranks < 1 << 40:
        return
    for quantity, value in values.items():
        told.add(RESULT_FACTS, said, {**row, "quantity": quantity, "value": value})
    run = {"run": name, "benchmark": "nccl_inspector", "version": plain(version), "ranks": ranks}
    run |= {"host_set": bench_lines.host_set([host]) if isinstance(host, str) else None, "complete": False}
    files.setdefault(key, (said, run))
    files[key][1]["reached_bytes"] = max(size, files[key][1].get("reached_bytes", 0.0))
