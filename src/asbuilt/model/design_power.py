"""The power chain, resolved: every default chosen."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_power import CircuitAsBuilt, CordAsBuilt


@dataclass(frozen=True, slots=True)
class PowerDesign:
    """The requirement's ``power`` with every default chosen.

    ``shelf_feeds`` has one letter per power shelf, bottom to top; empty for servers with supplies of their own. ``busway_a``,
    ``pdus_per_feed`` and ``shelf_circuits`` None: the smallest that carries the finished row. ``declared_feeds``: the
    requirement says how many feeds there are.
    """

    basis: str
    redundancy: str
    voltage_v: float
    feed_capacity_kw: float | None
    fault_ka: float | None
    pdu: str
    source: str = "ups"
    sources: tuple[str, ...] = ()
    pickup_multiple: float | None = None
    icu_ka: float | None = None
    bank_icu_ka: float | None = None
    selectivity_study: str | None = None
    distribution: str = "busway"
    busway: str = "busway-copper"
    busway_a: float | None = None
    busway_entry: str = "end"
    pdus_per_feed: int | None = None
    sides: tuple[str, ...] = ("left", "right", "left", "right")
    whip_m: float = 3.0
    cord_m: float = 2.0
    node_inlet: str = "C20"
    node_connector: str = "C19"
    shelf_feeds: tuple[str, ...] = ()
    shelf_circuits: int | None = None
    power_factor: float = 0.98
    sharing_skew: float = 0.05
    node_sustained_w: float | None = None
    node_peak_w: float | None = None
    node_peak_s: float | None = None
    node_idle_w: float | None = None
    bond_bus_mohm: float = 5.0
    bond_rack_mohm: float = 10.0
    potential_warn_mv: float = 10.0
    potential_fail_mv: float = 50.0
    bonds_declared: bool = False
    declared_feeds: bool = False
    circuits_as_built: tuple[CircuitAsBuilt, ...] = ()
    cords_as_built: tuple[CordAsBuilt, ...] = ()
