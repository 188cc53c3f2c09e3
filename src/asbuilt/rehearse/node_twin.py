"""The embedded twin of nodes: what every planned node answers to the passive capture set, with whatever the faults made of it.

One hardware model per kind of node (`node_layout.board_of`), rendered once by command; per node only marks are filled
(`node_marks`), so that cost is linear in nodes and small. Equal arguments give equal bytes. No clock, no randomness.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from asbuilt.model.capture_set import COMMANDS, MANIFEST_COLUMNS, MANIFEST_FILE, MANIFEST_MARK, SUFFIX, Command
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids, hex16
from asbuilt.rehearse import node_bmc, node_cards, node_gpus, node_host, node_lspci, node_sysfs
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.card_guids import answered
from asbuilt.rehearse.node_change import Change
from asbuilt.rehearse.node_effects import changed
from asbuilt.rehearse.node_kinds import kinds, plain
from asbuilt.rehearse.node_marks import Template, values_of
from asbuilt.rehearse.node_state import State

STARTED = "2026-12-01T08:00:00Z"
#: The exit status of a command that was killed at its limit; one that was not asked has none.
KILLED = 124

RENDERERS: dict[str, Callable[[State], str]] = {
    "identity": node_sysfs.identity,
    "system": node_sysfs.system,
    "pci-links": node_sysfs.pci_links,
    "pci-paths": node_sysfs.pci_paths,
    "infiniband": node_sysfs.infiniband,
    "infiniband-paths": node_sysfs.infiniband_paths,
    "irq-affinity": node_sysfs.irq_affinity,
    "interrupts": node_sysfs.interrupts,
    "lscpu": node_host.lscpu,
    "numactl": node_host.numactl,
    "lspci-vv": node_lspci.lspci_vv,
    "lspci-tv": node_lspci.lspci_tv,
    "dmidecode": node_host.dmidecode,
    "lsmod": node_host.lsmod,
    "modules": node_sysfs.modules,
    "dmesg": node_host.dmesg,
    "services": node_host.services,
    "nvidia-smi": node_gpus.query_csv,
    "nvidia-smi-q": node_gpus.query_all,
    "nvidia-smi-topo": node_gpus.topology,
    "nvlink-status": node_gpus.nvlink_status,
    "nvlink-errors": node_gpus.nvlink_errors,
    "imex": node_gpus.imex,
    "ibstat": node_cards.ibstat,
    "ibdev2netdev": node_cards.ibdev2netdev,
    "show_gids": node_cards.show_gids,
    "ofed_info": node_host.ofed_info,
    "mst": node_cards.mst_status,
    "config-hashes": node_host.config_hashes,
    "packages": node_host.packages,
    "ipmi-sensors": node_bmc.sensors,
    "ipmi-fru": node_bmc.fru,
    "ipmi-sel": node_bmc.sel,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one command gave: its output, exit status (None when not asked), seconds, how it ended (`capture_set.OUTCOMES`)."""

    data: bytes
    exit_code: int | None
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class _Rendered:
    """The texts of one kind of node, with marks, and the manifest's rows."""

    state: State
    texts: dict[str, tuple[Template, int | None, float, str]]
    manifest: str


