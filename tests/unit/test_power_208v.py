"""Sites of 208 V between phases: what the catalogue has for them goes together."""

from __future__ import annotations

from asbuilt.checks.registry import checks
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.plan.expand import expand
from template_plans import CATALOGUE

H100 = """schema: requirement/v1
name: x
system: dgx-h100
gpus: 64
power: {voltage_v: 208, pdu: PDU}
site: {feeds: 2, nodes_per_rack: 2, cords: [A, A, A, B, B, B]}
"""


def plan_of(pdu: str) -> Plan:
    return expand(resolve(decode(H100.replace("PDU", pdu).encode(), "x"), CATALOGUE), CATALOGUE)


def plugs(plan: Plan) -> set[tuple[str, str]]:
    return set(plan.table("circuits").select("receptacle", "plug").rows())


def test_a_pdu_of_208_v_60_a_goes_into_its_circuit() -> None:
    plan = plan_of("pdu-208v-60a")
    # Outlets stand between two phases: four wires on both sides, no neutral.
    assert plugs(plan) == {("60309-60A-3P+E", "60309-60A-3P+E")}
    assert set(checks()["PWR-021"].answer(plan, Facts(tables={}))["verdict"]) == {"pass"}


def test_a_pdu_with_another_plug_is_told() -> None:
    plan = plan_of("apc-ap8868")
    assert plugs(plan) == {("60309-60A-3P+E", "CS8365")}
    assert set(checks()["PWR-021"].answer(plan, Facts(tables={}))["verdict"]) == {"fail"}
