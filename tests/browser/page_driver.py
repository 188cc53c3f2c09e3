"""Opens pages, watches what they do beside showing themselves, and keeps screenshots when ``$ASBUILT_SHOTS`` names a folder."""

from __future__ import annotations

import os
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
