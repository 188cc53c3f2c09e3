"""Tests of a coolant loop under dry nitrogen, and of its flush: test pressures, decay, leak rate, stored energy, verdicts.

Gauge pressures are in kPa above the barometer, decay in mbar (1 kPa is 10 mbar), temperatures in °C, volumes in L.

Sources: ideal gas at constant volume, p1/T1 = p2/T2 in absolute pressure and kelvin; test pressures ASME B31.3 345.4.2
(hydrostatic 150 %), 345.5.2 and 345.5.4 (pneumatic 110 %, relief at most the lesser of 50 psi and 10 % above it); stored
energy ASME PCC-2, annex 501-II. The limits of decay, hold and settling are practice of the trade, not of a standard: a site
that has its own passes them in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

#: 0 °C in kelvin.
KELVIN = 273.15
#: Standard atmosphere, ISO 2533.
STANDARD_KPA = 101.325
MBAR_PER_KPA = 10.0
#: Pneumatic test over design pressure, ASME B31.3 345.5.4.
PNEUMATIC = 1.1
#: Hydrostatic test over design pressure, ASME B31.3 345.4.2.
HYDROSTATIC = 1.5
#: Relief above test pressure: the lesser of 10 % and 50 psi, ASME B31.3 345.5.2.
RELIEF_PART, RELIEF_KPA = 0.1, 344.737865
#: Ratio of specific heats of nitrogen, and the energy of TNT in J/kg as ASME PCC-2 counts it.
NITROGEN_KAPPA, TNT_J_KG = 1.4, 4_266_920.0
#: Reynolds number above which a flush carries dirt along.
FLUSH_REYNOLDS = 10_000.0


class Proof(StrEnum):
    """What a test on site says. Not proven is never a pass."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NOT_PROVEN = "not proven"


@dataclass(frozen=True, slots=True)
class LoopPressures:
    """Pressures of a loop's tests in kPa above the barometer, from the part of it that bears least."""

    weakest: str
    working_kpa: float
    pneumatic_kpa: float
    relief_kpa: float
    hydrostatic_kpa: float

    def bears(self, burst_kpa: float) -> bool:
        """True when a part with this burst pressure stands the hydrostatic test."""
        return burst_kpa >= self.hydrostatic_kpa


def pressures_from(working_kpa: Mapping[str, float | None]) -> LoopPressures | None:
    """Test pressures from the working pressure of every part; None when that of any part is unknown, or there is none."""
    known = {part: kpa for part, kpa in working_kpa.items() if kpa is not None and math.isfinite(kpa) and kpa > 0}
    if not known or len(known) < len(working_kpa):
        return None
    weakest = min(known, key=lambda part: (known[part], part))
    working = known[weakest]
    pneumatic = PNEUMATIC * working
    relief = pneumatic + min(RELIEF_PART * pneumatic, RELIEF_KPA)
    return LoopPressures(weakest, working, pneumatic, relief, HYDROSTATIC * working)


def stored_energy_j(gauge_kpa: float, volume_l: float, barometer_kpa: float = STANDARD_KPA) -> float:
    """Energy in J that nitrogen gives off when it expands to the barometer without heat, ASME PCC-2 annex 501-II."""
    absolute = gauge_kpa + barometer_kpa
    left: float = (barometer_kpa / absolute) ** ((NITROGEN_KAPPA - 1) / NITROGEN_KAPPA)
    return absolute * volume_l / (NITROGEN_KAPPA - 1) * (1 - left)  # kPa x L is J


