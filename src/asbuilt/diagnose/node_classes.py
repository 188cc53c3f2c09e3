"""Machines that tell the same versions of everything are one class: how many classes there are, who is in them, what differs.

A class is found by a hash over all versions of a machine, so 10,000 machines with 800 packages each cost one pass over a table;
words are made of one machine per class alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.base.hosts import HostNameError, Hosts
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

#: Lines of text, differences of one class in a line, and in the details.
_LINES, _IN_LINE, _IN_DETAILS = 12, 3, 50
#: What is of one machine alone (the command line names its root disk), of another one, or no version that it runs.
_OWN = r"^(?:cmdline|nic_firmware_offered)$"
_SETS = r"^(?:package:|file:|module:|module_file:)"
#: Too many to name, or no version.
_UNSAID = r"^(?:package:|file:|module:|module_file:|nic_rom_|product$)"
_FACT = ["component", "part", "version"]


@dataclass(frozen=True, slots=True)
class NodeClass:
    """``nodes`` machines of one ``system`` that tell the same; ``differs`` are the first of ``differing`` differences from the
    largest class of the system, in words, and none for that class itself."""

    system: str
    nodes: int
    hosts: str
    differing: int
    differs: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "nodes": self.nodes,
            "hosts": self.hosts,
            "differing": self.differing,
            "differs": list(self.differs),
        }

    def line(self) -> str:
        """``node0003 (1 node): driver 575.57.08 in place of 580.95.05``."""
        number = f"{self.nodes} node{'s' if self.nodes > 1 else ''}"
        if not self.differing:
            return f"{self.hosts} ({number}): the largest class of {self.system}"
        more = self.differing - _IN_LINE
        tail = f" and {more} more" if more > 0 else ""
        return f"{self.hosts} ({number}): {', '.join(self.differs[:_IN_LINE])}{tail}"


def node_classes(plan: Plan, tables: Mapping[str, pl.DataFrame]) -> tuple[NodeClass, ...]:
    """The classes of compute nodes that told versions, the largest of each system first; nothing where none told any."""
    import polars as pl

    rows = _facts(plan, tables)
    if rows.is_empty():
        return ()
    marks = [pl.struct(_FACT).hash(seed).alias(f"mark{seed}") for seed in (1, 2)]
    # Numbers are made unique, not texts: reports that tell one thing twice count once.
    of = rows.select("node", *marks).unique().group_by("node").agg(pl.col("mark1", "mark2").sum())
    of = (
        of.join(_nodes(plan), on="node", how="inner")
        .sort("node")
        .with_columns(pl.col("node").first().over("system", "mark1", "mark2").alias("first"))
    )
    kinds = of.group_by("system", "first", maintain_order=True).agg(pl.len().alias("nodes"), pl.col("name").alias("names"))
    kinds = kinds.sort("system", "nodes", "first", descending=[False, True, False])
    kinds = kinds.with_columns(pl.col("first").first().over("system").alias("largest"))
    differs = _differences(rows, kinds)
    found = []
    for kind in kinds.iter_rows(named=True):
        said = differs.get(kind["first"], [])
        hosts = _folded(kind["names"])
        found.append(NodeClass(kind["system"], kind["nodes"], hosts, len(said), tuple(said[:_IN_DETAILS])))
    return tuple(found)


def class_details(classes: tuple[NodeClass, ...]) -> dict[str, Any]:
    """The section ``node_classes`` of a verification's details; empty where no machine told a version."""
    return {"node_classes": {"count": len(classes), "classes": [c.as_json() for c in classes]}} if classes else {}


def class_notes(classes: tuple[NodeClass, ...]) -> tuple[str, ...]:
    """One line per class, where a system has more than one."""
    several = {c.system for c in classes if c.differing}
    told = [c for c in classes if c.system in several]
    if not told:
        return ()
    lines = [f"{len(told)} classes of nodes by their versions", *(f"class {c.line()}" for c in told[:_LINES])]
    more = len(told) - _LINES
    return (*lines, f"and {more} classes more: details of --json") if more > 0 else tuple(lines)


