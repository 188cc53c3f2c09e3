"""Reads a control (see README.md), makes its plan, runs the checks on it, and says what differs from what must come out."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from asbuilt.model.facts import Facts
from asbuilt.model.facts_bench import BENCH_FACTS
from asbuilt.model.facts_gpu import GPU_FACT_TABLES
from asbuilt.model.facts_node import NODE_FACTS
from asbuilt.model.plan import Plan
from asbuilt.model.tables import PLAN_TABLES
from asbuilt.model.verdict import Finding, Layer, Verdict, Verification

HERE = Path(__file__).resolve().parent
KEYS = {
    *(
        "from",
        "requirement",
        "set",
        "plan",
        "plan_text",
        "edit",
        "capture",
        "captures",
        "facts",
        "facts_edit",
        "strict",
        "expect",
        "alone",
    ),
    "about",
}
MUST_NAME = ("subject", "expected", "found", "cause")
NODE_FACT_TABLES = {s.name: s for s in (*NODE_FACTS, *GPU_FACT_TABLES, *BENCH_FACTS)}
BLANK = {"str": "", "i64": 0, "i32": 0, "u64": 0, "f64": 0.0, "bool": False}


def controls(check_id: str) -> list[Path]:
    """The control files of a check, good and bad, in the order of their names."""
    return sorted((HERE / check_id).glob("*.yaml"))


def read(path: Path) -> dict[str, Any]:
    """The control, with the keys of the file named by ``from`` under its own."""
    held: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    unknown = set(held) - KEYS
    assert not unknown, f"{path.name}: unknown keys {unknown}"
    if "from" in held:
        base = read(path.parent / held["from"])
        edits = [*base.get("edit", []), *held.get("edit", [])]
        held = base | held | ({"edit": edits} if edits else {})
    return held


def plan_of(control: dict[str, Any], folder: Path) -> Plan:
    """The plan of a control, with its edits applied."""
    sources = [k for k in ("requirement", "plan", "plan_text") if k in control]
    assert len(sources) == 1, f"one of requirement, plan, plan_text, not {sources}"
    if sources == ["requirement"]:
        plan = compiled(control["requirement"], yaml.safe_dump(control.get("set", {}), sort_keys=True))
    elif sources == ["plan"]:
        plan = Plan("control", {name: table(name, rows or []) for name, rows in control["plan"].items()})
    else:
        said = control["plan_text"]
        reader = importlib.import_module(f"asbuilt.parsers.plans.{said['format']}")
        plan = reader.read(_bytes(said, folder))
    return edited(plan, control.get("edit", []))


def table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A table of the plan from rows that name only some columns: the rest is null where it may be, else blank."""
    schema = PLAN_TABLES[name]
    unknown = {c for row in rows for c in row} - set(schema.names)
    assert not unknown, f"{name} has no columns {unknown}"
    blank = {c.name: None if c.nullable else BLANK[c.dtype] for c in schema.columns}
    return schema.conform(pl.DataFrame([blank | row for row in rows], schema=schema.polars(), strict=False))


@functools.cache
def compiled(template: str, changes: str) -> Plan:
    """The plan of a template with changes (a YAML mapping from path to value), compiled once a session."""
    from asbuilt.model.decode_requirement import decode
    from asbuilt.workflow.plan import make_plan
    from asbuilt.workflow.templates import text

    document = yaml.safe_load(text(template))
    for path, value in (yaml.safe_load(changes) or {}).items():
        put(document, path, value)
    data = yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode()
    return make_plan(decode(data, f"{template}.yaml"))


def put(document: Any, path: str, value: Any) -> None:
    """Set ``planes.storage.nic`` or ``node.nics[4].part`` in a requirement; None takes the key out."""
    steps: list[Any] = [int(s[1:-1]) if s.startswith("[") else s for s in re.findall(r"[^.\[\]]+|\[\d+\]", path)]
    for step in steps[:-1]:
        document = document.setdefault(step, {}) if isinstance(document, dict) else document[step]
    if value is None:
        del document[steps[-1]]
    else:
        document[steps[-1]] = value


def edited(plan: Plan, edits: list[dict[str, Any]]) -> Plan:
    """The plan with rows set, deleted or added. An edit that touches nothing is an error: the control would be stale."""
    tables = dict(plan.tables)
    for edit in edits:
        name = edit["table"]
        if "add" in edit:
            held = [tables[name]] if name in tables else []
            tables[name] = pl.concat([*held, table(name, [edit["add"]])])
            continue
        frame = tables[name]
        hit = pl.lit(True)
        for column, value in edit.get("where", {}).items():
            hit = hit & (pl.col(column) == value)
        assert frame.filter(hit).height, f"the edit {edit} touches no row"
        if edit.get("delete"):
            tables[name] = frame.filter(~hit)
        else:
            types = PLAN_TABLES[name].polars()
            changed = [
                pl.when(hit).then(pl.lit(v, dtype=types[c])).otherwise(pl.col(c)).alias(c) for c, v in edit["set"].items()
            ]
            tables[name] = frame.with_columns(changed)
    return dataclasses.replace(plan, tables=tables)


