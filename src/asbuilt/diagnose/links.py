"""The compare: every planned link against what its reference port was measured to be plugged into.

A link is keyed by its reference end (the switch end of a host link; between switches the lower tier, then name order):
ok, wrong or missing when that port has the planned far end, another one, or none. Links on reference ports without a row
in the plan are unplanned. All by index arithmetic over port slots; text is made only for what is not ok.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.interning import distinct_numbers
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
class Measured:
    """Measured devices and links as numbers: rows of ``devices``; per link row own device, port, far device, far port."""

    devices: pl.DataFrame
    links: pl.DataFrame
    own: Array
    port: Array
    far: Array
    far_port: Array
    has_record: Array
    incomplete: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """The compare's answer. Devices are numbered: planned ones first (rows of ``names``), then those nobody planned.

    ``a``, ``b``: port slots of the planned links in scope, reference end first; ``status`` per link; ``rows``: their rows in
    the plan. ``far``: for each slot the measured other end; ``evidence``: the row of ``measured.links`` that says so.
    ``unplanned``: reference and far slots of unplanned links. ``seen``: devices that were measured at all.
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
    summary: LinkSummary
    measured: Measured
    notes: tuple[str, ...] = field(default_factory=tuple)


def read_measured(facts: Facts) -> Measured:
    """Number the devices of ``facts``; peers without a record of their own are devices too.

    Raises ``KeyError`` when the facts hold no ``link_facts``.
    """
    import polars as pl

    links = facts.tables["link_facts"]
    known = facts.tables.get("device_facts")
    said = links.select(
        pl.col("peer_guid").alias("guid"),
        pl.lit(None, dtype=pl.String).alias("system_guid"),
        pl.col("peer_kind").alias("kind"),
        pl.col("peer_description").alias("description"),
    )
    told = known.select(said.columns) if known is not None else said.clear()
    index, first = distinct_numbers(pl.concat([told["guid"], links["guid"], said["guid"]]).hash().to_numpy())
    n = told.height
    own, far = index[n : n + links.height], index[n + links.height :]
    has_record = np.zeros(len(first), bool)
    has_record[index[:n]] = True
    has_record[own] = True
    if len(first) == n:
        devices = told
    else:
        devices = pl.concat([told, links.select(pl.col("guid"), *_unknown()), said], how="vertical")[first]
    devices, far, has_record = _apart(devices, own, far, has_record)
    incomplete = any(bool(v) for k, v in facts.details.items() if k.partition(":")[0] == "incomplete") or not bool(
        has_record.all()
    )
    port, far_port = links["port"].to_numpy(), links["peer_port"].to_numpy()
    return Measured(devices, links, own, port, far, far_port, has_record, incomplete)


def _apart(devices: pl.DataFrame, own: Array, far: Array, has_record: Array) -> tuple[pl.DataFrame, Array, Array]:
    """NICs without a name that only others speak of: one of them at many ports is many devices, not one."""
    import polars as pl

    many = np.bincount(far, minlength=devices.height) > 1
    many[own] = False
    if not many.any():
        return devices, far, has_record
    many &= nameless(devices) & (devices["kind"] != "switch").to_numpy()
    rows = np.flatnonzero(many[far])
    copies = devices[far[rows]].with_columns(
        pl.concat_str(["guid", pl.lit("/"), pl.Series(rows).cast(pl.String)]).alias("guid")
    )
    far = far.copy()
    far[rows] = devices.height + np.arange(len(rows))
    return pl.concat([devices, copies]), far, np.concatenate([has_record, np.ones(len(rows), bool)])


def _unknown() -> list[pl.Expr]:
    import polars as pl

    none = pl.lit(None, dtype=pl.String)
    return [none.alias("system_guid"), pl.lit("switch").alias("kind"), pl.lit("").alias("description")]


def compare_links(plan: Plan, facts: Facts, scope: Array | None = None, guids: pl.DataFrame | None = None) -> Compared:
    """Hold ``plan.links`` against ``facts``. ``scope``: which links are built (all, when None); ``guids``: a GUID list."""
    devices = planned_devices(plan.links)
    measured = read_measured(facts)
    ends = [devices.a, plan.links["a_port"].to_numpy(), devices.b, plan.links["b_port"].to_numpy()]
    identity, notes = _who(devices, measured, ends, guids)
    count = devices.frame.height
    number = np.where(identity.planned >= 0, identity.planned, count + np.arange(measured.devices.height))
    names = _names(devices, measured)
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
        summary=summary,
        measured=measured,
        notes=identity.notes + tuple(notes),
    )