def unlocked_note(plan: Plan, tables: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """One line with the versions that are alike on all machines and that nobody locked: an error in them has no odd one out."""
    import polars as pl

    rows = _facts(plan, tables, ~pl.col("component").str.contains(_UNSAID)).unique().join(_nodes(plan), on="node", how="inner")
    if rows.is_empty() or rows["node"].n_unique() < 2:
        return ()
    locked = plan.table("software")["component"].unique().to_list() if plan.has("software") else []
    kinds = rows.filter(~pl.col("component").is_in(locked)).group_by("component", "part", "system").agg(
        pl.col("version").first(), pl.col("version").n_unique().alias("versions")
    )  # fmt: skip
    alike = kinds.filter(pl.col("versions").max().over("component", "part") == 1).sort("component", "part", "version")
    if alike.is_empty():
        return ()
    words = pl.concat_str("component", "part", "version", separator=" ", ignore_nulls=True)
    return ("alike, not locked: " + ", ".join(alike.select(words.alias("w"))["w"].unique(maintain_order=True).to_list()),)


def _nodes(plan: Plan) -> pl.DataFrame:
    """node, system, name of compute nodes."""
    import polars as pl

    return plan.table("nodes").filter(pl.col("role") == "compute").select("node", "system", "name")


def _facts(plan: Plan, tables: Mapping[str, pl.DataFrame], which: pl.Expr | None = None) -> pl.DataFrame:
    """node, component, part, version: the versions of compute nodes, ``which`` of them, as often as reports tell them."""
    import polars as pl

    if "version_measured" not in tables:
        return pl.DataFrame(schema=dict.fromkeys(("node", *_FACT), pl.String))
    # A controller that lists its peers' versions by their addresses speaks of other machines.
    own = ~pl.col("component").str.contains(_OWN) & ((pl.col("component") != "imex") | pl.col("device").is_null())
    rows = tables["version_measured"].filter(own if which is None else own & which).select("node", *_FACT)
    return rows.join(_nodes(plan), on="node", how="semi")


def _differences(rows: pl.DataFrame, kinds: pl.DataFrame) -> dict[str, list[str]]:
    """First node of each class -> its differences from the largest class of its system, in words."""
    import polars as pl

    others = kinds.filter(pl.col("first") != pl.col("largest")).select("first", "largest")
    if others.is_empty():
        return {}
    cell = ["first", "component", "part"]
    joined = pl.col("version").sort().str.join(" and ")
    named = pl.concat([others["first"], others["largest"]]).unique()
    facts = rows.filter(pl.col("node").is_in(named.implode())).unique()
    here = others.join(facts, left_on="first", right_on="node").group_by(cell).agg(joined)
    there = others.join(facts, left_on="largest", right_on="node").group_by(cell).agg(joined.alias("most"))
    cells = here.join(there, on=cell, how="full", coalesce=True, nulls_equal=True)
    cells = cells.filter(pl.col("version").ne_missing(pl.col("most"))).sort(
        "first", pl.col("component").str.contains(_SETS), "component", "part"
    )
    thing = pl.concat_str("component", "part", separator=" ", ignore_nulls=True)
    words = (
        pl.when(pl.col("version").is_null())
        .then(pl.format("{} not told ({} there)", thing, "most"))
        .when(pl.col("most").is_null())
        .then(pl.format("{} {}, not told there", thing, "version"))
        .otherwise(pl.format("{} {} in place of {}", thing, "version", "most"))
    )
    told = cells.select("first", words.alias("words")).group_by("first", maintain_order=True).agg("words")
    return dict(zip(told["first"].to_list(), told["words"].to_list(), strict=True))


def _folded(names: list[str]) -> str:
    try:
        return str(Hosts.fold(names))
    except HostNameError:
        return ",".join(names)
