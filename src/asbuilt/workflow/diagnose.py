"""Use case: from measurements between hosts to the components that explain them, and the next measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asbuilt.base.hosts import Hosts
from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.diagnose import localise
from asbuilt.diagnose.localise import Measured, Posterior, Proposal, Suspect
from asbuilt.diagnose.paths import CABLE, NODE, PORT, Paths
from asbuilt.model.plan import Plan
from asbuilt.parsers.path_measurements import PathMeasurement, read

#: A set of components that is this probable is an answer; below it the next measurement is worth its time. A convention.
SETTLED = 0.95
SCHEMA = "diagnosis/v1"


@dataclass(frozen=True, slots=True)
class Localised:
    """What measurements between hosts leave: suspects, what nothing explains, the next measurement."""

    plan: Plan
    paths: Paths
    left: Posterior
    suspects: tuple[Suspect, ...]
    proposal: Proposal | None
    seen: float
    false: float

    @property
    def bad(self) -> int:
        """Measurements that were not as they should be."""
        return sum(not m.good for m in self.left.measured)

    @property
    def certainty(self) -> float:
        """The posterior of the best explanation, with all that no measurement tells from it."""
        if not self.suspects:
            return float(self.left.weight.max())
        wanted = len(self.left.best)
        return min((s.probability for s in self.suspects[:wanted]), default=0.0) if wanted else float(self.left.weight.max())

    @property
    def settled(self) -> bool:
        """The best explanation is as good as certain, and no measurement at hand would tell its members apart."""
        open_bits = localise.entropy(SETTLED)
        return self.certainty >= SETTLED and (self.proposal is None or self.proposal.bits < open_bits)

    @property
    def exit_code(self) -> int:
        """0 nothing was bad; 1 the best explanation is settled; 3 it is not yet."""
        if not self.bad:
            return 0
        return 1 if self.settled else 3

    def called(self, component: str) -> str:
        """A component as people call it, with the end of its cable where it is a port."""
        kind = self.paths.kinds[self.paths.at[component]]
        if kind == NODE:
            return str(_names(self.plan).get(component, component))
        if kind == PORT:
            end = self.paths.ends[self.paths.at[component] - self.paths.at[f"nic:{_tail(self.paths.ends[0])}"]]
            node = _names(self.plan).get(end.node, end.node)
            return f"{node} {end.device} (card, cable, or its port of {_names(self.plan).get(end.leaf, end.leaf)})"
        if kind == CABLE:
            return f"the cable of {component.removeprefix('link:')}"
        return str(_names(self.plan).get(component, component))

    def next_words(self) -> str:
        """The next measurement in words: who takes part, over which ports."""
        if self.proposal is None:
            return ""
        ends = [self.paths.ends[i] for i in self.proposal.ends]
        names = _names(self.plan)
        hosts = [str(names.get(n, n)) for n in dict.fromkeys(e.node for e in ends)]
        devices = list(dict.fromkeys(e.device for e in ends))
        if len(ends) == 2:
            told = " to ".join(f"{names.get(e.node, e.node)} {e.device}" for e in ends)
            return f"a pair: {told}"
        return f"a collective of {len(hosts)} nodes over {', '.join(devices)}: {Hosts.fold(hosts)}"

    def as_json(self) -> dict[str, Any]:
        """The documented object, schema ``diagnosis/v1``."""
        following = None
        if self.proposal is not None:
            ends = [self.paths.ends[i] for i in self.proposal.ends]
            following = {
                "ends": [{"node": e.node, "device": e.device} for e in ends],
                "words": self.next_words(),
                "bad_probability": round(self.proposal.bad, 4),
                "bits": round(self.proposal.bits, 4),
            }
        return {
            "schema": SCHEMA,
            "exit": self.exit_code,
            "measurements": len(self.left.measured),
            "bad": self.bad,
            "components": len(self.paths),
            "certainty": round(self.certainty, 4),
            "suspects": [
                {
                    "components": list(s.components),
                    "called": self.called(s.components[0]),
                    "probability": round(s.probability, 4),
                }
                for s in self.suspects
            ],
            "chance": round(self.left.chance, 4),
            "unexplained": [m.name for m in self.left.unexplained()],
            "next": following,
            "assumed": {"seen": self.seen, "false": self.false, "rate": localise.RATE, "prior": dict(localise.PRIOR)},
        }


def _tail(end: Any) -> str:
    return f"{end.node.removeprefix('node:')}/{end.device}"


def _names(plan: Plan) -> dict[str, str]:
    found: dict[str, str] = {}
    for table, key in (("nodes", "node"), ("switches", "switch")):
        if plan.has(table):
            found |= dict(plan.table(table).select(key, "name").rows())
    return found


def localised(
    plan: Plan,
    measured: Sequence[Measured],
    paths: Paths,
    seen: float = localise.SEEN,
    false: float = localise.FALSE,
) -> Localised:
    """The components that explain ``measured``, and the next measurement."""
    left = localise.posterior(paths, measured, seen, false)
    suspects = left.suspects() if any(not m.good for m in measured) else ()
    proposal = localise.propose(left, seen, false) if suspects else None
    return Localised(plan, paths, left, suspects, proposal, seen, false)


def diagnose_list(plan: Plan, place: Path, plane: str = "compute", least: float | None = None) -> Localised:
    """As `localised`, from a CSV list (`parsers.path_measurements`). ``least`` judges values that have no result of their own.

    Raises `ProblemError` CLI-040 (cannot be read), PAR-009 (the list), CLI-083 (a host, device or plane that the plan does not
    have), CLI-084 (a value and nothing to hold it against).
    """
    try:
        data = place.read_bytes()
    except OSError as error:
        what = f"cannot read {place}: {error.strerror or error}"
        raise ProblemError(Problem("CLI-040", what, fix="name a list of measurements")) from None
    rows = read(data, str(place))
    try:
        paths = Paths(plan, plane)
    except ValueError as error:
        raise ProblemError(Problem("CLI-083", str(error), fix="say --plane with a plane that nodes plug into")) from None
    return localised(plan, resolve(plan, paths, rows, least, str(place)), paths)


def resolve(plan: Plan, paths: Paths, rows: Sequence[PathMeasurement], least: float | None, file: str) -> tuple[Measured, ...]:
    """``rows`` as measurements over ends of the plan. Raises `ProblemError` CLI-083 and CLI-084 with every line."""
    of_node: dict[str, list[int]] = {}
    for i, end in enumerate(paths.ends):
        of_node.setdefault(end.node, []).append(i)
    nodes = {str(name).lower(): node for node, name in _names(plan).items() if node in of_node}
    nodes |= {node.lower(): node for node in of_node}
    problems: list[Problem] = []
    units = {r.unit for r in rows if r.good is None}
    if len(units) > 1:
        what = f"values in several units: {', '.join(sorted(u or 'none' for u in units))}"
        raise ProblemError(Problem("CLI-084", what, Place(file), "one limit judges them all", "give one list for each unit"))
    found = []
    for row in rows:
        ends: list[int] = []
        for host in row.hosts:
            node = nodes.get(host.lower(), nodes.get(host.lower().partition(".")[0]))
            own = [i for i in of_node.get(node or "", ()) if _uses(paths, i, row)]
            if not own:
                near = nearest(host.lower(), nodes) if node is None else ""
                what = f"the plan has no {'node' if node is None else 'such port of'} {host}{near}"
                problems.append(Problem("CLI-083", what, Place(file, row.line), fix="name hosts and devices as the plan does"))
            ends += own
        good = row.good
        if good is None and least is None:
            what = "a value without a result, and no limit to hold it against"
            problems.append(Problem("CLI-084", what, Place(file, row.line), fix="say --least VALUE, or write a result column"))
        elif good is None and row.value is not None and least is not None:
            good = row.value >= least
        found.append(Measured(tuple(sorted(ends, key=lambda i: paths.ends[i].rail)), bool(good), f"{file}:{row.line}"))
    if problems:
        raise ProblemError(problems[:20])
    return tuple(found)


def _uses(paths: Paths, end: int, row: PathMeasurement) -> bool:
    at = paths.ends[end]
    return (not row.device or at.device == row.device) and (row.rail is None or at.rail == row.rail)
