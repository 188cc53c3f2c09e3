"""``nvidia-smi -L``: index, name and UUID of every GPU. MIG devices under a GPU are no GPUs."""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.parsers.gpu_words import FAILED, Gathered, uuid
from asbuilt.parsers.host_lines import Listener, as_utf8

TOOL = "nvidia-smi-l"
GPU = re.compile(r"^\s*GPU (\d{1,3}): (.{1,100}?) \(UUID: ([^)]{1,80})\)$")
_MIG = re.compile(r"^\s+MIG \S+\s+Device\s+\d+: \(UUID: [^)]*\)$")
_OWN = re.compile(rf"{GPU.pattern}|{_MIG.pattern}|{FAILED.pattern}", re.I)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?\s*GPU \d+: .* \(UUID: GPU-", re.M)
#: Benchmarks print the list before they begin.
_BENCHMARK = re.compile(rb"^(?:[\w.-]+: )?(?:Burning for |\s*\d[\d.]*%\s+proc'd: |\^\^\^\^ ?CUDA : )", re.M)
_LINKS = re.compile(rb"^(?:[\w.-]+: )?\s*Link \d+", re.M)


def sniff(data: bytes) -> bool:
    """True for lines of GPUs with UUIDs, none of their links, and nothing that ran on them."""
    head = data[: 1 << 16]
    return bool(_SIGN.search(head)) and not (_LINKS.search(head) or _BENCHMARK.search(head) or b"inActive" in head)


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``gpu_facts`` and identities of every GPU. Never raises."""
    listener = Listener(as_utf8(data), subject, _OWN)
    out = Gathered(listener.account)
    for said in listener:
        if found := GPU.match(said.text):
            row = {"index": int(found[1]), "name": found[2], "uuid": uuid(found[3])}
            out.gpu(said.speaker.hosts, said.number, row)
            out.account.fact(said.number)
        elif _MIG.match(said.text):
            out.account.ignore(said.number)
        else:
            out.gave_up(said)
    return out.facts(capture_id, TOOL)
