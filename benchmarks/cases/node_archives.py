"""Archives of a fleet of nodes, of which no two texts are equal: read into facts, or verified whole against the plan.

``facts`` is held against a plain line-by-line reader of the same archives (the same files taken out by `tarfile`, a regular
expression or two a line, a dictionary a row, for every kind of answer that has rows), which accounts for no line, joins
nothing and makes no table. ``linear`` verifies a quarter, a half and all of the nodes with one process and tells the CPU of
each per node; ``verify`` does all of them as the command does, and tells memory and CPU of its processes too.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import peak_mib, report

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan

SYSTEM = "dgx-h100"
COLON = re.compile(r"^\s*([^:]{1,80}?)\s*:\s*(.*)$")
PATH = re.compile(r"^(/[^:]+):(.*)$")
SLOT = re.compile(r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ([^:]+): (.*)$")
IRQ = re.compile(r"^\s*(\d+):((?:\s+\d+)+)\s+(.*)$")
LINK = re.compile(r"^\s*Link (\d+): (.*)$")
GPU = re.compile(r"^GPU (\d+): (.*) \(UUID: (.*)\)$")
CELLS = re.compile(r"\s{2,}|\t|, ")


def plan_of(nodes: int) -> Plan:
    """The plan of that many nodes."""
    from asbuilt.model.requirement import Requirement
    from asbuilt.workflow.plan import make_plan

    return make_plan(Requirement(name="fleet", system=SYSTEM, gpus=8 * nodes))


def write(nodes: int, folder: Path) -> None:
    """An archive of every node, in another process: its memory is not counted here."""
    subprocess.run([sys.executable, __file__, "make", str(nodes), str(folder)], check=True)


def make(nodes: int, folder: Path) -> None:
    from asbuilt.rehearse.built import as_planned
    from asbuilt.rehearse.node_twin import write_fleet

    plan = plan_of(nodes)
    write_fleet(plan, as_planned(plan), folder, varied=True)


def files(archive: Path) -> dict[str, str]:
    """The answers in an archive, by name."""
    with tarfile.open(archive) as tar:
        return {m.name.rpartition("/")[2]: tar.extractfile(m).read().decode() for m in tar}  # type: ignore[union-attr]


def labels(text: str) -> list[dict[str, Any]]:
    """``label: value`` below headings: a dictionary a heading (``dmidecode``, ``nvidia-smi -q``, ``flint``, ``ibstat``)."""
    rows: list[dict[str, Any]] = []
    row: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line.startswith((" ", "\t")) or "CA '" in line or "Port " in line:
            row = {"head": line}
            rows.append(row)
        elif found := COLON.match(line):
            row.setdefault(found[1], found[2])
    return rows


def functions(text: str) -> list[dict[str, Any]]:
    """``lspci -vvv``: a dictionary a function."""
    rows: list[dict[str, Any]] = []
    row: dict[str, Any] = {}
    for line in text.split("\n"):
        if found := SLOT.match(line):
            row = {"address": found[1], "class": found[2], "name": found[3]}
            rows.append(row)
        elif said := COLON.match(line):
            row.setdefault(said[1], said[2])
    return rows


def paths(text: str) -> list[dict[str, Any]]:
    """``path:value``: a dictionary a line."""
    return [{"path": found[1], "value": found[2]} for line in text.split("\n") if (found := PATH.match(line))]


def interrupts(text: str) -> list[dict[str, Any]]:
    """A dictionary an interrupt, with its counts added up."""
    rows = []
    for line in text.split("\n"):
        if found := IRQ.match(line):
            rows.append({"irq": int(found[1]), "count": sum(map(int, found[2].split())), "name": found[3]})
    return rows


def links(text: str) -> list[dict[str, Any]]:
    """Lines of NVLinks below their GPU."""
    rows, gpu = [], ""
    for line in text.split("\n"):
        if found := GPU.match(line):
            gpu = found[3]
        elif said := LINK.match(line):
            rows.append({"gpu": gpu, "link": int(said[1]), "said": said[2]})
    return rows


def cells(text: str) -> list[dict[str, Any]]:
    """Columns: a dictionary a line."""
    return [{f"{i}": cell for i, cell in enumerate(CELLS.split(line.strip()))} for line in text.split("\n") if line.strip()]


PLAIN: dict[str, Callable[[str], list[dict[str, Any]]]] = {
    "lspci-vv.txt": functions,
    "interrupts.txt": interrupts,
    "nvlink-errors.txt": links,
    "nvlink-status.txt": links,
    **dict.fromkeys(("nvidia-smi-q.txt", "dmidecode.txt", "flint.txt", "ibstat.txt", "mlxconfig.txt", "lscpu.txt"), labels),
    **dict.fromkeys(
        ("pci-links.txt", "pci-paths.txt", "infiniband.txt", "infiniband-paths.txt", "irq-affinity.txt", "system.txt",
         "identity.txt", "modules.txt"), paths,
    ),
}  # fmt: skip


def plain(folder: Path) -> int:
    """Rows of all archives, read line by line."""
    return sum(len(PLAIN.get(name, cells)(text)) for a in sorted(folder.iterdir()) for name, text in files(a).items())


def facts(folder: Path) -> Any:
    from asbuilt.workflow.captures import facts_of, read_captures

    return facts_of(read_captures([folder]))


def verified(plan: Plan, places: list[Path]) -> Any:
    """The answer about these archives, of a plan that is as large as they are."""
    from asbuilt.model.verdict import Layer
    from asbuilt.workflow.verify import verify

    found = verify(plan, places, layers=(Layer.NODE,))
    assert found.nodes is not None and found.nodes.ok == len(places) == found.nodes.planned, "healthy nodes are found healthy"
    return found


def cpu(who: int = resource.RUSAGE_SELF) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def tell(seconds: float, note: str) -> None:
    """The line that `run.py` reads, of something that is measured once; the peak is that of this process."""
    print(json.dumps({"seconds": seconds, "peak_mib": round(peak_mib(), 1), "note": note}))


def linear(nodes: int, folder: Path) -> None:
    """CPU per node at a quarter, a half and all: what grows faster than the fleet shows here."""
    from unittest.mock import patch

    archives = sorted(folder.iterdir())
    each: list[float] = []
    with patch("asbuilt.workflow.verify.workers", lambda _: 0):  # in this process, where its CPU is seen
        verified(plan_of(8), archives[:8])  # imports
        for count in (nodes // 4, nodes // 2, nodes):
            plan = plan_of(count)
            start = cpu()
            verified(plan, archives[:count])
            each.append(1000 * (cpu() - start) / count)
    told = " / ".join(f"{ms:.1f}" for ms in each)
    tell(each[-1] * nodes / 1000, f"CPU ms a node at a quarter, a half, all: {told}; all to a quarter {each[-1] / each[0]:.2f}")


def whole(nodes: int, folder: Path) -> None:
    plan = plan_of(nodes)
    before, others = cpu(), cpu(resource.RUSAGE_CHILDREN)  # who made the archives is one of them
    start = time.perf_counter()
    verified(plan, sorted(folder.iterdir()))
    wall, own, theirs = time.perf_counter() - start, cpu() - before, cpu(resource.RUSAGE_CHILDREN) - others
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    each = f"{1000 * own / nodes:.1f} + {1000 * theirs / nodes:.1f}"
    tell(wall, f"{wall:.0f} s, CPU {each} ms a node, processes of {child:.0f} MiB at most")


def main() -> None:
    side, nodes = sys.argv[1], int(sys.argv[2])
    if side == "make":
        make(nodes, Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(nodes, folder)
        if side == "plain":
            report(lambda: plain(folder), repeat=2, warm=False)
        elif side == "facts":
            read = facts(folder)
            assert all(a.balanced and not a.unread for a in read.accounts.values()), "no line is lost"
            rows = sum(read.tables[t].height for t in read.tables)
            size = sum(a.stat().st_size for a in folder.iterdir()) / 1e6
            lines = sum(a.total for a in read.accounts.values())
            report(lambda: facts(folder), repeat=2, warm=False, note=f"{size:.1f} MB packed, {lines:,} lines, {rows:,} rows")
        else:
            {"linear": linear, "verify": whole}[side](nodes, folder)


if __name__ == "__main__":
    main()
