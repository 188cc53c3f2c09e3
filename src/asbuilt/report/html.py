"""Documents to one HTML file that needs nothing else: no script, no font, no address; made for screen, phone and paper."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from asbuilt.drawings.theme import FONT, css_variables, drawing_css, number, plural
from asbuilt.model.design import Sizing
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict, Verification
from asbuilt.model.verdict import repairs as acts
from asbuilt.report.document import VERDICT_WORDS, ordered, outcome, report_json

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

SHOWN = 400
WEAK = "low confidence: "
KINDS = {
    "check": "Design checks",
    "verify": "Measured against the plan",
    "compare": "Measured against the plan",
    "rehearse": "Rehearsal: the twin against the plan",
    "rehearse-repaired": "Rehearsal after the repairs: the twin against the plan",
    "rehearse-nodes": "Rehearsal of the nodes: what every one of them answers, against the plan",
}
OUTCOMES = {"pass": "holds", "fail": "does not hold", "undecided": "undecided", "nothing": "nothing judged"}


@functools.cache
def environment() -> Environment:
    """The template environment: everything escaped, undefined names are errors."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    env = Environment(
        loader=PackageLoader("asbuilt.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["n"] = number
    env.filters["plain"] = plain
    env.filters["ticks"] = ticks
    env.globals["plural"] = plural
    return env


def verification_html(verification: Verification, plan: Plan | None = None, claims: Mapping[str, str] | None = None) -> str:
    """``verification`` as a page of its own, with the fabric drawn when ``plan`` is given and can be drawn.

    ``claims`` maps check ids to what they claim, in one sentence; without it the coverage shows ids alone.
    """
    template = environment().get_template("single.html")
    subject = plan.name if plan and plan.name else ""
    body = template.render(part=part(verification, 0, claims), picture=fabric_picture(plan, [verification]), subject=subject)
    heading = KINDS.get(verification.kind, verification.kind)
    return page(f"{heading}: {subject}" if subject else heading, body)


def report_html(
    plan: Plan | None,
    sizing: Sizing | None,
    verifications: Sequence[Verification],
    versions: dict[str, str],
    written: str = "",
    claims: Mapping[str, str] | None = None,
) -> str:
    """The whole report as one file. Arguments as in `report.document.report_json`, ``claims`` as in `verification_html`."""
    from asbuilt.drawings.row import rows_svg

    document = report_json(plan, sizing, verifications, versions, written)
    rows = rows_svg(plan) if plan is not None and plan.has("racks") and plan.table("racks").height else ""
    body = (
        environment()
        .get_template("report.html")
        .render(
            doc=document,
            sizing=document["sizing"],
            parts=numbered(verifications, claims),
            picture=fabric_picture(plan, verifications),
            rows=rows,
            chapters=drawn_chapters(plan),
            facts=design_facts(plan, sizing),
            warnings=[w for w in document["plan_warnings"] if not w.startswith(WEAK)],
            weak=[w.removeprefix(WEAK) for w in document["plan_warnings"] if w.startswith(WEAK)],
        )
    )
    return page(f"As built: {document['name']}" if document["name"] else "As-built report", body)


def ticks(text: str) -> Markup:
    """Escaped text in which what stands between backticks is set as code."""
    from markupsafe import Markup, escape

    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is just a character
        return escape(text)
    marked = [Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts)]
    return Markup("").join(marked)


def plain(value: Any) -> str:
    """A value for reading: yes and no, numbers without a trailing ``.0``, lists joined."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value, 3)
    if isinstance(value, dict):
        return ", ".join(f"{k}: {plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(v) for v in value)
    return "not stated" if value is None else str(value)


def page(title: str, body: str) -> str:
    """``body`` in the page frame with the stylesheet inside."""
    frame = environment().get_template("page.html")
    return frame.render(title=title, body=body, variables=css_variables(), drawing=drawing_css(), font=FONT)


def part(verification: Verification, first: int = 0, claims: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the template of one verification needs; its findings are numbered from ``first + 1``."""
    word, sentence = outcome(verification)
    findings = ordered(verification.findings)
    return {
        "kind": verification.kind,
        "first": first,
        "heading": KINDS.get(verification.kind, verification.kind),
        "word": word,
        "label": OUTCOMES[word],
        "sentence": sentence,
        "summary": verification.summary,
        "nodes": verification.nodes,
        "links": link_counts(verification),
        "findings": findings[:SHOWN],
        "left_out": max(0, len(findings) - SHOWN),
        "fails": sum(f.verdict is Verdict.FAIL for f in findings),
        "repairs": acts(verification.repairs[:SHOWN]),
        "repairs_left_out": max(0, len(verification.repairs) - SHOWN),
        "coverage": verification.coverage,
        "notes": [n for n in verification.notes if not n.startswith(WEAK)],
        "warnings": verification.details.get("warnings", []),
        "unproven": verification.unproven,
        "plan_hash": verification.plan_hash,
        "exit": verification.exit_code,
        "words": VERDICT_WORDS,
        "claims": claims or {},
    }


