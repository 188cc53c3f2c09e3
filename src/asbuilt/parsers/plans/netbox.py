"""NetBox exports as a partial plan: links through panels end to end, racks, nodes and switches with their places.

Exports of a plan of ours carry its natural keys in custom fields: read back they give the same links. Exports of anybody
else's NetBox are read as every cable list is (`rows`): by roles, else by names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.facts import LineAccount
from asbuilt.model.plan import Plan
from asbuilt.parsers.plans import netbox_tables as nb
from asbuilt.parsers.plans.netbox_links import exact_links
from asbuilt.parsers.plans.netbox_places import places
from asbuilt.parsers.plans.netbox_tables import Found, sniff, take
from asbuilt.parsers.plans.netbox_trace import trace
from asbuilt.parsers.plans.rows import Rows, plan_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FORMAT", "cables", "read", "sniff"]
FORMAT = "netbox"
_UNREAD_KEPT = 1000
_METRES = {"": 1.0, "m": 1.0, "cm": 0.01, "km": 1000.0, "ft": 0.3048, "in": 0.0254, "mi": 1609.344}


def read(files: Mapping[str, bytes]) -> Plan:
    """The partial plan of NetBox's lists, all of which belong together: name -> bytes.

    Tables ``links``, and where devices or racks are listed ``racks``, ``nodes``, ``switches``, null where it says nothing.

    Raises `ProblemError` PAR-001 for a file that is no NetBox export, PAR-004 for too many bytes, PAR-005 when no row names a
    link.
    """
    found = Found()
    problems: list[Problem] = []
    for file, data in files.items():
        try:
            take(found, data, file)
        except ProblemError as error:
            problems += error.problems.items
    if problems:
        raise ProblemError(problems)
    name = next(iter(found.files[nb.CABLE] or files), "netbox")
    held = found.frame(nb.CABLE).with_row_index("row")
    paths, used, dead = trace(held, found.frame(nb.FRONT), found.frame(nb.REAR))
    lost = [(held["file"][row], int(held["line"][row]), f"no link: {why}") for row, why in dead]
    if paths.is_empty():
        _nothing(name, [*found.unread, *lost])
    devices, interfaces = found.frame(nb.DEVICE), found.frame(nb.INTERFACE)
    if _ours(devices):
        links, refused = exact_links(paths, held, devices, interfaces)
        unread = [*found.unread, *lost, *((held["file"][r], int(held["line"][r]), w) for r, w in refused)]
        plan = Plan(name, {"links": links})
    else:
        plan = plan_of(_rows(paths, held, devices, interfaces), name, "rows")
        unread = [*found.unread, *lost, *((name, int(u["line"]), str(u["why"])) for u in plan.unread)]
    return _told(
        plan, " + ".join(files), found, used, unread, {**plan.tables, **places(devices, found.frame(nb.RACK), plan.links)}
    )


def _ours(devices: pl.DataFrame) -> bool:
    """True when a device has the key of a switch of ours: custom fields came through."""
    return bool(devices["key"].str.starts_with("sw:").any())


def _rows(paths: pl.DataFrame, held: pl.DataFrame, devices: pl.DataFrame, interfaces: pl.DataFrame) -> Rows:
    """Paths as rows of a cable list; roles by the devices, else by the list of connections itself."""
    import polars as pl

    about = devices.unique("name", keep="first").select("name", "role", "rack")
    kept = held.select("row", "line", "a_role", "b_role", "a_rack", "b_rack", "rate_gbps", "plane", "a_device")
    frame = paths.join(kept.rename({"a_device": "near"}), on="row", how="left", maintain_order="left")
    turned = pl.col("near") != pl.col("a_device")  # a path may begin at side b of its first cable
    for side, other in ("ab", "ba"):
        for what in ("role", "rack"):
            said = pl.when(turned).then(f"{other}_{what}").otherwise(f"{side}_{what}")
            frame = frame.with_columns(said.alias(f"_{side}_{what}"))
    for side in "ab":
        there = about.rename({"name": f"{side}_device", "role": "role_there", "rack": "rack_there"})
        frame = frame.join(there, on=f"{side}_device", how="left", maintain_order="left")
        frame = frame.with_columns(
            pl.coalesce("role_there", f"_{side}_role").alias(f"{side}_kind"),
            pl.coalesce("rack_there", f"_{side}_rack").alias(f"{side}_in"),
        ).drop("role_there", "rack_there")
    rows = Rows()
    for line, *cells in frame.select(
        "line", "a_device", "a_name", "b_device", "b_name", "a_kind", "b_kind", "a_in", "b_in", "rate_gbps", "plane"
    ).rows():
        names = ("a_device", "a_port", "b_device", "b_port", "a_kind", "b_kind", "a_rack", "b_rack", "rate", "plane")
        rows.add(line, **dict(zip(names, cells, strict=True)))
    rows.total = len(rows.lines)
    return rows


def _told(
    plan: Plan, source: str, found: Found, used: list[int], unread: list[tuple[str, int, str]], tables: dict[str, pl.DataFrame]
) -> Plan:
    """The plan with the account of all rows: told something, carry nothing for a plan, unread."""
    unread = sorted(unread)
    listed = sum(len(found.lines[k]) for k in nb.COLUMNS)
    spare = len(found.lines[nb.CABLE]) - len(used)
    said = len({(f, n) for f, n, _ in unread} - {(f, n) for f, n, _ in found.unread})
    idle = max(0, spare - said)
    account = LineAccount(
        total=found.total,
        facts=found.total - found.ignorable - idle - len(found.unread) - said,
        ignorable=found.ignorable + idle,
        unread=len(found.unread) + said,
        unread_lines=tuple((n, f"{f}: {w}") for f, n, w in unread[:_UNREAD_KEPT]),
    )
    first = f"{plan.name}: {found.total} rows: {listed} records, {plan.links.height} links, {account.unread} unread"
    notes = [w for w in plan.warnings if not w.startswith(f"{plan.name}: {len(plan.links)} rows")]
    told = tuple({"line": n, "why": f"{f}: {w}"} for f, n, w in unread[:_UNREAD_KEPT])
    return Plan(plan.name, tables, source=source, warnings=(first, *notes), unread=told, account=account)


def _nothing(name: str, unread: list[tuple[str, int, str]]) -> None:
    file, line, why = min(unread, default=(name, 1, "the lists hold no cable between two interfaces"))
    raise ProblemError(
        Problem(
            "PAR-005", f"no row names a link: {why}", Place(file, line), fix="give NetBox's cables or interface connections"
        )
    )


def cables(files: Mapping[str, bytes]) -> pl.DataFrame:
    """Every cable, of power and trunks too: ``key`` (``asbuilt_id``), ends, ``type label color length_m description`` ...

    Lengths in metres, null where NetBox has none or one that is no number. Raises `ProblemError` as `read`.
    """
    import polars as pl

    found = Found()
    for file, data in files.items():
        take(found, data, file)
    frame = found.frame(nb.CABLE)
    number = pl.col("length").str.extract(r"^\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)").cast(pl.Float64, strict=False)
    unit = (
        pl.when(pl.col("length_unit") != "")
        .then("length_unit")
        .otherwise(pl.col("length").str.extract(r"([a-zA-Z]+)\s*$").fill_null(""))
    )
    factor = unit.str.to_lowercase().replace_strict(_METRES, default=None, return_dtype=pl.Float64)
    return frame.with_columns((number * factor).alias("length_m")).drop("length", "length_unit").sort("key", "file", "line")
