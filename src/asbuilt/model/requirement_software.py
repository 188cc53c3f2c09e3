"""The lock of versions in the requirement: what a key may be, what it says in words of captures, what is refused.

A key is a component (``driver``, ``kernel``, ``fabric_manager``), or a prefix and what it is of: ``firmware.PART``,
``package.NAME``, ``module.NAME``, ``file./PATH`` (whose value is the hash of the file).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.base.problem import Problem

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

#: Key of a lock: names of components, parts, packages (Debian and RPM) and absolute paths hold no blanks.
LOCK = r"^[A-Za-z0-9][A-Za-z0-9._+~@:/-]{0,254}$"
#: Digits of a hash that are shown.
HASH_SHOWN = 12
PREFIXES = ("firmware", "package", "module", "file")
#: Other spellings of components, as people write them.
_SPELLED = {
    "fabric-manager": "fabric_manager",
    "fabricmanager": "fabric_manager",
    "nvidia-fabricmanager": "fabric_manager",
    "nvidia_driver": "driver",
    "gpu_driver": "driver",
    "doca-ofed": "ofed",
    "mlnx_ofed": "ofed",
}
#: MD5, SHA-1, SHA-256 and SHA-512 in hexadecimal digits.
_HASH = re.compile(r"(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}|[0-9A-Fa-f]{128})")
#: What a version may hold: no markup, no quotes, no formula of a spreadsheet.
_VERSION = re.compile(r"[A-Za-z0-9(][^<>\"'`|\\=;$&{}]*")
_NAME = {
    "firmware": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
    "package": re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:~-]*"),
    "module": re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*"),
    "file": re.compile(r"/(?:(?!\.{1,2}(?:/|$))[^/]+/)*(?!\.{1,2}$)[^/]+"),
}
_MEANT = {
    "firmware": "the part or the board id: firmware.connectx-7-400",
    "package": "the name of the package: package.openssh-server",
    "module": "the name of the module: module.mlx5_core",
    "file": "the absolute path of the file: file./etc/nccl.conf",
}


@dataclass(frozen=True, slots=True)
class Locked:
    """One key of a lock: ``component`` as in `version_facts`, and ``part`` where it is firmware of a part."""

    key: str
    component: str
    part: str | None


def locked(key: str) -> Locked:
    """What ``key`` locks. `firmware.PART` is told as component `firmware`: the plan knows whether it is a NIC's or a GPU's."""
    head, dot, rest = key.partition(".")
    if dot and head in PREFIXES:
        # Captures leave out the machine's own architecture behind a package's name (`parsers.packages`).
        name = re.sub(r":(?:amd64|arm64)$", "", rest) if head == "package" else rest
        return Locked(key, "firmware", rest) if head == "firmware" else Locked(key, f"{head}:{name}", None)
    return Locked(key, _SPELLED.get(key.lower(), key), None)


def software_rules(stated: Stated) -> list[Problem]:
    """Keys with a prefix and nothing fit behind it, values that are no version or no hash, one thing locked twice."""
    found = []
    first: dict[tuple[str, str | None], str] = {}
    for key, version in stated.value.software.items():
        head, dot, rest = key.partition(".")
        path = ("software", key)
        if not stated.has(*path):
            continue
        if head in PREFIXES and not (dot and _NAME[head].fullmatch(rest)):
            what = f"`{key}` does not say whose version it is"
            why = f"behind `{head}.` stands {_MEANT[head].split(':')[0]}"
            found.append(stated.problem("REQ-094", path, what, why, f"write {_MEANT[head].split(': ')[1]}"))
        elif head == "file" and not _HASH.fullmatch(version):
            what = f"`{version}` is no hash of a file"
            why = "a file is compared by its hash, not by a version"
            fix = "give its SHA-256 in 64 hexadecimal digits: sha256sum FILE"
            found.append(stated.problem("REQ-095", path, what, why, fix))
        elif not _VERSION.fullmatch(version):
            what = f"`{version}` is no version"
            why = "versions are compared letter by letter with what the tools print"
            fix = "write it as the tool prints it: letters, digits and . _ : + ~ - ( ) / @"
            found.append(stated.problem("REQ-095", path, what, why, fix))
        this = locked(key)
        other = first.setdefault((this.component, this.part), key)
        if other != key:
            what = f"`{key}` and `{other}`{stated.line(('software', other))} lock the same thing"
            found.append(stated.problem("REQ-096", path, what, "a node has one version of it", f"delete one, keep `{other}`"))
    return found
