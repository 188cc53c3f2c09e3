"""InfiniBand speed words and the data rate of one lane (IBTA Architecture Specification vol. 1, link speeds; per-lane rates
as the industry names them: HDR 50 Gb/s, so that 4x HDR is a 200 Gb/s port)."""

from __future__ import annotations

#: Speed word -> Gb/s of one lane.
LANE_GBPS: dict[str, float] = {
    "SDR": 2.5,
    "DDR": 5.0,
    "QDR": 10.0,
    "FDR10": 10.0,
    "FDR": 14.0,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
