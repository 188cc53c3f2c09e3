"""Network-card tools: mst, flint, mlxfwmanager, ibdev2netdev, show_gids, ofed_info, ibv_devinfo, settings of mlxconfig."""

from __future__ import annotations

from asbuilt.model.facts import Facts
from asbuilt.parsers import flint, ibdev2netdev, ibv_devinfo, mlxconfig, mlxfwmanager, mst_status, ofed_info, show_gids
from asbuilt.parsers.told_rows import pci_address
from host_transcripts import MLXCONFIG
from nic_transcripts import DEVINFO, FLINT, GIDS, IBDEV, MLXFWMANAGER, MST, OFED


def rows(facts: Facts, table: str, *columns: str) -> list[tuple[object, ...]]:
    return facts.tables[table].select(columns).rows()


def test_mst_devices_and_the_table_with_empty_cells() -> None:
    facts = mst_status.parse(MST.encode(), "c")
    assert rows(facts, "nic_function_facts", "line", "address", "mst", "type", "rdma", "netdev", "numa_node") == [
        (9, "0000:1a:00.0", "/dev/mst/mt4129_pciconf0", "MT4129", None, None, None),
        (12, "0001:e1:00.0", "/dev/mst/mt41692_pciconf0", "MT41692", None, None, None),
        (22, "0000:1a:00.0", "/dev/mst/mt4129_pciconf0", "ConnectX7(rev:0)", "mlx5_0", "ibp26s0", 0),
        (24, "0000:1a:00.3", None, None, "mlx5_9", None, -1),
        (25, "0000:e1:00.1", "/dev/mst/mt41692_pciconf0.1", "BlueField3(rev:1)", None, "ens7f1np1", None),
    ]
    modules = rows(facts, "kernel_module_facts", "host", "module", "loaded")
    assert modules == [("node0007", "mst_pci", False), ("node0007", "mst_pciconf", True)], "of two answers the first stands"


def test_flint_tells_flash_and_running_apart() -> None:
    facts = flint.parse(FLINT.encode(), "c")
    assert sorted(rows(facts, "version_facts", "component", "device", "part", "version"), key=str) == [
        ("nic_firmware", "/dev/mst/mt4129_pciconf0", "MT_0000000838", "28.39.1002"),
        ("nic_firmware", "1b:00.0", "MT_1090120019", "2.42.5000"),
        ("nic_firmware_running", "/dev/mst/mt4129_pciconf0", "MT_0000000838", "28.36.1010"),
        ("nic_rom_pxe", "/dev/mst/mt4129_pciconf0", "MT_0000000838", "3.7.500"),
        ("nic_rom_uefi", "/dev/mst/mt4129_pciconf0", "MT_0000000838", "14.36.16"),
    ]
    assert rows(facts, "nic_function_facts", "address", "mst", "psid", "firmware") == [
        (None, "/dev/mst/mt4129_pciconf0", "MT_0000000838", "28.36.1010"),
        ("0000:1b:00.0", None, "MT_1090120019", "2.42.5000"),
    ]
    assert rows(facts, "setting_facts", "name", "value") == [("Security Attributes", "secure-fw")]
    assert flint.parse(b"Image type:  FS4\nFW Version:  28.39.1002\n", "c").tables == {}, "no card without its PSID"


def test_the_device_of_flint_may_be_the_subject() -> None:
    text = FLINT.partition("\n")[2].partition("# flint")[0].encode()
    facts = flint.parse(text, "c", "node0001/0000:1a:00.0")
    assert set(rows(facts, "version_facts", "host", "device")) == {("node0001", "0000:1a:00.0")}


def test_mlxfwmanager_by_card() -> None:
    facts = mlxfwmanager.parse(MLXFWMANAGER.encode(), "c")
    assert sorted(rows(facts, "version_facts", "component", "device", "part", "version"), key=str) == [
        ("nic_firmware", "/dev/mst/mt4129_pciconf1", "MT_0000000839", "28.39.1002"),
        ("nic_firmware", "0000:1a:00.0", "MT_0000000838", "28.36.1010"),
        ("nic_firmware_offered", "0000:1a:00.0", "MT_0000000838", "28.39.1002"),
        ("nic_firmware_running", "0000:1a:00.0", "MT_0000000838", "28.35.2000"),
        ("nic_rom_pxe", "0000:1a:00.0", "MT_0000000838", "3.6.0902"),
    ]
    assert rows(facts, "nic_function_facts", "address", "mst", "part_number", "firmware") == [
        ("0000:1a:00.0", None, "MCX75310AAS-NEA_Ax", "28.35.2000"),
        (None, "/dev/mst/mt4129_pciconf1", None, "28.39.1002"),
    ]


def test_mlxfwmanager_as_xml() -> None:
    text = (
        b'<Devices>\n  <Device pciName="0000:1a:00.0" type="ConnectX7" psid="MT_0000000838" partNumber="MCX75310AAS-NEA_Ax">\n'
        b'      <Versions>\n        <FW current="28.39.1002" available="N/A"/>\n      </Versions>\n    </Device>\n</Devices>\n'
    )
    facts = mlxfwmanager.parse(text, "c")
    assert mlxfwmanager.sniff(text) and facts.accounts["c"].unread == 0
    assert rows(facts, "version_facts", "component", "device", "version") == [("nic_firmware", "0000:1a:00.0", "28.39.1002")]
    assert mlxfwmanager.parse(text[:150], "c").tables == {}


