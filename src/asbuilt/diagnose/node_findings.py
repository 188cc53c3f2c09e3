"""Verdicts about machines to findings: the same cause on many of them is one finding, with where, next step and way back."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from asbuilt.diagnose.crowds import where
from asbuilt.diagnose.node_places import crowd, places
from asbuilt.diagnose.subnet_findings import About, evidence, filled, grouped_by, plain, said
from asbuilt.diagnose.texts import Text
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Layer, Verdict

#: A check that fails on a machine (or a part of it) does so because another one does there: the reason is told, not both.
ExplainedBy = Mapping[str, tuple[str, ...]]


def node_findings(
    plan: Plan,
    rows: pl.DataFrame,
    about: Mapping[str, About],
    layers: Mapping[str, Layer],
    texts: Mapping[str, Text],
    explained_by: ExplainedBy,
) -> list[Finding]:
    """Findings of ``rows`` (failing, broken and undecided verdicts). Kinds of captures that nobody gave are in the coverage."""
    rows = rows.filter((pl.col("verdict") != "not_measured") | (pl.col("subject") != "plan"))
    if rows.is_empty():
        return []
    joined = rows.join(places(plan, rows["subject"]), on="subject", how="left", maintain_order="left")
    bad = joined.filter(pl.col("verdict") == "fail")
    failing = _single_links(_unexplained(bad, explained_by))
    open_ = _dark_trays(_unasked(joined.filter(pl.col("verdict") == "not_measured")), bad)
    found = []
    for verdict, part in (
        (Verdict.FAIL, failing),
        (Verdict.NOT_MEASURED, open_),
        (Verdict.ERROR, joined.filter(pl.col("verdict") == "error")),
    ):
        for (id,), those in part.partition_by(["check_id"], as_dict=True, maintain_order=True).items():
            text = texts.get(str(id)) or plain(about[str(id)])
            for group in (
                grouped_by(those, text) if verdict is Verdict.FAIL else those.partition_by("found", maintain_order=True)
            ):
                found.append(_finding(plan, str(id), verdict, text, group, about[str(id)], layers[str(id)]))
    return found


def _unexplained(rows: pl.DataFrame, explained_by: ExplainedBy) -> pl.DataFrame:
    """``rows`` without those that a failing check explains on the same subject, or on its node."""
    for check_id, reasons in explained_by.items():
        causes = rows.filter(pl.col("check_id").is_in(list(reasons)))
        whole = causes.filter(pl.col("subject").str.starts_with("node:"))["node"].drop_nulls()
        hit = pl.col("subject").is_in(causes["subject"].implode()) | pl.col("node").is_in(whole.implode()).fill_null(False)
        rows = rows.filter(~((pl.col("check_id") == check_id) & hit))
    return rows


def _unasked(rows: pl.DataFrame) -> pl.DataFrame:
    """A machine without an archive is told once, by the check of archives, not by every check that would have judged it."""
    silent = rows.filter(pl.col("check_id") == ANSWERED)["node"].drop_nulls()
    again = (pl.col("check_id") != ANSWERED) & pl.col("node").is_in(silent.implode()).fill_null(False)
    return rows.filter(~again)


def _single_links(rows: pl.DataFrame) -> pl.DataFrame:
    """A domain whose chips lack links of single GPUs, which its own check tells, has no dark chip: it is not told again."""
    gpus = rows.filter(pl.col("check_id") == LINKS)["place"].str.extract(r"^(\S+) U", 1).drop_nulls()
    return rows.filter(~((pl.col("check_id") == CHIPS) & pl.col("subject").is_in(gpus.implode())))


def _dark_trays(rows: pl.DataFrame, bad: pl.DataFrame) -> pl.DataFrame:
    """A switch tray that gives no answer because it is dark, which the GPUs' links show, is told once."""
    dark = bad.filter(pl.col("check_id") == CHIPS)["subject"]
    return rows.filter(~((pl.col("check_id") == TRAYS) & pl.col("subject").is_in(dark.implode())))


#: NVLinks of a GPU, switch chips of a domain, switch trays.
LINKS, CHIPS, TRAYS = "GPU-005", "GPU-020", "GPU-021"
#: The check that every planned node gave an archive.
ANSWERED = "NOD-001"


def _finding(plan: Plan, id: str, verdict: Verdict, text: Text, rows: pl.DataFrame, about: About, layer: Layer) -> Finding:
    who = crowd(plan, rows, text.several)
    plural = rows.height > 1
    first = rows.row(0, named=True)
    words = {"who": who, "expected": str(first["expected"]), "found": str(first["found"])}
    words |= {"verb": "are" if plural else "is", "has": "have" if plural else "has"}
    if verdict is Verdict.FAIL:
        cause, step, revert = (filled(t, words) for t in (text.cause, text.next, text.revert))
    elif verdict is Verdict.NOT_MEASURED:
        reason = f": {first['found']}" if first["found"] not in (None, "unknown") else ""
        cause = f"{who} {words['verb']} not measured{reason}"
        step, revert = f"capture {about.measured_by.rstrip('.')}; then verify again", "nothing is changed"
    else:
        cause = f"the check itself stopped: {first['found']}"
        step, revert = "report it; every other check was run, then verify again", "nothing is changed"
    subjects = tuple(rows["subject"].to_list())
    return Finding(
        id=id,
        verdict=verdict,
        severity=about.severity,
        layer=layer,
        subject=subjects[0],
        expected=said(rows, "expected"),
        found=said(rows, "found"),
        where=where(rows),
        cause=cause,
        next=step,
        revert=revert,
        evidence=evidence(rows),
        subjects=subjects,
        why=about.why,
    )
