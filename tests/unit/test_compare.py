"""The compare: counting rules, identity, scope, causes, rates, and what is never a pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import fabric_dump as maker
from asbuilt.base.problem import ProblemError
from asbuilt.model.facts import CABLING, UNPLANNED_LINKS, Facts
from asbuilt.model.plan import Plan
from asbuilt.model.tables import LINKS
from asbuilt.model.verdict import LinkSummary, Verdict, Verification
from asbuilt.parsers.ibnetdiscover import parse
from asbuilt.parsers.plans import ndt
from asbuilt.workflow.compare import compare

FABRIC = maker.fabric(40)  # 16 leaves of two blocks, 32 spines, 320 host links, 512 uplinks
PLAN = Plan("test", {"links": LINKS.conform(maker.links(FABRIC)).sort("link")})
HOSTS = np.flatnonzero(~FABRIC.is_switch[FABRIC.b])
UPLINKS = np.flatnonzero(FABRIC.is_switch[FABRIC.b])


def held(cabling: maker.Fabric, plan: Plan = PLAN, **options: object) -> Verification:
    return compare(plan, parse(maker.dump(cabling), "c"), **options)  # type: ignore[arg-type]


def counts(seen: Verification) -> tuple[int, int, int, int]:
    s = seen.summary
    assert s.ok + s.wrong + s.missing + s.not_measured == s.planned
    return s.ok, s.wrong, s.missing, s.unplanned


def test_as_planned() -> None:
    seen = held(FABRIC)
    assert counts(seen) == (832, 0, 0, 0) and seen.findings == () and seen.repairs == () and seen.exit_code == 0
    assert {c.id: (c.passed, c.failed) for c in seen.coverage}["FAB-001"] == (832, 0)


def test_two_hosts_exchanged_at_one_leaf() -> None:
    rows = HOSTS[(FABRIC.a[HOSTS] == 3)][:2]
    seen = held(FABRIC.swapped(rows[:1], rows[1:]))
    assert counts(seen) == (830, 2, 0, 0) and seen.exit_code == 1
    (finding,) = seen.findings
    assert finding.cause == "two cables are exchanged: leaf-0000-r3 port 1 and leaf-0000-r3 port 2"
    assert len(seen.repairs) == 2 and seen.details["exchanges"] == 1
    assert finding.evidence and finding.evidence[0].startswith("c:")


def test_rails_of_a_node_rotated() -> None:
    rows = HOSTS[(FABRIC.b[HOSTS] - FABRIC.is_switch.sum()) // 8 == 5]
    seen = held(replace(FABRIC, b=_put(FABRIC.b, rows, np.roll(FABRIC.b[rows], 1))))
    (finding,) = seen.findings
    assert "8 cables at gpu00005 are rotated" in finding.cause and seen.details["exchanges"] == 7


def _put(array: maker.Array, rows: maker.Array, values: maker.Array) -> maker.Array:
    out = array.copy()
    out[rows] = values
    return out


def test_a_block_shifted_into_a_free_port() -> None:
    rows = HOSTS[FABRIC.a[HOSTS] == 8]  # the second block has 8 nodes: ports 1-8 used, 9-32 free
    seen = held(replace(FABRIC, a_port=_put(FABRIC.a_port, rows, FABRIC.a_port[rows] + 1)))
    assert counts(seen) == (824, 7, 1, 1)
    (finding,) = seen.findings
    assert finding.cause == "a block of 8 cables at leaf-0001-r0 sits 1 port too high" and len(seen.repairs) == 8
    assert "warnings" not in seen.details, "the free port is part of the cause"
    assert seen.repairs[0].take.endswith("port 2") and seen.repairs[0].put.endswith("port 1"), "the free port first"


def test_a_cable_out_and_a_switch_off() -> None:
    assert counts(held(FABRIC.without(HOSTS[:1]))) == (831, 0, 1, 0)
    spine = int(FABRIC.b[UPLINKS[0]])
    gone = held(FABRIC.without(np.flatnonzero(FABRIC.b == spine)))
    (finding,) = gone.findings
    assert (finding.id, finding.subject, len(finding.subjects)) == ("FAB-002", "spine-000-00", 16)
    assert gone.repairs == ()


def test_two_leaves_in_each_others_place_are_one_cause() -> None:
    a = FABRIC.a.copy()
    a[FABRIC.a == 2], a[FABRIC.a == 5] = 5, 2
    seen = held(replace(FABRIC, a=a))
    assert seen.summary.wrong == 128 and len(seen.findings) == 1
    assert "leaf-0000-r2 and leaf-0000-r5 are exchanged in 64 cables" in seen.findings[0].cause


def test_links_beside_the_plan_are_warnings() -> None:
    part = replace(PLAN, tables={"links": PLAN.links.filter(pl.col("kind") == "node_leaf").tail(300)})
    seen = held(FABRIC, part)
    assert counts(seen) == (300, 0, 0, 20) and seen.exit_code == 0, "switch links are no class of this plan"
    (warning,) = seen.details["warnings"]
    assert warning["id"] == "FAB-003" and len(warning["subjects"]) == 20
    assert held(FABRIC, part, strict=True).exit_code == 1


def test_shuffled_rows_and_ends_say_the_same() -> None:
    rows = HOSTS[:4]
    facts = parse(maker.dump(FABRIC.swapped(rows[:2], rows[2:])), "c")
    turned = {"a_device": "b_device", "a_port": "b_port", "a_label": "b_label", "a_name": "b_name"}
    turned |= {v: k for k, v in turned.items()}
    uplinks = PLAN.links.filter(pl.col("b_nic").is_null())
    mixed = pl.concat([PLAN.links.filter(pl.col("b_nic").is_not_null()), uplinks.rename(turned).select(PLAN.links.columns)])
    shuffled = replace(PLAN, tables={"links": mixed.sample(fraction=1, shuffle=True, seed=3)})
    one, two = compare(PLAN, facts), compare(shuffled, facts)
    assert one.summary == two.summary
    assert {f.cause for f in one.findings} == {f.cause for f in two.findings}


def test_uplinks_of_two_tiers_exchanged_are_wrong_and_nothing_else() -> None:
    tall = maker.fabric(200)
    plan = Plan("tall", {"links": LINKS.conform(maker.links(tall))})
    low = np.flatnonzero(tall.is_switch[tall.b] & (tall.a < 50))[:3]
    high = np.flatnonzero(tall.is_switch[tall.b] & (tall.a >= 56))[:3]
    seen = held(tall.swapped(low, high), plan)
    assert counts(seen) == (len(tall.a) - 6, 6, 0, 0) and seen.details["exchanges"] == 3


def test_no_data_is_never_a_pass() -> None:
    for data in (b"", b"\n", maker.dump(FABRIC)[:300]):
        seen = compare(PLAN, parse(data, "c"))
        assert seen.summary == LinkSummary(planned=832, not_measured=832) and seen.exit_code == 3
    other = compare(
        PLAN,
        parse(maker.dump(maker.fabric(8)).replace(b"leaf", b"lurch").replace(b"gpu", b"cpu").replace(b"spine", b"spline"), "c"),
    )
    assert other.exit_code == 3 and other.summary.ok == 0


def test_a_cut_capture_leaves_links_open_and_never_calls_them_missing() -> None:
    whole = maker.dump(FABRIC)
    for cut in (len(whole) // 7, len(whole) // 3, len(whole) // 2):
        seen = compare(PLAN, parse(whole[:cut], "c"))
        assert seen.summary.wrong == 0 and seen.summary.missing == 0 and seen.exit_code == 3, cut
        assert seen.summary.not_measured + seen.summary.ok == 832


def test_one_cut_capture_of_several_is_not_forgotten() -> None:
    from asbuilt.workflow.captures import merge

    whole = maker.dump(FABRIC)
    other = maker.dump(maker.fabric(1))
    for here, there in (
        (b"c42a103", b"c42a1ff"),
        (b"c34da03", b"c34daff"),
        (b"leaf", b"lurch"),
        (b"spine", b"spline"),
        (b"gpu", b"cpu"),
    ):
        other = other.replace(here, there)
    facts = merge([parse(whole[: len(whole) // 7], "a"), parse(other, "b")])
    seen = compare(PLAN, facts).summary
    assert (seen.wrong, seen.missing) == (0, 0) and seen.not_measured > 0


def test_scope() -> None:
    links = PLAN.links.with_columns(
        pl.when(pl.col("a_device").str.starts_with("leaf-0000")).then(pl.lit("1")).otherwise(pl.lit("2")).alias("phase")
    )
    plan = replace(PLAN, tables={"links": links})
    early = FABRIC.without(np.flatnonzero(FABRIC.a >= 8))
    seen = held(early, plan, scope="phase=1")
    assert seen.exit_code == 0 and seen.summary.ok == 512 and seen.summary.out_of_scope == 320
    assert held(early, plan).exit_code == 1
    done = held(FABRIC, plan, scope={"phase": "1"})
    assert done.summary.unplanned == 0, "what is built ahead of its phase is planned all the same"
    for wrong in ("phase=9", "colour=red", "phase", "row=A"):
        with pytest.raises(ProblemError, match="CLI-054"):
            held(FABRIC, plan, scope=wrong)


def test_names_from_a_guid_list() -> None:
    blank = ["Quantum Mellanox Technologies" if s else "MT4129 ConnectX7   Mellanox Technologies" for s in FABRIC.is_switch]
    rows = HOSTS[:2]
    facts = parse(maker.dump(FABRIC.swapped(rows[:1], rows[1:]), descriptions=blank), "c")
    listed = pl.DataFrame({"guid": maker.guids(FABRIC), "name": FABRIC.names})
    seen = compare(PLAN, facts, guids=listed)
    assert counts(seen) == (830, 2, 0, 0)
    assert "gpu00000 mlx5_0" in seen.findings[0].found


def test_names_from_the_topology() -> None:
    blank = ["Quantum Mellanox Technologies" if s else "MT4129 ConnectX7   Mellanox Technologies" for s in FABRIC.is_switch]
    seen = compare(PLAN, parse(maker.dump(FABRIC, descriptions=blank), "c"))
    assert counts(seen) == (832, 0, 0, 0)
    assert any("cannot be seen" in n for n in seen.notes)
    some = [b if i % 5 else n for i, (b, n) in enumerate(zip(blank, FABRIC.names, strict=True))]
    up = UPLINKS[:2]
    crossed = compare(PLAN, parse(maker.dump(FABRIC.swapped(up[:1], up[1:]), descriptions=some), "c"))
    assert counts(crossed) == (830, 2, 0, 0), "most neighbours outvote a crossed cable"


def test_host_names_by_adapter_number_and_equal_names() -> None:
    said = [n if s else n.replace("mlx5_", "HCA-") for n, s in zip(FABRIC.names, FABRIC.is_switch, strict=True)]
    said = [f"{n[:-1]}{int(n[-1]) + 1}" if "HCA" in n else f"MF0;{n}:MQM9700/U1" for n in said]
    assert counts(held_with(said)) == (832, 0, 0, 0)
    said[-1] = said[-9]
    seen = held_with(said)
    # Two devices of one name are told apart by their place, and the name is the fault.
    assert seen.summary.ok == 832 and any("share 1 names" in n for n in seen.notes)
    assert [f.id for f in seen.findings] == ["FAB-014"] and seen.repairs == () and seen.exit_code == 1


def held_with(descriptions: list[str]) -> Verification:
    return compare(PLAN, parse(maker.dump(FABRIC, descriptions=descriptions), "c"))


def test_one_identity_on_two_ports() -> None:
    b = _put(FABRIC.b, HOSTS[1:2], FABRIC.b[HOSTS[:1]])
    facts = parse(maker.dump(replace(FABRIC, b=b)), "c")
    seen = compare(PLAN, facts)
    assert counts(seen) == (831, 1, 0, 0)
    (finding,) = seen.findings
    assert "two ports have the identity of gpu00000 mlx5_0" in finding.cause and seen.repairs == ()


def test_rates() -> None:
    plan = replace(PLAN, tables={"links": PLAN.links.with_columns(pl.lit(400.0).alias("rate_gbps"))})
    assert compare(plan, parse(maker.dump(FABRIC), "c")).exit_code == 0
    slow = compare(plan, parse(maker.dump(FABRIC, "2xNDR"), "c"))
    (finding,) = slow.findings
    assert finding.id == "FAB-004" and len(finding.subjects) == 832 and finding.found == "200.0 Gb/s (2xNDR)"
    unknown = compare(plan, parse(maker.dump(FABRIC, "4x???"), "c"))
    assert unknown.exit_code == 3 and unknown.findings[0].verdict is Verdict.NOT_MEASURED


def test_unread_rows_of_the_plan_leave_it_undecided() -> None:
    text = "#StartDevice,StartPort,EndDevice,EndPort\ngpu00000,gpu00000 mlx5_0,LEAF-0000-R0,Port 1\ngpu00001,what\n"
    seen = compare(ndt.read(text.encode(), "x.ndt"), parse(maker.dump(FABRIC), "c"))
    assert seen.summary.ok == 1 and seen.exit_code == 3
    assert "1 rows of x.ndt were not read" in seen.findings[0].cause


def test_aggregation_nodes_and_the_inside_of_a_director_are_no_cables() -> None:
    said = list(maker.fabric(1).names)
    small = maker.fabric(1)
    plan = Plan("p", {"links": LINKS.conform(maker.links(small))})
    kinds = [
        f"MF0;DIR:MCS8500/{'L' if n.startswith('leaf') else 'S'}01/U1" if s else n
        for n, s in zip(said, small.is_switch, strict=True)
    ]
    facts = parse(maker.dump(small, descriptions=[k.replace("L01", f"L{i:02d}") for i, k in enumerate(kinds)]), "c")
    assert compare(plan, facts).summary.unplanned == 8, "8 host cables on boards that nobody planned, no backplane link"
    dump = maker.dump(small).replace(b"gpu00000 mlx5_7", b"Mellanox Technologies Aggregation Node")
    seen = compare(plan, parse(dump, "c"))
    assert seen.summary.missing == 1 and seen.summary.unplanned == 0


def test_what_the_checks_judge_conforms() -> None:
    from asbuilt.diagnose.cabling_tables import PortNames, cabling_tables
    from asbuilt.diagnose.links import compare_links

    part = replace(PLAN, tables={"links": PLAN.links.tail(800)})
    facts: Facts = parse(maker.dump(FABRIC.without(HOSTS[:3])), "c")
    seen = compare_links(part, facts)
    tables = cabling_tables(part, seen, PortNames(part, seen))
    assert CABLING.faults(tables["cabling"].sort("link")) == []
    assert UNPLANNED_LINKS.faults(tables["unplanned_links"]) == []
