"""Forwarding tables as captured: complete, as planned, without loops, evenly spread, and local traffic local.

All answer per switch, by counts: a table has thousands of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.checks.answers import EVIDENCE, judge, nothing, threshold, untold
from asbuilt.checks.registry import check
from asbuilt.checks.routing_measured import MeasuredRouting, measured_routing
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity
from asbuilt.plan.forwarding import compare_tables
from asbuilt.plan.routing_analysis import balance, credit_loops, hops, leaving_their_leaf
from asbuilt.plan.routing_fabric import NOTHING, Ints
from asbuilt.plan.routing_walks import LOOP, NOWHERE

if TYPE_CHECKING:
    import polars as pl

_NEEDS = ("lids", "links", "switches")
_SHOWN = 2
_LIDS = _SHOWN + 2


def _frame(routing: MeasuredRouting, **columns: Any) -> pl.DataFrame:
    import polars as pl

    own = {"port": list(routing.fabric.switch_keys), "known": routing.known, "seen": routing.seen, **columns}
    return pl.concat([pl.DataFrame(own), routing.evidence], how="horizontal")


def _judged(frames: list[pl.DataFrame], ok: pl.Expr, expected: pl.Expr, found: pl.Expr, applies: pl.Expr) -> pl.DataFrame:
    """Per switch: one that discovery did not see has no table to judge; a table that nobody read is not measured."""
    import polars as pl

    if not frames:
        return untold("the forwarding table of a planned switch")
    known = pl.col("known")
    return judge(
        pl.concat(frames),
        subject=pl.col("port"),
        ok=pl.when(known).then(ok),
        expected=expected,
        found=pl.when(known).then(found).otherwise(pl.lit("its forwarding table was not captured")),
        applies=pl.col("seen") & applies,
        evidence=EVIDENCE,
    )


@check("FAB-040", layer=Layer.FABRIC, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def every_lid_is_in_every_table(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every LID that can be reached from a switch is in its forwarding table.

    Why: a switch drops packets to a LID that its table does not hold, so one host is deaf to some of the others and fine to
    the rest; no link is down and no counter but the discards says so.
    Measured by: ibroute of every switch, dump_lfts, or opensm-lfts.dump.
    Repair: see in the subnet manager's log why it did not write the table (ERR, timeouts), make it sweep anew, capture again.
    Source: IBTA volume 1, linear forwarding table; reachable is what the planned routing engine gives a port on this fabric.
    """
    import polars as pl

    frames = []
    for routing in measured_routing(plan, facts):
        owner = routing.fabric.row_of_lid()
        lids = np.flatnonzero(owner != NOTHING)
        want = routing.planned.out[:, lids] != NOWHERE
        holes = want & (routing.out[:, lids] == NOWHERE)
        told = [_named(lids[row]) for row in holes]
        frames.append(_frame(routing, want=want.sum(axis=1), holes=holes.sum(axis=1), told=told))
    return _judged(
        frames,
        pl.col("holes") == 0,
        pl.format("a port for each of {} LIDs", "want"),
        pl.format("none for {}", "told"),
        pl.lit(True),
    )


def _named(lids: NDArray[np.int64]) -> str:
    more = f" and {len(lids) - _LIDS} more" if len(lids) > _LIDS else ""
    return f"LID {', '.join(map(str, lids[:_LIDS].tolist()))}{more}"


