"""Sites and questions of `asbuilt decide` that several tests ask."""

from __future__ import annotations

import functools
from dataclasses import replace

from asbuilt.base.origin import Confidence, Origin
from asbuilt.decide.cases import Site
from asbuilt.decide.quantities import rack_kinds
from asbuilt.decide.tasks import tasks
from asbuilt.model.assumption import Assumptions
from asbuilt.model.crew_question import Question
from asbuilt.workflow.assumptions import defaults
from asbuilt.workflow.crew_file import read_question
from template_plans import made

SMALL, WET = "l40s-384", "gb300-nvl72"


@functools.cache
def site(template: str = SMALL) -> Site:
    """The packages of a template's plan, one record in ten measured again."""
    return Site.of(tasks(made(template), defaults()["money.audit_share"].likely))


@functools.cache
def question(template: str = SMALL, claims: bool = True) -> Question:
    """The built-in question."""
    plan = made(template)
    believed = defaults() if claims else defaults().without_claims()
    liquid = bool((rack_kinds(plan.tables)["kind"] == "liquid").any())
    return read_question(None, plan.name, plan.table("racks").height, liquid, believed)


def stated(believed: Assumptions, **values: float) -> Assumptions:
    """Some inputs stated exactly; dots of an id are written as two underscores."""
    own = {}
    for key, value in values.items():
        item = believed[key.replace("__", ".")]
        own[item.id] = replace(
            item,
            low=value,
            likely=value,
            high=value,
            origin=Origin.DECLARED,
            confidence=Confidence.HIGH,
            source="stated in a test",
        )
    return believed.with_own(own)
