"""Work packages of the crews: every item once, cut into shifts, printed with boxes; and the two export targets."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace

import polars as pl
import pytest

from asbuilt.artefacts.crew_lines import COLUMNS, SHIFT_SIZE, work_lines
from asbuilt.artefacts.crew_sheets import BOXES, CREWS, crew_sheets, source
from asbuilt.artefacts.label_sheets import compiled
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from asbuilt.plan.labels import label_records
from asbuilt.workflow.export import TARGETS, make
from template_plans import made

PLAN = "gb300-nvl72"


@pytest.fixture(scope="module")
def lines() -> pl.DataFrame:
    return work_lines(made(PLAN))


def test_everything_that_is_labelled_is_a_line_once(lines: pl.DataFrame) -> None:
    labelled = label_records(made(PLAN)).select("item", "tail").unique()
    worked = lines.filter(pl.col("kind") != "fitting").select("item", "tail")
    assert worked.is_unique().all()
    assert set(worked.rows()) == set(labelled.rows())


def test_every_joint_of_the_loops_is_signed_for(lines: pl.DataFrame) -> None:
    joints = made(PLAN).table("fittings").filter(pl.col("phase").is_not_null())
    assert joints.height and set(lines.filter(pl.col("kind") == "fitting")["item"]) == set(joints["fitting"])


def test_shifts_hold_what_a_crew_does_and_follow_the_order_of_work(lines: pl.DataFrame) -> None:
    for (crew, row), held in lines.group_by("crew", "row", maintain_order=True):
        size = SHIFT_SIZE[str(crew)]
        each = held.group_by("shift", maintain_order=True).len()
        assert each["shift"].to_list() == list(range(1, each.height + 1)), (crew, row)
        assert each["len"].to_list()[:-1] == [size] * (each.height - 1) and 1 <= each["len"][-1] <= size
        assert held["pull"].to_list() == sorted(held["pull"].to_list())


def test_the_size_of_a_shift_is_a_choice() -> None:
    small = work_lines(made(PLAN), {**SHIFT_SIZE, "rack": 2})
    racks = small.filter(pl.col("crew") == "rack")
    assert racks.group_by("row", "shift").len()["len"].max() == 2
    with pytest.raises(ValueError, match="a shift has at least one line"):
        work_lines(made(PLAN), {**SHIFT_SIZE, "rack": 0})


def test_files(monkeypatch: pytest.MonkeyPatch) -> None:
    import asbuilt.artefacts.crew_sheets as room

    monkeypatch.setattr(room, "MOST_LINES", 500)
    files = crew_sheets(made(PLAN))
    assert {f"crew-sheets/{crew}.csv" for crew in CREWS} <= set(files)
    cables = pl.read_csv(io.BytesIO(files["crew-sheets/cable.csv"]), infer_schema=False)
    assert tuple(cables.columns) == COLUMNS
    told = files["crew-sheets/README.txt"].decode()
    printed = {f.removeprefix("crew-sheets/") for f in files if f.endswith(".pdf")}
    assert printed and printed == set(re.findall(r"^  (\S+\.pdf) +\d+ lines", told, re.MULTILINE))
    assert "cable-A.pdf              not printed:" in told
    assert all(files[f"crew-sheets/{name}"].startswith(b"%PDF") for name in printed)


def test_equal_plans_give_equal_bytes(lines: pl.DataFrame) -> None:
    some = lines.filter((pl.col("crew") == "power") & (pl.col("row") == "A")).head(60)
    assert compiled(source(some, "power", "A", "x")) == compiled(source(some, "power", "A", "x"))


def test_a_package_starts_on_a_page_of_its_own(lines: pl.DataFrame) -> None:
    some = lines.filter((pl.col("crew") == "liquid") & (pl.col("row") == "A"))
    few = some.group_by("shift", maintain_order=True).head(3)
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", compiled(source(few, "liquid", "A", "x"))))
    assert pages == few["shift"].n_unique() >= 2
    text = source(few, "liquid", "A", "x")
    assert all(f'"{box}"' in text for box in BOXES["liquid"])


def test_hostile_names_are_text(lines: pl.DataFrame) -> None:
    bad = '#panic("x") "\\ $*_`@<b>=1+1'
    one = lines.filter(pl.col("crew") == "cable").head(2).with_columns(pl.lit(bad).alias("own"), pl.lit(bad).alias("part"))
    assert compiled(source(one, "cable", bad, bad)).startswith(b"%PDF")


def test_an_empty_plan_has_no_sheets() -> None:
    assert crew_sheets(Plan("nothing", {})) == {}


def test_both_targets_are_offered() -> None:
    plan = made("l40s-384")
    tables = {
        name: plan.table(name).head(2) if name in ("jumpers", "racks") else plan.table(name) for name in ("racks", "jumpers")
    }
    little = replace(plan, tables={**tables, "switches": plan.table("switches"), "nodes": plan.table("nodes")})
    files = make(little, ("labels", "crew-sheets"))
    assert {"labels/labels.csv", "labels/README.txt", "crew-sheets/cable.csv", "crew-sheets/rack.csv"} <= set(files)
    assert TARGETS["labels"].unrehearsed and TARGETS["crew-sheets"].unrehearsed


def test_without_typst_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ProblemError) as caught:
        compiled("#let a = 1")
    assert str(caught.value) == (
        "ART-010 printable labels and sheets for the crews need typst, which is not installed\n"
        "  why: their pages are set by it; `labels.csv` is made with them\n"
        "  fix: pip install typst, or export without labels and crew-sheets\n1 problem"
    )
