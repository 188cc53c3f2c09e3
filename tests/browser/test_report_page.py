"""The report file in a real browser: it stands alone, in both themes, on a phone and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_driver import contrast, shoot
from playwright.sync_api import Browser, Page

from asbuilt.model.verdict import Coverage, Finding, Layer, LinkSummary, Move, Severity, Verdict, Verification
from asbuilt.report.html import report_html
from little_fabric import little_plan

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = little_plan(48, 8, 4, oob=True)
    link = plan.links["link"][0]
    wrong = Finding(
        "FAB-001", Verdict.FAIL, Severity.MAJOR, Layer.FABRIC, link, "gpu002 mlx5_0", "gpu003 mlx5_0", "LEAF-01 port 2/1",
        "two cables are exchanged", "swap the ends", "swap them back", ("ib-01:1204",), (link,),
    )  # fmt: skip
    seen = Verification(
        "verify", LinkSummary(448, 446, 2), (wrong,), (Move("LEAF-01 2/1", "LEAF-01 2/2", "cable:" + "x" * 60),),
        (Coverage("FAB-001", 448, 446, 2, 0, 0, 0),), plan.plan_hash,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("report") / "report.html"
    claims = {"FAB-001": "Every planned link is found between the two ports that the plan names."}
    path.write_text(report_html(plan, None, [seen], {"asbuilt": "0.1.0"}, "", claims), encoding="utf-8")
    return path


def opened(browser: Browser, file: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    seen: list[str] = []
    page.on("console", lambda m: seen.append(m.text))
    page.on("request", lambda r: seen.append(r.url) if not r.url.startswith("file:") else None)
    page.goto(file.as_uri())
    return page, seen


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_it_stands_alone_and_is_readable(browser: Browser, file: Path, width: int, scheme: str) -> None:
    page, seen = opened(browser, file, width, scheme)
    shoot(page, f"report-{scheme}-{width}")
    assert seen == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    for selector in ("p.quiet", ".badge.fail", ".finding dt", "td.zero", ".dw .small", ".dw text.c-fail", ".contents a"):
        assert contrast(page, selector) >= 4.5, selector
    page.context.close()


def test_text_of_the_drawing_keeps_inside_its_box(browser: Browser, file: Path) -> None:
    page, _ = opened(browser, file, 1280, "light")
    out = page.evaluate(
        """() => Array.from(document.querySelectorAll('svg.dw')).flatMap(svg => {
          const frame = svg.getBoundingClientRect();
          return Array.from(svg.querySelectorAll('text')).filter(t => {
            const r = t.getBoundingClientRect();
            return r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1;
          }).map(t => t.textContent);
        })"""
    )
    assert out == []
    page.context.close()


def test_paper_is_light_and_shows_what_was_folded(browser: Browser, file: Path) -> None:
    page, _ = opened(browser, file, 1280, "dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert contrast(page, "td.claim") >= 4.5
    assert not page.locator(".contents").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.context.close()
