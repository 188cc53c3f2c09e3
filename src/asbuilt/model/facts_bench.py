"""Fact tables of measured speed: one run as it was launched, and one row per size or pair that it printed.

Rates are decimal: GB/s is 10^9 bytes a second, Gb/s 10^9 bits. A run says enough of itself to tell whether it was launched as
meant: a number of a run that was not is an invalid measurement, not a slow cluster.
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema
from asbuilt.model.facts_node import HOST, ORIGIN

C = Column

RUN_FACTS = Schema(
    "run_facts",
    "One row per run of a benchmark.",
    (
        HOST,
        C("run", "str", "natural key: <capture>#<number of the run in it>"),
        C(
            "benchmark",
            "str",
            "all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv, gather, scatter, hypercube, "
            "ib_write_bw, ib_write_lat, ib_read_bw, ib_send_bw, nvbandwidth, stream, gemm, p2p, bandwidth_test, nccl_log (a "
            "log without a test), nccl_inspector; unknown for a collective that nothing names",
        ),
        C("version", "str", "version of the benchmark", nullable=True),
        C("library", "str", "version of the library that it measures (NCCL 2.27.3)", nullable=True),
        C("ranks", "i64", "ranks that took part", nullable=True),
        C("ranks_wanted", "i64", "ranks that the launch line asks for, where it is in the capture", nullable=True),
        C("hosts", "i64", "different hosts of these", nullable=True),
        C("host_set", "str", "their names as a host set", nullable=True),
        C(
            "copies",
            "i64",
            "how often rank 0 announced itself: more than 1 is a test that was started many times instead of over many ranks",
            nullable=True,
        ),
        C("gpus_per_rank", "i64", "GPUs of one rank", nullable=True),
        C("device", "str", "device under test (mlx5_0, GPU index)", nullable=True),
        C("device_name", "str", "what it calls itself", nullable=True),
        C("least_bytes", "f64", "smallest size that was asked for", "bytes", nullable=True),
        C("most_bytes", "f64", "largest size that was asked for", "bytes", nullable=True),
        C("reached_bytes", "f64", "largest size that a result was printed of", "bytes", nullable=True),
        C("warmup", "i64", "warm-up iterations", nullable=True),
        C("iterations", "i64", "iterations", nullable=True),
        C("checked", "bool", "results were validated", nullable=True),
        C("wrong", "f64", "wrong results, all sizes", nullable=True),
        C("average_gbytes_s", "f64", "average bus bandwidth as printed", "GB/s", nullable=True),
        C("complete", "bool", "the run printed its end (average, out-of-bounds line)"),
        C("failure", "str", "first words of the log, or of the launcher, that say the run failed", nullable=True),
        C("role", "str", "client or server of an RDMA run, where its launch line is in the capture", nullable=True),
        C("peer", "str", "far side of an RDMA run as its launch line names it", nullable=True),
        C("transports", "str", "transports in the log between hosts, joined by + (NET/IB, NET/Socket, P2P)", nullable=True),
        C("gpudirect", "bool", "GPUDirect RDMA was used, as the log says it", nullable=True),
        C("devices_used", "str", "network devices in use, joined by +", nullable=True),
        C("algorithms", "str", "algorithms in the log, joined by + (NVLS, Ring, Tree, SHARP)", nullable=True),
        C("link_type", "str", "link type of an RDMA run: IB or Ethernet", nullable=True),
        C("gpu_memory", "bool", "an RDMA run used memory of a GPU", nullable=True),
        C("bidirectional", "bool", "both directions at once", nullable=True),
        C("mtu_bytes", "i64", "MTU", "bytes", nullable=True),
        C("queue_pairs", "i64", "queue pairs", nullable=True),
        *ORIGIN,
    ),
    ("run",),
)
RESULT_FACTS = Schema(
    "result_facts",
    "One row per size (or pair, or test) of a run.",
    (
        HOST,
        C("run", "str", "run it is of"),
        C(
            "quantity",
            "str",
            "busbw, algbw, latency_typical, latency_p99, bandwidth_average, bandwidth_peak, copy, triad, gemm_<data type> "
            "(bf16, fp8, ... unknown where nobody says it, mixed), sustained_gemm_<data type>, ...",
        ),
        C("bytes", "f64", "size", "bytes", nullable=True),
        C("in_place", "bool", "in place", nullable=True),
        C("from_device", "str", "source of a pair (GPU0, CPU, host name)", nullable=True),
        C("to_device", "str", "target of a pair", nullable=True),
        C("datatype", "str", "data type", nullable=True),
        C("operation", "str", "reduction", nullable=True),
        C("shape", "str", "matrices of a multiplication: MxNxK", nullable=True),
        C("fill", "str", "what the matrices held: zeros or random", nullable=True),
        C("value", "f64", "value in `unit`"),
        C("unit", "str", "GB/s, Gb/s, us, TFLOPS, TOPS (whole numbers)"),
        C("time_us", "f64", "time of one operation", "us", nullable=True),
        C("wrong", "f64", "wrong results", nullable=True),
        C("error", "f64", "largest relative error, as versions before 2.11 print it instead of a count", nullable=True),
        *ORIGIN,
    ),
    ("run", "line", "quantity", "in_place", "from_device", "to_device"),
)

BENCH_FACTS = (RUN_FACTS, RESULT_FACTS)
