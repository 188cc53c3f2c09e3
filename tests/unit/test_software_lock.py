"""The lock of versions: from the requirement into plan table `software`, and what keys mean."""

from __future__ import annotations

import pytest

from asbuilt.catalogue.load import load
from asbuilt.model.decode_requirement import decode, encode
from asbuilt.model.requirement import Requirement
from asbuilt.model.requirement_software import Locked, locked
from asbuilt.model.tables_nodes import SOFTWARE
from asbuilt.plan.nodes.software import software_table

CATALOGUE = load()
HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def wanted(**software: str) -> Requirement:
    return Requirement(name="x", system="dgx-h100", gpus=256, software=software)


@pytest.mark.parametrize(
    ("key", "component", "part"),
    [
        ("driver", "driver", None),
        ("fabric-manager", "fabric_manager", None),
        ("MLNX_OFED", "ofed", None),
        ("firmware.connectx-7-400", "firmware", "connectx-7-400"),
        ("package.libstdc++6", "package:libstdc++6", None),
        ("module.mlx5_core", "module:mlx5_core", None),
        ("file./etc/nccl.conf", "file:/etc/nccl.conf", None),
        ("image", "image", None),
    ],
)
def test_a_key_says_whose_version_it_is(key: str, component: str, part: str | None) -> None:
    assert locked(key) == Locked(key, component, part)


def test_rows_say_component_part_version_and_where_it_is_stated() -> None:
    keys = {
        "kernel": "5.15.0-126-generic",
        "firmware.h100-sxm": "96.00.74.00.01",
        "firmware.connectx-7-400": "28.39.1002",
        "firmware.MT_0000000838": "28.39.1004",
        "file./etc/nccl.conf": HASH,
    }
    table = software_table(wanted(**keys), CATALOGUE)
    assert SOFTWARE.faults(table) == []
    gpu = next(p for p in CATALOGUE.ids("gpu") if p.startswith("h100"))
    keys = {k.replace("h100-sxm", gpu): v for k, v in keys.items()}
    assert software_table(wanted(**keys), CATALOGUE).rows() == [
        ("file:/etc/nccl.conf", None, HASH, "declared", "software.file./etc/nccl.conf"),
        ("kernel", None, "5.15.0-126-generic", "declared", "software.kernel"),
        ("nic_firmware", "MT_0000000838", "28.39.1004", "declared", "software.firmware.MT_0000000838"),
        ("nic_firmware", "connectx-7-400", "28.39.1002", "declared", "software.firmware.connectx-7-400"),
        ("vbios", gpu, "96.00.74.00.01", "declared", f"software.firmware.{gpu}"),
    ]


def test_nothing_locked_is_an_empty_table() -> None:
    assert software_table(wanted(), CATALOGUE).equals(SOFTWARE.empty())


def test_a_lock_is_written_and_read_back() -> None:
    asked = wanted(**{"file./etc/nccl.conf": HASH, "package.libstdc++6": "12.3.0-1", "driver": "550.90"})
    assert decode(encode(asked).encode(), "cluster.yaml") == asked
