"""The part of the plan that is built: by phase, plane, row, rack or island. What lies outside is not yet built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

KEYS = ("phase", "plane", "row", "rack", "island")


def parse_scope(text: str) -> dict[str, str]:
    """``phase=1,row=A+B,plane=compute`` as a mapping. Raises `ProblemError` CLI-054 with everything that is no such part."""
    found: dict[str, str] = {}
    problems = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not value or key not in KEYS or key in found:
            what = f"scope {part!r} is not one of {', '.join(f'{k}=…' for k in KEYS)}, each at most once"
            problems.append(Problem("CLI-054", what, fix="write phase=1,row=A+B"))
        else:
            found[key] = value
    if problems:
        raise ProblemError(problems)
    return found


def scope_mask(plan: Plan, scope: str | Mapping[str, str] | None) -> Any:
    """A boolean per planned link (numpy, rows of ``plan.links``): is it built? None when there is no limit.

    Several values of one key are joined by ``+``; several keys must all hold. A phase takes in every earlier one. A host
    link stands in the row and rack of its host, a link between switches in those of its reference switch: the leaf of a row
    may stand elsewhere and be built earlier. A link whose phase or place the plan does not know is inside: nobody said that
    it is not built. Raises `ProblemError` CLI-054 for an unknown key, or a value that the plan does not have.
    """
    import polars as pl

    wanted = parse_scope(scope) if isinstance(scope, str) else dict(scope or {})
    if not wanted:
        return None
    links = _placed(plan) if {"row", "rack"} & set(wanted) else plan.links
    keep = pl.lit(True)
    problems = []
    for key, value in wanted.items():
        values = value.split("+")
        known = _known(plan, links, key) if key in KEYS else ()
        if key == "rack":  # A-01 is how people call rack:A-01
            values = [v if v in known or f"rack:{v}" not in known else f"rack:{v}" for v in values]
        for word in values:
            if word not in known:
                fix = f"it has: {', '.join(known)}" if known else "the plan knows none"
                problems.append(Problem("CLI-054", f"the plan has no {key} {word!r}", fix=fix))
        if key == "phase" and not problems:
            values = list(known[: max(known.index(v) for v in values) + 1])
        keep = keep & pl.col(key).cast(pl.String).is_in(values).fill_null(True)
    if problems:
        raise ProblemError(problems)
    # The literal alone would be one row: the column beside it gives the length.
    return links.select("link", keep.alias("inside"))["inside"].to_numpy()


def _known(plan: Plan, links: pl.DataFrame, key: str) -> tuple[str, ...]:
    """The values that links have, phases in the order in which they are built."""
    import polars as pl

    found = links[key].cast(pl.String).drop_nulls().unique().sort().to_list() if key in links.columns else []
    if key != "phase":
        return tuple(found)
    declared = [p.name for p in plan.design.requirement.phases] if plan.design else []
    return (*[p for p in declared if p in found], *[p for p in found if p not in declared])


def _placed(plan: Plan) -> pl.DataFrame:
    """The links with rack and row of the device that decides for each."""
    import polars as pl

    none = pl.lit(None, dtype=pl.String)
    frames = [
        plan.table(table).select(pl.col(key).alias("device"), "rack")
        for table, key in (("nodes", "node"), ("switches", "switch"))
        if plan.has(table)
    ]
    if not frames:
        return plan.links.with_columns(none.alias("rack"), none.alias("row"))
    devices = pl.concat(frames)
    if plan.has("racks"):
        devices = devices.join(plan.table("racks").select("rack", "row"), on="rack", how="left")
    else:
        devices = devices.with_columns(none.alias("row"))
    decides = pl.when(pl.col("b_nic").is_not_null()).then("b_device").otherwise("a_device")
    return plan.links.with_columns(decides.alias("device")).join(devices, on="device", how="left", maintain_order="left")


def built_nodes(plan: Plan, scope: str | Mapping[str, str] | None) -> list[str] | None:
    """The nodes that are built, by phase, row, rack and island of ``scope``; None when it sets no limit to nodes.

    ``plane`` limits links alone. What the scope may not say, `scope_mask` tells: it is asked first.
    """
    import polars as pl

    wanted = parse_scope(scope) if isinstance(scope, str) else dict(scope or {})
    wanted.pop("plane", None)
    if not wanted or not plan.has("nodes"):
        return None
    nodes = plan.table("nodes").with_columns(pl.col("rack").str.strip_prefix("rack:").alias("short"))
    if plan.has("racks"):
        nodes = nodes.join(plan.table("racks").select("rack", "row"), on="rack", how="left", maintain_order="left")
    keep = pl.lit(True)
    for key, value in wanted.items():
        values = value.split("+")
        if key == "phase":
            known = _known(plan, nodes, key)
            values = list(known[: max((known.index(v) for v in values if v in known), default=-1) + 1])
        if key in nodes.columns:
            inside = pl.col(key).cast(pl.String).is_in(values)
            keep = keep & ((inside | pl.col("short").is_in(values)) if key == "rack" else inside).fill_null(True)
    return nodes.select("node", keep.alias("inside")).filter("inside")["node"].to_list()
