"""Faults put into the tables of a physical plan, each at a place drawn by a seed, with the finding that must come of it.

A fault is one wrong thing at one place, as a crew, a supplier or a hurried change makes it; what else its true cause would move
in the tables (currents of a moved whip) stays as planned, so that the one wrong thing is all there is to find.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl
import yaml

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict, Verification
from asbuilt.workflow import templates
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan
from template_plans import made

Row = dict[str, Any]

#: What a site with its makers' letters in hand states: nothing of the loops is open then.
LIQUID = {
    "header": "DN150",
    "racks_per_loop": 10,
    "hose_id_mm": 50.0,
    "coupling": "lqc-v2",
    "hose_bend_mm": 60.0,
    "header_underside_mm": 2350.0,
    "room_kw_per_rack": 30.0,
}
#: Peaks smoothed down to the cap of the rack: nothing of its busbars is past its rating then.
SMOOTH = {"node_peak_w": 120_000}
PLANS = ("l40s-384", "dgx-h100-superpod", "gb300-nvl72 of 10 racks")


@cache
def plan(name: str) -> Plan:
    """A plan of `PLANS`."""
    return stated("gb300-nvl72", {"gpus": 720, "phases": None}, cooling=LIQUID, power=SMOOTH) if " of " in name else made(name)


def stated(template: str, top: Row | None = None, **sections: Row) -> Plan:
    """The plan of ``template`` with more said: keys of the document, and keys of its sections; None takes a key out."""
    document = yaml.safe_load(templates.text(template))
    document |= top or {}
    for section, said in sections.items():
        document[section] = document.get(section, {}) | said
    document = {k: v for k, v in document.items() if v is not None}
    return make_plan(decode(yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode(), "cluster.yaml"))


@dataclass(frozen=True, slots=True)
class Broken:
    """A plan with one more fault, and the key of what is wrong in it."""

    plan: Plan
    part: str


Put = Callable[[Plan, random.Random], Broken | None]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done wrong, the check that must tell it, and how: None where a plan has no such thing."""

    name: str
    check: str
    put: Put


def rows(plan: Plan, table: str, where: pl.Expr | None = None) -> pl.DataFrame:
    frame = plan.table(table)
    return frame if where is None else frame.filter(where)


def drawn(plan: Plan, table: str, draw: random.Random, where: pl.Expr | None = None) -> Row | None:
    """Any row of ``table``, of those that ``where`` picks; None where there is none."""
    frame = rows(plan, table, where)
    return frame.row(draw.randrange(frame.height), named=True) if frame.height else None


def changed(plan: Plan, table: str, where: pl.Expr, **values: Any) -> Plan:
    """``plan`` with these columns set in the rows that ``where`` picks, one at least."""
    frame = plan.table(table)
    assert frame.filter(where).height, f"no row of {table} to change"
    new = [
        pl.when(where).then(v if isinstance(v, pl.Expr) else pl.lit(v, dtype=frame.schema[c])).otherwise(pl.col(c)).alias(c)
        for c, v in values.items()
    ]
    return with_table(plan, table, frame.with_columns(new))


def with_table(plan: Plan, table: str, frame: pl.DataFrame) -> Plan:
    return dataclasses.replace(plan, tables=dict(plan.tables) | {table: frame})


def one_row(table: str, values: Callable[[Row], Row] | Row, where: pl.Expr | None = None, names: str | None = None) -> Put:
    """Columns of one row changed; the part is the row's key, or what its column ``names`` says."""

    def put(plan: Plan, draw: random.Random) -> Broken | None:
        key = plan.table(table).columns[0]
        row = drawn(plan, table, draw, where)
        if row is None:
            return None
        new = values(row) if callable(values) else values
        return Broken(changed(plan, table, pl.col(key) == row[key], **new), str(row[names or key]))

    return put


def findings(plan: Plan) -> dict[tuple[str, str, str, str], Finding]:
    """Every finding of `check` by what tells it from others: id, verdict, subject, cause."""
    return keyed(check(plan))


def keyed(seen: Verification) -> dict[tuple[str, str, str, str], Finding]:
    return {(f.id, f.verdict.value, f.subject, f.cause): f for f in seen.findings}


@cache
def before(name: str) -> dict[tuple[str, str, str, str], Finding]:
    return findings(plan(name))


def added(name: str, after: Plan) -> list[Finding]:
    """What a changed plan answers that the plan ``name`` of `PLANS` did not."""
    return [f for k, f in findings(after).items() if k not in before(name)]


def gone(name: str, after: Plan) -> list[Finding]:
    """Failures of the plan ``name`` that a changed plan no longer tells."""
    seen = findings(after)
    return [f for k, f in before(name).items() if k not in seen and f.verdict is Verdict.FAIL]


def names(finding: Finding, part: str) -> bool:
    """Whether a person who reads the finding learns which part is meant: an end of it (``#a``), or its name in the words."""
    subjects = [s.partition("#")[0] for s in (*finding.subjects, finding.subject)]
    return part in subjects or any(part.partition(":")[2] in said for said in (finding.cause, finding.found))
