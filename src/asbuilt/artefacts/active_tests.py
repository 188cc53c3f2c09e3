"""The active tests: scripts, host lists, thresholds and expected numbers of the stages node, pair, rail, row and full.

The scripts are the same for every row; only the host lists differ. ``SHA256SUMS`` lists them with their settings and
thresholds, every script proves itself by it before it does anything, and its own SHA-256 is the hash of the procedure that
every result carries. How many files there are depends on rows, not on nodes: a tournament of pairs is one script.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from typing import TYPE_CHECKING

from asbuilt.artefacts.active_tests_shell import GUARD, HEAD, LIBRARY
from asbuilt.artefacts.active_tests_stages import ABOUT, COLLECTIVES, DOMAINS, GROUP, NODE, ONE_NODE, PAIR, RAIL
from asbuilt.artefacts.active_tests_thresholds import expected, thresholds
from asbuilt.artefacts.capture_script import node_names
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "tests"
WRITES = "the active tests: scripts for node, pair, rail, row and full, host lists, thresholds, expected numbers (tests/)"
LOST = ("images and modules that bring the benchmarks: the scripts take them from PATH",)
PROOF = "dash 0.5.12, bash 5.2 and jobs of Slurm 22.05.8 run lock, guard and stages with stand-in benchmarks; no GPU was there"
FOLDER, SUMS = "tests", "SHA256SUMS"
COMPUTE = "compute"
#: Names that may stand in a file name, a host list and a shell alike.
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
_SHORT = 12
_STAGES = ("node.sh", "pair.sh", "rail.sh", "row.sh", "full.sh")


def active_tests(plan: Plan) -> dict[str, bytes]:
    """All files by path; none for a plan without nodes. Equal plans give equal bytes.

    Raises `ProblemError` ART-001 for a node, rack row or device whose name a shell or a file could misread.
    """
    if not all(plan.has(t) for t in ("nodes", "nics", "gpus", "racks")) or not node_names(plan):
        return {}
    files = {**_scripts(plan), "settings.sh": _settings(plan), "thresholds.tsv": thresholds(plan)}
    files["expected.tsv"] = expected(plan, {row: len(names) for row, names in _rows(plan).items()})
    sums = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
    files |= {SUMS: sums, **_lists(plan)}
    return {f"{FOLDER}/{name}": text.encode() for name, text in sorted(files.items())}


def _scripts(plan: Plan) -> dict[str, str]:
    gpus = _per_node(plan)
    group = {"row.sh": ("row", DOMAINS), "full.sh": ("full", "")}
    bodies = {"guard.sh": GUARD, "one_node.sh": ONE_NODE, "node.sh": NODE, "pair.sh": PAIR, "rail.sh": RAIL}
    for name, (stage, domains) in group.items():
        bodies[name] = GROUP.replace("@DOMAINS@", domains).replace("@STAGE@", stage)
    files = {"lib.sh": LIBRARY}
    for name, body in bodies.items():
        stage = name.removesuffix(".sh")
        sbatch = (
            f"#SBATCH --job-name=asbuilt-{stage}\n#SBATCH --exclusive\n#SBATCH --ntasks-per-node={gpus}\n"
            if name in _STAGES
            else ""
        )
        head = HEAD.replace("@NAME@", name).replace("@ABOUT@", ABOUT[name]).replace("@SBATCH@", sbatch)
        files[name] = head + body.lstrip("\n")
    short = plan.plan_hash[:_SHORT]
    return {n: t.replace("@PLAN@", short).replace("@COLLECTIVES@", COLLECTIVES) for n, t in files.items()}


def _per_node(plan: Plan) -> int:
    """GPUs of the compute node that has most."""
    return max(plan.table("gpus").group_by("node").len()["len"].to_list(), default=0)


def _settings(plan: Plan) -> str:
    """What the scripts need of the plan, every value quoted."""
    ports = _ports(plan)
    devices = sorted({device for _, device, _ in ports}, key=_natural)
    kind = _kind(plan)
    words = {
        "plan": plan.plan_hash,
        "gpus": str(_per_node(plan)),
        "nvlink": kind,
        "rails": " ".join(f"{rail}:{device}:{gpu}" for rail, device, gpu in ports),
        "hca": "=" + ",".join(devices),
    }
    head = "# what the plan says of its nodes; rails are rail:device:GPU\n"
    return head + "".join(f"{name}={shlex.quote(value)}\n" for name, value in words.items())


def _kind(plan: Plan) -> str:
    """none, switch or domain: the NVLink of the plan's nodes."""
    kinds = set(plan.table("node_traits")["nvlink"].to_list()) if plan.has("node_traits") else set()
    return next((k for k in ("domain", "switch") if k in kinds), "none")


def _ports(plan: Plan) -> list[tuple[int, str, int]]:
    """(rail, device, GPU) of every compute port of a node; the GPU is the first of the rail. Raises `ProblemError` ART-001."""
    import polars as pl

    nics = plan.table("nics").filter(pl.col("plane") == COMPUTE).select("rail", "device").unique()
    gpus = plan.table("gpus").group_by("rail").agg(pl.col("slot").min())
    near = {r: s for r, s in gpus.select("rail", "slot").rows() if r is not None}
    rows = sorted(((int(r or 0), str(d)) for r, d in nics.rows()), key=lambda row: (row[0], _natural(row[1])))
    _safe([device for _, device in rows], "device")
    return [(rail, device, int(near.get(rail, 0))) for rail, device in rows]


def _natural(name: str) -> tuple[str, int, str]:
    found = re.match(r"^(.*?)(\d{1,9})$", name)
    return (found[1], int(found[2]), name) if found else (name, -1, name)


def _safe(names: list[str], what: str) -> None:
    bad = [n for n in dict.fromkeys(names) if not _NAME.match(n)]
    if bad:
        raise ProblemError(
            Problem(
                "ART-001",
                f"the name {n!r} of a {what} cannot stand in a script",
                why="a file and a shell would misread it",
                fix="letters, digits, dot, dash and underscore",
            )
            for n in bad[:5]
        )


def _nodes(plan: Plan) -> pl.DataFrame:
    """The compute nodes in the plan's order with ``row`` (of racks)."""
    import polars as pl

    racks = plan.table("racks").select("rack", "row")
    rows = plan.table("nodes").filter(pl.col("role") == "compute")
    return rows.join(racks, on="rack", how="left", maintain_order="left")


def _rows(plan: Plan) -> dict[str, list[str]]:
    """Names of the nodes by row of racks. Raises `ProblemError` ART-001 for a row whose name is no file name."""
    rows: dict[str, list[str]] = {}
    for name, row in _nodes(plan).select("name", "row").rows():
        rows.setdefault(str(row or "none"), []).append(name)
    _safe(list(rows), "row")
    return rows


def _lists(plan: Plan) -> dict[str, str]:
    """Host lists: all, one a row, and which NVLink domain a node is in."""
    lists = {"hosts/all.txt": node_names(plan)}
    lists |= {f"hosts/row-{row}.txt": names for row, names in _rows(plan).items()}
    files = {path: "".join(f"{n}\n" for n in names) for path, names in lists.items()}
    if _kind(plan) == "domain":
        pairs = _nodes(plan).select("name", "unit").rows()
        files["hosts/domains.tsv"] = "".join(f"{name}\t{unit:05d}\n" for name, unit in pairs if unit is not None)
    return files
