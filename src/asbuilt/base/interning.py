"""Equal values once: the distinct numbers and names of a large column, and for each row which one it has.

A dump of N cables names each device many times. Strings are made for the distinct values only and then gathered, so
no Python object exists per cable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asbuilt.base.kernel import kernel

if TYPE_CHECKING:
    import polars as pl

Array = np.ndarray[Any, Any]
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


def _numbers_sorted(values: Array) -> tuple[Array, Array]:
    unique, first, back = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(unique), np.int64)
    rank[order] = np.arange(len(unique))
    return rank[back.reshape(-1)], first[order]


@kernel(_numbers_sorted, threshold=1 << 20)
def _numbers_hashed(values: Any) -> tuple[Any, Any]:
    n = len(values)
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int32)
    index = np.empty(n, np.int64)
    first = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        value = values[i]
        mixed = (value ^ (value >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(32)) & (size - 1)
        while slots[slot] >= 0 and values[first[slots[slot]]] != value:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = count
            first[count] = i
            count += 1
        index[i] = slots[slot]
    return index, first[:count].copy()


def distinct_numbers(values: Array) -> tuple[Array, Array]:
    """Distinct uint64 ``values`` in order of appearance: (index of each value, position where each distinct one is first)."""
    found: tuple[Array, Array] = _numbers_hashed(read_only(values))
    return found


def _buckets_sorted(which: Array, buckets: Any) -> tuple[Array, Array]:
    order = np.argsort(which, kind="stable")
    edges = np.searchsorted(which[order], np.arange(int(buckets) + 1))
    return order[edges[0] : edges[-1]], edges - edges[0]


@kernel(_buckets_sorted, threshold=1 << 20)
def in_buckets(which: Any, buckets: Any) -> tuple[Any, Any]:
    """Rows by their small number in ``which``: (rows, of each number ascending, where those of each number start and, last,
    end). Rows with a negative number, or one past ``buckets``, are left out."""
    count = np.zeros(buckets + 1, np.int64)
    for i in range(len(which)):
        if 0 <= which[i] < buckets:
            count[which[i] + 1] += 1
    for i in range(buckets):
        count[i + 1] += count[i]
    order = np.empty(count[buckets], np.int64)
    place = count.copy()
    for i in range(len(which)):
        if 0 <= which[i] < buckets:
            order[place[which[i]]] = i
            place[which[i]] += 1
    return order, count


def read_only(values: Array) -> Array:
    """``values`` in one piece and not to be written: kernels are compiled for each kind of array, so they get one kind."""
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view


def same_as_first(first: Array, at: Array, length: Array, data: Array) -> Array:
    """Whether the name ``data[at:at+length]`` of each row is, byte for byte, that of row ``first``."""
    same: Array = length[first] == length
    for ahead in range(int(length.max(initial=0))):
        if not same.any():
            break
        look = np.flatnonzero(same & (ahead < length))
        same[look] = data[at[look] + ahead] == data[at[first[look]] + ahead]
    return same


def _joined_by_slices(at: Array, length: Array, data: Array) -> Array:
    raw = data.tobytes()
    pieces = [raw[a : a + n] for a, n in zip(at.tolist(), length.tolist(), strict=True)]
    return np.frombuffer(b"\n".join(pieces), np.uint8)


@kernel(_joined_by_slices, threshold=1 << 20)
def _joined(at: Any, length: Any, data: Any) -> Any:
    """The byte strings ``data[at:at+length]`` (at least one) one behind the other, a line feed between each two."""
    n = len(at)
    total = n - 1
    for i in range(n):
        total += length[i]
    out = np.empty(total, np.uint8)
    to = 0
    for i in range(n):
        for j in range(at[i], at[i] + length[i]):
            out[to] = data[j]
            to += 1
        if i < n - 1:
            out[to] = 10
            to += 1
    return out


def _split(text: str) -> pl.Series:
    """The lines of ``text`` as a series: no Python object is made per line."""
    import polars as pl

    return pl.Series([text], dtype=pl.String).str.split("\n").explode()


def texts_at(at: Array, length: Array, data: Array) -> pl.Series:
    """The strings ``data[at:at+length]`` (valid UTF-8, none with a line feed in it) as a Polars series."""
    import polars as pl

    if not len(at):
        return pl.Series([], dtype=pl.String)
    return _split(_joined(read_only(at), read_only(length), read_only(data)).tobytes().decode())


def guid_texts(values: Array) -> pl.Series:
    """uint64 GUIDs as 16 lower-case hexadecimal digits."""
    import polars as pl

    if not len(values):
        return pl.Series([], dtype=pl.String)
    octets = np.ascontiguousarray(values, dtype=">u8").view(np.uint8).reshape(-1, 8)
    digits = np.empty((len(octets), 17), np.uint8)
    digits[:, 0:16:2] = _HEX[octets >> 4]
    digits[:, 1:16:2] = _HEX[octets & 15]
    digits[:, 16] = 10
    return _split(digits.tobytes()[:-1].decode())


def line_feeds(data: Array) -> Array:
    """Positions of the line feeds in ``data`` (uint8)."""
    return np.flatnonzero(data == 10)
