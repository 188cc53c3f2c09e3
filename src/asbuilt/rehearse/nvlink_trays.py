"""What the NVLink switch trays of a rack answer: their BMC by Redfish, their system by NVOS; faults of a chip or a whole tray.

In the twin link ``2 t + c`` of every GPU ends at chip ``c`` of tray ``t`` (both from 0, trays from the bottom). That is its own
wiring: nobody publishes the real one, and no check relies on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.node_change import Change
from asbuilt.rehearse.places import Places

#: What a change at a node does that takes a link from each of its GPUs: see `node_effects`.
LINK_GONE = "nvswitch"
_ROOT = "/redfish/v1"
_WELL = {"State": "Enabled", "Health": "OK"}
_DEAD = {"State": "Enabled", "Health": "Critical"}


@dataclass(frozen=True, slots=True)
class Tray:
    """One planned tray as it stands: ``dead`` chips of ``chips``."""

    name: str
    chips: int
    number: int
    dead: frozenset[int]


def tray_captures(plan: Plan, built: Built) -> tuple[Capture, ...]:
    """Of every tray that answers the documents of its BMC; of every rack one transcript of its trays' systems."""
    found: list[Capture] = []
    racks: dict[str, list[str]] = {}
    for rack, tray in _trays(plan, built):
        found.append(Capture(f"{tray.name}.redfish", _redfish(tray), "redfish", tray.name))
        racks.setdefault(rack, []).append(_nvos(tray))
    for rack, texts in racks.items():
        found.append(Capture(f"{rack.replace(':', '-')}.nvos", "".join(texts).encode(), "nvos"))
    return tuple(found)


def _trays(plan: Plan, built: Built) -> Iterator[tuple[str, Tray]]:
    """(rack, tray) of those that answer."""
    if not plan.has("nvlink_trays"):
        return
    at: dict[str, int] = {}
    for row in plan.table("nvlink_trays").sort("rack", "u").iter_rows(named=True):
        at[row["rack"]] = number = at.get(row["rack"], -1) + 1
        gone = {chip for tray, chip in built.trays if tray == row["nvlink_tray"]}
        if None not in gone:
            dead = frozenset(chip for chip in gone if chip is not None)
            yield row["rack"], Tray(row["name"], row["chips"] or 0, number, dead)


def _redfish(tray: Tray) -> bytes:
    """The resources of a tray's BMC: system, manager, chips with the chassis around each, a leak detector, a temperature."""
    documents: list[dict[str, Any]] = [
        {"@odata.id": f"{_ROOT}/Managers/BMC_0", "@odata.type": "#Manager.v1_14_0.Manager", "Id": "BMC_0", "Status": _WELL},
        {
            "@odata.id": f"{_ROOT}/Chassis/MGX_BMC_0/Sensors/MGX_BMC_0_Temp_0", "@odata.type": "#Sensor.v1_2_0.Sensor",
            "Name": "MGX_BMC_0_Temp_0", "Reading": 31.0, "ReadingType": "Temperature", "ReadingUnits": "Cel", "Status": _WELL,
        },
        {
            "@odata.id": f"{_ROOT}/Chassis/Chassis_0/ThermalSubsystem/LeakDetection/LeakDetectors/Leak_0",
            "@odata.type": "#LeakDetector.v1_0_0.LeakDetector", "Name": "Leak_0", "DetectorState": "OK", "Status": _WELL,
        },
    ]  # fmt: skip
    for chip in range(tray.chips):
        status = _DEAD if chip in tray.dead else _WELL
        documents += [
            {
                "@odata.id": f"{_ROOT}/Chassis/MGX_NVSwitch_{chip}", "@odata.type": "#Chassis.v1_22_0.Chassis",
                "ChassisType": "Component", "Id": f"MGX_NVSwitch_{chip}", "Manufacturer": "NVIDIA", "Status": status,
            },
            {
                "@odata.id": f"{_ROOT}/Fabrics/MGX_NVLinkFabric_0/Switches/NVSwitch_{chip}",
                "@odata.type": "#Switch.v1_9_0.Switch", "Id": f"NVSwitch_{chip}", "SwitchType": "NVLink", "Status": status,
            },
        ]  # fmt: skip
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def _nvos(tray: Tray) -> str:
    """Chips and health as the tray's system shows them. A dead chip is not listed, and is an issue of its health."""
    prompt = f"admin@{tray.name}:~$"
    alive = [chip for chip in range(tray.chips) if chip not in tray.dead]
    lines = [
        f"{prompt} nv show ib device",
        "Device  Type      IB Subnet           GUID                     LID",
        "------  --------  ------------------  -----------------------  ---",
        *(
            f"ASIC{chip + 1}   NVLink-5  infiniband-default  00:00:00:01:FF:FF:{chip:02X}:{tray.number:02X}  0"
            for chip in alive
        ),
        "",
        f"{prompt} nv show system health",
        "            operational  applied",
        "----------  -----------  -------",
        f"status      {'Not OK' if tray.dead else 'OK'}",
        f"status-led  {'amber' if tray.dead else 'green'}",
        "",
    ]
    if tray.dead:
        lines += ["Health issues", "================", "Component  Status information", "---------  ------------------"]
        lines += [f"ASIC{chip + 1}      not responding" for chip in sorted(tray.dead)]
    return "\n".join((*lines, "")) + "\n"


