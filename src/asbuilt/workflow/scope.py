"""The part of the plan that is built: by build phase, row of racks, and plane. What lies outside is not yet built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

KEYS = ("phase", "row", "plane")


@dataclass(frozen=True, slots=True)
class Scope:
    """What stands. Empty means no limit. ``phase`` takes in every earlier phase; several words are joined by ``+``."""

    phase: str = ""
    rows: tuple[str, ...] = ()
    planes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"phase={self.phase}"] if self.phase else []
        parts += [f"row={'+'.join(self.rows)}"] if self.rows else []
        parts += [f"plane={'+'.join(self.planes)}"] if self.planes else []
        return ",".join(parts)


def parse_scope(text: str, plan: Plan) -> Scope:
    """``phase=1,row=A+B,plane=compute`` against a plan.

    Raises `ProblemError` CLI-047 naming the keys, or the phases, rows and planes that the plan has.
    """
    said: dict[str, str] = {}
    problems: list[Problem] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = part.partition("=")
        if key not in KEYS or not equals or not value or key in said:
            what = f"scope {part!r} is not one of {', '.join(f'{k}=…' for k in KEYS)}, each at most once"
            problems.append(Problem("CLI-047", what, fix="write --scope phase=1,row=A,plane=compute"))
        else:
            said[key] = value
    known = {"phase": phases(plan), "row": _known(plan, "racks", "row"), "plane": _known(plan, "links", "plane")}
    words = {key: tuple(value.split("+")) if key != "phase" else (value,) for key, value in said.items()}
    for key, asked in words.items():
        for word in asked:
            if word not in known[key]:
                has = ", ".join(known[key]) or "none"
                problems.append(Problem("CLI-047", f"the plan has no {key} {word!r}", fix=f"it has: {has}"))
    if problems:
        raise ProblemError(problems)
    return Scope(said.get("phase", ""), words.get("row", ()), words.get("plane", ()))


def phases(plan: Plan) -> tuple[str, ...]:
    """The build phases of a plan, in the order in which they are built."""
    found = _known(plan, "links", "phase")
    declared = [p.name for p in plan.design.requirement.phases] if plan.design else []
    return (*[p for p in declared if p in found], *[p for p in found if p not in declared])


def _known(plan: Plan, table: str, column: str) -> tuple[str, ...]:
    if not plan.has(table):
        return ()
    return tuple(plan.table(table)[column].drop_nulls().unique().sort().to_list())


def inside(plan: Plan, scope: Scope) -> Any:
    """A boolean per planned link (numpy, rows of ``plan.links``): is it built?

    A host link belongs to the row of its host, a link between switches to that of its reference switch. A link whose
    phase or rack the plan does not know is inside: nobody said that it is not built.
    """
    import polars as pl

    links = plan.links
    keep = pl.lit(True)
    if scope.planes:
        keep = keep & pl.col("plane").is_in(list(scope.planes))
    if scope.phase:
        order = phases(plan)
        built = list(order[: order.index(scope.phase) + 1])
        keep = keep & pl.col("phase").is_in(built).fill_null(True)
    if scope.rows:
        links = _with_row(plan, links)
        keep = keep & pl.col("row").is_in(list(scope.rows)).fill_null(True)
    # The literal alone would be one row: the column beside it gives the length.
    return links.select("link", keep.alias("inside"))["inside"].to_numpy()


def _with_row(plan: Plan, links: pl.DataFrame) -> pl.DataFrame:
    """The links with the row of the rack that decides for each."""
    import polars as pl

    racks = plan.table("racks").select("rack", "row")
    placed = pl.concat(
        [
            plan.table(table).select(pl.col(key).alias("device"), "rack").join(racks, on="rack", how="left")
            for table, key in (("nodes", "node"), ("switches", "switch"))
            if plan.has(table)
        ]
    ).select("device", "row")
    decides = pl.when(pl.col("b_nic").is_not_null()).then("b_device").otherwise("a_device")
    return links.with_columns(decides.alias("device")).join(placed, on="device", how="left", maintain_order="left")
