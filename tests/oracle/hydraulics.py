"""Rows of racks solved by pandapipes, for comparison. Run by .venv-oracle's Python: JSON rows on stdin, flows on stdout.

A row: ``pressure_kpa density viscosity_pa_s roughness_mm segments[{mm, m, k}] branches[{mm, m, k}]``; a branch is one hose
whose K stands for the rack as well (n = 2: pandapipes knows losses of K v² only). Direct return: node i of the supply header
is joined to node i of the return header.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pandapipes
from pandapipes.properties.fluids import Fluid, FluidPropertyConstant

logging.disable(logging.CRITICAL)
_BASE_BAR = 5.0
_KELVIN = 303.15


def solved(row: dict[str, Any]) -> list[float]:
    """L/min of each branch."""
    net = pandapipes.create_empty_network()
    net.fluid = Fluid(
        "coolant",
        "liquid",
        density=FluidPropertyConstant(row["density"]),
        viscosity=FluidPropertyConstant(row["viscosity_pa_s"]),
        heat_capacity=FluidPropertyConstant(4000.0),
    )

    def junction() -> int:
        return int(pandapipes.create_junction(net, pn_bar=_BASE_BAR, tfluid_k=_KELVIN))

    def pipe(start: int, end: int, bore: dict[str, float]) -> int:
        return int(
            pandapipes.create_pipe_from_parameters(
                net,
                start,
                end,
                length_km=bore["m"] / 1000.0,
                inner_diameter_mm=bore["mm"],
                k_mm=row["roughness_mm"],
                loss_coefficient=bore["k"],
            )
        )

    supply, back = junction(), junction()
    pandapipes.create_ext_grid(net, supply, p_bar=_BASE_BAR + row["pressure_kpa"] / 100.0, t_k=_KELVIN)
    pandapipes.create_ext_grid(net, back, p_bar=_BASE_BAR, t_k=_KELVIN)
    racks = []
    for segment, branch in zip(row["segments"], row["branches"], strict=True):
        to, fro = junction(), junction()
        pipe(supply, to, segment)
        pipe(fro, back, segment)
        racks.append(pipe(to, fro, branch))
        supply, back = to, fro
    pandapipes.pipeflow(net, mode="hydraulics", friction_model="colebrook", max_iter_hyd=200, tol_p=1e-7, tol_m=1e-7)
    mass = net.res_pipe["mdot_from_kg_per_s"]
    return [float(mass[at]) / row["density"] * 60_000.0 for at in racks]


if __name__ == "__main__":
    json.dump([solved(row) for row in json.load(sys.stdin)], sys.stdout)
