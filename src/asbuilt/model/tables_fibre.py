"""Plan tables of the cable plant: trays, routes, trunks, panels, and the channel of every optical link."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

TRAYS = Schema(
    "trays",
    "Tray segments between junctions, with their fill now and when the site is finished.",
    (
        C("tray", "str", "natural key: tray:<kind>/<row or cross>/<number>"),
        C("kind", "str", "fibre, copper or power"),
        C("row", "str", "row it runs over; null: it crosses rows", nullable=True),
        C("x1_mm", "f64", "start along the row", "mm"),
        C("y1_mm", "f64", "start across the rows", "mm"),
        C("x2_mm", "f64", "end along the row", "mm"),
        C("y2_mm", "f64", "end across the rows", "mm"),
        C("z_mm", "f64", "height of its floor", "mm"),
        C("length_m", "f64", "length", "m"),
        C("width_mm", "f64", "width", "mm"),
        C("depth_mm", "f64", "usable depth", "mm"),
        C("cables_now", "i64", "cables in it now"),
        C("cables_full", "i64", "cables in it when the site is finished"),
        C("fill_now_percent", "f64", "cross-section of the cables over that of the tray, now", "%"),
        C("fill_full_percent", "f64", "the same when the site is finished", "%"),
        C("mass_kg_m", "f64", "mass of the cables, finished site", "kg/m"),
        C("shared", "bool", "fibre and power lie in it together"),
        C("origin", "str", "origin of its size: declared or assumed"),
        C("phase", "str", "build phase"),
    ),
    ("tray",),
)
ROUTES = Schema(
    "routes",
    "Ways between two racks over the trays; all cables of the pair take it.",
    (
        C("route", "str", "natural key: route:<rack>/<rack>, the first in name order; /copper behind it: over copper trays"),
        C("a_rack", "str", "rack"),
        C("b_rack", "str", "rack"),
        C("cables", "i64", "cables that take it: cords, jumpers and trunks"),
        C("tray_m", "f64", "length in trays", "m"),
        C("drops_m", "f64", "length of both drops", "m"),
        C("loops_m", "f64", "service loops, both ends", "m"),
        C("length_m", "f64", "sum", "m"),
        C("turns", "i64", "turns"),
        C("bend_mm", "f64", "smallest bend radius on the way: that of the trays' turns", "mm"),
        C("bend_least_mm", "f64", "smallest radius that its thickest cable may take under pull", "mm"),
        C("tension_n", "f64", "pull tension at its end: its heaviest cable alone, from the worse end", "N"),
        C("tension_most_n", "f64", "most that its weakest cable may take", "N"),
        C("phase", "str", "build phase"),
    ),
    ("route",),
)
ROUTE_TRAYS = Schema(
    "route_trays",
    "The tray segments of each route, in order.",
    (
        C("route", "str", "route"),
        C("step", "i64", "order, from 1"),
        C("tray", "str", "tray segment"),
    ),
    ("route", "step"),
    {"route": "routes.route", "tray": "trays.tray"},
)
PANELS = Schema(
    "panels",
    "Patch panels: where trunks end.",
    (
        C("panel", "str", "natural key: panel:<rack>/<number>"),
        C("rack", "str", "rack"),
        C("number", "i64", "number in the rack, from 1"),
        C("u", "f64", "lowest U it takes; null: no room", "U", nullable=True),
        C("height_u", "f64", "height", "U"),
        C("part", "str", "catalogue id"),
        C("positions", "i64", "trunk positions, each takes all legs of a trunk"),
        C("used", "i64", "positions taken, spare trunks among them"),
        C("medium", "str", "multimode or single-mode"),
        C("adapter", "str", "array adapter type: A (key up to key down) or B (key up to key up)"),
        C("polish", "str", "apc or upc"),
        C("gender", "str", "pins of the trunk behind it: male or female"),
        C("phase", "str", "build phase"),
    ),
    ("panel",),
    {"rack": "racks.rack"},
)
BUNDLES = Schema(
    "bundles",
    "Trunks between two racks: how many ports, how many trunks carry them, how many stand by.",
    (
        C("bundle", "str", "natural key: bundle:<rack>/<rack>/<medium>"),
        C("route", "str", "route"),
        C("a_rack", "str", "rack"),
        C("b_rack", "str", "rack"),
        C("medium", "str", "multimode or single-mode"),
        C("ports", "i64", "optical ports carried"),
        C("fibres_per_port", "i64", "fibres of one port"),
        C("usable_fibres", "i64", "fibres of one trunk that its ends can use"),
        C("trunks", "i64", "ceil(ports x fibres per port / usable fibres)"),
        C("spares", "i64", "spare trunks: ceil(10 %), at least one"),
        C("phase", "str", "build phase"),
    ),
    ("bundle",),
    {"route": "routes.route"},
)
TRUNKS = Schema(
    "trunks",
    "Every trunk with both panel positions.",
    (
        C("trunk", "str", "natural key: trunk:<rack>/<rack>/<medium>-<number>"),
        C("bundle", "str", "bundle"),
        C("part", "str", "catalogue id"),
        C("a_panel", "str", "panel"),
        C("a_position", "i64", "position, from 1"),
        C("b_panel", "str", "panel"),
        C("b_position", "i64", "position, from 1"),
        C("fibres", "i64", "fibres"),
        C("ports", "i64", "ports carried; 0: a spare"),
        C("polarity", "str", "array cable type: A, B or C"),
        C("a_gender", "str", "male or female"),
        C("b_gender", "str", "male or female"),
        C("polish", "str", "apc or upc"),
        C("od_mm", "f64", "outside diameter", "mm"),
        C("route_m", "f64", "length of the way, service loops and slack included", "m"),
        C("length_m", "f64", "stock length ordered", "m"),
        C("phase", "str", "build phase"),
    ),
    ("trunk",),
    {"bundle": "bundles.bundle", "a_panel": "panels.panel", "b_panel": "panels.panel"},
)
CHANNELS = Schema(
    "channels",
    "What each optical jumper of the plan runs through from module to module, with its loss.",
    (
        C("jumper", "str", "the jumper of the plan that this channel makes; over a trunk it is not bought as such"),
        C("trunk", "str", "trunk; null: one cord from end to end", nullable=True),
        C("port", "i64", "which port of the trunk, from 1", nullable=True),
        C("a_cord_m", "f64", "cord at the reference end", "m", nullable=True),
        C("b_cord_m", "f64", "cord at the far end", "m", nullable=True),
        C("elements", "str", "what the fibres pass, in order: cable types A, B, C, adapters adA, adB, duplex cords AA, AB"),
        C("lanes", "str", "base of the array: mpo12, mpo16 or lc"),
        C("pairs", "i64", "mated pairs, without those at the modules"),
        C("splices", "i64", "splices"),
        C("length_m", "f64", "length of the whole channel", "m"),
        C("loss_db", "f64", "loss from length, mated pairs and splices", "dB"),
        C("limit_db", "f64", "loss that the PHY allows; null: not known", "dB", nullable=True),
        C("reach_m", "f64", "longest channel that the modules allow", "m", nullable=True),
        C("phy", "str", "physical layer that the limit is of", nullable=True),
    ),
    ("jumper",),
    {"jumper": "jumpers.jumper"},
)
FACTORY_PARTS = Schema(
    "factory_parts",
    "What comes built into a rack and is never pulled, patched or labelled in the field.",
    (
        C("part", "str", "what it is"),
        C("rack", "str", "rack"),
        C("domain", "str", "NVLink domain that it joins"),
        C("quantity", "i64", "how many"),
        C("source", "str", "where the figure is from"),
        C("confidence", "str", "confidence of the figure"),
    ),
    ("rack", "part"),
    {"rack": "racks.rack"},
)

FIBRE_TABLES = (TRAYS, ROUTES, ROUTE_TRAYS, PANELS, BUNDLES, TRUNKS, CHANNELS, FACTORY_PARTS)
