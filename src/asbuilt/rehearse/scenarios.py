"""Scenarios on the real OpenSM that leave the cabling as planned: bring-up, faults of cabling, failover of the manager."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from asbuilt.model.plan import Plan
from asbuilt.rehearse import programs, readback, readers
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.equality import Equality, Tally, equality, managers, port_settings
from asbuilt.rehearse.hardware import hardware
from asbuilt.rehearse.managers import UP, Manager
from asbuilt.rehearse.opensm import MASTER, STANDBY, Session, Tell, quiet, shared_differences
from asbuilt.rehearse.predicted import planned_routes
from asbuilt.rehearse.proof import Proof, Step
from asbuilt.rehearse.readback import Readback

#: The standby's last look may have been answered just before the master died, and its own first sweep follows.
LOOKS_MORE = 2
SWEEP_S = 10.0
STARTS = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one scenario proved, and the captures that verification gets to see.

    Of the managers' logs that is the bring-up: what follows when somebody pulls cables is judged by the scenario itself.
    """

    proof: Proof
    seen: Readback


def bring_up(plan: Plan, subnet: str, built: Built, most: int = 0, tell: Tell = quiet) -> Outcome:
    """The planned subnet comes up on the generated files, and everything that the plan fixes is read back."""
    with Session(plan, subnet, built, tell=tell) as session:
        steps = started(session)
        began = time.monotonic()
        seen = readback.everything(session.desk, plan, subnet, session.managers, most)
        session.times.add("read back", time.monotonic() - began)
        equal = equality(plan, seen, planned_routes(plan, subnet))
        return outcome("bring-up", session, steps, equal, session.bad_lines(), seen)


def faults(plan: Plan, subnet: str, built: Built, faulty: Built, tell: Tell = quiet) -> Outcome:
    """The subnet comes up as planned, then its cabling changes to ``faulty`` at run time; what is then seen is captured."""
    with Session(plan, subnet, built, tell=tell) as session:
        steps = started(session)
        lines = session.rewire(hardware(plan, faulty, subnet))
        steps.append(Step("faults put in at run time", f"{lines} console lines of the simulator"))
        session.sweep()
        began = time.monotonic()
        seen = readback.overview(session.desk, plan, subnet)
        session.times.add("read back", time.monotonic() - began)
        return outcome("faults", session, steps, (), session.bad_lines(errors=False), seen)


def failover(plan: Plan, subnet: str, built: Built, tell: Tell = quiet) -> Outcome:
    """The master dies, the standby takes over in the planned time and changes nothing; restarted, the master is it again."""
    with Session(plan, subnet, built, tell=tell) as session:
        steps = started(session)
        if len(session.managers) < 2:
            steps.append(Step("a standby is planned", "none", False))
            seen = readback.overview(session.desk, plan, subnet)
            return outcome("failover", session, steps, (), session.bad_lines(), seen)
        first, second = session.managers[:2]
        bad = session.bad_lines()
        before = readback.tables(session.desk, plan, subnet)
        allowed = dead_after_s(plan, subnet)
        first.kill(session.rig)
        session.desk.host = second.host
        took = second.wait_for(MASTER, 1, 2 * allowed + 60)
        session.times.add("standby takes over", took)
        steps.append(Step(f"standby is master within {allowed:g} s", f"after {took:.1f} s", took <= allowed))
        second.wait_for(UP, 1, SWEEP_S + allowed + 5 * session.times.seconds["subnet up"])
        after = readback.tables(session.desk, plan, subnet)
        kept = unchanged(before, after, "after the takeover")
        steps += returned(session, first, second, allowed)
        session.desk.host = first.host if first.child is not None else second.host
        back = readback.tables(session.desk, plan, subnet)
        kept += (*unchanged(before, back, "after the return"), port_settings(plan, back))
        seen = readback.overview(session.desk, plan, subnet)
        equal = (*kept, managers(plan, subnet, readers.managers(seen.texts["sminfo"])))
        return outcome("failover", session, steps, equal, bad + not_taken(session, bad), seen)


