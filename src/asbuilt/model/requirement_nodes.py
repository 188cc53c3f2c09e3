"""What the requirement may say of the machines themselves: memory, firmware settings, kernel, services.

What is not stated is either a recorded default (`plan.expectations_nodes`), or judged against the other nodes of the system.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asbuilt.model.requirement_field import spec

#: A word of the kernel command line, a unit, a kernel module: no blanks.
WORD = r"^[A-Za-z0-9][A-Za-z0-9_.,:=@+/%-]{0,126}$"
UNIT = r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,126}$"
SETTING = r"^[A-Za-z0-9][A-Za-z0-9 ._()/&+-]{0,126}$"


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one node, as ordered."""

    dimms: int | None = spec("memory modules of one node; 0 where memory is soldered", least=0, most=256)
    dimm_gib: float | None = spec("size of one module", unit="GiB", least=1, most=4096)
    speed_mts: float | None = spec("speed that the modules are to run at", unit="MT/s", least=800, most=20_000)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Settings that every node must show. `on` and `off` are spelled out: YAML reads them as true and false."""

    memory: Memory = field(default_factory=Memory, metadata={"meaning": "memory modules"})
    nps: int | None = spec("NUMA nodes of one socket (NPS, SNC), default 1", least=1, most=8)
    hyperthreading: bool | None = spec("two threads on each core")
    iommu: str | None = spec(
        "address translation for devices, default disabled or passthrough", choices=("disabled", "passthrough", "enabled")
    )
    acs: str | None = spec(
        "PCIe access control on bridges of GPUs and NICs: disabled (bare metal, the default), enabled (virtual machines)",
        choices=("disabled", "enabled"),
    )
    pcie_gen: int | None = spec(
        "PCIe generation of the processors' root ports, where it is below that of a GPU or NIC", least=3, most=7
    )
    read_request_bytes: int | None = spec("MaxReadReq of the NICs, default 4096", unit="bytes", least=128, most=4096)
    payload_bytes: int | None = spec("MaxPayload of GPUs and NICs, at least", unit="bytes", least=128, most=4096)
    kernel_options: tuple[str, ...] = spec("words that the kernel command line must hold", default=(), pattern=WORD, longest=64)
    kernel_modules: tuple[str, ...] | None = spec(
        "kernel modules that must be loaded, default those of the planned link types", pattern=UNIT, longest=64
    )
    bios: dict[str, str] = field(
        default_factory=dict, metadata={"meaning": "BIOS settings by the name that captures print", "pattern": SETTING}
    )
    services_on: tuple[str, ...] = spec("services that must be active", default=(), pattern=UNIT, longest=64)
    services_off: tuple[str, ...] = spec("services that must not run", default=(), pattern=UNIT, longest=64)
    irqbalance: bool | None = spec("irqbalance runs; default no: interrupts are pinned to the NIC's socket")
    persistence: bool | None = spec("GPU persistence mode, default yes")
    bmc: bool | None = spec("the nodes have a BMC, where the catalogue does not say")
    power_supplies: int | None = spec("power supplies that must be present, default those of the catalogue", least=0, most=32)
    event_window_h: float | None = spec(
        "how far back before the capture a logged event counts, default 24", unit="h", least=0.01, most=8760
    )
