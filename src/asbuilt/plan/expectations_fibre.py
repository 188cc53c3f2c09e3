"""Thresholds of the fibre plan, with unit, origin and source."""

from __future__ import annotations

from typing import Any

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.design import Design
from asbuilt.plan.expectation import expectation

_RULES = ("fibre", "cabling-rules")
_STRUCTURED = "NVIDIA structured cabling requirements: female patch cords, male trunks; modules have pins"
_SLACK = "slack of a trunk's way, in the catalogue's cabling rules"
_LOOP = "service loop of the site, both ends together; 2 to 3 m are usual"


def fibre_rows(design: Design, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` that checks of the fibre plan use."""
    fibre, asked = design.fibre, design.requirement.fibre
    spare = "declared" if asked.spare_percent is not None else "assumed"
    loop = "declared" if asked.loop_m is not None else "assumed"
    share = "spare trunks of every route, as the site says"
    rows = [
        expectation("CAB-002", "bundle", "*", "ge", fibre.spare_percent, "%", spare, share),
        expectation("CAB-007", "trunk", "*", "ge", 2.0 * fibre.loop_m, "m", loop, _LOOP),
        expectation("CAB-007", "trunk", "slack", "eq", fibre.rules.slack_percent / 100.0, "fraction", "assumed", _SLACK),
        expectation("CAB-011", "trunk", "*", "eq", "female", "", "published", _STRUCTURED, "high"),
    ]
    if not catalogue.has(*_RULES):
        return rows
    rules = catalogue.get(*_RULES)
    for check_id, key in (("CAB-020", "fill_plan_percent"), ("CAB-021", "fill_most_percent")):
        figure = rules.figure(key)
        rows.append(expectation(check_id, "tray", "*", "le", figure.value, "%", "published", figure.source, figure.confidence))
    return rows
