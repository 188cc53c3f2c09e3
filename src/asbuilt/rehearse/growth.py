"""Growth on the real OpenSM: what is built later is plugged in, and what stood before keeps its LIDs and its short paths.

ibsim adds no device at run time, so the larger fabric is loaded and the later part unlinked before the managers start. The
managers get the larger plan's files first, as on site, then the cables come.
"""

from __future__ import annotations

import time

from asbuilt.model.plan import Plan
from asbuilt.rehearse import readback, readers
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.equality import Equality, Tally, equality
from asbuilt.rehearse.hardware import hardware
from asbuilt.rehearse.opensm import Session, Tell, quiet
from asbuilt.rehearse.predicted import Routes, changed_rows, planned_routes
from asbuilt.rehearse.proof import Step
from asbuilt.rehearse.readback import Readback
from asbuilt.rehearse.scenarios import Outcome, not_taken, outcome, started, unchanged


def growth(small: Plan, large: Plan, subnet: str, tell: Tell = quiet) -> Outcome:
    """Bring ``small`` up, plug in what ``large`` has beside it, and hold both plans against what is read back.

    Raises `ProblemError` CLI-027 when the larger plan lacks a device of the smaller one.
    """
    loaded = hardware(large, as_planned(large), subnet)
    first = hardware(small, as_planned(small), subnet)
    with Session(small, subnet, as_planned(small), loaded, tell) as session:
        later = session.rewire(first)
        steps = started(session)
        steps.insert(1, Step("what is built later is unlinked before the start", f"{later:,} cables"))
        moved = sorted(first.cables - loaded.cables)
        found = f"{len(moved)} move, the first from {moved[0][0][0]} port {moved[0][0][1]}" if moved else "none moves"
        steps.append(Step("every cable that stands stays where it is", found, not moved))
        bad = session.bad_lines()
        before = readback.tables(session.desk, small, subnet)
        session.restart(large)
        came = session.rewire(loaded)
        session.sweep()
        steps.append(Step("what is built later is plugged in", f"{came:,} cables, {_more(small, large, subnet)}"))
        began = time.monotonic()
        seen = readback.everything(session.desk, large, subnet, session.managers)
        session.times.add("read back", time.monotonic() - began)
        was, now = planned_routes(small, subnet), planned_routes(large, subnet)
        rows, changed = changes(before, seen, was, now)
        steps.append(Step("forwarding rows of old switches to old ports that change", f"{changed:,}"))
        kept = unchanged(before, seen, "of what stood", only=True)
        equal = (*kept, short_paths(small, subnet, before, seen), rows, *equality(large, seen, now))
        return outcome("growth", session, steps, equal, bad + not_taken(session, bad), seen)


def _more(small: Plan, large: Plan, subnet: str) -> str:
    """In words, what the larger plan has more."""
    counts = []
    for role in ("leaf", "spine", "core", "node"):
        one, two = (p.table("lids").filter(p.table("lids")["subnet"] == subnet) for p in (small, large))
        more = two.filter(two["role"] == role).height - one.filter(one["role"] == role).height
        if more:
            counts.append(f"{more:,} {'NIC ports' if role == 'node' else role + ' switches'}")
    return " and ".join(counts) or "no device"


def changes(before: Readback, after: Readback, was: Routes, now: Routes) -> tuple[Equality, int]:
    """(the rows of old switches to old ports against the prediction, how many of them changed in truth).

    A row is compared where both plans fix it: it must be what the larger plan says, changed or not.
    """
    old, new = (readers.forwarding_tables(r.texts["ibroute"]) for r in (before, after))
    predicted = changed_rows(was, now)
    tally = Tally("forwarding rows of what stood, as predicted")
    changed = 0
    for switch, rows in sorted(was.items()):
        one, two = old.get(switch, {}), new.get(switch, {})
        for target, port in rows.items():
            if target not in now.get(switch, {}):
                tally.leave_out("one of the two plans does not fix it")
                continue
            found = two.get(target, 255)
            changed += found != one.get(target, 255)
            tally.row(f"switch {switch} to {target}", predicted.get(switch, {}).get(target, port), found)
    return tally.done(), changed


def short_paths(plan: Plan, subnet: str, before: Readback, after: Readback) -> Equality:
    """From every leaf to each host that hangs on it: the port must be the one that it was."""
    import polars as pl

    switches = dict(plan.table("lids").filter(pl.col("role") == "leaf").select("device", "lid").rows())
    lids = plan.table("lids").filter(pl.col("subnet") == subnet).select("device", "nic", "lid")
    hosts = plan.links.filter(pl.col("b_nic").is_not_null()).join(
        lids, left_on=["b_device", "b_nic"], right_on=["device", "nic"], how="inner"
    )
    old, new = (readers.forwarding_tables(r.texts["ibroute"]) for r in (before, after))
    tally = Tally("same-leaf paths of what stood")
    for switch, port, lid in hosts.select("a_device", "a_port", "lid").rows():
        leaf = switches.get(switch)
        if leaf is not None:
            said = old.get(leaf, {}).get(lid)
            tally.row(f"{switch} to {lid}", (port, port), (said, new.get(leaf, {}).get(lid)))
    return tally.done()
