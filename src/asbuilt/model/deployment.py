"""The words of a deployment: scopes of work, skills, operations, stages where a fault is caught, kinds of fault. No numbers."""

from __future__ import annotations

from dataclasses import dataclass

#: What may be given to one party: the parts of the work, in building order.
SCOPES = ("staging", "power", "liquid", "fibre", "bringup", "acceptance")
#: Who does the work of a scope. One pool of teams for each.
SKILLS = {
    "staging": "rack technician",
    "power": "electrician",
    "liquid": "liquid-cooling technician",
    "fibre": "fibre technician",
    "bringup": "systems engineer",
    "acceptance": "commissioning engineer",
}
#: Where a fault can be caught, in the order in which the work passes them. The last one is the owner's own work.
CATCHES = ("inspection", "pressure", "node", "fabric", "collectives", "soak", "production")
#: How well a party knows the work.
QUALIFICATIONS = ("novice", "trained", "certified")
PARTIES = ("own", "specialist")


@dataclass(frozen=True, slots=True)
class Operation:
    """One kind of work: what it is counted by, and where it stands in the schedule.

    ``package``: the package of work that it is part of; ``each``: the packages are one per ``rack``, ``row`` or ``site``.
    """

    id: str
    scope: str
    package: str
    each: str
    unit: str
    meaning: str


