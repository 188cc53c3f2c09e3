"""The plan as one XLSX workbook: bill of materials, cable lists, power, cooling, cable plant, racks, addresses, assumptions.

Every sheet is a table: one header row that stays in view, one row per thing, a filter, units in the headers. Nothing is
computed by the spreadsheet: there is no formula in the file, and no text that opens like one becomes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts.workbook_book import Cover, workbook_bytes
from asbuilt.artefacts.workbook_sheets import Sheet, left_out, sheets
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "workbook"
WRITES = (
    "the plan as an Excel workbook (workbook/plan.xlsx): bill of materials with spares and part classes, cable lists of each "
    "plane with both ends and their labels, power, cooling, cable plant, racks, addresses, assumptions"
)
LOST = (
    "findings: the workbook shows the plan; `asbuilt check` judges it",
    "links, NIC ports, GPUs, LIDs, currents by conductor: tables of their own (`asbuilt show`)",
    "prices and delivery dates: nobody declared any",
)
PROOF = "openpyxl reads every cell of it back"
PATH = "workbook/plan.xlsx"
NOTICE = "As designed: nothing here is measured."


def workbook(plan: Plan) -> dict[str, bytes]:
    """``workbook/plan.xlsx``; nothing for a plan without rows. Equal plans give equal bytes.

    Units are those of the tables and stand in the headers. What the plan does not know is an empty cell. Raises
    `ProblemError` ART-010 where XlsxWriter is not installed.
    """
    made = sheets(plan)
    if not made:
        return {}
    return {PATH: workbook_bytes(cover(plan, made), made)}


def cover(plan: Plan, made: list[Sheet]) -> Cover:
    """The first sheet: what the plan is, its counts, and the sheets with links."""
    facts = [
        ("cluster", plan.name or "unnamed plan"),
        ("plan hash", plan.plan_hash or "none: the plan was not named"),
        ("made from", plan.source or "not said"),
    ]
    without = left_out(plan)
    notes = [NOTICE, "An empty cell is not known, or does not apply; it is never zero."]
    if without:
        notes.append(f"Nothing in this plan for: {', '.join(without)}.")
    return Cover(plan.name or "unnamed plan", plan.plan_hash, tuple(facts), tuple(_counts(plan)), tuple(notes))


#: What is counted on the cover: words, table, and the column and value that rows must have.
_COUNTED = (
    ("racks", "racks", "", ""),
    ("nodes", "nodes", "role", "compute"),
    ("GPUs", "gpus", "", ""),
    ("switches", "switches", "spare", False),
    ("cold spare switches", "switches", "spare", True),
    ("links", "links", "", ""),
    ("cables end to end (jumpers)", "jumpers", "", ""),
    ("trunks, spares among them", "trunks", "", ""),
    ("patch panels", "panels", "", ""),
    ("optical modules", "transceivers", "", ""),
    ("power feeds", "feeds", "", ""),
    ("branch circuits", "circuits", "", ""),
    ("rack PDUs", "pdus", "", ""),
    ("power cords", "cords", "", ""),
    ("power shelves", "shelves", "", ""),
    ("coolant loops", "loops", "", ""),
    ("CDUs, those on standby among them", "cdus", "", ""),
    ("addresses", "addresses", "", ""),
)
#: What is summed: words, column of `racks`, unit, divisor.
_SUMMED = (
    ("nameplate power", "power_w", "kW", 1e3),
    ("heat", "heat_w", "kW", 1e3),
    ("heat taken by liquid", "liquid_w", "kW", 1e3),
)


def _counts(plan: Plan) -> list[tuple[str, float, str]]:
    counts: list[tuple[str, float, str]] = []
    for words, table, column, value in _COUNTED:
        if plan.has(table):
            frame = plan.table(table)
            count = frame.height if not column else _of(frame, column, value)
            if count:
                counts.append((words, count, ""))
    if plan.has("racks") and plan.table("racks").height:
        racks = plan.table("racks")
        counts += [(words, float(racks[column].sort().sum()) / by, unit) for words, column, unit, by in _SUMMED]
    return counts


def _of(frame: pl.DataFrame, column: str, value: object) -> int:
    return int((frame[column] == value).sum()) if column in frame.columns else frame.height
