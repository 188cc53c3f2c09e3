"""Torque records: each joint against its own figure, and the whole. A joint without a record is not tight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

#: 3.6 N·m is within 4.0 N·m less 10 %, whatever its last binary digit.
_ROUNDING = 1e-9


class Tightness(StrEnum):
    """What a record says of one joint."""

    TIGHT = "tight"
    LOOSE = "loose"
    OVER = "over"
    MISSING = "missing"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class TorqueSpec:
    """Torque in N·m and its tolerance in percent each way, as the maker of the joint gives them."""

    torque_nm: float
    percent: float


@dataclass(frozen=True, slots=True)
class TorqueRecord:
    """What was written down for one joint. A reading without the instrument, or past its calibration, proves nothing."""

    joint: str
    spec: TorqueSpec | None
    reading_nm: float | None
    instrument: str = ""
    calibrated_until: date | None = None
    taken: date | None = None
    witness_mark: bool = False


@dataclass(frozen=True, slots=True)
class TorqueVerdict:
    """``passed`` only when every joint is tight; ``failed`` and ``unproven`` are numbers of joints in the order given."""

    joints: tuple[Tightness, ...]
    failed: tuple[int, ...]
    unproven: tuple[int, ...]

    @property
    def passed(self) -> bool:
        return bool(self.joints) and not self.failed and not self.unproven


def tightness(spec: TorqueSpec | None, reading_nm: float | None) -> Tightness:
    """A reading against the maker's figure; no reading, or none that is a number, is missing; no figure leaves it unproven."""
    if reading_nm is None or not math.isfinite(reading_nm):
        return Tightness.MISSING
    if spec is None:
        return Tightness.UNPROVEN
    slack = spec.torque_nm * (spec.percent / 100 + _ROUNDING)
    if reading_nm < spec.torque_nm - slack:
        return Tightness.LOOSE
    return Tightness.OVER if reading_nm > spec.torque_nm + slack else Tightness.TIGHT


def readings(spec: TorqueSpec | None, values_nm: Sequence[float | None]) -> TorqueVerdict:
    """Judge readings of joints that share one figure."""
    return _whole(tuple(tightness(spec, value) for value in values_nm))


def records(taken: Sequence[TorqueRecord]) -> TorqueVerdict:
    """Judge records: the reading, then whether instrument, calibration and witness mark make it count."""
    found = []
    for record in taken:
        verdict = tightness(record.spec, record.reading_nm)
        found.append(Tightness.UNPROVEN if verdict is Tightness.TIGHT and not counts(record) else verdict)
    return _whole(tuple(found))


def counts(record: TorqueRecord) -> bool:
    """True when the instrument is named, was within its calibration on the day, and the joint bears its mark."""
    if not record.instrument.strip() or not record.witness_mark or record.calibrated_until is None or record.taken is None:
        return False
    return record.taken <= record.calibrated_until


def _whole(joints: tuple[Tightness, ...]) -> TorqueVerdict:
    bad = {Tightness.LOOSE, Tightness.OVER, Tightness.MISSING}
    failed = tuple(i for i, verdict in enumerate(joints) if verdict in bad)
    unproven = tuple(i for i, verdict in enumerate(joints) if verdict is Tightness.UNPROVEN)
    return TorqueVerdict(joints, failed, unproven)
