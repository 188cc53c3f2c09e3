"""A plan that no check fails, changed in one place: the check whose claim breaks names that place, and no pass hides it."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Callable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.templates import text

Change = Callable[[dict[str, Any]], dict[str, Any]]


@functools.cache
def sound() -> Plan:
    plan = make_plan(decode(text("l40s-384").encode(), "cluster.yaml"))
    assert not [f for f in check(plan).findings if f.verdict is Verdict.FAIL]
    return plan


def other(row: dict[str, Any], column: str, *choices: Any) -> dict[str, Any]:
    return row | {column: next(c for c in choices if c != row[column])}


#: check, table, key column, which rows, the change, subject of the verdict from the changed row
CHANGES: dict[str, tuple[str, str, pl.Expr, Change, Callable[[dict[str, Any]], str]]] = {
    "DES-012": (
        "nics",
        "nic",
        pl.col("part") == "connectx-6-dx",
        lambda r: r | {"link_type": "infiniband"},
        lambda r: r["nic"],
    ),
    "DES-014": ("nics", "nic", pl.col("plane") == "compute", lambda r: r | {"rate_gbps": 800.0}, lambda r: r["nic"]),
    "DES-020": ("gpus", "gpu", pl.lit(True), lambda r: other(r, "socket", 0, 1), lambda r: r["gpu"]),
    "DES-021": ("gpus", "gpu", pl.lit(True), lambda r: r | {"rail": 9}, lambda r: r["gpu"]),
    "DES-003": ("links", "link", pl.col("kind") == "node_leaf", lambda r: r | {"a_port": 500}, lambda r: r["link"] + "#a"),
    "DES-016": (
        "links",
        "link",
        pl.col("kind") == "node_leaf",
        lambda r: r | {"rate_gbps": 1600.0},
        lambda r: r["link"] + "#a",
    ),
    "DES-033": (
        "links",
        "link",
        (pl.col("plane") == "compute") & (pl.col("kind") == "node_leaf"),
        lambda r: other(r, "rail", 0, 1),
        lambda r: r["link"],
    ),
    "DES-039": ("jumpers", "jumper", pl.lit(True), lambda r: r | {"part": "unknown"}, lambda r: r["jumper"]),
    "DES-044": ("jumpers", "jumper", pl.lit(True), lambda r: r | {"length_m": 5_000.0}, lambda r: r["jumper"]),
    "DES-047": ("jumpers", "jumper", pl.lit(True), lambda r: r | {"length_m": 0.5}, lambda r: r["jumper"]),
    "DES-040": (
        "transceivers",
        "transceiver",
        pl.col("part") == "mma4z00-ns",
        lambda r: r | {"part": "mma4z00-ns400"},
        lambda r: r["transceiver"],
    ),
    "DES-045": (
        "transceivers",
        "transceiver",
        pl.col("device").str.starts_with("sw:compute"),
        lambda r: r | {"power_w": 40.0},
        lambda r: r["transceiver"],
    ),
    "DES-050": ("racks", "rack", pl.lit(True), lambda r: r | {"used_u": 99.0}, lambda r: r["rack"]),
    "DES-051": ("racks", "rack", pl.lit(True), lambda r: r | {"power_w": 99_000.0}, lambda r: r["rack"]),
    "DES-052": ("racks", "rack", pl.lit(True), lambda r: r | {"weight_kg": 9_900.0}, lambda r: r["rack"]),
    "DES-055": ("racks", "rack", pl.lit(True), lambda r: r | {"liquid_w": 1.0}, lambda r: r["rack"]),
}


def changed(plan: Plan, table: str, key: str, row: dict[str, Any]) -> Plan:
    frame = plan.table(table)
    new = pl.DataFrame([row], schema=frame.schema)
    kept = frame.filter(pl.col(key) != row[key])
    return dataclasses.replace(plan, tables=plan.tables | {table: pl.concat([kept, new]).sort(key)})


@pytest.mark.parametrize("check_id", CHANGES)
@settings(max_examples=4, deadline=None)
@given(pick=st.integers(min_value=0, max_value=10_000))
def test_the_place_that_was_changed_is_the_place_that_is_named(check_id: str, pick: int) -> None:
    table, key, which, change, subject = CHANGES[check_id]
    rows = sound().table(table).filter(which)
    before = rows.row(pick % rows.height, named=True)
    after = change(before)
    assert after != before
    told = [f for f in check(changed(sound(), table, key, after)).findings if f.id == check_id]
    assert [s for f in told for s in f.subjects] == [subject(after)]
    assert all(f.verdict is Verdict.FAIL and f.cause and f.ways and f.revert for f in told)


@settings(max_examples=4, deadline=None)
@given(table=st.sampled_from(["parts", "expectations", "transceivers", "switches", "planes", "growth", "power_sources"]))
def test_taking_a_table_away_never_makes_a_check_pass_that_needs_it(table: str) -> None:
    from asbuilt.checks.registry import checks

    plan = dataclasses.replace(sound(), tables={n: f for n, f in sound().tables.items() if n != table})
    passed = {c.id for c in check(plan).coverage if c.passed}
    assert not {id for id, c in checks().items() if table in c.needs} & passed
