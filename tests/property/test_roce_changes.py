"""Any changes at any hops of RDMA over Ethernet are found, all of them, each at its hop, and nothing else is."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asbuilt.model.requirement import Roce
from asbuilt.model.verdict import Verdict
from asbuilt.rehearse.roce_captures import Change, roce_captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from roce_clusters import few_leaves

#: What each change must be found by. Marking off takes the thresholds with it.
BY = {
    "pfc": ("NET-001", st.sampled_from([(), (4,), (3, 6)])),
    "ecn": ("NET-002", st.just(False)),
    "dscp_priority": ("NET-004", st.sampled_from([0, 4])),
    "mtu_bytes": ("NET-005", st.sampled_from([1500, 4200, 9000])),
    "queue": ("NET-007", st.sampled_from([0, 5])),
}


@st.composite
def changes(draw: st.DrawFn, system: str) -> list[Change]:
    ports = few_leaves(roce=Roce(switch_os=system)).table("roce_ports").select("name", "interface").rows()
    chosen = draw(st.lists(st.sampled_from(ports), min_size=0, max_size=6, unique=True))
    made = []
    for name, interface in chosen:
        for setting in draw(st.lists(st.sampled_from(sorted(BY)), min_size=1, max_size=2, unique=True)):
            made.append(Change(name, interface, setting, draw(BY[setting][1])))
    return made


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(["cumulus", "sonic"]))
def test_what_is_changed_is_found_and_nothing_else(data: st.DataObject, system: str) -> None:
    plan = few_leaves(roce=Roce(switch_os=system))
    asked = data.draw(changes(system))
    ports = plan.table("roce_ports")
    keys = {}
    for row in ports.iter_rows(named=True):
        end = f"{row['device']}/{row['interface']}" if row["role"] == "host" else f"{row['device']}#0/{row['port']}"
        keys[row["name"], row["interface"]] = end
    seen = compare(plan, facts_of(roce_captures(plan, asked)))
    found = [f for f in seen.findings if f.id.startswith("NET-")]
    assert {f.verdict for f in found} <= {Verdict.FAIL}
    told = {(f.id, subject) for f in found for subject in f.subjects}
    assert told == {(BY[c.setting][0], keys[c.device, c.interface]) for c in asked}
    assert sum(c.not_measured for c in seen.coverage if c.id in ("NET-001", "NET-002", "NET-004", "NET-005", "NET-007")) == 0
