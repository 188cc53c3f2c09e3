"""What planned hardware answers when asked who it is, until the real one is known: descriptions, device ids, speed words."""

from __future__ import annotations

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
