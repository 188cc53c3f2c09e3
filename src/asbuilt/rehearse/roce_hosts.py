"""Hosts of the twin about RDMA over Ethernet, as one fleet: every line behind its host's name, as pdsh and clush print it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from asbuilt.model.capture import Capture
from asbuilt.rehearse.roce_port import CODE_POINTS, PRIORITIES, Port

#: A receive buffer of each priority group, as a ConnectX prints it: group 0, and one for the lossless priority.
_BUFFER, _LOSSLESS = 130_944, 262_016
#: ECN-capable transport, ECT(0) of RFC 3168, in the two lower bits of the type of service.
_ECT0 = 2


def host_captures(fleet: Mapping[str, Sequence[Port]]) -> tuple[Capture, ...]:
    """Four captures of all hosts together; none where there is no host."""
    if not fleet:
        return ()
    renderers = {
        "mlnx_qos": _qos,
        "cma_roce_tos": _tos,
        "roce-ecn": _ecn,
        "interface-status": _links,
    }
    made = []
    for tool, render in renderers.items():
        lines = (f"{host}: {line}\n" for host, ports in fleet.items() for line in render(ports))
        made.append(Capture(f"hosts-{tool}", "".join(lines).encode(), tool, ""))
    return tuple(made)


def _qos(ports: Sequence[Port]) -> Iterator[str]:
    for port in ports:
        yield f"# mlnx_qos -i {port.interface}"
        yield "DCBX mode: OS controlled"
        yield f"Priority trust state: {port.trust}"
        yield "dscp2prio mapping:"
        for priority in range(PRIORITIES):
            points = [d for d in range(CODE_POINTS) if port.priority_of(d) == priority]
            if points:
                yield f"\tprio:{priority} dscp:" + "".join(f"{d:02d}," for d in points)
        sizes = [_BUFFER, _LOSSLESS, *[0] * (PRIORITIES - 2)]
        yield "Receive buffer size (bytes): " + ",".join(map(str, sizes)) + ","
        yield f"Cable len: {port.cable_m:.0f}"
        yield "PFC configuration:"
        yield "\tpriority    " + "   ".join(map(str, range(PRIORITIES)))
        yield "\tenabled     " + "   ".join(str(int(p in port.pfc)) for p in range(PRIORITIES))
        yield "\tbuffer      " + "   ".join(str(int(p in port.pfc)) for p in range(PRIORITIES))
        for tc in range(PRIORITIES):
            held = [p for p in range(PRIORITIES) if port.queue_of(p) == tc]
            if held:
                yield f"tc: {tc} ratelimit: unlimited, tsa: " + ("strict" if port.notify in held else "ets, bw: 50%")
                yield from (f"\t priority:  {p}" for p in held)


def _tos(ports: Sequence[Port]) -> Iterator[str]:
    for port in ports:
        yield f"# cma_roce_tos -d {port.interface}"
        yield str(port.mark << 2 | _ECT0)


def _ecn(ports: Sequence[Port]) -> Iterator[str]:
    for port in ports:
        for side in ("np", "rp"):
            for priority in range(PRIORITIES):
                on = int(port.ecn and priority == port.priority)
                yield f"/sys/class/net/{port.interface}/ecn/roce_{side}/enable/{priority}:{on}"


def _links(ports: Sequence[Port]) -> Iterator[str]:
    for number, port in enumerate(ports, start=2):
        flags, state = ("BROADCAST,MULTICAST,UP,LOWER_UP", "UP") if port.up else ("NO-CARRIER,BROADCAST,MULTICAST,UP", "DOWN")
        yield (
            f"{number}: {port.interface}: <{flags}> mtu {port.mtu_bytes} qdisc mq state {state} mode DEFAULT group default "
            "qlen 1000"
        )
