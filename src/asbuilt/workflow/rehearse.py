"""Use case: the planned fabric built as a twin, with faults, captured, verified, and the answer held against the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Sequence

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Verdict, Verification
from asbuilt.rehearse import faults as grammar
from asbuilt.rehearse.built import Built, as_planned, truth
from asbuilt.rehearse.engines import ENGINES, Limit
from asbuilt.rehearse.fault import Fault, Injected
from asbuilt.rehearse.proof import Proof
from asbuilt.rehearse.roce_captures import roce_captures
from asbuilt.rehearse.subnet_captures import subnet_captures
from asbuilt.rehearse.twin import captures as twin_captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from asbuilt.workflow.rehearse_nodes import formats, limits, node_captures

if TYPE_CHECKING:
    import polars as pl

RATE_CHECK = "FAB-004"
#: Checks whose subject an engine does not have: rates on ibsim, which knows none past HDR; there widths and MTU neither.
LEFT_OUT = {
    "embedded": frozenset[str](),
    "ibsim": frozenset({RATE_CHECK}),
    "opensm": frozenset({RATE_CHECK, "FAB-007", "FAB-008", "FAB-009"}),
}
#: Past this the twin renders discovery alone: every port's tables are some 10 KB of text.
MOST_END_PORTS = 2_048
#: The same for RDMA over Ethernet, counted in port ends: some 1.2 KB each.
MOST_ROCE_PORTS = 8_192
# What the compare's note says of devices that answer with their factory description.
NAMELESS = "no name of their own"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What was built, what was found, and whether the two agree.

    ``missed`` are planned links that a fault made wrong or missing, and subjects of faults that no cable shows, which no
    finding names, not even as not measured; ``extra`` those that a finding names though no fault touched them. ``built``
    and ``captures`` are the twin, for repairs and for looking at.
    """

    engine: str
    verification: Verification
    injected: tuple[Injected, ...]
    expected: pl.DataFrame
    missed: tuple[str, ...]
    extra: tuple[str, ...]
    built: Built
    captures: tuple[Capture, ...]
    proofs: tuple[Proof, ...] = ()

    @property
    def exact(self) -> bool:
        """True when the findings name exactly the links that the faults changed."""
        return not self.missed and not self.extra

    @property
    def exit_code(self) -> int:
        """0 everything provable matched and exactly the faults were found; 1 not so; 3 undecided."""
        if not self.exact or any(p.failed for p in self.proofs):
            return 1
        undecided = {f.verdict for f in self.verification.findings} & {Verdict.ERROR, Verdict.NOT_MEASURED}
        return 3 if undecided or any(p.open for p in self.proofs) else 0

    @property
    def limits(self) -> tuple[Limit, ...]:
        """What the rehearsal cannot show, and why not."""
        return (*ENGINES[self.engine], *limits(self.captures))

    def as_json(self) -> dict[str, Any]:
        """The documented JSON object, schema ``rehearsal/v1``: that of a verification, and what only a rehearsal knows.

        ``exit`` is the rehearsal's own: 0 when exactly the faults were found, though ``findings`` then name them.
        """
        return {
            **self.verification.as_json(),
            "schema": "rehearsal/v1",
            "engine": self.engine,
            "exit": self.exit_code,
            "exact": self.exact,
            "injected": [{"fault": str(i.fault), "links": list(i.links), "moves": i.moves} for i in self.injected],
            "expected": dict(self.expected.filter(self.expected["outcome"] != "ok").select("link", "outcome").rows()),
            "missed": list(self.missed),
            "extra": list(self.extra),
            # Of the real tools' own text there is nothing to prove.
            "formats": {} if self.proofs else formats(self.captures),
            "proofs": [p.as_json() for p in self.proofs],
            "not_proven_here": [{"what": limit.what, "why": limit.why} for limit in self.limits],
        }


