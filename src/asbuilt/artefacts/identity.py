"""What planned hardware answers when asked who it is, until the real one is known: GUIDs, descriptions, speed words.

GUIDs come from natural keys alone, so that a plan that grows keeps the GUIDs of what already stood. They are locally
administered (first byte 02), so no rendered GUID can be mistaken for real hardware, and they lie 256 apart: port GUIDs
(node GUID + port number) of up to 254 ports fit in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

GUID_SPACING = 256
_PREFIX = np.uint64(0x02) << np.uint64(56)
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)  # FNV-1a, 64 bit
_FNV_PRIME = np.uint64(0x100000001B3)
_HEX = np.frombuffer("".join(f"{b:02x}" for b in range(256)).encode(), dtype=np.uint8).reshape(256, 2)

# Lane rate of one InfiniBand generation in Gb/s (IBTA rate table), newest first.
LANE_GBPS = {"XDR": 200.0, "NDR": 100.0, "HDR": 50.0, "EDR": 25.0}
# The generation of a part, by the start of its catalogue id, with the PCI or switch device id that discovery prints.
PARTS = (
    ("q34", "XDR", 0xD2F4),
    ("q32", "XDR", 0xD2F4),
    ("qm97", "NDR", 0xD2F2),
    ("qm87", "HDR", 0xD2F0),
    ("connectx-8", "XDR", 0x1023),
    ("connectx-7", "NDR", 0x1021),
    ("bluefield-3", "NDR", 0xA2DC),
    ("connectx-6", "HDR", 0x101B),
)
AGGREGATION_DEVICE_ID = 0xCF09
VENDOR_ID = 0x2C9


def guids(keys: pl.Series, seed: int = 0) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Node GUIDs of natural keys: one uint64 per key, spaced `GUID_SPACING`, equal for equal keys and seed.

    ``seed`` stands for other hardware under the same plan. Two keys that hash alike (48 bits) are told apart in key order.
    """
    unique, back = np.unique(np.asarray(keys.to_list(), dtype=np.bytes_), return_inverse=True)
    body = _hash(unique, seed) & np.uint64((1 << 48) - 1)
    while True:
        order = np.argsort(body, kind="stable")
        same = np.zeros(len(body), dtype=bool)
        same[order[1:]] = body[order[1:]] == body[order[:-1]]
        if not same.any():
            break
        body[same] = (body[same] + np.uint64(1)) & np.uint64((1 << 48) - 1)
    return (_PREFIX | (body << np.uint64(8)))[back]


def _hash(keys: np.ndarray[Any, Any], seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """FNV-1a of each key with a final mix (splitmix64), one pass per byte column over all keys."""
    width = max(1, keys.dtype.itemsize)
    cells = np.frombuffer(keys.tobytes(), dtype=np.uint8).reshape(len(keys), width) if len(keys) else np.zeros((0, 1), np.uint8)
    state = np.full(len(keys), _FNV_OFFSET ^ np.uint64(seed), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in range(width):
            byte = cells[:, column].astype(np.uint64)
            state = np.where(byte > 0, (state ^ byte) * _FNV_PRIME, state)
        state ^= state >> np.uint64(30)
        state *= np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(27)
        state *= np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def hex16(values: np.ndarray[Any, np.dtype[np.uint64]]) -> pl.Series:
    """Each value as 16 lower-case hex digits."""
    import polars as pl

    cells = np.ascontiguousarray(values, dtype=np.uint64).astype(">u8").view(np.uint8).reshape(-1, 8)
    text = np.ascontiguousarray(_HEX[cells].reshape(-1, 16)).view("S16").ravel()
    return pl.Series(text.tolist(), dtype=pl.Binary).cast(pl.String)


def generation(part: str) -> str | None:
    """The InfiniBand generation of a catalogue id, or None for a part that the table does not know."""
    return next((g for prefix, g, _ in PARTS if part.startswith(prefix)), None)


def device_id(part: str) -> int:
    """The device id that a part answers with; 0 when the table does not know it."""
    return next((d for prefix, _, d in PARTS if part.startswith(prefix)), 0)


def link_word(rate_gbps: float | None, parts: tuple[str, ...]) -> str:
    """Width and speed as discovery prints them (``4xNDR``, ``2xNDR`` for 200G of NDR lanes).

    The lane rate is that of the older of the two ends; for parts that nobody knows, of the generation whose four lanes
    carry the rate. A rate that is not a whole number of lanes (1, 2, 4, 8, 12) runs at four lanes of the generation.
    """
    known = [g for g in (generation(p) for p in parts) if g]
    rate = rate_gbps or 0.0
    if known:
        word = min(known, key=lambda g: LANE_GBPS[g])
    else:
        word = next((g for g, lane in sorted(LANE_GBPS.items(), key=lambda i: i[1]) if 4 * lane >= rate), "XDR")
    lanes = rate / LANE_GBPS[word]
    return f"{int(lanes)}x{word}" if lanes in (1, 2, 4, 8, 12) else f"4x{word}"


FACTORY_SWITCH = "Quantum Mellanox Technologies"
FACTORY_HCA = {
    "XDR": "MT4131 ConnectX8   Mellanox Technologies",
    "NDR": "MT4129 ConnectX7   Mellanox Technologies",
    "HDR": "MT4123 ConnectX6   Mellanox Technologies",
    "EDR": "MT4119 ConnectX5   Mellanox Technologies",
}
AGGREGATION_DESCRIPTION = "Mellanox Technologies Aggregation Node"
