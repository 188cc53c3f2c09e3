"""Values of what machines tell, from texts in the tools' forms: one for each form, and each thing that must stay unknown."""

from __future__ import annotations

from typing import Any

import pytest

import machine_transcripts as texts
from asbuilt.model.capture import Capture
from asbuilt.model.facts import Facts
from asbuilt.parsers.cpu_lists import of_mask, spread
from asbuilt.parsers.tools import TOOLS


def read(tool: str, text: str, subject: str = "") -> Facts:
    return TOOLS[tool].parse(Capture("c", text.encode(), tool, subject))


def told(facts: Facts, table: str, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[c] for c in columns) for row in facts.tables[table].to_dicts()] if facts.has(table) else []


def one(facts: Facts, table: str, **key: Any) -> dict[str, Any]:
    (row,) = [r for r in facts.tables[table].to_dicts() if all(r[k] == v for k, v in key.items())]
    return {k: v for k, v in row.items() if v is not None and k not in ("capture_id", *key)}


class TestSysfs:
    facts = read("sysfs", texts.SYSFS)

    def test_a_serial_that_nobody_wrote_is_no_identity(self) -> None:
        kinds = [k for (k,) in told(self.facts, "identity_facts", "kind")]
        assert "board_serial" not in kinds and {"system_serial", "chassis_serial", "boot_id", "hostname"} <= set(kinds)
        assert one(self.facts, "identity_facts", kind="system_uuid")["value"] == "4c4c4544-0001-4410-8031-c2c04f000001"

    @pytest.mark.parametrize(
        "word", ["Default string", "0123456789", "Not Specified", "N/A", "........", "System Serial Number"]
    )
    def test_words_that_stand_for_none(self, word: str) -> None:
        facts = read("sysfs", f"/sys/class/dmi/id/product_serial:{word}\n")
        assert facts.tables == {} and facts.accounts["c"].ignorable == 1

    def test_versions(self) -> None:
        assert dict(told(self.facts, "version_facts", "component", "version")) == {
            "bios": "2.7",
            "product": "Model Eight",
            "kernel": "6.8.0-1-example",
            "os": "Example Linux 9",
            "cmdline": "BOOT_IMAGE=/vmlinuz ro iommu=pt console=tty0 console=ttyS0,115200",
            "module:nvidia_uvm": "580.95.05",
            "nic_firmware": "20.43.1014",
        }
        assert one(self.facts, "version_facts", device="mlx5_0")["part"] == "EX_0000000001"

    def test_options_of_the_kernel(self) -> None:
        rows = told(self.facts, "setting_facts", "domain", "name", "value")
        assert ("cmdline", "iommu", "pt") in rows and ("cmdline", "ro", "") in rows
        assert ("cmdline", "console", "tty0,ttyS0,115200") in rows and ("kernel", "kernel.numa_balancing", "0") in rows

    def test_a_function_from_lines_far_apart(self) -> None:
        assert one(self.facts, "pci_facts", address="0000:17:00.0") == {
            "class_id": "0302",
            "vendor_id": "10de",
            "device_id": "26b9",
            "numa_node": -1,
            "now_gts": 16.0,
            "now_width": 8,
            "cap_gts": 16.0,
            "cap_width": 16,
            "line": 18,
        }

    def test_a_function_without_a_link_has_no_width(self) -> None:
        assert one(self.facts, "pci_facts", address="0000:18:00.0") == {"class_id": "0880", "line": 19}

    def test_a_link_that_is_down_has_no_lanes(self) -> None:
        base = "/sys/bus/pci/devices/0000:17:00.0/"
        facts = read("sysfs", f"{base}current_link_width:0\n{base}max_link_width:16\n")
        assert told(facts, "pci_facts", "now_width", "cap_width") == [(0, 16)]

    def test_ports_and_a_card_without_ports(self) -> None:
        assert one(self.facts, "nic_function_facts", rdma="mlx5_0") == {
            "port": 1,
            "type": "MT4129",
            "psid": "EX_0000000001",
            "firmware": "28.43.1014",
            "link_layer": "infiniband",
            "up": True,
            "line": 35,
        }
        assert one(self.facts, "nic_function_facts", rdma="mlx5_1") == {"firmware": "20.43.1014", "line": 39}
        assert one(self.facts, "identity_facts", kind="port_guid")["value"] == "0c42a10300000011"

    def test_where_an_interrupt_may_go_and_goes(self) -> None:
        assert told(self.facts, "irq_facts", "irq", "cpus", "effective") == [(121, "0-47,96-143", "3")]

    def test_a_value_that_may_be_cut_is_unread(self) -> None:
        facts = read("sysfs", "/proc/irq/121/smp_affinity_list:0-4")
        assert facts.tables == {} and facts.accounts["c"].unread_lines == ((1, "/proc/irq/121/smp_affinity_list:0-4"),)

    def test_what_is_not_known_is_unread(self) -> None:
        facts = read(
            "sysfs", "/sys/kernel/other:1\n/sys/bus/pci/devices/0000:17:00.0/class:what\n/proc/irq/x/smp_affinity_list:1\n"
        )
        assert facts.tables == {} and facts.accounts["c"].unread == 3

    def test_the_host_is_the_subject(self) -> None:
        facts = read("sysfs", texts.SYSFS, "gpu007")
        assert {h for frame in facts.tables.values() for h in frame["host"].to_list()} == {"gpu007"}


