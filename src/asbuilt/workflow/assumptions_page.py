"""The reference page of the built-in assumptions, made from their files."""

from __future__ import annotations

from collections.abc import Iterable

from asbuilt.model.assumption import Assumed
from asbuilt.workflow.assumptions import defaults, limits, systems, unit_limits

#: Groups of ids, by what stands before the first dot, with a heading and a word on how they are used.
GROUPS = {
    "work": ("Work", "Minutes of one team for one piece; hours that must pass after the work of a package and need nobody."),
    "access": ("Access", "How many people fit where."),
    "crew": ("Crews", "What a party is taken for where the question does not say."),
    "learning": ("Learning", "How unit times fall with repetition."),
    "qualification": ("Qualification", "Factors on time and faults by how well people know the work."),
    "experience": ("Experience", "How fault rates fall with racks built before."),
    "fault": (
        "Faults",
        "Rates are gamma distributed: `likely` is the mean, `low` and `high` are the 5 % and 95 % points. A share of `detect` "
        "holds for the faults that are still there when the stage is reached; production finds the rest.",
    ),
    "money": ("Money", "In US dollars; a question in another currency states what one dollar is worth in it."),
    "tooling": ("Tools", "In US dollars."),
    "rule": ("Rules", "Thresholds of the readiness check, and rules of thumb that the result is held against."),
}
_HEAD = (
    "# Assumptions of `asbuilt decide`",
    "",
    "Generated from `src/asbuilt/workflow/assumption_files`; do not edit. Each can be replaced by id in `decide.yaml`: "
    "[decide-inputs.md](../decide-inputs.md).",
    "",
    "`published` was read in the source named, `derived` is arithmetic on such figures, `claimed` is said by firms that sell",
    "the service, `assumed` is an own estimate and says on what it rests. Low and high are the ends of a triangle. A claimed",
    "value has a second one behind it that stands there when claims are left out.",
    "",
)


def assumptions_page() -> str:
    """Every assumption by group: value, unit, what it may be, origin, confidence, meaning, source."""
    items = list(defaults())
    counts = {origin: sum(1 for i in items if i.origin == origin) for origin in dict.fromkeys(i.origin for i in items)}
    told = ", ".join(f"{count} {origin}" for origin, count in sorted(counts.items(), key=lambda pair: -pair[1]))
    out = [*_HEAD, f"{len(items)} assumptions: {told}.", ""]
    for group, (heading, use) in GROUPS.items():
        out += [f"## {heading}", "", use, ""]
        out += _table(i for i in items if i.id.split(".")[0] == group)
    out += [
        "## Systems",
        "",
        "They stand in the place of `money.gpu_hour` and `money.equipment_gpu` for a plan of the system.",
        "",
    ]
    out += _table(systems())
    return "\n".join(out)


def _table(items: Iterable[Assumed]) -> list[str]:
    rows = [
        "| id | low | likely | high | unit | may be | origin | confidence | meaning | source |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for item in items:
        allowed = limits().get(item.id, unit_limits()[item.unit]).words().split(", in ")[0]
        cells = (
            f"`{item.id}`", f"{item.low:g}", f"{item.likely:g}", f"{item.high:g}", item.unit, allowed, str(item.origin),
            str(item.confidence), item.meaning, item.source,
        )  # fmt: skip
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if item.removed is not None:
            without = item.removed
            cells = (
                "without the claim", f"{without.low:g}", f"{without.likely:g}", f"{without.high:g}", item.unit, "", "assumed",
                "low", "", item.removed_why,
            )  # fmt: skip
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*rows, ""]
