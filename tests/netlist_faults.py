"""Faults in an ibsim netlist, made without any code of the product: the cables are read, changed and written again."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

END = tuple[str, int]
HEAD = re.compile(r'(Switch|Ca) (\d+) "([SH]-[0-9a-f]{16})"\s+# "([^"]*)"')
PORT = re.compile(r'\[(\d+)\](?:\([0-9a-f]{16}\))?\t"([SH]-[0-9a-f]{16})"\[(\d+)\]')


@dataclass(frozen=True)
class Cables:
    """Nodes (kind, number of ports, name) by id, and cables as pairs of (id, port) with their width."""

    nodes: dict[str, tuple[str, int, str]]
    cables: dict[frozenset[END], str]

    def id(self, name: str) -> str:
        return next(key for key, node in self.nodes.items() if node[2] == name)

    def at(self, name: str, port: int) -> frozenset[END]:
        """The cable at a port."""
        end = (self.id(name), port)
        return next(cable for cable in self.cables if end in cable)

    def pulled(self, name: str, port: int) -> Cables:
        gone = self.at(name, port)
        return replace(self, cables={c: w for c, w in self.cables.items() if c != gone})

    def narrowed(self, name: str, port: int) -> Cables:
        return replace(self, cables={**self.cables, self.at(name, port): "1x"})

    def swapped(self, one: tuple[str, int], two: tuple[str, int]) -> Cables:
        """The far ends of two cables change places."""
        a, b = (self.id(one[0]), one[1]), (self.id(two[0]), two[1])
        (far_a,), (far_b,) = self.at(*one) - {a}, self.at(*two) - {b}
        kept = {c: w for c, w in self.cables.items() if c not in (self.at(*one), self.at(*two))}
        return replace(self, cables={**kept, frozenset((a, far_b)): "4x", frozenset((b, far_a)): "4x"})

    def moved(self, name: str, port: int, to: int) -> Cables:
        """One cable into a free port of the same switch."""
        old = self.at(name, port)
        new = frozenset((self.id(name), to) if end == (self.id(name), port) else end for end in old)
        return replace(self, cables={**{c: w for c, w in self.cables.items() if c != old}, new: self.cables[old]})

    def text(self) -> bytes:
        """The netlist in the form that ibsim reads."""
        ends: dict[str, dict[int, str]] = {}
        for cable, width in self.cables.items():
            for near, far in (tuple(cable), tuple(cable)[::-1]):
                guid = f"({int(far[0][2:], 16) + far[1]:016x})" if far[0][0] == "H" else ""
                own = f"({int(near[0][2:], 16) + near[1]:016x})" if near[0][0] == "H" else ""
                line = f'[{near[1]}]{own}\t"{far[0]}"[{far[1]}]{guid}\t# "{self.nodes[far[0]][2]}" lid 0 {width}HDR'
                if own:
                    line = f'[{near[1]}]{own}\t"{far[0]}"[{far[1]}]\t# lid 0 lmc 0 "{self.nodes[far[0]][2]}" lid 0 {width}HDR'
                ends.setdefault(near[0], {})[near[1]] = line
        blocks = []
        for key, (kind, ports, name) in self.nodes.items():
            if key in ends:
                tail = " enhanced port 0 lid 0 lmc 0" if kind == "Switch" else ""
                head = f'{kind.lower()}guid=0x{key[2:]}\n{kind} {ports} "{key}"   # "{name}"{tail}'
                blocks.append("\n".join([head, *(ends[key][port] for port in sorted(ends[key]))]))
        return ("\n\n".join(blocks) + "\n").encode()


def read(netlist: bytes) -> Cables:
    nodes, cables, owner = {}, {}, ""
    for line in netlist.decode().splitlines():
        if head := HEAD.match(line):
            owner = head[3]
            nodes[owner] = (head[1], int(head[2]), head[4])
        elif port := PORT.match(line):
            cables[frozenset(((owner, int(port[1])), (port[2], int(port[3]))))] = "4x"
    return Cables(nodes, cables)
