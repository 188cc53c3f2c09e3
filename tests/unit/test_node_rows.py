"""Rows of many answers made into frames at once: the same as a frame for each, and chunks as one."""

from __future__ import annotations

import polars as pl
import pytest

from asbuilt.model.facts import Facts
from asbuilt.model.facts_node import NUMA_FACTS, VERSION_FACTS
from asbuilt.parsers.fact_rows import RowTables, table
from asbuilt.workflow.node_rows import Answer, frames, together


def versions(*words: str, host: str | None = None) -> list[dict[str, object]]:
    return [{"component": w, "version": "1", "line": n, "host": host} for n, w in enumerate(words, start=1)]


def answer(rows: list[dict[str, object]], *hosts: str, made: bool = False) -> Answer:
    told = RowTables({VERSION_FACTS.name: (VERSION_FACTS, rows)}, "first/x")
    tables = {VERSION_FACTS.name: told[VERSION_FACTS.name]} if made else told
    return Answer(Facts(tables), "x", [(host, f"{host}/x") for host in hosts])


@pytest.mark.parametrize("hosts", [("a",), ("b", "a"), tuple("gfedcba")], ids=["one", "two", "many"])
@pytest.mark.parametrize("named", [None, "c"], ids=["of its node", "of a named host"])
def test_rows_and_frames_of_an_answer_give_one_table(hosts: tuple[str, ...], named: str | None) -> None:
    rows = versions("os", "kernel", "os", host=named)
    bulk, single = frames([answer(rows, *hosts)]), frames([answer(rows, *hosts, made=True)])
    assert bulk.keys() == single.keys() == {VERSION_FACTS.name}
    assert bulk[VERSION_FACTS.name].equals(single[VERSION_FACTS.name])
    assert bulk[VERSION_FACTS.name]["host"].unique().sort().to_list() == ([named] if named else sorted(hosts))


def test_a_thing_told_twice_by_one_text_is_one_row() -> None:
    rows = [{"numa": 0, "cpus": cpus, "line": 1, "host": None} for cpus in ("0-3", "0-7")]
    told = RowTables({NUMA_FACTS.name: (NUMA_FACTS, rows)}, "a/numactl")
    assert told.height(NUMA_FACTS.name) == 1
    made = frames([Answer(Facts(told), "numactl", [("a", "a/numactl")])])
    assert made[NUMA_FACTS.name]["cpus"].to_list() == ["0-3"]


def test_chunks_that_follow_one_another_are_not_sorted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [frames([answer(versions("os"), *pair)]) for pair in ("ab", "cd")]
    monkeypatch.setattr(pl.DataFrame, "sort", lambda *_: pytest.fail("sorted"))
    assert together(chunks)[VERSION_FACTS.name]["host"].to_list() == list("abcd")
    assert chunks == [{}, {}]  # what is told twice lies in memory twice


@pytest.mark.parametrize("second", ["bd", "ac", "ab"], ids=["one machine in both", "between", "all again"])
def test_chunks_that_overlap_are_one_table_in_order(second: str) -> None:
    chunks = [frames([answer(versions("os"), *pair)]) for pair in ("ab", second)]
    made = together(chunks)[VERSION_FACTS.name]
    assert made["host"].to_list() == sorted(set("ab") | set(second))
    assert not VERSION_FACTS.faults(made)


def test_tables_of_rows_are_those_of_frames() -> None:
    told = RowTables({VERSION_FACTS.name: (VERSION_FACTS, versions("os", "kernel")), "numa_facts": (NUMA_FACTS, [])}, "c")
    assert list(told) == [VERSION_FACTS.name] and not told.made  # a table without a row is none
    assert told[VERSION_FACTS.name].equals(table(VERSION_FACTS, versions("os", "kernel"), "c")[VERSION_FACTS.name])
    assert told.height("numa_facts") == 0
