"""Use case: the whole road on the 384-GPU example, from template to report, with a fabric that has a few faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.verdict import Verdict

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan
    from asbuilt.model.verdict import Verification
    from asbuilt.workflow.export import Written
    from asbuilt.workflow.rehearse import Rehearsal

TEMPLATE = "l40s-384"
MARK = ".asbuilt-demo"
REPORT = "reports/report.html"
#: Faults of the field, one of each kind; the uplink is chosen from the plan.
FAULTS = (
    "swap:node0007/mlx5_0,node0019/mlx5_1",
    "rail:node0011",
    "eth:node0033/mlx5_2",
)


#: Faults inside nodes, which no cable shows: their archives do.
NODE_FAULTS = (
    "width:node0012/mlx5_1",
    "gpu:node0023/5",
    "driver:node0030",
    "irq:node0041",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is told: what was done, what came out, and whether it came out as it should."""

    title: str
    lines: tuple[str, ...]
    holds: bool = True


def demo(folder: Path) -> Iterator[Step]:
    """Do one step after the other in ``folder``, telling each as it is done.

    Raises ``ProblemError`` CLI-060 when ``folder`` holds something that no earlier demo wrote.
    """
    from asbuilt.workflow.check import check
    from asbuilt.workflow.export import export
    from asbuilt.workflow.plan import compile_project
    from asbuilt.workflow.rehearse import rehearse

    _prepare(folder)
    yield Step("requirement", (f"{folder}/cluster.yaml from the template {TEMPLATE}: 48 servers with 8 L40S each",))
    plan = compile_project(folder)
    yield Step("plan", (*_counted(plan), _physical(plan)))
    checked = check(plan)
    yield Step("design checks", _checked(checked), not any(f.verdict is Verdict.FAIL for f in checked.findings))
    written = export(plan, folder, force=True)
    yield Step("export", _exported(folder, written))
    rehearsal = rehearse(plan, (*FAULTS, _uplink(plan)))
    yield Step("rehearsal: the fabric as a twin, with faults", _rehearsed(rehearsal), rehearsal.exact)
    mended = _mended(plan, rehearsal)
    yield Step("repair: the moves that the findings name", _repaired(rehearsal, mended), mended.verification.exit_code == 0)
    nodes = rehearse(plan, NODE_FAULTS, nodes=True)
    yield Step("nodes: what every one of them answers, with faults inside four", _proven(nodes), nodes.exact)
    yield _real(plan)
    repaired = replace(mended.verification, kind="rehearse-repaired")
    asked = replace(nodes.verification, kind="rehearse-nodes")
    _write_report(folder, plan, (checked, rehearsal.verification, repaired, asked))
    yield Step("report", (f"{folder}/{REPORT}: design, pictures, findings, moves, coverage, sources, assumptions",))


def _prepare(folder: Path) -> None:
    """A folder that is empty, or that an earlier demo made."""
    from asbuilt.workflow.templates import text

    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        fix = "name an empty or new folder: `asbuilt demo DIR`"
        raise ProblemError(Problem("CLI-060", "the folder holds something that is not a demo's", Place(str(folder)), fix=fix))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text("asbuilt demo writes into this folder and replaces what it wrote before\n", encoding="utf-8")
    template = text(TEMPLATE)
    (folder / "cluster.yaml").write_text(template, encoding="utf-8")


def _uplink(plan: Plan) -> str:
    """A pulled cable between a leaf and a spine: the middle one of the compute plane."""
    import polars as pl

    links = plan.links.filter((pl.col("kind") == "leaf_spine") & (pl.col("plane") == "compute"))["link"]
    return f"unplug:{links[len(links) // 2]}"


def _exported(folder: Path, written: Sequence[Written]) -> tuple[str, ...]:
    """One line per folder of files."""
    sizes: dict[str, list[int]] = {}
    for file in written:
        sizes.setdefault(str(PurePosixPath(file.path).parent), []).append(file.size)
    return tuple(
        f"{folder}/artefacts/{name}: {len(of)} file{'s' if len(of) > 1 else ''}, {sum(of):,} bytes"
        for name, of in sizes.items()
    )


def _counted(plan: Plan) -> tuple[str, ...]:
    from asbuilt.catalogue.load import load
    from asbuilt.plan.counts import counts

    sizing = counts(plan, load())
    compute = sizing.compute
    return (
        f"{sizing.gpus:,} GPUs in {sizing.nodes:,} nodes, {sizing.racks} racks, {sizing.switches_total} switches "
        f"({compute.leaf} leaf + {compute.spine} spine for compute), {sizing.cables:,} cables, {sizing.optics:,} optics",
        f"{sum(t.height for t in plan.tables.values()):,} rows in {len(plan.tables)} tables; plan {plan.plan_hash[:12]}",
    )


