"""Benchmarks: nccl-tests, perftest, nvbandwidth, STREAM, the CUDA samples, NCCL's log, inspector and topology."""

from __future__ import annotations

from typing import Any

import pytest

from asbuilt.model.facts import Facts
from asbuilt.parsers import (
    bench_lines,
    cuda_samples,
    nccl_info,
    nccl_tests,
    nccl_topo,
    nvbandwidth,
    p2p_bandwidth,
    perftest,
    stream_bench,
)
from asbuilt.parsers.nccl_collective import collective
from bench_transcripts import (
    BANDWIDTH_TEST,
    COPIES,
    INSPECTOR,
    LATENCY,
    NCCL,
    NCCL_LOG,
    NO_SLOTS,
    NVBANDWIDTH,
    NVBANDWIDTH_JSON,
    OLD,
    P2P,
    STREAM,
    TOPOLOGY,
    WRITE_BW,
    WRITE_MIB,
)


def run_of(facts: Facts) -> dict[str, Any]:
    (row,) = facts.tables["run_facts"].to_dicts()
    return row


def rows(facts: Facts, table: str, *columns: str) -> list[tuple[object, ...]]:
    return facts.tables[table].select(columns).rows()


def test_a_collective_as_it_was_launched() -> None:
    facts = nccl_tests.parse(NCCL.encode(), "c")
    run = run_of(facts)
    assert (run["run"], run["benchmark"], run["version"], run["library"]) == ("c#1", "all_reduce", "2.17.1", "NCCL 2.28.3")
    assert (run["ranks"], run["ranks_wanted"], run["hosts"], run["host_set"], run["copies"]) == (4, 4, 2, "node[0001-0002]", 1)
    assert (run["least_bytes"], run["most_bytes"], run["reached_bytes"]) == (1 << 30, 1 << 31, 1 << 31)
    assert (run["warmup"], run["iterations"], run["checked"], run["wrong"], run["complete"]) == (5, 20, True, 2.0, True)
    assert (run["transports"], run["gpudirect"], run["devices_used"]) == ("NET/IB", True, "mlx5_3")
    assert (run["algorithms"], run["average_gbytes_s"]) == ("NVLS+Ring", 364.802)
    assert rows(facts, "setting_facts", "domain", "name", "value") == [("nccl", "NCCL_IB_HCA", "mlx5_0,mlx5_3")]
    busbw = facts.tables["result_facts"].filter(facts.tables["result_facts"]["quantity"] == "busbw")
    assert busbw.select("bytes", "in_place", "value", "time_us", "wrong").rows() == [
        (float(1 << 30), False, 359.61, 4478.8, 0.0),
        (float(1 << 30), True, 360.82, 4463.7, 0.0),
        (float(1 << 31), False, 369.29, 8722.7, 2.0),
        (float(1 << 31), True, 369.49, 8717.9, None),
    ]


def test_a_cut_run_is_not_complete() -> None:
    facts = nccl_tests.parse(NCCL.partition("# Out of bounds")[0].encode()[:-8], "c")
    run = run_of(facts)
    assert not run["complete"] and run["average_gbytes_s"] is None
    assert run["reached_bytes"] == 1 << 30, "its last row may go on"


def test_a_test_that_started_many_times_as_rank_0_of_1_is_one_run_with_copies() -> None:
    facts = nccl_tests.parse(COPIES.encode(), "c")
    run = run_of(facts)
    assert (run["ranks"], run["ranks_wanted"], run["copies"], run["hosts"], run["complete"]) == (1, 2, 2, 2, True)
    assert facts.accounts["c"].unread == 0


def test_copies_that_ran_one_after_another_are_runs_of_fewer_ranks_than_asked_for() -> None:
    first, _, rest = COPIES.partition("\n")
    one = "\n".join(line.removeprefix("[1,0]<stdout>:") for line in rest.splitlines() if not line.startswith("[1,1]"))
    one = "\n".join(line for line in one.splitlines() if "3.20" not in line)
    one = one.partition("# Out of bounds")[0].rstrip() + "\n" + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0\n"
    facts = nccl_tests.parse(f"{first}\n{one}{one}".encode(), "c")
    assert rows(facts, "run_facts", "run", "ranks", "ranks_wanted", "copies", "complete") == [
        ("c#1", 1, 2, 1, True),
        ("c#2", 1, 2, 1, True),
    ]


