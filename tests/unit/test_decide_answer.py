"""The answer of `asbuilt decide` on a real site: sums, the winner, other inputs, trials, and every figure opened."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asbuilt.decide.answer as answering
import asbuilt.workflow.decide as use_case
from asbuilt.base.origin import Origin
from asbuilt.cli.decide import page
from asbuilt.cli.main import main
from asbuilt.decide import break_even, claims, runs, tornado
from asbuilt.decide.money import PARTS
from asbuilt.decide.simulate import Outcomes
from asbuilt.model.decision import Decision, Quantiles
from asbuilt.model.deployment import FAULT_KINDS
from asbuilt.workflow.decide import decide
from decide_sites import SMALL
from template_plans import made

RUNS = 60
KIND = {kind.id: k for k, kind in enumerate(FAULT_KINDS)}
#: Differences that are rounding of a sum, as a share of it.
ROUNDING = 1e-9


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Decision, str]]:
    """The answer with everything in it, and what `--json` prints of it; asked through the command."""
    folder = tmp_path_factory.mktemp("whole")
    kept: list[Decision] = []

    def keeping(*args: Any, **rest: Any) -> Decision:
        kept.append(decide(*args, **rest))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(use_case, "decide", keeping)
        patch.setattr(use_case, "_planned", planned)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert main(["-C", str(folder), "decide", SMALL, "--runs", str(RUNS), "--processes", "1", "--json"]) == 0
    yield kept[0], printed.getvalue()


_real = use_case._planned


def planned(source: str | None, folder: Path, size: str | None) -> Any:
    """The plan of the template as it is kept for all tests; another size, or a project, is planned."""
    return (made(SMALL), None) if (source, size) == (SMALL, None) else _real(source, folder, size)


@pytest.fixture
def arrangements_alone(monkeypatch: pytest.MonkeyPatch) -> dict[str, Outcomes]:
    """Nothing but the arrangements is worked out, for tests of these; their runs are kept here."""
    kept: dict[str, Outcomes] = {}
    real = answering.run

    def keeping(*args: Any) -> dict[str, Outcomes]:
        made = real(*args)
        kept.update(made)
        return made

    monkeypatch.setattr(use_case, "_planned", planned)
    monkeypatch.setattr(answering, "run", keeping)
    monkeypatch.setattr(answering, "variants", lambda *asked: ())
    monkeypatch.setattr(break_even, "cells", lambda *asked: ())
    monkeypatch.setattr(tornado, "swings", lambda *asked: ())
    monkeypatch.setattr(claims, "held", lambda ground: ())
    return kept


def plain(folder: Path, **rest: Any) -> Decision:
    return decide(SMALL, folder, **{"runs": RUNS, "processes": 1, **rest})


def stated(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text("schema: decide/v1\n" + text, encoding="utf-8")
    return path


# Sums and the winner


def test_parts_of_the_cost_add_up_to_the_whole_on_average(whole: tuple[Decision, str]) -> None:
    found, _ = whole
    assert [r.id for r in found.arrangements] == ["in-house", "specialist", "mixed"]
    for result in found.arrangements:
        assert set(result.parts) == set(PARTS)
        assert sum(part.mean for part in result.parts.values()) == pytest.approx(result.cost.mean, rel=ROUNDING)
        worked = {figure.id: figure for figure in found.worked}
        assert worked[f"{result.id}.cost"].value == result.cost.mean
        for part, spread in result.parts.items():
            assert worked[f"{result.id}.cost.{part}"].value == spread.mean
        for spread in (result.cost, result.acceptance_d, result.first_job_d, result.idle_gpu_h, *result.parts.values()):
            assert 0.0 <= spread.p10 <= spread.p50 <= spread.p90
        assert result.first_job_d.mean <= result.acceptance_d.mean


def test_in_each_run_the_parts_are_the_cost(arrangements_alone: dict[str, Outcomes], tmp_path: Path) -> None:
    found = plain(tmp_path)
    for result in found.arrangements:
        outcomes = arrangements_alone[result.id]
        np.testing.assert_allclose(outcomes.parts.sum(axis=1), outcomes.cost, rtol=ROUNDING)
        assert result.cost == Quantiles(*np.quantile(outcomes.cost, (0.1, 0.5, 0.9)).tolist(), outcomes.cost.mean())
        assert outcomes.cost.tolist() == list(result.cost_samples), "as few runs are all shown"


def test_the_winner_is_the_least_mean_and_the_rival_the_next(whole: tuple[Decision, str]) -> None:
    found, _ = whole
    order = sorted(found.arrangements, key=lambda r: r.cost.mean)
    assert [found.winner, found.rival] == [r.id for r in order[:2]]
    samples = np.stack([r.cost_samples for r in found.arrangements], axis=1)
    least = samples.argmin(axis=1) == [r.id for r in found.arrangements].index(found.winner)
    assert found.winner_share == least.mean() and 0.0 < found.winner_share <= 1.0
    for name in dict.fromkeys(line.variant for line in found.variants):
        lines = [line for line in found.variants if line.variant == name]
        assert [line.arrangement for line in lines] == [r.id for r in found.arrangements]
        assert [line.winner for line in lines] == [line is min(lines, key=lambda each: each.cost.mean) for line in lines]
    as_asked = [line for line in found.variants if line.variant == answering.AS_ASKED]
    assert [(line.cost, line.acceptance_d) for line in as_asked] == [(r.cost, r.acceptance_d) for r in found.arrangements]


def test_the_swings_begin_where_the_lead_is(whole: tuple[Decision, str]) -> None:
    found, _ = whole
    assert found.lead is not None and found.tornado
    for swing in found.tornado:
        assert swing.low_value < swing.high_value
        assert swing.changes_winner == (min(swing.at_low, swing.at_high) < 0.0)


# JSON


def test_the_json_holds_no_number_that_is_none(whole: tuple[Decision, str]) -> None:
    found, text = whole

    def refused(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    again = json.loads(text, parse_constant=refused)
    assert again["schema"] == "decision/v1" and again == json.loads(json.dumps(found.as_json()))
    assert again["arrangements"][0]["cost"]["p50"] == found.arrangements[0].cost.p50
    assert {entry["origin"] for entry in again["assumptions"]} >= {"published", "claimed", "assumed"}


# The same again, and other inputs


def test_one_seed_gives_one_answer_in_any_number_of_processes(
    arrangements_alone: dict[str, Outcomes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Three chunks, so that there is something to share.
    monkeypatch.setattr(runs, "CHUNK", 7)
    alone, shared = (plain(tmp_path, runs=20, processes=count) for count in (1, 2))
    assert alone == shared
    other = plain(tmp_path, runs=20, seed=2)
    assert [r.cost for r in other.arrangements] != [r.cost for r in alone.arrangements]


@pytest.mark.usefixtures("arrangements_alone")
def test_without_claims_nothing_is_claimed_and_the_answer_says_what_went(whole: tuple[Decision, str], tmp_path: Path) -> None:
    believed, _ = whole
    found = plain(tmp_path, without_claims=True)
    gone = [item for item in believed.assumptions if item.origin is Origin.CLAIMED]
    assert len(gone) > 5 and not [item.id for item in found.assumptions if item.origin is Origin.CLAIMED]
    now = {item.id: item for item in found.assumptions}
    for item in gone:
        assert item.removed is not None
        assert (now[item.id].low, now[item.id].high) == (item.removed.low, item.removed.high)
        assert (now[item.id].origin, now[item.id].source) == (Origin.ASSUMED, item.removed_why)
    (note,) = [note for note in found.notes if note.startswith("claims of sellers are left out, ")]
    assert [item.id for item in gone] == note.partition(": ")[2].split(", ")
    assert note in json.dumps(found.as_json())
    shown = said(page(found), "notes").replace("<wbr>", "")
    assert not [item.id for item in gone if item.id not in shown]
    # What is held against it under "claims left out" is this very answer.
    line = {s.arrangement: s.cost for s in believed.variants if s.variant == "claims left out"}
    assert line == {r.id: r.cost for r in found.arrangements}


@pytest.mark.usefixtures("arrangements_alone")
def test_another_size_is_another_site(whole: tuple[Decision, str], tmp_path: Path) -> None:
    found, (small, same) = whole[0], (plain(tmp_path, size=size, runs=8) for size in ("6racks", "192"))
    assert (found.gpus, found.racks["air"], small.gpus, small.racks["air"]) == (384, 12, 192, 6)
    assert small == same, "192 GPUs are six racks"
    counts = {c.operation: c.count for c in small.quantities}
    for counted in found.quantities:
        assert counts[counted.operation] <= counted.count
    assert counts["node_mount"] < 0.6 * next(c.count for c in found.quantities if c.operation == "node_mount")
    for less, more in zip(small.arrangements, found.arrangements, strict=True):
        assert less.parts["insurance"].mean < 0.6 * more.parts["insurance"].mean
        assert less.idle_gpu_h.mean < more.idle_gpu_h.mean
    assert small.plan_hash != found.plan_hash


@dataclass(frozen=True)
class Fed:
    """A number stated, and the part of the cost that is exactly so many times it (what else it is made of, stated too)."""

    text: str
    ids: tuple[str, ...]
    part: str


FED = {
    "audit": Fed("money.audit_sample: 500", ("money.audit_sample",), "audit"),
    "idle": Fed("money.gpu_hour: 3.5", ("money.gpu_hour",), "idle"),
    "insurance": Fed(
        "money.equipment_gpu: 10000\n  money.insurance.own: 0.01\n  money.insurance.specialist: 0.01",
        ("money.equipment_gpu", "money.insurance.own", "money.insurance.specialist"), "insurance",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("arrangements_alone")
@pytest.mark.parametrize("case", FED)
def test_a_changed_number_changes_the_figure_that_it_feeds(case: str, whole: tuple[Decision, str], tmp_path: Path) -> None:
    before, fed = whole[0], FED[case]
    found = plain(tmp_path, file=stated(tmp_path, f"assumptions:\n  {fed.text}\n"), runs=20)
    now = {item.id: item for item in found.assumptions}
    for at, key in enumerate(fed.ids):
        assert (now[key].origin, now[key].source) == (Origin.DECLARED, f"own.yaml line {3 + at}")
    records = next(c.count for c in found.quantities if c.operation == "audit")
    times = {
        "audit": 500.0 * math.ceil(now["money.audit_share"].mean * records),
        "insurance": 0.01 * 10_000.0 * found.gpus,
    }
    for was, result in zip(before.arrangements, found.arrangements, strict=True):
        part = result.parts[fed.part]
        assert part.mean == pytest.approx(times.get(case, 3.5 * result.idle_gpu_h.mean), rel=ROUNDING)
        assert part.mean != was.parts[fed.part].mean
        worked = next(figure for figure in found.worked if figure.id == f"{result.id}.cost.{fed.part}")
        assert worked.value == part.mean and fed.ids[0] in worked.inputs


@pytest.mark.usefixtures("arrangements_alone")
def test_minutes_and_rates_of_the_project_move_dates_and_faults(tmp_path: Path) -> None:
    text = "assumptions:\n  work.node_accept.minutes: {}\n  fault.optic_dead.rate: {{low: {}, likely: {}, high: {}}}\n"
    short = plain(tmp_path, file=stated(tmp_path, text.format(10, 1e-4, 2e-4, 4e-4)), runs=40)
    long = plain(tmp_path, file=stated(tmp_path, text.format(600, 1e-2, 2e-2, 4e-2)), runs=40)
    for less, more in zip(short.arrangements, long.arrangements, strict=True):
        assert less.acceptance_d.p50 < more.acceptance_d.p50
        few, many = (sum(f.mean for f in r.faults if f.fault == "optic_dead") for r in (less, more))
        assert many > 20.0 * max(few, 0.1)
        assert less.parts["replacements"].mean < more.parts["replacements"].mean


# What was found before: past sites and a trial rack


def faults_of(kept: dict[str, Outcomes], arrangement: str, kind: str) -> np.ndarray:
    counts: np.ndarray = kept[arrangement].caught[:, KIND[kind]].sum(axis=1, dtype=np.float64)
    return counts


@pytest.mark.parametrize("how", ["history", "trial"])
def test_what_was_found_moves_the_middle_and_narrows_the_spread(
    how: str, arrangements_alone: dict[str, Outcomes], tmp_path: Path
) -> None:
    """More dirty connectors than taken until then, in enough of them to be sure."""
    kind, count = "connector_dirty", 200
    before = plain(tmp_path, runs=count)
    was = {key: faults_of(arrangements_alone, key, kind) for key in ("in-house", "specialist")}
    rate = next(item for item in before.assumptions if item.id == f"fault.{kind}.rate")
    seen = round(1.5 * rate.likely * 20_000)
    (tmp_path / "past.csv").write_text(
        f"fault,operations,faults,party,when,source\n{kind},20000,{seen},own,2026-03,log 7\n", encoding="utf-8"
    )
    trial = f"trial:\n  - {{fault: {kind}, operations: 20000, faults: {seen}, party: own, source: log 7}}\n"
    found = plain(tmp_path, runs=count, file=stated(tmp_path, trial if how == "trial" else "history: past.csv\n"))
    learnt = next(item for item in found.assumptions if item.id == f"fault.{kind}.rate.own")
    assert learnt.origin is Origin.MEASURED and learnt.source.startswith("log 7")
    assert learnt.high - learnt.low < rate.high - rate.low and rate.likely < learnt.likely < 1.5 * rate.likely
    now = faults_of(arrangements_alone, "in-house", kind)
    assert np.median(now) > np.median(was["in-house"])
    assert np.ptp(np.quantile(now, (0.1, 0.9))) < np.ptp(np.quantile(was["in-house"], (0.1, 0.9)))
    # What own people leave dirty says nothing of what the specialist does.
    assert (faults_of(arrangements_alone, "specialist", kind) == was["specialist"]).all()
    parts = [{r.id: r.parts["rework"] for r in one.arrangements} for one in (before, found)]
    assert parts[1]["in-house"].p50 > parts[0]["in-house"].p50 and parts[1]["specialist"] == parts[0]["specialist"]


# Every figure of the report opens


@dataclass
class Opened(HTMLParser):
    """What stands in each figure that opens, and in each worked figure: text by the term before it."""

    figures: list[dict[str, str]] = field(default_factory=list)
    term: str = ""
    inside: bool = False
    depth: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = (dict(attrs).get("class") or "").split()
        if (tag, "fig" in names) == ("details", True) or (tag, "working" in names) == ("article", True):
            self.figures.append({"kind": tag})
            self.inside, self.term = True, "shown"
        elif self.inside and tag in ("dt", "dd"):
            self.term = "" if tag == "dt" else self.term
            self.depth = 1 if tag == "dt" else 0

    def handle_endtag(self, tag: str) -> None:
        if tag in ("details", "article"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if not self.inside or not data.strip():
            return
        if self.depth and not self.term:
            self.term, self.depth = data.strip(), 0
        else:
            self.figures[-1][self.term] = f"{self.figures[-1].get(self.term, '')} {data.strip()}".strip()


def said(text: str, anchor: str) -> str:
    """The page from an anchor on."""
    return text[text.index(f'id="{anchor}"') :]


def test_every_figure_opens_to_formula_source_and_origin(whole: tuple[Decision, str]) -> None:
    found, _ = whole
    text = page(found)
    reader = Opened()
    reader.feed(text)
    compared = [figure for figure in reader.figures if figure["kind"] == "details"]
    # Cost and its parts, three times, faults by stage, rework twice, people and hands.
    assert len(compared) >= len(found.arrangements) * (1 + len(PARTS) + 3 + 5 + 2 + 2)
    for figure in compared:
        assert figure["shown"] and figure["Formula"] not in ("", "not recorded"), figure
        assert figure["Origin"].split(";")[0] in {str(origin) for origin in Origin}, figure
        assert f"{RUNS} simulated deployments, seed 1, plan {found.plan_hash[:11]}" in figure["Source"], figure
    worked = [figure for figure in reader.figures if figure["kind"] == "article"]
    shown = [figure for figure in found.worked if not figure.id.startswith("quantity.")]
    assert len(worked) == len(shown)
    for figure, made_of in zip(worked, shown, strict=True):
        assert made_of.id in figure["shown"] and str(made_of.origin) in figure["shown"]
        assert figure["Formula"] not in ("", "not recorded"), figure
    assert f"Source of each: {RUNS} simulated deployments, seed 1, plan" in said(text, "worked")


def test_every_input_of_a_figure_is_listed(whole: tuple[Decision, str]) -> None:
    found, _ = whole
    listed = {item.id for item in found.assumptions} | {figure.id for figure in found.worked}
    for figure in found.worked:
        assert figure.formula and figure.label and set(figure.inputs) <= listed, figure.id
    for item in found.assumptions:
        assert item.source and item.meaning and item.low <= item.likely <= item.high, item.id
    for counted in found.quantities:
        assert counted.source and counted.meaning and counted.unit, counted.operation
    assert "(not listed)" not in page(found)


def test_the_premium_of_a_mixed_crew_says_whose_labour_it_is_of(whole: tuple[Decision, str]) -> None:
    found = whole[0]
    rate = next(item.mean for item in found.assumptions if item.id == "money.premium.specialist")
    for result in found.arrangements:
        note = next(figure.note for figure in found.worked if figure.id == f"{result.id}.cost.premium")
        if len(set(result.parties.values())) == 1:
            assert note == ""
        else:
            base = result.parts["premium"].mean / rate
            assert note == f"the specialist's share of the labour: {base:,.0f} {found.currency}"
            assert 0.0 < base < result.parts["labour"].mean
