"""Thresholds of GPUs: memory errors, slowdowns, what an idle GPU holds, NVLink errors, the window of logged faults."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
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
_LOAD = "assumed: a query itself may show as a per cent or two"


def gpu_rows(design: Design, catalogue: Catalogue) -> Rows:
    """Expectations of the GPU checks."""
    return [*_memory(), *_clocks()]


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
