"""What the templates of the sizing page need, made from a query and its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.design import Sizing
from asbuilt.web import figures, slider
from asbuilt.web.marks import marks
from asbuilt.web.query import GPUS_MOST, Choice, Query
from asbuilt.workflow.sizing_page import Answer, SystemOption, answer, systems

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue

WEAK = "low confidence: "
SITE_WORDS = {"power_mw": "{} MW", "rack_power_kw": "{} kW a rack", "pue": "PUE {}", "cooling": "{} cooling"}


def context(query: Query, problems: Sequence[Problem] = (), catalogue: Catalogue | None = None) -> dict[str, Any]:
    """Everything that ``size.html`` and ``fragment.html`` show. Problems of the answers are added to ``problems``."""
    options = systems(catalogue)
    choices = [query.a] + ([query.b] if query.b else [])
    all_problems = list(problems)
    answers: list[Answer | None] = []
    for choice in choices:
        try:
            answers.append(answer(choice.system, choice.gpus, choice.fabric, query.site, catalogue))
        except ProblemError as error:
            all_problems += error.problems.items
            answers.append(None)
    whole = not all_problems
    sides = [
        _side(query, choice, "ab"[i], a if whole else None, options)
        for i, (choice, a) in enumerate(zip(choices, answers, strict=True))
    ]
    sizings = [a.sizing for a in answers if a is not None] if whole else []
    return {
        "pair": query.b is not None,
        "sides": sides,
        "answers": sizings,
        "ledger": figures.groups(sizings) if sizings else [],
        "problems": all_problems,
        "options": options,
        "known": {o.id for o in options},
        "scale": slider.scale(),
        "last": slider.LAST,
        "most": GPUS_MOST,
        "raw": query.raw,
        "site_open": bool(query.site) or any(k in query.raw for k in ("mw", "rack_kw", "pue", "cooling")),
        "site_words": site_words(query),
        "json_url": query.url("/size.json"),
        "title": " and ".join(f"{s['gpus']:,} × {s['name']}" for s in sides) + " · asbuilt",
        "said": said(sides) if whole else "; ".join(p.what for p in all_problems),
    }


def site_words(query: Query) -> str:
    """The stated site in a few words."""
    parts = [
        words.format(f"{v:g}" if isinstance(v, float) else v) for k, words in SITE_WORDS.items() if (v := query.site.get(k))
    ]
    return ", ".join(parts) if parts else "nothing stated, whatever the cluster needs"


def said(sides: Sequence[dict[str, Any]]) -> str:
    """The answer in one sentence, for screen readers."""
    told = []
    for side in sides:
        facts = ", ".join(f"{v.text} {v.unit} {label.lower()}".replace("  ", " ") for label, v in side["headline"])
        told.append(f"{side['gpus']:,} GPUs {side['name']}: {facts}")
    return ". ".join(told)


def _side(query: Query, choice: Choice, letter: str, got: Answer | None, options: Sequence[SystemOption]) -> dict[str, Any]:
    option = next((o for o in options if o.id == choice.system), None)
    gpus = got.sizing.gpus if got else choice.gpus
    typed = query.raw.get(f"{letter}n", f"{choice.gpus:,}")
    if typed.replace(",", "") == str(choice.gpus):
        typed = f"{choice.gpus:,}"
    fabrics = option.fabrics if option else ()
    first = fabrics[0][0] if fabrics else ""
    side: dict[str, Any] = {
        "letter": letter,
        "system": choice.system,
        "name": option.name if option else choice.system,
        "unit": option.unit_gpus if option else 8,
        "fabrics": fabrics,
        "fabric_ids": [f for f, _ in fabrics],
        "fabric": "" if choice.fabric == first else choice.fabric,
        "gpus": gpus,
        "asked": choice.gpus,
        "rounded": gpus != choice.gpus,
        "typed": typed,
        "bad": typed.replace(",", "") != str(choice.gpus),
        "position": slider.position(choice.gpus),
        "marks": [],
        "standing": [],
        "numbered": [],
        "marks_height": 6,
    }
    if got is not None:
        placed = marks(got.sizing, lambda n: _jump(query, letter, n))
        side |= _shown(got, got.sizing) | {
            "marks": placed,
            # What the building cannot carry at this size comes first, whichever size it would carry.
            "standing": sorted((m for m in placed if not m.number or m.tone == "fail"), key=lambda m: m.tone != "fail"),
            "numbered": [m for m in placed if m.number],
            "marks_height": max([6, *(m.rise + 12 for m in placed if m.left is not None)]),
        }
    return side


def _shown(got: Answer, sizing: Sizing) -> dict[str, Any]:
    return {
        "headline": figures.headline(sizing),
        "fabric_svg": got.fabric,
        "row_svg": got.row,
        "warnings": [w for w in sizing.warnings if "rounded up" not in w and not w.startswith(WEAK)],
        "weak": [w.removeprefix(WEAK) for w in sizing.warnings if w.startswith(WEAK)],
        "assumptions": sizing.assumptions,
        "sources": sizing.sources,
    }


def _jump(query: Query, letter: str, gpus: int) -> str:
    if letter == "a":
        return replace(query, a=replace(query.a, gpus=gpus)).url()
    assert query.b is not None
    return replace(query, b=replace(query.b, gpus=gpus)).url()
