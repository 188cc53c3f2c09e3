"""Flow in pipes, hoses and couplings: velocity, Reynolds number, friction, pressure drop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asbuilt.physics.coolant import L_MIN, Fluid
from asbuilt.physics.pipe_sizes import KPA_PER_PSI, L_PER_GALLON
from asbuilt.physics.pipe_sizes import SIZES as SIZES
from asbuilt.physics.pipe_sizes import inside_mm as inside_mm

Floats = NDArray[np.float64]
#: Roughness of drawn stainless pipe and smooth hose, mm.
ROUGHNESS_MM = 0.015
#: Laminar below the first Reynolds number, turbulent above the second, blended linearly between.
LAMINAR_RE, TURBULENT_RE = 2000.0, 4000.0


@dataclass(frozen=True, slots=True)
class Bore:
    """A length of round pipe or hose: inside mm, metres, sum of loss coefficients K, roughness in mm."""

    inside_mm: float
    length_m: float
    k: float = 0.0
    roughness_mm: float = ROUGHNESS_MM


def velocity_m_s(flow_l_min: float, inside: float) -> float:
    """Mean velocity in a bore of ``inside`` mm."""
    return flow_l_min / L_MIN / (math.pi / 4 * (inside / 1000.0) ** 2)


def reynolds(velocity: float, inside: float, fluid: Fluid) -> float:
    """Reynolds number at ``velocity`` m/s in ``inside`` mm: rho v D / mu."""
    return fluid.density_kg_m3 * velocity * inside / 1000.0 / fluid.viscosity_pa_s


def least_inside_mm(flow_l_min: float, velocity: float) -> float:
    """Smallest bore in mm that keeps ``flow_l_min`` at or below ``velocity`` m/s."""
    return math.sqrt(flow_l_min / L_MIN / velocity * 4 / math.pi) * 1000.0


def friction(re: Floats, relative_roughness: Floats) -> Floats:
    """Darcy friction factor: 64/Re, Serghides' explicit form of Colebrook (3e-5 of exact), and a linear blend between.

    Source: Serghides, Chemical Engineering 91(5), 1984. ``re`` must be positive.
    """
    rough = relative_roughness / 3.7
    fast = np.maximum(re, LAMINAR_RE)
    a = -2.0 * np.log10(rough + 12.0 / fast)
    b = -2.0 * np.log10(rough + 2.51 * a / fast)
    c = -2.0 * np.log10(rough + 2.51 * b / fast)
    turbulent = (a - (b - a) ** 2 / (c - 2.0 * b + a)) ** -2.0
    share = np.clip((re - LAMINAR_RE) / (TURBULENT_RE - LAMINAR_RE), 0.0, 1.0)
    return np.asarray((1.0 - share) * 64.0 / re + share * turbulent)


def friction_factor(re: float, relative_roughness: float) -> float:
    """`friction` of one pipe."""
    return float(friction(np.asarray([re]), np.asarray([relative_roughness]))[0])


def losses_kpa(flow_l_min: Floats, bores: Bores, fluid: Fluid) -> Floats:
    """Pressure drop of each bore at its flow in kPa, with the sign of the flow: (f L/D + K) rho v²/2 (Darcy-Weisbach)."""
    flow = np.abs(flow_l_min)
    speed = flow / L_MIN / bores.area_m2
    re = np.maximum(fluid.density_kg_m3 * speed * bores.inside_m / fluid.viscosity_pa_s, 1e-9)
    factor = friction(re, bores.rough) * bores.slenderness + bores.k
    return np.asarray(np.sign(flow_l_min) * factor * (fluid.density_kg_m3 / 2000.0) * speed**2)


@dataclass(frozen=True, slots=True)
class Bores:
    """Many bores as columns: inside m, area m², relative roughness, L/D, K."""

    inside_m: Floats
    area_m2: Floats
    rough: Floats
    slenderness: Floats
    k: Floats


def bores(listed: list[Bore]) -> Bores:
    """Columns of ``listed``."""
    inside = np.asarray([b.inside_mm for b in listed]) / 1000.0
    return Bores(
        inside,
        np.pi / 4 * inside**2,
        np.asarray([b.roughness_mm for b in listed]) / 1000.0 / inside,
        np.asarray([b.length_m for b in listed]) / inside,
        np.asarray([b.k for b in listed], dtype=np.float64),
    )


def loss_kpa(flow_l_min: float, bore: Bore, fluid: Fluid) -> float:
    """Pressure drop of one bore in kPa."""
    return float(losses_kpa(np.asarray([flow_l_min]), bores([bore]), fluid)[0])


def coupling_kpa(flow_l_min: float, cv: float, density_kg_m3: float) -> float:
    """Pressure drop of a coupling or valve in kPa from its Cv: dP[psi] = SG (Q[gpm] / Cv)²; SG against 1,000 kg/m³."""
    return density_kg_m3 / 1000.0 * (flow_l_min / L_PER_GALLON / cv) ** 2 * KPA_PER_PSI
