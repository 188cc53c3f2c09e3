"""What the manager of each subnet is told, word by word, with origin, source and reason.

Settings bear the words of opensm.conf where it has one; ``root_tier``, ``sm_dead_after_ms``, ``sharp``, ``adaptive_routing``
and ``separation:<plane>`` are words of this plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asbuilt.model.tables_subnet import SUBNET_SETTINGS
from asbuilt.plan.subnet_engine import Engine
from asbuilt.plan.subnet_lanes import LOW_ONLY, Lanes, operational_code
from asbuilt.plan.subnet_lids import Layout
from asbuilt.plan.subnet_scene import Scene

if TYPE_CHECKING:
    import polars as pl

#: OpenSM 3.3.23 defaults: osm_subnet.c (`opensm -c` prints them).
POLLING_MS, POLLING_RETRIES, SWEEP_S = 10_000, 4, 10
_MANUAL = "opensm(8), OpenSM 3.3.23"
_DEFAULT = "OpenSM 3.3.23 default"
_NVIDIA = "not in upstream OpenSM: NVIDIA subnet manager or UFM"
#: Subnet prefixes (IBTA vol. 1, 4.1.1): the default one, and others told apart in the last bytes.
_PREFIX = 0xFE80_0000_0000_0000
_PLANES = ("compute", "storage", "frontend", "management", "oob")


@dataclass(frozen=True, slots=True)
class Able:
    """What the switches of a subnet can do, from the catalogue."""

    sharp: bool
    adaptive: bool
    lacking: str


@dataclass(frozen=True, slots=True)
class Said:
    """Everything that was decided about one subnet."""

    scene: Scene
    layout: Layout
    lanes: Lanes
    engine: Engine
    able: Able
    manager_racks: tuple[str, ...]


def settings_table(said: list[Said]) -> pl.DataFrame:
    """Table `SUBNET_SETTINGS`."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for one in said:
        for part in (_routing, _addresses, _timing, _lanes, _abilities, _separations):
            rows += part(one)
    frame = pl.DataFrame(rows, schema=SUBNET_SETTINGS.polars()) if rows else SUBNET_SETTINGS.empty()
    return SUBNET_SETTINGS.conform(frame.sort("subnet", "setting"))


def _row(said: Said, setting: str, value: object, unit: str, origin: str, source: str, reason: str) -> dict[str, Any]:
    return {
        "subnet": said.scene.name,
        "setting": setting,
        "value": str(value),
        "unit": unit,
        "origin": origin,
        "source": source,
        "reason": reason,
    }


def _routing(said: Said) -> Iterator[dict[str, Any]]:
    engine = said.engine
    yield _row(said, "routing_engine", engine.name, "", engine.origin, engine.source, engine.reason)
    why = "the highest tier; its switches are the roots"
    yield _row(said, "root_tier", engine.root_tier, "", "derived", "plan table `switches`", why)
    if engine.name in ("ftree", "updn"):
        why = "without it the engine guesses the roots from the hosts, and falls back to minhop where guests make that fail"
        yield _row(said, "root_guid_file", "root_guids", "", "derived", _MANUAL, why)
    if engine.name == "ftree":
        why = "NIC ports of the nodes on the compute plane, without that plane of all nodes: balanced first, all at one depth"
        yield _row(said, "cn_guid_file", "cn_guids", "", "derived", _MANUAL, why)
        why = "all other ports (storage, service, aggregation): routed beside those of the nodes, at any depth"
        yield _row(said, "io_guid_file", "io_guids", "", "derived", _MANUAL, why)
        why = "switches of the top tier answer each other and every host: counters are read by LID, and IBTA asks for it"
        yield _row(said, "connect_roots", "TRUE", "", "derived", _MANUAL, why)
        why = "hosts on the top tier (subnet managers) reach each other down and up again; without it they do not. "
        if said.lanes.qos:
            why += "Such turns can close a circle of waiting links with other traffic: lanes of their own (qos) keep it open"
        else:
            why += "Without qos they share lane 0 with all traffic, and links may wait in a circle: FAB-043 tells of tables"
        turns = {"spine": 1, "core": 2}.get(engine.root_tier, 0)
        yield _row(said, "max_reverse_hops", turns, "hops", "derived", _MANUAL, why)


