"""Tools of benchmarks: tool name -> module that reads it."""

from __future__ import annotations

BENCH_TOOLS: dict[str, str] = {
    "nccl-tests": "nccl_tests",
    "perftest": "perftest",
    "nvbandwidth": "nvbandwidth",
    "stream": "stream_bench",
    "bandwidthTest": "cuda_samples",
    "p2pBandwidthLatencyTest": "p2p_bandwidth",
    "dcgmproftester": "dcgmproftester",
    "cublasMatmulBench": "cublas_bench",
    "mamf-finder": "mamf_finder",
    "gpu-burn": "gpu_burn",
    "nccl-info": "nccl_info",
    "nccl-topo-xml": "nccl_topo",
}
