"""How findings of the power plan read: what is one cause, the ways out, and how each is taken back."""

from __future__ import annotations

from typing import Any

import polars as pl

from asbuilt.diagnose.design_context import as_is
from asbuilt.diagnose.design_rule import Rule, Words
from asbuilt.model.plan import Plan

Rows = pl.DataFrame

_AGAIN = "put the old value back in cluster.yaml and run `asbuilt plan`"
_BACK = "put it back as it was"
_SMALLER = "fewer devices a rack: `site.nodes_per_rack`"
_PDU = "a PDU and circuit of the next size: `power.pdu`"
_POLICY = "state the site's own limit to whoever reviews the plan, and accept the finding in writing"


def _kinds(plan: Plan, rows: Rows) -> Rows:
    """Adds ``kind``, the word before the colon of the subject: feed, busway, circuit, pdu, bank."""
    return rows.with_columns(kind=pl.col("subject").str.extract(r"^([a-z]+):", 1))


def _worst(plan: Plan, rows: Rows) -> Rows:
    """Adds ``kind``; what is found of many of a kind is told once, of the one with the largest figure in front."""
    figure = pl.col("found").str.extract(r"^([0-9.]+)").cast(pl.Float64, strict=False)
    ranked = (
        _kinds(plan, rows).with_columns(figure=figure).sort("figure", descending=True, nulls_last=True, maintain_order=True)
    )
    many = pl.col("found").n_unique().over("kind", "verdict") > 1
    told = pl.col("found").first().over("kind", "verdict")
    worst = ranked.with_columns(
        found=pl.when(many).then(pl.concat_str(pl.lit("at worst "), told)).otherwise(told),
        expected=pl.col("expected").first().over("kind", "verdict"),
    )
    return worst.sort("subject").drop("figure")


def _more(row: dict[str, Any]) -> str:
    return "" if row["kind"] in ("feed", "busway") else "spread the cords over more circuits: one more PDU a rack and feed"


def _larger(row: dict[str, Any]) -> str:
    """What carries more, by what is overloaded."""
    larger = {
        "feed": "feeds of a larger capacity: `power.feed_capacity_kw`",
        "busway": "a busway of the next size: `power.busway_a`, or shorter rows: `site.racks_per_row`",
    }
    return larger.get(row["kind"], _PDU)


def _interleave(row: dict[str, Any]) -> str:
    """Feeds side by side help where a feed is lost; of one shelf less any order has four against three."""
    return "" if ", shelf" in row["found"] else "interleave the feeds from shelf to shelf: `power.shelf_feeds`"


def _pairs(plan: Plan, rows: Rows) -> Rows:
    """Subject is a pair of breakers: adds ``lower`` and ``upper``, their kinds, and ``reason``."""
    return rows.with_columns(
        lower=pl.col("subject").str.extract(r"^([a-z]+):", 1),
        upper=pl.col("subject").str.extract(r"\+([a-z]+):", 1),
        reason=pl.col("found").str.extract(r": (.*)$", 1),
    )


def _systems(plan: Plan, rows: Rows) -> Rows:
    """Subject is a node: adds ``system``."""
    nodes = plan.table("nodes").select("system", subject="node")
    return rows.join(nodes, on="subject", how="left")


def _fed_thing(plan: Plan, rows: pl.DataFrame) -> pl.DataFrame:
    """Subject is a device with cords, or a rack with power shelves: adds ``kind``."""
    rack = pl.col("subject").str.starts_with("rack:")
    return rows.with_columns(kind=pl.when(rack).then(pl.lit("rack")).otherwise(pl.lit("device")))


def _half(row: dict[str, Any]) -> str:
    if row["kind"] == "rack":
        return "tap the whips of half of the shelves from the busway of another feed"
    return "plug half of the cords into the PDU of another feed"


def _counted(noun: str, text: str) -> Words:
    """``text`` with ``{many}``: how many of ``noun`` (``kind`` where that names them) there are, in the right number."""

    def words(row: dict[str, Any]) -> str:
        one = noun.format_map(row)
        one = {"pdu": "PDU"}.get(one, one)
        plural = one.removesuffix("f") + "ves" if one.endswith("f") else one + "s"
        many = f"1 {one}" if row["count"] == "1" else f"{row['count']} {plural}"
        return text.format_map(row | {"many": many})

    return words