def _addresses(said: Said) -> Iterator[dict[str, Any]]:
    scene = said.scene
    declared = scene.wish.lmc is not None
    stated = declared or any(p.lmc for p in scene.planes)
    source = f"subnets.{scene.base}.lmc" if declared else "planes.<plane>.lmc" if stated else _DEFAULT
    why = f"{1 << scene.lmc} LIDs a NIC port" if scene.lmc else "one LID a NIC port: paths are spread by the tree, not by LMC"
    yield _row(said, "lmc", scene.lmc, "", "declared" if stated else "published", source, why)
    why = "LIDs are the planned ones from the first sweep on, on master and standby alike"
    yield _row(said, "honor_guid2lid_file", "TRUE", "", "derived", _MANUAL, why)
    room = "with room to the next multiple of 16" if said.layout.rounded else "without further room: the LID space is short"
    why = f"ranges are sized for {scene.room_origin}, {room}"
    yield _row(said, "lid_room_nodes", scene.room_nodes, "nodes", "derived", scene.room_origin, why)
    prefix = _PREFIX + _ordinal(scene)
    why = "one prefix a subnet: hosts with ports in several must tell these apart"
    yield _row(said, "subnet_prefix", f"0x{prefix:016x}", "", "derived", "IBTA vol. 1, 4.1.1", why)


def _ordinal(scene: Scene) -> int:
    """A number of the subnet from its first plane, island and subplane: 0 for the first subnet of the compute plane."""
    plane = min(_PLANES.index(p.name) for p in scene.planes)
    crew = scene.crews[0]
    return plane << 16 | crew.shape.island << 4 | crew.subplane


def _timing(said: Said) -> Iterator[dict[str, Any]]:
    scene, wish = said.scene, said.scene.wish

    def chosen(field: str, default: int) -> tuple[int, str, str]:
        value = getattr(wish, field)
        return (value, "declared", f"subnets.{scene.base}.{field}") if value is not None else (default, "published", _DEFAULT)

    poll, origin, source = chosen("polling_timeout_ms", POLLING_MS)
    yield _row(said, "sminfo_polling_timeout", poll, "ms", origin, source, "the standby looks at the master this often")
    tries, origin, source = chosen("polling_retries", POLLING_RETRIES)
    yield _row(
        said, "polling_retry_number", tries, "", origin, source, "unanswered looks after which the master counts as dead"
    )
    why = "polling timeout x retries: nothing is routed anew, and no new port comes up, for so long"
    yield _row(said, "sm_dead_after_ms", poll * tries, "ms", "derived", "sminfo_polling_timeout x polling_retry_number", why)
    sweep, origin, source = chosen("sweep_interval_s", SWEEP_S)
    yield _row(said, "sweep_interval", sweep, "s", origin, source, "light sweeps; traps start a heavy one at once")
    racks = said.manager_racks
    if len(racks) > 1:
        several = len(set(racks)) > 1
        why = "one rack is one pair of feeds: where that matters, move a host, or name others (`sm_hosts`)"
        why = "a rack that goes dark takes one manager" if several else why
        yield _row(said, "sm_racks", ", ".join(dict.fromkeys(racks)), "", "derived", "plan table `nodes`", why)
    if len(racks) < 2:
        why = "no second host is planned: a dead manager leaves the subnet as it is, and nothing new comes up"
        yield _row(said, "sm_standby", "none", "", "derived", "plan table `subnet_managers`", why)


