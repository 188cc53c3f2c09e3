"""Subnet facts held against the plan: resolved to planned ports, judged, told once by cause."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest

from asbuilt.base.poisson import upper_bound
from asbuilt.checks.registry import checks
from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import COUNTER_FACTS, MODULE_FACTS, PKEY_FACTS, SM_LOG_FACTS
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict, Verification
from asbuilt.plan.expectations_subnet import subnet_rows
from asbuilt.workflow.check import section
from asbuilt.workflow.compare import compare
from little_fabric import little_plan
from little_subnet import with_subnet
from perfect_subnet import changed, dropped, only, perfect, without

c = pl.col


@pytest.fixture(scope="module")
def plan() -> Plan:
    made = with_subnet(little_plan())
    return dataclasses.replace(made, tables={**made.tables, "expectations": pl.DataFrame(subnet_rows())})


@pytest.fixture(scope="module")
def facts(plan: Plan) -> Facts:
    return perfect(plan)


@pytest.fixture(scope="module")
def lid(plan: Plan) -> dict[str, int]:
    return dict(plan.table("lids").select("port", "lid").rows())


def findings(seen: Verification) -> list[Finding]:
    """Without the one that says that no capture shows a cable."""
    return [f for f in seen.findings if f.id != "FAB-001"]


def passed(seen: Verification) -> dict[str, int]:
    return {x.id: x.passed for x in seen.coverage}


def test_a_subnet_that_is_as_planned_passes_with_a_count_for_each_check(plan: Plan, facts: Facts) -> None:
    seen = compare(plan, facts)
    assert findings(seen) == []
    counts = passed(seen)
    assert (counts["FAB-005"], counts["FAB-010"], counts["FAB-016"], counts["FAB-021"]) == (32, 22, 22, 64)
    assert seen.exit_code == 3, "no capture shows a cable"


def test_kinds_that_nobody_captured_decide_nothing_unless_they_are_required(plan: Plan, facts: Facts) -> None:
    few = only(facts, "sm_facts", "name_facts")
    seen = compare(plan, few)
    assert findings(seen) == []
    open_ = {x.id for x in seen.coverage if x.not_measured}
    assert {"FAB-005", "FAB-006", "FAB-016", "FAB-021", "FAB-029", "FAB-031", "FAB-036"} <= open_
    (told,) = findings(compare(plan, few, required=("FAB-016", "FAB-010")))
    assert (told.id, told.verdict) == ("FAB-016", Verdict.NOT_MEASURED)
    assert told.cause == "FAB-016 was asked for and no capture of its kind was given"
    assert told.next == "capture smpquery pkeys of each end port; then compare again"


def test_what_a_given_capture_leaves_out_is_open(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    (told,) = findings(compare(plan, dropped(facts, "pkey_facts", c("lid") == lid["node:0001/mlx5_1"])))
    assert (told.id, told.verdict, told.subject) == ("FAB-016", Verdict.NOT_MEASURED, "node:0001/mlx5_1")
    assert told.cause == (
        "gpu001 mlx5_1 (at LEAF-02 port 2) is not measured though a capture of that kind was given "
        "(also FAB-017, FAB-018, FAB-019): not read"
    )


def test_captures_of_strangers_are_no_measurement(plan: Plan, facts: Facts) -> None:
    strange = PKEY_FACTS.conform(
        pl.DataFrame({"lid": [4711], "index": [0], "entry": [0xFFFF], "capture_id": ["x"], "line": [1]})
    )
    seen = compare(plan, Facts({"pkey_facts": strange}))
    (told,) = findings(seen)
    assert (told.id, told.verdict) == ("FAB-016", Verdict.NOT_MEASURED)
    assert "pkey_facts: one device could not be matched to the plan and were not judged: LID 4711" in seen.notes


def test_ports_are_known_by_name_when_the_guids_are_placeholders(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    """The real hardware has other GUIDs than the plan made up: names say who is who, and no GUID fails."""

    def real(frame: pl.DataFrame) -> pl.DataFrame:
        guids = [x for x in ("guid", "port_guid", "node_guid", "peer_guid") if x in frame.columns]
        return frame.with_columns(pl.concat_str([pl.lit("b83f"), c(x).str.slice(4)]).alias(x) for x in guids)

    moved = Facts({name: real(frame) for name, frame in facts.tables.items()})
    seen = compare(plan, moved)
    assert findings(seen) == [] and passed(seen) == passed(compare(plan, facts))
    (told,) = findings(
        compare(plan, changed(moved, "pkey_facts", (c("lid") == lid["node:0001/mlx5_1"]) & (c("index") == 1), entry=256))
    )
    assert (told.id, told.subject) == ("FAB-017", "node:0001/mlx5_1")


def test_a_lid_that_two_subnets_use_is_looked_up_beside_its_own_captures(plan: Plan, facts: Facts) -> None:
    """Captures of another fabric in another folder say of the same LIDs that they are theirs."""
    own = {n: f.with_columns((pl.lit("a/") + c("capture_id")).alias("capture_id")) for n, f in facts.tables.items()}
    other = facts.tables["name_facts"].with_columns(
        pl.concat_str([pl.lit("ff"), c("guid").str.slice(2)]).alias("guid"),
        pl.concat_str([pl.lit("other "), c("description")]).alias("description"),
        pl.lit("b/names").alias("capture_id"),
    )
    seen = compare(plan, Facts({**own, "name_facts": pl.concat([own["name_facts"], other])}))
    assert passed(seen)["FAB-016"] == 22
    alone = Facts({"name_facts": other, "pkey_facts": own["pkey_facts"]})
    assert passed(compare(plan, alone))["FAB-016"] == 0


def test_a_moved_index_of_a_whole_plane_is_one_finding(plan: Plan, facts: Facts) -> None:
    (told,) = findings(compare(plan, changed(facts, "pkey_facts", c("index") == 1, index=2)))
    assert told.id == "FAB-018" and len(told.subjects) == 16
    assert told.cause.startswith("all 16 ports of plane compute have a partition at another index: compute at index 2")


def test_limited_ports_on_one_leaf_are_one_finding(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    ports = [lid[f"node:000{n}/mlx5_2"] for n in range(4)]
    (told,) = findings(compare(plan, changed(facts, "pkey_facts", c("lid").is_in(ports) & (c("index") == 1), entry=0x100)))
    assert told.cause == "4 ports on LEAF-03 are a limited member of compute (0x0100) where a full member of compute is planned"
    assert told.where.startswith("rack:A-01 U1: gpu000 mlx5_2 (at LEAF-03 port 1); ")
    assert told.evidence == ("pkeys:5", "pkeys:13", "pkeys:21", "pkeys:29")


def test_a_manager_that_applies_no_qos_is_one_finding(plan: Plan, facts: Facts) -> None:
    flat = changed(facts, "sl2vl_facts", c("line") > 0, lanes=",".join("0" * 16))
    flat = changed(changed(flat, "vlarb_facts", c("vl") > 0, weight=0), "port_facts", c("port") > 0, high_limit=0)
    (told,) = findings(compare(plan, flat))
    assert told.id == "FAB-021" and len(told.subjects) == 64
    assert told.cause.startswith(
        "the manager does not apply the planned QoS: 64 ports of plane compute have neither mapping nor arbitration as planned"
    )


def test_a_table_that_is_all_zero_lacks_every_partition(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    one = c("lid") == lid["node:0001/mlx5_1"]
    blank = changed(dropped(facts, "pkey_facts", one & (c("index") == 1)), "pkey_facts", one, entry=0, index=None)
    (told,) = findings(compare(plan, blank))
    assert told.id == "FAB-016" and told.found == "no such entry; the table holds empty"
    assert told.expected == "limited member of default, full member of compute"


def test_could_be_wider_than_a_port_is_says_nothing(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    """ibsim says of every link that it could be 12X."""
    assert findings(compare(plan, changed(facts, "port_facts", c("port") > 0, width_could=12))) == []
    one = changed(facts, "port_facts", c("lid") == lid["node:0001/mlx5_1"], width=2, width_could=12)
    assert [f.found for f in findings(compare(plan, one))] == ["2xNDR"]
    one = changed(facts, "port_facts", c("lid") == lid["node:0001/mlx5_1"], width=2, width_could=4)
    assert [f.found for f in findings(compare(plan, one))] == ["2xNDR, could be 4xNDR"]


def test_an_sdr_lane_is_one_finding_not_two(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    one = changed(facts, "port_facts", c("lid") == lid["node:0001/mlx5_1"], width=1, speed="SDR")
    assert [f.id for f in findings(compare(plan, one))] == ["FAB-007"]


def test_a_manager_too_many_is_one_finding(plan: Plan, facts: Facts) -> None:
    stranger = (
        facts.tables["sm_facts"]
        .head(1)
        .with_columns(
            pl.lit("00000000deadbeef").alias("guid"),
            pl.lit(999, pl.Int64).alias("lid"),
            pl.lit(15, pl.Int64).alias("priority"),
            pl.lit(9, pl.Int64).alias("line"),
        )
    )
    two = Facts({**facts.tables, "sm_facts": pl.concat([facts.tables["sm_facts"], stranger])})
    (told,) = findings(compare(plan, two))
    assert told.id == "FAB-026" and told.found == "2 masters: gpu000 mlx5_0 and GUID 00000000deadbeef"


def test_the_standby_is_absent_only_where_a_list_says_so(plan: Plan, facts: Facts) -> None:
    alone = dropped(facts, "sm_facts", c("state") == "standby")
    (told,) = findings(compare(plan, alone))
    assert (told.id, told.verdict, told.found) == ("FAB-027", Verdict.FAIL, "it is in no list of managers")
    (told,) = findings(compare(plan, changed(alone, "sm_facts", c("state") == "master", listed=False)))
    assert (told.id, told.verdict) == ("FAB-027", Verdict.NOT_MEASURED)
    assert told.found == "no answer of a manager there, and no list of managers"
    assert told.next.startswith("capture saquery -s, which lists all managers, on the real fabric")


def test_after_a_failover_the_standby_is_master(plan: Plan, facts: Facts) -> None:
    over = changed(dropped(facts, "sm_facts", c("state") == "master"), "sm_facts", c("state") == "standby", state="master")
    (told,) = findings(compare(plan, over))
    assert told.id == "FAB-025" and told.found == "master on gpu000 mlx5_1"


def test_a_log_without_a_subnet_that_is_up_is_no_pass(plan: Plan, facts: Facts) -> None:
    quiet = changed(only(facts, "sm_log_facts"), "sm_log_facts", c("line") == 1, what="handover")
    (told,) = findings(compare(plan, quiet))
    assert (told.id, told.verdict, told.found) == ("FAB-029", Verdict.NOT_MEASURED, "no such line")


def test_what_lies_outside_the_scope_is_not_asked(plan: Plan, facts: Facts, lid: dict[str, int]) -> None:
    phases = pl.when(c("b_device") == "node:0003").then(pl.lit("2")).otherwise(pl.lit("1"))
    staged = dataclasses.replace(plan, tables={**plan.tables, "links": plan.links.with_columns(phases.alias("phase"))})
    away = [lid[f"node:0003/mlx5_{n}"] for n in range(4)]
    part = dropped(facts, "pkey_facts", c("lid").is_in(away))
    assert [f.id for f in findings(compare(staged, part))] == ["FAB-016"]
    assert findings(compare(staged, part, scope="phase=1")) == []


# Counters


def counters(plan: Plan, **second: float) -> Facts:
    """Two readings of every port, 1,200 s apart at a fifth of 400 Gb/s; the second one of node:0001/mlx5_1 as told."""
    names = {"SymbolErrorCounter": 7.0, "LinkErrorRecoveryCounter": 1.0, "LinkDownedCounter": 2.0, "PortRcvErrors": 3.0,
             "PortXmitDiscards": 4.0, "PortXmitData": 1e6, "PortRcvData": 1e6}  # fmt: skip
    rows = []
    for port, guid in plan.table("lids").filter(c("nic").is_not_null()).select("port", "port_guid").rows():
        for turn, time in enumerate(("2026-01-31T12:00:00Z", "2026-01-31T13:20:00+01:00")):
            for name, value in names.items():
                value += 3e12 * turn if name.endswith("Data") else 0.0
                value = second.get(name, value) if turn and port == "node:0001/mlx5_1" else value
                rows.append((guid, 1, name, value, time, "perf", len(rows) + 1))
    schema = ["guid", "port", "counter", "value", "time", "capture_id", "line"]
    return Facts({"counter_facts": COUNTER_FACTS.conform(pl.DataFrame(rows, schema=schema, orient="row"))})


def test_a_clean_window_passes_with_the_bound_that_it_supports(plan: Plan) -> None:
    seen = compare(plan, counters(plan))
    assert findings(seen) == []
    assert seen.notes[-1] == (
        "symbol errors: 16 ports pass; the weakest of them, node:0000/mlx5_0: 0 symbol errors in 1200.0 s at 400.0 Gb/s, "
        "0.2 of it loaded: at most 6.24e-15 per bit at 0.95"
    )


@pytest.mark.parametrize(
    ("second", "verdict", "found"),
    [
        ({"SymbolErrorCounter": 55.0}, "fail", "48 symbol errors in 1200.0 s at 400.0 Gb/s, 0.2 of it loaded: at most"),
        ({"SymbolErrorCounter": 9.0}, "not_measured", "the window is too short: 2 symbol errors"),
        ({"SymbolErrorCounter": 5.0}, "not_measured", "the counter went backwards: it was cleared, or the device restarted"),
        ({"SymbolErrorCounter": 65535.0}, "not_measured", "the counter stands at its highest value: clear it and read again"),
        ({"PortXmitData": 2e6, "PortRcvData": 2e6}, "not_measured", "no load in the window: 6.67e-08 of the rate moved"),
    ],
)  # fmt: skip
def test_what_a_window_says(plan: Plan, second: dict[str, float], verdict: str, found: str) -> None:
    told = [f for f in findings(compare(plan, counters(plan, **second))) if f.id == "FAB-031"]
    assert [(f.verdict.value, f.subject) for f in told] == [(verdict, "node:0001/mlx5_1")]
    assert told[0].found.startswith(found)


def test_one_reading_or_one_without_its_time_is_no_window(plan: Plan) -> None:
    both = counters(plan)
    first = dropped(both, "counter_facts", c("time").str.contains("13:20"))
    untimed = Facts({"counter_facts": both.tables["counter_facts"].with_columns(pl.lit(None, dtype=pl.String).alias("time"))})
    for facts in (first, untimed):
        told = findings(compare(plan, facts))
        assert {f.verdict for f in told} == {Verdict.NOT_MEASURED}
        assert {f.found for f in told} == {"one reading with its time, a window takes two"}


def test_half_of_chi_squared_quantiles() -> None:
    """Published tables of the chi-squared distribution: 0.95 at 2, 4, 10, 20 and 100 degrees of freedom, 0.99 at 10."""
    published = {2: 5.991, 4: 9.488, 10: 18.307, 20: 31.410, 100: 124.342}
    for freedom, quantile in published.items():
        assert 2 * upper_bound(freedom // 2 - 1, 0.95) == pytest.approx(quantile, abs=5e-4)
    assert 2 * upper_bound(4, 0.99) == pytest.approx(23.209, abs=5e-4)
    assert upper_bound(0, 0.95) == pytest.approx(2.995732, abs=1e-6)
    assert upper_bound(999_999, 0.95) == pytest.approx(upper_bound(1_000_000, 0.95), rel=1e-5)
    with pytest.raises(ValueError, match="no bound for -1 events"):
        upper_bound(-1, 0.95)


def test_facts_of_subnets_left_out_change_nothing(plan: Plan, facts: Facts) -> None:
    """A discovery alone keeps its verdict whatever else could have been captured."""
    names = without(facts, *(n for n in facts.tables if n != "name_facts"))
    assert findings(compare(plan, names)) == []


def test_a_sentence_of_a_check_is_never_cut_at_the_end_of_its_line() -> None:
    said = section(checks()["FAB-027"].doc, "Measured by")
    assert said.startswith("saquery -s") and said.endswith("is set where a manager runs.")
    assert section("Claim.\n\nWhy: one\ntwo: three.\nMeasured by: x\n\nSource: y", "Why") == "one two: three."


def test_raw_errors_that_move_between_two_readings_are_a_remark(plan: Plan) -> None:
    def raw(before: float, after: float) -> list[dict[str, object]]:
        rows = [
            {"host": host, "device": "mlx5_0", "quantity": "raw_ber", "value": value, "unit": "", "capture_id": day, "line": 9}
            for day, mine in (("monday", before), ("tuesday", after))
            for host, value in (("gpu000", 1e-8), ("gpu001", mine))
        ]
        tables = {"module_facts": MODULE_FACTS.conform(pl.DataFrame(rows))}
        seen = compare(plan, Facts(tables, {}, (), ""))
        return [w for w in seen.details.get("warnings", []) if w["id"] == "FAB-030"]

    (remark,) = raw(2e-9, 3e-6)
    assert remark["subjects"] == ["node:0001/mlx5_0"] and remark["evidence"] == ["tuesday:9"]
    assert remark["found"] == "3e-06 per bit, 2e-09 per bit in an earlier reading (monday:9)"
    assert remark["expected"] == "two readings of a port are at most 2 decades apart"
    assert raw(2e-9, 3e-9) == [] and raw(0.0, 3e-6) == []


def test_a_partition_file_that_was_not_read_is_one_finding_with_the_ports_that_lack_its_partitions(
    plan: Plan, facts: Facts, lid: dict[str, int]
) -> None:
    logged = [
        ("Jan 31 12:00:00 250002 [7F01] 0x01 -> PARSE ERROR: line 2: bad partition definition", 3),
        ("Jan 31 12:00:10 250002 [7F01] 0x01 -> PARSE ERROR: line 2: bad partition definition", 7),
    ]
    lines = [{"code": "PARSE ERROR", "what": "ignored", "message": m, "capture_id": "log", "line": n} for m, n in logged]
    gone = (c("lid") == lid["node:0001/mlx5_1"]) & (c("index") > 0)
    lost = dropped(facts, "pkey_facts", gone)
    (alone,) = findings(compare(plan, lost))
    assert alone.id == "FAB-016"
    tables = {**lost.tables, "sm_log_facts": SM_LOG_FACTS.conform(pl.DataFrame(lines))}
    (told,) = findings(compare(plan, dataclasses.replace(lost, tables=tables)))
    assert told.id == "FAB-029" and told.found.endswith("bad partition definition (2 times)")
    assert told.cause.endswith(f"; so one port has other partitions than planned (FAB-016; {alone.found})")
    assert told.subjects == ("log:3", "node:0001/mlx5_1") and set(alone.evidence) <= set(told.evidence)
