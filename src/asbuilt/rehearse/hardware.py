"""The planned hardware as ibsim loads it: the twin's dump with the plan's GUIDs, and what changes between two builds.

ibsim gives a NIC port the GUID node GUID + port number. Where the plan knows the port GUID (declared), the node GUID is set
so that the port answers with the planned one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.discovery import discovery_text
from asbuilt.rehearse.simulator import LONGEST_LINE
from asbuilt.rehearse.twin import subnet_facts

if TYPE_CHECKING:
    import polars as pl

#: (node id in ibsim, port): one end of a cable.
End = tuple[str, int]
_GUID = re.compile(rb'(?<=[SHR]-)[0-9a-f]{16}(?=")|(?<=guid=0x)[0-9a-f]{1,16}')
_AGGREGATION = np.uint64(8)  # the twin's aggregation node answers with its switch's GUID + 8


@dataclass(frozen=True, slots=True)
class Hardware:
    """One subnet as it is loaded: the dump, and every cable by its two ends (node ids as ibsim knows them)."""

    dump: bytes
    cables: frozenset[tuple[End, End]]


def hardware(plan: Plan, built: Built, subnet: str) -> Hardware:
    """``built`` as a dump of one subnet, every port with the GUID that table `lids` gives it.

    No port has a LID: that a port answers at the planned one is then the subnet manager's doing.
    """
    devices, links = (frame.with_columns(lid=0) for frame in subnet_facts(plan, built, subnet))
    changed = _renamed(plan, subnet)
    text = discovery_text(devices, links)
    if changed:
        text = _GUID.sub(lambda m: changed.get(m.group().zfill(16), m.group()), text)
    names = {k.decode(): v.decode() for k, v in changed.items()}
    own, far = (
        [f"{'S' if kind == 'switch' else 'H'}-{names.get(guid, guid)}" for kind, guid in _kinds(devices, links, column)]
        for column in ("guid", "peer_guid")
    )
    ends = zip(zip(own, links["port"], strict=True), zip(far, links["peer_port"], strict=True), strict=True)
    return Hardware(text, frozenset((min(a, b), max(a, b)) for a, b in ends))


def _kinds(devices: pl.DataFrame, links: pl.DataFrame, column: str) -> list[tuple[Any, ...]]:
    """(kind, GUID) of one side of every link."""
    kinds = devices.select("guid", "kind").rename({"guid": column})
    joined = links.select(column).join(kinds, on=column, how="left", maintain_order="left")
    return joined.select("kind", column).rows()


def _renamed(plan: Plan, subnet: str) -> dict[bytes, bytes]:
    """GUIDs of the twin that the plan does not have, each with the node GUID that stands for it in ibsim."""
    import polars as pl

    rows = plan.table("lids").filter(pl.col("subnet") == subnet)
    base = rows["port"].str.strip_suffix("+agg")
    made = guids(base) + np.where(rows["port"].str.ends_with("+agg").to_numpy(), _AGGREGATION, np.uint64(0))
    number = np.where(rows["nic"].is_null().to_numpy() & ~rows["port"].str.ends_with("+agg").to_numpy(), 0, rows["number"])
    changed: dict[bytes, bytes] = {}
    for one, node, port, offset in zip(made.tolist(), rows["node_guid"], rows["port_guid"], number.tolist(), strict=True):
        wanted = f"{int(port, 16) - offset:016x}"
        for seen in (f"{one:016x}", node):
            if seen != wanted:
                changed[seen.encode()] = wanted.encode()
    return changed


def node_id(plan: Plan, subnet: str, port: str) -> str:
    """The node id in ibsim of an end port of table `lids`. Raises ``KeyError`` for one that is not there."""
    import polars as pl

    rows = plan.table("lids").filter((pl.col("subnet") == subnet) & (pl.col("port") == port))
    if not rows.height:
        raise KeyError(port)
    row = rows.row(0, named=True)
    switch = row["nic"] is None and row["number"] == 0
    value = int(row["port_guid"], 16) - (0 if switch else int(row["number"]))
    return f"{'S' if switch else 'H'}-{value:016x}"


def rewiring(before: Hardware, after: Hardware, loaded: Hardware) -> list[str]:
    """The console lines that turn one build into another: every cable that goes out, then every cable that comes in.

    Raises `ProblemError` CLI-027 when a device of ``after`` is not in ``loaded``: ibsim adds none at run time.
    """
    known = {end[0] for cable in loaded.cables for end in cable}
    strange = sorted({end[0] for cable in after.cables for end in cable} - known)
    if strange:
        what = f"ibsim adds no device at run time, and {strange[0]} was not loaded"
        raise ProblemError(Problem("CLI-027", what, fix="load the larger fabric and unlink what comes later"))
    out = [unlink(a) for a, _ in sorted(before.cables - after.cables)]
    return out + [link(a, b) for a, b in sorted(after.cables - before.cables)]


def unlink(end: End) -> str:
    """The console line that pulls the cable out of a port."""
    return _fits(f'Unlink "{end[0]}"[{end[1]}]')


def link(one: End, two: End) -> str:
    """The console line that plugs a cable into two free ports."""
    return _fits(f'Link "{one[0]}"[{one[1]}] "{two[0]}"[{two[1]}]')


def _fits(line: str) -> str:
    assert len(line) < LONGEST_LINE, line
    return line
