"""``nvidia-imex-ctl``: the nodes of an NVLink domain, how each reaches each other, and the state of the domain.

``-q`` prints the state of this node's own service in one word; ``-N`` prints all nodes, a matrix of connections and the state
of the domain, as text or with ``-j`` as JSON. Rows of ``nvlink_fabric_facts``: ``imex_node`` with its state (``peer`` null),
``imex_node`` with a connection (``peer`` is the far node), ``imex_domain`` with the state of the domain.
"""

from __future__ import annotations

import re
from typing import Any

from asbuilt.model.facts import Facts
from asbuilt.model.facts_gpu import NVLINK_FABRIC_FACTS
from asbuilt.parsers.gpu_words import Gathered, of_documents, told
from asbuilt.parsers.host_lines import Listener, Said, as_utf8
from asbuilt.parsers.json_documents import Document

TOOL = "imex"
#: Letters of the matrix of connections (NVIDIA IMEX service guide).
CONNECTIONS = {
    "C": "connected",
    "N": "never_connected",
    "R": "recovering",
    "D": "disconnected",
    "A": "authenticating",
    "I": "invalid",
    "!V!": "version_mismatch",
    "V!": "version_mismatch",
    "!V": "version_mismatch",
    "!M!": "node_map_mismatch",
    "!M": "node_map_mismatch",
    "M!": "node_map_mismatch",
}
_STATES = (
    r"READY|UP|DOWN|DEGRADED|NOT_READY|NOT_INITIALIZED|STARTING_AUTH_SERVER|WAITING_FOR_PEERS|WAITING_FOR_RECOVERY|INIT_GPU"
    r"|INITIALIZING|RECOVERING|SHUTTING_DOWN|UNAVAILABLE"
)
_NODE = re.compile(
    r"^\s*Node #(\d{1,4})\s+[-*]\s+(\S{1,80}?)\s*(?:\((\S{1,80})\)\s*)?[-*]\s+([A-Z_]{2,40})\s*"
    r"(?:[-*]\s+Version:\s*(\S+))?[\s*]*$"
)
_MATRIX = re.compile(r"^\s*Nodes From\\To((?:\s+\d{1,4})+)\s*$")
_ROW = re.compile(r"^\s*(\d{1,4})((?:\s+(?:[CNRDAI]|![VM]!?|[VM]!)\*?)+)\s*$")
_DOMAIN = re.compile(r"^\s*Domain State:\s*([A-Z_]{2,40})$")
_WORD = re.compile(rf"^(?:{_STATES})$")
_LEGEND = re.compile(
    r"^\s*(?:Connectivity Table Legend:|(?:[A-Z]|![VM]!?|[VM]!) ?- .*|Nodes:|\d{1,2}/\d{1,2}/\d{4} \d\d:\d\d:\d\d(?:\.\d+)?)$"
)
_OWN = re.compile("|".join(p.pattern for p in (_NODE, _MATRIX, _ROW, _DOMAIN, _WORD, _LEGEND)))
_SIGN = re.compile(
    rb'^(?:[\w.-]+: )?\s*(?:Connectivity Table Legend:|Node #\d+ +[-*] |Domain State: [A-Z])|"connections"\s*:\s*\{', re.M
)


def sniff(data: bytes) -> bool:
    """True for the domain's report; the one word of ``-q`` is too little to know it by."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """``nvlink_fabric_facts`` and the versions of the nodes' services. Never raises."""
    text = as_utf8(data)
    if text.lstrip()[:1] == b"{":
        return of_documents(text, subject, capture_id, TOOL, _document)
    listener = Listener(text, subject, _OWN)
    reader = _Reader(Gathered(listener.account))
    for said in listener:
        reader.hear(said)
    return reader.out.facts(capture_id, TOOL)


class _Reader:
    """Names of the nodes and columns of the matrix, by speaker."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self._names: dict[tuple[str | None, ...], dict[int, str]] = {}
        self._columns: dict[tuple[str | None, ...], list[int]] = {}

    def hear(self, said: Said) -> None:
        if not said.closed:
            return
        hosts, text = said.speaker.hosts, said.text
        names = self._names.setdefault(hosts, {})
        if found := _NODE.match(text):
            names[int(found[1])] = found[2]
            self.out.add(NVLINK_FABRIC_FACTS, said, kind="imex_node", name=found[2], state=found[4].lower())
            if told(found[5]):
                self.out.version(hosts, said.number, "imex", found[5], found[2])
        elif found := _MATRIX.match(text):
            self._columns[hosts] = [int(word) for word in found[1].split()]
            self.out.account.ignore(said.number)
        elif (found := _ROW.match(text)) and hosts in self._columns:
            self._row(said, names, int(found[1]), found[2].split())
        elif found := _DOMAIN.match(text):
            self.out.add(NVLINK_FABRIC_FACTS, said, kind="imex_domain", name="domain", state=found[1].lower())
        elif _WORD.match(text):
            self.out.add(NVLINK_FABRIC_FACTS, said, kind="imex_node", name="self", state=text.lower())
        elif _LEGEND.match(text):
            self.out.account.ignore(said.number)

    def _row(self, said: Said, names: dict[int, str], node: int, letters: list[str]) -> None:
        columns = self._columns[said.speaker.hosts]
        if len(letters) != len(columns):
            return
        for peer, letter in zip(columns, letters, strict=True):
            self.out.put(NVLINK_FABRIC_FACTS, said.speaker.hosts, said.number, {
                "kind": "imex_node", "name": names.get(node, str(node)), "peer": names.get(peer, str(peer)),
                "state": CONNECTIONS[letter.rstrip("*")],
            })  # fmt: skip
        self.out.account.fact(said.number)


def _document(out: Gathered, document: Document) -> None:
    """One JSON report: ``nodes`` by number or as a list, each with its ``status``, ``host`` and ``connections``."""
    value = document.value
    nodes = value.get("nodes") if isinstance(value, dict) else None
    hosts, line = document.speaker.hosts, document.first
    status = value.get("status") if isinstance(value, dict) else None
    if isinstance(nodes, list):
        nodes = {str(n): node for n, node in enumerate(nodes)}
    if not isinstance(nodes, dict):
        return
    if isinstance(status, str) and told(status):
        out.put(NVLINK_FABRIC_FACTS, hosts, line, {"kind": "imex_domain", "name": "domain", "state": status.strip().lower()})
    names = {key: _name(key, node) for key, node in nodes.items()}
    for key, node in nodes.items():
        if not isinstance(node, dict):
            continue
        name = names[key]
        state = node.get("status")
        if isinstance(state, str) and told(state):
            out.put(NVLINK_FABRIC_FACTS, hosts, line, {"kind": "imex_node", "name": name, "state": state.strip().lower()})
        if isinstance(node.get("version"), str) and told(node["version"]):
            out.version(hosts, line, "imex", node["version"].strip(), name)
        links = node.get("connections")
        for peer, link in links.items() if isinstance(links, dict) else ():
            word = link.get("status") if isinstance(link, dict) else link
            if isinstance(word, str) and told(word):
                row = {"kind": "imex_node", "name": name, "peer": names.get(peer, str(peer)), "state": word.strip().lower()}
                out.put(NVLINK_FABRIC_FACTS, hosts, line, row)
    out.account.fact(*document.lines)


def _name(key: str, node: Any) -> str:
    host = node.get("host") if isinstance(node, dict) else None
    return host if isinstance(host, str) and host else str(key)
