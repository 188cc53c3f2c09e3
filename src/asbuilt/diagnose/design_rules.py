"""For each design check: which verdicts are one cause, how it reads, the ways out, and how each is taken back.

Texts are templates over the columns of `design_context`, plus ``count`` (failing subjects) and ``expected``, ``found``. A
column that varies within the group reads as a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import polars as pl

from asbuilt.diagnose import design_causes as causes
from asbuilt.diagnose import design_context as context
from asbuilt.model.plan import Plan

Words = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """How failing verdicts of one check become findings; ``subject`` names the class when several subjects share a cause."""

    around: Callable[[Plan, pl.DataFrame], pl.DataFrame]
    group: tuple[str, ...]
    subject: str
    cause: str | Words
    ways: tuple[str | Words, ...]
    revert: str


_AGAIN = "put the old value back in cluster.yaml and run `asbuilt plan`"
_PLACE = ("fewer nodes a rack: `site.nodes_per_rack`", "state the real limit of the position under `site`")
_NODE = "the `node` map of cluster.yaml"

RULES: dict[str, Rule] = {
    "DES-001": Rule(
        context.of_switch,
        ("plane", "role", "model"),
        "switches:{plane}/{role}",
        causes.ports_cause,
        (
            causes.split_way,
            "give the planes that share these switches leaves of their own (`share_tier: spine`, or no `share`)",
            "plug services into the spines: `planes.{plane}.service_at: spine`",
            "fewer nodes a leaf: `planes.{plane}.nodes_per_leaf`, which adds leaves",
        ),
        _AGAIN,
    ),
    "DES-002": Rule(
        context.as_is,
        ("subject",),
        "{subject}",
        "{found} are planned on the same port",
        ("give one of the links a free port in the list that the plan was read from",),
        "restore the list",
    ),
    "DES-003": Rule(
        context.of_link,
        ("plane", "kind"),
        "links:{plane}/{kind}",
        "links name a port that the switch does not have: {found}",
        ("give the links ports that exist", "plan for the switch model that has them"),
        "restore the list",
    ),
    "DES-010": Rule(
        context.of_pair,
        ("subject",),
        "{subject}",
        "{plane} is called physically separate, and has with {other} {found}",
        (
            "build {plane} apart: no `share`, `leaf` and `spine` switches and a `subnet` of its own",
            "call it what it is: `planes.{plane}.separation: partition`, accepted by the owner",
        ),
        _AGAIN,
    ),
    "DES-011": Rule(
        context.of_pair,
        ("subject",),
        "{subject}",
        "switches of {plane} and {other} stand in the same racks",
        ("place them in different racks", "accept the common rack in writing"),
        "move them back",
    ),
    "DES-012": Rule(
        context.of_nic,
        ("plane", "part", "link_type"),
        "nics:{plane}/{part}",
        "{part} is planned on {link_type} for the {plane} plane, and {found}: the part number decides, not a setting",
        (
            "order a part that runs {link_type} (`asbuilt catalogue nic` lists link types) and name it in "
            "`planes.{plane}.nic` and `node.nics`",
            "plan the {plane} plane on a link layer that {part} runs, with switches of that kind",
        ),
        _AGAIN,
    ),
    "DES-013": Rule(
        context.of_link,
        ("plane", "kind"),
        "links:{plane}/{kind}",
        "the two ends of a link run different link layers: {found}",
        ("switches of the technology that the NICs run", "NICs planned on the technology of the switches"),
        _AGAIN,
    ),
    "DES-014": Rule(
        context.of_nic,
        ("plane", "part", "rate_gbps"),
        "nics:{plane}/{part}",
        "{part} cannot run {rate_gbps} Gb/s: {found}",
        ("order the faster part", "plan the plane at a rate that it runs: `planes.{plane}.link_gbps`"),
        _AGAIN,
    ),
    "DES-015": Rule(
        context.of_pair,
        ("subject",),
        "{subject}",
        "{plane} and {other} share a subnet, and the keys do not keep them apart: {found}",
        ("give each plane a key: `planes.{plane}.pkey`, `planes.{other}.pkey`", "a subnet of its own for one of them"),
        _AGAIN,
    ),
    "DES-016": Rule(
        context.of_link,
        ("plane", "kind", "found"),
        "links:{plane}/{kind}",
        "{found}, the plan asks for another rate",
        ("a switch that runs the rate", "plan the links at a rate that the switch has"),
        _AGAIN,
    ),
    "DES-020": Rule(
        context.of_gpu,
        (),
        "gpus:off-socket",
        causes.sockets_cause,
        (causes.map_way, "move the cards to slots of the socket that their GPUs hang on, and say so in `node.nics`"),
        _AGAIN,
    ),
    "DES-021": Rule(
        context.of_gpu,
        ("rail",),
        "gpus:rail-{rail}",
        "no compute NIC serves rail {rail} in the node of GPU {slot}",
        (f"correct {_NODE}", "add the missing NIC"),
        _AGAIN,
    ),
    "DES-022": Rule(
        context.of_node,
        ("found",),
        "nodes:uneven",
        "the GPUs of a node are spread unevenly: {found}",
        ("spread them evenly: `node.gpu_rails`",),
        _AGAIN,
    ),
    "DES-030": Rule(
        context.as_is,
        (),
        "rails:uneven",
        "rails carry different numbers of node links",
        ("add the node links that the rail lacks",),
        "take the added links out again",
    ),
    "DES-031": Rule(
        context.of_switch,
        ("plane", "role"),
        "switches:{plane}/{role}",
        "the uplinks of a {plane} {role} switch do not divide evenly: {found}",
        (
            "take a number of switches above that divides the uplinks",
            "change the uplinks of a {role}: `planes.{plane}.{role}.uplinks`",
        ),
        _AGAIN,
    ),
    "DES-032": Rule(
        context.of_switch,
        ("plane", "role"),
        "switches:{plane}/{role}",
        "{plane} {role} switches are built {found}, promised is {expected}",
        ("more uplinks: `planes.{plane}.{role}.uplinks`", "promise what is built: `planes.{plane}.oversubscription`"),
        _AGAIN,
    ),
    "DES-033": Rule(
        context.of_link,
        ("plane", "rail"),
        "links:{plane}/rail-{rail}",
        "links of rail {rail} end on another rail's leaf: {found}",
        ("exchange the ends",),
        "exchange them back",
    ),
    "DES-034": Rule(
        context.as_is,
        ("subject",),
        "{subject}",
        "the subnet needs {found}, and there are {expected}",
        ("lower the LMC: `planes.compute.lmc`", "split the fabric into several subnets"),
        _AGAIN,
    ),
    "DES-036": Rule(
        context.of_jumper,
        ("part", "expected"),
        "jumpers:{part}",
        "{found}; it is planned where {expected} is needed",
        ("the cable with that plug: `cabling.node_link`, `cabling.switch_link`",),
        _AGAIN,
    ),
    "DES-038": Rule(
        context.of_jumper,
        ("found",),
        "jumpers:lanes",
        "optics of two generations face each other: {found}",
        ("optics of one generation at both ends",),
        "put the ordered optic back",
    ),
    "DES-039": Rule(
        context.of_jumper,
        ("plane", "rate_gbps"),
        "jumpers:{plane}",
        causes.no_cable,
        (
            "routes that a cable reaches: `site.racks_per_row`, `site.tray_height_mm`",
            "another NIC or split: `planes.{plane}.nic`, `planes.{plane}.leaf.split`",
            "describe the cable that does it in the project's `catalogue/cable/`",
        ),
        _AGAIN,
    ),
    "DES-040": Rule(
        context.of_transceiver,
        ("part", "expected"),
        "modules:{part}",
        "{found}; it is planned where {expected} is needed",
        ("order the twin of the module with the other heat sink",),
        "put the ordered module back on the list",
    ),
    "DES-041": Rule(
        context.of_jumper,
        ("part", "expected"),
        "jumpers:{part}",
        "{found}, the optics want {expected}",
        ("order the jumpers with the polish of the optics: `cabling.polish`",),
        _AGAIN,
    ),
    "DES-042": Rule(
        context.of_transceiver,
        ("part",),
        "modules:{part}",
        "the two ports of a module have different kinds of jumper: {found}",
        ("the same jumper on both ports", "move one of the links to another module"),
        "put the links back",
    ),
    "DES-043": Rule(
        context.of_jumper,
        ("part", "medium"),
        "jumpers:{part}",
        "{found}, and that medium does not exist at this lane rate",
        ("single-mode optics: `cabling.prefer: single-mode`", "active copper where it reaches"),
        _AGAIN,
    ),
    "DES-044": Rule(
        context.of_jumper,
        ("part", "medium"),
        "jumpers:{part}",
        "a cable is longer than the channel may be: {found}, {expected}",
        ("a medium that reaches: `cabling.prefer`, `cabling.switch_link`", "racks nearer to each other: `site.racks_per_row`"),
        _AGAIN,
    ),
    "DES-045": Rule(
        context.of_transceiver,
        ("part", "host"),
        "modules:{part}",
        "{found}; it may be {expected}",
        ("a module of a lower power class", "a switch whose cages feed it"),
        _AGAIN,
    ),
    "DES-046": Rule(
        context.of_transceiver,
        ("part", "expected"),
        "modules:{part}",
        "{found}; it is planned where {expected} is needed",
        ("order the module in the form of the cage: `cabling.node_link`, `cabling.switch_link`",),
        _AGAIN,
    ),
    "DES-047": Rule(
        context.of_jumper,
        ("part",),
        "jumpers:{part}",
        "a cable is shorter than its route: {found}, {expected}",
        ("the next stock length",),
        "restore the list",
    ),
    "DES-048": Rule(
        context.of_switch,
        ("model",),
        "switches:{model}",
        "{found}, the site orders {expected}",
        ("order the other direction: `site.airflow`", "another switch model"),
        _AGAIN,
    ),
    "DES-049": Rule(
        context.as_is,
        (),
        "switches:airflow",
        "the air of the switches runs from hot to cold: ordered {found}",
        ("order the other direction: `site.airflow`", "turn the switches: `site.switch_ports_face`"),
        _AGAIN,
    ),
    "DES-050": Rule(
        context.of_rack,
        ("role",),
        "racks:{role}",
        "a {role} rack holds more than its height: {found}, {expected}",
        _PLACE,
        _AGAIN,
    ),
    "DES-051": Rule(
        context.of_rack,
        ("role",),
        "racks:{role}",
        "a {role} rack draws more than its position may: {found}, {expected}",
        (*_PLACE, "a power cap: `node.power_cap_w`"),
        _AGAIN,
    ),
    "DES-052": Rule(
        context.of_rack,
        ("role",),
        "racks:{role}",
        "a {role} rack weighs more than its position carries: {found}, {expected}",
        _PLACE,
        _AGAIN,
    ),
    "DES-053": Rule(
        context.as_is,
        ("subject",),
        "{subject}",
        "the plan needs {found}, the site has {expected}",
        ("fewer GPUs in this phase", "more power: `site.power_mw`"),
        _AGAIN,
    ),
    "DES-054": Rule(
        context.as_is,
        ("subject",),
        "{subject}",
        "the units of {subject} are taken by {found}",
        ("place one of the two elsewhere",),
        "put it back",
    ),
    "DES-055": Rule(
        context.of_rack,
        ("role",),
        "racks:{role}",
        "a rack gives heat to liquid in a hall without a loop: {found}",
        ("a liquid loop: `site.cooling: mixed`", "the air-cooled variant of the system"),
        _AGAIN,
    ),
    "DES-060": Rule(
        context.of_source,
        ("system",),
        "power:{system}",
        "losing one feed ({feed}) leaves {found}; {system} needs {expected}{assumed}",
        (
            "spread the cords over more feeds: `site.feeds`, `site.cords`",
            "cap the draw at what is left: `node.power_cap_w`",
            "accept that the loss of a feed slows or stops the nodes",
        ),
        _AGAIN,
    ),
    "DES-070": Rule(
        context.of_words,
        ("one",),
        "growth:{one}",
        "the {one} plane cannot grow to the target in place: {found}",
        (
            "build the target's switches or striping now: `planes.{one}.spine.count`, `planes.{one}.leaf.uplinks`",
            "keep ports on the leaves: `planes.{one}.leaf.split`, `planes.{one}.nodes_per_leaf`",
            "lower the target: `growth`",
        ),
        _AGAIN,
    ),
    "DES-071": Rule(
        context.as_is,
        ("subject",),
        "{subject}",
        "the threshold rests on {found}",
        ("read the primary source and correct the catalogue entry", "state the value in the requirement"),
        _AGAIN,
    ),
}
