"""Every tool whose captures can be read: its parser and its sniffer. One line in one of the `tools_*` adds a tool.

A parser module offers ``parse(data, capture_id, subject="") -> Facts`` (pure, never raises, accounts for every line) and
``sniff(data) -> bool`` (True only for what no other tool writes). Modules are imported when a capture of theirs comes.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Protocol, cast

from asbuilt.model.capture import Capture
from asbuilt.model.facts import Facts
from asbuilt.parsers.tools_bench import BENCH_TOOLS
from asbuilt.parsers.tools_fabric import EMPTY_TELLS, FABRIC_TOOLS
from asbuilt.parsers.tools_gpu import GPU_TOOLS
from asbuilt.parsers.tools_host import HOST_TOOLS
from asbuilt.parsers.tools_nic import NIC_TOOLS


class Parser(Protocol):
    """What a parser module offers."""

    def parse(self, data: bytes, capture_id: str, subject: str = "") -> Facts: ...

    def sniff(self, data: bytes) -> bool: ...


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its name, the module that reads it, and whether a whole but empty capture of it is a measurement."""

    name: str
    module: str
    empty_tells: bool = False

    def parser(self) -> Parser:
        """The parser module."""
        return cast(Parser, importlib.import_module(f"asbuilt.parsers.{self.module}"))

    def parse(self, capture: Capture) -> Facts:
        """The facts of one capture of this tool."""
        return self.parser().parse(capture.data, capture.id, capture.subject)

    def sniff(self, data: bytes) -> bool:
        """True when only this tool can have written ``data``."""
        return self.parser().sniff(data)


TOOLS: dict[str, Tool] = {
    name: Tool(name, module, name in EMPTY_TELLS)
    for group in (FABRIC_TOOLS, GPU_TOOLS, HOST_TOOLS, NIC_TOOLS, BENCH_TOOLS)
    for name, module in group.items()
}

#: ``$ smpquery pkeys 12 1``, ``[root@sm-1 ~]# sminfo``: a command as a terminal or a script shows it before its output.
#: A bare ``#`` is a comment of the tool itself, so a root prompt needs its host in front.
_PROMPT = re.compile(rb"^(?:(?:\[[^\]\n]{1,80}\]|[\w.@~:/-]{1,80})#|(?:\[[^\]\n]{1,80}\]|[\w.@~:/-]{0,80})\$)\s+(\S.*)$")


def command(line: bytes) -> str | None:
    """The command of a prompt line, or None for a line of output."""
    found = _PROMPT.match(line)
    return found.group(1).decode("utf-8", "replace").strip() if found else None
