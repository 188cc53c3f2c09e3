"""Causes and ways out of design findings that no template can word: they count, choose, or propose a value.

Each takes the words of a finding (column -> text) and returns one sentence without a full stop; an empty one is left out.
"""

from __future__ import annotations

from typing import Any


def ports_cause(c: dict[str, Any]) -> str:
    """What fills a switch, and who finds no port."""
    kinds = [("node_links", "node links"), ("shared_links", "links of other planes"), ("uplinks", "uplinks")]
    kinds += [("downlinks", "downlinks"), ("service", "service links"), ("reserved", "ports kept free")]
    held = " and ".join(f"{c[key]} {what}" for key, what in kinds if c.get(key) not in (None, "0", ""))
    without = [f"the {c['guests']} plane, which shares these switches" if c.get("guests") else ""]
    without.append(f"{c['hosts']} service hosts" if c.get("hosts") not in (None, "0", "") else "")
    who = ": " + ", ".join(w for w in without if w) if any(without) else ""
    how = ", unsplit" if _unsplit(c) else ""
    return (
        f"a {c['plane']} {c['role']} switch ({c['model']}) has {c['ports']} ports{how}; {held} take them, "
        f"and {_span(c['short'])} more find none{who}"
    )


def _span(numbers: str) -> str:
    """``48, 50`` as ``48 to 50``."""
    values = sorted(int(n) for n in numbers.split(", ") if n.isdigit())
    return numbers if len(values) < 2 else f"{values[0]} to {values[-1]}"


def _unsplit(c: dict[str, Any]) -> bool:
    return c.get("splits") == "true" and c.get("ports") == c.get("whole_ports")


def split_way(c: dict[str, Any]) -> str:
    """Splitting the ports, where the switch can and the plan does not."""
    if c["role"] == "leaf" and _unsplit(c):
        return f"split the ports: `planes.{c['plane']}.leaf.split: true`, two links on one port where the rate allows"
    return ""


def sockets_cause(c: dict[str, Any]) -> str:
    """Which GPUs of a node reach their NIC across the socket link."""
    slots, count = c["slot"], c["count"]
    which = f"GPUs {slots} of a node use rails" if "," in slots else f"GPU {slots} of a node uses a rail"
    return f"{which} whose NIC hangs on the other CPU socket ({count} of the plan's GPUs)"


def map_way(c: dict[str, Any]) -> str:
    """A GPU to rail map that keeps every GPU on its own socket, where there is one."""
    return f"give each GPU a rail of its own socket: `node.gpu_rails: {c['map']}`" if c.get("map") else ""


def no_cable(c: dict[str, Any]) -> str:
    """Which links nothing in the catalogue makes, and how long they are."""
    return (
        f"no cable or pair of optics in the catalogue makes the {c['rate_gbps']} Gb/s links of the {c['plane']} plane "
        f"over their routes ({c['route_m']} m)"
    )
