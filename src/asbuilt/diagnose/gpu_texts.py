"""How findings about GPUs read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_GPUS, _NODES, _TRAYS = "GPUs", "nodes", "NVLink switch trays"
_NOTHING = "nothing is changed"
_BOARD = "put the GPU back where it was; the asset record says which serial sat where"

GPU_TEXTS: dict[str, Text] = {
    "GPU-001": Text(
        "{who}: {found}",
        "read dmesg for XID 79 and RmInitAdapter; power the node off and on, then reseat the GPU and swap it with another "
        "slot's: a fault that moves is the GPU's, one that stays the slot's",
        _BOARD, "text", _GPUS,
    ),
    "GPU-002": Text(
        "{who} {verb} {found}, planned is {expected}",
        "compare part numbers with the delivery note; have what differs exchanged, or correct the requirement",
        _BOARD, "text", _GPUS,
    ),
    "GPU-003": Text(
        "{who} {verb} at {found}, not at {expected}",
        "compare BIOS version, settings and the cards in the slots with a good node's; lspci again",
        "set the old value in the BIOS and reboot; the captured setting says which", "node", _GPUS,
    ),
    "GPU-004": Text(
        "{who} {has} {found} of memory, not {expected}",
        "compare model and part number with a good one's; reset the GPU and read it again",
        _BOARD, "text", _GPUS,
    ),
    "GPU-018": Text(
        "{who} {verb} not idle: {found}",
        "drain the node and end what nvidia-smi lists under Processes; then capture again before the test",
        _NOTHING, "check", _GPUS,
    ),
    "GPU-005": Text(
        "NVLinks of {who}: {found}, planned are {expected}",
        "look for XID 74 and at the fabric manager's log, reset the GPUs, read nvlink -s again; then swap the GPU: what "
        "moves is the GPU's fault, what stays the baseboard's",
        _BOARD, "text", _GPUS,
    ),
    "GPU-006": Text(
        "NVLinks of {who}: {found}",
        "reset the GPUs, which clears the counters, run the load, read nvlink -e again: errors that come back are real",
        _BOARD, "subject", _GPUS,
    ),
    "GPU-007": Text(
        "{who} {verb} not registered with the NVLink fabric: {found}",
        "systemctl status nvidia-fabricmanager (in an NVL72 rack, on the switch trays), read its log; then reset the GPUs",
        _NOTHING, "text", _GPUS,
    ),
    "GPU-008": Text(
        "{who} {verb} not in the NVLink domain of the rest: {found}, not {expected}",
        "compare the NVLink partitions with the plan, then reset the GPUs of that tray; nvidia-smi -q again",
        "put the old partition back", "text", _GPUS,
    ),
    "GPU-009": Text(
        "the NVLink domain as seen from {who} is not whole: {found}",
        "see that nvidia-imex runs on every node with the same list of nodes and version; restart it on all of them",
        _NOTHING, "text", _NODES,
    ),
    "GPU-020": Text(
        "{who}: {found}",
        "look at the tray that is named, else at the chips of all trays of the rack (nv show ib device, nv show system health, "
        "Redfish): two dark chips are as a rule one tray; reseat it or power it off and on, then replace it; reset GPUs, "
        "read nvlink -s again",
        "put the tray back where it was; the asset record says which serial sat where", "text", _TRAYS,
    ),
    "GPU-021": Text(
        "{who}: {found}",
        "read nv show system health and the log of the tray's BMC; reseat the tray or power it off and on, then replace it",
        "put the tray back where it was; the asset record says which serial sat where", "text", _TRAYS,
    ),
    "GPU-012": Text(
        "{who}: {found}",
        "by the number: memory (48, 63, 64, 94, 95): reset and read the counters; NVLink (74): nvlink -s and -e; bus (79): "
        "power the node off and on, reseat; driver (119, 120): reboot",
        _BOARD, "subject", _GPUS,
    ),
    "GPU-014": Text(
        "PCIe link of {who}: {found}",
        "reseat GPU and riser, run the load, read nvidia-smi -q again; then swap the GPU with another slot's",
        _BOARD, "subject", _GPUS,
    ),
    "GPU-015": Text(
        "{who}: {found}, planned is {expected}",
        "nvidia-smi -e 1 or -mig 0, reset the GPU, read it again",
        "nvidia-smi -e 0 or -mig 1 sets the old mode again, after a reset", "text", _GPUS,
    ),
    "GPU-016": Text(
        "{who}: {found}",
        "read dmesg for NVRM, modprobe nvidia, compare the driver's version with the kernel module's; then reboot",
        _NOTHING, "text", _NODES,
    ),
    "GPU-017": Text(
        "{who}: {found}",
        "look at the same GPU's XIDs and ECC counters, reset it, run that test again alone",
        _BOARD, "text", _GPUS,
    ),
    "GPU-019": Text(
        "{who}: {found}", "mend what the warning names, run that test again", _NOTHING, "text", _GPUS,
    ),
    "GPU-010": Text(
        "{who}: {found}",
        "reset the GPU (nvidia-smi -r) or reboot, run dcgmi diag -r 3 and read the counters again: errors that come back are "
        "the GPU's",
        _BOARD, "subject", _GPUS,
    ),
    "GPU-011": Text(
        "{who}: {found}",
        "pending: reset the GPU or reboot and read it again; failed, or pending once more: replace the GPU",
        _BOARD, "subject", _GPUS,
    ),
    "GPU-013": Text(
        "{who}: {found}",
        "compare inlet temperature, fans and coolant flow with a good node's, for a power brake the supplies; read it again "
        "under the same load",
        _NOTHING, "text", _GPUS,
    ),
}  # fmt: skip
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
GPU_EXPLAINED: dict[str, tuple[str, ...]] = {
    "GPU-007": ("NOD-050",),
    "GPU-008": ("GPU-007", "NOD-050"),
    "GPU-016": ("NOD-004",),
    "GPU-020": ("GPU-021",),
}
