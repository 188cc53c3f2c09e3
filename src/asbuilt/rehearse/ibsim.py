"""Real programs as witness: a discovery dump loaded into `ibsim` and read back by the real `ibnetdiscover`.

Debian's ibsim 0.10 reads what ibnetdiscover prints. It knows speeds up to HDR, so newer words are turned into HDR
before loading; `engines.ENGINES["ibsim"]` declares that with everything else it cannot show. No subnet manager runs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.rehearse import programs
from asbuilt.rehearse.queries import Desk
from asbuilt.rehearse.rig import Rig
from asbuilt.rehearse.simulator import Simulator, substituted


@dataclass(frozen=True, slots=True)
class Reading:
    """What came back: the text of the real `ibnetdiscover`, and what the simulator complained about while loading."""

    text: bytes
    complaints: tuple[str, ...]
    load_s: float
    discover_s: float


def read_back(dump: bytes, timeout_s: float = 120.0) -> Reading:
    """Load one subnet's dump into ibsim, discover it with the real tool, stop the simulator.

    ``timeout_s`` holds for loading and for discovery each; past it `ProblemError` CLI-025. CLI-024 when a program is missing.
    """
    found = programs.find(("ibsim", "ibnetdiscover", programs.LIBRARY))
    with Rig() as rig:
        simulator = Simulator(rig, found["ibsim"], substituted(dump)[0], timeout_s)
        started = time.monotonic()
        answer = Desk(rig, found, found[programs.LIBRARY], "", timeout_s).ask("ibnetdiscover")
        took = time.monotonic() - started
        complaints = simulator.complaints()
    if answer.code is None:
        raise ProblemError(Problem("CLI-025", f"ibnetdiscover did not answer within {timeout_s:g} s"))
    if answer.code != 0:
        last = answer.err.decode(errors="replace").splitlines()[-1:] or ["no message"]
        raise ProblemError(Problem("CLI-025", f"ibnetdiscover failed: {last[0]}"))
    return Reading(answer.out, complaints, simulator.load_s, took)