_LOADS: dict[str, Rule] = {
    "PWR-001": Rule(
        _worst,
        ("kind",),
        "{kind}s:overloaded",
        _counted("{kind}", "over the continuous current with all feeds standing: {many}, {found}"),
        (_more, _larger, _SMALLER),
        _AGAIN,
    ),
    "PWR-002": Rule(
        _worst,
        ("kind",),
        "{kind}s:overloaded-when-lost",
        _counted("{kind}", "over the continuous current as soon as something else is lost: {many}, {found}"),
        (_larger, _SMALLER, "one more feed to share the loss: `site.feeds`, `site.cords`", "cap the nodes: `node.power_cap_w`"),
        _AGAIN,
    ),
    "PWR-003": Rule(
        _worst,
        ("kind",),
        "{kind}s:unbalanced",
        _counted("{kind}", "phases further apart than the site allows: {many}, {found}"),
        ("move cords to outlets of the emptier phase", "turn the phases of every third tap-off", _POLICY),
        "move the cords back to the outlets of the plan",
    ),
    "PWR-004": Rule(
        _worst,
        ("kind",),
        "{kind}s:near-the-limit-of-balance",
        _counted("{kind}", "phases near the limit of imbalance: {many}, {found}"),
        ("turn the phases of every third tap-off", "accept it, and measure again after every change"),
        "turn the phases back",
    ),
    "PWR-005": Rule(
        _worst,
        ("kind",),
        "{kind}s:neutral",
        _counted("{kind}", "over what a neutral may carry: {many}, {found}"),
        ("balance the phases", "load between phases instead of to neutral", "a neutral of twice the section"),
        _AGAIN,
    ),
    "PWR-022": Rule(
        as_is,
        (),
        "feeds:finished-site",
        "the feed carries the plan of today and not the finished site: {found}",
        ("order the feed for the finished site: `power.feed_capacity_kw`", "place the later racks on further feeds"),
        _AGAIN,
    ),
    "PWR-023": Rule(
        _worst,
        (),
        "busways:finished-row",
        "the busway carries the racks of today and not the finished row: {found}",
        ("a busway of the next size", "a second busway for half of the row", "a shorter row: `site.racks_per_row`"),
        _AGAIN,
    ),
}

_CORDS: dict[str, Rule] = {
    "PWR-009": Rule(
        _systems,
        ("system", "found"),
        "power:{system}",
        _counted("node", "the cords of {many} leave {found}; {system} needs {expected}"),
        (
            "plug the cords as `site.cords` says",
            "change the map for all nodes: `site.cords`",
            "cap the nodes: `node.power_cap_w`",
        ),
        "plug the cords back",
    ),
    "PWR-010": Rule(
        _fed_thing,
        ("found",),
        "{kind}s:one-feed",
        _counted("{kind}", "{found}: {many} would be dark without that feed"),
        (_half, lambda row: "change the map: " + ("`power.shelf_feeds`" if row["kind"] == "rack" else "`site.cords`")),
        "plug them back",
    ),
    "PWR-011": Rule(
        as_is,
        ("subject",),
        "{subject}",
        "{found}, planned is {expected}",
        ("move the whip or the cord back to the feed of the plan", "change the map for the whole site: `site.cords`"),
        _BACK,
    ),
    "PWR-012": Rule(
        as_is,
        ("expected", "found"),
        "cords:do-not-mate",
        "{found} is planned where {expected} is needed",
        ("order the cord with the fitting ends",),
        "keep the cords for devices that they fit",
    ),
    "PWR-013": Rule(
        as_is,
        ("expected", "found"),
        "cords:overloaded",
        _counted("cord", "{many} would carry {found}; rated is {expected}"),
        (
            "cords of the larger class (C19, C21)",
            "a higher voltage between the conductors of an outlet",
            "more supplies in use",
        ),
        _AGAIN,
    ),
    "PWR-014": Rule(
        as_is,
        ("expected", "found"),
        "pdus:outlets",
        _counted("PDU", "{found} are planned on {many} for {expected}"),
        ("a PDU with more outlets of the kind: `power.pdu`", "one more PDU a rack", _SMALLER),
        _AGAIN,
    ),
    "PWR-015": Rule(
        as_is,
        ("subject",),
        "{subject}",
        "{found} of this PDU",
        ("a free outlet of the same bank for one of them",),
        "plug it back",
    ),
    "PWR-030": Rule(
        as_is,
        (),
        "cords:heat",
        "the air behind the racks leaves the connectors too little: {found}",
        ("C15 instead of C13, C21 instead of C19", "more air through the racks, or cooler air: `site.air_inlet_c`"),
        _AGAIN,
    ),
}

