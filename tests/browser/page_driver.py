"""Opens pages, watches what they do beside showing themselves, and keeps screenshots when ``$ASBUILT_SHOTS`` names a folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page


@dataclass
class Watch:
    """What the page did beside showing itself."""

    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    answers: int = 0


class Opener:
    """Opens pages in fresh contexts and watches them."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.open: list[tuple[Page, Watch]] = []

    def __call__(
        self, path: str = "/size", *, width: int = 1280, height: int = 900, scheme: str = "light", script: bool = True
    ) -> Page:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=script, has_touch=width < 500
        )
        page = context.new_page()
        watch = Watch()
        page.on("console", lambda m: watch.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: watch.complaints.append(str(e)))
        page.on("request", lambda r: None if r.url.startswith(self.address) else watch.elsewhere.append(r.url))
        page.on("response", lambda r: setattr(watch, "answers", watch.answers + ("/size/fragment" in r.url)))
        self.open.append((page, watch))
        page.goto(self.address + path)
        return page

    def watch(self, page: Page) -> Watch:
        return next(w for p, w in self.open if p is page)


def shoot(page: Page, name: str) -> None:
    """Keep a screenshot for a person to look at, when asked to."""
    folder = os.environ.get("ASBUILT_SHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def contrast(page: Page, selector: str) -> float:
    """WCAG contrast of the first visible element's text against the nearest painted background."""
    found = page.evaluate(
        """selector => {
          const e = Array.from(document.querySelectorAll(selector)).find(x => x.getClientRects().length);
          const s = getComputedStyle(e);
          const ink = e instanceof SVGElement ? s.fill : s.color;
          let at = e, paper = null;
          while (at && !paper) {
            const c = getComputedStyle(at).backgroundColor;
            if (!/rgba\\(.*, 0\\)|transparent/.test(c)) paper = c;
            at = at.parentElement;
          }
          return [ink, paper || 'rgb(255, 255, 255)'];
        }""",
        selector,
    )
    light, dark = sorted((luminance(c) for c in found), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(v) / 255 for v in re.findall(r"\d+", colour)[:3]]
    r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
