"""Tools of benchmarks: tool name -> module that reads it."""

from __future__ import annotations

BENCH_TOOLS: dict[str, str] = {
    "nccl-tests": "nccl_tests",
}
