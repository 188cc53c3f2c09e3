"""GUIDs of end ports: from the project's list where it names them, else made ones until they are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.plan.guids import guids, hex16

if TYPE_CHECKING:
    import polars as pl

#: A switch's aggregation node answers with the switch's GUID plus this (seen in every dump of Quantum switches at hand).
AGGREGATION_OFFSET = 8
_MOST = 20


@dataclass(frozen=True, slots=True)
class DeclaredGuids:
    """A GUID list: 16 hex digits and line number by name.

    A name is a node description or a natural key: of an end port, or of a switch with one ASIC.
    """

    file: str
    by_name: Mapping[str, tuple[str, int]]


def with_guids(frame: pl.DataFrame, declared: DeclaredGuids | None) -> pl.DataFrame:
    """``frame`` (columns ``port device host_key name kind number``) with ``node_guid port_guid guid_origin``.

    ``host_key`` is the key that a GUID is made from: the port's own, for an aggregation node that of its switch. Made
    GUIDs: port GUID of a NIC port = node GUID + port number, of a switch = node GUID. A declared GUID is the port GUID, and
    of a card's first port its node GUID too; the aggregation node of a declared switch follows it.

    Raises ``ProblemError`` PLN-011 for names of the list that the plan lacks.
    """
    import numpy as np
    import polars as pl

    made = guids(frame["host_key"])
    agg = (frame["kind"] == "aggregation").to_numpy()
    node = made + np.where(agg, np.uint64(AGGREGATION_OFFSET), np.uint64(0))
    port = node + frame["number"].to_numpy().astype(np.uint64)
    out = frame.with_columns(
        hex16(node).alias("node_guid"), hex16(port).alias("port_guid"), pl.lit("assumed").alias("guid_origin")
    )
    return out if declared is None else _declared(out, declared)


def _declared(frame: pl.DataFrame, declared: DeclaredGuids) -> pl.DataFrame:
    import polars as pl

    listed = pl.DataFrame(
        [(name, guid) for name, (guid, _) in declared.by_name.items()],
        schema={"called": pl.String, "given": pl.String},
        orient="row",
    )
    one_name = frame.filter(~pl.col("name").is_duplicated()).select("port", called="name")
    switches = (
        frame.filter(pl.col("kind") == "switch").filter(~pl.col("device").is_duplicated()).select("port", called="device")
    )
    names = pl.concat([frame.select("port", called="port"), one_name, switches]).unique()
    found = listed.join(names, on="called", how="left")
    _refuse(declared, found, frame)
    chosen = found.select("port", "given").unique("port")
    ports = frame.join(chosen, on="port", how="left", maintain_order="left")
    beside = chosen.select(host_key="port", beside=pl.col("given").str.to_integer(base=16, dtype=pl.UInt64))
    ports = ports.join(beside, on="host_key", how="left", maintain_order="left")
    agg = (pl.col("kind") == "aggregation") & pl.col("beside").is_not_null()
    node = pl.when(agg).then(pl.col("beside") + AGGREGATION_OFFSET)
    numbers = ports.select(node.alias("n")).with_columns(p=pl.col("n") + 1)
    moved = [hex16(numbers[c].fill_null(0).to_numpy()).alias(c) for c in ("n", "p")]
    ports = ports.with_columns(*moved).with_columns(
        pl.when(agg).then("n").otherwise("node_guid").alias("node_guid"),
        pl.when(agg).then("p").otherwise("port_guid").alias("port_guid"),
    )
    given = pl.col("given").is_not_null()
    first = given & (pl.col("number") <= 1)
    return ports.with_columns(
        pl.when(given).then("given").otherwise("port_guid").alias("port_guid"),
        pl.when(first).then("given").otherwise("node_guid").alias("node_guid"),
        pl.when(given).then(pl.lit("declared")).otherwise("guid_origin").alias("guid_origin"),
    ).drop("given", "beside", "n", "p")


def _refuse(declared: DeclaredGuids, found: pl.DataFrame, frame: pl.DataFrame) -> None:
    """Raise what is wrong with the list: names that nothing in the plan has, a device named twice."""
    import polars as pl

    problems: list[Problem] = []

    def place(name: str) -> Place:
        line = declared.by_name[name][1]
        return Place(declared.file, line, 1)

    unknown = found.filter(pl.col("port").is_null())["called"].to_list()
    unknown.sort(key=lambda name: declared.by_name[name][1])
    for name in unknown[:_MOST]:
        several = frame.filter(pl.col("name") == name).height
        near = nearest(name, frame["name"].head(20_000).to_list(), "did you mean ") if not several else ""
        what = f"{several} end ports of the plan answer with {name!r}" if several else f"no end port is called {name!r}"
        fix = "name it by its key (`asbuilt show lids`)" if several else near or "`asbuilt show lids` lists names and keys"
        problems.append(Problem("PLN-011", what, place(name), "a GUID belongs to one end port of the plan", fix))
    twice = (
        found.filter(pl.col("port").is_not_null())
        .group_by("port")
        .agg("called", "given")
        .filter(pl.col("called").list.len() > 1)
    )
    for port, called in twice.select("port", "called").rows():
        if len({declared.by_name[c][0] for c in called}) > 1:
            problems.append(
                Problem("PLN-011", f"{port} is given two GUIDs", place(called[-1]), "it has one", "keep one of the two")
            )
    if problems:
        problems.sort(key=lambda p: p.place.line if p.place else 0)
        more = len(problems) + max(0, len(unknown) - _MOST) - _MOST
        tail = [Problem("PLN-011", f"and {more} lines more", Place(declared.file))] if more > 0 else []
        raise ProblemError([*problems[:_MOST], *tail])
