"""A discovery dump of the declared fabric for the parse and compare benches, written without the product's twin."""

from __future__ import annotations

import numpy as np
import polars as pl
from fabric import plane

from asbuilt.plan.wiring import wire


def dump(gpus: int, swaps: int = 0, seed: int = 7) -> bytes:
    """`ibnetdiscover` text of the fabric with ``gpus`` GPUs; ``swaps`` pairs of host cables exchanged.

    Every node is eight channel adapters; every link is printed from both sides, as the real tool does.
    """
    wired = wire(plane(gpus))
    switches = len(wired.switches)
    host = wired.node_leaf
    far = host.b_device.astype(np.int64) * 8 + host.b_port - 1
    if swaps:
        chosen = np.random.default_rng(seed).choice(len(host), 2 * swaps, replace=False)
        far[chosen] = far[chosen.reshape(-1, 2)[:, ::-1].reshape(-1)]
    rows = [_side(host.a_switch, host.a_port, far, np.ones(len(host), np.int32), True)]
    for kind in (wired.leaf_spine, wired.spine_core):
        rows.append(_side(kind.a_switch, kind.a_port, kind.b_device, kind.b_port, False))
        rows.append(_side(kind.b_device, kind.b_port, kind.a_switch, kind.a_port, False))
    return "\n".join([*_switch_blocks(pl.concat(rows), switches), *_host_blocks(host, far)]).encode() + b"\n"


def _side(device: np.ndarray, port: np.ndarray, peer: np.ndarray, peer_port: np.ndarray, host: bool) -> pl.DataFrame:
    frame = pl.DataFrame({"device": device, "port": port, "peer": peer.astype(np.int64), "peer_port": peer_port})
    if host:
        text = pl.format(
            '[{}]\t"H-{}"[1]({}) \t\t# "node{} mlx5_{}" lid {} 4xNDR',
            pl.col("port"),
            _guid(pl.col("peer"), 2),
            _guid(pl.col("peer"), 2),
            pl.col("peer") // 8,
            pl.col("peer") % 8,
            pl.col("peer") % 49151 + 1,
        )
    else:
        text = pl.format(
            '[{}]\t"S-{}"[{}]\t\t# "sw-{}" lid {} 4xNDR',
            pl.col("port"),
            _guid(pl.col("peer"), 1),
            pl.col("peer_port"),
            pl.col("peer"),
            pl.col("peer") % 49151 + 1,
        )
    return frame.select("device", "port", text.alias("text"))


def _guid(number: pl.Expr, kind: int) -> pl.Expr:
    """16 decimal digits stand for the 16 hex digits of a GUID: the first names the kind."""
    return pl.format("{}{}", pl.lit(str(kind)), number.cast(pl.String).str.zfill(15))


def _switch_blocks(rows: pl.DataFrame, switches: int) -> list[str]:
    head = pl.DataFrame({"device": np.arange(switches, dtype=np.int32)}).select(
        "device",
        pl.lit(0, pl.Int32).alias("port"),
        pl.format(
            "\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{}\nswitchguid=0x{}({})\n"
            'Switch\t128 "S-{}"\t\t# "sw-{}" enhanced port 0 lid {} lmc 0',
            _guid(pl.col("device"), 1),
            _guid(pl.col("device"), 1),
            _guid(pl.col("device"), 1),
            _guid(pl.col("device"), 1),
            pl.col("device"),
            pl.col("device") % 49151 + 1,
        ).alias("text"),
    )
    return pl.concat([head, rows]).sort("device", "port", maintain_order=True)["text"].to_list()


def _host_blocks(host: object, far: np.ndarray) -> list[str]:
    frame = pl.DataFrame({"leaf": host.a_switch, "port": host.a_port, "far": far})  # type: ignore[attr-defined]
    guid = _guid(pl.col("far"), 2)
    text = pl.format(
        '\nvendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{}\ncaguid=0x{}\nCa\t1 "H-{}"\t\t# "node{} mlx5_{}"\n'
        '[1]({}) \t"S-{}"[{}]\t\t# lid {} lmc 0 "sw-{}" lid {} 4xNDR',
        guid,
        guid,
        guid,
        pl.col("far") // 8,
        pl.col("far") % 8,
        guid,
        _guid(pl.col("leaf"), 1),
        pl.col("port"),
        pl.col("far") % 49151 + 1,
        pl.col("leaf"),
        pl.col("leaf") % 49151 + 1,
    )
    return frame.select(text.alias("text"))["text"].to_list()
