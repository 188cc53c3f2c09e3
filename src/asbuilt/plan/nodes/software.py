"""The lock of versions as the requirement states it: plan table `software`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.catalogue.load import Catalogue
from asbuilt.model.requirement import Requirement
from asbuilt.model.requirement_software import locked
from asbuilt.model.tables_nodes import SOFTWARE

if TYPE_CHECKING:
    import polars as pl

#: Catalogue kind of a part -> component as captures tell its firmware.
_FIRMWARE = {"gpu": "vbios", "nic": "nic_firmware"}


def software_table(requirement: Requirement, catalogue: Catalogue) -> pl.DataFrame:
    """Table `software`, empty when nothing is locked. Firmware of no GPU of the catalogue is a NIC's: by part or PSID."""
    import polars as pl

    rows = []
    for key, version in requirement.software.items():
        lock = locked(key)
        component = lock.component
        if component == "firmware" and lock.part is not None:
            component = next((_FIRMWARE[kind] for kind in _FIRMWARE if catalogue.has(kind, lock.part)), _FIRMWARE["nic"])
        rows.append((component, lock.part, version, "declared", f"software.{key}"))
    frame = pl.DataFrame(rows, schema=SOFTWARE.polars(), orient="row")
    return SOFTWARE.conform(frame.sort("component", "part", nulls_last=False))