def _bytes(said: dict[str, Any], folder: Path) -> bytes:
    data: bytes = said["text"].encode() if "text" in said else (folder / said["file"]).read_bytes()
    return data


def outcome(control: dict[str, Any], folder: Path) -> Verification:
    """The checks run on the control: on the plan alone, or against what was measured."""
    plan = plan_of(control, folder)
    if "captures" in control:
        return _from_captures(plan, control, folder)
    if "facts" in control:
        from asbuilt.workflow.compare import compare

        told = {name: list(rows) for name, rows in control["facts"].items()}
        return compare(plan, measured_facts(changed(told, control.get("facts_edit", []))), strict=bool(control.get("strict")))
    if "capture" not in control:
        from asbuilt.workflow.check import check

        return check(plan)
    from asbuilt.workflow.compare import compare

    parser = importlib.import_module(f"asbuilt.parsers.{control['capture']['tool']}")
    facts: Facts = parser.parse(_bytes(control["capture"], folder), "control")
    return compare(plan, facts, strict=bool(control.get("strict")))


def changed(told: dict[str, list[dict[str, Any]]], edits: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows of fact tables with some set, deleted or added, as `edited` does to the plan's."""
    for edit in edits:
        rows = told.setdefault(edit["table"], [])
        if "add" in edit:
            rows.append(edit["add"])
            continue
        hit = [all(row.get(k) == v for k, v in edit.get("where", {}).items()) for row in rows]
        assert any(hit), f"the edit {edit} touches no row"
        if edit.get("delete"):
            told[edit["table"]] = [row for row, gone in zip(rows, hit, strict=True) if not gone]
        else:
            told[edit["table"]] = [row | edit["set"] if yes else row for row, yes in zip(rows, hit, strict=True)]
    return told


def measured_facts(said: dict[str, list[dict[str, Any]]]) -> Facts:
    """Fact tables written out: a column that is not named is null. Each row is a line of the capture named as its table."""
    tables = {}
    for name, rows in said.items():
        schema = NODE_FACT_TABLES[name]
        unknown = {c for row in rows for c in row} - set(schema.names)
        assert not unknown, f"{name} has no columns {unknown}"
        told = [dict.fromkeys(schema.names) | {"capture_id": name, "line": i} | row for i, row in enumerate(rows, 1)]
        tables[name] = schema.conform(pl.DataFrame(told, schema=schema.polars(), strict=False))
    return Facts(tables)


def _from_captures(plan: Plan, control: dict[str, Any], folder: Path) -> Verification:
    """Several captures, each with tool, text and perhaps subject, read as those of a site are."""
    from asbuilt.model.capture import Capture
    from asbuilt.workflow.captures import facts_of
    from asbuilt.workflow.compare import compare

    given = [
        Capture(said.get("id", said["tool"]), _bytes(said, folder), said["tool"], said.get("subject", ""))
        for said in control["captures"]
    ]
    return compare(plan, facts_of(given), strict=bool(control.get("strict")))


def differences(check_id: str, control: dict[str, Any], seen: Verification) -> list[str]:
    """What differs from what must come out; empty when the control holds."""
    wanted = control["expect"]
    found = [f.as_json() for f in seen.findings if f.id == check_id]
    told = [f"found {f['id']} {f['subject']}: {_short(f)}" for f in found]
    problems = []
    if not wanted:
        passed = sum(c.passed for c in seen.coverage if c.id == check_id)
        problems += [f"a good control has findings: {t}" for t in told]
        if not passed:
            problems.append(f"a good control must pass at least once: {[c for c in seen.coverage if c.id == check_id]}")
    for want in wanted:
        unnamed = [k for k in MUST_NAME if k not in want]
        if unnamed:
            problems.append(f"the expected finding does not name {unnamed}")
        if not any(all(f[k] == v for k, v in want.items()) for f in found):
            problems.append(f"expected {want}, but {told or 'nothing'}")
    if wanted and len(found) != len(wanted):
        problems.append(f"{len(wanted)} findings expected, {len(found)} found: {told}")
    if control.get("alone"):
        others = [f for f in seen.findings if f.id != check_id and not _for_others_to_say(f)]
        problems += [f"another check answers: {f.id} {f.subject}: {f.cause}" for f in others]
    return problems


def _for_others_to_say(finding: Finding) -> bool:
    """What a template leaves open of the physical plan because only a maker or a site can tell it."""
    return finding.verdict is Verdict.NOT_MEASURED and finding.layer is Layer.FACILITY


def _short(finding: dict[str, Any]) -> dict[str, Any]:
    return {k: finding[k] for k in ("verdict", *MUST_NAME)}
