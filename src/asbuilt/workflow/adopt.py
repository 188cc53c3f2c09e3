"""Use case: a draft requirement from what is there. Every value says whether it was measured or assumed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Sequence

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.catalogue.load import load
from asbuilt.model.capture import Capture
from asbuilt.model.verdict import Finding
from asbuilt.workflow.captures import facts_of, tool_of
from asbuilt.workflow.irregular import irregularities
from asbuilt.workflow.measured_planes import MeasuredPlane, measured_planes, name_pattern, name_template
from asbuilt.workflow.survey import survey

# The system that a cluster with this wiring most likely is: (compute ports of a node, Gb/s) -> (catalogue id, GPUs).
SYSTEMS = {
    (8, 400.0): ("hgx-h100", 8),
    (8, 200.0): ("hgx-h100", 8),
    (4, 200.0): ("l40s-8gpu", 8),
    (8, 800.0): ("dgx-b300", 8),
    (4, 400.0): ("gb200-nvl72", 4),
    (4, 800.0): ("gb300-nvl72", 4),
}
DEFAULT_SYSTEM = ("hgx-h100", 8)
NVL72_TRAYS, NVL72_TRAY_GPUS = 18, 4


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft ``cluster.yaml`` (text), the irregularities that it leaves out, and what was measured, by path."""

    text: str
    findings: tuple[Finding, ...]
    measured: dict[str, Any] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The documented JSON object, schema ``adopt/v1``."""
        return {
            "schema": "adopt/v1",
            "requirement": self.text,
            "measured": self.measured,
            "assumed": self.assumed,
            "findings": [f.as_json() for f in self.findings],
            "notes": list(self.notes),
        }


def adopt(captures: Sequence[Capture], name: str = "adopted") -> Draft:
    """Draft a requirement from discovery dumps and neighbour tables.

    Raises `ProblemError` CLI-044 when no capture shows a host on a switch: nothing can be drafted from nothing.
    """
    by_tool: dict[str, list[Capture]] = {}
    for capture in captures:
        by_tool.setdefault(tool_of(capture), []).append(capture)
    planes: list[MeasuredPlane] = []
    findings: list[Finding] = []
    notes: list[str] = []
    nodes = 0
    host_names: list[str] = []
    for tool, technology in (("ibnetdiscover", "infiniband"), ("lldpctl", "ethernet")):
        facts = facts_of(by_tool.get(tool, []))
        notes += facts.notes
        if not (facts.has("device_facts") and facts.has("link_facts")):
            continue
        seen = survey(facts)
        found = measured_planes(seen, technology, taken=[p.name for p in planes])
        planes += found
        findings += irregularities(seen, found)
        common = seen.adapters.filter("common")["host"].drop_nulls().unique().sort()
        if len(common) > nodes:
            nodes, host_names = len(common), common.to_list()
        nodes = nodes or max((p.nodes for p in found), default=0)
    if not planes:
        what = "no capture shows a host on a switch"
        raise ProblemError(Problem("CLI-044", what, fix="capture with ibnetdiscover, or lldpcli on the switches"))
    return _draft(name, planes, nodes, host_names, tuple(findings), tuple(notes))


class _Lines:
    """The YAML text as it grows, with the origin of each value beside it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.measured: dict[str, Any] = {}
        self.assumed: dict[str, str] = {}

    def put(self, path: str, value: Any, origin: str, why: str = "") -> None:
        """One ``key: value`` at the depth of ``path``. ``origin`` is measured or assumed; ``why`` says from what."""
        *parents, key = path.split(".")
        shown = json.dumps(value) if isinstance(value, str) and not value.replace("-", "").replace("_", "").isalnum() else value
        shown = str(shown).lower() if isinstance(shown, bool) else shown
        shown = f"{shown:g}" if isinstance(shown, float) else shown
        self.lines.append(f"{'  ' * len(parents)}{key}: {shown}  # {origin}{': ' + why if why else ''}")
        if origin == "measured":
            self.measured[path] = value
        else:
            self.assumed[path] = why

    def open(self, path: str) -> None:
        *parents, key = path.split(".")
        self.lines.append(f"{'  ' * len(parents)}{key}:")


def _draft(
    name: str, planes: list[MeasuredPlane], nodes: int, hosts: list[str], findings: tuple[Finding, ...], notes: tuple[str, ...]
) -> Draft:
    out = _Lines()
    system, per_node, why = _system(planes, nodes)
    out.lines += [
        "# Drafted from measurements. `measured` values were counted in the captures; `assumed` ones were not in them:",
        "# read each of those, correct it, and take the word away. What is irregular is a finding of `adopt`, not in here.",
        "schema: requirement/v1",
        f"name: {name}",
    ]
    out.put("system", system, "assumed", f"no capture of a fabric names the server; {why}")
    out.put("gpus", nodes * per_node, "assumed", f"{nodes} hosts measured, {per_node} GPUs each assumed")
    template = _template(hosts)
    if template:
        out.put("node_names", template, "measured", "the pattern of most host names")
    elif hosts:
        pattern = name_pattern(hosts)
        seen = f"names are {pattern}" if pattern else f"no pattern fits all names, such as {', '.join(hosts[:3])}"
        out.lines.append(f"# node_names: {seen}; a template counts hosts from 0 without gaps")
    out.open("planes")
    for plane in planes:
        _plane(out, plane)
    return Draft("\n".join(out.lines) + "\n", findings, out.measured, out.assumed, notes)


