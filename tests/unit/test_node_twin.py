"""The twin of nodes: every command answered, in the tools' forms, equal for equal arguments, rendered once per kind."""

from __future__ import annotations

import io
import re
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from asbuilt.model.capture_set import BY_ID, COMMANDS, MANIFEST_COLUMNS, MANIFEST_MARK, OUTCOMES
from asbuilt.rehearse import node_twin
from asbuilt.rehearse.built import as_planned
from asbuilt.rehearse.node_board import listed, spread
from asbuilt.rehearse.node_kinds import state_of
from asbuilt.rehearse.node_lspci import lspci_tv
from asbuilt.rehearse.node_marks import Template, mark
from asbuilt.rehearse.node_state import State
from asbuilt.rehearse.node_twin import Fleet, write_fleet
from asbuilt.workflow import templates
from template_plans import made

NODE = "node:0001"


def fleet(template: str, seed: int = 0) -> Fleet:
    plan = made(template)
    return Fleet(plan, as_planned(plan), seed)


def text(template: str, id: str, node: str = NODE) -> str:
    return fleet(template).answers(node)[id].data.decode()


@pytest.mark.parametrize("template", templates.names())
def test_every_command_of_the_capture_set_is_answered_on_every_system(template: str) -> None:
    answers = fleet(template).answers(NODE)
    assert list(answers) == [c.id for c in COMMANDS]
    for id, answer in answers.items():
        assert answer.outcome in OUTCOMES
        assert bool(answer.data) == (answer.outcome == "ran"), id
        assert b"\x01" not in answer.data
        assert answer.data.endswith(b"\n") or not answer.data


def test_who_is_asked_what() -> None:
    ended = {t: {i: a.outcome for i, a in fleet(t).answers(NODE).items() if a.outcome != "ran"} for t in templates.names()}
    assert ended["l40s-384"] == {"nvlink-status": "skipped", "nvlink-errors": "skipped", "imex": "skipped"}
    assert ended["dgx-h100-superpod"] == {"imex": "skipped"}
    assert ended["gb300-nvl72"] == {}


def test_equal_arguments_give_equal_bytes_and_another_seed_another_machine() -> None:
    plan = made("l40s-384")
    one, two = (Fleet(plan, as_planned(plan)) for _ in range(2))
    once, other = one.answers(NODE), Fleet(plan, as_planned(plan), seed=1).answers(NODE)
    assert once == two.answers(NODE)
    assert one.archive(NODE) == two.archive(NODE)
    changed = {id for id in once if once[id] != other[id]}
    assert {"identity", "ibstat", "nvidia-smi", "flint"} <= changed
    assert not {"lspci-vv", "lscpu", "packages", "dmesg"} & changed


def test_a_kind_of_node_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    real = node_twin.RENDERERS["lspci-vv"]

    def counted(state: State) -> str:
        nonlocal count
        count += 1
        return real(state)

    monkeypatch.setitem(node_twin.RENDERERS, "lspci-vv", counted)
    all_nodes = fleet("gb300-nvl72")
    first = all_nodes.answers(all_nodes.nodes[0])
    for node in all_nodes.nodes[1:]:
        assert all_nodes.answers(node)["lspci-vv"].data is first["lspci-vv"].data
    assert (len(all_nodes.nodes), count) == (288, 1)


def test_no_two_machines_share_a_name() -> None:
    all_nodes = fleet("gb300-nvl72")
    seen: dict[str, str] = {}
    for node in all_nodes.nodes:
        values = all_nodes.values(node)
        own = {
            k: v for k, v in values.items() if re.match(r"serial|uuid|board|chassis|machine|boot|bmc|gpu|guid:|mac:|dimm", k)
        }
        assert len(own) == 7 + 2 * 4 + 2 * 6
        for key, value in own.items():
            assert seen.setdefault(value, f"{node} {key}") == f"{node} {key}"


def test_guids_and_lids_are_those_of_the_plan() -> None:
    plan = made("dgx-h100-superpod")
    said = text("dgx-h100-superpod", "ibstat")
    rows = plan.table("lids").filter(plan.table("lids")["device"] == NODE)
    assert rows.height == 10
    for nic, own, port, lid in rows.select("nic", "node_guid", "port_guid", "lid").rows():
        block = said.partition(f"CA '{nic}'\n")[2].partition("CA '")[0]
        assert f"Node GUID: 0x{own}\n" in block
        assert f"Port GUID: 0x{port}\n" in block
        assert f"Base lid: {lid}\n" in block


def test_a_gpu_has_the_card_of_its_rail_beside_it() -> None:
    for template in ("dgx-h100-superpod", "l40s-384", "dgx-b300-xdr"):
        board = state_of(made(template), NODE).board
        for gpu in board.gpus:
            card = next(n for n in board.nics if n.plane == "compute" and n.rail == gpu.rail)
            assert board.relation(gpu.address, card.address) == "PIX", (template, gpu.slot)
            assert [g.slot for g in sorted(board.gpus, key=lambda g: g.address)] == [g.slot for g in board.gpus]


