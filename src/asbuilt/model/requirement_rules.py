"""Rules between the fields of a requirement that need no catalogue. Each has its own code, reason and repair.

A rule looks only at values that the file states and that were read without fault: a mistyped number is one problem, not two.
"""

from __future__ import annotations

from typing import Iterable

from asbuilt.base.decode import Decoded, Path, spelled
from asbuilt.base.problem import Place, Problem
from asbuilt.model.requirement import PLANE_NAMES, NicPort, Plane, Requirement
from asbuilt.model.requirement_ethernet import ethernet_rules
from asbuilt.model.requirement_names import name_rules
from asbuilt.model.requirement_power_rules import power_rules
from asbuilt.model.requirement_sharing import sharing_rules
from asbuilt.model.requirement_software import software_rules
from asbuilt.model.requirement_subnets import subnet_rules


class Stated:
    """The decoded requirement with the question "does the file state this, readably?"."""

    def __init__(self, decoded: Decoded[Requirement]) -> None:
        self.value = decoded.value
        self.source = decoded.source
        self.places = decoded.places

    def has(self, *path: str | int) -> bool:
        return path in self.places

    def planes(self) -> list[tuple[str, Plane]]:
        """The planes that the file states, by name, in the order of the words."""
        named = ((name, getattr(self.value.planes, name)) for name in PLANE_NAMES)
        return [(name, plane) for name, plane in named if plane is not None]

    def line(self, path: Path) -> str:
        """``(line 12)`` for a stated value, to point at the other side of a contradiction."""
        place = self.places.get(path)
        return f" (line {place.line})" if place else ""

    def problem(self, code: str, path: Path, what: str, why: str, fix: str) -> Problem:
        """A problem at ``path``; when that is a group or not stated, at the nearest value around it."""
        at: Place | None = None
        while at is None and path:
            at, path = self.places.get(path), path[:-1]
        return Problem(code, what, at or Place(self.source.file), why, fix)


def broken_rules(decoded: Decoded[Requirement]) -> list[Problem]:
    """A problem for each rule that the stated values break."""
    stated = Stated(decoded)
    found: list[Problem] = []
    for rule in (
        _phases,
        _growth,
        _gpu_map,
        _nics,
        _cords,
        _checkpoints,
        sharing_rules,
        subnet_rules,
        ethernet_rules,
        name_rules,
        power_rules,
        software_rules,
    ):
        found += rule(stated)
    return found


def _phases(stated: Stated) -> Iterable[Problem]:
    phases = stated.value.phases
    seen: dict[str, int] = {}
    for i, phase in enumerate(phases):
        if stated.has("phases", i, "name"):
            if phase.name in seen:
                why = f"scopes and reports name a phase; the first `{phase.name}` is phases[{seen[phase.name]}]"
                what = f"two build phases are called `{phase.name}`"
                yield stated.problem("REQ-042", ("phases", i, "name"), what, why, "give each phase its own name")
            seen.setdefault(phase.name, i)
        if i and stated.has("phases", i, "gpus") and stated.has("phases", i - 1, "gpus") and phase.gpus <= phases[i - 1].gpus:
            what = f"build phase {i + 1} ends with {phase.gpus} GPUs, the one before it with {phases[i - 1].gpus}"
            why = "the number is what stands when the phase is done, earlier phases included, so it must rise"
            total = phases[i - 1].gpus + phase.gpus
            fix = f"write {total} if this phase adds {phase.gpus} GPUs, or put the phases in order"
            yield stated.problem("REQ-040", ("phases", i, "gpus"), what, why, fix)
    last = len(phases) - 1
    if phases and stated.has("phases", last, "gpus") and stated.has("gpus") and phases[last].gpus != stated.value.gpus:
        what = f"the last build phase ends with {phases[last].gpus} GPUs, but {stated.value.gpus} are asked for"
        why = f"every GPU of `gpus`{stated.line(('gpus',))} must belong to a phase, and no phase can build more"
        fix = f"make the last phase end with {stated.value.gpus}, or change `gpus`; a later order belongs in `growth.gpus`"
        yield stated.problem("REQ-041", ("phases", last, "gpus"), what, why, fix)


def _growth(stated: Stated) -> Iterable[Problem]:
    target = stated.value.growth.gpus
    if stated.has("growth", "gpus") and stated.has("gpus") and target is not None and target < stated.value.gpus:
        what = f"the growth target of {target} GPUs is below the {stated.value.gpus} that are asked for"
        why = "the target counts all GPUs of the site, those of this order included"
        fix = f"write the final number (at least {stated.value.gpus}), or delete the line"
        yield stated.problem("REQ-043", ("growth", "gpus"), what, why, fix)


def _gpu_map(stated: Stated) -> Iterable[Problem]:
    node, compute = stated.value.node, stated.value.planes.compute
    sockets, rails = node.gpu_sockets, node.gpu_rails
    if rails and compute and compute.rails is not None and stated.has("planes", "compute", "rails"):
        for i, rail in enumerate(rails):
            if stated.has("node", "gpu_rails", i) and rail >= compute.rails:
                at = stated.line(("planes", "compute", "rails"))
                what = f"GPU {i} is put on rail {rail}, but the compute plane has {_rails(compute.rails)}"
                why = f"rails are counted from 0; planes.compute.rails is {compute.rails}{at}"
                fix = f"{_usable(compute.rails)}, or raise planes.compute.rails"
                yield stated.problem("REQ-044", ("node", "gpu_rails", i), what, why, fix)
    if (
        sockets
        and rails
        and stated.has("node", "gpu_sockets")
        and stated.has("node", "gpu_rails")
        and len(sockets) != len(rails)
    ):
        what = f"node.gpu_rails names {len(rails)} GPUs, node.gpu_sockets{stated.line(('node', 'gpu_sockets'))} {len(sockets)}"
        why = "both lists have one entry per GPU of a node, in the same order"
        yield stated.problem("REQ-045", ("node", "gpu_rails"), what, why, "give both lists the same length")