def test_a_signal_ends_a_run() -> None:
    text = NCCL.partition("# Out of bounds")[0] + "srun: error: node0002: task 3: Killed\n"
    run = run_of(nccl_tests.parse(text.encode(), "c"))
    assert not run["complete"] and run["failure"] == "launcher: srun: error: node0002: task 3: Killed"


def test_old_tables_have_an_error_and_no_count() -> None:
    facts = nccl_tests.parse(OLD.encode(), "c")
    run = run_of(facts)
    assert (run["benchmark"], run["ranks"], run["wrong"], run["complete"]) == ("all_reduce", 2, None, False)
    assert run["failure"] == "gpuhost: Test CUDA failure common.cu:891 'out of memory'"
    assert sorted(set(facts.tables["result_facts"]["error"])) == [1e-07, 1.0]


def test_what_the_launcher_says_alone_is_no_result() -> None:
    facts = nccl_tests.parse(NO_SLOTS.encode(), "c")
    run = run_of(facts)
    assert (run["benchmark"], run["ranks"], run["ranks_wanted"], run["complete"]) == ("all_gather", None, 32, False)
    assert run["failure"] == "launcher: There are not enough slots available in the system to satisfy the 32"
    assert not facts.has("result_facts") and facts.notes == ("c: the launcher failed: no result",)
    assert nccl_tests.sniff(NO_SLOTS.encode()) and not nccl_tests.sniff(NO_SLOTS.replace("_perf", "").encode())


@pytest.mark.parametrize(
    ("launch", "ranks"),
    [
        ("mpirun -np 16 -x NCCL_DEBUG=INFO ./all_reduce_perf -b 8 -g 1", 16),
        ("mpirun -n 2 all_reduce_perf_mpi -g 8 -t 2", 32),
        ("srun -N2 --ntasks-per-node=8 ./alltoall_perf", 16),
        ("srun --nodes 2 --ntasks-per-node 4 ./alltoall_perf", 8),
        ("srun -n 4 ./alltoall_perf -g2", 8),
        ("./build/all_reduce_perf -g 8", 8),
        ("mpirun --hostfile hosts ./all_reduce_perf", None),
        ("echo hello", None),
    ],
)
def test_ranks_that_a_launch_line_asks_for(launch: str, ranks: int | None) -> None:
    assert bench_lines.ranks_wanted(bench_lines.words_of(launch)) == ranks


@pytest.mark.parametrize(
    ("row", "checks", "name"),
    [
        ("64 16 float sum -1", (False, True), "all_reduce"),
        ("64 4 float sum -1", (False, True), "reduce_scatter"),
        ("64 16 float sum 0", (False, True), "reduce"),
        ("64 16 float none 0", (False, True), "broadcast"),
        ("64 4 float none -1", (False, True), "all_gather"),
        ("64 4 float none -1", (True, False), "alltoall"),
        ("64 16 float none -1", (True, False), "sendrecv"),
        ("64 4 float none -1", (False, False), None),
        ("0 0 float sum -1", (False, True), None),
        ("64 7 float sum -1", (False, True), None),
    ],
)
def test_which_collective_a_row_is_of(row: str, checks: tuple[bool, bool], name: str | None) -> None:
    head = dict(zip(("size", "count", "type", "redop", "root"), row.split(), strict=True))
    assert collective(head, 4, *checks) == name


def test_a_run_of_ib_write_bw() -> None:
    facts = perftest.parse(WRITE_BW.encode(), "c")
    run = run_of(facts)
    assert (run["benchmark"], run["bidirectional"], run["role"], run["peer"]) == ("ib_write_bw", True, "client", "node0002")
    assert (run["device"], run["link_type"], run["mtu_bytes"], run["queue_pairs"]) == ("mlx5_0", "IB", 4096, 2)
    assert (run["gpu_memory"], run["reached_bytes"], run["complete"], run["copies"]) == (True, 8388608.0, True, 1)
    assert rows(facts, "result_facts", "bytes", "quantity", "value", "unit", "to_device")[-2:] == [
        (8388608.0, "bandwidth_average", 783.9, "Gb/s", "node0002"),
        (8388608.0, "bandwidth_peak", 784.12, "Gb/s", "node0002"),
    ]


