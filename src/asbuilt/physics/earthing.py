"""Potentials between racks and the resistance of earth bonds: V = I·R. Arrays in, arrays out; mA, mΩ, mV, A."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from asbuilt.physics.three_phase import Floats

MA_PER_A = 1e3


def leakage_millivolts(leakage_ma: ArrayLike, supplies: ArrayLike, bond_mohm: ArrayLike) -> Floats:
    """Potential that the touch currents of ``supplies`` power supplies cause over a bond; 3.5 mA each is the most allowed.

    Tens of mV over tens of mΩ are never leakage: amperes circulate, or the bond is bad. Limit of the touch current:
    IEC 62368-1, 3.5 mA for pluggable equipment.
    """
    amperes = np.asarray(leakage_ma, dtype=np.float64) * np.asarray(supplies) / MA_PER_A
    return np.asarray(amperes * np.asarray(bond_mohm))


def current_millivolts(current_a: ArrayLike, bond_mohm: ArrayLike) -> Floats:
    """Potential that a current causes over a bond: circulating amperes, or the test current of a four-wire ohmmeter."""
    return np.asarray(np.asarray(current_a, dtype=np.float64) * np.asarray(bond_mohm))


def bond_milliohms(measured_mv: ArrayLike, test_a: ArrayLike) -> Floats:
    """Resistance of a bond from a four-wire test at ``test_a`` (10 A or more); NaN without test current."""
    volts, current = np.asarray(measured_mv, dtype=np.float64), np.asarray(test_a, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(current > 0, volts / current, np.nan))
