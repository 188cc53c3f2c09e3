"""Links of GPUs and what watches them: topology, NVLink, diagnostics, fabric manager, IMEX."""

from __future__ import annotations

import json

from test_parse_gpu_reports import read, rows

import gpu_transcripts as texts


def cells(text: str) -> dict[tuple[str, str], str]:
    return {(r["a"], r["b"]): r["relation"] for r in rows(read("nvidia-smi-topo", text), "topology_facts")}


def test_a_matrix_says_the_same_with_tabs_blanks_and_colours() -> None:
    plain = cells(texts.topology())
    assert plain == cells(texts.topology(tabs=False)) == cells(texts.topology(colours=True))
    assert (
        len(plain) == 12
        and plain["GPU1", "NIC1"] == "PIX"
        and plain["NIC0", "GPU1"] == "SYS"
        and plain["GPU0", "GPU1"] == "NV18"
    )


def test_the_legend_names_the_nics_and_the_processors_are_told() -> None:
    facts = read("nvidia-smi-topo", texts.topology())
    row = next(r for r in rows(facts, "topology_facts") if (r["a"], r["b"]) == ("GPU1", "NIC1"))
    assert (row["a_device"], row["b_device"]) == (None, "mlx5_4")
    assert [(r["device"], r["cpus"], r["numa"], r["gpu_numa"]) for r in rows(facts, "affinity_facts")] == [
        ("GPU0", "0-47,96-143", "0", None), ("GPU1", "48-95,144-191", "1", None)]  # fmt: skip
    unnamed = read("nvidia-smi-topo", texts.topology(legend=False))
    assert {r["b_device"] for r in rows(unnamed, "topology_facts")} == {None}


def test_a_header_without_its_blanks_is_no_row() -> None:
    assert cells(texts.topology(tabs=False).lstrip()) == cells(texts.topology())


def test_labels_run_together_tell_nothing_of_their_one_cell() -> None:
    text = "        GPU0    NIC0NIC1    NIC2    CPU Affinity\nGPU0     X      SYS     PIX     0-55\n"
    assert cells(text) == {("GPU0", "NIC2"): "PIX"}
    both = "        GPU0    NIC0NIC1    NIC2    CPU Affinity\nGPU0     X      SYS     NODE    PIX     0-55\n"
    assert cells(both) == {("GPU0", "NIC0"): "SYS", ("GPU0", "NIC1"): "NODE", ("GPU0", "NIC2"): "PIX"}


def test_an_empty_numa_cell_shifts_nothing() -> None:
    facts = read("nvidia-smi-topo", "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t0-63\t\t\t2\n")
    assert [(r["cpus"], r["numa"], r["gpu_numa"]) for r in rows(facts, "affinity_facts")] == [("0-63", None, 2)]


def test_a_cut_row_keeps_whole_cells_and_loses_its_processors() -> None:
    text = texts.topology(tabs=False, legend=False).splitlines()[:2]
    facts = read("nvidia-smi-topo", text[0] + "\n" + text[1][: text[1].index("0-47") + 6] + "\n")
    assert "affinity_facts" not in facts.tables and len(rows(facts, "topology_facts")) == 3
    assert facts.notes == ("c: the row of GPU0 is cut: its processors are not told", "c: 3 of 4 columns have no row")
    assert read("nvidia-smi-topo", text[0] + "\n" + text[1][:30]).tables == {}


def test_a_matrix_of_peers_is_known_and_gives_no_fact() -> None:
    facts = read("nvidia-smi-topo", "$ nvidia-smi topo -p2p r\n \tGPU0\tGPU1\n GPU0\tX\tCNS\n GPU1\tCNS\tX\n")
    assert facts.tables == {} and facts.accounts["c"].unread == 0
    assert facts.notes == ("c: a matrix without processors is none of `topo -m` (-p2p): it is known and gives no fact",)


def test_an_inactive_link_is_a_fact() -> None:
    found = rows(read("nvidia-smi-nvlink", texts.links()), "nvlink_facts")
    assert len(found) == 8
    assert [(r["gpu"], r["link"], r["gbytes_s"]) for r in found if not r["active"]] == [(1, 2, None)]
    assert {r["gbytes_s"] for r in found if r["active"]} == {26.562}


def test_counters_of_a_link_are_one_row() -> None:
    found = rows(read("nvidia-smi-nvlink", texts.link_errors()), "nvlink_facts")
    assert [(r["gpu"], r["link"], r["replay_errors"], r["recovery_errors"], r["crc_errors"]) for r in found] == [
        (gpu, link, link, link, link) for gpu in range(2) for link in range(3)
    ]


def test_links_that_all_are_inactive_are_an_event() -> None:
    text = f"GPU 0: H100 (UUID: {texts.uuid(0)})\n\tNVML: Unable to retrieve NVLink information as all links are inActive\n"
    assert [(e["source"], e["code"], e["device"]) for e in rows(read("nvidia-smi-nvlink", text), "event_facts")] == [
        ("nvlink", "all_inactive", "0")]  # fmt: skip