def rehearse(plan: Plan, faults: Sequence[str] = (), engine: str = "embedded", seed: int = 0, nodes: bool = False) -> Rehearsal:
    """Build ``plan`` with ``faults`` (texts of the fault grammar), capture, verify, and compare with what was done.

    With ``nodes``, or with a fault inside a node, every node's archive is captured too.
    Raises `ProblemError` CLI-026 for an unknown engine, those of the grammar, and CLI-024/025/027 for the ibsim engine.
    """
    if engine not in ENGINES:
        what = f"no rehearsal engine {engine!r}{nearest(engine, ENGINES)}"
        raise ProblemError(Problem("CLI-026", what, fix=f"engines: {', '.join(ENGINES)}"))
    wanted = parsed(faults)
    built, injected = grammar.apply(plan, as_planned(plan), wanted)
    return judge(plan, built, injected, engine, seed, nodes)


def parsed(faults: Sequence[str]) -> tuple[Fault, ...]:
    """All faults, or all their problems at once."""
    found: list[Fault] = []
    problems: list[Problem] = []
    for text in faults:
        try:
            found.append(grammar.parse(text))
        except ProblemError as error:
            problems += error.problems.items
    if problems:
        raise ProblemError(problems)
    return tuple(found)


def judge(
    plan: Plan,
    built: Built,
    injected: tuple[Injected, ...] = (),
    engine: str = "embedded",
    seed: int = 0,
    nodes: bool = False,
) -> Rehearsal:
    """Capture a built fabric, and its nodes where they are asked for, verify it, and compare with what really is there."""
    if engine == "embedded":
        refuse_past_size(plan, built, injected)
    found = twin_captures(plan, built, seed)
    if engine == "embedded" and whole_subnet(plan):
        found += subnet_captures(plan, built, seed)
    if engine == "embedded" and whole_ethernet(plan):
        found += roce_captures(plan, built=built)
    if engine == "embedded" and (nodes or asks_nodes(built, injected)):
        found += node_captures(plan, built, seed)
    if engine == "ibsim":
        refuse_for_ibsim(plan, built)
        found = _through_ibsim(found)
        plan = infiniband_only(plan)
    return weigh(plan, built, injected, engine, found)


def weigh(
    plan: Plan,
    built: Built,
    injected: tuple[Injected, ...],
    engine: str,
    found: tuple[Capture, ...],
    proofs: tuple[Proof, ...] = (),
    judged: frozenset[str] | None = None,
) -> Rehearsal:
    """Verify captures of a built fabric and hold the findings against what really is there.

    ``judged`` are the checks whose findings must be exactly the changed links; by default all that the engine can show.
    """
    verification = compare(plan, facts_of(found))
    out = LEFT_OUT[engine]
    findings = tuple(f for f in verification.findings if f.id not in out)
    coverage = tuple(c for c in verification.coverage if c.id not in out)
    unproven = tuple(f"{limit.what}: {limit.why}" for limit in (*ENGINES[engine], *limits(found)))
    verification = replace(verification, kind="rehearse", findings=findings, coverage=coverage, unproven=unproven)
    expected = truth(plan, built)
    changed = set(expected.filter(expected["outcome"] != "ok")["link"])
    told = [f for f in findings if judged is None or f.id in judged]
    missed, extra = held(changed, injected, told)
    if built.noname and not any(NAMELESS in note for note in verification.notes):
        missed.append("noname: no note says that devices have no name of their own")
    return Rehearsal(
        engine=engine,
        verification=verification,
        injected=injected,
        expected=expected,
        missed=tuple(missed),
        extra=tuple(extra),
        built=built,
        captures=found,
        proofs=proofs,
    )


