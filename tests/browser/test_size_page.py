"""The sizing page in a real browser: mouse, keyboard, phone, both themes, without script."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from page_driver import Opener, contrast, shoot
from playwright.sync_api import Page, expect

from asbuilt.web.query import GPUS_MOST
from asbuilt.workflow.sizing_page import sized

pytestmark = pytest.mark.browser


def gpus_in_address(page: Page, key: str = "an") -> int:
    return int(parse_qs(urlsplit(page.url).query)[key][0])


def shown_gpus(page: Page, side: str = "a") -> int:
    return int(page.locator(f"#gpus-{side}").input_value().replace(",", ""))


def figure(page: Page, key: str) -> str:
    return page.locator(f"#{key} .v").first.inner_text()


def test_dragging_the_slider_changes_the_answer_while_it_moves(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64")
    before = figure(page, "f-nodes")
    box = page.locator("#slide-a").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    start = box["x"] + 12 + (box["width"] - 24) * 300 / 1700
    page.mouse.move(start, y)
    page.mouse.down()
    seen = set()
    for step in range(1, 25):
        page.mouse.move(start + step * 12, y)
        page.wait_for_timeout(30)
        seen.add(figure(page, "f-nodes"))
    assert len(seen) >= 3, "the answer moves while the mouse is down"
    page.mouse.up()
    expect(page.locator("#f-gpus .v").first).to_have_text(f"{shown_gpus(page):,}")
    assert figure(page, "f-nodes") != before
    assert gpus_in_address(page) == shown_gpus(page) > 64
    assert visit.watch(page).answers <= 30, "the server is asked at a bounded rate"


def test_arrows_move_by_whole_servers(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64")
    page.locator("#slide-a").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#f-gpus .v").first).to_have_text("72")
    assert gpus_in_address(page) == 72
    page.keyboard.press("PageUp")
    expect(page.locator("#f-gpus .v").first).to_have_text("144")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#f-gpus .v").first).to_have_text("136")
    page.keyboard.press("Home")
    expect(page.locator("#f-gpus .v").first).to_have_text("8")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.locator("#f-gpus .v").first).to_have_text(f"{GPUS_MOST:,}")
    assert page.locator("#slide-a").get_attribute("aria-valuetext") == f"{GPUS_MOST:,} GPUs"


def test_rack_scale_systems_move_by_whole_racks(visit: Opener) -> None:
    page = visit("/size?a=gb200-nvl72&an=72")
    page.locator("#slide-a").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#f-gpus .v").first).to_have_text("144")


def test_a_typed_number_answers_and_a_bad_one_teaches(visit: Opener) -> None:
    page = visit("/size?an=64")
    page.locator("#gpus-a").fill("4,096")
    expect(page.locator("#f-gpus .v").first).to_have_text("4,096")
    assert page.locator("#slide-a").input_value() == "900"
    page.locator("#gpus-a").fill("lots")
    expect(page.locator("#problems")).to_contain_text("'lots' is not a whole number")
    page.locator("#gpus-a").fill("512")
    expect(page.locator("#problems")).to_have_count(0)
    watch = visit.watch(page)
    assert watch.complaints and all("400" in c for c in watch.complaints), "a refusal is a 400, and nothing else went wrong"
    watch.complaints.clear()


def test_the_address_is_the_state(visit: Opener) -> None:
    page = visit("/size?a=dgx-b200&an=512&mw=2")
    page.locator("#gpus-a").fill("768")
    expect(page.locator("#f-gpus .v").first).to_have_text("768")
    url, racks = page.url, figure(page, "f-racks")
    page.reload()
    assert page.url == url and shown_gpus(page) == 768 and figure(page, "f-racks") == racks
    assert page.locator("#system-a").input_value() == "dgx-b200"
    assert page.locator("[name=mw]").input_value() == "2"
    twin = page.request.get(page.locator("#json").evaluate("a => a.href")).json()
    assert twin["gpus"] == 768 and f"{twin['racks']:,}" == racks


def test_another_system_brings_its_own_fabrics(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024&af=roce")
    page.locator("#system-a").select_option("dgx-b300")
    page.wait_for_url("**a=dgx-b300*")
    names = page.locator("#fabric-a option").all_inner_texts()
    assert any("Spectrum-X" in n for n in names) and any("XDR" in n for n in names)
    assert "af=" not in page.url
    page.locator("#fabric-a select").select_option(index=1)
    expect(page.locator(".picture svg").first).to_contain_text("InfiniBand")


def test_two_systems_side_by_side(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024")
    page.locator("#system-b").select_option("gb300-nvl72")
    page.wait_for_url("**b=gb300-nvl72*")
    assert page.locator(".picture svg").count() == 4
    page.locator("#slide-b").focus()
    page.keyboard.press("PageUp")
    racks = [sized("dgx-h100", 1024)[1].racks, sized("gb300-nvl72", 2016)[1].racks]
    expect(page.locator("#f-racks .v").nth(1)).to_have_text(f"{racks[1]:,}")
    assert page.locator("#f-racks .v").first.inner_text() == f"{racks[0]:,}"
    assert (gpus_in_address(page), gpus_in_address(page, "bn")) == (1024, 2016)
    shoot(page, "size-pair")
    page.locator("#system-b").select_option("")
    page.wait_for_url(re.compile(r"^(?!.*b=)"))
    assert page.locator(".picture svg").count() == 2


def test_a_figure_opens_by_keyboard_and_stays_open_while_the_answer_changes(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024")
    page.locator("#f-power-it-kw summary").focus()
    page.keyboard.press("Enter")
    why = page.locator("#f-power-it-kw .why")
    expect(why).to_be_visible()
    assert (
        "nameplate" in why.inner_text()
        and "confidence" in why.inner_text()
        and "system/dgx-h100 power_max_w" in why.inner_text()
    )
    page.locator("#gpus-a").fill("2048")
    expect(page.locator("#f-gpus .v").first).to_have_text("2,048")
    expect(page.locator("#f-power-it-kw .why")).to_be_visible()


def test_a_mark_takes_one_to_its_size(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64")
    count = page.locator(".marks circle").count()
    link = page.locator(".changes a[data-jump]").last
    target = int(str(link.get_attribute("data-jump")))
    assert count == page.locator(".changes ol li").count() >= 1
    link.click()
    expect(page.locator("#f-gpus .v").first).to_have_text(f"{target:,}")


def test_what_the_site_cannot_carry_is_said_in_words(visit: Opener) -> None:
    page = visit("/size?a=gb300-nvl72&an=1152")
    page.locator("#site > summary").click()
    page.locator("[name=mw]").fill("1")
    page.locator("[name=cooling]").select_option("air")
    expect(page.locator(".changes .badge.fail")).to_have_count(3)  # power at this size and at its own; cooling
    expect(page.locator("#site-words")).to_have_text("1 MW, air cooling")
    assert page.locator(".marks g.fail").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_are_readable(visit: Opener, scheme: str) -> None:
    page = visit("/size?a=dgx-h100&an=4096&mw=5", scheme=scheme)
    shoot(page, f"size-{scheme}")
    assert contrast(page, "body") >= 7
    for selector in (".figure .l", ".amount .u", ".badge.low", ".ticks text", ".dw .small", ".changes a", "select", ".quiet"):
        assert contrast(page, selector) >= 4.5, selector


def test_the_theme_can_be_chosen_and_is_kept(visit: Opener) -> None:
    page = visit("/size?an=64", scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    page.locator("#theme").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light and "dark" in page.locator("#theme").inner_text()
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


@pytest.mark.parametrize(
    "path", ["/size?a=dgx-h100&an=131072&mw=20", "/size?a=dgx-h100&an=1024&b=gb300-nvl72&bn=1152", "/size?an=x"]
)
def test_a_phone_needs_no_sideways_scroll(visit: Opener, path: str) -> None:
    page = visit(path, width=360, height=740)
    shoot(page, "size-phone" + ("-pair" if "b=" in path else "-refused" if "=x" in path else ""))
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]
    small = page.evaluate(
        "Array.from(document.querySelectorAll('select, input, button, summary')).filter(e => e.offsetParent)"
        ".map(e => [e.tagName + '#' + e.id, e.getBoundingClientRect().height]).filter(p => p[1] < 30)"
    )
    assert small == []
    if "=x" in path:
        visit.watch(page).complaints.clear()


def test_touch_moves_the_slider(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64", width=390, height=844)
    box = page.locator("#slide-a").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    expect(page.locator("#f-gpus .v").first).not_to_have_text("64")
    assert gpus_in_address(page) == shown_gpus(page) > 1000


def test_keyboard_alone_reaches_everything_and_focus_is_visible(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64")
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            "[document.activeElement].map(e => [e.id || e.className || e.tagName, getComputedStyle(e).outlineStyle])[0]"
        )
        reached.append(name)
        assert outline != "none", name
    for wanted in ("skip", "json", "theme", "system-a", "gpus-a", "slide-a", "system-b"):
        assert wanted in reached, (wanted, reached)


def test_the_answer_is_announced(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64")
    page.locator("#gpus-a").fill("128")
    expect(page.locator("#said")).to_contain_text("128 GPUs NVIDIA DGX H100: 16 servers", timeout=3000)
    assert page.locator("#said").get_attribute("aria-live") == "polite"


def test_without_script_the_form_still_works(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=64", script=False)
    assert not page.locator("#slide-a").is_visible()
    page.locator("#gpus-a").fill("2048")
    page.locator("#system-b").select_option("dgx-b200")
    page.get_by_role("button", name="Size it").click()
    assert gpus_in_address(page) == 2048
    assert figure(page, "f-gpus") == "2,048"
    assert page.locator(".picture svg").count() == 4
    page.locator("#f-racks summary").click()
    assert page.locator("#f-racks .why").is_visible()


def test_it_prints(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024", scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#slide-a").is_visible()
    assert contrast(page, ".figure .l") >= 4.5
    assert len(page.pdf()) > 20_000


def test_opening_the_site_leaves_the_pointer_on_it(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024")
    summary = page.locator("#site summary")
    before = summary.bounding_box()
    summary.click()
    after = summary.bounding_box()
    assert before is not None and after is not None and abs(before["y"] - after["y"]) < 2
    page.mouse.click(before["x"] + 60, before["y"] + before["height"] / 2)
    assert page.locator("#site").get_attribute("open") is None, "the same place closes it"


def test_a_count_that_cannot_be_is_marked_while_it_is_typed(visit: Opener) -> None:
    page = visit("/size?a=dgx-h100&an=1024")
    page.fill("#gpus-a", "5")
    assert page.locator("#gpus-a").get_attribute("aria-invalid") == "true"
    page.fill("#gpus-a", "512")
    assert page.locator("#gpus-a").get_attribute("aria-invalid") is None
    visit.watch(page).complaints.clear()  # the refused count answers 400
