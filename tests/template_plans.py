"""Plans of the templates, made once for all tests of a run: nobody changes them."""

from __future__ import annotations

import functools

from asbuilt.catalogue.load import load
from asbuilt.design.resolve import resolve
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.plan.canonical import named
from asbuilt.plan.expand import expand
from asbuilt.workflow import templates

CATALOGUE = load()


@functools.cache
def expanded(template: str) -> Plan:
    """The tables of a template, without the name and hash of the plan."""
    return expand(resolve(decode(templates.text(template).encode(), template), CATALOGUE), CATALOGUE)


@functools.cache
def made(template: str) -> Plan:
    """The plan of a template."""
    return named(expanded(template), CATALOGUE)
