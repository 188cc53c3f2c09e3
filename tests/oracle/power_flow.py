"""Runs in the environment of the oracle, not in the product's: unbalanced rows of busway solved by pandapower.

Rows as JSON on standard input: ``{"volts": V between phases, "power_factor": , "rows": [{"sections_m": [...], "r": mΩ/m,
"x": mΩ/m, "loads_w": [[L1, L2, L3], ...]}]}``. Answers, in order: voltages to neutral as a share of the head's, per tap and
phase, and the currents at the head.
"""

from __future__ import annotations

import json
import math
import sys
import warnings


def solve(row: dict, volts: float, power_factor: float) -> dict:
    import pandapower as pp

    net = pp.create_empty_network(sn_mva=1.0)
    kv = volts / 1e3
    bus = pp.create_bus(net, vn_kv=kv)
    # A source without impedance of its own: as stiff as the solver takes.
    pp.create_ext_grid(net, bus, vm_pu=1.0, s_sc_max_mva=1e9, rx_max=0.1, x0x_max=1.0, r0x0_max=0.1)
    reactive = math.tan(math.acos(power_factor))
    for length, loads in zip(row["sections_m"], row["loads_w"], strict=True):
        following = pp.create_bus(net, vn_kv=kv)
        ohm_per_km = {"r_ohm_per_km": row["r"], "x_ohm_per_km": row["x"]}
        zero = {"r0_ohm_per_km": 4 * row["r"], "x0_ohm_per_km": 4 * row["x"]}  # a full neutral: Z0 = Z1 + 3·Zn
        pp.create_line_from_parameters(
            net, bus, following, length / 1e3, **ohm_per_km, **zero, c_nf_per_km=0.0, c0_nf_per_km=0.0, max_i_ka=10.0
        )
        megawatts = dict(zip(("p_a_mw", "p_b_mw", "p_c_mw"), (w / 1e6 for w in loads), strict=True))
        megavars = dict(zip(("q_a_mvar", "q_b_mvar", "q_c_mvar"), (w / 1e6 * reactive for w in loads), strict=True))
        pp.create_asymmetric_load(net, following, **megawatts, **megavars)
        bus = following
    pp.pf.runpp_3ph.runpp_3ph(net, numba=False, tolerance_mva=1e-10)
    result, line = net.res_bus_3ph, net.res_line_3ph
    return {
        "shares": result[["vm_a_pu", "vm_b_pu", "vm_c_pu"]].to_numpy()[1:].tolist(),
        "head_a": [float(line[f"i_{p}_from_ka"].iloc[0]) * 1e3 for p in "abc"],
        "neutral_a": float(line["i_n_from_ka"].iloc[0]) * 1e3,
    }


def main() -> None:
    warnings.filterwarnings("ignore")
    asked = json.load(sys.stdin)
    json.dump([solve(row, asked["volts"], asked["power_factor"]) for row in asked["rows"]], sys.stdout)


if __name__ == "__main__":
    main()
