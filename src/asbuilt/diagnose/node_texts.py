"""How findings about machines read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_NODES, _LINKS, _PORTS = "nodes", "devices", "ports"
_SETTINGS, _SERVICES, _FUNCTIONS = "settings", "services", "NIC functions"
_BOARD = "put the part back where it was; the asset record says which serial sat where"
_BIOS = "set the old value in the BIOS and reboot; the captured setting says which"
_NOTHING = "nothing is changed"

NODE_TEXTS: dict[str, Text] = {
    "NOD-010": Text(
        "{who}: {found}, where {expected} belong",
        "reseat the module of that socket and swap it with its neighbour: a fault that moves is the module's, one that stays "
        "the socket's; then dmidecode -t memory again",
        _BOARD, "subject", _NODES,
    ),
    "NOD-011": Text(
        "memory of {who} runs at {found}, not {expected}",
        "look for one odd module (dmidecode -t memory: part, rank, size) and for the memory speed in the BIOS",
        _BIOS, "text", _NODES,
    ),
    "NOD-012": Text(
        "{who}: {found}, not {expected}",
        "compare the population with the maker's table; move modules so that channels and processors are alike",
        _BOARD, "text", _NODES,
    ),
    "NOD-013": Text(
        "{who} shows {found}, not {expected}",
        "compare sockets, cores and hyper-threading in the BIOS with a good node's; then lscpu again",
        _BIOS, "text", _NODES,
    ),
    "NOD-014": Text(
        "{who}: {found}, {expected} are planned: affinity made for the plan pins work far from its card",
        "set NUMA nodes per socket (NPS) or SNC in the BIOS, reboot, then numactl -H again",
        _BIOS, "text", _NODES,
    ),
    "NOD-015": Text(
        "{who}: {found}, planned is {expected}",
        "correct the boot loader's configuration, rebuild it, reboot, then read /proc/cmdline again",
        "put the old command line back and reboot; the captured one says which", "text", _SETTINGS,
    ),
    "NOD-016": Text(
        "{who}: {found}, planned is {expected}", "set it through the BMC, reboot, capture the BIOS settings again",
        _BIOS, "text", _SETTINGS,
    ),
    "NOD-020": Text(
        "{who} {verb} on {found}, not on {expected}",
        "reseat card and riser and read LnkSta again; then swap the card with that of another slot: a fault that moves "
        "is the card's, one that stays the slot's",
        _BOARD, "subject", _LINKS,
    ),
    "NOD-021": Text(
        "{who} {verb} at {found}, not at {expected}",
        "read it again under load; then reseat card and riser, and look for a forced PCIe speed in the BIOS",
        _BIOS, "text", _LINKS,
    ),
    "NOD-022": Text(
        "{who}: {found}, where {expected} is needed: the bridge is the bottleneck, not the device",
        "look at slot, riser and the BIOS's speed and bifurcation of that bridge; do not swap the card",
        _BIOS, "text", _LINKS,
    ),
    "NOD-023": Text(
        "access control is on at bridges of {who} ({found}): traffic between GPU and NIC goes up to the root complex",
        "switch ACS off in the BIOS or with setpci, then measure GPU-to-GPU and GPUDirect bandwidth before and after",
        "setpci writes the old ACSCtl back; a reboot does the same", "check", _NODES,
    ),
    "NOD-024": Text(
        "{who}: {found}, planned is {expected}",
        "set it with setpci at boot or in the BIOS, then lspci -vv again",
        "setpci writes the old DevCtl back; a reboot does the same", "text", _NODES,
    ),
    "NOD-025": Text(
        "{who} logged {found}",
        "reseat card and riser, run the load again with a log of its own window; errors that come back name it",
        _BOARD, "subject", _LINKS,
    ),
    "NOD-030": Text(
        "{who}: {found} there, planned are {expected}",
        "look for the card in BIOS and BMC, reseat it and its riser; then lspci -nn again",
        _BOARD, "text", _FUNCTIONS,
    ),
    "NOD-031": Text(
        "{who} {has} {found}, not {expected}: jobs over unequal NIC sets hang at their start",
        "find the odd card or port, swap it or set its link type as on the other nodes",
        _BOARD, "text", _NODES,
    ),
    "NOD-032": Text(
        "{who} {verb} set to {found}, not to {expected}",
        "mlxconfig -d DEVICE set LINK_TYPE_P1=1 (InfiniBand) or 2 (Ethernet), reset the card or reboot, query again",
        "mlxconfig sets the old value again; the captured query says which", "text", _PORTS,
    ),
    "NOD-050": Text(
        "{who}: {found}: CUDA does not start there",
        "read its journal; its version must be the driver's; then systemctl enable --now nvidia-fabricmanager",
        "systemctl disable --now nvidia-fabricmanager", "text", _NODES,
    ),
    "NOD-051": Text(
        "nvidia_peermem is not loaded on {who}: NICs cannot reach GPU memory by it",
        "modprobe nvidia-peermem and read dmesg; then prove the use: GDRDMA in the INFO lines of an NCCL run",
        "modprobe -r nvidia-peermem", "check", _NODES,
    ),
    "NOD-052": Text(
        "{who} {verb} {found}, stated is {expected}", "systemctl enable --now or disable --now the unit; put it into the image",
        "systemctl sets the old state again", "text", _SERVICES,
    ),
    "NOD-053": Text(
        "{who}: {found}, the policy is {expected}", "systemctl disable --now irqbalance, or enable --now nvidia-persistenced",
        "systemctl sets the old state again", "text", _SETTINGS,
    ),
    "NOD-054": Text(
        "{who}: {found}", "systemctl restart openibd or modprobe the module, and see that it is loaded at every boot",
        "modprobe -r the module", "text", _NODES,
    ),
    "NOD-060": Text(
        "{who}: {found}", "look at that sensor's part: air path, fan, supply, coolant; read it again under the same load",
        _NOTHING, "subject", _NODES,
    ),
    "NOD-061": Text(
        "{who}: {found}", "stop its flow, power the tray off, find the place, dry it, test the joint before it is filled",
        "open the valves in the order of the fill procedure, after the pressure test", "subject", _NODES,
    ),
    "NOD-062": Text(
        "{who}: {found}", "read the whole entry (ipmitool sel list), mend its cause, keep the log, then clear it",
        _NOTHING, "subject", _NODES,
    ),
    "NOD-063": Text(
        "{who} {has} {found}, planned are {expected}", "seat the supply, look at its cord, feed and breaker; then swap it",
        _BOARD, "text", _NODES,
    ),
}  # fmt: skip
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
NODE_EXPLAINED: dict[str, tuple[str, ...]] = {
    "NOD-012": ("NOD-010",),
    "NOD-021": ("NOD-020",),
}