def _system(planes: list[MeasuredPlane], nodes: int) -> tuple[str, int, str]:
    """(catalogue id, GPUs of a node, why) of the likeliest server: one that names its adapters so, else by port count.

    A server numbers its adapters by PCIe address, so the list of names by plane tells most models apart.
    """
    compute = planes[0]
    guess, gpus = SYSTEMS.get((compute.rails, compute.link_gbps or 0.0), DEFAULT_SYSTEM)
    if gpus == NVL72_TRAY_GPUS and nodes % NVL72_TRAYS:
        guess, gpus = DEFAULT_SYSTEM
    seen = {nic for plane in planes for nic in plane.nics}
    catalogue = load()
    alike: list[tuple[int, bool, str, int]] = []
    for id in catalogue.ids("system"):
        part = catalogue.get("system", id)
        ports = part.value("nics", [])
        mine = {p["name"] for p in ports if p["plane"] == "compute"}
        rates = {float(p["rate_gbps"]) for p in ports if p["plane"] == "compute"}
        trays = nodes % NVL72_TRAYS == 0 or not part.has("nvlink_switch_trays")
        if mine and mine == set(compute.nics) and compute.link_gbps in (None, *rates) and trays:
            alike.append((len({p["name"] for p in ports} ^ seen), id != guess, id, int(part.value("gpus_per_node"))))
    if not alike:
        return guess, gpus, "guessed from its ports"
    best = sorted(alike)
    others = [id for far, _, id, _ in best[1:] if far == best[0][0]]
    tied = f"; so are those of {', '.join(others)}" if others else ""
    return best[0][2], best[0][3], f"its adapters are named as those of {best[0][2]}{tied}"


def _plane(out: _Lines, plane: MeasuredPlane) -> None:
    at = f"planes.{plane.name}"
    out.open(at)
    out.put(f"{at}.technology", plane.technology, "measured", plane.named_by)
    out.put(f"{at}.layout", plane.layout, "measured", plane.layout_why)
    out.put(f"{at}.rails", plane.rails, "measured", "adapters of one host in one subnet")
    if plane.technology == "infiniband" or plane.subplanes > 1:
        out.put(f"{at}.subplanes", plane.subplanes, "measured", "subnets that every host is in")
    if plane.link_gbps:
        out.put(f"{at}.link_gbps", plane.link_gbps, "measured", plane.link_word)
    if plane.uplink_gbps:
        out.put(f"{at}.uplink_gbps", plane.uplink_gbps, "measured", plane.uplink_word)
    if plane.nic:
        out.put(f"{at}.nic", plane.nic, "assumed", f"device id {plane.nic_device_id}, of several parts")
    known = bool(plane.tiers) and bool(plane.tiers[0].switch)
    if known or (plane.tiers and plane.tiers[0].uplinks):
        spread = f"adapters on the fullest leaf over the {plane.rails} of a host" if plane.layout == "fat-tree" else ""
        why = f"{spread or 'hosts on the fullest leaf'}; free slots do not show"
        out.put(f"{at}.nodes_per_leaf", plane.nodes_per_leaf, "measured", why)
    for tier in plane.tiers:
        if not tier.switch:
            hosts = f", up to {plane.nodes_per_leaf} hosts each" if tier.role == "leaf" else ""
            up = f", {tier.uplinks} cables up from most" if tier.uplinks else ""
            out.lines.append(f"    # {tier.role}: {tier.count} seen{hosts}{up}; {tier.model}: no part of the catalogue")
            continue
        out.open(f"{at}.{tier.role}")
        if tier.switch:
            out.put(f"{at}.{tier.role}.switch", tier.switch, "measured", f"{tier.count} seen, {tier.model}")
        if tier.split:
            out.put(f"{at}.{tier.role}.split", True, "measured", "more ports than cages carry unsplit")
        if tier.uplinks:
            out.put(f"{at}.{tier.role}.uplinks", tier.uplinks, "measured", "of most switches of this tier")
        if tier.pinned:
            out.put(f"{at}.{tier.role}.count", tier.count, "measured")
        if tier.names:
            out.put(f"{at}.{tier.role}.names", tier.names, "measured", "the pattern of all names of this tier")
    if plane.share:
        out.put(f"{at}.share", plane.share, "measured", "its leaves meet the same spines")
        out.put(f"{at}.share_tier", "spine", "measured")
        out.put(f"{at}.separation", "partition", "assumed", "partitions are not in a discovery dump")
    if plane.oversubscription:
        out.put(f"{at}.oversubscription", plane.oversubscription, "measured", "host bandwidth over uplink bandwidth of a leaf")


def _template(names: list[str]) -> str:
    """``node{index:04d}`` when every name is one literal with the number of its place; else ""."""
    import polars as pl

    return name_template(pl.Series(names), {"index": pl.Series(range(len(names)), dtype=pl.Int64)}) if names else ""
