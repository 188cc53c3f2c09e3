"""The compare: every planned link against what its reference port was measured to be plugged into.

A link is keyed by its reference end (the switch end of a host link; between switches the lower tier, then name order):
ok, wrong or missing when that port has the planned far end, another one, or none. Links on reference ports without a row
in the plan are unplanned. All by index arithmetic over port slots; text is made only for what is not ok.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.diagnose.as_measured import Measured, read_measured
from asbuilt.diagnose.by_place import Graph, by_place
from asbuilt.diagnose.identity import Devices, Identity, identify, nameless, planned_devices
from asbuilt.diagnose.ports import Slots, far_slots
from asbuilt.diagnose.unmeasured import blind, tableless, unmeasured
from asbuilt.model.facts import MADE_GUID, Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import LinkSummary

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
OK, WRONG, MISSING, NOT_MEASURED = 0, 1, 2, 3
STATUS = ("ok", "wrong", "missing", "not_measured")
TIERS = {"leaf": 1, "spine": 2, "core": 3}


@dataclass(frozen=True, slots=True)
class Compared:
    """The compare's answer. Devices are numbered: planned ones first (rows of ``names``), then those nobody planned.

    ``a``, ``b``: port slots of the planned links in scope, reference end first; ``status`` per link; ``rows``: their rows in
    the plan. ``far``: for each slot the measured other end; ``evidence``: the row of ``measured.links`` that says so.
    ``unplanned``: reference and far slots of unplanned links. ``seen``: devices that were measured at all. ``number``: of each
    measured device. ``namesakes``: measured devices that share their name with another one.
    """

    slots: Slots
    names: pl.DataFrame
    rows: Array
    a: Array
    b: Array
    status: Array
    far: Array
    evidence: Array
    unplanned: tuple[Array, Array]
    seen: Array
    doubled: Array
    tableless: Array
    number: Array
    summary: LinkSummary
    measured: Measured
    namesakes: Array
    notes: tuple[str, ...] = field(default_factory=tuple)


def compare_links(plan: Plan, facts: Facts, scope: Array | None = None, guids: pl.DataFrame | None = None) -> Compared:
    """Hold ``plan.links`` against ``facts``. ``scope``: which links are built (all, when None); ``guids``: a GUID list."""
    devices = planned_devices(plan.links)
    measured = read_measured(facts)
    ends = [devices.a, plan.links["a_port"].to_numpy(), devices.b, plan.links["b_port"].to_numpy()]
    identity, notes = _who(devices, measured, ends, guids)
    count = devices.frame.height
    number = np.where(identity.planned >= 0, identity.planned, count + np.arange(measured.devices.height))
    names = _names(devices, measured, identity.planned >= 0)
    own, far, port, far_port, evidence = _cables(devices, measured, number, ends, names)
    if plan.design is None:
        ends = _oriented(plan, names, ends, (own, far))
    slots = Slots.over(names.height, (ends[0], ends[1]), (ends[2], ends[3]), (own, port), (far, far_port))
    a, b = slots.of(ends[0], ends[1]), slots.of(ends[2], ends[3])
    near_slot, far_slot = slots.of(own, port), slots.of(far, far_port)
    seen_far = far_slots(slots, near_slot, far_slot)
    row_of = np.full(len(slots), -1, np.int64)
    row_of[far_slot[::-1]] = evidence[::-1]
    row_of[near_slot[::-1]] = evidence[::-1]
    inside = np.ones(len(a), bool) if scope is None else scope
    seen = np.zeros(names.height, bool)
    seen[own] = seen[far] = True
    status = np.where(seen_far[a] < 0, MISSING, np.where(seen_far[a] == b, OK, WRONG))
    mute = tableless(plan, names, measured, number)
    unseen = unmeasured(plan, measured, number, ends, seen) | blind(mute, seen, names["is_switch"].to_numpy(), ends)
    status = np.where((status == MISSING) & unseen, NOT_MEASURED, status)
    doubled = _doubled(len(slots), far_slot[names["is_switch"].to_numpy()[own]])
    unplanned = _unplanned(plan, names, slots, a, b, inside, seen_far, (own, far))
    counts = np.bincount(status[inside], minlength=4)
    summary = LinkSummary(
        planned=int(inside.sum()),
        ok=int(counts[OK]),
        wrong=int(counts[WRONG]),
        missing=int(counts[MISSING]),
        not_measured=int(counts[NOT_MEASURED]),
        unplanned=len(unplanned[0]),
        out_of_scope=int((~inside).sum()),
    )
    rows = np.flatnonzero(inside)
    return Compared(
        slots=slots,
        names=names,
        rows=rows,
        a=a[inside],
        b=b[inside],
        status=status[inside],
        far=seen_far,
        evidence=row_of,
        unplanned=unplanned,
        seen=seen,
        doubled=doubled,
        tableless=mute,
        number=number,
        summary=summary,
        measured=measured,
        namesakes=identity.doubled,
        notes=identity.notes + tuple(notes),
    )


def _who(devices: Devices, measured: Measured, ends: list[Array], guids: pl.DataFrame | None) -> tuple[Identity, list[str]]:
    """Identity by list and name, completed by place for devices without a name of their own: a factory's, or another's too."""
    identity = identify(devices, measured.devices, guids)
    aggregation = measured.aggregation
    open_ = ~aggregation & (identity.planned < 0)
    rows = np.flatnonzero(open_)
    if len(rows):
        open_[rows] = nameless(measured.devices[rows]) | identity.doubled[rows]
    if not open_.any():
        return identity, []
    switch = measured.is_switch
    keep = ~aggregation[measured.own] & ~aggregation[measured.far]
    box = _chassis(measured.devices, measured.own, measured.port)
    own, port, far, far_port = (x[keep] for x in (box[measured.own], measured.port, box[measured.far], measured.far_port))
    both = [np.concatenate(x) for x in ((own, far), (port, far_port), (far, own), (far_port, port))]
    _, once = np.unique(both[0] * 4096 + both[1], return_index=True)  # most cables are told from both ends
    seen = Graph(both[0][once], both[1][once], both[2][once], both[3][once], switch)
    planned = Graph.of(devices.frame["is_switch"].to_numpy(), ends[0], ends[1], ends[2], ends[3])
    known, notes = by_place(planned, seen, identity.planned, open_, _silent(measured))
    known = np.where(identity.planned >= 0, identity.planned, known[box])
    return Identity(known, identity.how, identity.notes, identity.doubled), notes


def _silent(measured: Measured) -> Array:
    """Devices that only their neighbours speak of, under a key that LLDP facts made: they may have a table of their own."""
    silent = measured.devices["guid"].str.starts_with(MADE_GUID).to_numpy().copy()
    silent[measured.own] = False
    found: Array = silent
    return found


def _chassis(devices: pl.DataFrame, own: Array, port: Array) -> Array:
    """For each device the one that stands for its chassis: switch ASICs with one system GUID that share no port number."""
    import polars as pl

    box = np.arange(devices.height)
    asics = devices.with_row_index("row").filter((pl.col("kind") == "switch") & pl.col("system_guid").is_not_null())
    asics = asics.filter(pl.len().over("system_guid") > 1).select(pl.col("row").cast(pl.Int64), "system_guid")
    if not asics.height:
        return box
    ports = asics.join(pl.DataFrame({"row": own, "port": port}), on="row", how="left").drop_nulls()
    twice = ports.unique(["row", "port"]).filter(pl.len().over("system_guid", "port") > 1)["system_guid"]
    whole = asics.filter(~pl.col("system_guid").is_in(twice.unique().implode()))
    box[whole["row"].to_numpy()] = whole.select(pl.col("row").min().over("system_guid"))["row"].to_numpy()
    return box


def _names(devices: Devices, measured: Measured, known: Array) -> pl.DataFrame:
    """name, place (what a person walks to: the node of a NIC), is_switch of planned devices, then of measured ones."""
    import polars as pl

    planned = devices.frame.select("name", "key", "is_switch")
    if known.all():  # nobody speaks of these rows: each is a planned device
        blank = pl.repeat("", len(known), eager=True)
        return pl.concat([planned, pl.DataFrame({"name": blank, "key": blank, "is_switch": measured.is_switch})])
    found = measured.devices.select(
        pl.when(pl.col("description").str.strip_chars() == "")
        .then(pl.format("GUID {}", "guid"))
        .otherwise(pl.format("{} (GUID {})", pl.col("description").str.strip_chars(), "guid"))
        .alias("name"),
        pl.col("guid").alias("key"),
        pl.Series("is_switch", measured.is_switch),
    )
    return pl.concat([planned, found])


def _cables(
    devices: Devices, measured: Measured, number: Array, ends: list[Array], names: pl.DataFrame
) -> tuple[Array, Array, Array, Array, Array]:
    """Measured link rows that are cables, in joint numbers: own, far, ports, row. Aggregation nodes and links inside a
    director chassis are no cables. The one port of a NIC in use is the one port that the plan has of it."""
    aggregation = measured.aggregation
    keep = None
    if aggregation.any():
        keep = ~aggregation[measured.own] & ~aggregation[measured.far]
    switches = np.flatnonzero(measured.is_switch)
    board = measured.devices["description"].gather(switches).str.extract(r"^MF0;([^:]*):[^/]*/[LS]\d+", 1)
    if board.null_count() < board.len():
        chassis, on_board = np.zeros(measured.devices.height, np.uint64), np.zeros(measured.devices.height, bool)
        chassis[switches] = board.fill_null("").hash().to_numpy()
        on_board[switches] = board.is_not_null().to_numpy()
        inner = (chassis[measured.own] == chassis[measured.far]) & on_board[measured.own] & on_board[measured.far]
        keep = ~inner if keep is None else keep & ~inner
    row = np.arange(len(measured.own)) if keep is None else np.flatnonzero(keep)
    own, far = number[measured.own[row]], number[measured.far[row]]
    port, far_port = measured.port[row].copy(), measured.far_port[row].copy()
    count = devices.frame.height
    is_switch = names["is_switch"].to_numpy()
    planned_ports, wanted = np.bincount(ends[2], minlength=names.height), np.zeros(names.height, np.int64)
    wanted[ends[2]] = ends[3]
    mixed, some = np.zeros(names.height, bool), np.full(names.height, -1, np.int64)
    sides = [
        (device[hosts], number_[hosts]) for device, number_ in ((own, port), (far, far_port)) for hosts in (~is_switch[device],)
    ]
    for device, number_ in sides:
        some[device] = number_
    for device, number_ in sides:
        mixed[device[some[device] != number_]] = True
    single = (planned_ports == 1) & (some >= 0) & ~mixed & ~is_switch & (np.arange(names.height) < count)
    port[single[own]] = wanted[own[single[own]]]
    far_port[single[far]] = wanted[far[single[far]]]
    return own, far, port, far_port, row


def tiers(plan: Plan, names: pl.DataFrame, ends: tuple[Array, Array], cables: tuple[Array, Array]) -> Array:
    """The tier of every device: 0 hosts, then by the plan's switch roles, else by distance from the hosts (9: none).

    ``ends`` and ``cables`` are the devices that planned and measured links join.
    """
    import polars as pl

    is_switch = names["is_switch"].to_numpy()
    tier = np.where(is_switch, 9, 0)
    # Measured links only speak of devices that the plan says nothing about: a misplaced cable must not move a switch.
    for joins in ([ends], [ends, cables]):
        pairs = []
        for one, two in joins:
            if not (tier == 9).any():
                break
            switch = is_switch[one], is_switch[two]
            for bearing in (one[switch[0] & ~switch[1]], two[switch[1] & ~switch[0]]):
                tier[bearing[tier[bearing] == 9]] = 1
            both = np.flatnonzero(switch[0] & switch[1])
            pairs += [(one[both], two[both]), (two[both], one[both])]
        for level in range(2, 5):
            before = tier == level - 1
            pairs = [(near[open_], far[open_]) for near, far in pairs for open_ in (tier[near] == 9,)]
            for near, far in pairs:
                tier[near[before[far] & (tier[near] == 9)]] = level
    if plan.has("switches"):
        roles = plan.table("switches").select(pl.col("switch").alias("key"), pl.col("role").replace_strict(TIERS, default=9))
        said = names.select("key").join(roles, on="key", how="left", maintain_order="left")["role"].fill_null(-1).to_numpy()
        tier = np.where(said >= 0, said, tier)
    return tier


def _oriented(plan: Plan, names: pl.DataFrame, ends: list[Array], cables: tuple[Array, Array]) -> list[Array]:
    """Planned ends with the lower tier first between switches, then name order: rows of foreign plans come either way."""
    is_switch = names["is_switch"].to_numpy()
    a, b = ends[0], ends[2]
    between = is_switch[a] & is_switch[b]
    if not between.any():
        return ends
    tier = tiers(plan, names, (a, b), cables)
    turn = between & (tier[b] < tier[a])
    even = between & (tier[b] == tier[a])
    if even.any():
        order = names["name"].str.to_lowercase().rank("dense").to_numpy()
        turn |= even & (order[b] < order[a])
    pairs = ((0, 2), (1, 3), (2, 0), (3, 1))
    return [np.where(turn, ends[other], ends[mine]) for mine, other in pairs]


def _doubled(count: int, far: Array) -> Array:
    """Slots that more than one switch port says it is plugged into: one identity on two devices."""
    return np.bincount(far, minlength=count) > 1


def _unplanned(
    plan: Plan, names: pl.DataFrame, slots: Slots, a: Array, b: Array, inside: Array, far: Array, cables: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Reference and far slots of measured links of a planned class whose reference port has no row in the plan."""
    is_switch = names["is_switch"].to_numpy()
    planned = np.zeros(len(slots), bool)
    planned[a] = True
    between = is_switch[slots.device[b[inside]]]
    classes = (bool((~between).any()), bool(between.any()))
    slot = np.flatnonzero(far >= 0)
    # A cable between two reference ports is judged at the planned one, never twice.
    slot = slot[~planned[slot]]
    slot = slot[~planned[far[slot]]]
    other = far[slot]
    near_switch, far_switch = is_switch[slots.device[slot]], is_switch[slots.device[other]]
    use = near_switch & ~far_switch & classes[0]
    both = near_switch & far_switch
    if both.any() and classes[1]:
        tier = tiers(plan, names, (slots.device[a], slots.device[b]), cables)
        order = names["name"].str.to_lowercase().rank("dense").to_numpy()
        mine, theirs = slots.device[slot], slots.device[other]
        even = tier[mine] == tier[theirs]
        first = (order[mine] < order[theirs]) | ((order[mine] == order[theirs]) & (slot < other))
        use |= both & ((tier[mine] < tier[theirs]) | (even & first) | (far[other] != slot))
    return slot[use], other[use]
