"""A rail-optimised fat tree as a links table and as the text of ``ibnetdiscover``, for tests and benches.

Written apart from the product's own twin, by index arithmetic alone, so that the two can hold each other honest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

RAILS, DOWN = 8, 32
Array = np.ndarray[Any, Any]
SWITCH_BASE, CA_BASE = 0x0C42A10300000000, 0x1C34DA0300000000


@dataclass(frozen=True)
class Fabric:
    """Names and kinds per device, and one row per cable: device and port of both ends (the first is the reference end)."""

    names: list[str]
    is_switch: Array
    a: Array
    a_port: Array
    b: Array
    b_port: Array
    nodes: int

    def swapped(self, first: Array, second: Array) -> Fabric:
        """The far ends of cables ``first`` and ``second`` (row numbers) exchanged, pair by pair."""
        b, port = self.b.copy(), self.b_port.copy()
        b[first], b[second] = self.b[second], self.b[first]
        port[first], port[second] = self.b_port[second], self.b_port[first]
        return replace(self, b=b, b_port=port)

    def without(self, rows: Array) -> Fabric:
        """Cables ``rows`` unplugged."""
        keep = np.ones(len(self.a), bool)
        keep[rows] = False
        return replace(self, a=self.a[keep], a_port=self.a_port[keep], b=self.b[keep], b_port=self.b_port[keep])


def fabric(nodes: int) -> Fabric:
    """``nodes`` servers of 8 rails on 64-port switches: one leaf per 32 nodes and rail, pods of 32 leaves, cores if needed."""
    blocks = -(-nodes // DOWN)
    leaves = blocks * RAILS
    pods = -(-leaves // DOWN)
    spines = pods * DOWN
    cores_per_index = -(-pods * DOWN // 64) if pods > 1 else 0
    names = [f"leaf-{i // RAILS:04d}-r{i % RAILS}" for i in range(leaves)]
    names += [f"spine-{i // DOWN:03d}-{i % DOWN:02d}" for i in range(spines)]
    names += [f"core-{i:02d}-{j:02d}" for i in range(DOWN if cores_per_index else 0) for j in range(cores_per_index)]
    switches = len(names)
    names += [f"gpu{i // RAILS:05d} mlx5_{i % RAILS}" for i in range(nodes * RAILS)]
    nic = np.arange(nodes * RAILS)
    node, rail = nic // RAILS, nic % RAILS
    a, a_port, b, b_port = [(node // DOWN) * RAILS + rail], [node % DOWN + 1], [switches + nic], [np.ones_like(nic)]
    up = np.arange(leaves * DOWN)
    leaf, spine = up // DOWN, up % DOWN
    a.append(leaf)
    a_port.append(DOWN + 1 + spine)
    b.append(leaves + (leaf // DOWN) * DOWN + spine)
    b_port.append(leaf % DOWN + 1)
    if cores_per_index:
        up = np.arange(spines * DOWN)
        at, k = up // DOWN, up % DOWN
        slot = (at // DOWN) * DOWN + k
        a.append(leaves + at)
        a_port.append(DOWN + 1 + k)
        b.append(leaves + spines + (at % DOWN) * cores_per_index + slot % cores_per_index)
        b_port.append(slot // cores_per_index + 1)
    is_switch = np.arange(len(names)) < switches
    return Fabric(names, is_switch, *(np.concatenate(x) for x in (a, a_port, b, b_port)), nodes=nodes)


def links(cabling: Fabric) -> pl.DataFrame:
    """The cabling as rows of the plan's ``links`` table."""
    names = pl.Series(cabling.names)
    parts = names.str.split_exact(" ", 1).struct.unnest()
    host = ~cabling.is_switch
    device = pl.select(pl.when(pl.Series(host)).then(parts["field_0"]).otherwise(names)).to_series()
    frame = pl.DataFrame(
        {
            "a_device": device.gather(cabling.a),
            "a_port": cabling.a_port,
            "b_device": device.gather(cabling.b),
            "b_port": cabling.b_port,
            "b_nic": parts["field_1"].gather(cabling.b),
            "a_name": names.gather(cabling.a),
            "b_name": names.gather(cabling.b),
            "kind": pl.Series(["leaf_spine", "node_leaf"]).gather(host[cabling.b].astype(np.int64)),
        }
    )
    text = pl.format("link:{}/{}", "a_device", "a_port").alias("link")
    labels = [
        pl.col("a_port").cast(pl.String).alias("a_label"),
        pl.coalesce("b_nic", pl.col("b_port").cast(pl.String)).alias("b_label"),
    ]
    return frame.with_columns(text, *labels, pl.lit("compute").alias("plane"))


