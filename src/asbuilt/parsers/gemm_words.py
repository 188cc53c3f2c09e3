"""What benchmarks of multiplication have in common: names of data types, sizes of matrices, the row of a result.

The data type is that of the factors. A rate is worth nothing without it and the size: FP8 is twice BF16, and a small product
measures launches.
"""

from __future__ import annotations

from typing import Any

#: Data type as PyTorch calls it -> as the fact table does.
TORCH = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8",
    "float8_e4m3fnuz": "fp8",
    "float8_e5m2": "fp8",
    "mxfp8": "mxfp8",
    "mxfp4": "mxfp4",
    "nvfp4": "nvfp4",
}
#: Words for a data type that tools and people print.
WORDS = ("fp4", "fp8", "int8", "fp16", "bf16", "tf32", "fp32", "fp64")
#: Data types that count operations on whole numbers.
_WHOLE = ("int8",)


def shape(m: str | int, n: str | int, k: str | int) -> str:
    """``MxNxK``: factors of M x K and K x N."""
    return f"{int(m)}x{int(n)}x{int(k)}"


def result(run: str, datatype: str | None, tera: float, lead: str = "", **told: Any) -> dict[str, Any]:
    """A row of `RESULT_FACTS`: 10^12 operations a second. ``lead`` sets a rate of another kind apart (``sustained_``)."""
    unit = "TOPS" if datatype in _WHOLE else "TFLOPS"
    return {
        "run": run,
        "quantity": f"{lead}gemm_{datatype or 'unknown'}",
        "datatype": datatype,
        "value": tera,
        "unit": unit,
        **told,
    }
