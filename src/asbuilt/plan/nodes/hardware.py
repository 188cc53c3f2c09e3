"""What each GPU, NIC and system of the plan shows to the tools of its host, from catalogue and requirement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from asbuilt.base.origin import Confidence
from asbuilt.catalogue.load import Catalogue, Part
from asbuilt.model.design import Design
from asbuilt.model.requirement_nodes import Nodes

#: Ports that hang on the management network and are no PCI function of the host.
OUT_OF_BAND = ("bmc-1gbe", "bluefield-3-oob")
GIB_PER_TB = 1024.0
_GPU = ("pci_ids", "shown_as", "pcie_gen", "pcie_lanes", "memory_mib", "nvlinks", "nvlink_gbytes_s")
_NIC = ("pci_vendor_id", "pci_device_id", "shown_as", "functions", "pcie_gen", "pcie_lanes")
_SYSTEM = ("architecture", "sockets", "memory_tb", "dimms", "dimm_gib", "memory_channels", "nvlink_domain_gpus", "nvswitches")


def gpu_row(part: Part) -> dict[str, Any]:
    """The row of `hardware` of a GPU."""
    ids, names = part.value("pci_ids"), part.value("shown_as")
    return {
        "part": part.id,
        "kind": "gpu",
        "name": part.name,
        "pci_ids": "+".join(ids) if ids else None,
        "shown_as": "|".join(names) if names else None,
        "functions": 1,
        "pcie_gen": part.value("pcie_gen"),
        "pcie_width": part.value("pcie_lanes"),
        "memory_mib": _number(part.value("memory_mib")),
        "nvlinks": part.value("nvlinks"),
        "nvlink_gbytes_s": _number(part.value("nvlink_gbytes_s")),
    } | _provenance(part, _GPU)


def nic_row(part: Part) -> dict[str, Any]:
    """The row of `hardware` of a NIC."""
    vendor, device, names = part.value("pci_vendor_id"), part.value("pci_device_id"), part.value("shown_as")
    return {
        "part": part.id,
        "kind": "nic",
        "name": part.name,
        "pci_ids": f"{vendor}:{device}" if vendor and device else None,
        "shown_as": "|".join(names) if names else None,
        "functions": part.value("functions"),
        "pcie_gen": part.value("pcie_gen"),
        "pcie_width": part.value("pcie_lanes"),
        "memory_mib": None,
        "nvlinks": None,
        "nvlink_gbytes_s": None,
    } | _provenance(part, _NIC)


def trait_row(design: Design, catalogue: Catalogue) -> dict[str, Any]:
    """The row of `node_traits` of the system of the compute nodes; what the requirement states goes before the catalogue."""
    part, asked = catalogue.get("system", design.node.system), design.requirement.nodes
    nvidia = _maker(part, catalogue) == "NVIDIA"
    domain = int(part.value("nvlink_domain_gpus", 1)) if nvidia else 1
    kind = "none" if domain == 1 else "domain" if int(part.value("nodes_per_unit", 1)) > 1 else "switch"
    trays = part.value("nvlink_switch_trays") if kind == "domain" else None
    dimms = _first(asked.memory.dimms, part.value("dimms"))
    size = _first(asked.memory.dimm_gib, part.value("dimm_gib")) if dimms else None
    return {
        "system": part.id,
        "gpus": int(part.value("gpus_per_node")),
        "sockets": part.value("sockets"),
        "architecture": part.value("architecture"),
        "memory_gib": _memory(part, asked, dimms, size),
        "dimms": dimms,
        "dimm_gib": _number(size),
        "dimm_mts": _number(asked.memory.speed_mts),
        "channels": part.value("memory_channels"),
        "nvlink": kind,
        "domain_gpus": domain,
        "switch_trays": trays,
        "switch_chips": _chips(part, catalogue, trays) if kind == "domain" else part.value("nvswitches"),
        "fabric_manager": kind == "switch",
        "bmc": _bmc(part, asked),
    } | _provenance(part, _SYSTEM)


def _first(*values: Any) -> Any:
    return next((v for v in values if v is not None), None)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _bmc(part: Part, asked: Nodes) -> bool:
    ports = {row["part"] for row in part.value("nics", ())}
    return bool(_first(asked.bmc, part.value("bmc"), "bmc-1gbe" in ports))


def _memory(part: Part, asked: Nodes, dimms: int | None, size: float | None) -> float | None:
    if dimms and size:
        return float(dimms) * float(size)
    if asked.memory.dimms is not None or asked.memory.dimm_gib is not None:
        return None  # the owner ordered other memory than the catalogue's, and did not say how much
    printed = part.value("memory_tb")
    return None if printed is None else float(printed) * GIB_PER_TB


def _maker(part: Part, catalogue: Catalogue) -> str:
    gpu = str(part.value("gpu", ""))
    return str(catalogue.get("gpu", gpu).value("maker", "")) if catalogue.has("gpu", gpu) else ""


def _chips(part: Part, catalogue: Catalogue, trays: int | None) -> int | None:
    tray = str(part.value("nvlink_switch", ""))
    each = catalogue.get("switch", tray).value("asics") if catalogue.has("switch", tray) else None
    return None if trays is None or each is None else int(trays) * int(each)


def _provenance(part: Part, keys: Iterable[str]) -> dict[str, Any]:
    """Sources of the figures that are stated, each once, and the lowest confidence of them."""
    known = [part.figure(key) for key in keys if part.has(key)]
    if not known:
        return {"source": None, "confidence": None}
    lowest = min((f.confidence for f in known), key=lambda c: c.rank)
    return {"source": "; ".join(dict.fromkeys(f.source for f in known)), "confidence": Confidence(lowest).value}
