"""The four faults of the deployment plan as written: each is mended by changing the requirement, and comes back undone."""

from __future__ import annotations

import functools
import json
from typing import Any

import polars as pl
import pytest
import yaml

from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Finding, Severity, Verdict
from asbuilt.workflow.check import check
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.templates import text

AS_WRITTEN = "l40s-384-as-written"
MENDED = "l40s-384"


def requirement(template: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text(template))
    return document


@functools.cache
def _plan(document: str) -> Plan:
    return make_plan(decode(document.encode(), "cluster.yaml"))


def plan_of(document: dict[str, Any]) -> Plan:
    return _plan(json.dumps(document, sort_keys=True))


def failing(document: dict[str, Any]) -> dict[str, Finding]:
    """Failing findings by id and subject."""
    return {f"{f.id} {f.subject}": f for f in check(plan_of(document)).findings if f.verdict is Verdict.FAIL}


PORTS = "DES-001 switches:compute/leaf"
LINK_TYPE = "DES-012 nics:storage/connectx-6-dx"
SHARED = "DES-010 planes:compute+storage"
SOCKETS = "DES-020 gpus:off-socket"
GROWTH = "DES-070 growth:compute/leaf-ports"


def test_as_written_has_exactly_these_faults() -> None:
    assert set(failing(requirement(AS_WRITTEN))) == {PORTS, LINK_TYPE, SHARED, SOCKETS, GROWTH}


def test_as_written_is_as_the_deployment_plan_counts() -> None:
    plan = plan_of(requirement(AS_WRITTEN))
    links = plan.links.filter(pl.col("plane") == "compute").group_by("kind").agg(pl.len()).sort("kind")
    assert links.rows() == [("leaf_spine", 64), ("node_leaf", 192)]


def test_each_fault_reads_from_the_values() -> None:
    found = failing(requirement(AS_WRITTEN))
    assert found[LINK_TYPE].expected == "a card that runs infiniband"
    assert found[LINK_TYPE].found == "connectx-6-dx runs ethernet"
    assert len(found[LINK_TYPE].subjects) == 96
    assert found[SHARED].found == "in common: subnet ib0 and its subnet manager; switches: 4 leaf, 4 spine"
    assert found[PORTS].expected == "at most 64 ports"
    assert "64 ports, unsplit; 48 node links and 16 uplinks take them" in found[PORTS].cause
    assert "the storage plane, which shares these switches" in found[PORTS].cause
    assert "2 service hosts" in found[PORTS].cause
    assert found[GROWTH].found.startswith("16 further nodes want 16 ports of each leaf; the fullest has 0 free")
    assert len(found[SOCKETS].subjects) == 192 and "GPUs 1, 3, 4, 6 of a node use rails" in found[SOCKETS].cause
    for finding in found.values():
        assert finding.ways and finding.revert and finding.why and finding.severity is not Severity.INFO
    assert "`node.gpu_rails: [0, 2, 0, 2, 1, 3, 1, 3]`" in found[SOCKETS].ways[0]


def test_the_mended_plan_has_no_failing_check() -> None:
    assert failing(requirement(MENDED)) == {}


def mend_link_type(d: dict[str, Any]) -> None:
    d["planes"]["storage"]["nic"] = "connectx-6-vpi"
    for nic in d["node"]["nics"]:
        if nic["plane"] == "storage":
            nic["part"] = "connectx-6-vpi"


def mend_separation(d: dict[str, Any]) -> None:
    d["planes"]["storage"]["separation"] = "partition"


def mend_sockets(d: dict[str, Any]) -> None:
    d["node"]["gpu_rails"] = [0, 2, 0, 2, 1, 3, 1, 3]


def mend_sockets_by_slots(d: dict[str, Any]) -> None:
    """The other way: the rails stay, the cards move to slots of the right socket, and GPUs 4 to 7 follow their rails."""
    d["node"]["gpu_sockets"] = [0, 1, 0, 1, 0, 1, 0, 1]


def mend_ports(d: dict[str, Any]) -> None:
    """Split the compute leaves; storage gets two leaves of its own below the same spines, unsplit as its HDR cards want."""
    d["planes"]["compute"]["leaf"]["split"] = True
    d["planes"]["storage"] |= {"share_tier": "spine", "oversubscription": 6.0, "nodes_per_leaf": 48}
    d["planes"]["storage"]["leaf"] = {"switch": "qm9700", "split": False, "uplinks": 4, "reserved_ports": 12}