def held(changed: set[str], injected: Sequence[Injected], told: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """(missed, extra): subjects that a fault touched and no finding names, and subjects named though no fault touched them.

    ``changed`` are links, told by whichever check; of a fault that no cable shows one of its own checks must name the subject.
    What no capture could speak about is undecided, not missed: it keeps the rehearsal from passing all the same.
    """
    named = {(f.id, s) for f in told if f.verdict is Verdict.FAIL for s in f.subjects or (f.subject,)}
    open_ = {(f.id, s) for f in told if f.verdict is Verdict.NOT_MEASURED for s in f.subjects or (f.subject,)}
    wanted = {(id, subject) for record in injected for ids, subject in record.findings for id in ids}
    follows = {id for record in injected for id in record.follows}
    spoken = {s for _, s in named | open_}
    missed = sorted(changed - spoken)
    for record in injected:
        missed += [
            f"{' or '.join(ids)}: {subject}"
            for ids, subject in record.findings
            if not any((id, subject) in named | open_ for id in ids)
        ]
    extra = {s for id, s in named if s not in changed and (id, s) not in wanted and id not in follows}
    return missed, sorted(extra)


def asks_nodes(built: Built, injected: Sequence[Injected]) -> bool:
    """True when a fault is one that only the archives of nodes show."""
    return bool(built.nodes) or any(record.fault.kind == "ethmode" for record in injected)


def whole_subnet(plan: Plan) -> bool:
    """True when the twin answers for every port of the subnets too: past `MOST_END_PORTS` the text of it is left out."""
    return plan.has("lids") and 0 < plan.table("lids").height <= MOST_END_PORTS


def whole_ethernet(plan: Plan) -> bool:
    """True when the twin answers for the settings of RDMA over Ethernet too: past `MOST_ROCE_PORTS` they are left out."""
    return plan.has("roce_ports") and 0 < plan.table("roce_ports").height <= MOST_ROCE_PORTS


def refuse_past_size(plan: Plan, built: Built, injected: tuple[Injected, ...]) -> None:
    """Raise `ProblemError` CLI-023 for faults that only captures show which the twin leaves out at this size."""
    told = built.unmanaged or built.limited or built.lids or built.idle_managers or built.holes
    left = []
    if told and not whole_subnet(plan):
        left.append((plan.table("lids").height, "end ports", MOST_END_PORTS))
    if built.settings and not whole_ethernet(plan):
        left.append((plan.table("roce_ports").height, "port ends of RDMA over Ethernet", MOST_ROCE_PORTS))
    if left:
        unseen = ", ".join(str(i.fault) for i in injected if i.findings)
        why = "; ".join(f"the plan has {n:,} {what}, and past {most:,} the twin answers for none" for n, what, most in left)
        fix = "rehearse it on a plan of fewer GPUs"
        raise ProblemError(Problem("CLI-023", f"{unseen}: no capture would show it", why=why, fix=fix))


def refuse_for_ibsim(plan: Plan, built: Built) -> None:
    """Raise `ProblemError` for what ibsim cannot load, or what discovery on it could not walk to."""
    if "infiniband" not in plan.table("subnets")["technology"]:
        what = "ibsim simulates InfiniBand alone, and this plan has no InfiniBand subnet"
        raise ProblemError(Problem("CLI-027", what, fix="rehearse with the embedded engine"))
    if built.clones:
        what = "ibsim refuses two devices with one GUID"
        raise ProblemError(Problem("CLI-023", what, fix="rehearse clones with the embedded engine"))
    if built.unmanaged or built.limited or built.lids or built.slow or built.idle_managers or built.settings or built.nodes:
        what = "faults that no cable shows (init, limited, lids, slow, idle, pfc, gpu, ...) are made by the embedded twin alone"
        raise ProblemError(Problem("CLI-023", what, fix="rehearse them with the embedded engine"))
    switches = plan.table("switches")
    chassis = switches.filter((switches["asics"] > 1) & ~switches["spare"])
    if chassis.height:
        what = (
            f"the ASICs of {chassis['model'][0]} are planes of their own: discovery walks from one host and reaches one of them"
        )
        raise ProblemError(Problem("CLI-027", what, fix="rehearse with the embedded engine"))


def infiniband_only(plan: Plan) -> Plan:
    """The plan with the links of its InfiniBand subnets alone."""
    return replace(plan, tables={**plan.tables, "links": plan.infiniband_links()})


def _through_ibsim(captures: Sequence[Capture]) -> tuple[Capture, ...]:
    """The InfiniBand dumps as the real ibnetdiscover prints them after ibsim loaded them; the rest is left out."""
    from asbuilt.rehearse.ibsim import read_back

    return tuple(replace(c, data=read_back(c.data).text) for c in captures if c.tool == "ibnetdiscover")