_CHAIN: dict[str, Rule] = {
    "PWR-018": Rule(
        as_is,
        ("expected", "found"),
        "pdus:side",
        "on the {found} side: planned is {expected}",
        ("mount the PDUs as in the other racks",),
        "mount them on the other side again",
    ),
    "PWR-019": Rule(
        as_is,
        ("expected", "found"),
        "circuits:whip-length",
        _counted("whip", "{many} of {found}, planned is {expected}"),
        ("order the whip in the common length", "move the tap-off above its rack", _POLICY),
        "order the old length again",
    ),
    "PWR-020": Rule(
        as_is,
        (),
        "circuits:door",
        _counted("whip", "{many} across the swing of a rack door"),
        ("enter the rack from the top or from the other side", "move the tap-off"),
        "lead the whip as before",
    ),
    "PWR-021": Rule(
        as_is,
        ("expected", "found"),
        "circuits:plug",
        "{found} meets a circuit that takes {expected}",
        ("order the whip with the matching receptacle", "a PDU with the matching plug: `power.pdu`"),
        _AGAIN,
    ),
    "PWR-029": Rule(
        as_is,
        ("expected",),
        "pdus:heat",
        _counted("PDU", "{many} in air that is hotter than rated: {found}, {expected}"),
        ("a PDU rated for hotter air: `power.pdu`", "more air through the racks, or cooler air: `site.air_inlet_c`"),
        _AGAIN,
    ),
    "PWR-032": Rule(
        as_is,
        ("found",),
        "feeds:one-source",
        "feeds that stand in for each other share a source: {found}",
        ("feed one of them from another source", "state what is there: `power.redundancy: N`"),
        _AGAIN,
    ),
}

_RACKS: dict[str, Rule] = {
    "PWR-006": Rule(
        _worst,
        (),
        "busbars:overloaded",
        _counted("busbar section", "over the rated current with all shelves: {many}, {found}"),
        ("place the shelves among the trays", "cap the racks: `node.power_cap_w`"),
        _AGAIN,
    ),
    "PWR-007": Rule(
        _worst,
        (),
        "busbars:overloaded-when-lost",
        _counted("busbar section", "over the rated current as soon as a feed or shelf is lost: {many}, {found}"),
        (_interleave, "cap the racks: `node.power_cap_w`"),
        "swap the whips of the shelves back",
    ),
    "PWR-008": Rule(
        _worst,
        (),
        "busbars:peak",
        _counted("busbar section", "over the rated current at the peak of the load: {many}, {found}"),
        (
            "smooth the peaks of the GPUs",
            _interleave,
            "the maker's word that a section takes the peak",
        ),
        _AGAIN,
    ),
    "PWR-016": Rule(
        as_is,
        ("expected", "found"),
        "shelves:overloaded-when-lost",
        _counted("shelf", "{many} would have to give {found}"),
        ("spread the shelves evenly over the feeds", "cap the racks: `node.power_cap_w`"),
        _AGAIN,
    ),
    "PWR-017": Rule(
        as_is,
        ("expected", "found"),
        "shelves:no-margin",
        _counted("shelf", "{many} with too little to spare for unequal sharing and peaks: {found}"),
        (
            "cap the racks below the rating of the shelves: `node.power_cap_w`",
            "accept that racks slow down while a feed is lost",
        ),
        _AGAIN,
    ),
    "PWR-031": Rule(
        as_is,
        ("found",),
        "racks:earth",
        _counted("rack", "{many} with {found}"),
        ("state the site's targets for bonds and potentials",),
        _AGAIN,
    ),
}

_FAULTS: dict[str, Rule] = {
    "PWR-024": Rule(
        _pairs,
        ("reason",),
        "breakers:selectivity",
        _counted("breaker", "{many} ({lower} below {upper}) not known to trip alone: {reason}"),
        (
            "the makers' selectivity table for each pair, `power.fault_ka` and `power.pickup_multiple`",
            "a short-time delay or zone interlocking at the upper breaker",
            "an upper breaker of a higher rating",
        ),
        "set the breaker back",
        undecided=True,
    ),
    "PWR-025": Rule(
        _kinds,
        ("kind",),
        "breakers:{kind}",
        _counted("{kind} breaker", "{many} would not break the fault current: {found}, needed is {expected}"),
        ("breakers of a higher breaking capacity", "a series rating with the one above that the maker confirms"),
        "put the old breaker back",
    ),
    "PWR-026": Rule(
        _worst,
        (),
        "busways:drop",
        _counted("busway", "{many} over the voltage budget of the row: {found}, {expected}"),
        ("feed the busway in its centre", "a busway of the next size", _POLICY),
        _AGAIN,
    ),
    "PWR-027": Rule(
        _worst,
        (),
        "circuits:drop",
        _counted("circuit", "{many} over the voltage budget of the row: {found}, {expected}"),
        ("shorter whips, or whips of a larger section", "a busway of the next size", _POLICY),
        _AGAIN,
    ),
    "PWR-028": Rule(
        _kinds,
        ("kind",),
        "breakers:{kind}-step",
        _counted("{kind} breaker", "a step of all GPUs at once reaches {many}: {found}, needed is {expected}"),
        ("a higher or delayed instantaneous setting", "smooth the peaks of the GPUs", "jobs that ramp up"),
        "set the breaker back",
    ),
}

POWER_RULES: dict[str, Rule] = _LOADS | _CORDS | _CHAIN | _RACKS | _FAULTS