def test_a_run_that_found_nobody_is_a_run_without_results() -> None:
    facts = perftest.parse(b"ib_write_bw -d mlx5_0 node0002\nCouldn't connect to node0002:18515\n", "c")
    run = run_of(facts)
    assert (run["benchmark"], run["peer"], run["complete"]) == ("ib_write_bw", "node0002", False)
    assert run["failure"] == "Couldn't connect to node0002:18515" and not facts.has("result_facts")


def test_perftest_of_several_hosts_in_one_capture() -> None:
    said = [("node0001", line) for line in WRITE_BW.splitlines()] + [("node0003", line) for line in LATENCY.splitlines()]
    facts = perftest.parse("".join(f"{host}: {line}\n" for host, line in said).encode(), "c")
    assert rows(facts, "run_facts", "host", "benchmark", "peer", "complete") == [
        ("node0001", "ib_write_bw", "node0002", True),
        ("node0003", "ib_write_lat", None, True),
    ]


def test_mb_is_what_the_message_rate_proves() -> None:
    """4000 MB/sec: 64000 messages of 64 KiB are 4.19 GB (2^20), 61035 are 4.00 GB (10^6), 90000 neither."""
    facts = perftest.parse(WRITE_MIB.encode(), "c")
    average = [r for r in facts.tables["result_facts"].to_dicts() if r["quantity"] == "bandwidth_average"]
    assert [round(r["value"], 6) for r in average] == [33.554432, 32.0]
    assert facts.notes == ("c: MB/sec is not said to be 10^6 or 2^20 bytes, and the message rate does not prove it",)
    assert not run_of(facts)["complete"]


def test_latencies() -> None:
    facts = perftest.parse(LATENCY.encode(), "c")
    values = {r["quantity"]: (r["value"], r["unit"]) for r in facts.tables["result_facts"].to_dicts()}
    assert run_of(facts)["benchmark"] == "ib_write_lat"
    assert (
        values["latency_typical"] == (1.95, "us")
        and values["latency_p99"] == (2.2, "us")
        and values["latency_p999"] == (3.9, "us")
    )


def test_nvbandwidth_text_and_json_say_the_same() -> None:
    facts = nvbandwidth.parse(NVBANDWIDTH.encode(), "c")
    results = rows(facts, "result_facts", "quantity", "from_device", "to_device", "value", "unit")
    assert ("device_to_host_memcpy_ce", "GPU1", "CPU0", 54.9, "GB/s") in results
    assert ("device_to_device_memcpy_read_ce", "GPU1", "GPU0", 386.9, "GB/s") in results
    assert ("host_device_latency_sm", "CPU0", "GPU0", 0.8, "us") in results and len(results) == 8
    assert run_of(facts)["version"] == "0.8" and run_of(facts)["complete"]
    whole = nvbandwidth.parse(NVBANDWIDTH_JSON.encode(), "c")
    same = set(rows(whole, "result_facts", "quantity", "from_device", "to_device", "value", "unit"))
    assert same == {r for r in results if str(r[0]).startswith("device_to_host")}
    assert run_of(whole)["failure"] == "multinode_device_to_device_memcpy_read_ce: Error"
    cut = nvbandwidth.parse(NVBANDWIDTH_JSON.encode()[:-3], "c")
    assert cut.tables == {} and cut.notes == ("c: JSON that is cut, or not of nvbandwidth: nothing of it is read",)


def test_stream() -> None:
    facts = stream_bench.parse(STREAM.encode(), "c")
    assert rows(facts, "result_facts", "quantity", "value", "unit")[0] == ("copy", 401.2345, "GB/s")
    run = run_of(facts)
    assert (run["version"], run["complete"], run["wrong"], run["reached_bytes"]) == ("5.10", True, 0.0, 3.2e9)
    spoilt = stream_bench.parse(STREAM.replace("Solution Validates: avg", "Failed Validation on array a[], avg").encode(), "c")
    assert run_of(spoilt)["wrong"] == 1.0


