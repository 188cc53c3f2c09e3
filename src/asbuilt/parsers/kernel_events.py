"""Which lines of a kernel's log say that something happened to the machine, and what: patterns, codes and weights.

Sources: NVIDIA "Xid errors" and the Fabric Manager guide (SXid); kernel.org Documentation/PCI/pcieaer-howto.rst, pci-error
reporting of drivers/pci/pcie/aer.c; drivers/net/ethernet/mellanox/mlx5/core (health, events); mm/oom_kill.c;
kernel/hung_task.c; arch/x86/kernel/cpu/mce; drivers/edac.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asbuilt.parsers.told_rows import pci_address

_PCI = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?"
_DRIVER = rf"(?P<driver>[\w-]{{1,40}}) (?P<at>{_PCI}):?"


@dataclass(frozen=True, slots=True)
class Event:
    """What a line says: the columns of ``event_facts`` that its text gives."""

    source: str
    code: str | None = None
    device: str | None = None
    severity: str | None = None


#: Characters of a line that count: the kernel itself breaks lines before that (kernel/printk: 1024 with its prefix).
_LONGEST = 1024
#: A line without any of these words says nothing of what follows; most lines of a boot end here.
_WORTH = re.compile(
    r"xid|nvrm|nvlink|pcie|aer\b|pciehp|dpc|hardware error|machine check|edac|memory failure|out of memory|blocked for more"
    r"|lockup|stall|temperature|mlx5|inaccessible|not ready|retrain",
    re.I,
)
_XID = re.compile(rf"NVRM: Xid \((?:PCI:)?(?P<at>{_PCI})[^)]*\): (?P<code>\d{{1,4}})\b")
_SXID = re.compile(rf"SXid \((?:PCI:)?(?P<at>{_PCI})\): (?P<code>\d{{4,6}}), (?P<rest>.*)$")
_NVRM_AT = re.compile(rf"(?:GPU|PCI:) ?(?P<at>{_PCI})", re.I)
_NVRM = (
    (re.compile(r"NVRM:.*RmInitAdapter failed|NVRM:.*rm_init_adapter failed", re.I), "init_failed"),
    (re.compile(r"NVRM:.*fallen off the bus", re.I), "fallen_off_bus"),
    (re.compile(r"NVRM:.*API mismatch", re.I), "api_mismatch"),
    (re.compile(r"NVRM:.*This PCI I/O region assigned to your NVIDIA device is invalid", re.I), "bar_invalid"),
)
_NVLINK = re.compile(r"\bk?nvlink\b.*\b(?:error|fail(?:ed|ure)?|fatal|down|timed? ?out)", re.I)
_BUS_ERROR = re.compile(
    rf"(?:{_DRIVER}.*?)?PCIe Bus Error: severity=(?P<severity>[\w-]+(?: \([\w-]+\))?), type=(?P<type>[\w ]+)"
)
_AER_LOST = re.compile(r"AER: (?:.*can't find device of ID|.*(?:device )?recovery failed|.*reset failed)", re.I)
_LIMITED = re.compile(rf"{_DRIVER}.*available PCIe bandwidth, limited by")
_PCIE = (
    (re.compile(r"DPC: (?:containment event|.*unmasked uncorrectable error)", re.I), "dpc", "uncorrected"),
    (re.compile(r"pciehp:? .*(?:Link Down|Card not present|Card removed)", re.I), "hotplug", "warning"),
    (re.compile(r"device inaccessible", re.I), "inaccessible", "uncorrected"),
    (re.compile(r"not ready \d+ms after .*; giving up", re.I), "not_ready", "uncorrected"),
    (re.compile(r"(?:retraining failed|link retrain(?:ing)? .*fail)", re.I), "retrain_failed", "warning"),
)
_MLX5 = re.compile(rf"(?:^|\s)(?:mlx5_core (?P<at>{_PCI})|(?:infiniband )?(?P<rdma>mlx5_\d{{1,3}}))\b")
_MLX5_CODES = (
    (re.compile(r"high temperature", re.I), "temperature", "warning"),
    (re.compile(r"insufficient power", re.I), "power", "warning"),
    (re.compile(r"fatal", re.I), "fatal", "fatal"),
    (re.compile(r"health (?:issue|compromised)|miss(?:ed|ing)? .*counter|assert_var", re.I), "health",
     "uncorrected"),
    (re.compile(r"port module event\[error\]|cable error", re.I), "cable", "warning"),
    (re.compile(r"cable unplugged", re.I), "unplugged", "info"),
    (re.compile(r"link down", re.I), "link_down", "info"),
    (re.compile(r"time(?:d )?out|no done completion|leaked cmd", re.I), "timeout", "warning"),
    (re.compile(r"cmd.*fail|bad (?:status|param|resource|system|sys)\b|syndrome ?\(?0x(?!0\b)", re.I), "command", "warning"),
    (re.compile(r"\berror\b|\bfail(?:ed|ure)?\b", re.I), "error", "warning"),
)  # fmt: skip
#: What drivers say of a device that works: names of settings hold words of errors.
_QUIET = re.compile(r"error status/mask|error recovery|no error|error(?:s)? 0\b|fail(?:ed)? 0\b|failsafe|failover", re.I)
_BANK = re.compile(r"Machine Check(?: Exception)?: .*?Bank (\d{1,3})", re.I)
_GHES = re.compile(r"\[Hardware Error\]: *event severity: *(\w+)", re.I)
_GHES_PCIE = re.compile(r"\[Hardware Error\]:.*section_type: *PCIe error", re.I)
_EDAC = re.compile(r"EDAC (?:\w+ )?MC(\d{1,3}): \d+ (CE|UE)\b")
_OOM = re.compile(r"(?P<group>Memory cgroup )?[Oo]ut of memory: Kill(?:ed)? process \d+ \((?P<name>[^)]{1,64})\)")
_HUNG = re.compile(r"INFO: task (?P<name>\S{1,64}?):\d+ blocked for more than")
_LOCKUP = re.compile(r"(soft|hard) lockup", re.I)
_STALL = re.compile(r"rcu.*(?:self-detected stall|detected stalls?)", re.I)
_HOT = re.compile(
    r"(?:Core|Package|CPU\d*:?.*) temperature (?:is )?above threshold|critical temperature reached|(?:over|under) ?temperature"
    r"|temperature.*shutting down",
    re.I,
)
_WEIGHT = {"corrected": "corrected", "correctable": "corrected", "fatal": "fatal", "recoverable": "uncorrected", "info": "info"}


def event(text: str) -> Event | None:
    """What ``text`` (a line without its time) says, None for a line that says nothing of the kind."""
    text = text[:_LONGEST]
    if not _WORTH.search(text):
        return None
    return _gpu(text) or _memory(text) or _pcie(text) or _card(text) or _kernel(text)


def _gpu(text: str) -> Event | None:
    if found := _XID.search(text):
        return Event("xid", found["code"], pci_address(found["at"]))
    if found := _SXID.search(text):
        rest = found["rest"].lower()
        if rest.startswith(("severity ", "data ")):
            return None  # details of the line before
        return Event("sxid", found["code"], pci_address(found["at"]), "fatal" if rest.startswith("fatal") else "warning")
    for pattern, code in _NVRM:
        if pattern.search(text):
            at = _NVRM_AT.search(text)
            return Event("nvrm", code, pci_address(at["at"]) if at else None, "fatal")
    return Event("nvlink", "error", _place(text)) if _NVLINK.search(text) else None


def _pcie(text: str) -> Event | None:
    if found := _BUS_ERROR.search(text):
        words = found["severity"].lower()
        weight = "corrected" if words.startswith("correct") else "uncorrected" if "non-fatal" in words else "fatal"
        return Event("aer", found["type"].strip(), pci_address(found["at"] or "") or _place(text), weight)
    if _AER_LOST.search(text):
        return Event("aer", "unrecovered", _place(text), "uncorrected")
    if _GHES_PCIE.search(text):
        return Event("aer", "firmware_first")
    if found := _LIMITED.search(text):
        return Event("pcie", "bandwidth", pci_address(found["at"]), "warning")
    for pattern, code, weight in _PCIE:
        if pattern.search(text):
            return Event("pcie", code, _place(text), weight)
    return None


def _card(text: str) -> Event | None:
    """Errors that the driver of a network card reports."""
    found = _MLX5.search(text)
    if found is None:
        return None
    rest = text[found.end() :]
    if _QUIET.search(rest):
        return None
    device = pci_address(found["at"]) if found["at"] else found["rdma"]
    for pattern, code, weight in _MLX5_CODES:
        if pattern.search(rest):
            return Event("thermal" if code == "temperature" else "mlx5", code, device, weight)
    return None


def _memory(text: str) -> Event | None:
    """Machine checks, memory errors, and a kernel that ran out of memory."""
    if found := _BANK.search(text):
        return Event("mce", f"bank{found[1]}")
    if found := _GHES.search(text):
        return Event("mce", "firmware_first", None, _WEIGHT.get(found[1].lower()))
    if "Machine check events logged" in text:
        return Event("mce", "logged")
    if found := _EDAC.search(text):
        return Event("mce", found[2].lower(), f"MC{found[1]}", "corrected" if found[2] == "CE" else "uncorrected")
    if "Memory failure: 0x" in text and "recovery action" in text:
        return Event("mce", "memory_failure", None, "uncorrected")
    if found := _OOM.search(text):
        return Event("oom", found["name"], "cgroup" if found["group"] else None, "warning")
    return None


def _kernel(text: str) -> Event | None:
    if found := _HUNG.search(text):
        return Event("hung", found["name"], None, "warning")
    if found := _LOCKUP.search(text):
        return Event("hung", f"{found[1].lower()}_lockup", None, "warning") if "stuck" in text or "detected" in text else None
    if _STALL.search(text):
        return Event("hung", "rcu_stall", None, "warning")
    if _HOT.search(text):
        return Event("thermal", "temperature", _place(text), "warning")
    return None


_AT = re.compile(r"\b((?:[0-9a-fA-F]{4,8}:)[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\b")


def _place(text: str) -> str | None:
    """The first PCI address in the line."""
    found = _AT.search(text)
    return pci_address(found[1]) if found else None
