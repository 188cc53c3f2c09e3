"""Thresholds of the power plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation

#: Currents are sums of many shares: a conductor filled to the last ampere is not overloaded by the last binary digit.
_ROUNDING = 1e-9
_POLICY = "site policy, no standard gives a number for this use: verify with the site"


def power_rows(design: Design) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the power plan use."""
    continuous = "NEC 210.20(A), 215.3; IEC 60364-4-43: the continuous current of `limit_a` and `usable_a` is the most"
    supplies = "default of the design; power factor of active supplies at half load and more, 80 PLUS Titanium: 0.95 or more"
    stated = design.requirement.power.power_factor is not None
    factor = ("declared", "power.power_factor") if stated else ("assumed", supplies)
    contact = "assumed: a contact may rise 45 K at its test current (IEC 60320-1), so 20 K at two thirds of it"
    drop = (
        "site policy, 2 % busway and 1 % whip; NEC informational notes 3 % branch, 5 % feeder and branch; "
        "IEC 60364-5-52 annex G 5 %: verify with the site"
    )
    sharing = "supplies share within some 5 % after a loss: verify with the maker"
    return [
        expectation("PWR-001", "conductor", "*", "le", 1.0, "share of the continuous current", "published", continuous)
        | {"tol_rel": _ROUNDING},
        expectation("PWR-003", "conductor", "*", "le", 0.10, "share of the mean", "assumed", _POLICY),
        expectation("PWR-003", "conductor", "kind=pdu", "le", 0.15, "share of the mean", "assumed", _POLICY),
        expectation("PWR-003", "conductor", "loaded", "ge", 0.25, "share of the continuous current", "assumed", _POLICY),
        expectation("PWR-004", "conductor", "*", "le", 0.05, "share of the mean", "assumed", _POLICY),
        expectation("PWR-013", "cord", "power factor", "eq", design.power.power_factor, "ratio", *factor),
        expectation("PWR-017", "shelf", "*", "ge", 0.05, "share of the rated output", "assumed", sharing),
        expectation("PWR-019", "circuit", "*", "le", 0.05, "share of the usual length", "assumed", _POLICY),
        expectation("PWR-019", "circuit", "metres", "le", 0.5, "m", "assumed", _POLICY),
        expectation("PWR-026", "busway", "*", "le", 2.0, "%", "assumed", drop),
        expectation("PWR-027", "circuit", "*", "le", 3.0, "%", "assumed", drop),
        expectation("PWR-030", "cord", "*", "eq", 20.0, "K", "assumed", contact),
    ]