def _who(devices: Devices, measured: Measured, ends: list[Array], guids: pl.DataFrame | None) -> tuple[Identity, list[str]]:
    """Identity by list and name, completed by place for devices without a name of their own."""
    identity = identify(devices, measured.devices, guids)
    aggregation = (measured.devices["kind"] == "aggregation").to_numpy()
    open_ = ~aggregation & (identity.planned < 0)
    rows = np.flatnonzero(open_)
    if len(rows):
        open_[rows] = nameless(measured.devices[rows])
    if not open_.any():
        return identity, []
    switch = (measured.devices["kind"] == "switch").to_numpy()
    keep = ~aggregation[measured.own] & ~aggregation[measured.far]
    box = _chassis(measured.devices, measured.own, measured.port)
    own, port, far, far_port = (x[keep] for x in (box[measured.own], measured.port, box[measured.far], measured.far_port))
    both = [np.concatenate(x) for x in ((own, far), (port, far_port), (far, own), (far_port, port))]
    _, once = np.unique(both[0] * 4096 + both[1], return_index=True)  # most cables are told from both ends
    seen = Graph(both[0][once], both[1][once], both[2][once], both[3][once], switch)
    planned = Graph.of(devices.frame["is_switch"].to_numpy(), ends[0], ends[1], ends[2], ends[3])
    known, notes = by_place(planned, seen, identity.planned, open_, _silent(measured))
    known = np.where(identity.planned >= 0, identity.planned, known[box])
    return Identity(known, identity.how, identity.notes), notes


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


def _names(devices: Devices, measured: Measured) -> pl.DataFrame:
    """name, place (what a person walks to: the node of a NIC), is_switch of planned devices, then of measured ones."""
    import polars as pl

    planned = devices.frame.select("name", pl.col("key").alias("key"), "is_switch")
    found = measured.devices.select(
        pl.when(pl.col("description").str.strip_chars() == "")
        .then(pl.format("GUID {}", "guid"))
        .otherwise(pl.format("{} (GUID {})", pl.col("description").str.strip_chars(), "guid"))
        .alias("name"),
        pl.col("guid").alias("key"),
        (pl.col("kind") == "switch").alias("is_switch"),
    )
    return pl.concat([planned, found])


def _cables(
    devices: Devices, measured: Measured, number: Array, ends: list[Array], names: pl.DataFrame
) -> tuple[Array, Array, Array, Array, Array]:
    """Measured link rows that are cables, in joint numbers: own, far, ports, row. Aggregation nodes and links inside a
    director chassis are no cables. The one port of a NIC in use is the one port that the plan has of it."""
    aggregation = (measured.devices["kind"] == "aggregation").to_numpy()
    keep = ~aggregation[measured.own] & ~aggregation[measured.far]
    switches = np.flatnonzero((measured.devices["kind"] == "switch").to_numpy())
    board = measured.devices["description"].gather(switches).str.extract(r"^MF0;([^:]*):[^/]*/[LS]\d+", 1)
    if board.null_count() < board.len():
        chassis, on_board = np.zeros(measured.devices.height, np.uint64), np.zeros(measured.devices.height, bool)
        chassis[switches] = board.fill_null("").hash().to_numpy()
        on_board[switches] = board.is_not_null().to_numpy()
        inner = (chassis[measured.own] == chassis[measured.far]) & on_board[measured.own] & on_board[measured.far]
        keep &= ~inner
    row = np.flatnonzero(keep)
    own, far = number[measured.own[row]], number[measured.far[row]]
    port, far_port = measured.port[row].copy(), measured.far_port[row].copy()
    count = devices.frame.height
    is_switch = names["is_switch"].to_numpy()
    planned_ports, wanted = np.bincount(ends[2], minlength=names.height), np.zeros(names.height, np.int64)
    wanted[ends[2]] = ends[3]
    low, high = np.full(names.height, 1 << 30), np.zeros(names.height, np.int64)
    for device, number_ in ((own, port), (far, far_port)):
        np.minimum.at(low, device, number_)
        np.maximum.at(high, device, number_)
    single = (planned_ports == 1) & (low == high) & ~is_switch & (np.arange(names.height) < count)
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
        for one, two in joins:
            for near, far in ((one, two), (two, one)):
                bearing = near[~is_switch[far] & is_switch[near]]
                tier[bearing[tier[bearing] == 9]] = 1
        between = [(one[both], two[both]) for one, two in joins for both in (is_switch[one] & is_switch[two],)]
        for level in range(2, 5):
            before = tier == level - 1
            for one, two in between:
                for near, far in ((one, two), (two, one)):
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
