"""XIDs of the NVIDIA driver: what each means and how much weight it has for the machine.

Sources: NVIDIA "XID errors" (r570 and later) and its XID catalogue, recalled. ``application``: the program that
ran is the likely cause, so that by itself it is no fault of the machine. Every other one is, and so is one that nobody lists.
"""

from __future__ import annotations

#: code -> (meaning, weight: fault or application).
XIDS: dict[str, tuple[str, str]] = {
    "13": ("graphics engine exception", "application"),
    "31": ("memory page fault", "application"),
    "32": ("invalid or corrupted push buffer stream", "fault"),
    "38": ("driver firmware error", "fault"),
    "43": ("GPU stopped processing of a program", "application"),
    "45": ("preemptive cleanup after an earlier error", "application"),
    "46": ("GPU stopped processing", "fault"),
    "48": ("double-bit ECC error", "fault"),
    "61": ("internal micro-controller breakpoint", "fault"),
    "62": ("internal micro-controller halt", "fault"),
    "63": ("row remapped or page retired", "fault"),
    "64": ("row remapping or page retirement failed", "fault"),
    "68": ("video processor exception", "application"),
    "69": ("graphics engine class error", "application"),
    "74": ("NVLink error", "fault"),
    "79": ("GPU has fallen off the bus", "fault"),
    "92": ("high rate of single-bit ECC errors", "fault"),
    "94": ("contained memory error", "fault"),
    "95": ("uncontained memory error", "fault"),
    "109": ("context switch timeout", "fault"),
    "110": ("security fault", "fault"),
    "119": ("GSP does not answer", "fault"),
    "120": ("GSP error", "fault"),
    "121": ("corrected error of the link between processor and GPU", "fault"),
    "136": ("link training failed", "fault"),
    "137": ("NVLink flow control or privilege error", "application"),
    "140": ("unrecovered ECC error", "fault"),
    "143": ("GPU failed to initialise", "fault"),
    "144": ("NVLink: SAW error", "fault"),
    "145": ("NVLink: RLW error", "fault"),
    "146": ("NVLink: TLW error", "fault"),
    "147": ("NVLink: TREX error", "fault"),
    "148": ("NVLink: NVLPW_CTRL error", "fault"),
    "149": ("NVLink: NETIR error", "fault"),
    "150": ("NVLink: MSE error", "fault"),
    "154": ("GPU must be reset or the node rebooted", "fault"),
}