_OPERATION_ROWS = (
    ("rack_place", "staging", "staging/rack", "rack", "rack", "an air-cooled rack brought in, placed, levelled, bolted"),
    (
        "rack_place_liquid",
        "staging",
        "staging/rack",
        "rack",
        "rack",
        "a liquid-cooled rack, trays in it, brought in and placed",
    ),
    ("node_mount", "staging", "staging/rack", "rack", "node", "a server lifted to its rails and fixed"),
    ("switch_mount", "staging", "staging/rack", "rack", "switch", "a switch fixed in its rack"),
    ("panel_mount", "staging", "staging/rack", "rack", "panel", "a patch panel fixed in its rack"),
    (
        "backplane_seat",
        "staging",
        "staging/rack",
        "rack",
        "tray",
        "a tray drawn, its backplane connectors inspected, seated again",
    ),
    ("pdu_mount", "power", "power/rack", "rack", "PDU", "a rack PDU fixed and earthed"),
    ("circuit_land", "power", "power/rack", "rack", "circuit", "a whip or tap-off landed at a rack"),
    ("circuit_test", "power", "power/gate", "row", "circuit", "voltage, rotation and polarity of a circuit measured"),
    ("shelf_feed", "power", "power/rack", "rack", "shelf", "a power shelf connected to its feed"),
    ("cord_plug", "power", "power/rack", "rack", "cord", "a power cord plugged at both ends, by its label"),
    ("bond_measure", "power", "power/gate", "row", "bond", "an earth bond fixed and its potential measured"),
    ("cdu_commission", "liquid", "liquid/header", "row", "CDU", "a CDU set, connected, vented and started"),
    ("header_segment", "liquid", "liquid/header", "row", "segment", "a header segment hung and joined"),
    ("loop_flush", "liquid", "liquid/header", "row", "loop", "a loop flushed and its coolant sampled"),
    ("manifold_fit", "liquid", "liquid/rack", "rack", "manifold", "a rack manifold fixed"),
    ("hose_connect", "liquid", "liquid/rack", "rack", "hose", "a hose connected and supported"),
    ("fitting_torque", "liquid", "liquid/rack", "rack", "fitting", "a fitting torqued, marked and recorded"),
    ("loop_pressure_test", "liquid", "liquid/gate", "row", "loop", "a loop under nitrogen: raised, held, read, vented"),
    ("loop_fill", "liquid", "liquid/gate", "row", "loop", "a loop filled and vented"),
    ("trunk_pull", "fibre", "fibre/trunks", "row", "trunk", "a trunk pulled over its trays and dressed"),
    ("trunk_test", "fibre", "fibre/trunks", "row", "trunk", "the loss of a trunk measured and recorded"),
    ("jumper_lay", "fibre", "fibre/rack", "rack", "jumper", "a fibre cord laid, dressed and labelled"),
    ("copper_lay", "fibre", "fibre/rack", "rack", "cable", "a copper cable laid, plugged and labelled"),
    (
        "connector_inspect",
        "fibre",
        "fibre/rack",
        "rack",
        "end",
        "an end face inspected, cleaned where needed, inspected again",
    ),
    ("connector_mate", "fibre", "fibre/rack", "rack", "end", "an end mated"),
    ("optic_insert", "fibre", "fibre/rack", "rack", "transceiver", "a transceiver seated"),
    ("node_bring_up", "bringup", "bringup/rack", "rack", "node", "a node powered, its firmware set, its system installed"),
    ("switch_bring_up", "bringup", "bringup/rack", "rack", "switch", "a switch powered, its software and settings loaded"),
    ("node_accept", "bringup", "bringup/rack", "rack", "node", "a node's captures read, its diagnostics looked at"),
    ("domain_accept", "bringup", "bringup/rack", "rack", "domain", "an NVLink domain's state read over all its trays"),
    ("link_verify", "acceptance", "acceptance/fabric", "row", "link", "a link held against the plan"),
    ("row_collectives", "acceptance", "acceptance/collectives", "row", "row", "collectives of a row run and judged"),
    ("site_fabric", "acceptance", "acceptance/site", "site", "site", "the whole fabric held against the plan"),
    ("site_soak", "acceptance", "acceptance/soak", "site", "site", "the whole cluster under load, watched"),
    ("audit", "acceptance", "acceptance/audit", "site", "sample", "a record measured again by the owner or a third party"),
)
OPERATIONS = tuple(Operation(*row) for row in _OPERATION_ROWS)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault that work puts in, or that a part brings along.

    ``operation``: the work that it comes with; one chance for each piece of it. ``catches``: where it can be caught at all,
    in order; production is always last. ``modes``: numbers of docs/failure-modes.md that it stands for.
    """

    id: str
    operation: str
    catches: tuple[str, ...]
    modes: tuple[int, ...]
    meaning: str


def _kinds() -> tuple[FaultKind, ...]:
    late = ("fabric", "collectives", "soak", "production")
    node = ("node", "collectives", "soak", "production")
    rows = (
        ("connector_dirty", "connector_mate", ("inspection", *late), (28, 29, 30), "an end face mated with dirt on it"),
        ("backplane_pin", "backplane_seat", ("inspection", *node), (13,), "a bent pin or contact of the NVLink backplane"),
        ("fitting_leak", "fitting_torque", ("pressure", "node", "soak", "production"), (38,), "a fitting that leaks"),
        ("bend_radius", "jumper_lay", ("inspection", *late), (28, 30), "a cable bent or routed beyond its radius"),
        (
            "cord_wrong",
            "cord_plug",
            ("inspection", "node", "production"),
            (),
            "a power cord in the wrong feed or of the wrong kind",
        ),
        ("cable_swapped", "jumper_lay", ("inspection", *late), (1, 2, 3), "an end in another port than planned"),
        ("trunk_loss", "trunk_pull", ("inspection", *late), (31,), "a trunk over its loss budget or of wrong polarity"),
        ("port_mode", "node_bring_up", ("node", *late), (4, 5, 6), "a port left in another mode, rate or width"),
        (
            "pcie_degraded",
            "node_bring_up",
            node,
            (7, 8, 9, 11, 16, 21),
            "a card seated badly or in another slot: width, speed, count",
        ),
        (
            "configuration",
            "node_bring_up",
            node,
            (10, 12, 14, 20, 34, 37),
            "firmware, driver, affinity or settings unlike the plan",
        ),
        ("gpu_fault", "node_bring_up", node, (15, 17, 18, 40), "a GPU missing, failing or silent"),
        ("nvlink_fault", "domain_accept", node, (13, 14), "NVLink lanes or their fabric not up"),
        ("thermal", "node_bring_up", ("node", "soak", "production"), (19, 32), "a node that throttles or runs slow"),
        ("optic_dead", "optic_insert", late, (28, 30), "a transceiver that fails early"),
        (
            "subnet_setting",
            "switch_bring_up",
            late,
            (22, 23, 24, 25, 26, 27),
            "identities, partitions, lanes or routes unlike the plan",
        ),
        ("fastener_loose", "shelf_feed", ("inspection", "soak", "production"), (39,), "a busbar or fastener left loose"),
    )
    return tuple(FaultKind(*row) for row in rows)


FAULT_KINDS = _kinds()
#: The five that the field names first.
FIELD_FIVE = ("connector_dirty", "backplane_pin", "fitting_leak", "bend_radius", "cord_wrong")
#: Modes of docs/failure-modes.md that are no fault of the building work but of the measuring.
MEASURING_MODES = (33, 35, 36)
