"""Causes and ways out of findings on cooling that no template can word: each takes the words of a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asbuilt.model.verdict import Verdict


def either(failed: str, unknown: str) -> Callable[[dict[str, Any]], str]:
    """One template where the check failed, another where what it needs is not known."""

    def words(c: dict[str, Any]) -> str:
        return (unknown if c["verdict"] == Verdict.NOT_MEASURED.value else failed).format_map(c)

    return words


def header_cause(c: dict[str, Any]) -> str:
    """Which header, from how many racks on, how fast and where."""
    where = f"{c['fastest']} m/s in {c['segment']}, allowed are {c['allowed']} m/s"
    if "true" in c["already"]:
        return f"the {c['header']} header is too small for the {c['most']} racks of now on a loop: {where}"
    most = f", {c['carries']} at most," if c["carries"].isdigit() else ""
    return (
        f"the {c['header']} header carries the {c['most']} racks of now ({c['fastest_now']} m/s){most} and not the "
        f"{c['racks_full']} of the finished row: {where}"
    )


def smallest_way(c: dict[str, Any]) -> str:
    """The smallest change with which the row passes, as tried; without a design the size that is wide enough."""
    if c.get("remedy_1"):
        return f"the smallest change that passes: {c['remedy_1']}"
    if not c.get("size") or "," in c["size"]:
        return ""
    return f"the smallest header that is wide enough, before the first rack is connected: `cooling.header: {c['size']}`"


def second_way(c: dict[str, Any]) -> str:
    """The next larger change."""
    return str(c.get("remedy_2", ""))


def third_way(c: dict[str, Any]) -> str:
    """The one after that."""
    return str(c.get("remedy_3", ""))


def fewer_way(c: dict[str, Any]) -> str:
    """How many racks the planned header carries."""
    if not c["carries"].isdigit() or c["carries"] == "0":
        return ""
    return f"at most {c['carries']} racks on a loop with this header: `cooling.racks_per_loop: {c['carries']}`"


def curve_cause(c: dict[str, Any]) -> str:
    """Below, above or without a published curve."""
    who = c["cdu"] or "the CDU"
    if "above the" in c["found"]:
        return f"{who} is asked for more flow than was published: {c['found']} of {c['expected']}"
    if "below the" in c["found"]:
        return f"{who} is not proven at so little flow: {c['found']} of {c['expected']}"
    return f"{who} is not proven at any flow: {c['found']}"


def even_way(c: dict[str, Any]) -> str:
    """Where racks near the CDU take more than their design flow, as behind a header that is too small."""
    if "above the" not in c["found"] or not c["design_l_min"]:
        return ""
    return f"a wider header or balancing valves: the racks together are designed for {c['design_l_min']} L/min"


def pump_cause(c: dict[str, Any]) -> str:
    """What is left with one pump out: too little head, or a flow that nobody published for it."""
    if "more than was published" in c["found"]:
        return f"with one pump out {c['cdu']} is asked for more flow than was published for the pumps left: {c['found']}"
    return f"{c['cdu']} has too little head with one pump out: {c['found']}"


def low_cause(c: dict[str, Any]) -> str:
    """How many headers hang too low."""
    if c["verdict"] == Verdict.NOT_MEASURED.value:
        return f"whether the hoses can bend below the header is not known: {c['found']}, and nobody stated their bend radius"
    which = f"above {c['rack']}" if c["count"] == "1" else f"above {c['count']} racks ({c['rack']})"
    return f"the header {which} hangs {c['short']} mm too low: {c['found']}, needed is {c['expected']}"
