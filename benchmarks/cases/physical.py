"""The physical plan by part: layout, power, cooling, cable plant, labels, of so many compute racks.

``power``, ``cooling``, ``fibre``, ``layout``, ``labels`` and ``whole`` take the tables of an expanded plan of GB300 NVL72
racks, ten in a row; ``pdus`` the power of DGX H100 racks, four servers each, whose cords are dealt to outlets and phases.
``a-rack`` is the processor time of the whole physical plan and its labels at that size, over the racks; its peer
``a-rack-of-fewer`` the same at a quarter of the size: 1 is linear growth, half of it would be twice the cost of a rack.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from typing import Callable

from measure import peak_mib, report

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.design import Design
from asbuilt.model.plan import Plan
from asbuilt.plan.cooling.tables import cooling_tables
from asbuilt.plan.expand import expand
from asbuilt.plan.fibre.tables import fibre_tables
from asbuilt.plan.labels import label_records
from asbuilt.plan.layout.tables import device_slots, floor
from asbuilt.plan.physical import physical_tables
from asbuilt.plan.power.tables import power_tables

NVL72 = (
    "system: gb300-nvl72\ngpus: {gpus}\nnode: {{power_cap_w: 120000}}\nsite: {{racks_per_row: 10}}\n"
    "fibre: {{trunks: between-rows, tray_width_mm: 450}}\n"
)
SERVERS = "system: dgx-h100\ngpus: {gpus}\nsite: {{nodes_per_rack: 4, feeds: 3, cords: [A, A, B, B, C, C]}}\n"
GPUS_A_RACK = {NVL72: 72, SERVERS: 32}
CATALOGUE = load()


def planned(text: str, racks: int) -> tuple[Design, Plan]:
    asked = f"schema: requirement/v1\nname: bench\n{text.format(gpus=racks * GPUS_A_RACK[text])}"
    design = resolve(decode(asked.encode(), "bench"), CATALOGUE)
    return design, expand(design, CATALOGUE)


def parts(design: Design, plan: Plan) -> dict[str, Callable[[], object]]:
    """What is measured, by name."""
    tables = plan.tables
    return {
        "layout": lambda: (device_slots(design, CATALOGUE, tables), floor(design, CATALOGUE, tables)),
        "power": lambda: power_tables(design, CATALOGUE, tables),
        "pdus": lambda: power_tables(design, CATALOGUE, tables),
        "cooling": lambda: cooling_tables(design, CATALOGUE, tables),
        "fibre": lambda: fibre_tables(design, CATALOGUE, tables),
        "labels": lambda: label_records(plan),
        "whole": lambda: physical_tables(design, CATALOGUE, tables),
    }


def said(name: str, plan: Plan) -> str:
    tables = plan.tables
    of = {
        "layout": ("rack_slots", "floor"),
        "power": ("circuits", "shelves", "busbars", "conductor_loads"),
        "pdus": ("pdus", "cords", "circuits", "conductor_loads"),
        "cooling": ("loops", "branches", "loop_segments"),
        "fibre": ("trunks", "channels", "routes", "route_trays"),
        "labels": ("jumpers", "trunks", "circuits", "branches"),
        "whole": ("racks", "circuits", "branches", "channels"),
    }[name]
    return ", ".join(f"{tables[t].height} {t.replace('_', ' ')}" for t in of)


def cost(racks: int, rounds: int = 3) -> float:
    """Least processor time, in seconds, that a compute rack of the whole physical plan and its labels takes."""
    design, plan = planned(NVL72, racks)
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        physical_tables(design, CATALOGUE, plan.tables)
        label_records(plan)
        best = min(best, time.process_time() - start)
    return best / racks


def main() -> None:
    name, racks = sys.argv[1], int(sys.argv[2])
    if name.startswith("a-rack"):
        sizes = (racks // 4,) if name == "a-rack-of-fewer" else (racks // 4, racks // 2, racks)
        base = peak_mib()
        costs = {size: cost(size) for size in sizes}
        note = "; a rack costs " + ", ".join(f"{size}: {c * 1e3:.2f} ms" for size, c in costs.items())
        print(
            json.dumps({"seconds": costs[sizes[-1]], "peak_mib": round(peak_mib() - base, 1), "note": note.removeprefix("; ")})
        )
        return
    design, plan = planned(SERVERS if name == "pdus" else NVL72, racks)
    report(parts(design, plan)[name], repeat=2, note=said(name, plan))


main()
