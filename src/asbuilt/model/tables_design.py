"""Plan tables that carry what was promised and what the parts can do, so that design checks need no catalogue."""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column

PLANES = Schema(
    "planes",
    "What was promised of each plane: technology, separation, rates, oversubscription.",
    (
        C("plane", "str", "natural key: compute, storage, frontend, management, oob"),
        C("technology", "str", "infiniband or ethernet"),
        C("layout", "str", "rail-optimised, leaf-groups or fat-tree"),
        C("separation", "str", "physical, partition or none"),
        C("separation_origin", "str", "declared or assumed"),
        C("share", "str", "plane whose switches it uses", nullable=True),
        C("subnet", "str", "subnet"),
        C("pkey", "i64", "partition key without the membership bit", nullable=True),
        C("rails", "i64", "ports of one node in one subplane"),
        C("subplanes", "i64", "independent parallel fabrics"),
        C("link_gbps", "f64", "rate of a node link", "Gb/s"),
        C("uplink_gbps", "f64", "rate of a link between switches", "Gb/s"),
        C("nodes_per_leaf", "i64", "node slots of one leaf"),
        C("uplinks", "i64", "links of one leaf to the tier above"),
        C("service_ports", "i64", "ports asked for fabric services, in each island and subplane"),
    ),
    ("plane",),
)
PARTS = Schema(
    "parts",
    "The catalogue parts that the plan uses, with the traits that must match. Null: does not apply, or nobody knows.",
    (
        C("part", "str", "natural key: catalogue id"),
        C("kind", "str", "system, nic, switch, optic, cable, ..."),
        C("name", "str", "what it is called"),
        C("link_types", "str", "link layers that it can run, joined by +", nullable=True),
        C("rates_gbps", "str", "rates that a port can run, joined by +", "Gb/s", nullable=True),
        C("ports", "i64", "ports of a NIC or switch; link ends of an optic", nullable=True),
        C("form_factor", "str", "cage of a device; shape of an optic or of a cable's ends", nullable=True),
        C("fits", "str", "cages that an optic or cable end may be put in, joined by +", nullable=True),
        C("heatsink", "str", "finned or flat: what an optic has, what a device's cages take", nullable=True),
        C("polish", "str", "ferrule polish: apc or upc, as ordered for a cable", nullable=True),
        C("connector", "str", "fibre connector", nullable=True),
        C("medium", "str", "copper, active-copper, multimode, single-mode or aoc", nullable=True),
        C("lane_gbps", "f64", "rate of one lane", "Gb/s", nullable=True),
        C("downshift", "bool", "may run slower lanes than its own", nullable=True),
        C("reach_m", "f64", "longest straight channel", "m", nullable=True),
        C("reach_split_m", "f64", "longest channel through a splitter", "m", nullable=True),
        C("power_max_w", "f64", "maximum power", "W", nullable=True),
        C("power_confidence", "str", "confidence of the maximum power", nullable=True),
        C("cage_power_w", "f64", "power that one cage can feed and cool", "W", nullable=True),
        C("airflow", "str", "air directions that it is sold in, joined by +", nullable=True),
        C("confidence", "str", "lowest confidence of the traits above", nullable=True),
    ),
    ("part",),
)
POWER_SOURCES = Schema(
    "power_sources",
    "Power supplies of one node, or power shelves of one NVL72 rack, and the feed that each hangs on.",
    (
        C("source", "str", "natural key: psu:<system>/<number> or shelf:<system>/<number>"),
        C("system", "str", "catalogue id of the system"),
        C("kind", "str", "psu or shelf"),
        C("number", "i64", "number within the node or rack, from 0"),
        C("feed", "str", "feed letter"),
        C("rating_w", "f64", "rated output", "W"),
        C("need_w", "f64", "power that the node or rack draws at most, with any cap applied", "W"),
        C("capped", "bool", "a power cap holds the draw below the nameplate"),
        C("confidence", "str", "lowest confidence of the figures used"),
    ),
    ("source",),
)
GROWTH = Schema(
    "growth",
    "What the growth target asks of each plane that is built now.",
    (
        C("plane", "str", "plane"),
        C("quantity", "str", "node slots, spine striping, tiers, leaf ports or subnet LIDs"),
        C("planned", "i64", "what is built now"),
        C("target", "i64", "what the growth target asks"),
        C("moved_links", "i64", "installed links that must be moved to get there"),
        C("reason", "str", "what changes"),
    ),
    ("plane", "quantity"),
    {"plane": "planes.plane"},
)