def test_babelstream() -> None:
    text = (
        "BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\nPrecision: double\n"
        "Array size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\n"
        "Using CUDA device NVIDIA H100 80GB HBM3\nDriver: 12080\n"
        "Function    MBytes/sec  Min (sec)   Max         Average     \n"
        "Copy        2900000.1   0.00018     0.00019     0.00018     \n"
        "Dot         2800000.0   0.00019     0.00020     0.00019     \n"
    )
    facts = stream_bench.parse(text.encode(), "c")
    assert rows(facts, "result_facts", "quantity", "value") == [("copy", pytest.approx(2900.0001)), ("dot", 2800.0)]
    run = run_of(facts)
    assert (run["version"], run["device_name"], run["complete"], run["checked"]) == ("5.0", "NVIDIA H100 80GB HBM3", True, None)
    assert facts.accounts["c"].unread == 0


def test_cuda_samples() -> None:
    facts = cuda_samples.parse(BANDWIDTH_TEST.encode(), "c")
    assert rows(facts, "result_facts", "quantity", "bytes", "from_device", "to_device", "value") == [
        ("host_to_device", 32e6, "CPU", "GPU", 55.2)
    ]
    old = cuda_samples.parse(BANDWIDTH_TEST.replace("GB/s", "MB/s").encode(), "c")
    assert not old.has("result_facts") and old.notes == ("c: MB/s is not said to be 10^6 or 2^20 bytes",)
    pairs = p2p_bandwidth.parse(P2P.encode(), "c")
    results = rows(pairs, "result_facts", "quantity", "from_device", "to_device", "value", "unit")
    assert ("p2p_disabled_unidirectional", "GPU0", "GPU1", 38.2, "GB/s") in results
    assert ("p2p_enabled_latency", "GPU1", "GPU0", 2.65, "us") in results
    assert ("p2p_enabled_latency_cpu", "GPU0", "GPU1", 1.4, "us") in results and len(results) == 12
    assert run_of(pairs)["benchmark"] == "p2p" and run_of(pairs)["complete"]


def test_a_log_without_a_test() -> None:
    run = run_of(nccl_info.parse(NCCL_LOG.encode(), "c"))
    assert (run["benchmark"], run["ranks"], run["host_set"], run["complete"]) == ("nccl_log", 2, "node[0001-0002]", True)
    assert (run["transports"], run["gpudirect"], run["devices_used"]) == ("NET/Socket", False, "eno1")
    assert run["failure"] == "NCCL WARN Net : Connection closed by remote peer"


def test_the_inspector() -> None:
    facts = nccl_info.parse(INSPECTOR.encode(), "c")
    assert rows(facts, "result_facts", "quantity", "bytes", "value") == [("algbw", 4096.0, 0.34), ("busbw", 4096.0, 0.51)]
    assert run_of(facts)["ranks"] == 4


def test_a_topology() -> None:
    facts = nccl_topo.parse(TOPOLOGY.encode(), "c")
    assert rows(facts, "numa_facts", "numa", "cpus") == [(1, "16-31,80-95")]
    assert rows(facts, "pci_facts", "address", "parent", "class_id", "numa_node", "cap_gts", "cap_width", "now_gts") == [
        ("0000:15:01.0", "root:0000:15", "0604", 1, 32.0, 16, None),
        ("0000:1a:00.0", "0000:15:01.0", "0207", 1, None, None, None),
        ("0000:1b:00.0", "0000:15:01.0", "0302", 1, 32.0, 16, None),
    ]
    assert rows(facts, "nic_function_facts", "rdma", "address", "port") == [("mlx5_0", "0000:1a:00.0", 1)]
    assert rows(facts, "gpu_facts", "index", "address") == [(0, "0000:1b:00.0")]
    assert rows(facts, "affinity_facts", "device", "cpus", "numa") == [("GPU0", "16-31,80-95", "1")]
    hidden = nccl_topo.parse(b'<!-- <pci busid="0000:01:00.0" class="0x030200"/>\n', "c")
    assert hidden.tables == {}, "a comment that is not closed says nothing"
