"""Classes of nodes by their versions: who is in them, what differs, what is told; and what is alike and not locked."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.diagnose.node_classes import class_details, class_notes, node_classes, unlocked_note
from asbuilt.model.plan import Plan
from asbuilt.model.tables_nodes import SOFTWARE


def planned(nodes: int, lock: dict[str, str] | None = None) -> Plan:
    table = pl.DataFrame(
        {"node": [f"node:{i:05d}" for i in range(nodes)], "name": [f"gpu{i:05d}" for i in range(nodes)]}
    ).with_columns(role=pl.lit("compute"), system=pl.lit("dgx-h100"))
    rows = [(c, None, v, "declared", f"software.{c}") for c, v in (lock or {}).items()]
    return Plan("x", {"nodes": table, "software": pl.DataFrame(rows, schema=SOFTWARE.polars(), orient="row")})


def told(nodes: int, packages: int = 2) -> pl.DataFrame:
    parts = [("driver", "570.86.15"), ("kernel", "5.15.0-126"), *((f"package:p{i}", "1.0") for i in range(packages))]
    facts = pl.DataFrame(parts, schema=["component", "version"], orient="row").with_columns(
        part=pl.lit(None, dtype=pl.String), device=pl.lit(None, dtype=pl.String)
    )
    return pl.DataFrame({"node": [f"node:{i:05d}" for i in range(nodes)]}).join(facts, how="cross")


def with_version(rows: pl.DataFrame, node: int, component: str, version: str) -> pl.DataFrame:
    here = (pl.col("node") == f"node:{node:05d}") & (pl.col("component") == component)
    return rows.with_columns(version=pl.when(here).then(pl.lit(version)).otherwise("version"))


def test_equal_nodes_are_one_class_and_no_line_is_told() -> None:
    classes = node_classes(planned(4), {"version_measured": told(4)})
    assert [(c.nodes, c.hosts, c.differs) for c in classes] == [(4, "gpu[00000-00003]", ())]
    assert class_notes(classes) == ()
    assert class_details(classes)["node_classes"]["count"] == 1


def test_what_differs_is_told_against_the_largest_class() -> None:
    rows = with_version(with_version(told(6), 1, "driver", "565.57.01"), 4, "driver", "565.57.01")
    rows = rows.filter(~((pl.col("node") == "node:00005") & (pl.col("component") == "package:p1")))
    assert class_notes(node_classes(planned(6), {"version_measured": rows})) == (
        "3 classes of nodes by their versions",
        "class gpu[00000,00002-00003] (3 nodes): the largest class of dgx-h100",
        "class gpu[00001,00004] (2 nodes): driver 565.57.01 in place of 570.86.15",
        "class gpu00005 (1 node): package:p1 not told (1.0 there)",
    )


def test_the_order_and_the_number_of_reports_do_not_matter() -> None:
    rows = told(5)
    twice = pl.concat([rows, rows.filter(pl.col("component") == "driver")]).sample(fraction=1.0, shuffle=True, seed=3)
    assert node_classes(planned(5), {"version_measured": twice}) == node_classes(planned(5), {"version_measured": rows})


@pytest.mark.parametrize("component", ["cmdline", "nic_firmware_offered"])
def test_what_is_of_one_machine_alone_makes_no_class(component: str) -> None:
    rows = pl.concat([told(3), told(3).filter(pl.col("component") == "driver").with_columns(component=pl.lit(component))])
    rows = with_version(rows, 1, component, "root=UUID=2")
    assert len(node_classes(planned(3), {"version_measured": rows})) == 1


def test_many_classes_are_counted_not_all_told() -> None:
    rows = told(20)
    for i in range(1, 19):
        rows = with_version(rows, i, "driver", f"565.{i}")
    notes = class_notes(node_classes(planned(20), {"version_measured": rows}))
    assert len(notes) == 14 and notes[-1] == "and 7 classes more: details of --json"


def test_nothing_told_is_no_class() -> None:
    assert node_classes(planned(2), {}) == () and class_details(()) == {}
    assert unlocked_note(planned(2), {}) == ()


def test_what_is_alike_and_not_locked_is_said() -> None:
    rows = told(3)
    assert unlocked_note(planned(3), {"version_measured": rows}) == ("alike, not locked: driver 570.86.15, kernel 5.15.0-126",)
    locked = planned(3, {"driver": "570.86.15"})
    assert unlocked_note(locked, {"version_measured": rows}) == ("alike, not locked: kernel 5.15.0-126",)
    odd = with_version(rows, 1, "kernel", "6.8")
    assert unlocked_note(locked, {"version_measured": odd}) == ()
    assert unlocked_note(planned(1), {"version_measured": told(1)}) == ()


def test_ten_thousand_nodes_are_classed() -> None:
    rows = with_version(told(10_000, 20), 77, "package:p3", "2.0")
    plan = planned(10_000)
    classes = node_classes(plan, {"version_measured": rows})
    assert [c.nodes for c in classes] == [9_999, 1]
    assert classes[1].differs == ("package:p3 2.0 in place of 1.0",)
