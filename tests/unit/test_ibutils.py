"""The topology for ibutils: every planned link once, types with their ports, names that its grammar cannot carry."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.artefacts.ibutils import topo
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from little_fabric import little_plan


def cables(files: dict[str, bytes], subnet: str = "ib0") -> set[tuple[str, str, str, str]]:
    """(system, plug, far system, far plug) of every line of the topology."""
    found, system = set(), ""
    for line in files[f"ibutils/{subnet}.topo"].decode().splitlines():
        if head := re.fullmatch(r"(\S+) (\S+)", line):
            assert f"ibutils/{head[1]}.ibnl" in files
            system = head[2]
        elif line:
            row = re.fullmatch(r"   (P\d+) -4x-10G-> (\S+) (\S+) (\S+)", line)
            assert row and f"ibutils/{row[2]}.ibnl" in files, line
            found.add((system, row[1], row[3], row[4]))
    return found


def test_every_planned_link_stands_once_below_its_reference_end() -> None:
    plan = little_plan(nodes=3, rails=4, oob=True)
    files = topo(plan)
    names = [line.split("\t") for line in files["ibutils/ib0.names.tsv"].decode().splitlines()[1:]]
    unit = {name: (host, number) for host, number, name in names}
    wanted = set()
    for row in plan.links.filter(pl.col("plane") == "compute").iter_rows(named=True):
        host, number = unit.get(row["b_name"], (row["b_name"], ""))
        far = f"{number}/P{row['b_port']}" if number else f"P{row['b_port']}"
        wanted.add((row["a_name"], f"P{row['a_port']}", host, far))
    assert cables(files) == wanted and len(wanted) == 3 * 4 + 4 * 4


def test_types_have_the_ports_of_their_devices() -> None:
    files = topo(little_plan(nodes=3, rails=2))
    text = files["ibutils/QM9700_7.ibnl"].decode()
    assert text.startswith("TOPSYSTEM QM9700_7\n\nNODE SW 7 MT54002 U1\n1 -4x-10G-> P1\n")
    assert len(re.findall(r"(?m)^\d+ -4x-10G-> P\d+$", text)) == 7
    host = files["ibutils/HOST2_MT4129_1.ibnl"].decode()
    assert host == (
        "TOPSYSTEM HOST2_MT4129_1\n\nNODE CA 1 MT4129 U1\n1 -4x-10G-> U1/P1\n\nNODE CA 1 MT4129 U2\n1 -4x-10G-> U2/P1\n"
    )


def test_adapters_are_counted_by_their_number_not_by_letters() -> None:
    names = topo(little_plan(nodes=1, rails=12))["ibutils/ib0.names.tsv"].decode().splitlines()
    assert names[1:4] == ["gpu000\tU1\tgpu000 mlx5_0", "gpu000\tU2\tgpu000 mlx5_1", "gpu000\tU3\tgpu000 mlx5_2"]
    assert names[11] == "gpu000\tU11\tgpu000 mlx5_10"


def test_hosts_with_other_adapters_are_of_another_type() -> None:
    plan = little_plan(nodes=2, rails=2)
    links = plan.links.filter(~((pl.col("b_device") == "node:0001") & (pl.col("b_nic") == "mlx5_1")))
    nics = plan.table("nics").with_columns(
        pl.when(pl.col("node") == "node:0001").then(pl.lit("unheard-of")).otherwise("part").alias("part")
    )
    files = topo(replace(plan, tables={**plan.tables, "links": links, "nics": nics}))
    assert {name for name in files if "HOST" in name} == {"ibutils/HOST2_MT4129_1.ibnl", "ibutils/HOST1_MT0_1.ibnl"}


def renamed(plan: Plan, old: str, new: str) -> Plan:
    links = plan.links.with_columns(pl.col("a_name", "b_name").str.replace_all(old, new, literal=True))
    switches = plan.table("switches").with_columns(pl.col("name").str.replace_all(old, new, literal=True))
    return replace(plan, tables={**plan.tables, "links": links, "switches": switches})


@pytest.mark.parametrize("name", ["LEAF 01", "LEAF/01", "LEAF#01", "-LEAF", "LEAF\n01", "L" * 65])
def test_a_name_that_the_grammar_cannot_carry_is_refused(name: str) -> None:
    with pytest.raises(ProblemError) as caught:
        topo(renamed(little_plan(), "LEAF-01", name))
    assert "ART-001" in str(caught.value) and "an ibutils topology" in str(caught.value)


def test_plans_without_infiniband_give_nothing() -> None:
    assert topo(little_plan(technology="ethernet")) == {}
    assert topo(Plan("partial", {"links": little_plan().links})) == {}
    assert topo(little_plan()) == topo(little_plan())