def _planned(places: Places, fault: Fault, word: str) -> dict[str, Any]:
    import polars as pl

    plan = places.plan
    if not plan.has("nvlink_trays") or plan.table("nvlink_trays").is_empty():
        what = f"{fault}: the plan has no NVLink switch tray"
        raise ProblemError(Problem("CLI-023", what, fix="rehearse it on a plan of NVL72 racks"))
    tray = places.nvlink_tray(word)
    return plan.table("nvlink_trays").filter(pl.col("nvlink_tray") == tray).row(0, named=True)


def _done(
    places: Places, built: Built, fault: Fault, row: dict[str, Any], chips: list[int], whole: bool
) -> tuple[Built, Injected]:
    """The chips of a tray carry no link any more: every GPU of the domain lacks one for each of them."""
    import polars as pl

    below = (pl.col("rack") == row["rack"]) & (pl.col("u") < row["u"])
    first = int(places.plan.table("nvlink_trays").filter(below)["chips"].sum())
    nodes = places.plan.table("nodes").filter((pl.col("unit") == row["unit"]) & (pl.col("role") == "compute"))["node"]
    gone = tuple(Change(node, LINK_GONE, "", str(first + chip)) for node in nodes for chip in chips)
    tray = row["nvlink_tray"]
    ids, follows = TRAY_EXPECTED[fault.kind]
    trays = (*built.trays, *(((tray, None),) if whole else ((tray, chip) for chip in chips)))
    record = Injected(fault, (), None, ((ids, tray),), follows)
    return replace(built, nodes=(*built.nodes, *gone), trays=trays), record


def _tray(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    row = _planned(places, fault, fault.arguments[0])
    return _done(places, built, fault, row, list(range(row["chips"] or 0)), True)


def _chip(places: Places, built: Built, fault: Fault) -> tuple[Built, Injected]:
    word, chip = fault.arguments
    row = _planned(places, fault, word)
    known = [str(number) for number in range(row["chips"] or 0)]
    if chip not in known:
        what = f"{fault}: {row['name']} has no chip {chip!r}"
        raise ProblemError(Problem("CLI-022", what, fix=f"its chips are {', '.join(known) or 'unknown'}"))
    return _done(places, built, fault, row, [int(chip)], False)


#: kind -> (checks of which one must name the tray, checks that may speak of anything besides), as `node_expected.EXPECTED`.
TRAY_EXPECTED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "nvtray": (("GPU-020",), ()),
    "nvswitch": (("GPU-021",), ("GPU-020",)),
}
#: Never drawn by ``nodes:K@SEED``: they touch every node of a rack.
TRAY_ARITY = {"nvtray": 1, "nvswitch": 2}
TRAY_EXAMPLES = {"nvtray": "nvtray:nvtray:A-01/3", "nvswitch": "nvswitch:nvtray:A-01/3,1"}
TRAY_DO = {"nvtray": _tray, "nvswitch": _chip}
