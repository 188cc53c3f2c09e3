"""Ansible's output as one JSON object per line and host: how it ended and what it printed. For `ansible-playbook`."""

from __future__ import annotations

import json
import sys
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: asbuilt_heard
type: stdout
short_description: one JSON line per host
description: one JSON line per host with how the task ended and what it printed
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Tells every end of a task, and nothing else."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "asbuilt_heard"

    def v2_runner_on_ok(self, result: Any) -> None:
        """The command ended with status 0."""
        _tell(result, "ok")

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """The command ended otherwise, or did not end in time."""
        _tell(result, "failed")

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """No connection."""
        _tell(result, "unreachable")


def _tell(result: Any, how: str) -> None:
    said = result.result if hasattr(result, "result") else result._result
    host = result.host if hasattr(result, "host") else result._host
    line = {
        "host": host.get_name(),
        "how": how,
        "rc": said.get("rc"),
        "stdout": str(said.get("stdout", "")),
        "stderr": str(said.get("stderr", "")),
        "msg": str(said.get("msg", "")),
        "timedout": bool(said.get("timedout")),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
