"""Questions to the rehearsed subnet, asked with the real infiniband-diags, several at a time.

A batch of questions to one tool gives one transcript: a prompt line ``$ tool arguments`` before each answer, as a terminal
would show it. ibsim takes ten clients; two managers are among them, so at most eight tools run at once.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Sequence

from asbuilt.rehearse.rig import Rig

MOST_CLIENTS = 8
ANSWER_S = 120.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one tool said to one question. ``code`` is its exit code, None when it did not answer in time."""

    words: tuple[str, ...]
    out: bytes
    err: bytes
    code: int | None

    @property
    def prompt(self) -> bytes:
        """The question as a terminal shows it."""
        return b"$ " + " ".join(self.words).encode()


class Desk:
    """Where questions are asked: a host of the subnet, the programs, the rig."""

    def __init__(self, rig: Rig, programs: dict[str, str], library: str, host: str, answer_s: float = ANSWER_S) -> None:
        """``host`` is a node id of the simulator; "" attaches to the first node that it loaded."""
        self._rig = rig
        self._programs = programs
        self._library = library
        self.host = host
        self._answer_s = answer_s
        self.asked = 0

    def ask(self, *words: str, host: str = "") -> Answer:
        """One question, from this desk's host or another."""
        environment = self._rig.environment(LD_PRELOAD=self._library)
        if host or self.host:
            environment["SIM_HOST"] = host or self.host
        self.asked += 1
        try:
            done = subprocess.run(
                [self._programs[words[0]], *words[1:]],
                env=environment,
                cwd=self._rig.scratch,
                capture_output=True,
                timeout=self._answer_s,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as late:
            return Answer(words, late.stdout or b"", late.stderr or b"", None)
        return Answer(words, done.stdout, done.stderr, done.returncode)

    def ask_all(self, questions: Sequence[tuple[str, ...]]) -> list[Answer]:
        """Many questions, at most `MOST_CLIENTS` at a time; answers in the order of the questions."""
        workers = max(1, min(MOST_CLIENTS, 2 * (os.cpu_count() or 1)))
        with ThreadPoolExecutor(workers) as pool:
            try:
                return list(pool.map(lambda words: self.ask(*words), questions))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise


def transcript(answers: Sequence[Answer]) -> bytes:
    """Answers one after another, each behind its prompt line. What a tool wrote to standard error is not in it."""
    parts: list[bytes] = []
    for answer in answers:
        body = answer.out
        if body and not body.endswith(b"\n"):
            body += b"\n"
        parts.append(answer.prompt + b"\n" + body)
    return b"".join(parts)


def silent(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The questions that got no answer, each with the last thing that its tool said."""
    found = []
    for answer in answers:
        if answer.code != 0:
            said = (answer.err or answer.out).decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            code = "no answer in time" if answer.code is None else f"exit {answer.code}"
            found.append(f"{' '.join(answer.words)}: {code}: {said[0][:160]}")
    return tuple(found)
