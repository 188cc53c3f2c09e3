"""Table `FEEDS`: what each feed of the site carries, now and when the site is finished."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from asbuilt.base.units import W_PER_KW
from asbuilt.model.design import Design
from asbuilt.model.tables_power import FEEDS
from asbuilt.plan.power.draws import Draw
from asbuilt.plan.power.racks import Floats
from asbuilt.plan.power.rows import LETTERS


@dataclass(frozen=True, slots=True)
class FeedWatts:
    """W (cases, feeds): of the plan, of the finished rows, and the part of the plan that GPU nodes are."""

    now: Floats
    full: Floats
    nodes: Floats


def feeds_table(design: Design, watts: FeedWatts, node: Draw) -> pl.DataFrame:
    """Table `FEEDS`. The step is that of all GPU nodes from idle to peak on the feed's worst share of them; unknown where
    nobody publishes the idle input or the peak."""
    power, feeds = design.power, design.site.feeds
    step = None
    if node.peak.watts is not None and node.idle.watts is not None and node.nominal_w:
        step = watts.nodes.max(axis=0) * (node.peak.watts - node.idle.watts) / node.nominal_w
    frame = pl.DataFrame(
        {
            "feed": [f"feed:{letter}" for letter in LETTERS[:feeds]],
            "letter": LETTERS[:feeds],
            "source": [*power.sources, *[power.source] * feeds][:feeds],
            "redundancy": [power.redundancy] * feeds,
            "basis": [power.basis] * feeds,
            "voltage_v": [power.voltage_v] * feeds,
            "capacity_kw": pl.Series([power.feed_capacity_kw] * feeds, dtype=pl.Float64),
            "fault_ka": pl.Series([power.fault_ka] * feeds, dtype=pl.Float64),
            "load_kw": watts.now[0] / W_PER_KW,
            "lost_kw": watts.now.max(axis=0) / W_PER_KW,
            "full_kw": watts.full.max(axis=0) / W_PER_KW,
            "step_kw": pl.Series([None] * feeds if step is None else step / W_PER_KW, dtype=pl.Float64),
            "origin": ["declared" if power.declared_feeds else "assumed"] * feeds,
        }
    )
    return FEEDS.conform(frame.sort("feed"))


def per_feed(watts: Floats, feed: np.ndarray, feeds: int) -> Floats:
    """W (cases, n) summed by feed: (cases, feeds)."""
    return np.array([np.bincount(feed, weights=w, minlength=feeds)[:feeds] for w in watts])
