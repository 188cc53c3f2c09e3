"""Use case: the passive capture set run on the nodes of a plan, or archives that came another way looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asbuilt.artefacts.capture_script import capture_script, node_names
from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.collect import ansible, srun
from asbuilt.collect.ansible import Way as Way
from asbuilt.collect.heard import ANSWERED, FAILED, HUNG, UNREACHABLE, Heard
from asbuilt.collect.landed import Landed, NoArchiveError, ending, from_text, look, look_at, put
from asbuilt.model.plan import Plan

CAPTURES = "captures"
HERE, ABSENT, NOT_WHOLE, OTHER_PLAN = "here", "absent", "not whole", "other plan"
#: How a node can stand at the end; `answered` (now) and `here` (already) are measured, all others are not.
ENDS = (ANSWERED, HERE, OTHER_PLAN, UNREACHABLE, HUNG, NOT_WHOLE, FAILED, ABSENT)
ENGINES = {"ansible": ansible.ask, "srun": srun.ask}
_ROUND = re.compile(r"^nodes-(\d{1,6})$")
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Wish:
    """What to ask: a host set ("" for every compute node), where archives go (None: the project's next folder), the engine,
    how nodes are reached, and whether those that answered already are asked again."""

    nodes: str = ""
    folder: Path | None = None
    engine: str = "ansible"
    way: Way = field(default_factory=Way)
    again: bool = False


@dataclass(frozen=True, slots=True)
class Stand:
    """How one node stands: its name, one of `ENDS`, why where it is not measured, its archive, questions by how they ended."""

    name: str
    how: str
    why: str = ""
    file: str = ""
    ended: dict[str, int] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """True for an archive that `verify` can judge. One that an older plan's script asked for is a measurement too."""
        return self.how in (ANSWERED, HERE, OTHER_PLAN)


@dataclass(frozen=True, slots=True)
class Collected:
    """How every wanted node stands, where the archives lie, and archives there that are of no node of the plan."""

    folder: Path
    plan_hash: str
    stands: tuple[Stand, ...]
    strangers: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 when every node has an archive, else 3: what nobody measured is undecided."""
        return 0 if all(s.measured for s in self.stands) else 3

    @property
    def counts(self) -> dict[str, int]:
        """Nodes by how they stand."""
        seen = Counter(s.how for s in self.stands)
        return {how: seen[how] for how in ENDS if seen[how]}

    @property
    def questions(self) -> dict[str, int]:
        """Questions of all archives by how they ended."""
        seen: Counter[str] = Counter()
        for stand in self.stands:
            seen.update(stand.ended)
        return dict(seen)

    def as_json(self) -> dict[str, Any]:
        """The documented JSON object, schema ``collect/v1``."""
        rows = [{"name": s.name, "how": s.how, "why": s.why, "file": s.file, "ended": s.ended} for s in self.stands]
        return {
            "schema": "collect/v1",
            "exit": self.exit_code,
            "plan_hash": self.plan_hash,
            "folder": str(self.folder),
            "counts": self.counts,
            "questions": self.questions,
            "nodes": rows,
            "strangers": list(self.strangers),
        }


def wanted(plan: Plan, pattern: str) -> list[str]:
    """Names of the nodes that a host set means, in the plan's order; every compute node for "".

    Raises `ProblemError` CLI-090 for a set that cannot be read, or that names what is no compute node of the plan.
    """
    names = node_names(plan)
    if not pattern:
        return names
    try:
        asked = Hosts.parse(pattern)
    except HostNameError as error:
        raise ProblemError(Problem("CLI-090", f"--nodes {pattern!r}: {error}", fix="for example gpu[000-047]")) from None
    known = set(names)
    unknown = [n for n in asked if n not in known]
    if unknown:
        shown = ", ".join(unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
        what = f"--nodes names no compute nodes of the plan: {shown}"
        raise ProblemError(Problem("CLI-090", what, fix=f"the plan has {Hosts.fold(names)}"))
    chosen = set(asked)
    return [n for n in names if n in chosen]


def collect(project: Path, plan: Plan, wish: Wish, tell: Callable[[Stand, int], None] = lambda stand, total: None) -> Collected:
    """Ask the wanted nodes and land their archives. ``tell`` hears of each node as it ends, and of how many are asked.

    Nodes with a whole archive of this plan in the folder are not asked again, unless the wish says so.
    Raises `ProblemError` CLI-090 (nodes), CLI-091 and CLI-092 (engine), CLI-093 (engine unknown), ART-001 (names).
    """
    if wish.engine not in ENGINES:
        known = f"engines: {', '.join(ENGINES)}"
        raise ProblemError(Problem("CLI-093", f"there is no engine {wish.engine!r} to collect with", fix=known))
    names = wanted(plan, wish.nodes)
    short = plan.plan_hash[:_SHORT]
    folder = wish.folder or _round(project / CAPTURES, short)
    folder.mkdir(parents=True, exist_ok=True)
    stands = {name: here for name in names if not wish.again and (here := _here(folder, name, short)) is not None}
    to_ask = [n for n in names if n not in stands]

    def listen(heard: Heard) -> None:
        stand = _landed(folder, heard, short)
        stands[heard.name] = stand
        tell(stand, len(to_ask))

    if to_ask:
        ENGINES[wish.engine](to_ask, capture_script(plan, listed=False), wish.way, listen)
    return Collected(folder, plan.plan_hash, tuple(stands[n] for n in names))


def _round(captures: Path, short: str) -> Path:
    """The newest folder of archives when it is of this plan (or empty), else the next one."""
    rounds = sorted(
        (int(m[1]), p) for p in (captures.iterdir() if captures.is_dir() else ()) if (m := _ROUND.match(p.name)) and p.is_dir()
    )
    if not rounds:
        return captures / "nodes-1"
    number, newest = rounds[-1]
    held = _archives(newest)
    mine = any(look(p).plan == short for p in held[:1])
    return newest if mine or not held else captures / f"nodes-{number + 1}"


def _archives(folder: Path) -> list[Path]:
    """Archives in a folder, by name: tar files, and folders that are no hidden ones."""
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and (ending(p.name) or p.is_dir()))


def _here(folder: Path, name: str, short: str) -> Stand | None:
    """How a node stands that has a whole archive of this plan already; None for one that must be asked."""
    for path in (folder / f"{name}{end}" for end in (".tar.gz", ".tar", "")):
        if path.exists():
            seen = look(path)
            if not seen.fault and seen.plan == short and seen.name == name:
                return Stand(name, HERE, file=path.name, ended=seen.counts)
    return None


def _landed(folder: Path, heard: Heard, short: str) -> Stand:
    """What a node gave, put into the folder when it is a whole archive of that node and plan."""
    if heard.how in (UNREACHABLE, HUNG):
        return Stand(heard.name, heard.how, heard.why)
    try:
        file, data = from_text(heard.text)
    except NoArchiveError as error:
        return Stand(heard.name, FAILED, heard.why or str(error))
    seen = look_at(file, data)
    fault = seen.fault or _other(seen, heard.name, short)
    if fault:
        return Stand(heard.name, NOT_WHOLE, fault)
    return Stand(heard.name, ANSWERED, file=put(folder, heard.name, ending(file), data).name, ended=seen.counts)


def _other(seen: Landed, name: str, short: str) -> str:
    if seen.name != name:
        return f"its archive says that it is of {seen.name}"
    return f"its archive is of the plan {seen.plan}" if seen.plan != short else ""


def survey(plan: Plan, folder: Path, pattern: str = "") -> Collected:
    """How every wanted node stands by the archives in ``folder``; nothing is asked and nothing changed.

    Raises `ProblemError` CLI-040 where there is no such folder, CLI-090 for the nodes.
    """
    if not folder.is_dir():
        raise ProblemError(Problem("CLI-040", "there is no such folder", Place(str(folder)), fix="name the folder of archives"))
    names = wanted(plan, pattern)
    short = plan.plan_hash[:_SHORT]
    seen: dict[str, Landed] = {}
    strangers: list[str] = []
    known = set(node_names(plan))
    for path in _archives(folder):
        told = look(path)
        name = told.name or path.name.removesuffix(ending(path.name))
        if name not in known:
            strangers.append(path.name)
        elif name not in seen or seen[name].fault:
            seen[name] = told
    return Collected(folder, plan.plan_hash, tuple(_stand(n, seen.get(n), short) for n in names), tuple(strangers))


def _stand(name: str, seen: Landed | None, short: str) -> Stand:
    if seen is None:
        return Stand(name, ABSENT, "no archive of it is there")
    if seen.fault:
        return Stand(name, NOT_WHOLE, seen.fault, seen.file)
    how = HERE if seen.plan == short else OTHER_PLAN
    return Stand(name, how, "" if how == HERE else f"asked for the plan {seen.plan}", seen.file, seen.counts)


def why_not(stands: Sequence[Stand]) -> list[tuple[str, str, str]]:
    """(how, why, folded names) of the nodes that are not measured, equal reasons together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for stand in stands:
        if not stand.measured:
            groups.setdefault((stand.how, stand.why), []).append(stand.name)
    return [(how, why, str(Hosts.fold(names))) for (how, why), names in groups.items()]
