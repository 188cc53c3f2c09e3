"""What an Ethernet switch of the twin says about its neighbours: ``lldpcli -f json0 show neighbors``, one text per switch.

The regular form (json0) is rendered: the plain one turns a list of one interface into an object. Interfaces are named
``swp<port>`` in the plan's own port numbering; a split cage would be ``swp<cage>s<half>`` on a real switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from asbuilt.model.capture import Capture
from asbuilt.model.plan import Plan
from asbuilt.plan.guids import guids, hex16
from asbuilt.rehearse.built import Built, technologies

if TYPE_CHECKING:
    import polars as pl

_HEAD = '{"lldp":[{"interface":['
_TAIL = "]}]}\n"
_RECORD = (
    '{"name":"swp@","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"@"}],"name":[{"value":"@"}],'
    '"capability":[{"type":"Bridge","enabled":@},{"type":"Station","enabled":@}]}],'
    '"port":[{"id":[{"type":"ifname","value":"@"}]}]}'
)


def neighbour_captures(plan: Plan, built: Built, seed: int = 0) -> tuple[Capture, ...]:
    """One capture per Ethernet switch that is powered on; a switch without a live cable has an empty table."""
    import polars as pl

    table = technologies(plan).join(plan.table("switches").select("switch", "name", "spare"), on="switch")
    ethernet = table.filter((pl.col("technology") == "ethernet") & ~pl.col("spare")).sort("switch")
    ethernet = ethernet.filter(~pl.col("switch").is_in(list(built.absent)))
    if not ethernet.height:
        return ()
    rows = _rows(plan, built, ethernet["switch"], seed)
    texts = rows.sort("device", "port").group_by("device", maintain_order=True).agg(pl.col("text").str.join(","))
    known = dict(zip(texts["device"], texts["text"], strict=True))
    return tuple(
        Capture(f"lldp-{name}", f"{_HEAD}{known.get(switch, '')}{_TAIL}".encode(), "lldpctl", name)
        for switch, name in zip(ethernet["switch"], ethernet["name"], strict=True)
    )


def _rows(plan: Plan, built: Built, switches: pl.Series, seed: int) -> pl.DataFrame:
    """One row per switch port with a live neighbour: device, port, and the neighbour's JSON object."""
    import polars as pl

    live = built.live()
    ends = pl.concat(
        [
            live.filter(pl.col(f"{own}_nic").is_null() & pl.col(f"{own}_device").is_in(switches.implode())).select(
                pl.col(f"{own}_device").alias("device"),
                pl.col(f"{own}_port").alias("port"),
                *(pl.col(f"{far}_{n}").alias(f"far_{n}") for n in ("device", "port", "nic")),
            )
            for own, far in (("a", "b"), ("b", "a"))
        ]
    )
    ends = _clones(built, ends)
    names = pl.concat(
        [
            plan.table("switches").select(pl.col("switch").alias("far_device"), "name"),
            plan.table("nodes").select(pl.col("node").alias("far_device"), "name"),
        ]
    )
    ends = ends.join(names, on="far_device", how="left")
    macs = _macs(ends["far_device"], seed)
    name = pl.col("far_device").replace_strict(dict(zip(ends["far_device"], macs, strict=True)), return_dtype=pl.String)
    ends = ends.with_columns(name.alias("mac"))
    shown = pl.lit("localhost") if built.noname else pl.col("name")
    interface = pl.when(pl.col("far_nic").is_null()).then(pl.concat_str([pl.lit("swp"), "far_port"])).otherwise("far_nic")
    station = pl.when(pl.col("far_nic").is_null()).then(pl.lit("false")).otherwise(pl.lit("true"))
    bridge = pl.when(pl.col("far_nic").is_null()).then(pl.lit("true")).otherwise(pl.lit("false"))
    values = [pl.col("port").cast(pl.String), pl.col("mac"), shown, bridge, station, interface]
    pieces = [pl.lit(piece) for piece in _RECORD.split("@")]
    text = pl.concat_str([part for pair in zip(pieces, values, strict=False) for part in pair] + pieces[-1:])
    return ends.select("device", "port", text.alias("text"))


def _clones(built: Built, ends: pl.DataFrame) -> pl.DataFrame:
    """The far ends with every copied NIC port answering as its original."""
    import polars as pl

    if not built.clones:
        return ends
    key = pl.col("far_device") + "/" + pl.col("far_nic")
    pairs = {f"{b}/{n}": original for (b, n), original in built.clones.items()}
    return ends.with_columns(
        key.replace_strict({k: v[0] for k, v in pairs.items()}, default=pl.col("far_device")).alias("far_device"),
        key.replace_strict({k: v[1] for k, v in pairs.items()}, default=pl.col("far_nic")).alias("far_nic"),
    )


def _macs(devices: pl.Series, seed: int) -> list[str]:
    """A locally administered MAC address per device, from its natural key."""
    values = guids(devices, seed)
    digits = hex16((values >> np.uint64(8)) & np.uint64((1 << 40) - 1)).str.slice(6).to_list()
    return [":".join(("02", *(d[i : i + 2] for i in range(0, 10, 2)))) for d in digits]
