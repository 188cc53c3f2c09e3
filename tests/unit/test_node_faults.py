"""Faults inside nodes: which answers of which node each one changes, what it says, and what it is refused for."""

from __future__ import annotations

import re

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.rehearse import faults
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.fault import Injected
from asbuilt.rehearse.node_expected import EXPECTED
from asbuilt.rehearse.node_faults import NODE_ARITY, NODE_DO, NODE_EXAMPLES
from asbuilt.rehearse.node_twin import Answer, Fleet
from template_plans import made

NODE = "node:0003"
DGX, L40S, GB = "dgx-h100-superpod", "l40s-384", "gb300-nvl72"
_TREE = {"pci-links", "pci-paths", "lspci-vv", "lspci-tv"}
_CARD = {"infiniband", "infiniband-paths", "irq-affinity", "interrupts", "dmesg", "nvidia-smi-topo", "ibstat", "ibdev2netdev",
         "show_gids", "mst", "mlxconfig", "flint"}  # fmt: skip
_SMI = {"nvidia-smi", "nvidia-smi-q", "nvidia-smi-topo", "nvlink-status", "nvlink-errors"}
#: template, fault, commands whose answers change, a line that the changed node prints: (command, regular expression).
CASES = [
    (DGX, "gpu:node:0003/5", _TREE | _SMI | {"dmesg"}, ("nvidia-smi-q", r"^Attached GPUs +: 7$")),
    (DGX, "nvlink:node:0003/5", {"nvlink-status", "nvlink-errors"}, ("nvlink-status", r"^\t Link 17: <inactive>$")),
    (
        DGX,
        "width:node:0003/mlx5_3",
        {"pci-links", "lspci-vv", "dmesg"},
        ("lspci-vv", r"LnkSta:\tSpeed 32GT/s, Width x8 \(downgr"),
    ),
    (
        DGX,
        "width:node:0003/gpu5",
        {"pci-links", "lspci-vv", "nvidia-smi", "nvidia-smi-q"},
        ("nvidia-smi", r", 5, 5, 8, 16, P0, "),
    ),
    (L40S, "gen:node:0003/5", {"pci-links", "lspci-vv", "nvidia-smi", "nvidia-smi-q"}, ("nvidia-smi", r", 3, 4, 16, 16, P0, ")),
    (
        GB,
        "rootport:node:0003/mlx5_3",
        {"pci-links", "lspci-vv", "dmesg"},
        ("lspci-vv", r"LnkCap:\tPort #0, Speed 32GT/s, Width x16"),
    ),
    (
        DGX,
        "rootport:node:0003/mlx5_3",
        {"pci-links", "lspci-vv"},
        ("lspci-vv", r"LnkSta:\tSpeed 16GT/s \(downgraded\), Width x16$"),
    ),
    (L40S, "ecc:node:0003/5", {"nvidia-smi", "nvidia-smi-q"}, ("nvidia-smi-q", r"^            DRAM Uncorrectable +: 3$")),
    (L40S, "remap:node:0003/5", {"nvidia-smi-q"}, ("nvidia-smi-q", r"^        Pending +: Yes$")),
    (L40S, "throttle:node:0003/5", {"nvidia-smi", "nvidia-smi-q"}, ("nvidia-smi-q", r"HW Thermal Slowdown +: Active$")),
    (
        L40S,
        "asleep:node:0003/5",
        {"pci-links", "lspci-vv", "nvidia-smi", "nvidia-smi-q"},
        ("nvidia-smi", r", 1, 4, 16, 16, P8, "),
    ),
    (
        L40S,
        "xid:node:0003/5,79",
        {"dmesg"},
        ("dmesg", r"NVRM: Xid \(PCI:0000:3a:00\): 79, pid='<unknown>', name=<unknown>, GPU has"),
    ),
    (
        L40S,
        "ethmode:node:0003/mlx5_3",
        {"infiniband", "ibstat", "ibdev2netdev", "show_gids", "mlxconfig"},
        ("mlxconfig", r"LINK_TYPE_P1 +IB\(1\) +ETH\(2\) +ETH\(2\)"),
    ),
    (
        L40S,
        "eth:node:0003/mlx5_3",
        {"infiniband", "ibstat", "ibdev2netdev", "show_gids", "mlxconfig"},
        ("ibstat", r"^\t\tLink layer: Ethernet$"),
    ),
    (L40S, "firmware:node:0003/mlx5_3", {"infiniband", "dmesg", "ibstat", "flint"}, ("flint", r"FW Version: +28\.43\.2048")),
    (L40S, "nicset:node:0003", _TREE | _CARD, ("show_gids", r"^n_gids_found=6$")),
    (L40S, "mrrs:node:0003", {"lspci-vv"}, ("lspci-vv", r"MaxReadReq 512 bytes")),
    (
        L40S,
        "numa:node:0003",
        _TREE | (_CARD - {"show_gids", "infiniband", "ibstat"}) | _SMI - {"nvlink-status", "nvlink-errors"},
        ("mst", r"mlx5_0 .* 1 +$"),
    ),
    (
        L40S,
        "irq:node:0003",
        {"irq-affinity", "interrupts"},
        ("irq-affinity", r"^/proc/irq/120/smp_affinity_list:48-95,144-191$"),
    ),
    (L40S, "acs:node:0003", {"lspci-vv"}, ("lspci-vv", r"ACSCtl:\tSrcValid\+ TransBlk- ReqRedir\+ CmpltRedir\+ UpstreamFwd\+")),
    (
        L40S,
        "nps:node:0003",
        {"pci-links", "irq-affinity", "interrupts", "lscpu", "numactl", "lspci-vv", "nvidia-smi-topo", "mst"},
        ("numactl", r"^available: 8 nodes \(0-7\)$"),
    ),
    (L40S, "dimm:node:0003", {"numactl", "dmidecode"}, ("dmidecode", r"^\tSize: No Module Installed$")),
    (GB, "leak:node:0003", {"ipmi-sensors", "ipmi-sel"}, ("ipmi-sensors", r"^Leak_Detect_0 .* 0x0280 ")),
    (
        L40S,
        "driver:node:0003",
        {"modules", "dmesg", "nvidia-smi", "nvidia-smi-q", "packages"},
        ("nvidia-smi", r", 575\.57\.08, "),
    ),
    (L40S, "config:node:0003", {"config-hashes"}, ("config-hashes", r"^455f3a583404[0-9a-f]+  /etc/sysctl\.d/90-rdma\.conf$")),
    (L40S, "kernel:node:0003", {"system", "dmesg", "packages"}, ("system", r"osrelease:6\.8\.0-79-generic$")),
    (L40S, "peermem:node:0003", {"lsmod", "modules"}, ("lsmod", r"^nvidia +\d+  3 nvidia_uvm,nvidia_modeset,gdrdrv$")),
    (L40S, "module:node:0003", {"lsmod"}, ("lsmod", r"^ib_core +\d+  7 rdma_cm,ib_ipoib,iw_cm,rdma_ucm,")),
    (L40S, "cmdline:node:0003", {"system", "dmesg"}, ("system", r"/proc/cmdline:.* ro amd_iommu=on pci=")),
    (DGX, "fabricmanager:node:0003", {"services", "nvidia-smi-q"}, ("services", r"^ActiveState=failed$")),
    (GB, "fabricstate:node:0003", {"nvidia-smi-q"}, ("nvidia-smi-q", r"^        State +: In Progress$")),
    (GB, "clique:node:0003", {"nvidia-smi-q"}, ("nvidia-smi-q", r"^        CliqueId +: 1$")),
    (L40S, "aer:node:0003/mlx5_3", {"dmesg"}, ("dmesg", r"mlx5_core 0000:38:00\.0: PCIe Bus Error: severity=Uncorrectable")),
    (
        L40S,
        "hang:node:0003",
        {"dmesg", "nvidia-smi", "nvidia-smi-q", "nvidia-smi-topo"},
        ("dmesg", r"blocked for more than 122"),
    ),
]


