"""RDMA over Ethernet as measured: code points along a link, queues, headroom, the default mark of a host's connections."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from asbuilt.checks.answers import amount, judge, nothing, untold
from asbuilt.checks.registry import check
from asbuilt.checks.roce_hops import beside, hops, settings
from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Layer, Severity

_PLAN = ("roce_ports", "roce_classes")
_NONE = "no plane carries RDMA over Ethernet"
_SEEN = ("capture_id", "line")


@check("NET-006", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def both_ends_read_code_points_alike(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Both ends of every link take each code point for the same priority, also those that the plan does not name.

    Why: other traffic that one hop takes for lossless fills the buffer that RDMA counts on, and is told to pause with it.
    Measured by: the maps of both ends: mlnx_qos, nv show ... qos, config_db.json. Code points of RDMA are judged by NET-004.
    Repair: give both ends of the link named in the finding one map.
    Source: IEEE 802.1Qbb (the priority is that of the link); RFC 2474.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    maps = code_points(ports, settings(plan, facts, "dscp_to_priority"))
    at = ports.select("device", "interface").with_row_index("at")
    far = ports.join(
        at, left_on=["peer", "peer_interface"], right_on=["device", "interface"], how="left", maintain_order="left"
    )
    # One row for each link: its reference end is the one with the smaller key.
    once = far.with_row_index("own").filter(
        pl.col("at").is_not_null() & (pl.col("device") + pl.col("interface") > pl.col("peer") + pl.col("peer_interface"))
    )
    here, there = maps[once["own"].to_numpy()], maps[once["at"].to_numpy()]
    both = (here >= 0) & (there >= 0)
    points = np.arange(maps.shape[1])
    named = (points == once["roce_dscp"].to_numpy()[:, None]) | (points == once["cnp_dscp"].to_numpy()[:, None])
    off = both & (here != there) & ~named
    told = [_runs(here[row], there[row], np.flatnonzero(off[row])) if differs else "" for row, differs in enumerate(off.any(1))]
    rows = once.with_columns(
        pl.Series("points", told, dtype=pl.String), pl.Series("read", (both & ~named).any(axis=1)), _evidence(once, plan, facts)
    ).unnest("evidence")
    return judge(
        rows,
        subject=pl.col("link"),
        ok=pl.when(pl.col("read")).then(pl.col("points") == ""),
        expected=pl.lit("one map at both ends"),
        found=pl.when(pl.col("read"))
        .then(pl.format("{} takes {}", "name", "points"))
        .otherwise(pl.lit("the map of an end is unread")),
        evidence=_SEEN,
    )


def _runs(here: NDArray[np.int16], there: NDArray[np.int16], points: NDArray[np.intp]) -> str:
    """Neighbouring code points with equal priorities as one: ``DSCP 8-11 for priority 3, not 1``."""
    said: list[list[int]] = []
    for point in points.tolist():
        pair = [int(here[point]), int(there[point])]
        if said and said[-1][1] == point - 1 and said[-1][2:] == pair:
            said[-1][1] = point
        else:
            said.append([point, point, *pair])
    return ", ".join(
        f"DSCP {first}{'' if first == last else f'-{last}'} for priority {own}, not {far}" for first, last, own, far in said
    )


def code_points(ports: pl.DataFrame, rows: pl.DataFrame) -> NDArray[np.int16]:
    """Priority of every code point at every port, -1 where unread: what the device says of itself, then of the port."""
    known = rows.filter(pl.col("index").is_not_null() & pl.col("value").is_not_null())
    width = int(known["index"].max() or 0) + 1  # type: ignore[arg-type]
    devices = ports.select("device").unique(maintain_order=True).with_row_index("d")
    whole = known.filter(pl.col("interface").is_null()).join(devices, on="device")
    of_device = np.full((devices.height, width), -1, np.int16)
    of_device[whole["d"].to_numpy(), whole["index"].to_numpy()] = whole["value"].cast(pl.Int16).to_numpy()
    maps: NDArray[np.int16] = of_device[ports.join(devices, on="device", maintain_order="left")["d"].to_numpy()]
    at = ports.select("device", "interface").with_row_index("p")
    own = known.filter(pl.col("interface").is_not_null()).join(at, on=["device", "interface"])
    maps[own["p"].to_numpy(), own["index"].to_numpy()] = own["value"].cast(pl.Int16).to_numpy()
    return maps


def _evidence(ports: pl.DataFrame, plan: Plan, facts: Facts) -> pl.Series:
    """Where the map of each port was read."""
    rows = beside(ports, settings(plan, facts, "dscp_to_priority").unique(["device", "interface"], maintain_order=True))
    return rows.select(pl.struct(*_SEEN).alias("evidence"))["evidence"]


@check("NET-007", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def priorities_take_the_planned_queue(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every hop sends RDMA and notifications through the planned queues.

    Why: thresholds and shares are set on queues: traffic in another queue is neither marked nor sure of its share.
    Measured by: mlnx_qos -i on hosts; nv show ... qos, config_db.json on switches.
    Repair: set the map from priority to queue of the port named in the finding.
    Source: plan table `roce_classes`.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    queues = settings(plan, facts, "priority_to_tc")
    rows = ports
    for traffic in ("roce", "cnp"):
        found = beside(ports, queues, at=f"{traffic}_priority").select(
            "subject", *(pl.col(c).alias(f"{traffic}_{c}") for c in ("value", *_SEEN))
        )
        rows = rows.join(found, on="subject", how="left", maintain_order="left")
    rows = rows.with_columns(*(pl.coalesce(f"roce_{c}", f"cnp_{c}").alias(c) for c in _SEEN))
    ok = (pl.col("roce_value") == pl.col("roce_queue")) & (pl.col("cnp_value") == pl.col("cnp_queue"))
    text = "priority {} in queue {}, priority {} in queue {}"
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=ok,
        expected=pl.format(text, "roce_priority", "roce_queue", "cnp_priority", "cnp_queue"),
        found=pl.format(text, "roce_priority", amount(pl.col("roce_value")), "cnp_priority", amount(pl.col("cnp_value"))),
        evidence=_SEEN,
    )


@check("NET-008", layer=Layer.FABRIC, needs=_PLAN, since="0.1")
def headroom_is_made_for_the_cable(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every hop that says how long its cable is, or how much headroom it keeps, says at least what is planned.

    Why: headroom for a shorter cable overflows with the frames that were under way when the pause was sent.
    Measured by: mlnx_qos (cable len), nv show ... qos roce (cable-length), config_db.json (BUFFER_PROFILE xoff, CABLE_LENGTH).
        Ports whose devices size it by themselves and print neither are not applicable.
    Repair: set the cable length of the port to that of the finding, or longer.
    Source: plan table `roce_ports`, columns `cable_m` and `headroom_bytes`.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan)
    length = beside(ports, settings(plan, facts, "cable_length_m")).select("subject", *_SEEN, metres="value")
    room = beside(ports, settings(plan, facts, "xoff_bytes"), at="roce_priority")
    room = room.select("subject", room="value", room_capture="capture_id", room_line="line")
    rows = ports.join(length, on="subject", how="left", maintain_order="left").join(
        room, on="subject", how="left", maintain_order="left"
    )
    rows = rows.with_columns(
        pl.coalesce("capture_id", "room_capture").alias("capture_id"), pl.coalesce("line", "room_line").alias("line")
    )
    long = (pl.col("metres") >= pl.col("cable_m")).fill_null(True)
    large = (pl.col("room") >= pl.col("headroom_bytes")).fill_null(True)
    said = [
        pl.when(pl.col("metres").is_not_null()).then(pl.format("a cable of {}", amount(pl.col("metres"), "m"))),
        pl.when(pl.col("room").is_not_null()).then(pl.format("headroom of {}", amount(pl.col("room"), "bytes"))),
    ]
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=long & large,
        applies=pl.col("metres").is_not_null() | pl.col("room").is_not_null(),
        expected=pl.format(
            "a cable of {}, headroom of {}", amount(pl.col("cable_m"), "m"), amount(pl.col("headroom_bytes"), "bytes")
        ),
        found=pl.concat_str(said, separator=", ", ignore_nulls=True),
        evidence=_SEEN,
    )


@check("NET-012", layer=Layer.FABRIC, severity=Severity.MAJOR, needs=_PLAN, since="0.1")
def connections_are_marked_by_default(plan: Plan, facts: Facts) -> pl.DataFrame:
    """Every RDMA port whose default mark was read gives connections the code point of RDMA.

    Why: connections with another mark travel as ordinary traffic: the fabric is set up for them, and they do not use it.
    Measured by: cma_roce_tos -d DEVICE. Ports that nobody asked are not applicable: applications may set the mark themselves.
    Repair: cma_roce_tos -d DEVICE -t TOS with the type of service of the finding (four times the DSCP), at every boot.
    Source: plan table `roce_classes`; RFC 2474 section 3.
    """
    if plan.table("roce_ports").is_empty():
        return nothing(_NONE)
    if not facts.has("roce_facts"):
        return untold("settings of RDMA over Ethernet")
    ports = hops(plan).filter(pl.col("role") == "host")
    tos = beside(ports, settings(plan, facts, "cma_tos"))
    mark = beside(ports, settings(plan, facts, "cma_dscp")).select("subject", mark="value")
    rows = tos.join(mark, on="subject", how="left", maintain_order="left")
    unset = (
        pl.when(pl.col("mark").is_null()).then(pl.lit("no code point")).otherwise(pl.format("DSCP {}", amount(pl.col("mark"))))
    )
    return judge(
        rows,
        subject=pl.col("subject"),
        ok=(pl.col("mark") == pl.col("roce_dscp")).fill_null(False),
        applies=pl.col("value").is_not_null(),
        expected=pl.format("DSCP {}", "roce_dscp"),
        found=unset,
        evidence=_SEEN,
    )
