"""A cold-spare leaf on the real OpenSM: another switch, another GUID, in the place of a dead one by generated edits.

The edits are the difference between the files made from the plan and those made from the plan with the spare's GUID; the
dead leaf's LID, and with it every path that others know, stays.
"""

from __future__ import annotations

import difflib
import time
from dataclasses import dataclass, replace

from asbuilt.artefacts.guid2lid import TRACE
from asbuilt.artefacts.opensm import opensm_files
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids, hex16
from asbuilt.rehearse import readback
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.equality import equality
from asbuilt.rehearse.hardware import Hardware, hardware
from asbuilt.rehearse.opensm import Session, Tell, quiet
from asbuilt.rehearse.predicted import planned_routes
from asbuilt.rehearse.proof import Step
from asbuilt.rehearse.scenarios import Outcome, not_taken, outcome, started, unchanged


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of one file that the replacement changes: what goes, what comes ("" for none)."""

    file: str
    goes: str
    comes: str


def spare_guid(plan: Plan, switch: str) -> str:
    """The made node GUID of the switch that takes the place of ``switch``: that of a planned spare of its plane, if any."""
    import polars as pl

    switches = plan.table("switches")
    plane = switches.filter(pl.col("switch") == switch)["plane"]
    spares = switches.filter(pl.col("spare") & pl.col("plane").is_in(plane.implode())).sort("switch")["switch"].to_list()
    key = spares[0] if spares else f"spare of {switch}"
    return str(hex16(guids(pl.Series([f"{key}#0"])))[0])


def with_spare(plan: Plan, subnet: str, switch: str, guid: str) -> Plan:
    """``plan`` with another node GUID behind ``switch``: same LID, same name, same place. Its aggregation node moves along.

    Raises `ProblemError` CLI-029 when the subnet has no switch of that key.
    """
    import polars as pl

    lids = plan.table("lids")
    key = f"{switch}#0"
    rows = lids.filter((pl.col("subnet") == subnet) & (pl.col("port") == key))
    if not rows.height:
        raise ProblemError(Problem("CLI-029", f"subnet {subnet} has no switch {switch}", fix="`asbuilt show lids` lists them"))
    old, new = int(rows["node_guid"][0], 16), int(guid, 16)
    ours = (lids["port"] == key) | (lids["port"] == f"{key}+agg")
    changed = {}
    for column in ("node_guid", "port_guid"):
        moved = [f"{new + int(g, 16) - old:016x}" if mine else g for g, mine in zip(lids[column], ours, strict=True)]
        changed[column] = pl.Series(moved, dtype=pl.String)
    return replace(plan, tables={**plan.tables, "lids": lids.with_columns(**changed)})


def spare_edits(plan: Plan, after: Plan, subnet: str) -> tuple[Edit, ...]:
    """Line by line what changes in the files that the managers share."""
    one, two = (opensm_files(p, subnet) for p in (plan, after))
    found = []
    for name in sorted(one.keys() | two.keys()):
        if name == TRACE or one.get(name) == two.get(name):
            continue
        old, new = (f.get(name, b"").decode(errors="replace").splitlines() for f in (one, two))
        lines = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
        goes = [line[1:] for line in lines if line.startswith("-") and line[1:].strip()]
        comes = [line[1:] for line in lines if line.startswith("+") and line[1:].strip()]
        for index in range(max(len(goes), len(comes))):
            found.append(Edit(name, *(side[index] if index < len(side) else "" for side in (goes, comes))))
    return tuple(found)


def spare_leaf(plan: Plan, subnet: str, switch: str = "", tell: Tell = quiet) -> Outcome:
    """A leaf dies and its cold spare takes its place by the generated edits; its LID and everybody else's stay.

    ``switch`` is the natural key of the leaf; by default the first leaf of the subnet.
    """
    switch = switch or _first_leaf(plan, subnet)
    guid = spare_guid(plan, switch)
    after = with_spare(plan, subnet, switch, guid)
    edits = spare_edits(plan, after, subnet)
    whole, mended = hardware(plan, as_planned(plan), subnet), hardware(after, as_planned(after), subnet)
    with Session(plan, subnet, as_planned(plan), _with_dark_spare(whole, mended), tell) as session:
        steps = started(session)
        bad = session.bad_lines()
        before = readback.tables(session.desk, plan, subnet)
        pulled = session.rewire(Hardware(b"", session.now.cables - (whole.cables - mended.cables)))
        session.sweep()
        steps.append(Step(f"{switch} dies", f"{pulled} cables dark"))
        session.restart(after)
        steps += [Step(f"edit of {e.file}", f"{e.goes or '(no line)'} -> {e.comes or '(no line)'}") for e in edits]
        plugged = session.rewire(mended)
        session.sweep()
        steps.append(Step(f"the spare, GUID {guid}, takes its place", f"{plugged} cables plugged"))
        began = time.monotonic()
        seen = readback.everything(session.desk, after, subnet, session.managers)
        session.times.add("read back", time.monotonic() - began)
        kept = unchanged(before, seen, "of all other ports", only=True, gone=_guids_of(plan, switch))
        equal = (*kept, *equality(after, seen, planned_routes(after, subnet)))
        return outcome("spare-leaf", session, steps, equal, bad + not_taken(session, bad), seen)


def _first_leaf(plan: Plan, subnet: str) -> str:
    import polars as pl

    leaves = plan.table("lids").filter((pl.col("subnet") == subnet) & (pl.col("role") == "leaf")).sort("lid")
    if not leaves.height:
        what = f"subnet {subnet} has no leaf switch that a spare could replace"
        raise ProblemError(Problem("CLI-029", what, fix="name a switch with --switch"))
    return str(leaves["device"][0])


def _guids_of(plan: Plan, switch: str) -> frozenset[str]:
    """Node GUIDs of a switch and what hangs on it inside the box."""
    import polars as pl

    rows = plan.table("lids").filter((pl.col("device") == switch) & pl.col("nic").is_null())
    return frozenset(rows["node_guid"].to_list())


def _with_dark_spare(whole: Hardware, mended: Hardware) -> Hardware:
    """The planned hardware with the spare beside it: powered, racked, and no cable in it but those inside its box."""
    known = {end[0] for cable in whole.cables for end in cable}
    inside = frozenset(c for c in mended.cables if not {c[0][0], c[1][0]} & known)
    new = sorted({end[0] for cable in mended.cables for end in cable} - known)
    blocks = []
    for block in mended.dump.split(b"\n\n"):
        head = next((line for line in block.split(b"\n") if any(f'"{n}"'.encode() in line for n in new)), None)
        if head is not None and head.startswith((b"Switch", b"Ca")):
            lines = block.split(b"\n")
            kept = [x for x in lines if not x.startswith(b"[") or any(f'"{n}"'.encode() in x for n in new)]
            blocks.append(b"\n".join(kept))
    return Hardware(whole.dump + b"\n" + b"\n\n".join(blocks) + b"\n", whole.cables | inside)