def test_sockets_are_those_of_the_plan_and_all_of_a_path_is_on_one() -> None:
    for template in templates.names():
        plan = made(template)
        board = state_of(plan, NODE).board
        sockets = dict(plan.table("nics").filter(plan.table("nics")["node"] == NODE).select("device", "socket").rows())
        for nic in board.nics:
            assert {f.numa for f in board.path(nic.address)} == {sockets[nic.device]}, (template, nic.device)


def test_every_gpu_card_cell_of_a_grace_tray_reads_sys() -> None:
    lines = text("gb300-nvl72", "nvidia-smi-topo").splitlines()
    heads = re.sub("\x1b\\[\\d*m", "", lines[0]).split("\t")[1:]
    cells = [dict(zip(heads, line.split("\t")[1:], strict=False)) for line in lines[1:5]]
    assert {row[f"NIC{i}"] for row in cells for i in range(6)} == {"SYS"}
    assert [line.split("\t")[-1] for line in lines[1:5]] == ["2", "10", "18", "26"]


def test_interrupts_of_a_card_go_to_its_numa_node() -> None:
    board = state_of(made("dgx-h100-superpod"), NODE).board
    allowed = dict(re.findall(r"/proc/irq/(\d+)/smp_affinity_list:(\S+)", text("dgx-h100-superpod", "irq-affinity")))
    taken = dict(re.findall(r"/proc/irq/(\d+)/effective_affinity_list:(\S+)", text("dgx-h100-superpod", "irq-affinity")))
    cpus = {n.number: n.cpus for n in board.numa}
    assert len(allowed) == 4 * 12
    for nic in board.nics:
        for irq in range(nic.irq, nic.irq + 4):
            assert allowed[str(irq)] == cpus[nic.numa]
            assert int(taken[str(irq)]) in listed(cpus[nic.numa])
    lines = text("dgx-h100-superpod", "interrupts").splitlines()
    assert lines[0].split()[-1] == "CPU223"
    first = lines[1].split()
    assert (first[0], len(first[1:225]), first[225:]) == (
        "120:", 224, ["IR-PCI-MSIX-0000:13:00.0", "0-edge", "mlx5_async0@pci:0000:13:00.0"],
    )  # fmt: skip


def test_the_tree_of_an_l40s_server() -> None:
    assert lspci_tv(state_of(made("l40s-384"), NODE)).splitlines()[4:12] == [
        r" +-[0000:10]---01.0-[11-18]----00.0-[12-18]--+-00.0-[13]----00.0  Mellanox Technologies MT2910 Family [ConnectX-7]",
        r" |                                           +-01.0-[14]----00.0  Mellanox Technologies MT2910 Family [ConnectX-7]",
        r" |                                           +-02.0-[15]----00.0  NVIDIA Corporation AD102GL [L40S]",
        r" |                                           +-03.0-[16]----00.0  NVIDIA Corporation AD102GL [L40S]",
        r" |                                           +-04.0-[17]----00.0  NVIDIA Corporation AD102GL [L40S]",
        r" |                                           \-05.0-[18]----00.0  NVIDIA Corporation AD102GL [L40S]",
        r" +-[0000:1c]---01.0-[1d]----00.0  Mellanox Technologies MT28908 Family [ConnectX-6]",
        r" +-[0000:28]---01.0-[29]----00.0  Mellanox Technologies MT2892 Family [ConnectX-6 Dx]",
    ]


def test_ports_of_one_card_are_functions_of_one_device() -> None:
    board = state_of(made("dgx-h100-superpod"), NODE).board
    assert board.nic("mlx5_1").address[:-1] == board.nic("mlx5_2").address[:-1]
    assert (board.nic("mlx5_1").address[-1], board.nic("mlx5_2").address[-1]) == ("0", "1")
    # Two cards whose cages are osfp4 are two cards.
    assert board.nic("mlx5_0").address[:7] != board.nic("mlx5_5").address[:7]


