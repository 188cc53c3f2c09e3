"""Rules on `power`: every feed that it names is one of the site's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from asbuilt.base.decode import Path, spelled
from asbuilt.base.problem import Problem

if TYPE_CHECKING:
    from asbuilt.model.requirement_rules import Stated

#: Feeds where `site.feeds` is silent: `design.site` assumes the same.
DEFAULT_FEEDS = 2


def power_rules(stated: Stated) -> Iterable[Problem]:
    """Problem REQ-100."""
    feeds = stated.value.site.feeds or DEFAULT_FEEDS
    letters = "ABCD"[:feeds]
    for path, letter in _named(stated):
        if stated.has(*path) and letter not in letters:
            known = f"site.feeds is {feeds}{stated.line(('site', 'feeds'))}" if stated.value.site.feeds else "site.feeds is not"
            known += "" if stated.value.site.feeds else f" stated, so that there are {feeds}"
            what = f"`{spelled(path)}` names feed {letter}, but there are only {feeds} feeds"
            why = f"the feeds of a rack are called {', '.join(letters)}; {known}"
            yield stated.problem("REQ-100", path, what, why, f"use {' or '.join(letters)}, or raise site.feeds")


def _named(stated: Stated) -> Iterator[tuple[Path, str]]:
    power = stated.value.power
    for i, letter in enumerate(power.shelf_feeds or ()):
        yield ("power", "shelf_feeds", i), letter
    for i, circuit in enumerate(power.circuits_as_built):
        yield ("power", "circuits_as_built", i, "feed"), circuit.feed
        if circuit.feed_as_built is not None:
            yield ("power", "circuits_as_built", i, "feed_as_built"), circuit.feed_as_built
    for i, cord in enumerate(power.cords_as_built):
        yield ("power", "cords_as_built", i, "feed"), cord.feed
