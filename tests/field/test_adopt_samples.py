"""adopt on fabrics that we did not build: structure and irregularities, against what is published about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from asbuilt.model.decode_requirement import decode
from asbuilt.workflow.adopt import Draft, adopt
from asbuilt.workflow.captures import read_captures

pytestmark = pytest.mark.field
DGX_A100 = "samples/ibnetdiscover/superpod-hdr-compute-2021.txt"
UFM = "design/01_ufm_hdr_280node/measured_ibnetdiscover.txt"


def drafted(path: Path) -> Draft:
    draft = adopt(read_captures([path]))
    decode(draft.text.encode(), "draft")
    return draft


def subjects(draft: Draft, code: str) -> tuple[str, ...]:
    return next((f.subjects for f in draft.findings if f.id == code), ())


def test_a_real_superpod_is_read_as_rails_over_three_tiers(field: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = drafted(field / DGX_A100)
    compute = {k.removeprefix("planes.compute."): v for k, v in draft.measured.items()}
    assert compute["rails"] == 8 and compute["link_gbps"] == 200.0 and compute["layout"] == "leaf-groups"
    assert (compute["nodes_per_leaf"], compute["leaf.uplinks"], compute["leaf.switch"]) == (20, 20, "qm8700")
    assert "458 hosts measured" in draft.assumed["gpus"]
    assert len(subjects(draft, "PAR-062")) == 11 and not subjects(draft, "PAR-060")
    with capsys.disabled():
        print("\nfield: 1 of 1 SuperPOD dump drafted, 458 of 458 common hosts on their rails")


def test_the_ufm_set_is_no_rail_fabric_and_its_oddities_are_listed(field: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = drafted(field / UFM)
    compute = {k.removeprefix("planes.compute."): v for k, v in draft.measured.items()}
    assert (compute["layout"], compute["nodes_per_leaf"], compute["leaf.uplinks"]) == ("fat-tree", 2, 20)
    # The published verdict on this dump counts 103 adapters with factory names.
    assert len(subjects(draft, "PAR-063")) == 103
    assert "# spine: 4 seen" in draft.text and "MCS8500" in draft.text
    assert len(subjects(draft, "PAR-064")) == 6 and len(subjects(draft, "PAR-065")) == 4
    with capsys.disabled():
        print("\nfield: 1 of 1 UFM dump drafted, 103 of 103 nameless adapters listed")
