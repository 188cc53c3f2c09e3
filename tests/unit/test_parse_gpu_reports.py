"""Reports of GPUs (`nvidia-smi` as text, XML, CSV, list and table): values, sentences of failure, cut texts."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_transcripts as texts
from asbuilt.model.capture import Capture
from asbuilt.model.facts import Facts
from asbuilt.parsers.tools import TOOLS


def read(tool: str, text: str, subject: str = "") -> Facts:
    facts = TOOLS[tool].parse(Capture("c", text.encode(), tool, subject))
    assert facts.accounts["c"].balanced
    return facts


def rows(facts: Facts, table: str = "gpu_facts") -> list[dict[str, Any]]:
    return facts.tables[table].to_dicts() if table in facts.tables else []


def test_a_full_report_gives_a_row_for_each_gpu() -> None:
    facts = read("nvidia-smi-q", texts.full())
    gpus = rows(facts)
    assert len(gpus) == 8 and facts.notes == () and facts.accounts["c"].unread == 0
    assert {k: v for k, v in gpus[0].items() if v is not None} == {
        "address": "0000:18:00.0", "uuid": texts.uuid(0), "serial": "1650000000000", "name": "NVIDIA H100 80GB HBM3",
        "vbios": "96.00.74.00.01", "memory_mib": 81559.0, "memory_used_mib": 1.0, "gen_now": 5, "gen_max": 5, "width_now": 16,
        "width_max": 16, "replays": 7.0, "performance_state": "P0", "utilisation_percent": 0.0, "persistence": True,
        "mig": False, "ecc": True, "uncorrected_volatile": 11.0, "uncorrected_aggregate": 48.0,
        "sram_uncorrected_aggregate": 16.0,
        "corrected_volatile": 4.0, "remapped_corrected": 0.0, "remapped_uncorrected": 2.0, "remap_pending": True,
        "remap_failed": False, "temperature_c": 30.0, "memory_temperature_c": 36.0, "margin_c": 57.0, "power_w": 100.89,
        "power_limit_w": 700.0, "sm_mhz": 345.0, "sm_max_mhz": 1980.0, "slowdown": "none", "fabric_state": "Completed",
        "fabric_status": "Success", "cluster_uuid": "0", "clique_id": 32766, "module_id": 1, "capture_id": "c", "line": 9,
    }  # fmt: skip
    assert [g["slowdown"] for g in gpus[:3]] == ["none", "sw_power", "hw_thermal+hw"]
    assert gpus[3]["width_now"] == 8 and gpus[1]["cluster_uuid"] == "ab0ad2b5-0000-4a6b-9e2c-111122223333"
    assert {(r["kind"], r["value"]) for r in rows(facts, "identity_facts")} >= {
        ("gpu_uuid", texts.uuid(7).lower()), ("gpu_serial", "1650000000007")}  # fmt: skip
    versions = {(r["component"], r["device"], r["version"]) for r in rows(facts, "version_facts")}
    assert {("driver", None, "565.57.01"), ("cuda", None, "12.7"), ("vbios", "0000:18:00.0", "96.00.74.00.01")} <= versions


def test_a_full_report_among_prompts_says_the_same() -> None:
    alone = rows(read("nvidia-smi-q", texts.full(2)))
    facts = read("nvidia-smi-q", f"[root@node0001 ~]# nvidia-smi -q\n{texts.full(2)}[root@node0001 ~]# exit\n")
    assert [{**g, "host": None, "line": g["line"] - 1} for g in rows(facts)] == alone
    assert {g["host"] for g in rows(facts)} == {"node0001"}


def test_a_gpu_cut_by_the_end_gives_no_fact() -> None:
    text = texts.full(2)
    facts = read("nvidia-smi-q", text[: text.rindex("    Fabric")])
    assert [g["address"] for g in rows(facts)] == ["0000:18:00.0"]
    assert facts.notes == ("c: the last GPU is cut: its lines are unread",)
    assert facts.accounts["c"].unread > 50


def test_a_prompt_ends_a_part_of_a_report() -> None:
    facts = read("nvidia-smi-q", texts.part(1).rstrip() + "\n[root@node0001 ~]# exit\n")
    assert [g["retired_pages"] for g in rows(facts)] == [3.0] and facts.notes == ()


def test_a_part_of_a_report_says_only_its_part() -> None:
    gpus = rows(read("nvidia-smi-q", texts.part()))
    assert [(g["address"], g["retired_pages"], g["remap_pending"]) for g in gpus] == [
        ("0001:00:00.0", 3.0, None), ("0002:00:00.0", 3.0, None)]  # fmt: skip


def test_a_fabric_section_alone_tells_of_a_gpu_that_is_not_named() -> None:
    text = (
        "    Fabric\n        State                             : In Progress\n        Status                            : N/A\n"
    )
    facts = read("nvidia-smi-q", text * 2)
    assert [(g["address"], g["fabric_state"], g["fabric_status"]) for g in rows(facts)] == [(None, "In Progress", None)] * 2


def test_xml_knows_mig_devices_from_gpus() -> None:
    facts = read("nvidia-smi-xml", texts.xml())
    assert [
        (g["address"], g["memory_mib"], g["mig"], g["slowdown"], g["fabric_state"], g["fabric_status"]) for g in rows(facts)
    ] == [
        ("0000:18:00.0", 81559.0, True, "hw_power_brake", "In Progress", None),
        ("0000:2a:00.0", 81559.0, True, "hw_power_brake", "In Progress", None),
    ]
    cut = read("nvidia-smi-xml", texts.xml()[: texts.xml().rindex("</gpu>")])
    assert len(rows(cut)) == 1
    assert cut.notes == ("c: the document is cut or broken: what follows the last whole GPU is unread",)


def test_the_prompt_before_xml_names_the_host() -> None:
    facts = read("nvidia-smi-xml", f"[root@node0009 ~]# nvidia-smi -q -x\n{texts.xml()}")
    assert {g["host"] for g in rows(facts)} == {"node0009"} and facts.accounts["c"].unread == 0


def test_xml_that_declares_entities_is_unread() -> None:
    text = texts.xml().replace('SYSTEM "nvsmi_device_v12.dtd"', '[<!ENTITY a "aaaa">]')
    facts = read("nvidia-smi-xml", text)
    assert facts.tables == {} and facts.accounts["c"].unread > 0


def test_columns_of_a_csv_are_told_by_their_header() -> None:
    gpu = rows(read("nvidia-smi-csv", texts.csv()))[1]
    assert (gpu["index"], gpu["address"], gpu["memory_mib"], gpu["sm_mhz"], gpu["mig"], gpu["slowdown"]) == (
        1, "0000:2a:00.0", 81559.0, 345.0, False, None)  # fmt: skip
    turned = "clocks.current.sm [MHz], remapped_rows.failure, gpu_uuid\n1980, Yes, " + texts.uuid(0) + "\n"
    gpu = rows(read("nvidia-smi-csv", turned))[0]
    assert (gpu["sm_mhz"], gpu["remap_failed"], gpu["uuid"], gpu["index"]) == (1980.0, True, texts.uuid(0), None)


def test_values_without_a_header_are_unread() -> None:
    facts = read("nvidia-smi-csv", "0, NVIDIA H100 80GB HBM3, 81559 MiB\n1, NVIDIA H100 80GB HBM3, 81559 MiB\n")
    assert facts.tables == {} and facts.accounts["c"].unread == 2
    assert facts.notes == ("c: values without a header: nobody can tell what they are",)


def test_what_a_gpu_does_not_tell_is_null_and_a_lost_gpu_is_an_event() -> None:
    head = "index, pci.bus_id, temperature.gpu, power.draw [W], ecc.mode.current\n"
    facts = read("nvidia-smi-csv", head + "0, 00000000:18:00.0, [GPU is lost], [Unknown Error], [N/A]\n")
    assert [rows(facts)[0][k] for k in ("temperature_c", "power_w", "ecc")] == [None, None, None]
    assert [(e["source"], e["code"], e["device"]) for e in rows(facts, "event_facts")] == [
        ("nvidia-smi", "gpu_is_lost", "0000:18:00.0")]  # fmt: skip


def test_a_slower_clock_is_none_only_where_every_reason_was_asked() -> None:
    names = [f"clocks_event_reasons.{n}" for n in ("hw_thermal_slowdown", "hw_power_brake_slowdown", "hw_slowdown",
                                                    "sw_thermal_slowdown", "sw_power_cap")]  # fmt: skip
    every = read("nvidia-smi-csv", f"index, {', '.join(names)}\n0{', Not Active' * 5}\n")
    some = read("nvidia-smi-csv", f"index, {', '.join(names[:4])}\n0{', Not Active' * 4}\n")
    assert rows(every)[0]["slowdown"] == "none" and rows(some)[0]["slowdown"] is None


def test_processes_are_known_and_give_no_fact() -> None:
    facts = read(
        "nvidia-smi-csv", "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n" + texts.uuid(0) + ", 12, python, 5 MiB\n"
    )
    assert facts.tables == {} and facts.accounts["c"].unread == 0


def test_a_list_counts_no_mig_devices() -> None:
    assert [(g["index"], g["uuid"]) for g in rows(read("nvidia-smi-l", texts.listed()))] == [
        (0, texts.uuid(0)), (1, texts.uuid(1))]  # fmt: skip


def test_the_table_says_what_it_shows() -> None:
    facts = read("nvidia-smi", texts.table())
    assert len(rows(facts)) == 8 and facts.accounts["c"].unread == 0
    gpu = rows(facts)[2]
    assert {k: v for k, v in gpu.items() if v is not None} == {
        "index": 2, "address": "0000:3a:00.0", "name": "NVIDIA H100 80GB HBM3", "memory_mib": 81559.0, "memory_used_mib": 1.0,
        "performance_state": "P0", "utilisation_percent": 0.0, "persistence": True, "mig": False, "ecc": True,
        "uncorrected_volatile": 0.0, "temperature_c": 30.0, "power_w": 100.0, "power_limit_w": 700.0, "capture_id": "c",
        "line": gpu["line"],
    }  # fmt: skip


def test_err_in_the_table_is_an_event() -> None:
    facts = read("nvidia-smi", texts.table(2).replace("100W /  700W", "ERR! /  700W"))
    assert rows(facts)[0]["power_w"] is None
    assert [(e["code"], e["severity"]) for e in rows(facts, "event_facts")] == [("ERR!", "fatal")] * 2


@pytest.mark.parametrize("tool", [t for t in texts.TEXTS if t.startswith("nvidia-smi")])
@pytest.mark.parametrize(
    ("text", "code", "device"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 565.57\n", "nvml_failed", None),
        ("No devices were found\n", "no_devices", None),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure\n", "no_driver", None),
        (
            "Unable to determine the device handle for GPU 0000:1B:00.0: GPU is lost.  Reboot the system\n",
            "gpu_lost",
            "0000:1b:00.0",
        ),
        ("Unable to determine the device handle for GPU0000:1B:00.0: Unknown Error\n", "no_handle", "0000:1b:00.0"),
    ],
)
def test_a_tool_that_gives_up_says_so_as_an_event_and_nothing_else(tool: str, text: str, code: str, device: str | None) -> None:
    facts = read(tool, text)
    assert list(facts.tables) == ["event_facts"] and facts.accounts["c"].unread == 0
    assert [(e["source"], e["code"], e["device"], e["severity"]) for e in rows(facts, "event_facts")] == [
        ("nvidia-smi", code, device, "fatal")]  # fmt: skip


def test_the_subject_is_the_host_and_no_subject_is_none() -> None:
    assert {g["host"] for g in rows(read("nvidia-smi-q", texts.full(1), "node0003"))} == {"node0003"}
    assert {g["host"] for g in rows(read("nvidia-smi-q", texts.full(1)))} == {None}


def test_every_text_is_known_by_one_tool_alone() -> None:
    for tool, all_ in texts.TEXTS.items():
        for text in all_:
            assert [t for t in TOOLS if TOOLS[t].sniff(text.encode())] == [tool]
