"""A real browser and a real server for the page's tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from page_driver import Opener
from playwright.sync_api import Browser, sync_playwright

from asbuilt.cli.serve import listen
from asbuilt.web.app import create_app
from requirements_of_tests import absent

CHROMIUM = Path(os.environ.get("ASBUILT_CHROMIUM", "/usr/bin/chromium"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        absent("REQUIRE_REAL", f"browser: {CHROMIUM} is not there (`make setup` as root installs it, or set ASBUILT_CHROMIUM)")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Opener]:
    """``visit(path, width=…, scheme=…)``; at the end no page may have complained or asked anyone else."""
    opener = Opener(browser, address)
    yield opener
    for page, watch in opener.open:
        page.context.close()
        assert watch.complaints == [] and watch.elsewhere == []
