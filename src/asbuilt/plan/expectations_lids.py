"""Limits of an InfiniBand subnet that its plan is held to, each with unit and source."""

from __future__ import annotations

from typing import Any

from asbuilt.plan.expectation import expectation

#: A public ibdiagnet database of four NDR switches and a host: SWITCHES.PartEnfCap, PORTS.VLCap (code 3: 4 lanes, 4: 8 lanes).
_DUMP = "github.com/6ermvH/log-parser, ibdiagnet2.db_csv of an NDR fabric"
_CARDS = "NodeInfo.PartitionCap of ConnectX cards in public smpquery and ibv_devinfo outputs"
_WEIGHT = "NVIDIA Quantum-2 firmware release notes, known issue 1249608: a weight of 0 has unexpected effects"


def lid_rows(lids: int, source: str, confidence: str) -> list[dict[str, Any]]:
    """Rows of `EXPECTATIONS` for DES-080, DES-084, DES-085 and DES-095; ``lids`` is the number of unicast LIDs."""
    return [
        expectation("DES-080", "lid range", "*", "le", lids, "LID", "published", source, confidence),
        expectation("DES-084", "end port", "port=nic", "le", 128, "entries", "assumed", _CARDS, "medium"),
        expectation("DES-084", "switch port", "port=switch", "le", 32, "entries", "assumed", f"{_DUMP} (PartEnfCap)", "medium"),
        expectation("DES-085", "end port", "port=nic", "le", 4, "lanes", "assumed", f"{_DUMP} (VLCap)", "medium"),
        expectation("DES-085", "switch port", "port=switch", "le", 8, "lanes", "assumed", f"{_DUMP} (VLCap)", "medium"),
        expectation("DES-095", "virtual lane", "*", "ge", 1, "64 bytes", "published", _WEIGHT, "high"),
    ]
