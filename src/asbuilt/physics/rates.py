"""Rates of memory and of multiplication from what they are made of: arithmetic alone, on numbers or on columns of a frame."""

from __future__ import annotations

from typing import Any

#: Bytes of one transfer of a memory channel: 64 data bits, of DDR5 as two halves of 32 (JEDEC JESD79-5).
CHANNEL_BYTES = 8
MBYTES_PER_GBYTE = 1000
#: Share of that peak that STREAM's triad reaches, and its relative tolerance: of 921.6 GB/s (two sockets of twelve channels of
#: DDR5-4800) Microsoft publishes 780 for Azure HBv4, and AzNHC fails a node below 665.5.
STREAM_SHARE, STREAM_TOLERANCE = 0.8, 0.1
_PER_TERA_AND_US = 1e6


def memory_gbytes_s(channels: Any, mts: Any) -> Any:
    """Peak of ``channels`` memory channels (of all sockets) at ``mts`` million transfers a second, GB/s."""
    return channels * mts * CHANNEL_BYTES / MBYTES_PER_GBYTE


def tera_per_s(operations: Any, time_us: Any) -> Any:
    """Rate of ``operations`` in ``time_us`` microseconds, 10^12 a second."""
    return operations / time_us / _PER_TERA_AND_US
