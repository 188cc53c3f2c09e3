"""From a symptom to its cause: the facts of lower layers that could explain a finding, already looked at, in order.

The order is from what makes a number meaningless (was it measured as meant?) down to what makes machines slow (heat, power),
each rung cheaper to look at than the search that it saves. A rung whose check fails on the same machines is a suspect; one that
was measured and is well is ruled out; one that nobody measured is the next thing to measure, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asbuilt.diagnose.readings import readings
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Rung, Verdict

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.facts import Facts


@dataclass(frozen=True, slots=True)
class Step:
    """One rung before it is looked at: checks that answer it, or kinds of ``sensors`` of the rack or cooling unit."""

    question: str
    checks: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    measure: str = ""


def _ids(prefix: str, *numbers: int) -> tuple[str, ...]:
    return tuple(f"{prefix}-{n:03d}" for n in numbers)


LAUNCHED = Step("was it launched as meant: ranks, sizes, results", _ids("PERF", 1, 2, 3), measure="the whole log of the run")
TRANSPORT = Step(
    "transport: NET/IB with GPUDirect, over the ports of the rails alone", _ids("PERF", 4, 5), measure="NCCL_DEBUG=INFO"
)
SLOW_PART = Step("one slow node or rail, by pairs", _ids("PERF", 11, 20, 21), measure="ib_write_bw and pairwise collectives")
LINKS = Step(
    "links: up, all lanes, full speed, no errors",
    _ids("FAB", 4, 5, 7, 8, 31, 32, 33, 34, 35, 36),
    measure="iblinkinfo, perfquery",
)
MODULES = Step("modules: light, heat, part and firmware", _ids("FAB", 30, 37, 38, 39), measure="mlxlink --show_module")
ROUTES = Step("routes, partitions and lanes as planned", _ids("FAB", 16, 17, 21, 22, 41, 44), measure="ibroute, smpquery")
PCIE = Step("PCIe: width and speed of the whole path, ACS, read requests", _ids("NOD", 20, 21, 22, 23, 24), measure="lspci -vv")
PLACES = Step("NUMA: cards, GPUs and interrupts on one node", _ids("NOD", 40, 41, 42, 43), measure="sysfs, numactl -H")
GPUDIRECT = Step("GPUDirect module loaded", _ids("NOD", 51), measure="lsmod")
VERSIONS = Step("versions as locked and alike", _ids("SW", 1, 2, 3, 5), measure="`asbuilt collect`")
GPUS = Step("GPUs: errors, remaps, NVLinks, XID", _ids("GPU", 5, 6, 10, 11, 12), measure="nvidia-smi -q, dmesg")
HEAT = Step("heat and power limits of the GPUs", _ids("GPU", 13), measure="nvidia-smi -q -d PERFORMANCE under load")
BOARD = Step("sensors and leak detectors of the machine", _ids("NOD", 60, 61), measure="ipmitool sensor, Redfish")
VOLTAGE = Step(
    "input voltage of the rack, before and after", sensors=("voltage",), measure="readings of PDU or power shelf (CSV, Redfish)"
)
POWER = Step(
    "drop along the busway, load of the rack", sensors=("current", "power"), measure="readings of PDU or shelf (CSV, Redfish)"
)
SUPPLY = Step(
    "supply temperature of the coolant, before and after",
    sensors=("temperature",),
    measure="readings of the CDU (CSV, Redfish)",
)
FLOW = Step(
    "flow and pressure of the loop, before and after",
    sensors=("flow", "pressure"),
    measure="readings of the CDU (CSV, Redfish)",
)

COLLECTIVE = (LAUNCHED, TRANSPORT, SLOW_PART, LINKS, ROUTES, PCIE, PLACES, GPUDIRECT, GPUS, VERSIONS, HEAT, BOARD)
POINT = (LAUNCHED, LINKS, MODULES, ROUTES, PCIE, PLACES, GPUDIRECT, VERSIONS, HEAT)
IN_NODE = (LAUNCHED, GPUS, PCIE, PLACES, HEAT, VERSIONS, BOARD)
#: After racks were added: what all racks of a row share comes before the spine of the rack is suspected.
NVLINK = (VOLTAGE, POWER, SUPPLY, FLOW, HEAT, BOARD, GPUS, VERSIONS)
FABRIC = (MODULES, PCIE, VERSIONS)

LADDERS: dict[str, tuple[Step, ...]] = {
    **dict.fromkeys(_ids("PERF", 10, 20, 21), COLLECTIVE),
    **dict.fromkeys(_ids("PERF", 11), POINT),
    **dict.fromkeys(_ids("PERF", 12, 13, 14, 15, 16, 17), IN_NODE),
    **dict.fromkeys(_ids("GPU", 5, 6, 7, 8, 13), NVLINK),
    **dict.fromkeys(_ids("FAB", 4, 7, 8, 30, 31, 32, 33, 34, 36), FABRIC),
}
_NODE = re.compile(r"^(?:node|gpu|nic):([^/#]+)")


def with_ladder(
    plan: Plan,
    findings: list[Finding],
    asked: Mapping[str, pl.DataFrame],
    facts: Facts,
) -> list[Finding]:
    """``findings``, those of fabric and performance each with its ladder. ``asked`` are the verdicts of every check."""
    view = _View(plan, asked, facts)
    return [view.climbed(f) if f.verdict is Verdict.FAIL and f.id in LADDERS else f for f in findings]


class _View:
    """The verdicts by the machine and link that they speak of, worked out when a finding first asks."""

    def __init__(self, plan: Plan, asked: Mapping[str, pl.DataFrame], facts: Facts) -> None:
        self.plan, self.asked, self.facts = plan, asked, facts
        self._of_link: dict[str, tuple[str, ...]] | None = None
        self._rows: dict[str, dict[str, list[tuple[str, str | None]]]] = {}

    def climbed(self, finding: Finding) -> Finding:
        """``finding`` with its ladder, and the next measurement that is missing, or the rung that fails, told first."""
        things = self._things(finding.subjects)
        steps = [s for s in LADDERS[finding.id] if finding.id not in s.checks or len(s.checks) > 1]
        rungs = [r for r in (self._looked(s, things, finding) for s in steps) if r is not None]
        if not rungs:
            return finding
        suspect = next((r for r in rungs if r.state == "suspect"), None)
        open_ = next((r for r in rungs if r.state == "not_measured"), None)
        step = finding.next
        if suspect is not None:
            step = f"first {', '.join(suspect.checks)}: {suspect.found}; then measure again; else {finding.next}"
        elif open_ is not None:
            step = f"first measure what is open, {open_.question}: {open_.measure}; then {finding.next}"
        return replace(finding, ladder=tuple(rungs), next=step)

    def _looked(self, step: Step, things: frozenset[str], finding: Finding) -> Rung | None:
        """The rung as it was found, or None where nothing of it applies to this plan."""
        if step.sensors:
            told = readings(self.plan, self.facts, things, step.sensors)
            return Rung(step.question, (), "told" if told else "not_measured", told or "no reading", step.measure)
        here: list[tuple[str, str, str | None]] = []
        known = [id for id in step.checks if id in self.asked and id != finding.id]
        for id in known:
            rows = self._of(id)
            those = [row for thing in things for row in rows.get(thing, ())] if things else []
            here += [(id, v, found) for v, found in those or rows.get("plan", [])]
        if not known or (here and all(v == "not_applicable" for _, v, _ in here)):
            return None
        failing = [(id, found) for id, v, found in here if v == "fail"]
        if failing:
            ids = tuple(dict.fromkeys(id for id, _ in failing))
            return Rung(step.question, ids, "suspect", str(failing[0][1] or "fails"), step.measure)
        well = sum(v == "pass" for _, v, _ in here)
        if not well:
            return Rung(step.question, tuple(known), "not_measured", "not measured", step.measure)
        measured = tuple(dict.fromkeys(id for id, v, _ in here if v == "pass"))
        return Rung(step.question, measured, "ruled_out", f"{well} verdicts, all as they should be", step.measure)

    def _of(self, id: str) -> dict[str, list[tuple[str, str | None]]]:
        """Verdict and found by node or link of one check."""
        if id not in self._rows:
            made: dict[str, list[tuple[str, str | None]]] = {}
            frame = self.asked[id]
            found = frame["found"] if "found" in frame.columns else [None] * frame.height
            for subject, verdict, said in zip(frame["subject"], frame["verdict"], found, strict=True):
                for thing in self._things((subject,)) or ("plan",):
                    made.setdefault(thing, []).append((verdict, said))
            self._rows[id] = made
        return self._rows[id]

    def _things(self, subjects: tuple[str, ...]) -> frozenset[str]:
        """The nodes and links that subjects speak of."""
        found: set[str] = set()
        for subject in subjects:
            node = _NODE.match(subject)
            if node:
                found.add(f"node:{node[1]}" if not node[1].startswith(("node:", "svc:")) else node[1])
            elif subject.startswith("link:"):
                found.add(subject)
                found.update(self._ends().get(subject, ()))
        return frozenset(found)

    def _ends(self) -> dict[str, tuple[str, ...]]:
        """Link -> the node at its end."""
        if self._of_link is None:
            links = self.plan.links if self.plan.has("links") else None
            rows = links.select("link", "b_device", "b_nic").rows() if links is not None else ()
            self._of_link = {link: (device,) for link, device, nic in rows if nic is not None}
        return self._of_link
