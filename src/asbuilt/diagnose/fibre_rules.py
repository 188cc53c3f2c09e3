"""How findings of the fibre plan read: what is one cause, the ways out, and how each is taken back."""

from __future__ import annotations

import math
from typing import Any

from asbuilt.diagnose import fibre_context as around
from asbuilt.diagnose.design_context import as_is
from asbuilt.diagnose.design_rule import Rule, Words

_AGAIN = "put the old value back in cluster.yaml and run `asbuilt plan`"
_LIST = "restore the list"

#: Widths that trays are made in go up by 50 mm; a run wider than 1.2 m is two runs.
_STEP_MM, _WIDEST_MM = 50.0, 1200.0


def _homeless(row: dict[str, Any]) -> str:
    if row["racks"] == "1":
        return f"panels of {row['rack']} found no room: wanted is {row['expected']}"
    return f"{row['count']} panels of {row['racks']} racks found no room: {row['rack']}"


def _runs(what: str, limit: str) -> Words:
    """Which runs of trays are concerned, and the fullest of them; ``what`` may hold ``{s}`` and ``{is}``."""

    def words(row: dict[str, Any]) -> str:
        many = int(row["runs"]) > 1
        said = what.format_map({"s": "" if many else "s", "is": "are" if many else "is"})
        runs = f"{row['runs']} runs of trays" if many else "a run of trays"
        fullest = "the fullest part of all" if many else "its fullest part"
        return f"{runs} ({row['run']}) {said}: {fullest} {row['found']}, {limit.format_map(row)}"

    return words


def _wider(row: dict[str, Any]) -> str:
    """The width at which the fullest run keeps room for what comes later, where a tray is made that wide."""
    times = float(row["times"])
    if not times:
        return "wider or deeper trays: `fibre.tray_width_mm`, `fibre.tray_depth_mm`"
    now = [float(w) for w in str(row["width_mm"]).split(", ")] if row["width_mm"] else []
    need = math.ceil(max(now) * times / _STEP_MM) * _STEP_MM if now else math.inf
    if need <= _WIDEST_MM:
        return f"wider trays: `fibre.tray_width_mm: {need:.0f}`, or deeper ones: `fibre.tray_depth_mm`"
    return f"trays of {times:.1f} times this cross-section: `fibre.tray_width_mm`, `fibre.tray_depth_mm`"


