"""What a machine must be: plan tables of nodes, thresholds from the requirement, the window of logged events."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asbuilt.base.problem import ProblemError
from asbuilt.catalogue.load import load
from asbuilt.checks.event_window import SINCE_BOOT, in_window, moment
from asbuilt.design.resolve import resolve
from asbuilt.diagnose.node_tables import node_tables
from asbuilt.model.decode_requirement import decode
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.requirement import Requirement
from asbuilt.model.requirement_nodes import Memory, Nodes
from asbuilt.plan.expectations_nodes import node_rows
from controls.control_file import measured_facts, table
from template_plans import expanded

CATALOGUE = load()


def rows(system: str, nodes: Nodes | None = None) -> dict[str, dict[str, object]]:
    asked = Requirement(name="x", system=system, gpus=72, nodes=nodes or Nodes())
    return {str(r["id"]): r for r in node_rows(resolve(asked, CATALOGUE), CATALOGUE)}


def test_traits_of_three_kinds_of_systems() -> None:
    kinds = {}
    for template in ("l40s-384", "dgx-h100-superpod", "gb300-nvl72"):
        row = expanded(template).table("node_traits").row(0, named=True)
        kinds[template] = (row["nvlink"], row["domain_gpus"], row["fabric_manager"], row["switch_trays"], row["switch_chips"])
    assert kinds == {
        "l40s-384": ("none", 1, False, None, 0),
        "dgx-h100-superpod": ("switch", 8, True, None, 4),
        "gb300-nvl72": ("domain", 72, False, 9, 18),
    }


def test_the_seven_card_functions_of_the_example_are_of_three_parts() -> None:
    plan = expanded("l40s-384")
    mine = plan.table("nics").filter((pl.col("node") == "node:0000") & (pl.col("plane") != "oob"))
    known = mine.join(plan.table("hardware").filter(pl.col("pci_ids").is_not_null()), on="part")
    assert known.height == 7 and known["pci_ids"].n_unique() == 3


def test_memory_that_the_requirement_states_goes_before_the_catalogue() -> None:
    from asbuilt.plan.nodes.hardware import trait_row

    def traits(memory: Memory) -> dict[str, object]:
        asked = Requirement(name="x", system="dgx-h100", gpus=64, nodes=Nodes(memory=memory))
        return trait_row(resolve(asked, CATALOGUE), CATALOGUE)

    stock, own = traits(Memory()), traits(Memory(dimms=16, dimm_gib=128, speed_mts=5600))
    assert (stock["dimms"], stock["dimm_gib"], stock["memory_gib"], stock["dimm_mts"]) == (32, 64.0, 2048.0, None)
    assert (own["dimms"], own["dimm_gib"], own["memory_gib"], own["dimm_mts"]) == (16, 128.0, 2048.0, 5600.0)


def test_what_is_stated_is_declared_and_the_rest_is_assumed() -> None:
    default, stated = rows("l40s-8gpu"), rows("l40s-8gpu", Nodes(nps=4, iommu="enabled", acs="enabled", bios={"SNC": "Off"}))
    assert (default["NOD-014/*"]["value"], default["NOD-014/*"]["origin"]) == ("1", "assumed")
    assert (stated["NOD-014/*"]["value"], stated["NOD-014/*"]["origin"]) == ("4", "declared")
    assert default["NOD-015/iommu"]["value"] == "disabled+passthrough" and stated["NOD-015/iommu"]["value"] == "enabled"
    assert stated["NOD-023/*"]["value"] == "enabled" and stated["NOD-016/setting=SNC"]["value"] == "Off"
    assert all(r["source"] and r["origin"] for r in (*default.values(), *stated.values()))


def test_modules_follow_the_cards() -> None:
    assert "NOD-054/module=ib_umad" in rows("l40s-8gpu")
    assert "NOD-054/module=mlx5_ib" in rows("mi300x-8gpu") and "NOD-054/module=ib_umad" not in rows("mi300x-8gpu")
    assert [k for k in rows("mi300x-8gpu", Nodes(kernel_modules=("bnxt_re",))) if k.startswith("NOD-054")] == [
        "NOD-054/module=bnxt_re"
    ]


def test_trays_of_a_rack_have_no_power_supplies_of_their_own() -> None:
    assert rows("dgx-h100")["NOD-063/*"]["value"] == "6" and "NOD-063/*" not in rows("gb300-nvl72")


def test_settings_are_words_that_yaml_does_not_change() -> None:
    text = "schema: requirement/v1\nname: x\nsystem: l40s-8gpu\ngpus: 8\nnodes:\n  acs: on\n"
    with pytest.raises(ProblemError) as caught:
        decode(text.encode(), "cluster.yaml")
    assert "cluster.yaml:6:8" in str(caught.value)


def logged(*events: dict[str, object], hours: str = "24", taken: str | None = "2026-11-30T10:00:00+00:00") -> pl.DataFrame:
    limit = {"id": "X/window", "check_id": "X", "selector": "window", "value": hours}
    nodes = [{"node": "node:0000", "name": "gpu000", "role": "compute"}]
    plan = Plan("x", {"expectations": table("expectations", [limit]), "nodes": table("nodes", nodes)})
    told = {"event_facts": [{"host": "gpu000", "source": "aer", "message": "m"} | e for e in events]}
    if taken:
        told["command_facts"] = [{"host": "gpu000", "command": "dmesg", "outcome": "ran", "time": taken}]
    facts = measured_facts(told)
    facts = Facts({**facts.tables, **node_tables(plan, facts).tables})
    return in_window(plan, facts, facts.tables["event_measured"], "X")


def test_the_window_ends_when_the_log_was_taken() -> None:
    kept = logged({"time": "2026-11-30T09:00:00+00:00", "code": "new"}, {"time": "2026-11-29T09:00:00+00:00", "code": "old"})
    assert kept.select("code", "placed").rows() == [("new", "within 24 h")]
    assert logged({"time": "2026-11-30T09:00:00+00:00"}, hours="0.5").is_empty()


def test_offsets_and_commas_of_dmesg_are_read() -> None:
    kept = logged({"time": "2026-11-30T11:30:00,123456+02:00"}, {"time": "2026-11-30T09:20:00,000000-01:00"}, hours="1")
    assert kept.height == 2
    texts = pl.DataFrame({"t": ["2026-11-30T11:30:00,5+02:00", "2026-11-30 09:30:00", "2026-11-30T09:30:00Z", "never", None]})
    assert texts.select(moment(pl.col("t")))["t"].dt.to_string("%H:%M").to_list() == ["09:30", "09:30", "09:30", None, None]


def test_without_a_manifest_the_last_event_ends_the_window() -> None:
    kept = logged({"time": "2026-11-30T09:00:00", "code": "new"}, {"time": "2026-11-28T09:00:00", "code": "old"}, taken=None)
    assert kept["code"].to_list() == ["new"]


def test_a_line_without_a_date_stands_with_the_one_before_it() -> None:
    kept = logged(
        {"time": "2026-11-20T09:00:00", "code": "old"}, {"code": "with it"}, {"time": "2026-11-30T09:00:00"}, {"code": "b"}
    )
    assert kept["code"].to_list() == [None, "b"]


def test_a_log_without_dates_counts_as_a_whole() -> None:
    kept = logged({"seconds": 3.0}, {"seconds": 900_000.0})
    assert kept["placed"].to_list() == [SINCE_BOOT, SINCE_BOOT]


@given(st.lists(st.one_of(st.none(), st.text(max_size=30)), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_any_text_for_a_time_is_placed_or_counts(times: list[str | None]) -> None:
    """No event of a log is lost for a time that nobody can read."""
    kept = logged(*({"time": t} for t in times))
    assert kept.height == len(times) or any(t and t[:4].isdigit() for t in times)


def test_a_majority_is_more_than_half_of_several() -> None:
    from asbuilt.checks.node_devices import usual

    def most(*values: int) -> int | None:
        frame = pl.DataFrame({"system": ["s"] * len(values), "v": list(values)})
        found = usual(frame, "v")["most_v"][0]
        return None if found is None else int(found)

    assert [most(1), most(1, 2), most(1, 1, 2), most(3, 3)] == [None, None, 1, 3]


def test_a_path_that_bites_its_tail_ends() -> None:
    from asbuilt.checks.node_devices import paths
    from controls.control_file import HERE, plan_of, read

    control = read(HERE / "little-nodes.yaml")
    rows = [r | ({"parent": "0000:14:00.0"} if r["address"] == "0000:10:01.0" else {}) for r in control["facts"]["pci_facts"]]
    plan, facts = plan_of(control, HERE), measured_facts(control["facts"] | {"pci_facts": rows})
    facts = dataclasses.replace(facts, tables=facts.tables | node_tables(plan, facts).tables)
    path = paths(plan, facts).filter((pl.col("node") == "node:0000") & (pl.col("address") == "0000:14:00.0"))
    assert path.sort("step")["at"].to_list() == ["0000:14:00.0", "0000:12:01.0", "0000:11:00.0", "0000:10:01.0"]
