"""``sha256sum``, ``sha1sum``, ``md5sum`` and ``sha512sum`` of files, plain and ``--tag``: a hash is the file's version.

The hash of another kind of sum is told with its kind before it (``md5:...``), so that only equal kinds compare as equal.
"""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import VERSION_FACTS
from asbuilt.parsers.host_lines import Said
from asbuilt.parsers.told_rows import Told

TOOL = "filehashes"
_HASH = r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}"
_PLAIN = re.compile(rf"^\\?({_HASH}) [ *](\S.{{0,1000}})$")
_TAGGED = re.compile(rf"^(MD5|SHA1|SHA256|SHA512) \((.{{1,1000}})\) = ({_HASH})$")
_FAILED = re.compile(r"^(?:md5|sha1|sha256|sha512)sum: (.{1,1000}): .*$")
_OWN = re.compile(rf"^\\?(?:{_HASH}) [ *]|^(?:MD5|SHA\d+) \(|{_FAILED.pattern}")
_SIGN = re.compile(rf"^(?:[\w.-]+: )?(?:\\?(?:{_HASH})  \S|SHA256 \(.{{1,300}}\) = [0-9a-f]{{64}}$)".encode(), re.M)
_KINDS = {32: "md5", 40: "sha1", 64: "", 128: "sha512"}


def sniff(data: bytes) -> bool:
    """True for a text whose first line is a hash and a file."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts``, components ``file:<path>``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    for said in told:
        if not said.closed:
            continue
        if plain := _PLAIN.match(said.text):
            _add(told, said, plain[2], plain[1])
        elif tagged := _TAGGED.match(said.text):
            _add(told, said, tagged[2], tagged[3])
        elif _FAILED.match(said.text):
            told.ignore(said)
    return told.facts()


def _add(told: Told, said: Said, path: str, digest: str) -> None:
    kind = _KINDS[len(digest)]
    version = f"{kind}:{digest}" if kind else digest
    told.add(VERSION_FACTS, said, {"component": f"file:{path.strip()}", "version": version})
