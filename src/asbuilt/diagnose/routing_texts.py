"""How findings about forwarding tables read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_SWITCHES = "switches"
_AGAIN = "then capture the tables of all switches again"
_FILES = "put the old files back and restart the manager"

ROUTING_TEXTS: dict[str, Text] = {
    "FAB-040": Text(
        "{who} {has} holes in the forwarding table ({found}, where the plan has {expected}): packets to these LIDs are dropped",
        "look in the manager's log for errors and timeouts at this switch, let it sweep anew (kill -HUP of its process), "
        f"{_AGAIN}",
        "nothing is moved",
        by="text",
        several=_SWITCHES,
    ),
    "FAB-041": Text(
        "{who} {has} another forwarding table than the planned manager programs on these cables ({expected}; {found}): another "
        "engine routes, root or compute node files are not read, or old rows stayed",
        "read in the manager's log which routing engine ran (a fall-back says so), compare its root_guids, cn_guids and "
        f"io_guids with the exported ones, restart it with these, {_AGAIN}",
        _FILES,
        by="check",
        several=_SWITCHES,
    ),
    "FAB-042": Text(
        "packets that start at {who} do not arrive ({found}, where the plan has {expected}): tables of different states of the "
        "fabric stand beside each other, or someone wrote one by hand",
        f"let the manager route everything anew (a heavy sweep: kill -HUP of its process), {_AGAIN}",
        "nothing is moved",
        by="check",
        several=_SWITCHES,
    ),
    "FAB-043": Text(
        "links can wait for each other for good ({found}): traffic turns from down to up again on a lane that others share",
        "see which engine routes and with which max_reverse_hops; give it the planned root GUIDs, keep traffic that turns on a "
        f"lane of its own, {_AGAIN}",
        _FILES,
        by="subject",
        several="subnets",
    ),
    "FAB-044": Text(
        "{who} {verb} uneven: the fullest switch above has {found} the mean of routes, planned is {expected}",
        "see which engine routes and whether it reads the compute node file; look for uplinks that are down; route anew, "
        f"{_AGAIN}",
        _FILES,
        by="text",
        several=_SWITCHES,
    ),
    "FAB-045": Text(
        "{who} {verb} sending traffic of its own hosts up ({found}, where the plan has {expected})",
        "see with a discovery where these hosts hang; a host that was moved keeps its old row until the manager sweeps: "
        f"kill -HUP of its process, {_AGAIN}",
        "nothing is moved",
        by="subject",
        several=_SWITCHES,
    ),
}
