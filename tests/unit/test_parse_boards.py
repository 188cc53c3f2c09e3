"""What dmidecode, the kernel's log, systemctl, a BMC, racks, packages and interfaces say, as facts: values, states, quirks."""

from __future__ import annotations

from typing import Any

import pytest

import board_transcripts as texts
from asbuilt.model.capture import Capture
from asbuilt.model.facts import Facts
from asbuilt.parsers.reading_units import normalised
from asbuilt.parsers.tools import TOOLS


def read(tool: str, text: str) -> Facts:
    return TOOLS[tool].parse(Capture("c", text.encode(), tool))


def table(tool: str, text: str, name: str, *columns: str) -> list[tuple[Any, ...]]:
    return read(tool, text).tables[name].select(columns).rows()


def unread(tool: str, text: str) -> list[tuple[int, str]]:
    return list(read(tool, text).accounts["c"].unread_lines)


@pytest.mark.parametrize("tool", [t for t in texts.TEXTS if t != "readings"])
def test_no_line_is_left_unread(tool: str) -> None:
    for text in texts.TEXTS[tool]:
        assert unread(tool, text) == []


@pytest.mark.parametrize("tool", sorted(texts.TEXTS))
def test_the_first_text_of_a_tool_is_known(tool: str) -> None:
    assert [t for t in TOOLS if TOOLS[t].sniff(texts.TEXTS[tool][0].encode())] == [tool]


def test_memory_sockets() -> None:
    found = table(
        "dmidecode", texts.DMIDECODE, "dimm_facts", "locator", "bank", "size_gib", "kind", "speed_mts", "configured_mts"
    )
    assert found == [
        ("P1-DIMMA1", "P0_Node0_Channel0_Dimm0", 64.0, "DDR5", 5600.0, 4800.0),
        ("P1-DIMMB1", "P0_Node0_Channel1_Dimm0", 0.0, None, None, None),
        ("PROC 1 DIMM 3", None, 16.0, "DDR4", 2666.0, 2400.0),
    ]
    assert table("dmidecode", texts.DMIDECODE, "dimm_facts", "part", "serial")[0] == ("EX-64-5600", "D0000001")


def test_a_machine_by_its_first_board_and_without_words_nobody_filled_in() -> None:
    assert table("dmidecode", texts.DMIDECODE, "identity_facts", "kind", "value") == [
        ("chassis_serial", "CHA0001"),
        ("system_serial", "SER0001"),
        ("system_uuid", "4c4c4544-0001-4410-8031-c2c04f000001"),
    ]
    assert table("dmidecode", texts.DMIDECODE, "version_facts", "component", "version") == [
        ("bios", "2.7"), ("product", "Model Eight"),
    ]  # fmt: skip


def test_a_memory_socket_that_is_cut_says_nothing() -> None:
    cut = texts.DMIDECODE[: texts.DMIDECODE.index("\tConfigured Memory Speed: 4800") + 25]
    facts = read("dmidecode", cut)
    assert "dimm_facts" not in facts.tables
    assert facts.accounts["c"].unread_lines[0][1] == "the block of this memory socket is cut"


def test_the_last_socket_counts_without_an_empty_line_behind_it_when_it_ends_as_others_do() -> None:
    one = texts.DMIDECODE[texts.DMIDECODE.index("Handle 0x0021") : texts.DMIDECODE.index("Handle 0x0022")]
    both = one + one.replace("A1", "C1").rstrip("\n")
    assert [r[0] for r in table("dmidecode", both, "dimm_facts", "locator")] == ["P1-DIMMA1", "P1-DIMMC1"]
    alone = read("dmidecode", one.rstrip("\n"))
    assert "dimm_facts" not in alone.tables


def test_a_table_that_could_not_be_read_is_told() -> None:
    facts = read("dmidecode", "# dmidecode 3.5\n/dev/mem: Permission denied\n")
    assert facts.tables == {}
    assert facts.notes == ("c: dmidecode could not read the whole table",)


