"""Affinity of machines from their measured topology: never from the template, which is only held beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asbuilt.base.cpu_list import fold, parse, within
from asbuilt.diagnose.topology import natural, serving
from asbuilt.model.affinity import GpuAffinity, NodeAffinity, PortAffinity
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl


def affinities(plan: Plan, tables: Mapping[str, pl.DataFrame]) -> tuple[NodeAffinity, ...]:
    """One per node that ``tables`` (of `node_tables`) tell the topology of, in the order of the nodes.

    The view before the driver (PCI parents and NUMA nodes) decides; the driver's matrix stands in where that is not there.
    """
    import polars as pl

    near, ports, gpus = (tables.get(name) for name in ("near_measured", "port_places", "gpu_places"))
    if near is None and ports is None:
        return ()
    planned = plan.table("nics").filter(pl.col("plane") == "compute").sort("node", "rail", "device")
    names = dict(plan.table("nodes").select("node", "name").rows())
    asked = sorted({n for t in (near, ports) if t is not None for n in t["node"].unique().to_list()})
    by_node = {n: _Room(n, near, ports, gpus, tables) for n in asked}
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in planned.iter_rows(named=True):
        rows.setdefault(row["node"], []).append(row)
    rails = {n: {r["rail"]: r["device"] for r in reversed(those)} for n, those in rows.items()}
    wanted: dict[str, dict[int, str]] = {}
    for node, slot, rail in plan.table("gpus").select("node", "slot", "rail").rows():
        wanted.setdefault(node, {})[int(slot)] = rails.get(node, {}).get(rail, "")
    return tuple(by_node[n].affinity(names.get(n, n), rows.get(n, []), wanted.get(n, {})) for n in asked if n in names)


class _Room:
    """What was measured of one node."""

    def __init__(
        self,
        node: str,
        near: pl.DataFrame | None,
        ports: pl.DataFrame | None,
        gpus: pl.DataFrame | None,
        tables: Mapping[str, pl.DataFrame],
    ) -> None:
        import polars as pl

        def own(frame: pl.DataFrame | None) -> pl.DataFrame | None:
            return None if frame is None else frame.filter(pl.col("node") == node)

        self.node = node
        self.near, self.ports, self.gpus = own(near), own(ports), own(gpus)
        self.irqs, self.driver = own(tables.get("irq_measured")), own(tables.get("affinity_measured"))

    def affinity(self, name: str, planned: list[dict[str, Any]], wanted: dict[int, str]) -> NodeAffinity:
        places = {r["device"]: r for r in self.ports.iter_rows(named=True)} if self.ports is not None else {}
        devices = [r["device"] for r in planned]
        ports, unknown = [], []
        for row in planned:
            place = places.get(row["device"])
            if place is None:
                unknown.append(f"{row['device']}: no capture tells its PCI address")
                continue
            if not place["cpus"]:
                unknown.append(f"{row['device']}: the firmware does not say its NUMA node")
            ports.append(self._port(row, place))
        return NodeAffinity(self.node, name, tuple(ports), self._gpus(devices, wanted), self._source(), tuple(unknown))

    def _port(self, row: dict[str, Any], place: dict[str, Any]) -> PortAffinity:
        import polars as pl

        irqs = away = None
        shown = ""
        if self.irqs is not None:
            own = self.irqs.filter((pl.col("address") == place["address"]) & pl.col("cpus").is_not_null())["cpus"].to_list()
            outside = [c for c in own if within(c, place["cpus"]) is False]
            irqs, away, shown = len(own), len(outside), outside[0] if outside else ""
        return PortAffinity(
            place["device"], place["address"], row["rail"], place["numa"], place["cpus"] or "", row["socket"], place["socket"],
            irqs, away, shown,
        )  # fmt: skip

    def _gpus(self, devices: list[str], wanted: dict[int, str]) -> tuple[GpuAffinity, ...]:
        import polars as pl

        if self.near is None or self.near.is_empty():
            return ()
        known = self.near.filter(pl.col("device").is_in(devices)) if devices else self.near
        pairs = known.with_columns(pl.coalesce("before", "after").alias("relation"))
        served = {r["gpu"]: r for r in serving(pairs, wanted).iter_rows(named=True)}
        places = {r["gpu"]: r for r in self.gpus.iter_rows(named=True)} if self.gpus is not None else {}
        told = {r["device"]: r["cpus"] for r in self.driver.iter_rows(named=True)} if self.driver is not None else {}
        cpus = {g: (places.get(g, {}).get("cpus") or told.get(f"GPU{g}") or "") for g in served}
        shared = {g: _share(cpus, g) for g in served}
        return tuple(
            GpuAffinity(g, r["device"], r["relation"] or "", wanted.get(g, ""), places.get(g, {}).get("numa"), shared[g])
            for g, r in sorted(served.items(), key=lambda item: (item[0], natural(item[1]["device"])))
        )

    def _source(self) -> str:
        for frame in (self.ports, self.near, self.gpus):
            if frame is not None and frame["capture_id"].drop_nulls().len():
                return str(frame["capture_id"].drop_nulls()[0])
        return "captures"


def _share(cpus: dict[int, str], gpu: int) -> str:
    """The processors of a GPU's rank: those near it, dealt out in runs among the GPUs near the same ones."""
    beside = sorted(g for g, c in cpus.items() if c == cpus[gpu])
    near = sorted(parse(cpus[gpu]) or ())
    at = beside.index(gpu)
    return fold(near[at * len(near) // len(beside) : (at + 1) * len(near) // len(beside)])