MENDS = [
    pytest.param(mend_link_type, {LINK_TYPE}, id="a card that runs InfiniBand"),
    pytest.param(mend_separation, {SHARED}, id="called a partition"),
    pytest.param(mend_sockets, {SOCKETS}, id="rails that follow the sockets"),
    pytest.param(mend_ports, {PORTS, GROWTH}, id="split ports and storage leaves"),
    pytest.param(mend_sockets_by_slots, {SOCKETS}, id="GPUs in slots of their rail's socket"),
]


@pytest.mark.parametrize(("mend", "gone"), MENDS)
def test_mending_one_fault_takes_exactly_its_finding_away(mend: Any, gone: set[str]) -> None:
    document = requirement(AS_WRITTEN)
    before = set(failing(document))
    mend(document)
    assert set(failing(document)) == before - gone


def test_splitting_alone_makes_ports_that_the_storage_cards_have_no_cable_for() -> None:
    """A way out that leads to the next wall: an HDR card needs a whole NDR port, and growth still finds none."""
    document = requirement(AS_WRITTEN)
    document["planes"]["compute"]["leaf"]["split"] = True
    document["planes"]["compute"]["service_at"] = "spine"
    assert set(failing(document)) == {LINK_TYPE, SHARED, SOCKETS, GROWTH, "DES-039 jumpers:storage"}


ALL = {
    LINK_TYPE: (mend_link_type, {LINK_TYPE}),
    SHARED: (mend_separation, {SHARED}),
    SOCKETS: (mend_sockets, {SOCKETS}),
    PORTS: (mend_ports, {PORTS, GROWTH}),
}


def test_mending_everything_leaves_nothing() -> None:
    document = requirement(AS_WRITTEN)
    for mend, _ in ALL.values():
        mend(document)
    assert failing(document) == {}


@pytest.mark.parametrize("left", ALL)
def test_mending_all_but_one_leaves_exactly_that_one(left: str) -> None:
    document = requirement(AS_WRITTEN)
    for name, (mend, _) in ALL.items():
        if name != left:
            mend(document)
    assert set(failing(document)) == ALL[left][1]


def undo_link_type(d: dict[str, Any]) -> None:
    d["planes"]["storage"]["nic"] = "connectx-6-dx"
    for nic in d["node"]["nics"]:
        if nic["plane"] == "storage":
            nic["part"] = "connectx-6-dx"


def undo_separation(d: dict[str, Any]) -> None:
    d["planes"]["storage"]["separation"] = "physical"


def undo_sockets(d: dict[str, Any]) -> None:
    d["node"]["gpu_rails"] = [0, 1, 2, 3, 0, 1, 2, 3]


def undo_ports(d: dict[str, Any]) -> None:
    d["planes"]["compute"] |= {"nodes_per_leaf": 48, "service_at": "leaf"}
    d["planes"]["compute"]["leaf"] |= {"split": False, "uplinks": 16}
    del d["planes"]["storage"]["share_tier"]
    for key in ("leaf", "layout", "uplink_gbps", "nodes_per_leaf", "oversubscription"):
        d["planes"]["storage"].pop(key, None)


@pytest.mark.parametrize(
    ("undo", "comes"),
    [(undo_link_type, {LINK_TYPE}), (undo_separation, {SHARED}), (undo_sockets, {SOCKETS}), (undo_ports, {PORTS, GROWTH})],
)
def test_a_fault_put_into_the_mended_plan_comes_alone(undo: Any, comes: set[str]) -> None:
    document = requirement(MENDED)
    undo(document)
    assert set(failing(document)) == comes


def test_storage_built_apart_is_physically_separate_save_for_the_rack() -> None:
    """The other way out of the shared planes; that the new switches stand in the same rack is told as minor."""
    document = requirement(AS_WRITTEN)
    for name, (mend, _) in ALL.items():
        if name != SHARED:
            mend(document)
    storage = document["planes"]["storage"]
    for key in ("share", "share_tier"):
        del storage[key]
    storage |= {"subnet": "ib1", "spine": {"switch": "qm9700"}, "service_at": "spine"}
    found = failing(document)
    assert set(found) == {"DES-011 planes:compute+storage"}
    assert found["DES-011 planes:compute+storage"].severity is Severity.MINOR


def test_the_name_of_the_template_decides_nothing() -> None:
    document = requirement(AS_WRITTEN) | {"name": "something-else"}
    assert set(failing(document)) == {PORTS, LINK_TYPE, SHARED, SOCKETS, GROWTH}
