"""CSV for spreadsheets: the bytes of the csv module where nothing is risky, a quote in front where a cell could act."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest

from asbuilt.artefacts.delimited import guarded, write_csv


def written(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    write_csv(frame, out)
    return out.getvalue()


def test_bytes_are_those_of_the_csv_module() -> None:
    frame = pl.DataFrame({"name": ["leaf-1", 'a "b"', "c,d", "0e1"], "port": [1, 2, 3, 4], "rate": [400.0, 0.5, 1e6, 25.0]})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(frame.iter_rows())
    assert written(frame).decode() == out.getvalue()


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-2", "@SUM(A1)", "\tx", "\rx", "\nx"])
def test_a_cell_that_could_act_is_quoted(cell: str) -> None:
    frame = pl.DataFrame({"name": ["Leaf", cell, "0-a"], "kind": ["a", None, "b"]})
    assert guarded(frame)["name"].to_list() == ["Leaf", "'" + cell, "0-a"]
    assert guarded(frame)["kind"].to_list() == ["a", None, "b"]


def test_nothing_to_guard() -> None:
    assert written(pl.DataFrame({"n": [1, 2]})) == b"n\n1\n2\n"
    assert written(pl.DataFrame(schema={"name": pl.String})) == b"name\n"
