"""Facts that machines tell of themselves, each with the planned node that the machine is: what node checks judge.

Every table of `model.facts_node`, `facts_gpu` and `facts_bench` that a capture gave becomes ``<x>_measured``: the same columns
with ``node`` in front (natural key, null for a run of many hosts), without rows of machines that the plan does not know.
The tables of `model.measured_nodes` are made of several of them, that of NVLink switch trays of what these say of themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asbuilt.diagnose.measured_topology import TOPOLOGY_OF, topology_tables
from asbuilt.diagnose.node_identity import identity_table
from asbuilt.diagnose.nvlink_trays import tray_hosts, tray_table
from asbuilt.model.facts_bench import BENCH_FACTS
from asbuilt.model.facts_gpu import GPU_FACT_TABLES
from asbuilt.model.facts_node import NODE_FACTS
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

    from asbuilt.model.facts import Facts

SOURCES = tuple(s.name for s in (*NODE_FACTS, *GPU_FACT_TABLES, *BENCH_FACTS))
#: Tables whose rows may speak of no single machine.
OF_MANY = ("run_facts", "result_facts")
_SHOWN = 3
#: Nodes whose pairs of GPUs and ports lie in memory together.
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class NodeTables:
    """The tables by name, and notes on machines that the plan does not know."""

    tables: dict[str, pl.DataFrame]
    notes: tuple[str, ...]


def measured(fact_table: str) -> str:
    """The name under which a fact table of machines is judged."""
    return fact_table.removesuffix("_facts") + "_measured"


def has_node_facts(facts: Facts) -> bool:
    """True when a capture told something of a machine. Makes no table."""
    return any(facts.has(name) for name in SOURCES)


def node_tables(plan: Plan, facts: Facts) -> NodeTables:
    """Every fact table of machines in ``facts`` with its ``node``: that of the host's name, whole or up to the first dot."""
    import polars as pl

    names = plan.table("nodes").select("node", pl.col("name").str.to_lowercase().alias("key")).unique("key", keep="none")
    tables: dict[str, pl.DataFrame] = {}
    strangers: dict[str, None] = {}
    identity = identity_table(facts)
    for table in SOURCES:
        named = table == "identity_facts" and identity is not None
        if not named and not facts.has(table):
            continue
        frame = identity if named and identity is not None else facts.tables[table]
        hosts = frame.select("host").unique(maintain_order=True).with_columns(pl.col("host").str.to_lowercase().alias("key"))
        short = pl.col("key").str.extract(r"^([^.]+)\.")
        hosts = hosts.join(names, on="key", how="left", maintain_order="left").with_columns(short.alias("short"))
        brief = names.rename({"key": "short", "node": "brief"})
        hosts = hosts.join(brief, on="short", how="left", maintain_order="left").with_columns(
            pl.coalesce("node", "brief").alias("node")
        )
        lost = hosts.filter(pl.col("node").is_null() & pl.col("host").is_not_null())["host"]
        trays = set(tray_hosts(plan, lost)["host"])
        strangers |= dict.fromkeys(host for host in lost if host not in trays)
        joined = _named(frame, hosts)
        if table not in OF_MANY and joined["node"].null_count():
            joined = joined.filter(pl.col("node").is_not_null())
        if table == "irq_facts":
            joined = _one_per_interrupt(joined)
        tables[measured(table)] = joined.select("node", *frame.columns)
    trays_told = tray_table(plan, facts)
    if trays_told is not None:
        tables["nvlink_tray_measured"] = trays_told
    return NodeTables(tables | _topology(tables), _notes(list(strangers)))


def _topology(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """`topology_tables`, made of some nodes after others: pairs of every GPU and port are many times what they leave."""
    import polars as pl

    used = {name: tables[name] for name in TOPOLOGY_OF if name in tables}
    nodes = pl.concat([pl.Series("node", [], pl.String), *(t["node"].unique(maintain_order=True) for t in used.values())])
    nodes = nodes.unique(maintain_order=True)
    if nodes.len() <= _AT_ONCE:
        return topology_tables(used)
    parts: dict[str, list[pl.DataFrame]] = {}
    for first in range(0, nodes.len(), _AT_ONCE):
        some = pl.col("node").is_in(nodes.slice(first, _AT_ONCE).implode())
        for name, frame in topology_tables({name: t.filter(some) for name, t in used.items()}).items():
            parts.setdefault(name, []).append(frame)
    return {name: pl.concat(frames, rechunk=True) for name, frames in parts.items()}


def _named(frame: pl.DataFrame, hosts: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with the node of each host: one more column beside the others, of which a fleet's tables need no copy."""
    import polars as pl

    told = hosts.filter(pl.col("host").is_not_null() & pl.col("node").is_not_null())
    at = pl.Series(range(told.height), dtype=pl.UInt32)
    index = frame["host"].replace_strict(told["host"], at, default=None, return_dtype=pl.UInt32)
    return frame.with_columns(told["node"].gather(index).alias("node"))


def _one_per_interrupt(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per interrupt of a node: ``/proc/interrupts`` says whose it is, ``/proc/irq`` where it may go."""
    import polars as pl

    told = ("name", "address", "cpus", "effective", "count")
    placed = pl.col("cpus").is_not_null()
    return rows.group_by("node", "irq", maintain_order=True).agg(
        pl.col("host").first(),
        *(pl.col(c).drop_nulls().first() for c in told),
        *(pl.coalesce(pl.col(c).filter(placed).first(), pl.col(c).first()) for c in ("capture_id", "line")),
    )


def _notes(strangers: list[str]) -> tuple[str, ...]:
    if not strangers:
        return ()
    shown = ", ".join(strangers[:_SHOWN]) + (f" and {len(strangers) - _SHOWN} more" if len(strangers) > _SHOWN else "")
    number = f"{len(strangers)} machines" if len(strangers) > 1 else "one machine"
    return (f"nodes: {number} could not be matched to the plan and were not judged: {shown}",)
