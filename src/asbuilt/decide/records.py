"""The records that a crew must hand over, with how many of each the plan has, their format, and what makes one worthless.

What has no record is not done. Sources: acceptance reference 3.5, 3.6 (calibration date, temperature pair, second person) and
the texts that it cites; IEC 61300-3-35, IEC 61280-4-5; ``asbuilt`` itself reads node archives, link and torque records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.decide.tools import needed, uses
from asbuilt.model.decision import Item
from asbuilt.model.deployment import OPERATIONS

if TYPE_CHECKING:
    from asbuilt.model.crew_question import Arrangement, Question

DEMANDED, DROPPED = "demand", "dropped"
_SCOPE = {operation.id: operation.scope for operation in OPERATIONS}
#: Beyond this place a count is the arithmetic's: a tenth of 30 is 3 records.
_PLACES = 9


@dataclass(frozen=True, slots=True)
class Record:
    """One kind of record, one for each piece of ``operation``. ``checkpoint``: the field of `Checkpoints` that it hangs on."""

    what: str
    operation: str
    unit: str
    form: str
    refused: str
    checkpoint: str = ""


RECORDS = (
    Record("seat inspection photos of backplane connectors", "backplane_seat", "trays",
           "photo of each connector, go/no-go result, tray serial, name, time",
           "a photo without the serial, a gauge without its number, a tray seated before its photo", "cable_inspection"),
    Record("torque records of power shelves and busbars", "shelf_feed", "shelves",
           "joint, value, limits, tool serial, name, second name, time (CSV)",
           "no second person, a value outside its limits, a wrench out of calibration", "cable_inspection"),
    Record("cord check", "cord_plug", "cords", "cord label, outlet, feed, name of the second person (CSV)",
           "an outlet or feed unlike the plan, one name for both people", "cable_inspection"),
    Record("rotation, polarity and voltage of circuits", "circuit_test", "circuits",
           "circuit, three voltages, rotation, tester serial, name, time (CSV)",
           "a circuit without rotation, a tester out of calibration"),
    Record("bond readings", "bond_measure", "bonds", "both ends, milliohm, millivolt, load state, meter serial, time (CSV)",
           "a two-wire reading, a reading without the load state"),
    Record("coolant samples", "loop_flush", "loops", "laboratory sheet: concentration, pH, conductivity, particles, time",
           "no clean sample twice in a row, a sample before the end of the flush"),
    Record("torque records of fittings", "fitting_torque", "fittings",
           "fitting, value, limits, tool serial, name, second name, paint mark, time (CSV)",
           "no second person, no limit from the maker's page, a value outside it, a wrench out of calibration"),
    Record("pressure logs", "loop_pressure_test", "loops",
           "pressure, gas temperature and air pressure over the hold (CSV), gauge serial and calibration, two names",
           "no temperature at both ends of the hold, a hold cut short, a calibration date missing", "pressure_test"),
    Record("loss, polarity and length of trunks", "trunk_test", "trunks",
           "tester export (CSV) with reference and its date; OTDR trace (.sor) where the loss is over its limit",
           "a negative loss, no reference, a limit by length without the length, a trace in the place of a loss"),
    Record("end-face images", "connector_inspect", "end faces",
           "image and verdict to IEC 61300-3-35 with its edition, magnification, connector label, name, time before mating",
           "no verdict, an image after mating, the same image twice, a fibre of the array missing", "connector_inspection"),
    Record("label and bend check of fibre cords", "jumper_lay", "cords", "both labels scanned before laying, second name (CSV)",
           "labels printed after pulling, one end only", "cable_inspection"),
    Record("node archives", "node_accept", "nodes", "archive of the capture script, with its checksums",
           "an archive of another plan, a hand-edited one, a node that did not answer", "node_acceptance"),
    Record("states of NVLink domains", "domain_accept", "domains", "captures of all compute and switch trays of the domain",
           "a tray missing, lanes down", "node_acceptance"),
    Record("link verification", "link_verify", "links", "captures of the fabric, verification report of the plan",
           "links not measured, counters without a window under load", "fabric_gate"),
    Record("collectives of rows", "row_collectives", "rows", "logs of the runs with ranks, sizes and versions",
           "fewer ranks than planned, sizes that end too early, wrong results", "collectives_gate"),
    Record("soak", "site_soak", "site", "log of load, temperatures, errors and link flaps over the whole time",
           "a gap in the log, a restart that nobody wrote down", "soak"),
)  # fmt: skip


def records(
    question: Question, arrangement: Arrangement, pieces: Mapping[str, float], teams: Mapping[str, int]
) -> tuple[Item, ...]:
    """What the contract must demand: ``amount`` of each, format, what refuses it. ``pieces``: of each operation.

    A checkpoint that the arrangement drops drops its record (state ``dropped``, not silently); a sample of connectors asks
    for that share of the images, rounded up, and for all of a row where one is found dirty. ``teams``: by scope, for the
    calibration certificates.
    """
    there = [record for record in RECORDS if pieces.get(record.operation, 0) > 0]
    made = [_item(record, question, arrangement, pieces[record.operation]) for record in there]
    return (*made, _certificates(question, arrangement, pieces, teams))


def _item(record: Record, question: Question, arrangement: Arrangement, count: float) -> Item:
    party = question.party(arrangement, _SCOPE[record.operation]).name
    kept = float(getattr(arrangement.checkpoints, record.checkpoint)) if record.checkpoint else 1.0
    basis = f"count of {record.operation}"
    if kept <= 0:
        words = f"not asked of {party}: the checkpoint {record.checkpoint} is dropped, and what it would have found goes on"
        return Item(record.what, words, 0.0, record.unit, DROPPED, basis)
    words = f"from {party}: {record.form}; refused: {record.refused}"
    if kept < 1:
        basis += f" x {kept:g}, rounded up"
        words += "; a sample drawn by the owner" + ("; one dirty: the whole row" if arrangement.checkpoints.escalate else "")
    return Item(record.what, words, float(math.ceil(round(count * kept, _PLACES))), record.unit, DEMANDED, basis)


def _certificates(question: Question, arrangement: Arrangement, pieces: Mapping[str, float], teams: Mapping[str, int]) -> Item:
    used = uses(pieces)
    tools = ", ".join(sorted({use.tool for use in used}))
    parties = " and ".join(sorted({question.party(arrangement, use.scope).name for use in used}))
    words = (
        f"one for every tool used ({tools}), by serial number, from {parties}; refused: a certificate that ends before the "
        "last record made with its tool, a serial that no record names"
    )
    number = float(sum(needed(use, pieces, teams) for use in used))
    return Item("calibration certificates", words, number, "tools", DEMANDED, "tool list, own and brought")
