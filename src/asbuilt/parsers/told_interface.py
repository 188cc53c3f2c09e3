"""Which interface or device an output is about, where only the command line says so."""

from __future__ import annotations

import shlex
from typing import Sequence

from asbuilt.parsers.host_lines import Said, host_of_subject


def valued(words: Sequence[str], options: Sequence[str]) -> str | None:
    """The value of the first of ``options`` in a command's words: ``-i eth2``, ``--interface=eth2``."""
    for at, word in enumerate(words):
        option, equals, joined = word.partition("=")
        if option and option in options:
            return (joined if equals else "".join(words[at + 1 : at + 2])) or None
    return None


class Interfaces:
    """The interface that each speaker's last command named, by prompt or by a line of a script; else the subject's.

    ``program`` is the command, ``options`` are its options that take the interface ("" for its last plain word).
    """

    def __init__(self, program: str, options: Sequence[str], subject: str) -> None:
        self.program, self.options = program, tuple(options)
        host, time = host_of_subject(subject)
        name, _, interface = (host or "").partition("/")
        self.subject = f"{name}@{time}" if time else name
        self._default = interface or None
        self._told: dict[tuple[tuple[str | None, ...], int], str | None] = {}

    def told(self, said: Said, words: str) -> None:
        """Take the interface from the words behind the program's name."""
        try:
            parts = shlex.split(words)
        except ValueError:
            parts = words.split()
        self._told[said.speaker.hosts, said.speaker.turn] = self._named(parts)

    def of(self, said: Said) -> str | None:
        """The interface that this line is about."""
        key = said.speaker.hosts, said.speaker.turn
        if key not in self._told:
            words = said.speaker.command
            at = next((i for i, w in enumerate(words[:4]) if w.rpartition("/")[2] == self.program), None)
            self._told[key] = self._default if at is None else self._named(words[at + 1 :]) or self._default
        return self._told[key]

    def _named(self, words: Sequence[str]) -> str | None:
        found = valued(words, self.options)
        if found is not None:
            return found
        if "" in self.options and words and not words[-1].startswith("-"):
            return words[-1]
        return None