def test_events_with_dates() -> None:
    assert table("dmesg", texts.DMESG, "event_facts", "source", "code", "device", "severity", "time", "line") == [
        ("log", "day", None, "info", "2026-11-30T08:00:00.000000+00:00", 1),
        ("pcie", "bandwidth", "0000:14:00.0", "warning", "2026-11-30T08:00:10.000000+00:00", 3),
        ("xid", "79", "0000:1b:00.0", None, "2026-11-30T09:00:00.000000+00:00", 4),
        ("log", "day", None, "info", "2026-12-01T09:00:00.000000+00:00", 5),
        ("sxid", "28006", "0000:c1:00.0", "warning", "2026-12-01T09:00:01.000000+00:00", 6),
        ("sxid", "20034", "0000:c1:00.0", "fatal", "2026-12-01T09:00:02.000000+00:00", 8),
    ]


def test_events_by_seconds_since_boot() -> None:
    assert table("dmesg", texts.DMESG_SECONDS, "event_facts", "source", "code", "device", "severity", "seconds")[1:] == [
        ("aer", "Physical Layer", "0000:13:00.0", "corrected", 12.000002),
        ("aer", "Transaction Layer", "0000:02:00.0", "uncorrected", 13.0),
        ("aer", "Data Link Layer", "0000:02:00.0", "fatal", 13.0),
        ("mlx5", "cable", "0000:13:00.0", "warning", 14.0),
        ("mlx5", "fatal", "0000:13:00.0", "fatal", 15.0),
        ("thermal", "temperature", "0000:13:00.0", "warning", 16.0),
        ("mce", "ce", "MC0", "corrected", 17.0),
        ("oom", "python3", None, "warning", 18.0),
        ("hung", "nvidia-smi", None, "warning", 19.0),
        ("thermal", "temperature", None, "warning", 20.0),
        ("mce", "bank7", None, None, 22.0),
        ("nvrm", "init_failed", "0000:1b:00.0", "fatal", 23.0),
    ]


def test_other_forms_of_the_log() -> None:
    found = table("dmesg", texts.DMESG_OTHER, "event_facts", "host", "source", "code", "seconds", "time")
    assert found == [
        (None, "xid", "31", None, "2026-11-30T19:09:50"),
        (None, "log", "day", 12.000001, None),
        ("node7", "xid", "13", 99.5, None),
    ]
    assert read("dmesg", texts.DMESG_OTHER).notes == ("c: the kernel's log could not be read",)
    assert unread("dmesg", "[    1.000000] a\nno line of a log\n") == [(2, "no line of a log")]


@pytest.mark.parametrize("word", ["nvlink ", "mlx5_core 0000:13:00.0 missed ", "available PCIe pciehp ", "CPU1: temperature "])
def test_a_line_without_end_is_read_to_its_end(word: str) -> None:
    line = "[    1.000000] " + word * 200_000
    assert unread("dmesg", line[:900_000] + "\n") == []


def test_services_in_blocks() -> None:
    assert table("systemctl", texts.SYSTEMCTL_SHOW, "service_facts", "service", "load", "active", "sub", "enabled") == [
        ("nvidia-fabricmanager", "not-found", "inactive", "dead", None),
        ("slurmd", "loaded", "active", "running", "enabled"),
    ]


def test_services_in_other_forms() -> None:
    assert table("systemctl", texts.SYSTEMCTL, "service_facts", "host", "service", "load", "active", "sub", "enabled") == [
        ("n1", "chronyd", None, "inactive", None, None),
        ("n1", "foo", "not-found", "inactive", "dead", None),
        ("n1", "munge", None, "active", None, None),
        ("n1", "nope", "not-found", "inactive", None, None),
        ("n1", "opensm", None, None, None, "disabled"),
        ("n1", "slurmd", "loaded", "failed", "failed", "enabled"),
        ("n1", "tuned", "loaded", "active", "running", None),
    ]


def test_a_block_of_a_service_that_is_cut_says_nothing() -> None:
    assert unread("systemctl", "Id=slurmd.service\nLoadState=loaded\n") == [
        (1, "a block that is cut"), (2, "a block that is cut"),
    ]  # fmt: skip


def test_sensors_with_limits() -> None:
    found = table("ipmitool-sensor", texts.SENSORS, "sensor_facts", "sensor", "kind", "value", "unit", "state", "low", "high")
    assert found == [
        ("CPU0_Temp", "temperature", 48.0, "°C", "ok", None, 95.0),
        ("Inlet_Temp", "temperature", 40.0, "°C", "critical", 0.0, 40.0),
        ("FAN1", "fan", 300.0, "RPM", "critical", 900.0, None),
        ("P12V", "voltage", None, "V", "unreadable", 10.8, 13.2),
        ("PSU0_Status", "presence", None, None, "ok", None, None),
        ("PSU1_Status", "presence", None, None, "critical", None, None),
        ("PSU2_Status", "presence", None, None, "absent", None, None),
        ("Watchdog", "discrete", None, None, None, None, None),
        ("Leak_Detect_0", "leak", None, None, "leak", None, None),
        ("Leak_Detect_1", "leak", None, None, "ok", None, None),
    ]


