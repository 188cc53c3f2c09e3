"""``modinfo NAME``: the file of a kernel module, and its version. It is the module that would be loaded, not one that is."""

from __future__ import annotations

import re

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import VERSION_FACTS
from asbuilt.parsers.told_rows import Told

TOOL = "modinfo"
_FIELD = re.compile(r"^([a-z_]{2,20}|sig_id|sig_key|sig_hashalgo):(?:\s+(.*))?$")
_OWN = re.compile(
    r"^(?:(?:filename|name|version|license|description|author|alias|depends|retpoline|intree|vermagic|firmware|softdep|srcversion"
    r"|supported|import_ns|staging|scmversion|rhelversion|suserelease|sig_id|signer|sig_key|sig_hashalgo|signature|parm|parmtype"
    r"|file|basedon|weakdep|build_id):(?:\s|$)|\t|modinfo: )"
)
_SIGN = re.compile(rb"^(?:[\w.-]+: )?filename:\s+(?:/\S+\.ko(?:\.\w+)?|\(builtin\))\r?$", re.M)
_FILE = re.compile(r"([\w-]{1,64})\.ko(?:\.(?:xz|zst|gz))?$")


def sniff(data: bytes) -> bool:
    """True for a text that names the file of a kernel module."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``version_facts`` of the component ``module_file:<name>``. Never raises."""
    told = Told(data, capture_id, subject, _OWN, TOOL)
    names: dict[tuple[str | None, ...], str] = {}
    for said in told:
        field = _FIELD.match(said.text)
        if field is None:
            if said.text[0] == "\t" or said.text.startswith("modinfo: "):
                told.ignore(said)  # the rest of a signature; a module that is not there
            continue
        label, value = field[1], (field[2] or "").strip()
        if not said.closed or not _OWN.match(said.text):
            continue
        told.ignore(said)
        if label == "filename":
            file = _FILE.search(value)
            names[said.speaker.hosts] = file[1].replace("-", "_") if file else names.get(said.speaker.hosts, "")
        elif label == "name" and re.match(r"^[\w-]{1,64}$", value):
            names[said.speaker.hosts] = value.replace("-", "_")
        elif label == "version" and value and names.get(said.speaker.hosts):
            told.add(VERSION_FACTS, said, {"component": f"module_file:{names[said.speaker.hosts]}", "version": value})
    return told.facts()
