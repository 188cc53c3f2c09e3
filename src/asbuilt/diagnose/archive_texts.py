"""How findings about archives of nodes read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_NOTHING = "nothing is changed"
_NODES = "nodes"

ARCHIVE_TEXTS: dict[str, Text] = {
    "NOD-001": Text("{who} gave no archive", "`asbuilt collect` again: it asks only those", _NOTHING, several=_NODES),
    "NOD-002": Text(
        "{who} answered as {found}",
        "ask each alone: ssh NODE cat /proc/sys/kernel/random/boot_id; mend ControlPath, names or addresses, or make new "
        "machine ids where only these are equal; then asbuilt collect --again",
        _NOTHING,
        several=_NODES,
    ),
    "NOD-003": Text(
        "{who} answered with {found}, planned is {expected}",
        "read the label of the machine in that place; exchange the machines, or correct machines.csv or guids.csv, and "
        "plan anew",
        "put the machines, or the file, back",
        by="subject",
        several=_NODES,
    ),
    "NOD-004": Text(
        "on {who} {found}",
        "read dmesg of the node for XID, mlx5 and hung-task lines; drain it, reset or reboot it, then asbuilt collect --again",
        "return the node to its jobs",
        several=_NODES,
    ),
}
#: A machine that answers for another cannot be the one that is planned there: it is told once.
ARCHIVE_EXPLAINED: dict[str, tuple[str, ...]] = {"NOD-003": ("NOD-002",)}