FIBRE_RULES: dict[str, Rule] = {
    "CAB-001": Rule(
        around.of_bundle,
        ("subject",),
        "{subject}",
        "the trunks between {a_rack} and {b_rack} do not carry their ports: {found}, needed are {expected}",
        ("plan the missing trunks at the next free positions of both panels", "trunks of more legs: `fibre.trunk_legs`"),
        _AGAIN,
    ),
    "CAB-002": Rule(
        around.of_bundle,
        ("subject",),
        "{subject}",
        "no trunk may fail between {a_rack} and {b_rack}: {found}, asked are {expected}",
        ("plan the spare trunks: `fibre.spare_percent`",),
        _AGAIN,
    ),
    "CAB-003": Rule(
        as_is,
        ("subject",),
        "{subject}",
        "two trunks end at one position of a panel: {found}",
        ("give one of them a free position of the same panel",),
        _LIST,
    ),
    "CAB-004": Rule(
        around.of_panel,
        ("subject",),
        "{subject}",
        "a panel of {rack} has too few positions: {found}, it has {expected}",
        ("another panel in the same rack", "trunks of more legs, so that fewer end there: `fibre.trunk_legs`"),
        _AGAIN,
    ),
    "CAB-005": Rule(
        around.of_panel,
        (),
        "panels:no-room",
        _homeless,
        (
            "keep units free: fewer nodes a rack (`site.nodes_per_rack`) or fewer switches (`site.switch_u_per_rack`)",
            "trunks between rows only: `fibre.trunks: between-rows`",
        ),
        _AGAIN,
    ),
    "CAB-006": Rule(
        around.of_trunk,
        ("part",),
        "trunks:{part}",
        "a trunk is shorter than its way: {found}, {expected}",
        ("order the next stock length",),
        "put the old length back on the list",
    ),
    "CAB-007": Rule(
        around.of_trunk,
        (),
        "trunks:loops",
        "ways of trunks have no room for service loops: {found}, wanted is {expected}",
        ("plan the loops and order the trunks by them: `fibre.loop_m`",),
        _AGAIN,
    ),
    "CAB-010": Rule(
        around.of_channel,
        ("found",),
        "{through}",
        "transmitters do not meet receivers through {through}: {found}",
        ("order that trunk or cord in the other type, so that the number of reversals is odd", "the other adapters in a panel"),
        _LIST,
    ),
    "CAB-011": Rule(
        around.of_trunk,
        ("found",),
        "trunks:{part}",
        "pins and holes do not meet: {found}; wanted are {expected}",
        ("order the trunk with the other gender", "change its pins on the site with the maker's tool"),
        _LIST,
    ),
    "CAB-012": Rule(
        around.of_trunk,
        ("found",),
        "trunks:{part}",
        "angled and flat ferrules meet: {found}",
        ("order the trunk and the panels with the polish of the modules",),
        _LIST,
    ),
    "CAB-013": Rule(
        around.of_channel,
        ("phy", "pairs"),
        "channels:{phy}/{pairs}-pairs",
        "a channel loses more light than {phy} allows: {found}, {expected}",
        (
            "fewer mated pairs: `fibre.trunks`",
            "racks nearer to each other: `site.racks_per_row`",
            "single-mode optics: `cabling.prefer: single-mode`",
        ),
        _AGAIN,
    ),
    "CAB-014": Rule(
        around.of_channel,
        ("phy",),
        "channels:{phy}",
        "cords and trunk together are longer than the modules reach: {found}, {expected}",
        ("a shorter way: `site.racks_per_row`, `site.tray_height_mm`", "modules that reach farther: `cabling.prefer`"),
        _AGAIN,
    ),
    "CAB-020": Rule(
        around.of_tray,
        ("kind",),
        "trays:{class}",
        _runs("keep{s} no room for what comes later", "planned is {expected}"),
        (_wider, "trunks in place of cords: `fibre.trunks`"),
        _AGAIN,
    ),
    "CAB-021": Rule(
        around.of_tray,
        ("kind",),
        "trays:{class}",
        _runs("{is} full", "it may be {expected}"),
        (_wider, "a second run beside it", "trunks in place of cords: `fibre.trunks`"),
        _AGAIN,
    ),
    "CAB-022": Rule(
        around.of_tray,
        ("kind",),
        "trays:{kind}",
        "trays of {kind} hold power cables as well",
        ("a tray of its own for power, and `fibre.trays_shared_with_power: false`",),
        _AGAIN,
    ),
    "CAB-023": Rule(
        around.of_route,
        ("bend_mm",),
        "routes:bend-{bend_mm}",
        "turns are tighter than the thickest cable on them takes under pull: {found}, wanted is {expected}",
        ("sweeps and drop-outs of the larger radius: `fibre.turn_radius_mm`", "thinner trunks: `fibre.trunk_legs`"),
        _AGAIN,
    ),
    "CAB-024": Rule(
        around.of_route,
        (),
        "routes:tension",
        "pulled from end to end, cables see more than they take: {found}, {expected}",
        ("pull from the middle, or lay in instead of pulling", "racks nearer to each other: `site.racks_per_row`"),
        _AGAIN,
    ),
    "CAB-030": Rule(
        as_is,
        (),
        "cables:nvlink",
        "a cable of the field ends inside an NVLink domain: {found}",
        ("take it out of the plan", "name the NIC or switch that it really ends at"),
        _LIST,
    ),
    "CAB-031": Rule(
        as_is,
        ("found",),
        "cables:unplaced",
        "an end has no place, and so no label: {found}",
        ("give the device a rack and a unit", "correct its name in the list that the plan was read from"),
        _LIST,
    ),
    "CAB-032": Rule(
        as_is,
        ("subject",),
        "{subject}",
        "labels of different cables read the same: {found}",
        ("correct the end of one of them", "port names that differ by more than the sign between their numbers"),
        _LIST,
    ),
    "CAB-033": Rule(
        as_is,
        (),
        "labels:unreadable",
        "labels cannot be taken apart into two ends: {found}",
        ("names of racks without `/` and `:`",),
        "put the old names back",
    ),
    "CAB-034": Rule(
        as_is,
        ("found",),
        "panels:{found}",
        "a panel's positions do not follow the hall: {found}",
        ("exchange the positions of the trunks, so that each row has the same port map",),
        "exchange them back",
    ),
}