def guids(cabling: Fabric) -> pl.Series:
    """Node GUIDs as text, one per device."""
    number = np.arange(len(cabling.names)) * 16 + np.where(cabling.is_switch, SWITCH_BASE, CA_BASE)
    return pl.Series([f"{g:016x}" for g in number.tolist()])


def dump(cabling: Fabric, speed: str = "4xNDR", descriptions: list[str] | None = None) -> bytes:
    """The text that ``ibnetdiscover`` would print of this cabling, switches first, then channel adapters."""
    n = len(cabling.names)
    guid, short = guids(cabling), guids(cabling).str.strip_chars_start("0")
    letters = pl.Series(["H", "S"]).gather(cabling.is_switch.astype(np.int64))
    said = [name if host else f"MF0;{name}:MQM9700/U1" for name, host in zip(cabling.names, ~cabling.is_switch, strict=True)]
    known = pl.DataFrame(
        {"device": np.arange(n), "guid": guid, "short": short, "letter": letters, "text": descriptions or said}
    )
    known = known.with_columns(pl.col("device").add(1).alias("lid"))
    is_switch = pl.Series("sw", cabling.is_switch)
    head_switch = pl.format(
        '\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{}\nswitchguid=0x{}({})\n'
        'Switch\t64 "S-{}"\t\t# "{}" enhanced port 0 lid {} lmc 0',
        "short", "short", "short", "guid", "text", "lid",
    )  # fmt: skip
    head_ca = pl.format(
        '\nvendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{}\ncaguid=0x{}\nCa\t1 "H-{}"\t\t# "{}"', "short", "short", "guid", "text"
    )
    heads = known.with_columns(is_switch).with_columns(
        pl.when("sw").then(head_switch).otherwise(head_ca).alias("line"), pl.lit(0, pl.Int64).alias("port")
    )
    own = np.concatenate([cabling.a, cabling.b])
    ports = np.concatenate([cabling.a_port, cabling.b_port])
    far, far_ports = np.concatenate([cabling.b, cabling.a]), np.concatenate([cabling.b_port, cabling.a_port])
    rows = pl.DataFrame({"device": own, "port": ports, "far_port": far_ports}).with_columns(is_switch.gather(own).alias("sw"))
    peer = known.select(pl.all().name.prefix("p_"))[far]
    rows = pl.concat([rows, peer, known.select("short", "lid")[own]], how="horizontal")
    round_guid = pl.when(pl.col("p_letter") == "S").then(pl.lit("")).otherwise(pl.format("({}) ", "p_short"))
    from_switch = pl.format(
        '[{}]\t"{}-{}"[{}]{}\t\t# "{}" lid {} {}',
        "port", "p_letter", "p_guid", "far_port", round_guid, "p_text", "p_lid", pl.lit(speed),
    )  # fmt: skip
    from_ca = pl.format(
        '[{}]({}) \t"{}-{}"[{}]\t\t# lid {} lmc 0 "{}" lid {} {}',
        "port", "short", "p_letter", "p_guid", "far_port", "lid", "p_text", "p_lid", pl.lit(speed),
    )  # fmt: skip
    rows = rows.with_columns(pl.when("sw").then(from_switch).otherwise(from_ca).alias("line"))
    body = pl.concat([heads.select("device", "port", "line"), rows.select("device", "port", "line")]).sort("device", "port")
    text = "#\n# Topology file: generated by a test\n#\n" + "\n".join(body["line"].to_list()) + "\n"
    return text.encode()
