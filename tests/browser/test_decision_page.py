"""The report of a decision in a real browser: keyboard, phone, both themes, paper; made-up and hostile decisions alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_driver import contrast, shoot
from playwright.sync_api import Browser, Page

from asbuilt.report.decision import decision_html
from decision_sample import hostile, sample

pytestmark = pytest.mark.browser
ROWS = [chr(ord("A") + i) for i in range(13)]
#: A page of this many bytes of PDF is one in which no texture became a picture.
MOST_PDF = 8_000_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("decision")
    made = {"three": sample(), "five": sample(5, 100, ROWS), "one": sample(1), "hostile": hostile()}
    paths = {}
    for name, decision in made.items():
        paths[name] = folder / f"{name}.html"
        paths[name].write_text(decision_html(decision, {"asbuilt": "0.1.0"}), encoding="utf-8")
    return paths


def opened(browser: Browser, file: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    seen: list[str] = []
    page.on("console", lambda m: seen.append(m.text))
    page.on("dialog", lambda d: seen.append(d.message))
    page.on("request", lambda r: seen.append(r.url) if not r.url.startswith("file:") else None)
    page.goto(file.as_uri())
    return page, seen


SEEN = (
    ("three", 1280, "light"),
    ("three", 1280, "dark"),
    ("three", 390, "dark"),
    ("five", 390, "light"),
    ("one", 390, "light"),
    ("hostile", 1280, "light"),
    ("hostile", 390, "light"),
)


@pytest.mark.parametrize(("name", "width", "scheme"), SEEN)
def test_it_stands_alone_and_never_scrolls_sideways(
    browser: Browser, files: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    page, seen = opened(browser, files[name], width, scheme)
    shoot(page, f"decision-{name}-{scheme}-{width}")
    assert seen == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    if name == "three":
        marks = (".m.claimed", ".m.assumed", ".tag.claimed", ".fig .best", ".unknown-v")
        for selector in (*marks, ".lead p", "p.quiet", ".subline", ".dw .small", ".filters a"):
            assert contrast(page, selector) >= 4.5, selector
    page.context.close()


def test_the_first_screen_is_the_answer(browser: Browser, files: dict[str, Path]) -> None:
    for width, height in ((1280, 900), (390, 900)):
        page, _ = opened(browser, files["three"], width, "light")
        box = page.locator(".lead").bounding_box()
        assert box is not None and box["y"] + box["height"] < height
        page.context.close()


def test_every_figure_opens_with_the_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    page, _ = opened(browser, files["three"], 1280, "light")
    figures = page.locator("details.fig > summary")
    count = figures.count()
    assert count > 60
    for at in range(count):
        figures.nth(at).focus()
        page.keyboard.press("Enter")
    told = page.evaluate(
        "Array.from(document.querySelectorAll('details.fig[open]')).filter(d => d.querySelector('dl').offsetHeight > 0).length"
    )
    assert told == count
    summaries = "Array.from(document.querySelectorAll('details')).map(d => d.querySelector(':scope > summary').tabIndex)"
    assert set(page.evaluate(summaries)) == {0}
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.context.close()


def test_an_input_leads_to_its_assumption(browser: Browser, files: dict[str, Path]) -> None:
    page, _ = opened(browser, files["three"], 390, "light")
    premium = page.locator("tr", has=page.locator("th", has_text="premium")).first.locator("details.fig").first
    premium.locator("summary").focus()
    page.keyboard.press("Enter")
    premium.locator("a", has_text="money.premium.specialist").focus()
    page.keyboard.press("Enter")
    assert page.locator("tr:target code").first.inner_text() == "money.premium.specialist"
    assert page.locator("tr:target").is_visible()
    page.context.close()


def test_assumptions_are_filtered_by_plain_links(browser: Browser, files: dict[str, Path]) -> None:
    page, _ = opened(browser, files["three"], 1280, "light")
    shown = "Array.from(document.querySelectorAll('tr[data-o]')).filter(r => r.offsetHeight > 0).length"
    assert page.evaluate(shown) == 58
    for origin, count in (("claimed", 3), ("assumed", 37), ("declared", 1)):
        page.locator(f".filters a[href='#only-{origin}']").click()
        assert page.evaluate(shown) == count
    page.locator(".filters a[href='#assumptions']").click()
    assert page.evaluate(shown) == 58
    page.context.close()


@pytest.mark.parametrize(
    ("name", "width", "kind"), [("five", 1280, "big-screen"), ("three", 390, "small-screen"), ("hostile", 390, "small-screen")]
)
def test_text_of_charts_keeps_inside_them(browser: Browser, files: dict[str, Path], name: str, width: int, kind: str) -> None:
    page, _ = opened(browser, files[name], width, "light")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = page.evaluate(
        """kind => Array.from(document.querySelectorAll(`.${kind} svg.dw`)).map(svg => {
          const frame = svg.getBoundingClientRect();
          const out = Array.from(svg.querySelectorAll('text')).filter(t => {
            const r = t.getBoundingClientRect();
            return r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 2;
          }).map(t => t.textContent);
          return [frame.width, out];
        })""",
        kind,
    )
    assert len(found) >= 9 and all(wide > 300 for wide, _ in found)
    assert [out for _, out in found if out] == []
    shrunk = "kind => Math.min(...Array.from(document.querySelectorAll(`.${kind} svg.dw`)).map(s => s.clientWidth))"
    assert page.evaluate(shrunk, kind) > 0.95 * (940 if width == 1280 else 334), "type is not made smaller"
    page.context.close()


def test_paper_is_light_and_its_file_small(browser: Browser, files: dict[str, Path]) -> None:
    page, _ = opened(browser, files["three"], 1280, "dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".contents").is_visible() and not page.locator(".filters").is_visible()
    assert not page.locator(".on-screen").is_visible(), "nothing on paper is to be pressed"
    assert page.locator(".working").first.is_visible()
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF") and len(paper) < MOST_PDF
    page.context.close()
