"""Use case: the planned InfiniBand subnets on the real OpenSM, by scenario, read back and verified as a site would be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Sequence

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.rehearse import faults as grammar
from asbuilt.rehearse.built import Built, as_planned
from asbuilt.rehearse.fault import Injected
from asbuilt.rehearse.growth import growth
from asbuilt.rehearse.opensm import Tell, quiet
from asbuilt.rehearse.scenarios import Outcome, bring_up, failover, faults
from asbuilt.rehearse.spare import spare_guid, spare_leaf, with_spare
from asbuilt.workflow.compare import CABLING_CHECKS
from asbuilt.workflow.plan import REQUIREMENT_FILE, make_plan, project_catalogue, read_requirement
from asbuilt.workflow.rehearse import Rehearsal, infiniband_only, parsed, refuse_for_ibsim, weigh

ENGINE = "opensm"
SCENARIOS = {
    "bring-up": "the planned subnet comes up on the generated files; every row that the plan fixes is read back",
    "faults": "the faults of --fault, put into the running subnet, are found exactly",
    "failover": "the master dies; the standby takes over in time and changes nothing; the primary returns",
    "growth": "what a larger target (--to GPUS) adds is plugged in; what stood keeps LIDs and same-leaf paths",
    "spare-leaf": "a leaf dies and its cold spare (--switch SWITCH) takes its place by the generated edits",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a rehearsal: scenario ("": bring-up, or faults when there are any), and what scenarios want to know.

    ``larger`` is the plan that growth ends at; ``switch`` the leaf that a spare replaces ("" the first); ``most`` the ports
    that are asked one by one at most (0: all).
    """

    scenario: str = ""
    faults: tuple[str, ...] = ()
    larger: Plan | None = None
    switch: str = ""
    most: int = 0
    seed: int = 0


def rehearse_opensm(plan: Plan, wish: Wish | None = None, tell: Tell = quiet) -> Rehearsal:
    """One scenario on every InfiniBand subnet of ``plan`` that has an address plan, one subnet after another.

    Raises `ProblemError` CLI-029 for a scenario that cannot be, CLI-023 for faults that ibsim cannot make while it runs,
    CLI-024 for missing programs, CLI-027 for fabrics that ibsim cannot carry, CLI-025 and CLI-028 when a program fails.
    """
    wish = wish or Wish()
    scenario = _scenario(wish)
    if wish.seed:
        what = "the managers' files name the GUIDs of the plan, and --seed stands for other hardware"
        raise ProblemError(Problem("CLI-029", what, fix="leave out --seed, or use the embedded engine"))
    wish = replace(wish, switch=_leaf_key(plan, wish.switch) if wish.switch else "")
    clean = as_planned(plan)
    built, injected = grammar.apply(plan, clean, parsed(wish.faults))
    refuse_for_ibsim(plan, built)
    _possible(built, injected)
    outcomes = [_run(plan, subnet, scenario, wish, clean, built, tell) for subnet in _subnets(plan, scenario)]
    after = _after(plan, scenario, wish, outcomes[0].proof.subnet)
    now = as_planned(after) if after is not plan else built
    tell("verification")
    return weigh(
        infiniband_only(after),
        now,
        injected,
        ENGINE,
        tuple(capture for outcome in outcomes for capture in outcome.seen.captures()),
        tuple(outcome.proof for outcome in outcomes),
        frozenset(CABLING_CHECKS) if injected else None,
    )


def _scenario(wish: Wish) -> str:
    scenario = wish.scenario or ("faults" if wish.faults else "bring-up")
    if scenario not in SCENARIOS:
        what = f"no scenario {scenario!r}{nearest(scenario, SCENARIOS)}"
        raise ProblemError(Problem("CLI-029", what, fix=f"scenarios: {', '.join(SCENARIOS)}"))
    if wish.faults and scenario != "faults":
        what = f"faults are put into scenario faults, not into {scenario}"
        raise ProblemError(Problem("CLI-029", what, fix="leave out --scenario or --fault"))
    if scenario == "faults" and not wish.faults:
        raise ProblemError(Problem("CLI-029", "scenario faults needs at least one fault", fix="add --fault unplug:A"))
    stray = _stray(wish, scenario)
    if stray:
        what = f"{' and '.join(stray)}: not of scenario {scenario}"
        raise ProblemError(Problem("CLI-029", what, fix="leave it out, or name the scenario that it belongs to"))
    if scenario == "growth" and wish.larger is None:
        raise ProblemError(Problem("CLI-029", "scenario growth needs the target that it ends at", fix="add --to GPUS"))
    return scenario