def test_texts_in_the_forms_of_the_tools() -> None:
    csv = text("l40s-384", "nvidia-smi").splitlines()
    assert csv[0].startswith("index, pci.bus_id, uuid, serial, name, vbios_version, driver_version, memory.total [MiB], ")
    assert re.fullmatch(
        r"3, 00000000:18:00\.0, GPU-[0-9a-f-]{36}, 165\d{10}, NVIDIA L40S, 95\.02\.66\.00\.02, 580\.95\.05, 46068 MiB, "
        r"1 MiB, 4, 4, 16, 16, P0, 0 %, Enabled, \[N/A\], Enabled, 0, 0, 31, 38\.50 W, 350\.00 W, 2520 MHz, 2520 MHz",
        csv[4],
    )
    whole = text("dgx-h100-superpod", "nvidia-smi-q").splitlines()
    assert whole[4] == "Driver Version                            : 580.95.05"
    assert "                Max                       : 5" in whole
    assert text("l40s-384", "mst").splitlines()[7:10] == [
        "ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      13:00.0         mlx5_0          net-ibp19s0"
        "                             0     ",
        "",
        "ConnectX7(rev:0)        /dev/mst/mt4129_pciconf1      14:00.0         mlx5_2          net-ibp20s0"
        "                             0     ",
    ]
    assert text("l40s-384", "numactl").splitlines()[-4:] == [
        "node distances:", "node   0   1", "  0:  10  21", "  1:  21  10",
    ]  # fmt: skip
    assert "mlx5_6 port 1 ==> enp41s0np0 (Up)\n" in text("l40s-384", "ibdev2netdev")
    assert text("gb300-nvl72", "nvlink-status").splitlines()[1] == "\t Link 0: 53.125 GB/s"
    assert text("dgx-h100-superpod", "pci-links").splitlines()[0] == "/sys/bus/pci/devices/0000:00:00.0/class:0x088000"
    assert "/sys/bus/pci/devices/0000:14:00.0/current_link_speed:32.0 GT/s PCIe\n" in text("dgx-h100-superpod", "pci-links")


def test_a_domain_has_one_cluster_and_another_domain_another() -> None:
    def cluster(node: str) -> set[str]:
        return set(re.findall(r"ClusterUUID +: (\S+)", text("gb300-nvl72", "nvidia-smi-q", node)))

    assert len(cluster("node:0000")) == 1
    assert cluster("node:0000") == cluster("node:0017")
    assert cluster("node:0000") != cluster("node:0018")
    assert set(re.findall(r"ClusterUUID +: (\S+)", text("dgx-h100-superpod", "nvidia-smi-q"))) == {
        "00000000-0000-0000-0000-000000000000"
    }


def test_an_archive_is_a_folder_with_manifest_and_one_file_per_command(tmp_path: Path) -> None:
    plan = made("l40s-384")
    small = replace(plan, tables={**plan.tables, "nodes": plan.table("nodes").head(2)})
    assert write_fleet(small, as_planned(small), tmp_path / "packed") == 2
    assert write_fleet(small, as_planned(small), tmp_path / "plain", packed=False) == 2
    assert sorted(p.name for p in (tmp_path / "packed").iterdir()) == ["node0000.tar.gz", "node0001.tar.gz"]
    with tarfile.open(fileobj=io.BytesIO((tmp_path / "packed" / "node0001.tar.gz").read_bytes())) as tar:
        packed = {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
    plain = {f"node0001/{p.name}": p.read_bytes() for p in (tmp_path / "plain" / "node0001").iterdir()}
    assert packed == plain
    lines = packed["node0001/manifest.tsv"].decode().splitlines()
    assert lines[0] == f"{MANIFEST_MARK} plan {plan.plan_hash[:12]} node node0001"
    assert lines[1].split("\t") == list(MANIFEST_COLUMNS)
    assert [line.split("\t")[0] for line in lines[2:]] == list(BY_ID)
    ran = {line.split("\t")[0] for line in lines[2:] if line.split("\t")[4] == "ran"}
    assert {name.removeprefix("node0001/") for name in packed} == {"manifest.tsv", *(f"{id}.txt" for id in ran)}


def test_templates_are_filled_and_texts_without_marks_are_one_object() -> None:
    template = Template(f"a {mark('x')} b {mark('y')}{mark('x')}\n")
    assert template.fill({"x": "1", "y": "2"}) == b"a 1 b 21\n"
    assert not template.same
    with pytest.raises(KeyError):
        template.fill({"x": "1"})
    plain = Template("equal\n")
    assert plain.fill({}) is plain.fill({"x": "1"})


def test_lists_of_processors() -> None:
    assert spread([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"
    assert listed("0-2,5,7-8") == [0, 1, 2, 5, 7, 8]
    assert (spread([]), listed("")) == ("", [])


def test_a_varied_fleet_shares_hardly_a_text_and_says_the_same() -> None:
    plan = made("dgx-h100-superpod")
    equal, varied = (Fleet(plan, as_planned(plan), varied=v) for v in (False, True))

    def shared(which: Fleet) -> set[str]:
        one, two = which.answers("node:0001"), which.answers("node:0002")
        return {id for id in one if one[id].data == two[id].data and one[id].outcome == "ran"}

    assert shared(equal) - shared(varied) == {
        "dmesg", "interrupts", "ipmi-sensors", "lspci-vv", "numactl", "system",
    }  # fmt: skip
    assert len(varied.answers(NODE)["interrupts"].data) == len(equal.answers(NODE)["interrupts"].data)
