"""Which lines of a full report of GPUs (``nvidia-smi -q``, text and XML) say what: path of labels -> column.

A path is the labels from the GPU down, joined by ``/``. Names differ by driver (throttle reasons became event reasons with
535, power readings GPU power readings with 535, SRAM counts were split in parity and SEC-DED with 545); all are here.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping

from asbuilt.parsers.gpu_words import count, flag, number, serial, told, uuid
from asbuilt.parsers.told_rows import pci_address

Reader = Callable[[str | None], Any]


def _generation(text: str | None) -> int | None:
    return count(text)


def _width(text: str | None) -> int | None:
    return count((text or "").strip().removesuffix("x"))


def _cluster(text: str | None) -> str | None:
    """NVLink cluster UUID in lower case; ``0`` where all its digits are zero."""
    word = told(text)
    if word is None:
        return None
    return word.lower() if word.strip("0-") else "0"


def _clique(text: str | None) -> int | None:
    value = count(text)
    return value if value is not None and 0 <= value < 1 << 32 else None


#: Column -> (reader, paths in the text, paths in the XML). The first path that tells something is taken.
_FIELDS: dict[str, tuple[Reader, tuple[str, ...], tuple[str, ...]]] = {
    "uuid": (uuid, ("GPU UUID",), ("uuid",)),
    "serial": (serial, ("Serial Number",), ("serial",)),
    "name": (told, ("Product Name",), ("product_name",)),
    "vbios": (told, ("VBIOS Version",), ("vbios_version",)),
    "memory_mib": (number, ("FB Memory Usage/Total",), ("fb_memory_usage/total",)),
    "memory_used_mib": (number, ("FB Memory Usage/Used",), ("fb_memory_usage/used",)),
    "gen_now": (
        _generation,
        ("PCI/GPU Link Info/PCIe Generation/Current",),
        ("pci/pci_gpu_link_info/pcie_gen/current_link_gen",),
    ),
    "gen_max": (_generation, ("PCI/GPU Link Info/PCIe Generation/Max",), ("pci/pci_gpu_link_info/pcie_gen/max_link_gen",)),
    "width_now": (
        _width,
        ("PCI/GPU Link Info/Link Width/Current",),
        ("pci/pci_gpu_link_info/link_widths/current_link_width",),
    ),
    "width_max": (_width, ("PCI/GPU Link Info/Link Width/Max",), ("pci/pci_gpu_link_info/link_widths/max_link_width",)),
    "replays": (number, ("PCI/Replays Since Reset", "PCI/Replays since reset"), ("pci/replay_counter",)),
    "performance_state": (told, ("Performance State",), ("performance_state",)),
    "utilisation_percent": (number, ("Utilization/Gpu", "Utilization/GPU"), ("utilization/gpu_util",)),
    "persistence": (flag, ("Persistence Mode",), ("persistence_mode",)),
    "mig": (flag, ("MIG Mode/Current",), ("mig_mode/current_mig",)),
    "ecc": (flag, ("ECC Mode/Current", "Ecc Mode/Current"), ("ecc_mode/current_ecc",)),
    "remapped_corrected": (number, ("Remapped Rows/Correctable Error",), ("remapped_rows/remapped_row_corr",)),
    "remapped_uncorrected": (number, ("Remapped Rows/Uncorrectable Error",), ("remapped_rows/remapped_row_unc",)),
    "remap_pending": (flag, ("Remapped Rows/Pending",), ("remapped_rows/remapped_row_pending",)),
    "remap_failed": (flag, ("Remapped Rows/Remapping Failure Occurred",), ("remapped_rows/remapped_row_failure",)),
    "temperature_c": (number, ("Temperature/GPU Current Temp",), ("temperature/gpu_temp",)),
    "memory_temperature_c": (number, ("Temperature/Memory Current Temp",), ("temperature/memory_temp",)),
    "margin_c": (number, ("Temperature/GPU T.Limit Temp",), ("temperature/gpu_temp_tlimit",)),
    "power_w": (
        number,
        (
            "GPU Power Readings/Power Draw", "GPU Power Readings/Instantaneous Power Draw",
            "GPU Power Readings/Average Power Draw", "Power Readings/Power Draw",
        ),
        (
            "gpu_power_readings/power_draw", "gpu_power_readings/instant_power_draw",
            "gpu_power_readings/average_power_draw", "power_readings/power_draw",
        ),
    ),
    "power_limit_w": (
        number,
        (
            "GPU Power Readings/Current Power Limit", "GPU Power Readings/Power Limit",
            "Power Readings/Enforced Power Limit", "Power Readings/Power Limit",
        ),
        (
            "gpu_power_readings/current_power_limit", "gpu_power_readings/power_limit",
            "power_readings/enforced_power_limit", "power_readings/power_limit",
        ),
    ),
    "sm_mhz": (number, ("Clocks/SM",), ("clocks/sm_clock",)),
    "sm_max_mhz": (number, ("Max Clocks/SM",), ("max_clocks/sm_clock",)),
    "fabric_state": (told, ("Fabric/State",), ("fabric/state",)),
    "fabric_status": (told, ("Fabric/Status",), ("fabric/status",)),
    "cluster_uuid": (_cluster, ("Fabric/ClusterUUID",), ("fabric/clusterUuid", "fabric/cluster_uuid")),
    "clique_id": (_clique, ("Fabric/CliqueId",), ("fabric/cliqueId", "fabric/clique_id")),
    "module_id": (
        count,
        ("Platform Info/Module Id", "Module ID", "GPU Module ID"),
        ("platformInfo/module_id", "platform_info/module_id", "gpu_module_id"),
    ),
}  # fmt: skip
#: Counts that are sums: column -> (paths in the text, paths in the XML); what is not told adds nothing.
_SUMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "retired_pages": (
        ("Retired Pages/Single Bit ECC", "Retired Pages/Double Bit ECC"),
        (
            "retired_pages/multiple_single_bit_retirement/retired_count", "retired_pages/double_bit_retirement/retired_count",
        ),
    ),
}  # fmt: skip
_BITS = {"corrected": "Single Bit", "uncorrected": "Double Bit"}
for _life, _label in (("volatile", "Volatile"), ("aggregate", "Aggregate")):
    for _sort, _word in (("corrected", "Correctable"), ("uncorrected", "Uncorrectable")):
        _tags = {
            "corrected": ("correctable",),
            "uncorrected": ("uncorrectable", "uncorrectable_parity", "uncorrectable_secded"),
        }
        _ends = ("",) if _sort == "corrected" else ("", " Parity", " SEC-DED")
        _sram = tuple(f"ECC Errors/{_label}/SRAM {_word}{end}" for end in _ends)
        _tag = tuple(f"ecc_errors/{_life}/sram_{tag}" for tag in _tags[_sort])
        _SUMS[f"{_sort}_{_life}"] = (
            (*_sram, f"ECC Errors/{_label}/DRAM {_word}", f"ECC Errors/{_label}/{_BITS[_sort]}/Total"),
            (
                *_tag,
                f"ecc_errors/{_life}/dram_{_tags[_sort][0]}",
                f"ecc_errors/{_life}/{_BITS[_sort].lower().replace(' ', '_')}/total",
            ),
        )
        if (_sort, _life) == ("uncorrected", "aggregate"):
            _SUMS["sram_uncorrected_aggregate"] = (_sram, _tag)

#: Reasons for a slower clock: word of the table -> (label in the text, end of the tag in the XML).
REASONS: dict[str, tuple[str, str]] = {
    "hw_thermal": ("HW Slowdown/HW Thermal Slowdown", "hw_thermal_slowdown"),
    "hw_power_brake": ("HW Slowdown/HW Power Brake Slowdown", "hw_power_brake_slowdown"),
    "hw": ("HW Slowdown", "hw_slowdown"),
    "sw_thermal": ("SW Thermal Slowdown", "sw_thermal_slowdown"),
    "sw_power": ("SW Power Cap", "sw_power_cap"),
    "sync": ("Sync Boost", "sync_boost"),
    "app_clocks": ("Applications Clocks Setting", "applications_clocks_setting"),
    "display": ("Display Clock Setting", "display_clocks_setting"),
    "idle": ("Idle", "gpu_idle"),
}
_SECTIONS = ("Clocks Event Reasons", "Clocks Throttle Reasons")
_TAGS = ("clocks_event_reasons/clocks_event_reason", "clocks_throttle_reasons/clocks_throttle_reason")


def _reason_paths(xml: bool) -> dict[str, str]:
    if xml:
        return {f"{tag}_{end}": word for word, (_, end) in REASONS.items() for tag in _TAGS}
    return {f"{section}/{label}": word for word, (label, _) in REASONS.items() for section in _SECTIONS}


class Paths:
    """The paths of one of the two forms, and the row that values by path make."""

    def __init__(self, xml: bool) -> None:
        self._fields = [(column, read, tags if xml else labels) for column, (read, labels, tags) in _FIELDS.items()]
        self._sums = [(column, tags if xml else labels) for column, (labels, tags) in _SUMS.items()]
        self._reasons = _reason_paths(xml)
        self.known = frozenset(
            [p for _, _, paths in self._fields for p in paths]
            + [p for _, paths in self._sums for p in paths]
            + [*self._reasons]
        )

    def row(self, values: Mapping[str, str], place: str) -> dict[str, Any]:
        """Columns of ``gpu_facts`` for a GPU at ``place`` (its address as printed)."""
        row: dict[str, Any] = {"address": pci_address(place)}
        for column, read, paths in self._fields:
            for path in paths:
                if path in values and (value := read(values[path])) is not None:
                    row[column] = value
                    break
        for column, paths in self._sums:
            parts = [v for p in paths if p in values and (v := number(values[p])) is not None]
            if parts:
                row[column] = sum(parts)
        row["slowdown"] = self._slowdown(values)
        return row

    def _slowdown(self, values: Mapping[str, str]) -> str | None:
        heard = {word: flag(values[path]) for path, word in self._reasons.items() if path in values}
        if not any(state is not None for state in heard.values()):
            return None
        return "+".join(word for word in REASONS if heard.get(word)) or "none"


TEXT, XML = Paths(xml=False), Paths(xml=True)