class Fleet:
    """All compute nodes of a plan as they are built. Kinds are rendered once; `answers` of a node fills them.

    With ``varied`` nodes also differ in what is no fault (counters, times, free memory, temperatures): no text is shared then,
    as in a real fleet.
    """

    def __init__(self, plan: Plan, built: Built, seed: int = 0, varied: bool = False) -> None:
        self.plan, self.seed, self.varied = answered(plan, seed), seed, varied
        names = plan.table("nodes").select("node", "name", "unit").rows()
        self._names: dict[str, tuple[str, int]] = {node: (name, unit) for node, name, unit in names}
        self._rows = kinds(plan)
        self._guids = self._identities()
        self._changes: dict[str, list[Change]] = {}
        for change in built.nodes:
            self._changes.setdefault(change.node, []).append(change)
        self._ethernet = _by_node(built.ethernet)
        self._dark = _dark(plan, built)
        self._states: dict[Any, _Rendered] = {}
        self._kinds: dict[Any, State] = {}

    @property
    def nodes(self) -> list[str]:
        """The nodes that leave an archive, in the order of the plan."""
        return [n for n in self._rows if not any(c.kind == "silent" for c in self._changes.get(n, ()))]

    def name(self, node: str) -> str:
        """The node's display name: that of its archive."""
        return self._names[node][0]

    def _identities(self) -> dict[str, tuple[str, str, int]]:
        """``node/device`` -> (node GUID, port GUID, LID) of every card function; ports outside a subnet have a made GUID."""
        found: dict[str, tuple[str, str, int]] = {}
        nics = self.plan.table("nics")
        keys = nics["node"] + "/" + nics["device"]
        for key, value in zip(keys, hex16(guids(keys, self.seed)), strict=True):
            found[key] = (value, f"{int(value, 16) + 1:016x}", 0)
        if self.plan.has("lids"):
            for port, own, guid, lid in self.plan.table("lids").select("port", "node_guid", "port_guid", "lid").rows():
                if port in found:
                    found[port] = (own, guid, lid)
        return found

    def state(self, node: str) -> State:
        """How a node stands, without its names. Nodes that stand alike share one."""
        return self._rendered(node).state

    def _rendered(self, node: str) -> _Rendered:
        system, gpus, nics = self._rows[node]
        kind = (
            system,
            tuple((g["slot"], g["model"], g["socket"], g["rail"]) for g in gpus),
            tuple((n["device"], n["part"], n["plane"], n["rail"], n["socket"], n["link_type"], n["cage"]) for n in nics),
        )
        mine = tuple((c.kind, c.target, c.value) for c in self._changes.get(node, ()) if c.kind != "sameas")
        wrong, dark = self._ethernet.get(node, frozenset()), self._dark.get(node, frozenset())
        key = (kind, mine, wrong, dark)
        if key not in self._states:
            state = self._kinds.get(kind)
            if state is None:
                state = self._kinds[kind] = replace(plain(self.plan, system, gpus, nics), varied=self.varied)
            for change in self._changes.get(node, ()):
                state = changed(self.plan, state, change, system, gpus, nics)
            state = _with_links(state, wrong, dark)
            self._states[key] = _render(state)
        return self._states[key]

    def _source(self, node: str) -> str:
        """The machine that really answers under a node's name."""
        for change in self._changes.get(node, ()):
            if change.kind == "sameas":
                return change.value
        return node

    def values(self, node: str) -> dict[str, str]:
        """What a node fills into the marks of its texts."""
        name, unit = self._names[node]
        known = {n["device"]: self._guids[f"{node}/{n['device']}"] for n in self._rows[node][2]}
        return values_of(node, name, unit, self._rendered(node).state.board, known, self.seed)

    def answers(self, node: str) -> dict[str, Answer]:
        """What a node answers, by command id. Raises ``KeyError`` for what is no compute node."""
        real = self._source(node)
        rendered, values = self._rendered(real), self.values(real)
        return {
            id: Answer(template.fill(values), exit_code, seconds, outcome)
            for id, (template, exit_code, seconds, outcome) in rendered.texts.items()
        }

    def files(self, node: str) -> Iterator[tuple[str, bytes]]:
        """File name and bytes of everything in a node's archive: the manifest, then the answers."""
        real = self._source(node)
        rendered, values = self._rendered(real), self.values(real)
        head = f"{MANIFEST_MARK} plan {self.plan.plan_hash[:12]} node {self.name(node)}\n"
        yield MANIFEST_FILE, (head + rendered.manifest).encode()
        for id, (template, _, _, outcome) in rendered.texts.items():
            if outcome in ("ran", "timed_out"):
                yield f"{id}{SUFFIX}", template.fill(values)

    def archive(self, node: str, packed: bool = True) -> bytes:
        """A node's archive as a tar file, packed with gzip (without a time in it) or not."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, data in self.files(node):
                member = tarfile.TarInfo(f"{self.name(node)}/{name}")
                member.size, member.mode = len(data), 0o644
                tar.addfile(member, io.BytesIO(data))
        return gzip.compress(out.getvalue(), 1, mtime=0) if packed else out.getvalue()


def _by_node(ends: frozenset[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for node, device in ends:
        found.setdefault(node, set()).add(device)
    return {node: frozenset(devices) for node, devices in found.items()}


def _dark(plan: Plan, built: Built) -> dict[str, frozenset[str]]:
    """The NIC ends whose planned cable is not live where it should be: node -> devices. Free where all is live."""
    live = built.live()
    if live.height == plan.links.height:
        return {}
    lit = {(n, d) for s in "ab" for n, d in live.select(f"{s}_device", f"{s}_nic").rows() if d is not None}
    planned = plan.links.select("b_device", "b_nic").drop_nulls("b_nic").rows()
    return _by_node(frozenset(end for end in planned if end not in lit))


def _with_links(state: State, wrong: frozenset[str], dark: frozenset[str]) -> State:
    if not wrong and not dark:
        return state
    return replace(state, ethernet=state.ethernet | wrong, dark=state.dark | dark)


def ending(state: State, command: Command) -> str:
    """How a command ends on such a node, by the rules of the capture script (`artefacts.capture_body`)."""
    here = {
        "": True,
        "bmc": state.bmc,
        "nvlink": state.links > 0,
        "domain": state.domain == "domain",
        "x86_64": not state.board.grace,
    }
    if not here[command.where]:
        return "skipped"
    nvidia = any(g.part.nvidia for g in state.board.gpus) or "nvidia" in state.modules
    if command.program in ("nvidia-smi", "nvidia-imex-ctl") and not nvidia:
        return "absent"
    if command.module and command.module not in state.modules:
        return "skipped"
    if command.devices == "nic" and not node_sysfs.rdma(state):
        return "skipped"
    for word, outcome in state.outcomes.items():
        if command.id == word or (word.endswith("*") and command.id.startswith(word[:-1])):
            return outcome
    return "ran"


def _render(state: State) -> _Rendered:
    texts: dict[str, tuple[Template, int | None, float, str]] = {}
    rows = ["\t".join(MANIFEST_COLUMNS)]
    for number, command in enumerate(COMMANDS):
        outcome = ending(state, command)
        text, exit_code, seconds = "", None, 0.0
        if outcome == "ran":
            per_card = command.devices == "nic"
            text = node_cards.per_address(state, command.id, command.shell) if per_card else RENDERERS[command.id](state)
            exit_code, seconds = 0, round(0.05 + 0.01 * number, 2)
        elif outcome == "timed_out":
            exit_code, seconds = KILLED, float(command.timeout_s)
        texts[command.id] = (Template(text), exit_code, seconds, outcome)
        code = "-" if exit_code is None else str(exit_code)
        rows.append("\t".join((command.id, code, f"{seconds:.2f}", STARTED, outcome, command.shell)))
    return _Rendered(state, texts, "\n".join(rows) + "\n")


def write_fleet(plan: Plan, built: Built, folder: Path, seed: int = 0, packed: bool = True, varied: bool = False) -> int:
    """Write the archive of every node into ``folder``: ``<name>.tar.gz``, or a folder ``<name>/``. Returns how many.

    Raises ``OSError`` where the folder cannot be written.
    """
    fleet = Fleet(plan, built, seed, varied)
    folder.mkdir(parents=True, exist_ok=True)
    for node in fleet.nodes:
        if packed:
            (folder / f"{fleet.name(node)}.tar.gz").write_bytes(fleet.archive(node))
            continue
        own = folder / fleet.name(node)
        own.mkdir()
        for name, data in fleet.files(node):
            (own / name).write_bytes(data)
    return len(fleet.nodes)