def test_sensor_records() -> None:
    assert table("ipmitool-sensor", texts.SDR, "sensor_facts", "sensor", "kind", "value", "state") == [
        ("UID Light", "discrete", None, None),
        ("Power Supply 1", "power", 0.0, "critical"),
        ("Power Supply 2", "power", 95.0, "ok"),
        ("CPU2 Temp", "discrete", None, "unreadable"),
        ("FAN1", "fan", 300.0, "warning"),
        ("CPU Temp", "temperature", 45.0, "ok"),
    ]
    facts = read("ipmitool-sensor", "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: No such file\n")
    assert (facts.tables, facts.notes) == ({}, ("c: the BMC did not answer",))


def test_units_of_the_machine_itself() -> None:
    assert table("ipmitool-fru", texts.FRU, "identity_facts", "kind", "value") == [
        ("board_serial", "BRD0001"), ("chassis_serial", "CHA0001"), ("system_serial", "SER0001"),
    ]  # fmt: skip
    assert table("ipmitool-fru", texts.FRU, "version_facts", "component", "version") == [("fru_product", "A1")]


def test_entries_of_the_event_log() -> None:
    assert table("ipmitool-sel", texts.SEL, "event_facts", "code", "device", "time", "severity") == [
        ("Timestamp Clock Sync", "System Event SystemEvent", "2026-11-30T07:55:02+00:00", "info"),
        ("Power Supply AC lost", "Power Supply #0xfb", "2026-02-06T18:30:50", "critical"),
        ("Correctable ECC", "Memory #0x53", None, "corrected"),
        ("Upper Critical going high", "Temperature CPU1 Temp", "2026-11-30T07:55:02+00:00", "critical"),
        ("Upper Critical going high", "Temperature CPU1 Temp", "2026-11-30T08:55:02+00:00", "info"),
        ("Presence detected", "Power Supply PSU2", "2026-11-30T09:55:02+00:00", "warning"),
        ("Transition to Critical from less severe", "Cooling Device Leak_Detect_0", "2026-12-01T06:12:44+00:00", "critical"),
    ]
    assert table("ipmitool-sel", "SEL has no entries\n", "event_facts", "source", "code", "severity") == [
        ("sel", "empty", "info")
    ]


def test_redfish_resources() -> None:
    assert table("redfish", texts.REDFISH, "sensor_facts", "sensor", "kind", "value", "unit", "state", "high") == [
        ("FAN1", "fan", 40.0, "%", "ok", None),
        ("GPU9", "temperature", None, "°C", "absent", None),
        ("Inlet", "temperature", 24.0, "°C", "ok", 40.0),
        ("CDU supply pressure", "pressure", 250.0, "kPa", None, 400.0),
        ("Leak 0", "leak", None, None, "leak", None),
        ("Memory", "discrete", None, None, "warning", None),
        ("Chassis", "power", 2210.0, "W", None, None),
        ("PSU1", "presence", None, None, "critical", None),
        ("PSU1 input", "power", 500.0, "W", None, None),
    ]
    assert table("redfish", texts.REDFISH, "dimm_facts", "locator", "size_gib", "configured_mts") == [("A1", 64.0, 4800.0)]
    assert table("redfish", texts.REDFISH, "version_facts", "component", "version") == [("bios", "1.9")]
    assert unread("redfish", '{"a": 1}\n') == [(1, "JSON that is no Redfish resource")]