def after(template: str, fault: str) -> tuple[Fleet, Fleet, Injected]:
    plan = made(template)
    built, (record,) = faults.apply(plan, as_planned(plan), (faults.parse(fault),))
    return Fleet(plan, as_planned(plan)), Fleet(plan, built), record


def differ(one: dict[str, Answer], two: dict[str, Answer]) -> set[str]:
    return {id for id in one if one[id] != two[id]}


@pytest.mark.parametrize(("template", "fault", "changes", "line"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_a_fault_changes_its_answers_of_its_node_and_nothing_else(
    template: str, fault: str, changes: set[str], line: tuple[str, str]
) -> None:
    before, now, _ = after(template, fault)
    answers = now.answers(NODE)
    assert differ(before.answers(NODE), answers) - {"interrupts"} == changes - {"interrupts"}
    assert re.search(line[1], answers[line[0]].data.decode(), re.MULTILINE), line
    old = before.answers(NODE)[line[0]].data.decode()
    assert len(re.findall(line[1], old, re.MULTILINE)) < len(re.findall(line[1], answers[line[0]].data.decode(), re.MULTILINE))
    for other in ("node:0000", "node:0004"):
        assert not differ(before.answers(other), now.answers(other))


def test_every_kind_is_tried_has_an_example_and_an_expectation() -> None:
    tried = {fault.partition(":")[0] for _, fault, _, _ in CASES} - {"eth"} | {"silent", "sameas"}
    assert tried == set(NODE_ARITY) == set(NODE_DO) == set(NODE_EXAMPLES) == set(EXPECTED)


def test_a_hanging_command_is_killed_at_its_limit() -> None:
    answers = after(L40S, "hang:node:0003")[1].answers(NODE)
    assert answers["nvidia-smi-q"] == Answer(b"", 124, 60.0, "timed_out")
    assert answers["lspci-vv"].outcome == "ran"


def test_a_silent_node_leaves_no_archive() -> None:
    before, now, record = after(L40S, "silent:node:0003")
    assert set(before.nodes) - set(now.nodes) == {NODE}
    assert record.findings == ((EXPECTED["silent"][0], NODE),)


def test_one_machine_answers_under_two_names() -> None:
    before, now, _ = after(L40S, "sameas:node:0003,node:0004")
    assert now.answers(NODE) == before.answers("node:0004")
    manifest = dict(now.files(NODE))["manifest.tsv"].decode()
    assert manifest.splitlines()[0].endswith("node node0003")


def test_all_devices_behind_a_shared_root_port_are_named() -> None:
    assert [s for _, s in after(DGX, "rootport:node:0003/mlx5_3")[2].findings] == ["gpu:0003/1", "nic:0003/mlx5_3"]
    assert [s for _, s in after(DGX, "width:node:0003/mlx5_1")[2].findings] == ["nic:0003/mlx5_1", "nic:0003/mlx5_2"]
    with pytest.raises(ProblemError, match="the catalogue does not say what its link should be"):
        after(GB, "rootport:node:0003/3")


def test_a_missing_function_takes_its_cable_with_it() -> None:
    _, _, record = after(L40S, "nicset:node:0003")
    assert len(record.links) == 1
    assert record.findings[0][1] == "nic:0003/mlx5_6"


def test_two_faults_of_one_node_add_up() -> None:
    plan = made(L40S)
    built, _ = faults.apply(plan, as_planned(plan), tuple(map(faults.parse, ("driver:node:0003", "ecc:node:0003/2"))))
    said = Fleet(plan, built).answers(NODE)["nvidia-smi"].data.decode()
    assert said.count("575.57.08") == 8
    assert ", 3, 3, 31, " in said.splitlines()[3]


@pytest.mark.parametrize(
    ("template", "fault", "what"),
    [
        (L40S, "gpu:node:0003/8", "gpu:node:0003/8: the node has no GPU '8'"),
        (L40S, "width:node:0003/mlx5_9", "width:node:0003/mlx5_9: the node has no device 'mlx5_9'"),
        (L40S, "nvlink:node:0003/1", "nvlink:node:0003/1: its GPUs have no NVLink"),
        (L40S, "fabricmanager:node:0003", "fabricmanager:node:0003: no fabric manager is to run there"),
        (DGX, "clique:node:0003", "clique:node:0003: its GPUs are in no NVLink domain of several nodes"),
        (GB, "nps:node:0003", "nps:node:0003: a Grace processor has one NUMA node"),
        (GB, "dimm:node:0003", "dimm:node:0003: its memory is soldered"),
        (L40S, "xid:node:0003/5,x", "xid:node:0003/5,x: 'x' is no XID"),
        (L40S, "sameas:node:0003,node:0003", "sameas:node:0003,node:0003: a machine is itself"),
        (L40S, "ecc:node:0003", "fault ecc:node:0003: no device behind the node"),
        (L40S, "hang:svc:compute-0", "hang:svc:compute-0: svc:compute-0 is no compute node, and the twin asks only those"),
        (L40S, "firmware:node:0003/2", "firmware:node:0003/2: that is a GPU"),
    ],
)
def test_what_cannot_be_is_refused_in_words(template: str, fault: str, what: str) -> None:
    with pytest.raises(ProblemError) as raised:
        after(template, fault)
    assert [p.what for p in raised.value.problems.items] == [what]
    assert raised.value.problems.items[0].fix