def test_ibdev2netdev_plain_and_long() -> None:
    facts = ibdev2netdev.parse(IBDEV.encode(), "c")
    assert rows(facts, "nic_function_facts", "address", "rdma", "port", "netdev", "type", "part_number", "firmware", "up") == [
        (None, "mlx5_0", 1, "ib0", None, None, None, True),
        (None, "mlx5_3", 1, "ens7f1np1", None, None, None, False),
        ("0000:1a:00.0", "mlx5_4", 1, "ib4", "MT4129", "MCX75310AAS-NEAT", "28.39.1002", False),
    ]
    assert ibdev2netdev.parse(b"mlx5_0 port 1 ==> ib0 (Up", "c").accounts["c"].unread == 1


def test_ibdev2netdev_of_a_fleet() -> None:
    facts = ibdev2netdev.parse(b"node1: mlx5_0 port 1 ==> ib0 (Up)\nnode2: mlx5_0 port 1 ==> ib0 (Down)\n", "c")
    assert rows(facts, "nic_function_facts", "host", "up") == [("node1", True), ("node2", False)]


def test_gids_in_comments() -> None:
    facts = show_gids.parse(GIDS.encode(), "c")
    assert rows(facts, "nic_function_facts", "rdma", "gid_index", "gid_version", "netdev", "link_layer") == [
        ("mlx5_0", 0, None, None, "infiniband"),
        ("mlx5_3", 3, "v2", "ens7f1np1", "ethernet"),
    ]


def test_the_release_of_the_rdma_stack() -> None:
    for text, version in (
        (OFED, "MLNX_OFED_LINUX-24.04-0.6.6.0"),
        ("OFED-internal-24.10-0.7.0:\n", "OFED-internal-24.10-0.7.0"),
    ):
        facts = ofed_info.parse(text.encode(), "c")
        assert rows(facts, "version_facts", "component", "version") == [("ofed", version)] and facts.accounts["c"].unread == 0
    assert ofed_info.parse(b"MLNX_OFED_LINUX-24.04-0.6", "c").tables == {}


def test_ibv_devinfo() -> None:
    facts = ibv_devinfo.parse(DEVINFO.encode(), "c")
    port, gid = facts.tables["nic_function_facts"].to_dicts()
    assert (port["rdma"], port["port"], port["type"], port["psid"]) == ("mlx5_0", 1, "MT4129", "MT_0000000838")
    assert (port["firmware"], port["link_layer"], port["up"]) == ("28.39.1002", "infiniband", True)
    assert (gid["gid"], gid["gid_version"]) == ("fe80:0000:0000:0000:0c42:a103:00aa:bbcc", "v2")
    assert ("mlx5_0/1", "active_mtu", "4096 (5)") in rows(facts, "setting_facts", "device", "name", "value")


def test_every_setting_of_mlxconfig_now_and_from_the_next_boot() -> None:
    facts = mlxconfig.parse(MLXCONFIG.encode(), "c")
    first, second = "/dev/mst/mt4129_pciconf0", "/dev/mst/mt4129_pciconf1"
    assert sorted(rows(facts, "setting_facts", "device", "name", "value", "next_boot")) == [
        (first, "LINK_TYPE_P1", "ETH(2)", "IB(1)"),
        (first, "MODULE_SPLIT_M0", "Array[0..15]", "Array[0..15]"),
        (second, "LINK_TYPE_P1", None, "IB(1)"),
        (second, "LINK_TYPE_P2", None, "VPI(3)"),
    ]
    assert set(facts.tables["setting_facts"]["domain"]) == {"nic"}


def test_pci_addresses_in_one_form() -> None:
    said = {
        "37:00.0": "0000:37:00.0",
        "0001:E1:00.1": "0001:e1:00.1",
        "00000009:01:00": "0009:01:00.0",
        "00000000:1B:00.0": "0000:1b:00.0",
        "00010000:1B:00.0": "10000:1b:00.0",
        "1:1B:00.0": "0001:1b:00.0",
        "N/A": None,
        "x": None,
        "37:00.9": None,
    }
    assert {text: pci_address(text) for text in said} == said
    assert pci_address(None) is None


def test_the_answers_of_one_file_belong_to_the_device_in_the_command_before_them() -> None:
    card = "Image type:            FS4\nFW Version:            {}\nPSID:                  MT_0000000838\n"
    text = f"$ flint -d 0000:1a:00.0 q\n{card.format('28.39.1002')}$ flint -d 0000:3c:00.0 q\n{card.format('28.36.1010')}"
    text += "$ flint -d 0000:4d:00.0 q\n-E- Cannot open Device: 0000:4d:00.0. No such file or directory.\n"
    facts = flint.parse(text.encode(), "c", "node0001")
    assert rows(facts, "nic_function_facts", "host", "address", "firmware") == [
        ("node0001", "0000:1a:00.0", "28.39.1002"),
        ("node0001", "0000:3c:00.0", "28.36.1010"),
    ]
    assert facts.accounts["c"].unread == 0


def test_mlxconfig_asked_by_address() -> None:
    text = (
        "$ mlxconfig -d 0000:1a:00.0 -e q\nConfigurations:              Default         Current         Next Boot\n"
        "*       PCI_WR_ORDERING         per_mkey(0)     per_mkey(0)     force_relax(1)\n"
    )
    facts = mlxconfig.parse(text.encode(), "c")
    assert rows(facts, "setting_facts", "device", "name", "value", "next_boot", "host") == [
        ("0000:1a:00.0", "PCI_WR_ORDERING", "per_mkey(0)", "force_relax(1)", None)
    ]
