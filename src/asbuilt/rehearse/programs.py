"""The real programs that a rehearsal runs: where they are, what they say of themselves, what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterable

from asbuilt.base.problem import Problem, ProblemError

#: Where Debian keeps umad2sim, which stands in for the kernel's MAD device.
PRELOAD = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so")
LIBRARY = "libumad2sim.so"
#: Program -> Debian package.
PACKAGES = {
    "opensm": "opensm",
    "ibsim": "ibsim-utils",
    LIBRARY: "libumad2sim0",
    "ibnetdiscover": "infiniband-diags",
    "iblinkinfo": "infiniband-diags",
    "ibroute": "infiniband-diags",
    "ibstat": "infiniband-diags",
    "saquery": "infiniband-diags",
    "sminfo": "infiniband-diags",
    "smpquery": "infiniband-diags",
}
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+~.\w]*)")


def find(names: Iterable[str]) -> dict[str, str]:
    """Path of each named program. Raises `ProblemError` CLI-024 naming all that are missing and their packages."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found: dict[str, str] = {}
    missing: list[str] = []
    for name in names:
        at = next((p for p in PRELOAD if Path(p).exists()), None) if name == LIBRARY else shutil.which(name, path=path)
        if at is None:
            missing.append(name)
        else:
            found[name] = at
    if missing:
        packages = " ".join(dict.fromkeys(PACKAGES[n] for n in missing))
        what = f"not installed: {', '.join(missing)}"
        raise ProblemError(Problem("CLI-024", what, fix=f"apt-get install {packages}"))
    return found


def versions(found: dict[str, str]) -> dict[str, str]:
    """What is known of the version of each program: its own word, else that of its Debian package, else "unknown"."""
    said: dict[str, str] = {}
    for name, path in found.items():
        if name == "opensm":
            said[name] = _first([path, "--version"])
        elif name in ("ibsim", LIBRARY):
            said[name] = _package(PACKAGES[name])
        elif name == "ibnetdiscover":
            said["infiniband-diags"] = _first([path, "-V"])
    return said


def _first(words: list[str]) -> str:
    """The first version number that a program prints."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    match = _VERSION.search((done.stdout + done.stderr).decode(errors="replace"))
    return match.group() if match else "unknown"


def _package(name: str) -> str:
    query = shutil.which("dpkg-query")
    return _first([query, "-W", "-f", "${Version}", name]) if query else "unknown"