def test_parents_and_names_from_links() -> None:
    facts = read("sysfs-paths", texts.PATHS)
    assert told(facts, "pci_facts", "address", "parent") == [
        ("0000:16:01.0", "root:0000:16"),
        ("0000:17:00.0", "0000:16:01.0"),
        ("0001:00:00.0", "root:0001:00"),
        ("10000:00:02.0", "root:10000:00"),
    ]
    assert told(facts, "nic_function_facts", "address", "rdma", "netdev") == [
        ("0000:17:00.0", "mlx5_0", None),
        ("0000:17:00.0", None, "ib0"),
        ("0000:00:14.0", None, "usb0"),
    ]


class TestInterrupts:
    def test_counts_of_every_processor_are_added_up(self) -> None:
        facts = read("interrupts", texts.INTERRUPTS)
        assert told(facts, "irq_facts", "irq", "name", "address", "count") == [
            (9, "acpi", None, 5.0),
            (120, "mlx5_async0@pci:0000:17:00.0", "0000:17:00.0", 4294967297.0),
            (121, "mlx5_comp0@pci:0000:17:00.1", "0000:17:00.1", 1.0),
            (122, None, "0000:00:1c.0", 0.0),
        ]

    def test_arm(self) -> None:
        facts = read("interrupts", texts.INTERRUPTS_ARM)
        assert told(facts, "irq_facts", "name", "address", "count") == [
            ("arch_timer", None, 1425.0),
            ("mlx5_comp2@pci:0002:01:00.0", "0002:01:00.0", 21.0),
        ]

    @pytest.mark.parametrize("processors", [1, 15, 16, 17, 512])
    def test_wide_and_narrow_columns_tell_the_same(self, processors: int) -> None:
        counts = [0] * processors
        counts[processors // 2] = 4294967295
        counts[-1] += 70
        head = "           " + " ".join(f"CPU{i:<7}" for i in range(processors)) + "\n"
        wide = head + " 120: " + " ".join(f"{c:>10}" for c in counts) + "  IR-PCI-MSI 5-edge      mlx5_comp1\n"
        narrow = head + " 120: " + " ".join(map(str, counts)) + "  IR-PCI-MSI 5-edge      mlx5_comp1\n"
        assert told(read("interrupts", wide), "irq_facts", "name", "count") == [("mlx5_comp1", float(sum(counts)))]
        assert told(read("interrupts", narrow), "irq_facts", "name", "count") == [("mlx5_comp1", float(sum(counts)))]

    def test_a_line_that_may_be_cut_is_unread(self) -> None:
        assert read("interrupts", texts.INTERRUPTS.partition(" 121:")[0] + " 121:          1").accounts["c"].unread == 1


class TestLspci:
    def test_words_numbers_and_both(self) -> None:
        rows = told(
            read("lspci", texts.LSPCI), "pci_facts", "address", "class_id", "vendor_id", "device_id", "revision", "name"
        )
        assert rows == [
            ("0000:16:01.0", "0604", "8086", "352a", "04", "Example Root Port"),
            ("0000:17:00.0", "0207", "15b3", "1021", None, "Mellanox Technologies MT2910 Family [ConnectX-7]"),
            ("0000:18:00.0", None, None, None, "a1", "NVIDIA Corporation Device 26b9"),
            ("0001:00:00.0", "0807", None, None, None, "Example Device 0b23"),
            ("0002:00:00.0", "0302", "10de", "2330", "a1", None),
        ]

    def test_a_bridge_and_what_is_below_it(self) -> None:
        facts = read("lspci-vv", texts.LSPCI_VV)
        bridge = one(facts, "pci_facts", address="0000:16:01.0")
        assert (bridge["port_type"], bridge["acs"], bridge["link_disabled"]) == (
            "root_port",
            "SrcValid+ReqRedir+CmpltRedir+UpstreamFwd",
            False,
        )
        assert (bridge["cap_gts"], bridge["cap_width"], bridge["now_gts"], bridge["now_width"]) == (32.0, 16, 16.0, 8)
        assert (bridge["payload_bytes"], bridge["read_request_bytes"]) == (256, 512), "not what it is capable of"
        card = one(facts, "pci_facts", address="0000:17:00.0")
        assert (card["parent"], card["acs"], card["slot"], card["now_width"]) == ("0000:16:01.0", "none", "7-1", 0)
        assert "now_gts" not in card, "an unknown speed is no speed"
        assert told(facts, "identity_facts", "kind", "value") == [("nic_serial", "EX0001")]

    def test_a_card_that_fell_off_the_bus(self) -> None:
        facts = read("lspci-vv", texts.LSPCI_VV)
        assert one(facts, "event_facts", device="0000:18:00.0") == {
            "source": "pcie",
            "code": "unknown_header",
            "severity": "fatal",
            "message": "!!! Unknown header type 7f",
            "line": 30,
        }
        assert "revision" not in one(facts, "pci_facts", address="0000:18:00.0")

    def test_a_user_sees_no_links(self) -> None:
        facts = read("lspci-vv", texts.LSPCI_USER)
        assert facts.notes == ("c: lspci was not asked by root: links, payloads and access control are not told",)
        assert told(facts, "pci_facts", "now_gts", "acs", "numa_node", "driver") == [(None, None, 1, "nvidia")]

    def test_lines_of_nobody_are_unread(self) -> None:
        assert read("lspci-vv", "\tNUMA node: 1\n").accounts["c"].unread == 1

    def test_the_tree(self) -> None:
        parents = dict(told(read("lspci-tv", texts.LSPCI_TV), "pci_facts", "address", "parent"))
        assert parents == {
            "0000:16:01.0": "root:0000:16",
            "0000:16:02.0": "root:0000:16",
            "0000:17:00.0": "0000:16:01.0",
            "0000:18:00.0": "0000:17:00.0",
            "0000:18:01.0": "0000:17:00.0",
            "0000:19:00.0": "0000:18:00.0",
            "0001:00:00.0": "root:0001:00",
            "0001:01:00.0": "0001:00:00.0",
            "0001:01:00.1": "0001:00:00.0",
        }

    def test_a_branch_without_its_trunk_is_unread(self) -> None:
        facts = read("lspci-tv", " |           +-00.1  Example Device\n")
        assert facts.tables == {} and facts.accounts["c"].unread == 1


class TestProcessors:
    def test_groups_of_the_newer_layout(self) -> None:
        facts = read("lscpu", texts.LSCPU)
        assert told(facts, "processor_facts", "sockets", "cores", "threads", "cpus", "online", "numa_nodes") == [
            (2, 48, 2, 192, "0-191", 2)
        ]
        assert told(facts, "numa_facts", "numa", "cpus") == [(0, "0-47,96-143"), (1, "48-95,144-191")]

    def test_clusters_are_no_sockets(self) -> None:
        facts = read("lscpu", texts.LSCPU_ARM)
        assert told(facts, "processor_facts", "architecture", "sockets", "cores") == [("aarch64", None, None)]
        assert told(facts, "numa_facts", "cpus") == [("0-71",), ("",)]

    def test_json(self) -> None:
        facts = read("lscpu", texts.LSCPU_JSON)
        assert told(facts, "processor_facts", "architecture", "cpus") == [("x86_64", 8)]
        assert told(facts, "numa_facts", "numa", "cpus") == [(0, "0-7")]

    def test_two_reports_of_one_terminal(self) -> None:
        facts = read("lscpu", "Architecture: x86_64\nCPU(s): 8\nArchitecture: x86_64\nCPU(s): 4\n")
        assert told(facts, "processor_facts", "cpus", "line") == [(8, 1), (4, 3)]

    def test_memory_and_distances(self) -> None:
        facts = read("numactl", texts.NUMACTL)
        assert told(facts, "numa_facts", "numa", "cpus", "memory_mib", "distances") == [
            (0, "0-3,8-9", 193129.0, "10,32"),
            (1, "", 97280.0, "32,10"),
        ]

    def test_a_machine_without_numa(self) -> None:
        facts = read("numactl", "No NUMA available on this system\n")
        assert facts.notes == ("c: the machine has no NUMA nodes that numactl could tell",)

    def test_hwloc_of_a_part_of_a_machine(self) -> None:
        part = texts.LSTOPO_XML.replace(
            '<info name="OSRelease"', '<info name="LinuxCgroup" value="/job_1"/>\n    <info name="OSRelease"'
        )
        facts = read("lstopo", part)
        assert facts.notes == ("c: hwloc was run inside a control group: it saw a part of the processors",)
        assert told(facts, "processor_facts", "cpus", "architecture") == [(None, "x86_64")]
        assert told(facts, "numa_facts", "cpus", "memory_mib") == [(None, 1024.0), (None, 2048.0)]

    def test_hwloc(self) -> None:
        facts = read("lstopo", texts.LSTOPO_XML)
        assert told(facts, "processor_facts", "model", "sockets", "cores", "threads", "cpus") == [
            ("Example & Sons", 2, 1, 2, 4)
        ]
        assert told(facts, "pci_facts", "address", "parent", "numa_node") == [
            ("0000:16:01.0", "root:0000:16", 0),
            ("0000:17:00.0", "0000:16:01.0", 0),
        ]
        assert told(read("lstopo", texts.LSTOPO), "nic_function_facts", "address", "rdma", "netdev") == [
            ("0000:17:00.0", None, "ib0"),
            ("0000:17:00.0", "mlx5_0", None),
        ]

    def test_lists_of_processors(self) -> None:
        assert [spread(n) for n in ([], [3], [0, 1, 2, 5, 7, 8])] == ["", "3", "0-2,5,7-8"]
        masks = ("0x0000000f", "0x1,0x00000003", "0xf,,0x0", "0xf...f", "words", "", "0x0")
        assert [of_mask(m) for m in masks] == ["0-3", "0-1,32", "64-67", None, None, None, ""]


def test_modules() -> None:
    assert told(read("lsmod", texts.LSMOD), "kernel_module_facts", "module", "loaded", "users") == [
        ("going", True, None),
        ("ib_core", True, 8),
        ("nvidia", True, 120),
        ("nvidia_uvm", True, 4),
    ]
    facts = read("modinfo", texts.MODINFO)
    assert told(facts, "version_facts", "component", "version") == [("module_file:mlx5_core", "24.10-1.1.4")]
