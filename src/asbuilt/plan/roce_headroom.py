"""Headroom of a lossless priority: the bytes that still arrive after a receiver has decided to pause its sender.

Delay budget of priority flow control, IEEE 802.1Q annex N (802.1Qbb), per port and priority::

    headroom = F                  a frame has just left the receiver's transmitter and delays the PAUSE frame
             + P                  the PAUSE frame itself
             + 2 c R L / 8        bits under way on the cable, there and back
             + 64 Q               response time of the sender: pause quanta of 512 bit times, IEEE 802.3 31B.3.7
             + F                  a frame that the sender has just begun

F: the largest frame, MTU + 22 bytes (Ethernet header 14, VLAN tag 4, check sequence 4); P: 64 + 20 bytes (preamble and gap);
R: bit/s; L: m; c: 1 / 198,000,000 s/m, light in glass fibre or copper, as SONiC's buffer manager takes it. The cell size of
the switch, by which it rounds up, is not known here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Pause quanta of the response by rate in Gb/s: IEEE 802.3 31B.3.7, as SONiC's buffer manager lists them. The last is not in
#: that list: the time of 400 Gb/s at twice the rate, which is the cautious side.
QUANTA = {1: 2, 10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 1810}
ASSUMED_QUANTA = (800,)
FRAME_OVERHEAD_BYTES = 22
PAUSE_BYTES = 84
QUANTUM_BYTES = 64
SPEED_M_S = 198_000_000
SOURCE = "IEEE 802.1Q annex N (802.1Qbb), IEEE 802.3 31B.3.7; SONiC buffer_headroom scripts"


def headroom_bytes(
    speed_gbps: NDArray[np.float64], cable_m: NDArray[np.float64], mtu_bytes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Headroom per port in bytes, rounded up; NaN where rate or length is unknown."""
    quanta = np.full(len(speed_gbps), np.nan)
    for rate, count in QUANTA.items():
        quanta[speed_gbps == rate] = count
    frames = 2.0 * (mtu_bytes + FRAME_OVERHEAD_BYTES)
    cable = 2.0 * cable_m / SPEED_M_S * speed_gbps * 1e9 / 8.0
    room: NDArray[np.float64] = np.ceil(frames + PAUSE_BYTES + cable + quanta * QUANTUM_BYTES)
    return room
