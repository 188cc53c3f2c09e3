"""Plans of GB300 racks on coolant loops, and what the checks of cooling say of them."""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import Any

import polars as pl
import yaml

from asbuilt.checks.registry import checks
from asbuilt.diagnose.design import findings
from asbuilt.diagnose.tally import told as rows_told
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding
from asbuilt.workflow.check import verdicts
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.templates import text

#: What keeps open questions of the hoses, couplings and the room out of the way.
STATED = {"coupling": "lqc-v2", "hose_bend_mm": 60.0, "header_underside_mm": 2350.0, "room_kw_per_rack": 30.0}
PER_RACK = 72


def plan_of(racks: int, cooling: dict[str, Any], **site: Any) -> Plan:
    """GB300 racks in rows of ten beside two network racks, supplied at 45 °C, where each asks for 177 L/min."""
    return _plan(racks, json.dumps(cooling, sort_keys=True), json.dumps(site, sort_keys=True))


@functools.cache
def _plan(racks: int, cooling: str, site: str) -> Plan:
    document = yaml.safe_load(text("gb300-nvl72"))
    document.pop("phases")
    document["gpus"] = racks * PER_RACK
    document["cooling"] = STATED | json.loads(cooling)
    document["site"] |= {"racks_per_row": 12, "coolant_supply_c": 45} | json.loads(site)
    return make_plan(decode(yaml.safe_dump(document).encode(), "cluster.yaml"))


CHECKS = {id: c for id, c in checks().items() if id.startswith("COO")}
ABOUT = {id: (c.layer, c.severity, "") for id, c in CHECKS.items()}


def told(plan: Plan) -> dict[str, Finding]:
    """Findings on cooling by id and subject."""
    made = findings(plan, rows_told(verdicts(plan, CHECKS)), ABOUT)
    return {f"{f.id} {f.subject}": f for f in made}


SOUND = {"header": "DN150", "racks_per_loop": 10}


def with_change(plan: Plan, name: str, where: pl.Expr, **values: Any) -> Plan:
    frame = plan.table(name)
    assert frame.filter(where).height == 1
    changed = [pl.when(where).then(pl.lit(v, dtype=frame.schema[c])).otherwise(pl.col(c)).alias(c) for c, v in values.items()]
    return dataclasses.replace(plan, tables=plan.tables | {name: frame.with_columns(changed)})