def numbered(verifications: Sequence[Verification], claims: Mapping[str, str] | None) -> list[dict[str, Any]]:
    """Parts whose findings are numbered through, as in the fabric picture."""
    parts, first = [], 0
    for verification in verifications:
        parts.append(part(verification, first, claims))
        first += len(verification.findings)
    return parts


def link_counts(verification: Verification) -> list[dict[str, Any]]:
    """The link counts in the order of the counting rule, each with its share of the planned links for the bar."""
    s = verification.summary
    rows = (
        ("ok", "as planned", s.ok, "pass"),
        ("wrong", "other far end", s.wrong, "fail"),
        ("missing", "nothing there", s.missing, "fail"),
        ("not measured", "no data", s.not_measured, "warn"),
    )
    counts: list[dict[str, Any]] = [
        {"label": label, "meaning": meaning, "count": count, "tone": tone, "share": count / s.planned if s.planned else 0.0}
        for label, meaning, count, tone in rows
    ]
    place = 0.0
    for row in counts:
        row["from"] = place
        place += row["share"]
    return counts


def fabric_picture(plan: Plan | None, verifications: Sequence[Verification]) -> str:
    """The planned fabric as SVG with the findings marked on it; empty when the plan has no switch-to-switch link."""
    if plan is None or not plan.has("links") or not plan.links.height:
        return ""
    from asbuilt.drawings.fabric import plan_fabric_svg

    return plan_fabric_svg(plan, [f for v in verifications for f in ordered(v.findings)])


def drawn_chapters(plan: Plan | None) -> list[dict[str, Any]] | None:
    """The drawings of the physical plan by kind, each sheet with title, subtitle and SVG; None when there are too many.

    The fabric is left out: the report draws it with its findings.
    """
    from asbuilt.drawings.every import MOST_RACKS, chapters

    if plan is None or not plan.has("racks"):
        return []
    if plan.table("racks").height > MOST_RACKS:
        return None
    return [
        {
            "title": chapter.title,
            "sheets": [{"title": s.title, "subtitle": s.subtitle, "svg": s.svg()} for s in chapter.sheets],
        }
        for chapter in chapters(plan, fabric=False)
    ]


def design_facts(plan: Plan | None, sizing: Sizing | None) -> list[tuple[str, str]]:
    """Name and value of what the head of the report says about the design."""
    rows: list[tuple[str, str]] = []
    if sizing is not None:
        rows += [
            ("System", sizing.system),
            ("Fabric", sizing.fabric),
            ("GPUs", f"{sizing.gpus:,}" + (f" (asked {sizing.gpus_asked:,})" if sizing.gpus != sizing.gpus_asked else "")),
            ("Servers", f"{sizing.nodes:,}"),
            ("Racks", f"{sizing.racks:,}"),
            ("Switches", f"{sizing.switches_total:,}"),
            ("Compute tiers", f"{sizing.compute.leaf:,} leaf, {sizing.compute.spine:,} spine, {sizing.compute.core:,} core"),
            ("Cables", f"{sizing.cables:,}"),
            ("Optics", f"{sizing.optics:,}"),
            ("IT power", f"{number(sizing.it_kw, 1)} kW nameplate, {number(sizing.it_expected_kw, 1)} kW expected"),
            ("Facility power", f"{number(sizing.facility_kw, 1)} kW at PUE {number(sizing.pue, 2)}"),
            ("Heat", f"{number(sizing.liquid_kw, 1)} kW to liquid, {number(sizing.air_kw, 1)} kW to air"),
        ]
    elif plan is not None:
        rows += [(name.replace("_", " "), f"{frame.height:,} rows") for name, frame in sorted(plan.tables.items())]
    if plan is not None and plan.source and plan.design is None:
        rows.append(("Plan read from", plan.source))
    return rows
