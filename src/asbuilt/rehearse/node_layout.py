"""The PCI tree of a node, from the sockets, rails and cages of the plan: which GPU sits beside which card.

x86: the GPUs of a rail and that rail's card hang on one PCIe switch below a root port of their own; cards without a GPU have a
root port each. Grace: every GPU and every card has a PCI domain and a root port of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from asbuilt.model.plan import Plan
from asbuilt.rehearse.node_board import (
    DOWNSTREAM,
    END,
    ROOT,
    TUNED_READ,
    UPSTREAM,
    Board,
    Function,
    Gpu,
    Nic,
    dimms,
    gts_of,
    numa_nodes,
)
from asbuilt.rehearse.node_parts import OUT_OF_BAND, CardPart, GpuPart, card_part, gpu_part, maker, traits

#: Interrupts of one card function: one for events and the rest for completions.
IRQS = 4
_FIRST_IRQ = 120
_PORT_OF_CARD = re.compile(r"^(.*\d)p(\d)$")
_NUMBER = re.compile(r"(\d+)$")
_FIRST_BUS, _STEP = 0x10, 0x0C
_BRIDGE = ("0604", "PCI bridge")
#: Root ports by architecture and maker of the processor; a switch is a Broadcom PEX890xx.
_ROOTS = {
    "GenuineIntel": ("8086:352a", "Intel Corporation Ice Lake/Sapphire Rapids PCI Express Root Port A"),
    "AuthenticAMD": ("1022:14ab", "Advanced Micro Devices, Inc. [AMD] Genoa PCI Express Root Port"),
    "ARM": ("10de:22b1", "NVIDIA Corporation GH100 PCIe Root Port"),
}
_SWITCH = ("1000:c030", "Broadcom / LSI PEX890xx PCIe Gen 5 Switch")


@dataclass
class _Card:
    """Rows of `nics` that sit on one card, in the order of its ports."""

    rows: list[dict[str, Any]]
    part: CardPart
    socket: int


@dataclass
class _Group:
    """What hangs below one root port."""

    socket: int
    gpus: list[dict[str, Any]] = field(default_factory=list)
    cards: list[_Card] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, int, int]:
        """Socket, then device number of the first card, then slot: how buses are numbered."""
        first = min((number(c.rows[0]["device"]) for c in self.cards), default=99)
        slot = min((g["slot"] for g in self.gpus), default=99)
        return self.socket, first if self.cards else slot, slot


def number(device: str) -> int:
    """The number at the end of a device name; 0 without one."""
    found = _NUMBER.search(device)
    return int(found[1]) if found else 0


def board_of(plan: Plan, system: str, gpus: Sequence[dict[str, Any]], nics: Sequence[dict[str, Any]], nps: int = 1) -> Board:
    """The hardware of a node with these rows of `gpus` and `nics`; ``nps`` is the NUMA nodes per socket."""
    trait = traits(plan, system)
    grace = trait.get("architecture") == "aarch64" or (not trait and system.startswith("gb"))
    sockets = int(trait.get("sockets") or 0) or 1 + max((r["socket"] for r in (*gpus, *nics)), default=0)
    made = maker(plan, system, grace)
    cards = _cards(plan, nics)
    tree = _Tree(plan, made.cpu_vendor, nps)
    for group in _grace(gpus, cards) if grace else _switched(gpus, cards):
        tree.add(group, grace)
    if not grace:
        tree.legacy()
    placed = tuple(sorted(tree.gpus, key=lambda g: g.slot))
    order = sorted(tree.functions, key=lambda f: f.address)
    return Board(
        system, grace, made, sockets, numa_nodes(made, sockets, nps, placed, grace), tuple(order), placed,
        tuple(sorted(tree.nics, key=lambda n: number(n.device))), dimms(made, sockets),
    )  # fmt: skip


def _cards(plan: Plan, nics: Sequence[dict[str, Any]]) -> list[_Card]:
    """The cards: ports of one part whose cages differ in ``p0 p1`` alone share one."""
    cards: dict[tuple[str, str], _Card] = {}
    for row in sorted(nics, key=lambda r: number(r["device"])):
        if row["part"] in OUT_OF_BAND:
            continue
        cage = _PORT_OF_CARD.match(row["cage"] or "")
        key = (row["part"], cage[1] if cage else row["device"])
        if key in cards:
            cards[key].rows.append(row)
        else:
            cards[key] = _Card([row], card_part(plan, row["part"]), row["socket"])
    return list(cards.values())


def _grace(gpus: Sequence[dict[str, Any]], cards: list[_Card]) -> list[_Group]:
    alone = [_Group(g["socket"], [g]) for g in sorted(gpus, key=lambda g: g["slot"])]
    return [*(_Group(c.socket, [], [c]) for c in cards), *alone]


def _switched(gpus: Sequence[dict[str, Any]], cards: list[_Card]) -> list[_Group]:
    """Groups in bus order. GPUs of one rail share a switch; runs of slots that overlap share one too, so that the order of
    buses is that of the slots."""
    spans: list[_Group] = []
    for socket in sorted({g["socket"] for g in gpus}):
        here = sorted((g for g in gpus if g["socket"] == socket), key=lambda g: g["slot"])
        last = {g["rail"]: g["slot"] for g in here}
        end = -1
        for gpu in here:
            if gpu["slot"] > end:
                spans.append(_Group(socket))
            spans[-1].gpus.append(gpu)
            end = max(end, last[gpu["rail"]])
    left: list[_Group] = []
    for card in cards:
        row = card.rows[0]
        rails = (g for g in spans if g.socket == card.socket and row["rail"] in {x["rail"] for x in g.gpus})
        home = next(rails, None) if row["plane"] == "compute" else None
        if home is not None:
            home.cards.append(card)
        else:
            left.append(_Group(card.socket, [], [card]))
    groups = sorted([*spans, *left], key=lambda g: g.order)
    slots = [g.gpus[0]["slot"] for g in groups if g.gpus]
    return groups if slots == sorted(slots) else [*spans, *left]


class _Tree:
    """Functions as they are added; buses are given out in order."""

    def __init__(self, plan: Plan, cpu: str, nps: int) -> None:
        self.plan, self.nps = plan, nps
        self.root_id = _ROOTS.get(cpu, _ROOTS["GenuineIntel"])
        self.functions: list[Function] = []
        self.gpus: list[Gpu] = []
        self.nics: list[Nic] = []
        self.irq = _FIRST_IRQ
        self.groups = 0
        self.cards = 0

    def add(self, group: _Group, grace: bool) -> None:
        """A root port with all that a group hangs below it."""
        numa = group.socket * self.nps
        if grace:
            domain, bus = f"{group.socket:03x}{self.groups % 16:x}", 0
        else:
            domain, bus = "0000", _FIRST_BUS + self.groups * _STEP
        self.groups += 1
        slot = str(self.groups)
        things: list[dict[str, Any] | _Card] = [*group.cards, *group.gpus]
        gen = max([gpu_part(self.plan, g["model"]).gen for g in group.gpus] + [c.part.gen for c in group.cards])
        root = f"{domain}:{bus:02x}:{'00' if grace else '01'}.0"
        self._bridge(root, "", ROOT, numa, gen, self.root_id, "" if len(things) > 1 else slot)
        if len(things) == 1:
            self._thing(things[0], f"{domain}:{bus + 1:02x}", root, numa, gen)
            return
        above = f"{domain}:{bus + 1:02x}:00.0"
        self._bridge(above, root, UPSTREAM, numa, gen, _SWITCH)
        for index, thing in enumerate(things):
            port = f"{domain}:{bus + 2:02x}:{index:02x}.0"
            self._bridge(port, above, DOWNSTREAM, numa, gen, _SWITCH, f"{slot}-{index + 1}")
            self._thing(thing, f"{domain}:{bus + 3 + index:02x}", port, numa, gen)

    def _bridge(self, at: str, above: str, kind: str, numa: int, gen: int, ids: tuple[str, str], slot: str = "") -> None:
        gts = gts_of(gen)
        made = Function(at, above, kind, *_BRIDGE, *ids, numa, gts, gts, 16, 16, "pcieport", "04" if kind == ROOT else "b0",
                        slot=slot)  # fmt: skip
        self.functions.append(made)

    def _thing(self, thing: dict[str, Any] | _Card, bus: str, port: str, numa: int, gen: int) -> None:
        part = thing.part if isinstance(thing, _Card) else gpu_part(self.plan, thing["model"])
        self._train(port, part, gen)
        if isinstance(thing, _Card):
            self._card(thing, bus, port, numa)
        else:
            self._gpu(thing, part, bus, port, numa)  # type: ignore[arg-type]

    def _train(self, port: str, part: GpuPart | CardPart, gen: int) -> None:
        """The port above runs at what both ends of the link can."""
        at = next(i for i, f in enumerate(self.functions) if f.address == port)
        gts = min(gts_of(part.gen), gts_of(gen))
        self.functions[at] = replace(self.functions[at], gts=gts, width=min(part.width, self.functions[at].max_width))

    def _gpu(self, row: dict[str, Any], part: GpuPart, bus: str, port: str, numa: int) -> None:
        at, gts = f"{bus}:00.0", gts_of(part.gen)
        driver = "nvidia" if part.nvidia else "amdgpu"
        name = ("NVIDIA Corporation " if part.nvidia else "Advanced Micro Devices, Inc. [AMD/ATI] ") + part.pci_name
        made = Function(at, port, END, "0302" if part.nvidia else "1200", "3D controller" if part.nvidia else
                        "Processing accelerators", part.pci_id, name, numa, gts, gts, part.width, part.width, driver, "a1",
                        subsystem=name)  # fmt: skip
        self.functions.append(made)
        self.gpus.append(Gpu(row["slot"], at, row["socket"], numa, row["rail"], part))

    def _card(self, card: _Card, bus: str, port: str, numa: int) -> None:
        gts, part = gts_of(card.part.gen), card.part
        maker = "Mellanox Technologies " if part.mellanox else "Broadcom Inc. and subsidiaries "
        for index, row in enumerate(card.rows):
            at = f"{bus}:00.{index}"
            fabric = row["link_type"] == "infiniband"
            kind = ("0207", "Infiniband controller") if fabric else ("0200", "Ethernet controller")
            driver = "mlx5_core" if part.mellanox else "bnxt_en"
            read = TUNED_READ
            self.functions.append(
                Function(
                    at,
                    port,
                    END,
                    *kind,
                    part.pci_id,
                    maker + part.pci_name,
                    numa,
                    gts,
                    gts,
                    part.width,
                    part.width,
                    driver,
                    "",
                    read,
                    subsystem=maker + part.number.removesuffix("_Ax"),
                )
            )
            self.nics.append(
                Nic(
                    row["device"],
                    at,
                    netdev(at, fabric, index, len(card.rows)),
                    row["plane"],
                    row["rail"],
                    row["socket"],
                    numa,
                    fabric,
                    int(row["rate_gbps"]),
                    part,
                    self.cards,
                    index,
                    self.irq,
                    part.firmware,
                )
            )
            self.irq += IRQS
        self.cards += 1

    def legacy(self) -> None:
        """What every x86 server has besides: host bridge, BMC screen, two drives."""
        vendor = self.root_id[0][:4]
        maker = self.root_id[1].partition(" Corporation")[0].partition(",")[0]
        host = f"{maker} Corporation Device 09a2" if vendor == "8086" else "Advanced Micro Devices, Inc. [AMD] Device 14a4"
        self.functions.append(
            Function(
                "0000:00:00.0",
                "",
                "",
                "0880" if vendor == "8086" else "0600",
                "System peripheral" if vendor == "8086" else "Host bridge",
                f"{vendor}:{'09a2' if vendor == '8086' else '14a4'}",
                host,
                0,
            )
        )
        things = (
            ("0300", "VGA compatible controller", "1a03:2000", "ASPEED Technology, Inc. ASPEED Graphics Family", 1, 1, "ast"),
            ("0108", "Non-Volatile memory controller", "144d:a824", _NVME, 4, 4, "nvme"),
            ("0108", "Non-Volatile memory controller", "144d:a824", _NVME, 4, 4, "nvme"),
        )
        for index, (class_id, words, ids, name, gen, width, driver) in enumerate(things, start=1):
            root, gts = f"0000:00:{index:02x}.1", gts_of(gen)
            self.functions.append(
                Function(root, "", ROOT, *_BRIDGE, *self.root_id, 0, gts_of(5), gts, width, width, "pcieport", "04")
            )
            self.functions.append(
                Function(f"0000:{index:02x}:00.0", root, END, class_id, words, ids, name, 0, gts, gts, width, width, driver)
            )


_NVME = "Samsung Electronics Co Ltd NVMe SSD Controller PM9A1/PM9A3/980PRO"


def netdev(address: str, infiniband: bool, port: int, ports: int) -> str:
    """The predictable name of an interface: ``ibp24s0``, ``enp41s0f1np1``, with ``P<domain>`` outside domain 0."""
    domain, bus, rest = address.split(":")
    where = (f"P{int(domain, 16)}" if int(domain, 16) else "") + f"p{int(bus, 16)}s{int(rest[:2], 16)}"
    function = f"f{rest[-1]}" if ports > 1 else ""
    return f"ib{where}{function}" if infiniband else f"en{where}{function}np{port}"