def returned(session: Session, first: Manager, second: Manager, allowed: float) -> list[Step]:
    """The primary starts again and is master again.

    It may get mastership handed over while it still starts. opensm 3.3.23 then sometimes calls itself master and sweeps
    nothing: ports keep the standby's LID as that of their manager, and what is plugged in stays dark. What helped is told.
    """
    patience = max(SWEEP_S, 5 * session.times.seconds["subnet up"])
    steps: list[Step] = []
    for start in range(1, STARTS + 1):
        first.start(session.rig)
        took = first.wait_for(MASTER, 1, 2 * allowed + patience)
        if start == 1:
            what = f"restarted primary is master again within {allowed:g} s"
            steps.append(Step(what, f"after {took:.1f} s", took <= allowed))
            second.wait_for(STANDBY, 2, patience + allowed)
        stuck = f" at start {start}, after it was master and swept nothing" if start > 1 else ""
        if first.comes(UP, 1, patience) is not None:
            return [*steps, Step("the returned master sweeps", f"of itself{stuck}", True)]
        first.ask_for_sweep()
        if first.comes(UP, 1, patience) is not None:
            return [*steps, Step("the returned master sweeps", f"asked to by SIGHUP{stuck}", True)]
        first.end(session.rig)
    return [*steps, Step("the returned master sweeps", f"not in {STARTS} starts", False)]


def not_taken(session: Session, known: tuple[str, ...]) -> tuple[str, ...]:
    """Lines that a manager did not take since; errors that come when a manager dies are none."""
    return tuple(line for line in session.bad_lines(errors=False) if line not in known)


def started(session: Session) -> list[Step]:
    """Bring the subnet up; the steps that every scenario begins with."""
    load = session.simulator.complaints()
    session.bring_up()
    session.logs = readback.logs(session.managers)
    apart = shared_differences(session.managers)
    return [
        Step("ibsim loads the subnet without complaint", f"{len(load)} complaints{': ' + load[0] if load else ''}", not load),
        Step("SUBNET UP", f"after {session.times.seconds['subnet up']:.1f} s", True),
        Step("managers share partitions, policy, lists and LIDs", "; ".join(apart) or "equal to the byte", not apart),
    ]


def dead_after_s(plan: Plan, subnet: str) -> float:
    """Seconds within which a standby must have taken over: the planned looks that must fail, two more, and a sweep.

    Looks and their interval are the plan's ``polling_retry_number`` and ``sminfo_polling_timeout`` (ms).
    """
    rows = plan.table("subnet_settings")
    said = dict(rows.filter(rows["subnet"] == subnet).select("setting", "value").rows())
    interval, looks = int(said["sminfo_polling_timeout"]) / 1000, int(said["polling_retry_number"])
    return interval * (looks + LOOKS_MORE) + SWEEP_S


def unchanged(
    before: Readback, after: Readback, when: str, *, only: bool = False, gone: frozenset[str] = frozenset()
) -> tuple[Equality, ...]:
    """LIDs, partition tables and forwarding tables of two readings, row by row; what came new is not looked at.

    With ``only`` forwarding tables are left to the caller. ``gone`` are node GUIDs that are not there any more.
    """
    lids = Tally(f"lids {when}")
    old, new = (readers.end_ports(r.texts["ibnetdiscover"]) for r in (before, after))
    for end, said in sorted(old.items()):
        if end[0] not in gone:
            lids.row(f"{end[0]}/{end[1]}", said, new.get(end))
    keys = Tally(f"partition tables {when}")
    was, now = (readers.partition_tables(r.texts["smpquery"]) for r in (before, after))
    for port, entries in sorted(was.items()):
        keys.rows(f"lid {port[0]} port {port[1]}", entries, now.get(port, {}))
    if only:
        return lids.done(), keys.done()
    routes = Tally(f"forwarding tables {when}")
    one, two = (readers.forwarding_tables(r.texts["ibroute"]) for r in (before, after))
    for switch, rows in sorted(one.items()):
        routes.rows(f"switch {switch} to", rows, two.get(switch, {}))
    return lids.done(), keys.done(), routes.done()


def outcome(
    scenario: str,
    session: Session,
    steps: list[Step],
    equal: tuple[Equality, ...],
    bad: tuple[str, ...],
    seen: Readback,
) -> Outcome:
    """Everything that a session knows, as the answer of its scenario. The session must still be running."""
    proof = Proof(
        scenario=scenario,
        subnet=session.subnet,
        programs=programs.versions(session.found),
        substitutions=session.substitutions,
        steps=tuple(steps),
        equality=equal,
        bad_lines=bad,
        silent=seen.silent,
        ports=seen.ports,
        ports_all=seen.ports_all,
        questions=session.desk.asked,
        seconds=dict(session.times.seconds),
        memory_mib=session.memory_mb(),
    )
    return Outcome(proof, replace(seen, texts={**seen.texts, **session.logs}))
