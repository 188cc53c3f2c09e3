"""Packages of a machine: ``dpkg-query -W`` (also ``dpkg -l``), ``rpm -qa`` and ``pip freeze`` or ``pip list``.

An rpm name is split at its last two dashes into name, version and release, and its architecture is left out, as is ``:amd64``
or ``:arm64`` behind a dpkg name. A pip line with a path or an address instead of a version tells that. A text of nothing but
whole lines of one form is read at once: every node of a fleet has one of thousands of lines.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts, LineAccount
from asbuilt.model.facts_node import VERSION_FACTS
from asbuilt.parsers.host_lines import host_of_subject
from asbuilt.parsers.told_rows import Told

TOOL = "packages"
_ARCHES = "x86_64|aarch64|noarch|i[3-6]86|ppc64le|s390x"
_DPKG = re.compile(r"^([a-z0-9][a-z0-9+.-]{0,200}(?::[a-z0-9-]{2,20})?)\t(\S{0,200})$")
_DPKG_L = re.compile(r"^[a-z][a-zA-Z][ R] ([a-z0-9][a-z0-9+.:-]{0,200}) +(\S{1,200}) +(?:[a-z0-9-]{2,20})(?: .*)?$")
_RPM = re.compile(rf"^([A-Za-z0-9_][\w+.-]{{0,200}})-([^-\s]{{1,100}}-[^-\s]{{1,100}}?)(?:\.({_ARCHES}))?$")
#: The architecture that dpkg puts behind the name of a library; another one than the machine's own stays.
_NATIVE = re.compile(r":(?:amd64|arm64)$")
_KEY = re.compile(r"^gpg-pubkey-[0-9a-f]{8}-[0-9a-f]{8}$")
_DPKG_LINES = re.compile(
    r"^([a-z0-9][a-z0-9+.-]{0,200}(?::(?!amd64|arm64)[a-z0-9-]{2,20})?)(?::amd64|:arm64)?\t(\S{1,200})\n", re.M
)
_RPM_TEXT = re.compile(r"^[A-Za-z0-9_+.~^:\n-]+$")
_RPM_NAME = re.compile(r"^[A-Za-z0-9_][\w+.-]*$")
_RPM_ARCH = re.compile(rf"\.(?:{_ARCHES})$")
#: Lines from which on it pays.
_FEW = 64
_PIP = re.compile(r"^([A-Za-z0-9][\w.-]{0,100})(?:\[[\w,.-]{1,100}\])?(?:==| @ )(\S{1,300})$")
_PIP_LIST = re.compile(r"^([A-Za-z0-9][\w.-]{0,100}) +(\d[\w.!+-]{0,60})(?: +\S.*)?$")
_AROUND = re.compile(
    r"^(?:#|Package +Version|\|\|/ |-{3,}|Desired=|\| |\|/ |\+\+\+-|WARNING: |\[notice\]|-e |-i |--|warning: |error: "
    r"|dpkg-query: )"
)
_OWN = re.compile(
    rf"^(?:[A-Za-z0-9_][^:\s]{{0,200}}(?::[a-z0-9-]{{2,20}})?(?:\t|==| @ |$| +\d)|[a-z][a-zA-Z][ R] |{_AROUND.pattern[1:]})"
)
_SIGN = re.compile(
    (
        rf"^(?:[\w.-]+: )?(?:[a-z0-9][a-z0-9+.-]{{1,100}}(?::[a-z0-9-]{{2,20}})?\t\d[\w.+:~-]{{2,80}}"
        rf"|[A-Za-z0-9][\w+.-]{{0,100}}-[^-\s]{{1,60}}-[^-\s]{{1,60}}\.(?:{_ARCHES})"
        r"|[A-Za-z0-9][\w.-]{0,100}==\d\S{0,60})$"
    ).encode()
)


def sniff(data: bytes) -> bool:
    """True when the first lines, but for prompts and comments, are packages with their versions."""
    lines = [line.strip() for line in data[: 1 << 13].splitlines()[:12]]
    lines = [line for line in lines if line and line[:1] not in b"#$[" and not line.startswith((b"gpg-pubkey-", b"-e "))]
    if b"||/ Name " in data[: 1 << 12]:
        return True
    return bool(lines) and all(_SIGN.match(line) for line in lines[:3])


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts``, components ``package:<name>``. Never raises."""
    at_once = _uniform(data, capture_id, subject)
    if at_once is not None:
        return at_once
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed:
            continue
        found = _package(said.text)
        if found is not None:
            told.add(VERSION_FACTS, said, {"component": f"package:{found[0]}", "version": found[1]})
        elif _AROUND.match(said.text) or _KEY.match(said.text):
            told.ignore(said)
        elif told.listener.lines[said.number - 1].rstrip(b"\r").endswith(b"\t"):
            told.ignore(said)  # dpkg still knows the name, and nothing is installed
        elif _DPKG_L.match(said.text) and not said.text.startswith("ii"):
            told.ignore(said)  # a package that is not installed any more
    return told.facts()


def _uniform(data: bytes, capture_id: str, subject: str) -> Facts | None:
    """The facts of a text in which every line is a package in one form; None for any other text."""
    import polars as pl

    lines = data.count(b"\n")
    if lines < _FEW or not data.endswith(b"\n") or not data.isascii() or b"\r" in data or b"gpg-pubkey-" in data:
        return None
    text = data.decode()
    found = _DPKG_LINES.findall(text)
    if len(found) != lines:
        found = _rpms(text) if _RPM_TEXT.match(text) else []
    if len(found) != lines:
        return None
    host = host_of_subject(subject)[0]
    frame = pl.DataFrame(
        {"component": [f"package:{name}" for name, _ in found], "version": [version for _, version in found]},
        schema={"component": pl.String, "version": pl.String},
    ).with_columns(
        pl.int_range(1, lines + 1, dtype=pl.Int64).alias("line"), pl.lit(capture_id).alias("capture_id"),
        pl.lit(host, dtype=pl.String).alias("host"),
        *(pl.lit(None, dtype=pl.String).alias(name) for name in ("device", "part")),
    )  # fmt: skip
    frame = frame.select(VERSION_FACTS.names).sort(VERSION_FACTS.order)
    return Facts({VERSION_FACTS.name: frame}, {capture_id: LineAccount(lines, lines, 0, 0, ())}, (), TOOL)


def _rpms(text: str) -> list[tuple[str, str]]:
    """Names and versions of lines of ``rpm -qa``; fewer than there are lines when one of them is of another form."""
    found = []
    for line in text.splitlines():
        parts = line.rsplit("-", 2)
        if len(parts) < 3 or not all(parts) or not _RPM_NAME.match(parts[0]) or max(map(len, parts)) > 100:
            break
        found.append((parts[0], _RPM_ARCH.sub("", f"{parts[1]}-{parts[2]}")))
    return found


def _package(text: str) -> tuple[str, str] | None:
    """Name and version, None for a line that is no installed package."""
    if found := _DPKG.match(text):
        return (_NATIVE.sub("", found[1]), found[2]) if found[2] else None
    if text.startswith("ii ") and (found := _DPKG_L.match(text)):
        return _NATIVE.sub("", found[1]), found[2]
    if _AROUND.match(text) or _KEY.match(text):
        return None
    if found := _PIP.match(text) or _PIP_LIST.match(text):
        return found[1], found[2]
    if found := _RPM.match(text):
        return found[1], found[2]
    return None