def _lanes(said: Said) -> Iterator[dict[str, Any]]:
    scene, lanes = said.scene, said.lanes
    asked = scene.wish.qos is not None
    where = f"subnets.{scene.base}.qos" if asked else "default of the design"
    origin = "declared" if asked else "assumed"
    if not lanes.qos:
        yield _row(said, "qos", "FALSE", "", origin, where, "everything on service level 0 and lane 0; tables stay as shipped")
        return
    why = "planes are told apart by service level, so that one cannot fill the buffers of another"
    yield _row(said, "qos", "TRUE", "", origin, where, why)
    why = "lanes that are used, to the next number that a port can operate: fewer lanes have larger buffers"
    vls = f"subnets.{scene.base}.max_vls" if scene.wish.max_vls else "plan table `service_levels`"
    kind = "declared" if scene.wish.max_vls else "derived"
    yield _row(said, "qos_max_vls", lanes.max_vls, "", kind, vls, why)
    why = f"code of {lanes.max_vls} operational lanes (PortInfo.OperationalVLs)"
    yield _row(said, "max_op_vls", operational_code(lanes), "", "derived", "IBTA vol. 1, PortInfo", why)
    high = scene.wish.high_limit is not None
    limit = f"subnets.{scene.base}.high_limit" if high else _DEFAULT
    why = "after each high-priority packet a low-priority one may go"
    text = f"{lanes.high_limit * 4096} bytes of high priority, then a low-priority packet may go" if lanes.high_limit else why
    yield _row(said, "qos_high_limit", lanes.high_limit, "4096 bytes", "declared" if high else "published", limit, text)
    source = "NVIDIA Quantum-2 firmware release notes, known issues 955641 and 1249608"
    weights = ",".join(f"{vl}:{weight}" for vl, weight in lanes.high())
    yield _row(said, "qos_vlarb_high", weights, "VL:64 bytes", "assumed", source, LOW_ONLY)
    weights = ",".join(f"{vl}:{weight}" for vl, weight in lanes.low())
    why = "shares of a full link; an idle lane's share goes to the others"
    yield _row(said, "qos_vlarb_low", weights, "VL:64 bytes", "assumed", source, why)
    levels = ",".join(str(vl) for vl in lanes.levels())
    why = "one lane a plane; levels that nothing uses map to lane 0, so that a stray packet is carried and seen"
    yield _row(said, "qos_sl2vl", levels, "VL of SL 0 to 15", "derived", "plan table `service_levels`", why)


def _abilities(said: Said) -> Iterator[dict[str, Any]]:
    wish, able = said.scene.wish, said.able
    for setting, can in (("sharp", able.sharp), ("adaptive_routing", able.adaptive)):
        why = "every switch of the subnet has it" if can else f"{able.lacking} has none in the catalogue"
        source = "catalogue, `sharp` and `asic` of the switches"
        yield _row(said, f"{setting}_available", "TRUE" if can else "FALSE", "", "derived", source, why)
    for setting, can, asked in (
        ("sharp", able.sharp, wish.sharp),
        ("adaptive_routing", able.adaptive, wish.adaptive_routing),
    ):
        value = asked if asked is not None else can
        origin = "declared" if asked is not None else "assumed"
        source = f"subnets.{said.scene.base}.{setting}" if asked is not None else "catalogue, switches of the subnet"
        yield _row(said, setting, "TRUE" if value else "FALSE", "", origin, source, _NVIDIA)


def _separations(said: Said) -> Iterator[dict[str, Any]]:
    scene = said.scene
    for plane in scene.planes:
        others = [p for p in scene.planes if p.name != plane.name]
        apart = bool(others) and all("partition" in (plane.separation, p.separation) for p in others)
        shared = " and ".join(p.name for p in others)
        kept = "kept apart by partition" if apart else "not kept apart"
        value = f"in one subnet with {shared}, {kept}" if others else "own subnet"
        source = f"planes.{plane.name}.separation"
        yield _row(said, f"separation:{plane.name}", value, "", "derived", source, _consequences(shared, apart))


def _consequences(shared: str, apart: bool) -> str:
    """What it means to share, or not to share, a subnet: for failures, the manager, rates and routes."""
    if not shared:
        return (
            "own switches, own subnet manager, own LIDs and routes: a fault, a sweep or congestion here touches no other "
            "plane; costs its own switches and manager hosts, and no path leads from one plane to another"
        )
    text = (
        f"shares with {shared} the subnet manager, the LID space and the switches in common: one manager fault or re-route "
        "touches all; bandwidth of common links is shared by VL weight, not reserved; groups run at the slowest member's rate"
    )
    if apart:
        return text + "; the partition keeps hosts from reaching each other, it does not keep faults apart"
    return text + "; nobody asked that hosts of the planes be kept from reaching each other"
