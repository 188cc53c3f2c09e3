"""What captures tell of machines, and what was measured between them, held against the plan: node and collective checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from asbuilt.checks.registry import Check, checks
from asbuilt.diagnose.affinity_texts import AFFINITY_EXPLAINED, AFFINITY_TEXTS
from asbuilt.diagnose.archive_texts import ARCHIVE_EXPLAINED, ARCHIVE_TEXTS
from asbuilt.diagnose.gpu_texts import GPU_EXPLAINED, GPU_TEXTS
from asbuilt.diagnose.ladder import with_ladder
from asbuilt.diagnose.node_classes import class_details, class_notes, node_classes, unlocked_note
from asbuilt.diagnose.node_count import node_summary
from asbuilt.diagnose.node_findings import node_findings
from asbuilt.diagnose.node_tables import has_node_facts, node_tables
from asbuilt.diagnose.node_texts import NODE_EXPLAINED, NODE_TEXTS
from asbuilt.diagnose.outside import outside_notes
from asbuilt.diagnose.performance_texts import PERFORMANCE_EXPLAINED, PERFORMANCE_TEXTS
from asbuilt.diagnose.software_texts import SOFTWARE_EXPLAINED, SOFTWARE_TEXTS
from asbuilt.diagnose.subnet_findings import About, unmatched
from asbuilt.diagnose.tally import coverage
from asbuilt.diagnose.tally import told as told_rows
from asbuilt.diagnose.texts import Text
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, LinkSummary, NodeSummary, Severity, Verdict, Verification
from asbuilt.workflow.compare_subnet import about_of

if TYPE_CHECKING:
    import polars as pl

LAYERS = (Layer.NODE, Layer.COLLECTIVE)
TEXTS: dict[str, Text] = {**ARCHIVE_TEXTS, **NODE_TEXTS, **GPU_TEXTS, **SOFTWARE_TEXTS, **AFFINITY_TEXTS, **PERFORMANCE_TEXTS}
EXPLAINED_BY = {
    **ARCHIVE_EXPLAINED,
    **NODE_EXPLAINED,
    **GPU_EXPLAINED,
    **SOFTWARE_EXPLAINED,
    **AFFINITY_EXPLAINED,
    **PERFORMANCE_EXPLAINED,
}


@dataclass(frozen=True, slots=True)
class NodeAnswer:
    """Verdict frames by check id, the resolved tables, and notes on what could not be resolved."""

    asked: dict[str, pl.DataFrame]
    tables: dict[str, pl.DataFrame]
    notes: tuple[str, ...]
    plan: Plan
    about: dict[str, About] = field(default_factory=dict)
    layers: dict[str, Layer] = field(default_factory=dict)
    #: Sections of the verification's details.
    details: dict[str, Any] = field(default_factory=dict)

    def findings(self, required: Collection[str] = ()) -> tuple[list[Finding], list[Finding]]:
        """(findings, remarks). Of ``required`` (ids, or names of layers) what was not measured at all is a finding too.
        Remarks alone decide nothing."""
        rows = told_rows(self.asked)
        found = node_findings(self.plan, rows, self.about, self.layers, TEXTS, EXPLAINED_BY)
        found += self._required(required)
        remarks = [f for f in found if f.severity is Severity.INFO]
        return [f for f in found if f.severity is not Severity.INFO], remarks

    def counted(self, findings: Sequence[Finding]) -> NodeSummary | None:
        """The planned machines by what is known of them; None where nobody asked about machines."""
        asked = {id: frame for id, frame in self.asked.items() if self.layers[id] is Layer.NODE}
        return node_summary(self.plan, asked, self.tables, findings) if asked else None

    def _required(self, required: Collection[str]) -> list[Finding]:
        kinds: dict[tuple[str, ...], list[str]] = {}
        for id, frame in self.asked.items():
            if id not in required and self.layers[id].value not in required:
                continue
            first = frame.row(0, named=True)
            if first["subject"] == "plan" and first["verdict"] == "not_measured":
                kinds.setdefault(self.about[id].facts, []).append(id)
        made = []
        for ids in kinds.values():
            about = self.about[ids[0]]
            verb = "was" if len(ids) == 1 else "were"
            cause = f"{', '.join(ids)} {verb} asked for and no capture of that kind was given"
            open_ = unmatched("", ids[0], about, cause)
            made.append(
                replace(
                    open_,
                    layer=self.layers[ids[0]],
                    expected="a capture of that kind",
                    next=f"capture {about.measured_by.rstrip('.')}; then verify again",
                    revert="nothing is changed",
                )
            )
        return made


def node_checks(layers: Collection[Layer] = ()) -> dict[str, Check]:
    """The checks of machines and of what was measured between them; of ``layers`` alone, where some are named."""
    wanted = [x for x in LAYERS if not layers or x in layers]
    return {id: c for id, c in checks().items() if c.layer in wanted}


def judge_nodes(plan: Plan, facts: Facts, chosen: Mapping[str, Check], inside: Collection[str] | None = None) -> NodeAnswer:
    """Every check of ``chosen`` on what the captures tell. A kind of capture that nobody gave leaves its checks not measured,
    in the coverage alone. ``inside`` are the nodes that are built (all, when None)."""
    import polars as pl

    about = {id: about_of(c) for id, c in chosen.items()}
    layers = {id: c.layer for id, c in chosen.items()}
    tables: dict[str, pl.DataFrame] = {}
    notes: tuple[str, ...] = ()
    built = plan if inside is None or not plan.has("nodes") else _built(plan, inside)
    if has_node_facts(facts) and plan.has("nodes"):
        resolved = node_tables(plan, facts)
        tables, notes = resolved.tables, resolved.notes
        if inside is not None:
            keep = pl.col("node").is_null() | pl.col("node").is_in(list(inside))
            tables = {name: frame.filter(keep) for name, frame in tables.items()}
        facts = replace(facts, tables={**facts.tables, **tables})
    asked = {id: c.answer(built, facts) for id, c in chosen.items()}
    classes = node_classes(built, tables) if Layer.NODE in layers.values() and tables else ()
    notes += (*unlocked_note(built, tables), *class_notes(classes)) if classes else ()
    notes += outside_notes(asked)
    return NodeAnswer(asked, tables, notes, built, about, layers, class_details(classes))


def nodes_alone(
    plan: Plan, facts: Facts, nodes: NodeAnswer, notes: tuple[str, ...], strict: bool, required: Collection[str]
) -> Verification:
    """The answer where only machines and what was measured between them were asked about: links are out of scope."""
    findings, remarks = nodes.findings(required)
    findings = with_ladder(plan, findings, nodes.asked, facts)
    return Verification(
        kind="compare",
        summary=LinkSummary(out_of_scope=plan.links.height if plan.has("links") else 0),
        findings=tuple(sorted([*findings, *(remarks if strict else ())], key=order)),
        repairs=(),
        coverage=coverage(nodes.asked),
        plan_hash=plan.plan_hash,
        notes=(*notes, *nodes.notes),
        details=nodes.details | ({"warnings": [r.as_json() for r in remarks]} if remarks and not strict else {}),
        nodes=nodes.counted(findings),
    )


def order(finding: Finding) -> tuple[int, str, int]:
    """Failing first, then broken, then undecided; then by id, the largest first."""
    rank = {Verdict.FAIL: 0, Verdict.ERROR: 1, Verdict.NOT_MEASURED: 2}[finding.verdict]
    return rank, finding.id, -len(finding.subjects)


def _built(plan: Plan, inside: Collection[str]) -> Plan:
    """The plan with the nodes that are built, and what hangs on them."""
    import polars as pl

    tables = dict(plan.tables)
    for name, frame in tables.items():
        if name in ("nodes", "gpus", "nics", "machines"):
            tables[name] = frame.filter(pl.col("node").is_in(list(inside)))
    return replace(plan, tables=tables)
