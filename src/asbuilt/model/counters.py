"""Port counters of the InfiniBand standard: how far each counts before it stops, and the length of the units of rates.

Source: IBTA Architecture Specification vol. 1, 16.1.3.5 PortCounters (they stick at all ones)
and 16.1.4.11 PortCountersExtended.
"""

from __future__ import annotations

#: Counter -> the value at which it sticks. The 64-bit counters of PortCountersExtended have no entry: they do not get there.
STICKS_AT: dict[str, int] = {
    "SymbolErrorCounter": 0xFFFF,
    "LinkErrorRecoveryCounter": 0xFF,
    "LinkDownedCounter": 0xFF,
    "PortRcvErrors": 0xFFFF,
    "PortXmitDiscards": 0xFFFF,
    "PortXmitData": 0xFFFF_FFFF,
    "PortRcvData": 0xFFFF_FFFF,
}
#: PortXmitData and PortRcvData count in units of 4 bytes.
DATA_UNIT_BITS = 32
GIGA = 1e9
#: Unit of an expectation -> its seconds.
PER_S: dict[str, float] = {"per second": 1.0, "per minute": 60.0, "per hour": 3600.0}
