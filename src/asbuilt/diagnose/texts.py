"""How findings read, as a table: for each check id what happened, the next step, the way back, and what makes one finding.

Another room adds its checks with a table of its own (see `diagnose.subnet_texts`); a check that no table knows reads by its
own docstring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Text:
    """One kind of finding.

    ``cause``, ``next`` and ``revert`` may hold ``{who}`` (the port by name, or "12 ports of LEAF-01"), ``{expected}``,
    ``{found}`` (of the first row), ``{verb}`` (is or are) and ``{has}`` (has or have). ``by`` says which failing rows are one
    finding: ``text`` those with equal ``expected`` and ``found``, ``expected`` those with equal ``expected``, ``check`` all,
    ``subject`` each its own, ``device`` those of one switch or node with equal texts, ``node`` all of one node. ``several``
    is what several subjects are called.
    """

    cause: str
    next: str
    revert: str = "put the old file back and restart the manager"
    by: Literal["text", "expected", "check", "subject", "device", "node"] = "text"
    several: str = "ports"