def test_far_sides_are_told() -> None:
    text = f"GPU 0: H100 (UUID: {texts.uuid(0)})\n\t Link 0: Remote Device 00000000:07:00.0: Link 3\n"
    assert [r["remote"] for r in rows(read("nvidia-smi-nvlink", text), "nvlink_facts")] == ["0000:07:00.0 link 3"]


def results(text: str) -> list[tuple[object, ...]]:
    found = rows(read("dcgmi-diag", text), "diagnostic_facts")
    return [tuple(r[k] for k in ("category", "test", "gpu", "result", "message", "code", "version")) for r in found]


def test_results_of_a_diagnostic_by_gpu() -> None:
    assert results(texts.diagnostic(3)) == [
        ("Deployment", "page_retirement_row_remap", None, "pass", None, None, "3.3.3"),
        ("Deployment", "persistence_mode", None, "fail", "GPU 0 is not persistent turn it on.", None, "3.3.3"),
        ("Integration", "pcie", None, "pass", None, None, "3.3.3"),
        ("Hardware", "gpu_memory", 1, "fail", None, None, "3.3.3"),
        ("Hardware", "gpu_memory", 3, "fail", None, None, "3.3.3"),
        ("Hardware", "memtest", None, "skip", None, None, "3.3.3"),
    ]
    assert results(texts.diagnostic(4)) == [
        ("Deployment", "software", None, "fail", None, None, "4.3.3"),
        ("Deployment", "software", 0, "pass", None, None, "4.3.3"),
        ("Deployment", "software", 1, "fail", "GPU1 DCGM_FR_X lost", "DCGM_FR_X", "4.3.3"),
    ]


def test_a_failure_below_a_pass_is_a_failure() -> None:
    rule = f"+{'-' * 27}+{'-' * 48}+"
    lines = [("Diagnostic", "Result"), ("GPU Memory", "Pass - GPU: 1"), ("", "Fail - GPU: 0"), ("Warning", "GPU 0 is bro"),
             ("", "ken."), ("Info", "GPU 1 is well"), ("", "and fast")]  # fmt: skip
    text = "\n".join([rule, *(f"| {a:<25} | {b:<46} |" for a, b in lines), rule]) + "\n"
    assert [(t[2], t[3], t[4]) for t in results(text)] == [
        (1, "pass", None), (0, "fail", "GPU 0 is bro ken.")]  # fmt: skip


def test_a_message_goes_to_the_gpu_that_it_names() -> None:
    rule = f"+{'-' * 27}+{'-' * 48}+"
    lines = [("Diagnostic", "Result"), ("memory", "Fail"), ("", "GPU0: Fail"), ("", "GPU1: Pass"), ("", "GPU2: Warn"),
             ("Warning: GPU0", "of nought"), ("", "and more"), ("Warning: GPU2", "of two")]  # fmt: skip
    text = "\n".join([rule, *(f"| {a:<25} | {b:<46} |" for a, b in lines), rule]) + "\n"
    assert {(t[2], t[3], t[4]) for t in results(text)} == {
        (None, "fail", None), (0, "fail", "of nought and more"), (1, "pass", None), (2, "warn", "of two")}  # fmt: skip


def test_json_of_a_diagnostic_old_and_new() -> None:
    assert sorted(results(texts.diagnostic_json(3)), key=str) == [
        ("Integration", "pcie", 0, "pass", None, None, None),
        ("Integration", "pcie", 1, "pass", None, None, None),
        ("Integration", "pcie", 2, "warn", "slow", None, None),
    ]
    assert results(texts.diagnostic_json(4)) == [
        ("Hardware", "memory", None, "fail", None, None, "4.2.0"),
        ("Hardware", "memory", 0, "pass", None, None, "4.2.0"),
        ("Hardware", "memory", 1, "fail", "it broke", "41", "4.2.0"),
    ]


def test_a_result_that_is_no_word_of_ours_never_passes() -> None:
    facts = read("dcgmi-diag", texts.diagnostic_json(3).replace("PASS", "Perhaps"))
    assert [r["gpu"] for r in rows(facts, "diagnostic_facts")] == [2]
    assert facts.notes == ("c: a result of pcie is no word that we know: it gives no fact",)
    assert read("dcgmi-diag", texts.diagnostic(3).replace("Pass - All", "Perhaps   ")).accounts["c"].unread == 1


def test_half_a_character_in_json_is_no_end() -> None:
    facts = read("dcgmi-diag", texts.diagnostic_json(3).replace("slow", "\\ud800"))
    assert rows(facts, "diagnostic_facts")[-1]["message"] == "?"


def test_a_diagnostic_that_found_no_host_engine_is_an_event() -> None:
    facts = read("dcgmi-diag", "Error: unable to establish a connection to the specified host: localhost\n")
    assert [(e["source"], e["code"]) for e in rows(facts, "event_facts")] == [("dcgm", "failed")]


def test_states_and_counters_of_dcgm() -> None:
    facts = read("dcgmi-nvlink", texts.switches())
    assert [(r["gpu"], r["link"], r["active"]) for r in rows(facts, "nvlink_facts")] == [
        (0, 0, True), (0, 1, True), (1, 0, True), (1, 1, False), (1, 2, False)]  # fmt: skip
    assert [(r["kind"], r["name"], r["state"]) for r in rows(facts, "nvlink_fabric_facts")] == [("switch_chip", "0", "u u d")]
    assert [(r["link"], r["crc_errors"]) for r in rows(read("dcgmi-nvlink", texts.counters()), "nvlink_facts")] == [
        (0, 3),
        (1, 3),
    ]


