"""Use case: a plan held against captures. Verify, compare and rehearse all come through here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from asbuilt.checks.registry import Check, checks
from asbuilt.diagnose.cabling_tables import PortNames, alike_links, cabling_tables
from asbuilt.diagnose.causes import diagnose
from asbuilt.diagnose.dark_ports import explain_dark
from asbuilt.diagnose.discovered_lids import discovered_lids
from asbuilt.diagnose.ladder import with_ladder
from asbuilt.diagnose.links import Compared, compare_links
from asbuilt.diagnose.measured import rate_findings, undecided, unplanned_findings, unread_captures
from asbuilt.diagnose.node_identity import without_borrowed
from asbuilt.diagnose.subnet_findings import slower_links
from asbuilt.diagnose.tally import coverage
from asbuilt.diagnose.tally import told as told_rows
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Coverage, Finding, Layer, LinkSummary, Verdict, Verification
from asbuilt.workflow.check import section
from asbuilt.workflow.compare_nodes import NodeAnswer, judge_nodes, node_checks, nodes_alone, order
from asbuilt.workflow.compare_subnet import SubnetAnswer, judge_subnet
from asbuilt.workflow.scope import built_nodes, scope_mask

if TYPE_CHECKING:
    import polars as pl

CABLING_CHECKS = ("FAB-001", "FAB-002", "FAB-003", "FAB-004")


def compare(
    plan: Plan,
    facts: Facts,
    scope: str | Mapping[str, str] | None = None,
    guids: pl.DataFrame | None = None,
    strict: bool = False,
    required: Collection[str] = (),
    layers: Collection[Layer] = (),
) -> Verification:
    """Hold ``plan`` against ``facts``: the links counted, findings by cause, the moves that mend them.

    ``scope`` says what is built, as ``phase=1,row=A`` or a mapping; links outside are counted as out of scope. ``guids`` is
    a frame guid, name. Unplanned links alone are warnings (``details["warnings"]``); with ``strict`` they are findings.
    A kind of capture that nobody gave (partition tables, counters, ...) leaves its checks not measured in the coverage and
    decides nothing, unless ``required`` names them; what a given capture leaves open is a finding. ``layers`` limits what is
    asked (all, when empty): without the fabric among them cabling is neither judged nor missed.
    Raises `ProblemError` CLI-054 for a scope that the plan cannot answer.
    """
    inside = scope_mask(plan, scope)
    fabric = {id: c for id, c in checks().items() if c.layer is Layer.FABRIC}
    chosen = {id: c for id, c in fabric.items() if id in CABLING_CHECKS}
    others = {id: c for id, c in fabric.items() if id not in CABLING_CHECKS}
    whys = {id: section(c.doc, "Why") for id, c in fabric.items()}
    nodes = judge_nodes(plan, facts, node_checks(layers), built_nodes(plan, scope))
    facts = without_borrowed(facts, nodes.asked.get("NOD-002"), nodes.tables.get("command_measured"))
    if layers and Layer.FABRIC not in layers:
        return nodes_alone(plan, facts, nodes, _told(plan, facts), strict, required)
    if not facts.has("link_facts"):
        subnet = judge_subnet(plan, facts, others, None, inside, guids)
        return _without_cabling(plan, facts, inside, chosen, subnet, nodes, strict, required)
    compared = compare_links(plan, facts, inside, guids)
    names = PortNames(plan, compared)
    tables, asked, behind = _judged(plan, facts, compared, names, chosen)
    subnet = judge_subnet(plan, facts, others, compared, inside, guids)
    rows = told_rows(asked)
    told = diagnose(plan, compared, names, whys)
    found = explain_dark(plan, list(told.findings), subnet.tables)
    # A link that is missing or wrong is down for the reason told there.
    more, remarks = subnet.findings(frozenset(s for f in found for s in f.subjects), required)
    theirs, others_told = nodes.findings(required)
    slow = rows.filter(~rows["subject"].is_in(list(slower_links(more))) | (rows["check_id"] != "FAB-004"))
    findings = [*found, *rate_findings(plan, slow, whys), *undecided(plan, compared, rows, whys), *more, *theirs]
    findings += unread_captures(facts, whys)
    findings = with_ladder(plan, findings, {**asked, **subnet.asked, **nodes.asked}, facts)
    warnings = unplanned_findings(compared, names, tables["unplanned_links"], told.touched, whys) + remarks + others_told
    findings += warnings if strict else []
    mended = len({s for f in told.findings for s in f.subjects})
    details: dict[str, Any] = {"exchanges": told.exchanges, "subjects_explained": mended, **nodes.details}
    details |= {"warnings": [w.as_json() for w in warnings]} if warnings and not strict else {}
    return Verification(
        kind="compare",
        summary=compared.summary,
        findings=tuple(sorted(findings, key=order)),
        repairs=told.repairs,
        coverage=_all(coverage(asked, behind), coverage(subnet.asked), coverage(nodes.asked)),
        plan_hash=plan.plan_hash,
        notes=(*_told(plan, facts), *compared.notes, *discovered_lids(plan, facts, compared), *subnet.told(), *nodes.notes),
        details=details,
        nodes=nodes.counted(theirs) if nodes.tables else None,
    )


def _all(*parts: tuple[Coverage, ...]) -> tuple[Coverage, ...]:
    return tuple(sorted((c for part in parts for c in part), key=lambda c: c.id))


def _judged(
    plan: Plan, facts: Facts, compared: Compared, names: PortNames, chosen: dict[str, Check]
) -> tuple[dict[str, pl.DataFrame], dict[str, pl.DataFrame], dict[str, int]]:
    """(tables that were judged, verdicts by check, how many links stand behind a subject).

    Links that are right and equal in all that a check looks at are judged once, by the first of them. Where that one does not
    pass, all of them are judged, since each then has to be named.
    """
    classes, first = alike_links(plan, compared)
    sizes = np.bincount(classes, minlength=len(first))
    rows = first
    while True:
        tables = cabling_tables(plan, compared, names, np.sort(rows))
        judged = Facts({**_plain(facts), **tables}, facts.accounts, facts.notes, facts.tool, facts.details)
        asked = _verdicts(plan, judged, chosen)
        many = first[sizes > 1]
        keys = plan.links["link"].gather(many)
        named = keys.is_in(told_rows(asked)["subject"].implode()).to_numpy()
        if not named.any():
            return tables, asked, dict(zip(keys.to_list(), sizes[sizes > 1].tolist(), strict=True))
        loud = np.zeros(len(first), bool)
        loud[np.flatnonzero(sizes > 1)[named]] = True
        rows = np.concatenate([rows, np.setdiff1d(np.flatnonzero(loud[classes]), rows)])
        sizes = np.where(loud, 1, sizes)


def _plain(facts: Facts) -> dict[str, pl.DataFrame]:
    """The tables that are there without making those of a discovery dump: no check of cabling looks at them."""
    return {} if facts.discovered is not None else dict(facts.tables)


def _verdicts(plan: Plan, facts: Facts, chosen: dict[str, Check]) -> dict[str, pl.DataFrame]:
    """Verdict rows of every fabric check by its id."""
    return {check.id: check.answer(plan, facts) for check in chosen.values()}


def _without_cabling(
    plan: Plan,
    facts: Facts,
    inside: np.ndarray[Any, Any] | None,
    chosen: dict[str, Check],
    subnet: SubnetAnswer,
    nodes: NodeAnswer,
    strict: bool,
    required: Collection[str],
) -> Verification:
    """No capture shows a single link: every planned link in scope is not measured, and that is one finding. What captures of
    other kinds tell is judged all the same."""
    links = plan.links.height if plan.has("links") else 0
    planned = links if inside is None else int(inside.sum())
    asked = _verdicts(plan, facts, chosen)
    said = "; ".join(facts.notes) or "no capture was given, or none of them holds a link"
    finding = Finding(
        id="FAB-001",
        verdict=Verdict.NOT_MEASURED,
        severity=chosen["FAB-001"].severity,
        layer=Layer.FABRIC,
        subject="plan",
        expected=f"{planned} planned links",
        found="no link in any capture",
        where="",
        cause=f"nothing was measured: {said}",
        next="capture with ibnetdiscover from a host of the fabric, as root, and compare again",
        revert="nothing is moved",
        why=section(chosen["FAB-001"].doc, "Why"),
    )
    if subnet.tables or nodes.tables:
        finding = replace(finding, cause="the cabling was not measured: no capture holds a link")
    summary = LinkSummary(planned=planned, not_measured=planned, out_of_scope=links - planned)
    more, remarks = subnet.findings(frozenset(), required)
    theirs, more_remarks = nodes.findings(required)
    remarks += more_remarks
    every = [*([finding] if links else []), *more, *theirs, *(remarks if strict else ())]
    every = with_ladder(plan, every, {**asked, **subnet.asked, **nodes.asked}, facts)
    return Verification(
        kind="compare",
        summary=summary,
        findings=tuple(sorted(every, key=order)),
        repairs=(),
        coverage=_all(coverage(asked), coverage(subnet.asked), coverage(nodes.asked)),
        plan_hash=plan.plan_hash,
        notes=(*_told(plan, facts), *subnet.told(), *nodes.notes),
        details=nodes.details | ({"warnings": [r.as_json() for r in remarks]} if remarks and not strict else {}),
        nodes=nodes.counted(theirs) if nodes.tables else None,
    )


def _told(plan: Plan, facts: Facts) -> tuple[str, ...]:
    return (*plan.warnings, *account_notes(facts), *facts.notes)


def account_notes(facts: Facts) -> tuple[str, ...]:
    """One line per capture with unread lines: how many, and the first of them."""
    notes = []
    for capture, account in facts.accounts.items():
        if account.unread:
            first = account.unread_lines[0] if account.unread_lines else (0, "")
            notes.append(f"{capture}: {account.unread} of {account.total} lines were not read; line {first[0]}: {first[1]!r}")
    return tuple(notes)


__all__ = ["CABLING_CHECKS", "Compared", "account_notes", "compare"]