def _physical(plan: Plan) -> str:
    """What is planned below the links: power, trays, labelled ends of cords."""
    count = {name: plan.table(name).height for name in ("circuits", "pdus", "cords", "trays", "routes", "rack_slots")}
    return (
        f"physical: {count['rack_slots']} devices in their rack units, {count['circuits']} circuits, {count['pdus']} PDUs, "
        f"{count['cords']} power cords on their outlets, {count['routes']} cable routes over {count['trays']} tray segments"
    )


def _checked(checked: Verification) -> tuple[str, ...]:
    """Counts; what failed; what nobody can decide, because a maker or the site has yet to say it: never a pass."""
    passed = sum(c.passed for c in checked.coverage)
    failed = [f for f in checked.findings if f.verdict is Verdict.FAIL]
    open_ids = sorted({f.id for f in checked.findings if f.verdict is not Verdict.FAIL})
    lines = [f"{len(checked.coverage)} checks, {passed:,} subjects pass, {len(failed)} findings fail"]
    lines += [f"fails    {f.id}  {f.cause}" for f in failed]
    if open_ids:
        lines.append(f"undecided, until a maker or the site says it: {', '.join(open_ids)} (`asbuilt -C DIR check` asks)")
    return tuple(lines)


def _rehearsed(rehearsal: Rehearsal) -> tuple[str, ...]:
    summary = rehearsal.verification.summary
    lines = [f"put in   {record.fault}" for record in rehearsal.injected]
    lines.append(
        f"measured {summary.planned} links planned: {summary.ok} ok, {summary.wrong} wrong, {summary.missing} missing, "
        f"{summary.unplanned} unplanned"
    )
    lines += [f"found    {finding.id}  {finding.cause}" for finding in rehearsal.verification.findings]
    found = "the findings name exactly the links that the faults changed"
    lines.append(found if rehearsal.exact else f"MISSED {len(rehearsal.missed)}, WRONGLY ACCUSED {len(rehearsal.extra)}")
    return tuple(lines)


def _proven(nodes: Rehearsal) -> tuple[str, ...]:
    """Faults inside nodes, what was found, how many checks judged how much."""
    asked = [c for c in nodes.verification.coverage if c.id.startswith(("NOD", "GPU", "SW"))]
    lines = [f"put in   {record.fault}" for record in nodes.injected]
    lines += [f"found    {f.id}  {f.cause}" for f in nodes.verification.findings if f.verdict is Verdict.FAIL]
    lines.append(f"{len(asked)} checks of machines, {sum(c.passed for c in asked):,} subjects pass")
    found = "the findings name exactly what the faults changed"
    lines.append(found if nodes.exact else f"MISSED {len(nodes.missed)}, WRONGLY ACCUSED {len(nodes.extra)}")
    return tuple(lines)


def _mended(plan: Plan, rehearsal: Rehearsal) -> Rehearsal:
    from asbuilt.workflow.rehearse import judge
    from asbuilt.workflow.repair import apply_moves

    moved = apply_moves(plan, rehearsal.built, rehearsal.verification.repairs)
    # A port in Ethernet mode is no matter of cables: the crew sets its link type where the finding sends them to look.
    return judge(plan, replace(moved, ethernet=frozenset()))


def _repaired(rehearsal: Rehearsal, mended: Rehearsal) -> tuple[str, ...]:
    from asbuilt.model.verdict import repairs

    summary = mended.verification.summary
    modes = ", ".join(f"{node.removeprefix('node:')}/{nic}" for node, nic in sorted(rehearsal.built.ethernet))
    acts = repairs(rehearsal.verification.repairs)
    done = ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(act.kind for act in acts).items()))
    return (
        f"{len(acts)} acts of repair for {len(rehearsal.injected)} faults: {done}",
        f"link type set to InfiniBand where the findings say to look: {modes}",
        f"measured again: {summary.ok} of {summary.planned} links ok, {summary.wrong} wrong, {summary.missing} missing",
    )


def _real(plan: Plan) -> Step:
    """The InfiniBand subnet on the real OpenSM over ibsim, read back by the real diagnostic tools, where they are installed."""
    from asbuilt.workflow.rehearse_opensm import rehearse_opensm

    title = "the subnet on the real OpenSM over ibsim, from the files above, read back by the real diagnostic tools"
    try:
        real = rehearse_opensm(plan)
    except ProblemError as error:
        absent = error.problems.items[0].what
        return Step(title, (f"not run: {absent}. The embedded twin stood in; `make setup` as root installs the programs.",))
    lines = []
    for proof in real.proofs:
        compared, equal = proof.rows
        refused = f"{len(proof.bad_lines)} lines that OpenSM did not take"
        lines.append(f"{proof.subnet}: {equal:,} of {compared:,} rows as planned, {refused}")
        lines += [f"  {e.table}: {e.equal:,} of {e.compared:,}" for e in proof.equality]
    return Step(title, tuple(lines), real.exit_code == 0)


def _write_report(folder: Path, plan: Plan, parts: tuple[Verification, ...]) -> None:
    from asbuilt.workflow.report import now, report

    target = folder / REPORT
    target.parent.mkdir(exist_ok=True)
    target.write_text(report(plan, parts, written=now()).html, encoding="utf-8")
