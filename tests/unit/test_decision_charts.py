"""Charts of a decision: nothing on anything, nothing cut off, unknown is not 0, identity is not colour alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace

import pytest

from asbuilt.drawings.decision_cost import cost_distribution, cost_parts
from asbuilt.drawings.decision_crew import crew_by_week
from asbuilt.drawings.decision_faults import caught_at, faults_by_catch
from asbuilt.drawings.decision_hangs import MOST, next_measurements, tornado
from asbuilt.drawings.decision_ink import SERIES_DARK, SERIES_LIGHT, _look, hatch, series_css, ticks
from asbuilt.drawings.decision_map import break_even_map
from asbuilt.drawings.decision_time import MOST_ROWS, gantt, times, wait_d
from asbuilt.drawings.decision_words import days, letter, money, plain, racks_said, share, short, unit_of
from asbuilt.model.decision import Bar, CrewWeek, Decision, Quantiles
from decision_sample import hostile, sample
from drawing_boxes import colliding, cut, frame_of, texts

ROWS = [chr(ord("A") + i) for i in range(13)]
UNKNOWN = Quantiles(float("nan"), float("nan"), float("nan"), float("nan"))


def scaled(decision: Decision, factor: float) -> Decision:
    """Every amount of money and every number of faults times a factor."""

    def q(one: Quantiles) -> Quantiles:
        return Quantiles(one.p10 * factor, one.p50 * factor, one.p90 * factor, one.mean * factor)

    return replace(
        decision,
        arrangements=tuple(
            replace(
                r,
                cost=q(r.cost),
                parts={k: q(v) for k, v in r.parts.items()},
                cost_samples=tuple(v * factor for v in r.cost_samples),
                faults=tuple(replace(f, mean=f.mean * factor, cost=f.cost * factor) for f in r.faults),
                acceptance_d=q(r.acceptance_d),
                first_job_d=q(r.first_job_d),
                bars=tuple(replace(b, start_d=b.start_d * factor, end_d=b.end_d * factor) for b in r.bars),
            )
            for r in decision.arrangements
        ),
        tornado=tuple(replace(s, at_low=s.at_low * factor, at_high=s.at_high * factor) for s in decision.tornado),
        lead=None if decision.lead is None else decision.lead * factor,
        break_even=tuple(replace(c, margin=c.margin * factor) for c in decision.break_even),
        next_measurements=tuple(replace(m, worth=m.worth * factor) for m in decision.next_measurements),
    )


def still(decision: Decision) -> Decision:
    """The same without any spread: every quantile and every sample is the same value."""

    def q(one: Quantiles) -> Quantiles:
        return Quantiles(one.p50, one.p50, one.p50, one.p50)

    made = tuple(
        replace(r, cost=q(r.cost), cost_samples=(r.cost.p50,) * 9, acceptance_d=q(r.acceptance_d))
        for r in decision.arrangements
    )
    return replace(decision, arrangements=made)


CASES: dict[str, Callable[[], Decision]] = {
    "three": sample,
    "one": lambda: sample(1),
    "five, 100 weeks, 13 rows": lambda: sample(5, 100, ROWS),
    "tiny": lambda: scaled(sample(), 1e-9),
    "huge": lambda: scaled(sample(5), 1e9),
    "nothing": lambda: scaled(sample(), 0.0),
    "still": lambda: still(sample(1)),
    "hostile": hostile,
}


def every(decision: Decision, narrow: bool) -> dict[str, str]:
    results, currency = decision.arrangements, decision.currency
    origins = {a.id: str(a.origin) for a in decision.assumptions}
    made = {
        "cost": cost_distribution(results, currency, narrow),
        "parts": cost_parts(results, currency, narrow),
        "times": times(results, narrow),
        "gantt": gantt(results[-1], len(results) - 1, narrow),
        "faults": faults_by_catch(results, currency, narrow),
        "crew": crew_by_week(results, narrow),
        "tornado": tornado(decision.tornado, currency, decision.lead, (decision.winner, decision.rival), origins, narrow),
        "next": next_measurements(decision.next_measurements, currency, narrow),
        "map": break_even_map(decision.break_even, {r.id: r.name for r in results}, currency, (8, 2.5), narrow),
    }
    return {name: svg for name, svg in made.items() if svg}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_cut_off_and_no_text_on_another(case: str, narrow: bool) -> None:
    drawn = every(CASES[case](), narrow)
    assert len(drawn) >= 8
    for name, svg in drawn.items():
        assert frame_of(svg).right == (334 if narrow else 940), name
        assert cut(svg) == [], name
        assert colliding(texts(svg)) == [], name
        assert "nan" not in svg and "inf" not in svg.lower().replace("infe", ""), name


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_hostile_names_are_text_and_short(narrow: bool) -> None:
    for name, svg in every(hostile(), narrow).items():
        ET.fromstring(svg)
        assert "<script" not in svg and "\u202e" not in svg and "\x1b" not in svg, name


def test_unknown_is_said_and_not_drawn_as_nothing() -> None:
    made = sample(2)
    first = replace(
        made.arrangements[0], cost=UNKNOWN, first_job_d=UNKNOWN, parts={**made.arrangements[0].parts, "audit": UNKNOWN}
    )
    results = (first, made.arrangements[1])
    assert "A In-house" not in [t.what for t in texts(cost_distribution(results, "USD"))]
    assert "first job unknown d (P10 unknown, P90 unknown)" in [t.what for t in texts(times(results))]
    assert "Not drawn because unknown: third-party audit." in [t.what for t in texts(cost_parts(results, "USD"))]
    assert cost_distribution([replace(r, cost=UNKNOWN) for r in results], "USD") == ""
    said = [t.what for t in texts(next_measurements(made.next_measurements, "USD"))]
    assert "unknown" in said and "people who can work in one row: cost unknown" in said


def test_nothing_to_draw_is_no_picture() -> None:
    bare = [replace(r, faults=(), crew=(), bars=(), parts={}) for r in sample(2).arrangements]
    assert [faults_by_catch(bare, "USD"), crew_by_week(bare), gantt(bare[0], 0), cost_parts(bare, "USD")] == [""] * 4
    assert tornado((), "USD", None, ("", ""), {}) == "" and next_measurements((), "USD") == ""
    assert break_even_map((), {}, "USD") == ""


def test_the_tornado_is_sorted_and_at_most_fifteen() -> None:
    made = sample()
    svg = tornado(made.tornado, "USD", made.lead, ("Mixed", "In-house"), {"money.premium.specialist": "claimed"})
    said = [t.what for t in texts(svg)]
    assert len(made.tornado) > MOST and "The 15 widest of 18 swings." in said
    assert "! ◆ money.premium.specialist" in said
    assert sum(1 for s in said if re.search(r" to .* (min|ratio|USD/h)$", s)) == MOST
    assert said.index("! ◆ money.premium.specialist") < said.index("money.gpu_hour")


def test_critical_packages_are_marked_by_sign_and_outline() -> None:
    result = sample().arrangements[0]
    svg = gantt(result, 0)
    outlined = [e for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect") if e.get("class") == "crit"]
    critical = [b for b in result.bars if b.critical]
    assert len(outlined) == len(critical) + 1, "one more in the legend"
    assert sum(1 for t in texts(svg) if t.what.startswith("▸ ")) == len(critical)


def test_of_many_rows_those_on_the_critical_path_are_kept() -> None:
    rows = [f"R{i}" for i in range(40)]
    result = sample(1, 12, rows).arrangements[0]
    svg = gantt(result, 0)
    said = [t.what for t in texts(svg)]
    assert "row R39" in said and "site" in said and sum(s.startswith("row ") for s in said) == MOST_ROWS - 1
    assert "17 more rows, off the critical path, are not drawn; --json has them." in said


def test_days_of_the_run_count_from_the_hardware_and_the_wait_for_the_crew_is_drawn() -> None:
    result = sample(1).arrangements[0]
    last = max(b.end_d for b in result.bars)
    late = replace(result, acceptance_d=replace(result.acceptance_d, p50=last + 17.8))
    assert wait_d(late) == pytest.approx(17.8)
    svg = gantt(late, 0)
    said = [t.what for t in texts(svg)]
    assert "until the crew is there: 17.8 d" in said and "days from the first day of the hardware on site" in said
    soak = next(b for b in late.bars if b.package == "acceptance/soak")
    assert f"acceptance/soak: day {short(soak.start_d + 17.8)} to {short(soak.end_d + 17.8)}" in svg
    weeks = [t.what for t in texts(crew_by_week([late]))]
    assert "Days from the first day of the hardware on site to week 1: A 17.8." in weeks
    at_once = replace(result, acceptance_d=replace(result.acceptance_d, p50=last))
    assert wait_d(at_once) == 0 and not any("crew is there:" in t.what for t in texts(gantt(at_once, 0)))
    assert wait_d(replace(result, bars=())) == 0 and wait_d(replace(result, acceptance_d=UNKNOWN)) == 0


def test_two_ends_on_one_side_are_both_seen() -> None:
    made = sample()
    swing = replace(made.tornado[0], at_low=500_000.0, at_high=400_000.0, assumption="one.side")
    drawn = tornado((swing,), "USD", 300_000.0, ("Mixed", "In-house"), {})
    bars = [e for e in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect") if e.get("class") in ("s0", "s1")]
    outer, inner = bars[-2:]
    assert float(outer.get("width", 0)) > float(inner.get("width", 0)) and float(outer.get("height", 0)) > float(
        inner.get("height", 0)
    )
    said = [t.what for t in texts(drawn)]
    assert "500 k" in [s.replace("\u00a0", " ") for s in said] and "Solid line: both cost the same." in " ".join(said)


def test_a_stage_has_the_same_sum_everywhere() -> None:
    result = sample(1).arrangements[0]
    for catch in ("inspection", "node", "production"):
        figure = short(caught_at(result, catch))
        assert any(t.what.startswith(f"{figure}  ·  ") for t in texts(faults_by_catch([result], "USD"))), catch
    odd = replace(result, faults=(replace(result.faults[0], mean=float("nan")),))
    assert caught_at(odd, result.faults[0].catch) == 0


def test_rows_stand_in_their_order() -> None:
    bars = tuple(Bar("staging/rack", "staging", row, 0, 1, False) for row in ("AA", "10", "B", "2", "A", ""))
    said = [t.what for t in texts(gantt(replace(sample(1).arrangements[0], bars=bars), 0))]
    order = [s for s in said if s.startswith("row ") or s == "site"]
    assert order[-1] == "site" and order.index("row A") < order.index("row B") and order.index("row 2") < order.index("row 10")


def test_weeks_that_do_not_fit_are_bundled_and_it_is_said() -> None:
    crew = tuple(CrewWeek(w, 1, "electrician", "own", 1 + w % 3, 40.0) for w in range(1, 401))
    said = " ".join(t.what for t in texts(crew_by_week([replace(sample(1).arrangements[0], crew=crew)])))
    assert "Each bar stands for 2 weeks" in said


def test_the_map_marks_this_site() -> None:
    made = sample()
    names = {r.id: r.name for r in made.arrangements}
    sizes = sorted({c.racks for c in made.break_even})
    assert sizes[3:5] == [8, 16], "12 racks are half as many again as 8, and 16 a third more than 12"
    svg = break_even_map(made.break_even, names, "USD", (12, 2.4))
    hints = set(re.findall(r'class="crit"><title>([^<]*)', svg))
    assert hints and all(h.startswith("16 racks, 2.5 an hour") for h in hints)
    svg = break_even_map(made.break_even, names, "USD", (9, 2.4))
    framed = [e for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect") if e.get("class") == "crit"]
    hints = {e[0].text for e in framed}
    assert len(framed) == 3 and all(h and h.startswith("8 racks, 2.5 an hour") for h in hints)
    assert "Thick frame" not in break_even_map(made.break_even, names, "USD", None)


def test_no_two_series_look_alike() -> None:
    assert len({_look(i) for i in range(64)}) == 64


@pytest.mark.parametrize(("paper", "colours"), [("#ffffff", SERIES_LIGHT), ("#161c23", SERIES_DARK)], ids=["light", "dark"])
def test_lines_of_every_series_stand_out_from_the_paper(paper: str, colours: tuple[str, ...]) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for colour in colours:
        light, dark = sorted((luminance(colour), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, colour


@pytest.mark.parametrize("texture", ["/", "\\", "-", "|", "+", "x", "."])
def test_a_texture_keeps_inside_its_box(texture: str) -> None:
    for x, y, w, h in ((0.0, 0.0, 40.0, 9.0), (13.7, 101.3, 5.0, 60.0), (3.3, 3.3, 3.0, 3.0)):
        path = hatch(x, y, w, h, texture)
        numbers = [(float(a), float(b)) for a, b in re.findall(r"[ML]([-0-9.]+),([-0-9.]+)", path)]
        assert numbers
        assert all(x - 0.06 <= a <= x + w + 0.06 and y - 0.06 <= b <= y + h + 0.06 for a, b in numbers)
    assert hatch(0, 0, 2, 9, texture) == "" and hatch(0, 0, 40, 9, "") == ""


def test_a_picture_of_its_own_carries_its_colours_and_no_pattern() -> None:
    svg = cost_parts(sample().arrangements, "USD", standalone=True)
    assert series_css().splitlines()[0] in svg and "url(" not in svg and "<pattern" not in svg


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.001234, "0.00123"),
        (12.34, "12.3"),
        (340_000, "340 k"),
        (2_310_000, "2.31 M"),
        (7.5e9, "7.5 bn"),
        (-192_000, "−192 k"),
        (3e17, "3.00e+17"),
        (4e-9, "4.00e-09"),
        (None, "unknown"),
        (float("nan"), "unknown"),
        (float("inf"), "unknown"),
    ],
)
def test_numbers_read_in_three_digits(value: float | None, text: str) -> None:
    assert short(value).replace("\u00a0", " ") == text


def test_words() -> None:
    assert money(None, "USD") == "unknown" and money(2e6, "EUR") == "2\u00a0M\u00a0EUR"
    assert days(1) == "1\u00a0day" and days(None) == "unknown" and days(8.44) == "8.44\u00a0days"
    assert [share(v).replace("\u00a0", " ") for v in (0, 0.004, 0.71, 0.999, 1)] == [
        "0 %",
        "under 1 %",
        "71 %",
        "over 99 %",
        "100 %",
    ]
    assert [letter(i) for i in (0, 25, 26)] == ["A", "Z", "A2"]
    assert plain("a\u202e\x1b[1m\n b" + "c" * 99, 12) == "a[1m bccccc…"
    assert unit_of("money/h", "EUR") == "EUR/h"
    assert racks_said({"network": 1, "air": 12}) == "13 racks (1 network, 12 air-cooled with GPUs)"
    assert racks_said({"liquid": 1}) == "1 rack (1 liquid-cooled with GPUs)" and racks_said({}) == "an unknown number of racks"


def test_ticks_are_round_and_few() -> None:
    assert ticks(0, 103, 6) == [0, 20, 40, 60, 80, 100]
    assert ticks(20e6, 180e6, 4) == [50e6, 100e6, 150e6], "one tick alone is no scale"
    assert ticks(5, 5, 6) == [5]
    for low in (0.0, 0.3):
        for high in (1e-9, 0.7, 3, 19, 1e12):
            for most in (4, 6, 8, 12):
                found = ticks(low * high, high, most)
                assert 2 <= len(found) <= most and all(low * high <= v <= high * (1 + 1e-9) for v in found)
