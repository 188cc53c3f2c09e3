"""The answer of `verify`, `compare` and `rehearse` as text."""

from __future__ import annotations

from asbuilt.cli.findings import columns, repair_lines, text, wants_colour, warning_lines
from asbuilt.model.verdict import LinkSummary, NodeSummary, Verification


def screen(verification: Verification, title: str) -> str:
    """The answer as text: links and machines counted, findings by cause, warnings, and the moves in the order to make them."""
    lines = [*counted_lines(verification), text(verification, title, width=columns(), colour=wants_colour())]
    lines += warning_lines(verification, width=columns())
    return "\n".join([*lines, *repair_lines(verification)])


def summary_line(counts: LinkSummary) -> str:
    """The links counted: ``2,223 planned: 2,219 ok, 2 wrong, 2 missing · 107 unplanned``."""
    number = {n: getattr(counts, n) for n in ("planned", "ok", "wrong", "missing", "not_measured", "unplanned", "out_of_scope")}
    parts = [
        f"{number[n]:,} {n.replace('_', ' ')}" for n in ("ok", "wrong", "missing", "not_measured") if number[n] or n == "ok"
    ]
    tail = [f"{number[n]:,} {n.replace('_', ' ')}" for n in ("unplanned", "out_of_scope") if number[n]]
    return f"{number['planned']:,} links planned: {', '.join(parts)}" + "".join(f" · {t}" for t in tail)


def counted_lines(verification: Verification) -> list[str]:
    """What was asked about, counted: links, machines, or both; where machines alone were asked about, no line of links."""
    links, nodes = verification.summary, verification.nodes
    lines = [] if nodes is not None and not links.planned + links.unplanned else [summary_line(links)]
    return lines if nodes is None else [*lines, node_line(nodes)]


def node_line(counts: NodeSummary) -> str:
    """The machines counted: ``48 nodes planned, 47 measured: 44 ok, 3 with findings · 1 not measured``."""
    found = f", {counts.with_findings:,} with findings" if counts.with_findings else ""
    gone = f" · {counts.not_measured:,} not measured" if counts.not_measured else ""
    return f"{counts.planned:,} nodes planned, {counts.measured:,} measured: {counts.ok:,} ok{found}{gone}"
