"""One subnet under rehearsal: simulated hardware, subnet managers with the generated files, and a desk for questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import TracebackType
from typing import Callable, Mapping

from asbuilt.artefacts.opensm import CONFIG, opensm_files
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan
from asbuilt.rehearse import programs
from asbuilt.rehearse.built import Built
from asbuilt.rehearse.hardware import Hardware, hardware, node_id, rewiring
from asbuilt.rehearse.managers import UP, Manager
from asbuilt.rehearse.queries import Desk
from asbuilt.rehearse.rig import Rig
from asbuilt.rehearse.simulator import Simulator, substituted

#: What the rehearsal sets against the plan, and why: nothing of it changes what the subnet is told.
OVERRIDES = {
    "force_log_flush": "TRUE",  # else "SUBNET UP" stays in a buffer
    "accum_log_file": "FALSE",
    "log_flags": "0x43",  # errors, info, and the routing dumps
}
LEASES = "guid2lid"
#: A path across partitions is refused: the isolation questions of the read-back want just that.
REFUSED = "do not share specified PKey"
STANDBY = b"Entering STANDBY state"
MASTER = b"Entering MASTER state"
#: A bring-up of 8,192 ports with QoS takes nine minutes on two busy cores; three times that is a hang.
UP_S = 1_800.0
SETTLE_S = 3.0


#: Hears of every step while a rehearsal goes on.
Tell = Callable[[str], None]


@dataclass(slots=True)
class Times:
    """Seconds that the steps took, by name, in order; ``tell`` hears of each."""

    tell: Tell
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, step: str, seconds: float) -> None:
        """Note a step; a repeated one adds up."""
        self.seconds[step] = self.seconds.get(step, 0.0) + seconds
        self.tell(f"{step}: {seconds:.1f} s")


def quiet(text: str) -> None:
    """Tell nobody."""


class Session:
    """A context: on entry the hardware is loaded and every manager has its files; on exit nothing is left.

    ``plan`` must have the tables of a subnet; ``larger`` (a superset) may be loaded instead of ``built``, for what is to be
    plugged in later. Raises `ProblemError` CLI-024 for missing programs, CLI-025 and CLI-028 when one does not come up.
    """

    def __init__(self, plan: Plan, subnet: str, built: Built, larger: Hardware | None = None, tell: Tell = quiet) -> None:
        self.plan = plan
        self.subnet = subnet
        self.found = programs.find(programs.PACKAGES)
        self.library = self.found[programs.LIBRARY]
        self.rig = Rig()
        self.times = Times(lambda text: tell(f"{subnet}: {text}"))
        self.loaded = larger or hardware(plan, built, subnet)
        self.now = self.loaded
        self.managers: list[Manager] = []
        self.logs: dict[str, bytes] = {}
        self.substitutions: dict[str, int] = {}
        self.simulator: Simulator

    def __enter__(self) -> Session:
        self.rig.__enter__()
        try:
            dump, self.substitutions = substituted(self.loaded.dump, alike=True)
            self.simulator = Simulator(self.rig, self.found["ibsim"], dump)
            self.times.add("load the hardware", self.simulator.load_s)
            self.place(self.plan)
        except BaseException:
            self.rig.__exit__(None, None, None)
            raise
        self.desk = Desk(self.rig, self.found, self.library, self.managers[0].host)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.rig.__exit__(kind, value, trace)

    def place(self, plan: Plan) -> None:
        """Write the generated files of every planned manager into the rig; the first time the managers are made."""
        rows = plan.table("subnet_managers")
        rows = rows.filter(rows["subnet"] == self.subnet).sort("number")
        if not rows.height:
            raise ProblemError(Problem("CLI-027", f"subnet {self.subnet} has no planned subnet manager"))
        for number, port in rows.select("number", "port").rows():
            if number >= len(self.managers):
                folder = self.rig.folder / f"sm-{number}"
                host = node_id(plan, self.subnet, port)
                self.managers.append(Manager(number, host, folder, self.found["opensm"], self.library))
            write(self.managers[number], manager_files(plan, self.subnet, self.managers[number]))
        self.plan = plan

    def bring_up(self) -> None:
        """Start the master, wait for the subnet, then start every standby and wait until it stands by."""
        first, *others = self.managers
        first.start(self.rig)
        took = first.wait_for(UP, 1, UP_S)
        self.times.add("subnet up", took)
        for manager in others:
            before = first.count(UP)
            manager.start(self.rig)
            self.times.add("standby", manager.wait_for(STANDBY, 1, UP_S))
            # The master sweeps once more when it hears of a standby; while it does, it answers nobody.
            self.times.add("sweep for the standby", first.comes(UP, before + 1, SETTLE_S + 2 * took) or 0.0)

    def restart(self, plan: Plan) -> None:
        """Give every manager the files of ``plan`` and start it anew, the standbys first, as one would without an outage."""
        for manager in (*self.managers[1:], self.managers[0]):
            manager.end(self.rig)
            write(manager, manager_files(plan, self.subnet, manager))
            manager.start(self.rig)
            mark = UP if manager is self.managers[0] else STANDBY
            self.times.add("restart with new files", manager.wait_for(mark, 1, UP_S))
        self.plan = plan

    def rewire(self, after: Hardware) -> int:
        """Turn the simulated cabling into that of ``after``; the number of console lines that it took."""
        lines = rewiring(self.now, after, self.loaded)
        self.simulator.commands(lines)
        self.now = after
        return len(lines)

    def sweep(self) -> None:
        """Let the master look at the whole subnet now."""
        master = next(m for m in self.managers if m.child is not None)
        self.times.add("sweep", master.sweep(UP_S))

    def bad_lines(self, *, errors: bool = True) -> tuple[str, ...]:
        """Every bad line of every manager, with its number; see `Manager.bad_lines`. Refusals that were asked for are none."""
        lines = ((m.number, line) for m in self.managers for line in m.bad_lines(errors=errors))
        return tuple(f"opensm {number}: {line}" for number, line in lines if REFUSED not in line)

    def memory_mb(self) -> dict[str, float]:
        """Most memory that each running program held so far, in MiB, where the system tells."""
        children = {"ibsim": self.simulator.child, **{f"opensm {m.number}": m.child for m in self.managers}}
        return {name: peak_mib(child.process.pid) for name, child in children.items() if child is not None}


def manager_files(plan: Plan, subnet: str, manager: Manager) -> dict[str, bytes]:
    """The generated files of one manager, with its folder of the rig in their paths."""
    return opensm_files(
        plan,
        subnet,
        str(manager.folder),
        manager.number,
        log_file=str(manager.log_file),
        dump_folder=str(manager.dumps),
        overrides=OVERRIDES,
    )


def write(manager: Manager, files: Mapping[str, bytes]) -> None:
    """Files into the folder of a manager; guid2lid into its cache, where opensm looks for it."""
    manager.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, data in files.items():
        (manager.cache if name == LEASES else manager.folder).joinpath(name).write_bytes(data)


def shared_differences(managers: list[Manager]) -> tuple[str, ...]:
    """Files in which managers differ though they must not: all but opensm.conf, compared to the byte (guid2lid as leases)."""
    found = []
    first, *others = managers
    for other in others:
        for path in sorted(first.folder.iterdir()):
            if path.is_file() and path.name not in (CONFIG, first.log_file.name):
                twin = other.folder / path.name
                if not twin.is_file() or twin.read_bytes() != path.read_bytes():
                    found.append(f"{path.name} of manager {other.number} differs from that of manager {first.number}")
        if first.leases() != other.leases():
            found.append(f"guid2lid of manager {other.number} differs from that of manager {first.number}")
    return tuple(found)


def peak_mib(pid: int) -> float:
    """The most memory that a process held (VmHWM), in MiB; 0.0 where the system does not tell."""
    from pathlib import Path

    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    line = next((row for row in text.splitlines() if row.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024
