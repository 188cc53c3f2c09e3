"""The project's GUID list: taken where it names an end port, and every wrong line told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.workflow.plan import compile_project, open_plan

SMALL = "schema: requirement/v1\nname: small\nsystem: dgx-h100\ngpus: 64\n"
LEAF = "sw:compute/leaf-b000-l0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster.yaml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def listed(folder: Path, *lines: str) -> None:
    (folder / "guids.csv").write_text("\n".join(("guid,name", *lines)) + "\n", encoding="utf-8")


def port(plan: Plan, key: str) -> dict[str, object]:
    return plan.table("lids").row(by_predicate=pl.col("port") == key, named=True)


def told(folder: Path, *lines: str) -> str:
    listed(folder, *lines)
    with pytest.raises(ProblemError) as caught:
        compile_project(folder)
    return caught.value.problems.render().replace(str(folder), "x")


def test_made_guids_are_assumed_and_locally_administered(folder: Path) -> None:
    lids = compile_project(folder).table("lids")
    assert set(lids["guid_origin"]) == {"assumed"}
    assert lids["node_guid"].str.starts_with("02").all()
    nics = lids.filter(pl.col("nic").is_not_null()).select(
        pl.col("node_guid", "port_guid").str.to_integer(base=16, dtype=pl.UInt64), "number"
    )
    assert (nics["port_guid"] - nics["node_guid"] == nics["number"]).all()


def test_a_declared_guid_is_the_port_guid_and_keeps_the_lid(folder: Path) -> None:
    before = compile_project(folder)
    nic = before.table("lids").filter(pl.col("role") == "node").sort("port").row(0, named=True)
    listed(folder, f"0c42a1030079aeec,{nic['name']}", f"b83fd20300a1b2c0,{LEAF}")
    after = compile_project(folder)
    assert after.plan_hash != before.plan_hash
    own = port(after, nic["port"])
    assert (own["port_guid"], own["node_guid"], own["guid_origin"]) == ("0c42a1030079aeec", "0c42a1030079aeec", "declared")
    assert own["lid"] == nic["lid"]
    switch, beside = port(after, f"{LEAF}#0"), port(after, f"{LEAF}#0+agg")
    assert (switch["node_guid"], switch["guid_origin"]) == ("b83fd20300a1b2c0", "declared")
    assert (beside["node_guid"], beside["port_guid"], beside["guid_origin"]) == (
        "b83fd20300a1b2c8",
        "b83fd20300a1b2c9",
        "assumed",
    )
    same = pl.col("guid_origin") == "assumed"
    rest = after.table("lids").filter(same, ~pl.col("port").str.starts_with(f"{LEAF}#"))
    assert rest.join(before.table("lids"), on=before.table("lids").columns, how="anti", nulls_equal=True).is_empty()


def test_a_manager_is_bound_to_the_declared_port(folder: Path) -> None:
    managers = compile_project(folder).table("subnet_managers").filter(pl.col("number") == 0)
    key = managers["port"][0]
    listed(folder, f"0c42a1030079aeec,{key}")
    assert compile_project(folder).table("subnet_managers").row(0, named=True)["port_guid"] == "0c42a1030079aeec"


def test_a_name_that_nothing_has_is_told_with_its_line(folder: Path) -> None:
    assert told(folder, "0c42a1030079aeec,node-0000 mlx5_0", "0c42a1030079aeed,node_0003 mlx5_0") == (
        "x/guids.csv:3:1: PLN-011 no end port is called 'node_0003 mlx5_0'\n"
        "  why: a GUID belongs to one end port of the plan\n"
        "  fix: did you mean node-0003 mlx5_0?\n"
        "1 problem"
    )


def test_a_name_that_many_have_is_told(folder: Path) -> None:
    text = told(folder, "0c42a1030079aeec,Mellanox Technologies Aggregation Node")
    assert "end ports of the plan answer with 'Mellanox Technologies Aggregation Node'" in text
    assert "fix: name it by its key (`asbuilt show lids`)" in text


def test_two_guids_of_one_port_are_told(folder: Path) -> None:
    assert told(folder, "0c42a1030079aeec,node-0000 mlx5_0", "0c42a1030079aeed,node-0000 mlx5_0") == (
        "x/guids.csv:3:1: PLN-011 'node-0000 mlx5_0' is given the GUIDs 0c42a1030079aeec (line 2) and 0c42a1030079aeed\n"
        "  why: an end port has one\n"
        "  fix: keep one of the two\n"
        "1 problem"
    )
    text = told(folder, "0c42a1030079aeec,node-0000 mlx5_0", "0c42a1030079aeed,node:0000/mlx5_0")
    assert "guids.csv:3:1: PLN-011 node:0000/mlx5_0 is given two GUIDs" in text


def test_no_guid_and_a_broken_line_are_told(folder: Path) -> None:
    assert "guids.csv:2:1: PLN-011 0000000000000000 is no GUID" in told(folder, "0000000000000000,node-0000 mlx5_0")
    assert "guids.csv:2:1: PAR-007 no GUID and name in this line" in told(folder, "node-0000 mlx5_0")


def test_a_list_that_cannot_be_read_is_told(folder: Path) -> None:
    (folder / "guids.csv").mkdir()
    with pytest.raises(ProblemError) as caught:
        compile_project(folder)
    assert caught.value.problems.items[0].code == "PRJ-006"


def test_thousands_of_unknown_names_are_counted(folder: Path) -> None:
    text = told(folder, *(f"0c42a10300{i:06x},nobody-{i}" for i in range(3000)))
    assert "PLN-011 and 2980 lines more" in text and text.count("PLN-011") == 21


def test_a_list_that_changed_is_said(folder: Path) -> None:
    compile_project(folder)
    assert not any("guids.csv" in warning for warning in open_plan(folder).warnings)
    listed(folder, "0c42a1030079aeec,node-0000 mlx5_0")
    assert open_plan(folder).warnings[0].startswith("guids.csv has changed since this plan was made")