def test_readings_of_a_facility() -> None:
    assert table("readings", texts.READINGS, "sensor_facts", "host", "sensor", "kind", "value", "unit", "state", "time") == [
        ("rack:A-01", "inlet A", "voltage", 415.2, "V", None, "2026-12-01T00:00:00Z"),
        ("rack:A-01", "load", "power", 12500.0, "W", "ok", "2026-12-01T00:05:00"),
        ("CDU-1", "supply pressure", "pressure", 250.0, "kPa", None, "2025-12-01T00:00:00Z"),
        ("CDU-1", "valve", "discrete", 50.0, "%", None, "2026-12-01T00:00:00Z"),
        ("CDU-1", "leak 1", "leak", None, None, "leak", "2026-12-01T00:00:00Z"),
        ("CDU-1", "t,1", "temperature", None, "°C", "unreadable", "2026-12-01T00:00:00Z"),
    ]
    assert unread("readings", texts.READINGS) == [
        (7, "a time that is not ISO 8601"),
        (8, "a value that is no number"),
        (10, "4 cells where the columns are 6"),
        (11, "no subject or no sensor"),
    ]
    assert read("readings", texts.READINGS).notes == (
        'c: neither the unit "%" nor the name "valve" says what is measured: taken as discrete',
    )


def test_readings_with_semicolons_and_without_an_end() -> None:
    found = table("readings", texts.READINGS_SEMICOLON, "sensor_facts", "sensor", "value", "unit")
    assert found == [("flow", 25.0, "L/min"), ("supply", 20.0, "°C")]
    assert unread("readings", texts.READINGS_SEMICOLON[:-1])[-1] == (3, "the last line has no end: it may be cut")
    assert unread("readings", "1,2,3\n") == [(1, "no line before it names the columns subject, sensor and value")]


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (14.5, "psi", (99.9739765, "kPa", "pressure")), (2.0, "MW", (2e6, "W", "power")), (500.0, "mW", (0.5, "W", "power")),
        (3.0, "kVA", (3000.0, "VA", "power")), (10.0, "gpm", (37.85412, "L/min", "flow")),
        (1.0, "ppm", (1.0, "ppm", "discrete")),
    ],
)  # fmt: skip
def test_one_unit_for_each_kind(value: float, unit: str, told: tuple[float, str, str]) -> None:
    assert normalised(value, unit, "x") == told


def test_packages() -> None:
    assert table("packages", texts.DPKG, "version_facts", "component", "version") == [
        ("package:bash", "5.2.21-2ubuntu4"), ("package:libc6", "2.39-0ubuntu8.6"), ("package:libc6:i386", "2.39-0ubuntu8.6"),
    ]  # fmt: skip
    assert table("packages", texts.RPM, "version_facts", "component", "version") == [
        ("package:kernel", "5.14.0-427.el9"), ("package:libibverbs", "51.0-1.el9"),
    ]  # fmt: skip
    assert table("packages", texts.PIP, "version_facts", "component", "version") == [
        ("package:nvidia-nccl-cu12", "2.21.5"), ("package:torch", "2.5.1"),
    ]  # fmt: skip
    assert table("packages", texts.DPKG_L, "version_facts", "component", "version") == [("package:adduser", "3.118")]


@pytest.mark.parametrize(
    "line", ["lib{0}-dev:amd64\t1.{0}-1\n", "lib{0}:i386\t2:{0}\n", "lib-{0}-devel-1.{0}-2.el9.x86_64\n", "a_{0}-1.{0}-2.el9\n"]
)
def test_a_long_list_read_at_once_says_what_single_lines_say(line: str) -> None:
    lines = [line.format(n) for n in range(100)]
    whole = set(table("packages", "".join(lines), "version_facts", "component", "version", "line"))
    single = {(*table("packages", one, "version_facts", "component", "version")[0], n) for n, one in enumerate(lines, start=1)}
    assert whole == single


def test_hashes_of_files() -> None:
    assert table("filehashes", texts.HASHES, "version_facts", "component", "version") == [
        ("file:/usr/lib/libexample.so.2", "0a" * 32), ("file:other", f"md5:{'0b' * 16}"),
    ]  # fmt: skip


def test_settings_of_an_interface() -> None:
    assert table("ethtool-link", texts.ETHTOOL, "setting_facts", "host", "device", "name", "value") == [
        ("n1", "ens1f0np0", "Auto-negotiation", "on"),
        ("n1", "ens1f0np0", "Link detected", "yes"),
        ("n1", "ens1f0np0", "Ring RX", "1024"),
        ("n1", "ens1f0np0", "Speed", "400000Mb/s"),
        ("n1", "ens1f0np0", "driver", "mlx5_core"),
    ]
    assert table("ethtool-link", texts.ETHTOOL, "version_facts", "component", "device", "part", "version") == [
        ("link_driver", "ens1f0np0", None, "24.10-0.7.0"),
        ("nic_firmware", "ens1f0np0", "EX_0000000001", "28.43.1014"),
    ]
