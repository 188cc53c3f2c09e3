"""Thresholds of machines: memory, PCIe, cards, settings. What the requirement does not state is a recorded default, or none."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.model.requirement_nodes import Nodes
from asbuilt.plan.expectation import expectation

Rows = list[dict[str, Any]]
#: GT/s of one lane, by PCIe generation.
GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0, 7: 128.0}
_PCIE = "PCI Express Base Specification: rate of a lane by generation"
_NPS = "one NUMA node a socket: with four, cards of one socket lie in different nodes (nccl-tests issue 293: 9 GB/s)"
_IOMMU = "NVIDIA NIM multi-GPU guide: on bare metal off, or passthrough where it must be on"
_ACS = "NCCL user guide, troubleshooting: ACS on bridges redirects peer-to-peer traffic through the root complex"
_READ = "scitix/sichek specification of NICs: 4096 bytes"
_IRQ = "interrupts are pinned to the NIC's socket; irqbalance would move them (Irqbalance issues 169, 275)"
_KEPT = "without it the driver unloads when idle, and counters and settings of the GPUs are lost"
_WINDOW = "nobody published one: a day, so that errors of an earlier test are not laid to this one"
_CORRECTED = "AMD CVS and NVIDIA DCGM fail on PCIe errors within the test"
_MODULES = "modules of the RDMA stack that peers' acceptance lists name (AMD CVS, sichek)"
_RDMA = ("ib_uverbs", "mlx5_core", "mlx5_ib")
_INFINIBAND = ("ib_umad",)
_MELLANOX = "15b3"


def node_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Expectations of the NOD checks."""
    asked = design.requirement.nodes
    rows = [*_settings(asked), *_pcie(asked), *_services(asked), *_modules(design, catalogue, asked), *_events(asked)]
    return rows + _supplies(design, catalogue, asked)


def _stated(value: object, field: str, source: str) -> tuple[str, str]:
    """origin and source: the requirement's word, or the default."""
    return ("declared", f"nodes.{field}") if value is not None else ("assumed", source)


def _settings(asked: Nodes) -> Rows:
    nps = 1 if asked.nps is None else asked.nps
    iommu = "disabled+passthrough" if asked.iommu is None else asked.iommu
    rows = [
        expectation("NOD-014", "node", "*", "eq", nps, "NUMA nodes", *_stated(asked.nps, "nps", _NPS)),
        expectation("NOD-015", "node", "iommu", "in", iommu, "", *_stated(asked.iommu, "iommu", _IOMMU)),
    ]
    if asked.hyperthreading is not None:
        threads = 2 if asked.hyperthreading else 1
        rows.append(expectation("NOD-013", "node", "threads", "eq", threads, "threads", "declared", "nodes.hyperthreading"))
    for word in asked.kernel_options:
        rows.append(expectation("NOD-015", "node", f"option={word}", "eq", word, "", "declared", "nodes.kernel_options"))
    for name, value in asked.bios.items():
        rows.append(expectation("NOD-016", "node", f"setting={name}", "eq", value, "", "declared", f"nodes.bios.{name}"))
    return rows


def _pcie(asked: Nodes) -> Rows:
    rows = [expectation("NOD-021", "link", f"gen={gen}", "eq", gts, "GT/s", "published", _PCIE) for gen, gts in GTS.items()]
    if asked.pcie_gen is not None:
        rows.append(expectation("NOD-022", "link", "root", "eq", GTS[asked.pcie_gen], "GT/s", "declared", "nodes.pcie_gen"))
    acs = asked.acs or "disabled"
    rows.append(expectation("NOD-023", "bridge", "*", "eq", acs, "", *_stated(asked.acs, "acs", _ACS)))
    read = asked.read_request_bytes or 4096
    told = _stated(asked.read_request_bytes, "read_request_bytes", _READ)
    rows.append(expectation("NOD-024", "nic", "read_request", "eq", read, "bytes", *told))
    if asked.payload_bytes is not None:
        rows.append(
            expectation("NOD-024", "nic", "payload", "ge", asked.payload_bytes, "bytes", "declared", "nodes.payload_bytes")
        )
    return rows


def _services(asked: Nodes) -> Rows:
    rows = [
        expectation("NOD-052", "service", f"service={unit}", "eq", state, "", "declared", f"nodes.{field}")
        for field, state in (("services_on", "active"), ("services_off", "inactive"))
        for unit in getattr(asked, field)
    ]
    balance = "active" if asked.irqbalance else "inactive"
    told = _stated(asked.irqbalance, "irqbalance", _IRQ)
    rows.append(expectation("NOD-053", "node", "service=irqbalance", "eq", balance, "", *told))
    kept = "disabled" if asked.persistence is False else "enabled"
    told = _stated(asked.persistence, "persistence", _KEPT)
    rows.append(expectation("NOD-053", "gpu", "persistence", "eq", kept, "", *told))
    return rows


def _modules(design: Design, catalogue: Catalogue, asked: Nodes) -> Rows:
    """Kernel modules: those stated, else those of ConnectX and BlueField ports by link type."""
    mellanox = [n for n in design.node.nics if catalogue.has("nic", n.part) and _vendor(catalogue, n.part) == _MELLANOX]
    modules: tuple[str, ...] = asked.kernel_modules or ()
    if asked.kernel_modules is None and mellanox:
        modules = (*_RDMA, *(_INFINIBAND if any(n.link_type == "infiniband" for n in mellanox) else ()))
    told = _stated(asked.kernel_modules, "kernel_modules", _MODULES)
    return [expectation("NOD-054", "node", f"module={m}", "eq", "loaded", "", *told) for m in modules]


def _vendor(catalogue: Catalogue, part: str) -> str:
    return str(catalogue.get("nic", part).value("pci_vendor_id", ""))


def _events(asked: Nodes) -> Rows:
    hours = 24.0 if asked.event_window_h is None else asked.event_window_h
    told = _stated(asked.event_window_h, "event_window_h", _WINDOW)
    return [
        expectation("NOD-025", "device", "window", "le", hours, "h", *told),
        expectation("NOD-025", "device", "*", "le", 0, "errors", "published", _CORRECTED),
        expectation("NOD-062", "node", "window", "le", hours, "h", *told),
    ]


def _supplies(design: Design, catalogue: Catalogue, asked: Nodes) -> Rows:
    """Power supplies of a server; trays are fed from a busbar and have none."""
    number = design.node.psus if asked.power_supplies is None else asked.power_supplies
    if not number:
        return []
    if asked.power_supplies is not None:
        origin, source, confidence = "declared", "nodes.power_supplies", None
    else:
        figure = catalogue.get("system", design.node.system).figure("psus")
        origin, source, confidence = figure.origin.value, figure.source, figure.confidence.value
    if confidence == "low":  # nobody is held to a figure that nobody is sure of: the requirement can say it
        return []
    return [expectation("NOD-063", "node", "*", "eq", number, "power supplies", origin, source, confidence)]
