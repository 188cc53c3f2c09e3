"""Where ranks, ports and interrupts of one machine should go, as its measured topology says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PortAffinity:
    """One port: its device, PCI address, NUMA node, the processors near it, and where its interrupts may go now.

    ``away`` of ``irqs`` interrupts may leave the NUMA node; ``shown`` is where the first of them goes. Unknown is None.
    """

    device: str
    address: str
    rail: int | None
    numa: int | None
    cpus: str
    planned_socket: int | None
    socket: int | None
    irqs: int | None = None
    away: int | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class GpuAffinity:
    """One GPU: the port that serves it by measurement and by plan, its NUMA node, the processors of its rank."""

    gpu: int
    device: str
    relation: str
    planned_device: str
    numa: int | None
    cpus: str


@dataclass(frozen=True, slots=True)
class NodeAffinity:
    """One machine: its ports in the order of their rails, its GPUs, and why something of it is not known."""

    node: str
    name: str
    ports: tuple[PortAffinity, ...]
    gpus: tuple[GpuAffinity, ...]
    source: str
    unknown: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """True when what is applied, or what the plan's template says, is not what was measured."""
        ports = any(p.away or (p.socket is not None and p.socket != p.planned_socket) for p in self.ports)
        return ports or any(g.planned_device and g.device != g.planned_device for g in self.gpus)

    @property
    def hca_list(self) -> str:
        """``NCCL_IB_HCA``: exactly the ports of the rails, in their order."""
        return "=" + ",".join(p.device for p in self.ports)
