"""Thresholds of GPUs: memory errors, slowdowns, what an idle GPU holds, NVLink errors, the window of logged faults."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation

Rows = list[dict[str, Any]]
_NONE = "gcm, AzNHC and sichek: no uncorrected error since the driver was loaded"
_SRAM = "ml-engineering handbook: more than 4 uncorrected SRAM errors of a life are a case for replacement"
_CORRECTED = "AzNHC: 20 million corrected errors of DRAM"
_ROWS = "NVIDIA GPU memory error management: 512 rows can be remapped"
_PAGES = "gcm: 10 retired pages"
_REASONS = "NVML: reasons of the hardware and of heat; a power cap by software is normal under load"
_MARGIN = "nvidia-smi: GPU T.Limit Temp counts down to 0 at the highest operating temperature; NVSentinel: H100 slows at -2"
_IDLE = "assumed: a context of CUDA takes more; the driver alone takes less"
_SHARE = "assumed: drivers differ by what they keep for themselves; the next smaller model is 10 % below"
_WINDOW = "nobody published one: a day, so that errors of an earlier test are not laid to this one"
_XIDS = "AzNHC, gpud and AMD CVS fail on an XID of a fault"
_TESTS = "NVIDIA DCGM: per-GPU tests of level 3; a site that runs another level states its own"
_PRINTED = "nvidia-smi rounds rates to one to three decimals"
_ERRORS = "imbue and AzNHC: no replay and no recovery"
_DARK = "assumed: a dark chip takes a link from every GPU; one in ten may be down for a reason of its own"
_HALF = "assumed: of fewer nodes a fault of one of them could look like a chip's"
_CRC = "NVIDIA DCGM: default limit of CRC errors of an NVLink"
_REPLAYS = "NVIDIA DCGM: 80 replays in a test; a total since the reset is held against the same"
_ECC = "GPUs of data centres are delivered with ECC on"
_MIG = "collectives need whole GPUs: NCCL does not span instances of one GPU"
_LOAD = "assumed: a query itself may show as a per cent or two"


def gpu_rows(design: Design) -> Rows:
    """Expectations of the GPU checks."""
    return [*_memory(), *_clocks(), *_events(design.requirement.nodes.event_window_h), *_links()]


def _memory() -> Rows:
    return [
        expectation("GPU-004", "gpu", "share", "ge", 0.98, "fraction", "assumed", _SHARE),
        expectation("GPU-018", "gpu", "memory", "le", 1024, "MiB", "assumed", _IDLE),
        expectation("GPU-018", "gpu", "load", "le", 5, "%", "assumed", _LOAD),
        expectation("GPU-010", "gpu", "volatile", "le", 0, "errors", "published", _NONE),
        expectation("GPU-010", "gpu", "sram", "le", 4, "errors", "published", _SRAM),
        expectation("GPU-010", "gpu", "corrected", "le", 20_000_000, "errors", "published", _CORRECTED),
        expectation("GPU-011", "gpu", "rows", "le", 512, "rows", "published", _ROWS),
        expectation("GPU-011", "gpu", "pages", "le", 10, "pages", "published", _PAGES),
    ]


def _clocks() -> Rows:
    faults = "hw_thermal+hw_power_brake+hw+sw_thermal"
    return [
        expectation("GPU-013", "gpu", "reasons", "in", faults, "", "published", _REASONS),
        expectation("GPU-013", "gpu", "margin", "ge", 0, "°C", "published", _MARGIN),
    ]


def _events(stated: float | None) -> Rows:
    origin, source = ("assumed", _WINDOW) if stated is None else ("declared", "nodes.event_window_h")
    hours = 24.0 if stated is None else stated
    return [
        expectation("GPU-012", "gpu", "window", "le", hours, "h", origin, source),
        expectation("GPU-012", "gpu", "*", "le", 0, "XIDs", "published", _XIDS),
        expectation(
            "GPU-017", "gpu", "tests", "in", "memory+diagnostic+pcie+targeted_stress+targeted_power", "", "assumed", _TESTS
        ),
    ]


def _links() -> Rows:
    return [
        expectation("GPU-014", "gpu", "replays", "le", 80, "replays", "published", _REPLAYS),
        expectation("GPU-015", "gpu", "ecc", "eq", "enabled", "", "assumed", _ECC),
        expectation("GPU-015", "gpu", "mig", "eq", "disabled", "", "assumed", _MIG),
        expectation("GPU-020", "domain", "share", "ge", 0.9, "fraction", "assumed", _DARK),
        expectation("GPU-020", "domain", "nodes", "ge", 0.5, "fraction", "assumed", _HALF),
        expectation("GPU-005", "gpu", "share", "ge", 0.99, "fraction", "assumed", _PRINTED),
        expectation("GPU-006", "gpu", "replay", "le", 0, "errors", "published", _ERRORS),
        expectation("GPU-006", "gpu", "recovery", "le", 0, "errors", "published", _ERRORS),
        expectation("GPU-006", "gpu", "crc", "le", 100, "errors", "published", _CRC),
    ]
