"""How findings about the topology of a machine read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_NOTHING = "nothing is changed"
_GPUS = "GPUs"
_CARDS = "cards"

AFFINITY_TEXTS: dict[str, Text] = {
    "NOD-040": Text(
        "{who} {verb} on another socket than the GPU of the rail: {found}",
        "read numa_node of both again; move the card to the GPU's socket, or, where every node is built so, correct the plan; "
        "`asbuilt affinity` then pins by what is measured",
        "put the card back into its slot",
        several=_CARDS,
    ),
    "NOD-041": Text(
        "the driver and the firmware do not agree about {who}: {found}, but {expected}",
        "read nvidia-smi topo -m and lspci -tv on the bare machine, outside containers and VMs; update the firmware where it "
        "tells no NUMA nodes; until then pin by sysfs",
        _NOTHING,
        several=_GPUS,
    ),
    "NOD-042": Text(
        "interrupts of {who} leave the card's NUMA node: {found}",
        "`asbuilt affinity CAPTURES` writes apply.sh and revert.sh from the measured topology; stop irqbalance or give it the "
        "same list; then capture again",
        "run revert.sh: it puts back byte by byte what apply.sh found",
        by="check",
        several=_CARDS,
    ),
    "NOD-043": Text(
        "{who} {verb} on {found}, planned is {expected}",
        "compare the slot with the board's drawing; where one node differs move the card, where all do correct the plan",
        "put the card back into its slot",
        several=_CARDS,
    ),
    "NOD-044": Text(
        "the driver calls other processors near to {who} than its NUMA node has: {found}, not {expected}",
        "pin ranks by the measured NUMA node (`asbuilt affinity`); update firmware and driver, then capture again",
        _NOTHING,
        several=_GPUS,
    ),
}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
AFFINITY_EXPLAINED: dict[str, tuple[str, ...]] = {"NOD-040": ("NOD-043",)}
