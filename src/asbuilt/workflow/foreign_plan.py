"""Use case: somebody else's plan and somebody's capture, as files, for `asbuilt compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Sequence

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.facts import LineAccount
from asbuilt.model.plan import Plan
from asbuilt.parsers import ibnetdiscover, ibnetdiscover_ports
from asbuilt.parsers.plans import guid_list, ibsim, ndt, netbox, point_to_point, topo
from asbuilt.parsers.plans.columns import parse_columns
from asbuilt.parsers.sniff import told

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.facts import Facts

FORMATS = (ndt.FORMAT, topo.FORMAT, point_to_point.FORMAT, ibsim.FORMAT, netbox.FORMAT)
_LIBRARY = ".ibnl"
_TABLES = (".csv", ".tsv", ".xlsx", ".json")


def read_plans(files: Sequence[str], form: str = "", columns: str = "") -> Plan:
    """One partial plan of all ``files``: links of every file, ``.ibnl`` libraries beside ``.topo`` files used for them.

    Lists of NetBox are read together, since cables, devices and ports are files of their own.

    Raises `ProblemError`: CLI-040 a file is not there, PAR-001 to PAR-005 of the readers, PAR-006 two files give one port
    two links.
    """
    wanted = parse_columns(columns)
    plans = []
    problems: list[Problem] = []
    libraries = {f: _bytes(f) for f in files if f.lower().endswith(_LIBRARY)}
    lists: dict[str, bytes] = {}
    for file in files:
        if file in libraries:
            continue
        try:
            data = _bytes(file)
            if form == netbox.FORMAT or (not form and netbox.sniff(data)):
                lists[file] = data
            else:
                plans.append(_read(file, data, form, wanted, libraries))
        except ProblemError as error:
            problems += error.problems.items
    if lists:
        try:
            plans.append(netbox.read(_short(lists)))
        except ProblemError as error:
            problems += error.problems.items
    if not plans and not problems:
        problems.append(Problem("CLI-040", "no plan was given", fix="name a cable list: --plan cables.csv"))
    if problems:
        raise ProblemError(problems)
    return plans[0] if len(plans) == 1 else _together(plans)


def _short(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files by their own names; where two are called alike, by what was given."""
    names = [Path(f).name for f in files]
    return {name if names.count(name) == 1 else f: data for name, (f, data) in zip(names, files.items(), strict=True)}


def _bytes(file: str) -> bytes:
    path = Path(file)
    if path.exists() and not (path.is_file() or path.is_fifo() or path.is_dir()):
        raise ProblemError(Problem("CLI-040", f"{file} is no file", fix="name a file"))
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProblemError(Problem("CLI-040", f"cannot read {file}: {error.strerror or error}")) from None


def _read(file: str, data: bytes, form: str, wanted: dict[str, str], libraries: dict[str, bytes]) -> Plan:
    name = Path(file).name
    chosen = form or _form(file, data)
    if chosen == ndt.FORMAT:
        return ndt.read(data, name)
    if chosen == ibsim.FORMAT:
        return ibsim.read(data, name)
    if chosen == topo.FORMAT:
        beside = {str(p): p.read_bytes() for p in sorted(Path(file).resolve().parent.glob(f"*{_LIBRARY}"))}
        return topo.read(data, name, {**beside, **libraries})
    return point_to_point.read(data, name, wanted)


def _form(file: str, data: bytes) -> str:
    """The format of a plan by its own text; a table by its suffix. Raises `ProblemError` PAR-001 when nothing tells."""
    if ndt.sniff(data):
        return ndt.FORMAT
    if Path(file).suffix.lower() in _TABLES or data[:4] == b"PK\x03\x04":
        return point_to_point.FORMAT
    answers = [m.FORMAT for m in (topo, ibsim) if m.sniff(data)]
    if len(answers) == 1:
        return str(answers[0])
    if Path(file).suffix.lower() == ".ndt":
        return ndt.FORMAT
    binary = b"\0" in data[: 1 << 16]
    first = "" if binary else data[:400].split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    raise ProblemError(
        Problem(
            "PAR-001",
            f"this is no plan that we read: {told(data)}",
            Place(Path(file).name, 1, 1, first[:200], max(1, len(first[:200]))) if first else Place(Path(file).name),
            why="a plan that was misread would pass or fail for no reason",
            fix=f"name the format with --plan-format {' | '.join(FORMATS)}",
        )
    )


def _together(plans: Sequence[Plan]) -> Plan:
    """Links of several files as one plan; a port with two different links is a problem, an equal link counts once."""
    import polars as pl

    links = pl.concat([p.links.with_columns(pl.lit(p.name).alias("file")) for p in plans])
    links = links.unique(["link", "b_device", "b_port", "b_nic"], keep="first", maintain_order=True)
    twice = links.filter(pl.len().over("link") > 1).group_by("link", maintain_order=True).agg("file", "b_name", "b_label")
    if twice.height:
        raise ProblemError(
            [
                Problem("PAR-006", f"{link} goes to {' and to '.join(names)} ({', '.join(files)})", fix="mend one of the files")
                for link, files, names, _ in twice.head(20).rows()
            ]
        )
    accounts = [p.account for p in plans if p.account]
    total, facts, ignorable, unread_rows = (
        sum(getattr(a, n) for a in accounts) for n in ("total", "facts", "ignorable", "unread")
    )
    unread = tuple(x for a in accounts for x in a.unread_lines)
    return Plan(
        name=" + ".join(p.name for p in plans),
        tables={"links": links.drop("file").sort("link")},
        source=" + ".join(p.source for p in plans),
        warnings=tuple(w for p in plans for w in p.warnings),
        unread=tuple(u for p in plans for u in p.unread),
        account=LineAccount(total, facts, ignorable, unread_rows, unread),
    )


def read_discovery(files: Sequence[str]) -> Facts:
    """The facts of capture files, whatever supported tool wrote them.

    Raises `ProblemError`: CLI-040 a file is not there, CLI-043 (as `facts_of`) or PAR-008 for text of another tool, so that
    a wrong file is never an empty measurement.
    """
    from asbuilt.workflow.captures import facts_of, read_captures

    captures = read_captures(files)
    problems = []
    for capture in captures:
        if capture.tool or ibnetdiscover_ports.looks_like(ibnetdiscover.readable(capture.data[: 1 << 16])):
            continue
        said = told(capture.data)
        if capture.data.strip() and not any(t in said for t in ("ibnetdiscover", "lldpctl")):
            problems.append(
                Problem(
                    "PAR-008",
                    f"this is no capture of the fabric: {said}",
                    Place(capture.file or capture.id),
                    why="a file of another tool would read as a fabric without links",
                    fix="give the output of ibnetdiscover, or say what it is in capture.json",
                )
            )
    if problems:
        raise ProblemError(problems)
    return facts_of(captures)


def read_guids(file: str) -> pl.DataFrame:
    """A GUID list (see `parsers.plans.guid_list`). Raises `ProblemError` CLI-040, PAR-007."""
    return guid_list.read(_bytes(file), Path(file).name)