def _stray(wish: Wish, scenario: str) -> list[str]:
    """The options that say something to another scenario: whoever gave them would take the answer for theirs."""
    given = {
        "--to (growth)": wish.larger is not None and scenario != "growth",
        "--switch (spare-leaf)": bool(wish.switch) and scenario != "spare-leaf",
        "--ports (bring-up)": bool(wish.most) and scenario != "bring-up",
    }
    return [option for option, stray in given.items() if stray]


def _leaf_key(plan: Plan, word: str) -> str:
    """The natural key of a switch named by key or by display name; a word that no switch has stays as it is."""
    switches = plan.table("switches")
    keys: list[str] = switches.filter((switches["switch"] == word) | (switches["name"] == word))["switch"].to_list()
    return keys[0] if len(keys) == 1 else word


def _possible(built: Built, injected: Sequence[Injected]) -> None:
    """Raise for faults that ibsim cannot put into a running subnet: it changes cables and power, nothing else."""
    other = (built.noname, built.unmanaged, built.limited, built.lids, built.slow, built.idle_managers, built.holes)
    if any((*other, built.settings, built.nodes)):
        cables = {i.fault.kind for i in injected if i.moves is not None} | {"absent", "eth"}
        bad = ", ".join(str(i.fault) for i in injected if i.fault.kind not in cables)
        why = "ibsim changes cables and power while it runs, nothing else"
        raise ProblemError(Problem("CLI-023", f"{bad}: not on this engine", why=why, fix="use the embedded engine"))


def _subnets(plan: Plan, scenario: str) -> list[str]:
    """The subnets to rehearse: all for bring-up and faults, the first for what happens to one of them."""
    if not plan.has("subnet_managers"):
        what = "the plan has no subnet tables"
        raise ProblemError(Problem("CLI-027", what, fix="compile it again: `asbuilt plan`"))
    found: list[str] = plan.table("subnet_managers")["subnet"].unique().sort().to_list()
    if not found:
        what = "no InfiniBand subnet of this plan has a subnet manager"
        raise ProblemError(Problem("CLI-027", what, fix="rehearse with the embedded engine"))
    return found if scenario in ("bring-up", "faults") else found[:1]


def _run(plan: Plan, subnet: str, scenario: str, wish: Wish, clean: Built, built: Built, tell: Tell) -> Outcome:
    larger = wish.larger or plan
    scenes: dict[str, Callable[[], Outcome]] = {
        "bring-up": lambda: bring_up(plan, subnet, clean, wish.most, tell),
        "faults": lambda: faults(plan, subnet, clean, built, tell),
        "failover": lambda: failover(plan, subnet, clean, tell),
        "growth": lambda: growth(plan, larger, subnet, tell),
        "spare-leaf": lambda: spare_leaf(plan, subnet, wish.switch, tell),
    }
    return scenes[scenario]()


def _after(plan: Plan, scenario: str, wish: Wish, subnet: str) -> Plan:
    """The plan that the subnet must answer to at the end of a scenario."""
    if scenario == "growth" and wish.larger is not None:
        return _one_subnet(wish.larger, subnet)
    if scenario == "spare-leaf":
        leaves = plan.table("lids")
        leaf = wish.switch or leaves.filter((leaves["subnet"] == subnet) & (leaves["role"] == "leaf")).sort("lid")["device"][0]
        plan = with_spare(plan, subnet, leaf, spare_guid(plan, leaf))
    return plan if scenario in ("bring-up", "faults") else _one_subnet(plan, subnet)


def _one_subnet(plan: Plan, subnet: str) -> Plan:
    """The plan with the links of one subnet alone."""
    switches = plan.table("switches")
    mine = switches.filter(switches["subnet"] == subnet)["switch"]
    links = plan.links.filter(plan.links["a_device"].is_in(mine.implode()))
    return replace(plan, tables={**plan.tables, "links": links})


def larger_plan(project: Path, small: Plan, gpus: int) -> Plan:
    """The plan of the project's requirement with a larger target. Raises `ProblemError` CLI-029 when it is not larger."""
    requirement = read_requirement(project / REQUIREMENT_FILE)
    large = make_plan(replace(requirement, gpus=gpus), project_catalogue(project))
    if large.table("nodes").height <= small.table("nodes").height:
        what = f"{gpus} GPUs are no more than the plan has"
        raise ProblemError(Problem("CLI-029", what, fix="name a larger target with --to"))
    return large


__all__ = ["ENGINE", "SCENARIOS", "Wish", "larger_plan", "rehearse_opensm"]