@check("FAB-041", layer=Layer.FABRIC, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def tables_are_as_planned(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Forwarding tables are those that the planned subnet manager programs on the fabric as it stands.

    Why: other tables say that another engine routes (a silent fall-back), that root or compute node files are not read, or
    that a switch kept old rows; traffic then shares links that the plan keeps apart.
    Measured by: ibroute of every switch, dump_lfts, or opensm-lfts.dump; ibnetdiscover for the cables as they are.
    Repair: look in the manager's log for the engine that ran and the files that it read; restart it with the exported ones.
    Source: rules of OpenSM 3.3.23, ftree; rows that the plan does not fix are left out, rows without a port are FAB-040's.
    """
    import polars as pl

    frames = []
    for routing in measured_routing(plan, facts):
        told = compare_tables(routing.planned, routing.out, routing.known)
        frames.append(_frame(routing, rows=told.compared, off=told.compared - told.equal - told.holes))
    return _judged(
        frames,
        pl.col("off") == 0,
        pl.format("{} rows as planned", "rows"),
        pl.format("{} of them differ", "off"),
        (pl.col("rows") > 0) | ~pl.col("known"),
    )


@check("FAB-042", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def every_pair_is_reached(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Following the tables, every packet arrives: none goes round in a loop, none ends at a port that leads nowhere.

    Why: a loop fills its links with packets that never leave until they time out, and takes down what shares them.
    Measured by: the forwarding tables of all switches; ibnetdiscover for the cables as they are.
    Repair: make the manager route anew (opensm -r in a maintenance window, or a heavy sweep), capture again.
    Source: IBTA volume 1; pairs that the planned engine leaves without a way (root to root) are not asked for, nor LIDs that
    some table has no port for, which are FAB-040's.
    """
    import polars as pl

    frames = []
    for routing in measured_routing(plan, facts):
        fabric = routing.fabric
        lids = np.flatnonzero(fabric.row_of_lid() != NOTHING).astype(np.int32)
        wanted = hops(fabric, routing.planned.out, lids) < LOOP
        steps = hops(fabric, routing.out, lids)
        complete = np.full(fabric.switches, bool(routing.known[routing.seen].all()))
        columns = {"pairs": wanted.sum(axis=0), "complete": complete & routing.known}
        whole = ~_holes(routing, lids)[:, None]
        columns |= {"lost": (wanted & whole & (steps == NOWHERE)).sum(axis=0), "looped": (wanted & (steps == LOOP)).sum(axis=0)}
        frames.append(_frame(routing, **columns).with_columns(pl.col("complete").alias("known")))
    return _judged(
        frames,
        (pl.col("lost") == 0) & (pl.col("looped") == 0),
        pl.format("a way to each of {} LIDs", "pairs"),
        pl.format("{} lost, {} in a loop", "lost", "looped"),
        pl.lit(True),
    )


def _holes(routing: MeasuredRouting, lids: Ints) -> NDArray[np.bool_]:
    """Which LIDs, [n], some captured table should have a port for and has not."""
    holes = (routing.planned.out[:, lids] != NOWHERE) & (routing.out[:, lids] == NOWHERE)
    found: NDArray[np.bool_] = (holes & routing.known[:, None]).any(axis=0)
    return found


@check("FAB-043", layer=Layer.FABRIC, severity=Severity.BLOCKER, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def no_credit_loop(plan: Plan, facts: Facts) -> pl.DataFrame:
    """No links wait for each other in a circle on any lane, when hosts send to those that their partitions let them reach.

    Why: InfiniBand never drops for want of room: where links wait in a circle, all of them can stop for good under load.
    Measured by: the forwarding tables of all switches; ibnetdiscover for the cables as they are.
    Repair: route with ftree or updn with the planned root GUIDs; traffic that needs reverse hops belongs on a lane of its own.
    Source: W. Dally, C. Seitz, Deadlock-free message routing in multiprocessor interconnection networks, 1987; lanes and
    partitions as the plan has them.
    """
    import polars as pl

    rows = []
    for routing in measured_routing(plan, facts):
        complete = bool(routing.known[routing.seen].all())
        looped = credit_loops(plan, routing.subnet, routing.fabric, routing.out) if complete else {}
        bad = [_circle(routing, vl, count, circle) for vl, (count, circle) in looped.items()]
        said = "; ".join(bad) if complete else "tables of some switches were not captured"
        rows.append({"subnet": routing.subnet, "ok": not bad if complete else None, "found": said})
    if not rows:
        return untold("the forwarding table of a planned switch")
    frame = pl.DataFrame(rows, schema={"subnet": pl.String, "ok": pl.Boolean, "found": pl.String})
    wanted = pl.lit("no links that wait in a circle")
    return judge(frame, subject=pl.col("subnet"), ok=pl.col("ok"), expected=wanted, found=pl.col("found"))


def _circle(routing: MeasuredRouting, vl: int, count: int, circle: list[tuple[int, int]]) -> str:
    names = [f"{routing.fabric.switch_keys[row]}/{port}" for row, port in circle]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"on lane {vl} {count} links to switches wait for each other: {', '.join(names[:_SHOWN])}{more}"


@check("FAB-044", layer=Layer.FABRIC, severity=Severity.MINOR, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def routes_are_spread(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Routes to hosts are spread over the switches above as evenly as the planned tables spread them.

    Why: a spine that is given twice the routes of its neighbours is the slowest link of every all-to-all.
    Measured by: ibroute of every switch, dump_lfts, or opensm-lfts.dump.
    Repair: see which engine routes and whether it was given the compute node file; route anew.
    Source: routes through the fullest switch above over their mean, beside the same ratio of the planned tables.
    """
    import polars as pl

    limit = threshold(plan, "FAB-044")
    if limit is None:
        return nothing("the plan has no threshold for it")
    most = float(str(limit["limit"]))
    frames = []
    for routing in measured_routing(plan, facts):
        now, planned = balance(routing.fabric, routing.out), balance(routing.fabric, routing.planned.out)
        frames.append(_frame(routing, now=now.per_parent, planned=planned.per_parent))
    return _judged(
        frames,
        pl.col("now") <= pl.col("planned") * most,
        pl.format("at most {} times the mean", (pl.col("planned") * most).round(2)),
        pl.format("{} times", pl.col("now").round(2)),
        (pl.col("now").is_not_nan() & pl.col("planned").is_not_nan()) | ~pl.col("known"),
    )


@check("FAB-045", layer=Layer.FABRIC, needs=_NEEDS, facts=("lft_facts",), since="0.1")
def local_traffic_stays_local(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Traffic between two hosts of one switch stays on it.

    Why: on a rail-optimised fabric most traffic is between hosts of one leaf; sent over a spine it takes uplinks from the rest.
    Measured by: ibroute of every switch, dump_lfts, or opensm-lfts.dump.
    Repair: capture the discovery too: a host that moved to another leaf leaves its old row behind until the next sweep.
    Source: plan tables `links` and `lids`: the row of a host's LID on its own switch is the port that it hangs on.
    """
    import polars as pl

    frames = []
    for routing in measured_routing(plan, facts):
        fabric = routing.fabric
        local = np.bincount(fabric.host_switch[fabric.host_switch >= 0], minlength=fabric.switches)
        frames.append(_frame(routing, local=local, wrong=leaving_their_leaf(fabric, routing.out)))
    return _judged(
        frames,
        pl.col("wrong") == 0,
        pl.format("each of {} hosts by its own port", "local"),
        pl.format("{} of them by another", "wrong"),
        (pl.col("local") > 0) | ~pl.col("known"),
    )
