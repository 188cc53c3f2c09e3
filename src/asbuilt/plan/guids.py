"""Made GUIDs of planned hardware, until the real ones are declared or measured.

They come from natural keys alone, so that a plan that grows keeps the GUIDs of what already stood. They are locally
administered (first byte 02), so no made GUID can be mistaken for real hardware, and they lie 256 apart: port GUIDs
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