def tnt_g(energy_j: float) -> float:
    """The same energy as grams of TNT."""
    return energy_j / TNT_J_KG * 1000


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a loop under nitrogen. ``drift_k_h``: how fast its temperature still moves."""

    gauge_kpa: float
    gas_c: float | None
    barometer_kpa: float = STANDARD_KPA
    drift_k_h: float | None = None


@dataclass(frozen=True, slots=True)
class Gauge:
    """Accuracy of the instruments, each way: pressure in mbar, temperature in K. Unknown accuracy proves nothing."""

    mbar: float | None
    kelvin: float = 0.0


@dataclass(frozen=True, slots=True)
class HoldLimits:
    """What a hold must keep. Defaults are practice of the trade (low confidence): 20 mbar, one hour for a rack."""

    drop_mbar: float = 20.0
    hours: float = 1.0
    drift_k_h: float = 0.5
    change_k: float = 2.0


#: A row holds over a night: temperature comes back to where it was.
ROW_HOLD = HoldLimits(hours=24.0)


@dataclass(frozen=True, slots=True)
class Hold:
    """Outcome of a hold. Drops are positive when pressure was lost; ``reasons`` say why it is not a pass, or what is odd."""

    verdict: Proof
    raw_mbar: float
    expected_kpa: float | None
    drop_mbar: float | None
    leak_mbar_l_s: float | None
    allowed_mbar: float | None
    reasons: tuple[str, ...]


def expected_kpa(start: Reading, end_c: float, end_barometer_kpa: float) -> float:
    """Gauge pressure of a tight loop at the end: absolute pressure follows absolute temperature. Needs ``start.gas_c``."""
    if start.gas_c is None:
        raise ValueError("the temperature at the start is not known")
    absolute = (start.gauge_kpa + start.barometer_kpa) * (end_c + KELVIN) / (start.gas_c + KELVIN)
    return absolute - end_barometer_kpa


def leak_mbar_l_s(drop_mbar: float, volume_l: float, hours: float) -> float:
    """Leak rate in mbar·L/s of a volume that lost so much in so many hours."""
    return drop_mbar * volume_l / (hours * 3600)


def hold(
    start: Reading, end: Reading, *, hours: float, volume_l: float, gauge: Gauge, limits: HoldLimits = HoldLimits()
) -> Hold:
    """Judge a hold under nitrogen. ``hours`` and ``volume_l`` are positive; raises `ValueError` otherwise or for no number.

    It fails when more was lost than the limit (at least twice the gauge's accuracy), even if the thermometers err in its
    favour. It passes when no more was lost and nothing is left open: both temperatures known, gas at rest, long enough, and
    instruments that could have seen it. Everything else is not proven.
    """
    _numbers(start, end, hours, volume_l)
    raw = (start.gauge_kpa - end.gauge_kpa) * MBAR_PER_KPA
    open_questions = _open(start, end, hours, gauge, limits)
    if start.gas_c is None or end.gas_c is None:
        return Hold(Proof.NOT_PROVEN, raw, None, None, None, None, open_questions)
    tight = expected_kpa(start, end.gas_c, end.barometer_kpa)
    drop = (tight - end.gauge_kpa) * MBAR_PER_KPA
    allowed = max(limits.drop_mbar, 2 * (gauge.mbar or 0.0))
    doubt = thermal_doubt_mbar(start, gauge.kelvin)
    leak = leak_mbar_l_s(drop, volume_l, hours)
    reasons = list(open_questions)
    if drop > allowed + doubt and gauge.mbar is not None:
        verdict = Proof.FAIL
        reasons.insert(0, f"lost {drop:.1f} mbar beyond what temperature and barometer explain, allowed are {allowed:.1f} mbar")
    elif abs(drop) > allowed:
        verdict = Proof.NOT_PROVEN
        reasons.insert(0, _odd(drop, allowed, doubt))
    else:
        verdict = Proof.NOT_PROVEN if open_questions else Proof.PASS
    moved = abs(end.gas_c - start.gas_c)
    if moved > limits.change_k:
        reasons.append(f"temperature moved by {moved:.1f} K: the correction is only as good as the thermometers")
    return Hold(verdict, raw, tight, drop, leak, allowed, tuple(reasons))


def thermal_doubt_mbar(start: Reading, kelvin: float) -> float:
    """What two thermometers that err each by ``kelvin`` against each other leave open, in mbar. Needs ``start.gas_c``."""
    if start.gas_c is None:
        raise ValueError("the temperature at the start is not known")
    return 2 * kelvin * (start.gauge_kpa + start.barometer_kpa) / (start.gas_c + KELVIN) * MBAR_PER_KPA


def _numbers(start: Reading, end: Reading, hours: float, volume_l: float) -> None:
    if not (math.isfinite(hours) and hours > 0 and math.isfinite(volume_l) and volume_l > 0):
        raise ValueError("hours and volume must be positive numbers")
    for reading in (start, end):
        given = [reading.gauge_kpa, reading.barometer_kpa, *([] if reading.gas_c is None else [reading.gas_c])]
        if not all(map(math.isfinite, given)):
            raise ValueError("readings must be numbers")
        if reading.gauge_kpa + reading.barometer_kpa <= 0 or (reading.gas_c is not None and reading.gas_c <= -KELVIN):
            raise ValueError("readings must lie above vacuum and absolute zero")


def _open(start: Reading, end: Reading, hours: float, gauge: Gauge, limits: HoldLimits) -> tuple[str, ...]:
    """What keeps a hold from being a proof, whatever it lost."""
    found = []
    if start.gas_c is None or end.gas_c is None:
        found.append("no temperature of the gas at both ends of the hold: pressure alone cannot tell cold from a leak")
    if hours < limits.hours:
        found.append(f"held {hours:g} h, asked are {limits.hours:g} h")
    drift = max((abs(r.drift_k_h) for r in (start, end) if r.drift_k_h is not None), default=0.0)
    if drift > limits.drift_k_h:
        found.append(f"the gas was not at rest: {drift:g} K/h, at most {limits.drift_k_h:g} K/h")
    if gauge.mbar is None:
        found.append("the accuracy of the gauge is not known")
    if start.gas_c is not None and thermal_doubt_mbar(start, gauge.kelvin) > limits.drop_mbar:
        doubt = thermal_doubt_mbar(start, gauge.kelvin)
        found.append(f"the thermometers leave {doubt:.1f} mbar open, more than the limit of {limits.drop_mbar:.1f} mbar")
    return tuple(found)


def _odd(drop: float, allowed: float, doubt: float) -> str:
    if drop < 0:
        return f"pressure rose by {-drop:.1f} mbar beyond what temperature explains: a thermometer is wrong, or gas comes in"
    return f"lost {drop:.1f} mbar; allowed are {allowed:.1f} mbar, and the instruments leave {doubt:.1f} mbar open"


def reynolds(velocity_m_s: float, diameter_mm: float, density_kg_m3: float, viscosity_mpa_s: float) -> float:
    """Reynolds number in a round pipe, rho v D / mu."""
    return density_kg_m3 * velocity_m_s * diameter_mm / viscosity_mpa_s  # the two factors of 1000 cancel


def flush(flow_l_min: float, diameter_mm: float, density_kg_m3: float, viscosity_mpa_s: float, least_m_s: float) -> Proof:
    """Whether a flush moves dirt: at least ``least_m_s`` (or the design velocity, if that is more) and Re above 10,000."""
    velocity = velocity_m_s(flow_l_min, diameter_mm)
    turbulent = reynolds(velocity, diameter_mm, density_kg_m3, viscosity_mpa_s) > FLUSH_REYNOLDS
    return Proof.PASS if velocity >= least_m_s and turbulent else Proof.FAIL


def velocity_m_s(flow_l_min: float, diameter_mm: float) -> float:
    """Mean velocity in a round pipe."""
    return flow_l_min / 60_000 / (math.pi / 4 * (diameter_mm / 1000) ** 2)
