"""The report and the screen of a decision: the answer first, every figure opens, claims are marked, text stays text."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from asbuilt.base.origin import Origin
from asbuilt.cli.decide_screen import LEAST, WIDTH, screen
from asbuilt.cli.sizing_screen import Style
from asbuilt.drawings.decision_words import amount, money
from asbuilt.model.decision import Worked
from asbuilt.report.decision import decision_html
from asbuilt.report.decision_answer import a_day, answer, cheapest_next, next_best
from asbuilt.report.decision_figures import Book, breakable, least, pieces, spread
from asbuilt.report.decision_rows import comparison, gates, scopes_of
from decision_sample import hostile, sample


def said(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ")


def test_the_answer_has_who_how_much_how_often_and_what_next() -> None:
    assert [s.replace("\u00a0", " ") for s in answer(sample())] == [
        "Mixed: staging and power in-house (C) is cheapest: 1.99 M USD at P50 (P10 1.63 M, P90 2.69 M), 320 k USD (14 %) less "
        "than In-house (A); it is the cheapest in 71 % of 20,000 simulated deployments.",
        "With Mixed: staging and power in-house (C) the site is accepted 76 days (P10 69.9, P90 92.7) after the first day of "
        "the hardware on site, 8 days sooner than In-house (A); the first job runs after 53.2 days (all P50).",
        "The choice hangs on `money.premium.specialist` (a specialist costs more per rack in direct labour, claimed): at 0.2 "
        "In-house (A) is cheaper by 192 k USD, all else at its mean.",
        "With every claim of a seller left out In-house (A) is cheapest (2.31 M USD at P50).",
        "Cheapest next thing to find out: the premium of a specialist, for 2,000 USD; knowing it is worth 31 k USD before "
        "deciding. What to change: connectors sampled: mixed stays, cheaper (18 k USD less).",
    ]


def test_what_a_day_of_waiting_costs_is_told_with_its_arithmetic() -> None:
    made = sample()
    hour = replace(Book(made).assumed["money.gpu_hour"], low=1.0, likely=2.0, high=4.5)
    priced = replace(made, assumptions=(hour,))
    told = "A day in which all GPUs stand idle costs 34.6 k USD (576 GPUs x 24 h x 2.5 USD, the mean of `money.gpu_hour`)."
    assert a_day(priced).replace("\u00a0", " ") == told and made.gpus == 576
    assert told.replace("`", "") in " ".join(screen(priced, Style(False)).split())
    assert "A day in which all GPUs stand idle costs" in said(decision_html(made))
    assert a_day(replace(made, assumptions=())) == ""


def test_one_arrangement_is_compared_with_nothing() -> None:
    first, time, next_ = answer(sample(1))
    assert first.endswith("It was the only arrangement with a cost, so nothing is compared.")
    assert "sooner" not in time and next_.startswith("Cheapest next thing")


def test_a_part_that_is_most_of_the_cost_is_named_with_who_wins_without_it() -> None:
    made = sample()
    first, second, third = made.arrangements
    idle = replace(third, parts={**third.parts, "idle_gpus": replace(third.cost, mean=third.cost.mean * 0.8)})
    told = answer(replace(made, arrangements=(first, second, idle)))[1].replace("\u00a0", " ")
    assert told == (
        "Idle GPUs: 80 % of its mean cost; without idle GPUs Mixed: staging and power in-house (C) is cheapest "
        "(421 k USD on average)."
    )
    dear = replace(idle, cost=replace(idle.cost, mean=9e6), parts={"idle_gpus": replace(idle.cost, mean=5e6)})
    assert "without idle GPUs In-house (A) is cheapest" in answer(replace(made, arrangements=(first, second, dear)))[1]


def test_what_was_not_computed_is_not_called_settled() -> None:
    bare = replace(sample(), tornado=(), variants=(), next_measurements=())
    told = " ".join(answer(bare))
    assert "What the choice hangs on was not computed." in told and "without claimed values was not made" in told
    assert answer(replace(sample(), arrangements=())) == ("No arrangement was simulated, so nothing can be said.",)
    dear = replace(sample(), next_measurements=tuple(replace(m, worth=1.0) for m in sample().next_measurements))
    assert cheapest_next(dear) is None and "known to be worth what it costs" in answer(dear)[-1]


def test_cheapest_on_average_but_not_in_the_middle_is_said() -> None:
    made = replace(sample(), winner="own", rival="mixed")
    assert "though at P50 320 k USD more than Mixed" in answer(made)[0].replace("\u00a0", " ")
    assert next_best(replace(made, rival="")).id == "mixed"  # type: ignore[union-attr]


def test_a_figure_says_what_it_rests_on_through_others() -> None:
    book = Book(sample())
    cost = book.worked["mixed.cost"]
    assert book.below("mixed.cost") >= {"money.premium.specialist", "money.gpu_hour", "access.row_people"}
    figure = book.figure(cost, "x")
    assert figure.claimed == 1 and figure.assumed == 3
    assert figure.value == "1.99 M USD".replace(" M", "\u00a0M")
    premium = book.figure(book.worked["mixed.part.premium"], "x")
    assert [(i.name, i.origin) for i in premium.inputs] == [("labour", "derived"), ("money.premium.specialist", "claimed")]


def test_a_quantity_stands_once_among_the_quantities() -> None:
    made = sample()
    again = Worked("quantity.rack_place", "racks", 8.0, "rack", "plan table racks")
    book = Book(replace(made, worked=(again, *made.worked)))
    assert book.anchors["quantity.rack_place"] == book.anchors["rack_place"] == "q0"
    assert [w.id for w in book.shown()] == [w.id for w in made.worked]
    assert [i.value for i in book.inputs(("quantity.rack_place",))] == ["8 racks"]


def test_the_lead_at_the_mean_stands_beside_that_of_the_simulation() -> None:
    made = sample()
    means = {r.id: r.cost.mean for r in made.arrangements}
    lead = money(means[made.rival] - means[made.winner], "USD").replace("\u00a0", " ")
    assert f"Over the simulated deployments the lead is {lead} on average" in said(decision_html(made))
    assert "Over the simulated deployments" not in said(decision_html(sample(1)))


def test_figures_that_go_in_circles_end() -> None:
    a, b = Worked("a", "a", 1.0, "", "", ("b", "money.gpu_hour")), Worked("b", "b", 1.0, "", "", ("a",))
    assert Book(replace(sample(), worked=(a, b))).below("b") == {"money.gpu_hour"}


def test_unknown_stays_unknown() -> None:
    page = decision_html(sample())
    assert 'insurance: <span class="value unknown-v">unknown</span>' in page
    assert '<span class="unknown-v">unknown</span>' in page, "a tool to rent whose price nobody knows"
    assert amount(None, "USD") == "unknown" and amount(float("inf"), "d") == "unknown"


def test_every_line_of_the_comparison_has_a_cell_for_each_arrangement() -> None:
    for count in (1, 5):
        rows = comparison(Book(sample(count)))
        assert all(len(r.cells) == count for r in rows if r.kind != "head")
        assert all(c.formula and c.source for r in rows for c in r.cells)
    assert [c.best for c in comparison(Book(sample()))[0].cells] == [False, False, True]
    assert not any(c.best for r in comparison(Book(sample(1))) for c in r.cells)


def test_claimed_values_stand_apart_with_what_replaces_them() -> None:
    page = decision_html(sample())
    claims = page[page.index('id="g-claims"') : page.index("</section>", page.index('id="g-claims"'))]
    assert claims.count('data-o="claimed"') == 3 and "0 to 1.2, likely 0.4" in claims
    rest = page[page.index("</section>", page.index('id="g-claims"')) :]
    assert 'data-o="claimed"' not in rest and rest.count('data-o="assumed"') == 37
    for origin, count in (("claimed", 3), ("assumed", 37), ("declared", 1), ("published", 17)):
        assert f'href="#only-{origin}">{origin} {count}</a>' in page and f'id="only-{origin}"' in page


@pytest.mark.parametrize(
    "made", [sample, lambda: sample(1), lambda: sample(5, 100), hostile], ids=["three", "one", "five", "hostile"]
)
def test_the_page_stands_alone_and_its_anchors_lead_somewhere(made) -> None:  # type: ignore[no-untyped-def]
    page = decision_html(made(), {"asbuilt": "0.1.0"})
    assert not re.search(r"<(script|link|img|iframe)\b", page) and "http-equiv" in page
    assert not re.search(r'(src|href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert "\u202e" not in page and "\x1b" not in page


def test_hostile_text_is_text() -> None:
    page = decision_html(hostile())
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "alert(" in said(page)


def test_the_page_says_where_its_figures_come_from() -> None:
    text = said(decision_html(sample(), {"asbuilt": "0.1.0"}))
    assert "20,000 simulated deployments, seed 1, plan 3f2a9c000000" in text
    assert "Made with asbuilt 0.1.0" in text
    titles = (
        "Without claims, and other ifs",
        "What the answer hangs on",
        "Claims, held against the model",
        "Is the own team ready?",
        "Who does, who answers, who signs",
        "Tools and their calibration",
        "Insurance and liability",
        "Qualifications",
        "Records that the contract must demand",
        "Quantities of the plan",
        "Worked figures",
        "Assumptions",
    )
    for title in titles:
        assert title in text


def test_an_id_in_a_text_leads_to_its_assumption() -> None:
    book = Book(sample())
    linked = str(book.linked("as money.premium.specialist <b> says"))
    anchor = book.anchors["money.premium.specialist"]
    assert linked == (
        f'as <a href="#{anchor}"><code>money.<wbr>premium.<wbr>specialist</code></a> '
        '<span class="m claimed" title="claimed">◆</span> &lt;b&gt; says'
    )


def test_an_input_says_its_mean_where_that_is_not_the_likely_value() -> None:
    book = Book(sample())
    hour = replace(book.assumed["money.gpu_hour"], low=0.7, likely=0.9, high=2.25)
    assert spread(hour, "USD") == "0.9 USD/h (0.7 to 2.25; mean 1.28)"
    assert spread(replace(hour, high=1.1), "USD") == "0.9 USD/h (0.7 to 1.1)"
    assert spread(replace(hour, low=0.9, high=0.9), "USD") == "0.9 USD/h (0.9)"
    rate = book.assumed["fault.connector_dirty.rate"]
    assert "mean" not in spread(rate, "USD"), "the likely value of a rate is its mean"


def test_what_the_plan_has_no_work_for_is_nobodys() -> None:
    made = sample()
    air = replace(made, quantities=tuple(q for q in made.quantities if q.scope != "liquid"))
    assert "liquid" in scopes_of(made, made.arrangements[0]) and "liquid" not in scopes_of(air, air.arrangements[0])
    assert "liquid" in scopes_of(replace(made, quantities=()), made.arrangements[0]), "not counted is not none"
    card = said(decision_html(air))
    card = card[card.index("The arrangements") : card.index("Side by side", card.index("The arrangements"))]
    assert "liquid:" not in card and "fibre:" in card
    assert "liquid" not in screen(air, Style(False)).split("the arrangements")[1].split("side by side")[0]
    alone = replace(air.arrangements[0], parties={**air.arrangements[0].parties, "liquid": "specialist"})
    rows = {r.label: r for r in comparison(Book(replace(air, arrangements=(alone,))))}
    assert rows["Work changing hands"].cells[0].text == "0"


def test_gates_fall_on_days_that_acceptance_counts_by() -> None:
    result = sample(1).arrangements[0]
    late = replace(result, acceptance_d=replace(result.acceptance_d, p50=max(b.end_d for b in result.bars) + 10))
    names, lines = gates(late)
    assert names == ("power gate", "pressure gate", "fabric", "collectives", "site fabric", "soak", "audit")[: len(names)]
    assert "soak" in names
    assert [row for row, _ in lines][-1] == ""
    soak = next(b for b in result.bars if b.package == "acceptance/soak")
    assert lines[-1][1][names.index("soak")] == amount(soak.end_d + 10, "") and lines[-1][1][0] == ""
    assert gates(replace(result, bars=())) == ((), [])
    assert "When gates fall" in said(decision_html(sample()))


def test_ids_break_behind_dots_and_underscores_only() -> None:
    assert str(breakable("a.b_c<")) == "a.<wbr>b_<wbr>c&lt;"
    assert "liquid" in str(Book(sample()).linked("under `liquid`")) and "`" not in str(Book(sample()).linked("under `liquid`"))


def test_a_claim_that_was_not_looked_at_says_why() -> None:
    made = sample()
    bare = replace(made.claims[0], found="", verdict="not shown", why="this site has no liquid-cooled racks")
    text = screen(replace(made, claims=(bare,)), Style(False))
    assert "not shown; this site has no liquid-cooled racks" in " ".join(text.split()) and "found\n" not in text
    assert "not looked at" in decision_html(replace(made, claims=(bare,)))


def test_pieces_and_the_least() -> None:
    assert [pieces(n, "rack") for n in (1, 16, 2.5)] == ["1 rack", "16 racks", "2.5 racks"] and pieces(
        2, "switch"
    ) == "2 switches"
    assert least([3.0, 1.0, float("nan")]) == 1 and least([1.0, 1.0]) is None and least([1.0]) is None
    assert amount(1.0, "tools") == "1 tool" and amount(1.0, "people") == "1 person" and amount(2.0, "people") == "2 people"
    assert amount(1.0, "days/week") == "1 days/week"


def test_an_opened_cost_shows_all_of_its_parts() -> None:
    made = sample()
    parts = tuple(Worked(f"mixed.part.{i}", f"part number {i}", 1.0 + i, "USD", "x") for i in range(14))
    cost = Worked("mixed.cost", "cost", 105.0, "USD", "sum of its parts", tuple(p.id for p in parts))
    kept = tuple(w for w in made.worked if w.id != "mixed.cost")
    page = said(decision_html(replace(made, worked=(cost, *parts, *kept))))
    opened = page[page.index("sum of its parts") :]
    opened = opened[: opened.index("Origin")]
    assert all(f"part number {i}" in opened for i in range(14)) and "more, in the list" not in opened


def test_the_decision_comes_back_from_json() -> None:
    document = sample().as_json()
    again = json.loads(json.dumps(document, allow_nan=False))
    assert again["schema"] == "decision/v1" and again["lead"] == document["lead"] and again["rival"] == "own"
    assert again["arrangements"][0]["cost"] == document["arrangements"][0]["cost"]
    assert {w["origin"] for w in again["worked"]} == {str(Origin.DERIVED), str(Origin.ASSUMED)}
    assert [w["value"] for w in again["worked"] if w["id"].endswith("insurance")] == [None] * 3
    assert json.loads(json.dumps(again)) == again


@pytest.mark.parametrize(
    "made", [sample, lambda: sample(1), lambda: sample(5, 100), hostile], ids=["three", "one", "five", "hostile"]
)
def test_the_screen_keeps_to_its_width_and_to_text(made) -> None:  # type: ignore[no-untyped-def]
    for columns in (LEAST, WIDTH, 140):
        text = screen(made(), Style(False), columns)
        assert max(map(len, text.splitlines())) <= min(columns, WIDTH)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u00a0]", text)
    assert screen(made(), Style(False), 20) == screen(made(), Style(False), LEAST)


def test_colours_are_on_the_screen_only_when_asked_for() -> None:
    assert "\x1b[" in screen(sample(), Style(True)) and "\x1b[" not in screen(sample(), Style(False))
