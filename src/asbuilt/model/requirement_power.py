"""What the requirement may say of the power chain. What is not stated is chosen and recorded as assumed."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.model.requirement_field import NAME, spec

RACK = r"^(rack:)?[A-Z]{1,3}-[0-9]{2,4}$"
DEVICE = r"^[A-Za-z0-9][A-Za-z0-9:/._-]{0,126}$"
FEED = r"^[A-D]$"


@dataclass(frozen=True, slots=True)
class CircuitAsBuilt:
    """What a site really has behind one circuit, where it differs from the plan's rule for all racks."""

    rack: str = spec("rack, A-01", pattern=RACK, required=True, default="")
    feed: str = spec("feed that the plan asks for", pattern=FEED, required=True, default="")
    number: int | None = spec("number of the circuit on that feed in the rack, default 1", least=1, most=32)
    length_m: float | None = spec("length of the whip", unit="m", least=0.1, most=100)
    side: str | None = spec("side of the rack, seen from the rear", choices=("left", "right"))
    door: bool | None = spec("the whip crosses the swing of a rack door")
    feed_as_built: str | None = spec("feed that it really hangs on", pattern=FEED)


@dataclass(frozen=True, slots=True)
class CordAsBuilt:
    """A power cord that is plugged into the PDU of another feed than the map asks for."""

    device: str = spec("device: node:0003, or a switch's key", pattern=DEVICE, required=True, default="")
    supply: int = spec("power supply, from 0", least=0, most=31, required=True, default=0)
    feed: str = spec("feed of the PDU that it is plugged into", pattern=FEED, required=True, default="")


@dataclass(frozen=True, slots=True)
class Power:
    """The power chain from the feed to the outlet. How many feeds there are, and the feed of each cord, `site` says."""

    basis: str | None = spec("rules that continuous loads are held to", choices=("nec", "iec"))
    redundancy: str | None = spec("how the feeds stand in for each other", choices=("N", "N+1", "2N", "4-to-make-3"))
    voltage_v: float | None = spec("voltage between two phase conductors", unit="V", least=100, most=690)
    source: str | None = spec("what is behind each feed", choices=("utility", "ups", "mixed"))
    sources: tuple[str, ...] | None = spec(
        "name of the one behind each feed, feed A first: feeds with one name share a source",
        pattern=NAME,
        shortest=1,
        longest=4,
    )
    feed_capacity_kw: float | None = spec("continuous power of one feed", unit="kW", least=1, most=1_000_000)
    fault_ka: float | None = spec("prospective fault current at the head of a feed", unit="kA", least=0.1, most=300)
    pickup_multiple: float | None = spec(
        "instantaneous pick-up of the upper breakers over their rating", unit="ratio", least=1, most=50
    )
    icu_ka: float | None = spec("breaking capacity of the circuit breakers", unit="kA", least=1, most=300)
    bank_icu_ka: float | None = spec("breaking capacity of the PDUs' bank breakers", unit="kA", least=1, most=300)
    selectivity_study: str | None = spec(
        "makers' selectivity table or study that proves the breakers of this site selective", longest=200
    )
    distribution: str | None = spec("how feeds reach the racks", choices=("busway", "panel"))
    busway_a: float | None = spec("rated current of every busway", unit="A", least=16, most=6300)
    busway_entry: str | None = spec("where a busway is fed", choices=("end", "centre"))
    pdu: str | None = spec("catalogue id of the rack PDUs", pattern=NAME)
    pdus_per_feed: int | None = spec("PDUs on each feed of a rack of servers", least=1, most=8)
    sides: tuple[str, ...] | None = spec(
        "side of the rack of each feed's PDU or whip, seen from the rear, feed A first",
        choices=("left", "right"),
        shortest=1,
        longest=4,
    )
    whip_m: float | None = spec("length of every whip", unit="m", least=0.1, most=100)
    cord_m: float | None = spec("length of every power cord", unit="m", least=0.1, most=10)
    node_inlet: str | None = spec("inlet of a node's power supply", choices=("C14", "C16", "C20", "C22"))
    node_connector: str | None = spec("connector of a node's power cords", choices=("C13", "C15", "C19", "C21"))
    shelf_feeds: tuple[str, ...] | None = spec(
        "feed of each power shelf of a rack, bottom to top", pattern=FEED, shortest=1, longest=16
    )
    shelf_circuits: int | None = spec("circuits of one power shelf", least=1, most=4)
    power_factor: float | None = spec("power factor of the loads", unit="ratio", least=0.5, most=1)
    sharing_skew_percent: float | None = spec(
        "how far one power supply may take more than its equal share", unit="%", least=0, most=50
    )
    node_sustained_w: float | None = spec(
        "input of a node, or a rack-scale rack, over hours, as measured", unit="W", least=1, most=1_000_000
    )
    node_peak_w: float | None = spec("short peak of the same", unit="W", least=1, most=1_000_000)
    node_peak_s: float | None = spec("how long the peak lasts", unit="s", least=0.000_001, most=3600)
    node_idle_w: float | None = spec("input of the same when idle", unit="W", least=0, most=1_000_000)
    bond_bus_mohm: float | None = spec("most resistance from a rack to the row's earth bus", unit="mΩ", least=0.01, most=10_000)
    bond_rack_mohm: float | None = spec("most resistance between neighbouring racks", unit="mΩ", least=0.01, most=10_000)
    potential_warn_mv: float | None = spec(
        "potential between racks joined by copper that asks for a look", unit="mV", least=0.1, most=10_000
    )
    potential_fail_mv: float | None = spec("potential at which no copper may join two racks", unit="mV", least=0.1, most=10_000)
    circuits_as_built: tuple[CircuitAsBuilt, ...] = spec(
        "circuits that differ from the rule for all racks", default=(), longest=10_000
    )
    cords_as_built: tuple[CordAsBuilt, ...] = spec("cords plugged elsewhere than the map asks", default=(), longest=10_000)