def test_the_log_of_the_fabric_manager() -> None:
    facts = read("fabricmanager-log", texts.manager())
    events = [(e["source"], e["code"], e["device"], e["time"], e["severity"]) for e in rows(facts, "event_facts")]
    assert events == [
        ("fabric_manager", "configured", None, "2026-01-06T10:00:02", "info"),
        ("sxid", "20034", "0000:86:00.0", "2026-01-06T10:00:03", "fatal"),
        ("fabric_manager", "error", None, "2026-01-06T10:00:04", "uncorrected"),
    ]
    assert [(r["component"], r["version"]) for r in rows(facts, "version_facts")] == [("fabric_manager", "565.57.01")]


def test_a_domain_of_imex_as_text_and_json() -> None:
    def told(text: str) -> set[tuple[object, ...]]:
        return {(r["kind"], r["name"], r["peer"], r["state"]) for r in rows(read("imex", text), "nvlink_fabric_facts")}

    one, two = "10.0.0.1", "10.0.0.2"
    nodes = {("imex_node", one, None, "ready"), ("imex_node", two, None, "unavailable")}
    assert told(texts.domain()) == {
        *nodes, ("imex_node", one, one, "connected"), ("imex_node", one, two, "never_connected"),
        ("imex_node", two, one, "invalid"), ("imex_node", two, two, "invalid"), ("imex_domain", "domain", None, "down"),
    }  # fmt: skip
    assert told(texts.domain_json()) == {
        *nodes, ("imex_node", one, one, "connected"), ("imex_node", one, two, "never_connected"),
        ("imex_domain", "domain", None, "degraded"),
    }  # fmt: skip
    assert told("READY\n") == {("imex_node", "self", None, "ready")}


def test_a_switch_tray_by_nvos() -> None:
    def told(text: str) -> list[tuple[object, ...]]:
        frame = rows(read("nvos", text), "nvlink_fabric_facts")
        return [(r["host"], r["kind"], r["name"], r["state"]) for r in sorted(frame, key=lambda r: int(r["line"]))]

    tray = "nvlink-a-01-1"
    assert told(texts.tray_system(f"admin@{tray}:~$")) == [
        (tray, "switch_chip", "ASIC1", None), (tray, "switch_chip", "ASIC2", None),
        (tray, "switch_tray", "system", "not ok"), (tray, "switch_tray", "LEAKAGE-1", "detected leakage"),
    ]  # fmt: skip
    assert told(texts.tray_parts()) == [(None, "switch_tray", "BMC", "ok"), (None, "switch_tray", "SWITCH", "bad")]
    assert [row[1:] for row in told(texts.tray_system())] == [row[1:] for row in told(texts.tray_system(f"admin@{tray}:~$"))]
    assert read("nvos", texts.tray_system(f"admin@{tray}:~$")).accounts["c"].unread == 0
    assert read("nvos", texts.tray_parts()).accounts["c"].unread == 0


def test_a_line_of_nvos_that_is_in_no_table_stays_unread() -> None:
    facts = read("nvos", "ASIC1   NVLink-5  infiniband-default  00:00:00:01:FF:FF:00:00  0\n")
    assert facts.accounts["c"].unread == 1 and not facts.tables


def test_switch_chips_of_a_tray_by_redfish() -> None:
    def chip(id: str, kind: str = "Switch.v1_9_0.Switch", **status: str) -> str:
        return json.dumps({"@odata.type": f"#{kind}", "Id": id, "SwitchType": "NVLink", "Status": status}) + "\n"

    def told(text: str) -> list[tuple[object, ...]]:
        return [(r["kind"], r["name"], r["state"]) for r in rows(read("redfish", text), "nvlink_fabric_facts")]

    assert told(chip("NVSwitch_0", State="Enabled", Health="OK")) == [("switch_chip", "NVSwitch_0", "ok")]
    assert told(chip("NVSwitch_1", State="Enabled", Health="Critical")) == [("switch_chip", "NVSwitch_1", "critical")]
    assert told(chip("NVSwitch_1", State="Absent", Health="OK")) == [("switch_chip", "NVSwitch_1", "absent")]
    assert told(chip("NVSwitch_1")) == [("switch_chip", "NVSwitch_1", None)]
    around = chip("MGX_NVSwitch_0", "Chassis.v1_22_0.Chassis", State="UnavailableOffline")
    assert told(around) == [("switch_chip", "NVSwitch_0", "unavailableoffline")]
    other = chip("MGX_ERoT_NVSwitch_0", "Chassis.v1_22_0.Chassis", State="Enabled", Health="OK")
    pcie = json.dumps({"@odata.type": "#Switch.v1_9_0.Switch", "Id": "PCIeSwitch_0", "SwitchType": "PCIe"}) + "\n"
    assert told(other + pcie) == []