def _rails(count: int) -> str:
    return "one rail, rail 0" if count == 1 else f"{count} rails, 0 to {count - 1}"


def _usable(count: int) -> str:
    return "use rail 0" if count == 1 else f"use rails 0 to {count - 1}"


def _nics(stated: Stated) -> Iterable[Problem]:
    nics = stated.value.node.nics or ()
    names: dict[str, int] = {}
    for i, nic in enumerate(nics):
        path: Path = ("node", "nics", i)
        if nic.name and stated.has(*path, "name"):
            if nic.name in names:
                what = f"two NIC ports of a node are called `{nic.name}`"
                why = f"node.nics[{names[nic.name]}] has the name too; cables and measurements are matched by it"
                yield stated.problem("REQ-048", (*path, "name"), what, why, "give each port its device name")
            names.setdefault(nic.name, i)
        if not stated.has(*path, "plane"):
            continue
        plane = getattr(stated.value.planes, nic.plane, None)
        if plane is None or plane.rails is None or not stated.has("planes", nic.plane, "rails"):
            continue
        if nic.rail >= plane.rails:
            at = stated.line(("planes", nic.plane, "rails"))
            what = f"the NIC port is put on rail {nic.rail}, but the {nic.plane} plane has {_rails(plane.rails)}"
            why = f"rails are counted from 0; planes.{nic.plane}.rails is {plane.rails}{at}"
            fix = f"{_usable(plane.rails)}, or raise planes.{nic.plane}.rails"
            yield stated.problem("REQ-046", (*path, "rail"), what, why, fix)
    if stated.has("node", "nics"):
        for name, plane in stated.planes():
            yield from _rail_ports(stated, name, plane, nics)


def _rail_ports(stated: Stated, name: str, plane: Plane, nics: tuple[NicPort, ...]) -> Iterable[Problem]:
    """Each rail of a plane that the NIC list mentions needs its port(s): one per subplane."""
    own = [(i, nic) for i, nic in enumerate(nics) if nic.plane == name]
    if not own or plane.rails is None or not stated.has("planes", name, "rails"):
        return
    present = {nic.rail for _, nic in own}
    lacking = [rail for rail in range(plane.rails) if rail not in present]
    if lacking:
        which = f"rail {lacking[0]}" if len(lacking) == 1 else "rails " + ", ".join(str(rail) for rail in lacking)
        what = f"no NIC port serves {which} of the {name} plane"
        at = stated.line(("planes", name, "rails"))
        why = f"planes.{name}.rails is {plane.rails}{at}; node.nics lists ports for the others only"
        fix = "add the missing port to node.nics, or lower the number of rails"
        yield stated.problem("REQ-047", ("node", "nics"), what, why, fix)
    if plane.subplanes is None and stated.value.fabric is not None:
        return  # the fabric profile decides how many ports a rail has
    most = plane.subplanes or 1
    count: dict[int, int] = {}
    for i, nic in own:
        count[nic.rail] = count.get(nic.rail, 0) + 1
        if count[nic.rail] == most + 1:
            what = f"rail {nic.rail} of the {name} plane has more than {most} NIC port{'s' if most > 1 else ''}"
            why = "a rail has one port per node in each subplane"
            fix = f"give the port another rail, or raise planes.{name}.subplanes"
            yield stated.problem("REQ-049", ("node", "nics", i, "rail"), what, why, fix)


def _cords(stated: Stated) -> Iterable[Problem]:
    site = stated.value.site
    if not stated.has("site", "feeds") or site.feeds is None or site.cords is None:
        return
    letters = "ABCD"[: site.feeds]
    for i, cord in enumerate(site.cords):
        if stated.has("site", "cords", i) and cord not in letters:
            what = f"power cord {i + 1} goes to feed {cord}, but there are only {site.feeds} feeds"
            at = stated.line(("site", "feeds"))
            why = f"the feeds of a rack are called {', '.join(letters)}; site.feeds is {site.feeds}{at}"
            yield stated.problem("REQ-068", ("site", "cords", i), what, why, f"use {' or '.join(letters)}, or raise site.feeds")


def _checkpoints(stated: Stated) -> Iterable[Problem]:
    work = stated.value.workload
    keys = (("workload", "checkpoint_interval_min"), ("workload", "checkpoint_write_max_s"))
    if work.checkpoint_interval_min is None or work.checkpoint_write_max_s is None:
        return
    seconds = work.checkpoint_interval_min * 60
    if all(stated.has(*key) for key in keys) and work.checkpoint_write_max_s > seconds:
        what = f"a checkpoint may take {work.checkpoint_write_max_s:g} s to write, but the next one comes after {seconds:g} s"
        why = f"{spelled(keys[0])} is {work.checkpoint_interval_min:g} min{stated.line(keys[0])}"
        yield stated.problem("REQ-069", keys[1], what, why, "lengthen the interval, or ask for faster writing")
